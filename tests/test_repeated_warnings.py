"""A warning in cross-validation appears once; a direct fit always warns."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline

from thresher import MRMR, ThresherWarning

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 4))
Y = np.arange(90) % 2
X[rng.random(90) < 0.3, 2] = np.nan


def model():
    """Return a pipeline that warns of dropped rows, with other numbers in every fold."""
    return make_pipeline(MRMR(9, exclude=[2]), LogisticRegression())


@pytest.fixture(autouse=True)
def forget(monkeypatch):
    monkeypatch.setattr("thresher._utils.checks._warned_in_folds", set())


def messages(run, action="default"):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter(action)
        run()
    return [str(w.message) for w in caught if issubclass(w.category, ThresherWarning)]


def grid(threads=None):
    grid = {"mrmr__n_features_to_select": [7, 8, 9]}
    FILLED = np.nan_to_num(X)
    GridSearchCV(model(), grid, cv=3, n_jobs=threads).fit(FILLED, Y)


def test_a_grid_search_warns_once():
    (message,) = messages(grid)
    assert "but only 3 features vary" in message
    assert messages(grid) == []  # the same line and cause, later in the process


def test_the_filter_always_shows_every_warning():
    assert len(messages(grid, "always")) == 10
    assert len(messages(grid, "always")) == 10


def test_the_filter_error_stops_every_fold():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module="sklearn")
        for _ in range(2):
            with pytest.raises(ValueError, match="All the 3 fits failed"):
                cross_val_score(model(), np.nan_to_num(X), Y, cv=3)


def test_other_lines_and_other_causes_warn_too():
    def twice():
        cross_val_score(model(), np.nan_to_num(X), Y, cv=3)
        cross_val_score(model(), np.nan_to_num(X), Y, cv=3)

    assert len(messages(twice)) == 2

    def causes():
        for exclude in ([2], [1, 2], [3]):
            cross_val_score(model().set_params(mrmr__exclude=exclude), np.nan_to_num(X), Y, cv=3)

    assert len(messages(causes)) == 1  # only the numbers differ


def test_direct_fits_warn_each():
    def direct():
        for _ in range(2):
            warnings.simplefilter("default")  # which makes Python forget
            MRMR(9).fit(np.nan_to_num(X), Y)
            model().fit(np.nan_to_num(X), Y)

    assert len(messages(direct)) == 4


def test_a_direct_fit_warns_after_cross_validation_on_the_same_line():
    def both(call):
        call(model(), np.nan_to_num(X), Y)

    assert len(messages(lambda: both(cross_val_score))) == 1
    assert len(messages(lambda: both(lambda m, *data: m.fit(*data)))) == 1


def test_filters_by_text_and_module_are_those_of_python():
    def with_filters():
        warnings.filterwarnings("always", message="n_FEATURES", category=ThresherWarning)
        grid()
        warnings.filterwarnings("default", module="tests", category=ThresherWarning)
        warnings.filterwarnings("always", message="another text", category=ThresherWarning)
        grid()

    assert len(messages(with_filters)) == 10
