"""The notebook representation of a selector."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer

from tests.hostile_names import NAMES
from thresher import CWC, MRMR, Chain, Ensemble, Univariate


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.mark.parametrize(
    "selector",
    [MRMR(4), Ensemble(MRMR(4), 5), Univariate(4), CWC(), Chain([Univariate(9), MRMR(4)])],
)
def test_a_fitted_selector_shows_its_shortlist(selector, cancer):
    X, y = cancer
    selector.fit(X, y)
    shown = selector._repr_html_()
    assert selector._repr_mimebundle_()["text/html"] == shown
    root = ElementTree.fromstring(shown)  # it is well-formed
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts == X.columns[selector.selected_].tolist()
    reasons = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert reasons == [selector.reason(int(feature)) for feature in selector.selected_]


def test_an_unfitted_selector_is_shown_as_scikit_learn_does():
    assert "sk-estimator" in MRMR()._repr_html_()
    with sklearn.config_context(display="text"):
        assert "text/html" not in MRMR()._repr_mimebundle_()


def test_many_features_are_cut_and_none_is_fine(cancer):
    X, y = cancer
    shown = MRMR(30).fit(X, y)._repr_html_()
    assert "30 of 30 features" in shown
    assert "The first 20:" in shown
    assert shown.count("<rect") == 20


def test_names_are_text():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, len(NAMES))), columns=NAMES)
    for start in range(0, len(NAMES), 20):
        part = X.iloc[:, start : start + 20]
        shown = MRMR(20).fit(part, X.iloc[:, 0] % 2)._repr_html_()
        root = ElementTree.fromstring(shown)
        kinds = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert kinds == {"div", "p", "b", "svg", "g", "title", "text", "rect"}
        shown.encode()
