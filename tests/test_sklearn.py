"""Every public estimator keeps the scikit-learn contract, with no exceptions listed."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.selectors import quick
from thresher import CFS, MRMR, RRCT, RRFS, Ensemble, ErrorControlled, Univariate
from thresher._registry import SELECTORS as REGISTERED

pytestmark = pytest.mark.once

# One instance of every public selector; a second with other settings where they change the code
# path. `test_sklearn_settings.py` has more.
SELECTORS = [
    *(quick(name) for name in REGISTERED),
    MRMR(relevance="mi", redundancy="mi"),
    Ensemble(MRMR(relevance="mi", redundancy="mi"), n_parts=4, kind="inner"),
    Ensemble(n_parts=4, kind="bagging", random_state=0),
    Ensemble(n_parts=4, kind="halves", n_pairs=4, cutoff=0.6, random_state=0),
    ErrorControlled(Univariate(), 0.9, method="compete", random_state=0),
    RRFS(3, relevance="mi", similarity="su"),
    Univariate("auto", measure="mi"),
    CFS(search="best-first", discretize="mean-sd"),
    RRCT(redundancy="spearman", normalize=False, target="numeric"),
]


@parametrize_with_checks(SELECTORS)
def test_scikit_learn_checks(estimator, check, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    check(estimator)


def table():
    """Return a table with names, and labels."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X.iloc[::4, :12], y[::4]


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_pickle_and_clone_keep_the_selection(selector):
    X, y = table()
    fitted = clone(selector).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.selected_.tolist() == fitted.selected_.tolist()
    assert clone(fitted).fit(X, y).selected_.tolist() == fitted.selected_.tolist()


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_json_keeps_everything_a_user_sees(selector):
    X, y = table()
    fitted = clone(selector).fit(X, y)
    again = type(selector).from_json(fitted.to_json())
    assert again.get_params().keys() == fitted.get_params().keys()
    for name, value in vars(fitted).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(again, name), value, err_msg=name)
    assert again.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    assert [again.reason(f) for f in X] == [fitted.reason(f) for f in X]
    pd.testing.assert_frame_equal(
        pd.DataFrame(again.transform(X)), pd.DataFrame(fitted.transform(X))
    )


@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
@pytest.mark.parametrize(("kind", "frame"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)])
def test_set_output_gives_named_frames(selector, kind, frame):
    X, y = table()
    fitted = clone(selector).set_output(transform=kind).fit(frame(X.to_dict("list")), y)
    out = fitted.transform(frame(X.to_dict("list")))
    assert isinstance(out, frame)
    assert list(out.columns) == fitted.get_feature_names_out().tolist()


def test_grid_search_over_a_pipeline_picks_a_size():
    X, y = load_breast_cancer(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), MRMR(), LogisticRegression(max_iter=500))
    search = GridSearchCV(pipeline, {"mrmr__n_features_to_select": [1, 5]}, cv=3).fit(X, y)
    assert search.best_params_["mrmr__n_features_to_select"] == 5


def test_sample_weight_is_routed_through_a_pipeline():
    X, y = load_breast_cancer(return_X_y=True)
    weight = (np.arange(len(y)) % 3).astype(float)
    with config_context(enable_metadata_routing=True):
        selector = MRMR().set_fit_request(sample_weight=True)
        model = LogisticRegression(max_iter=500).set_fit_request(sample_weight=True)
        pipeline = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=True), selector, model
        )
        pipeline.fit(X, y, sample_weight=weight)
    rows = np.repeat(np.arange(len(y)), weight.astype(int))
    expected = MRMR().fit(StandardScaler().fit_transform(X[rows]), y[rows])
    assert pipeline[1].selected_.tolist() == expected.selected_.tolist()
