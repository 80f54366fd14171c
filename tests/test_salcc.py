"""SALCC: annealing over the threshold of LCC."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from thresher import LCC, SALCC, ThresherWarning

from .naive import consistency as naive
from .test_consistency_kernels import exact_xor, noisy_xor


def blurred(seed=0, n=120, p=8):
    """Return data in which every feature is slightly informative about the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    X = np.where(
        rng.random((n, p)) < np.linspace(0.2, 0.6, p), y[:, None], rng.integers(0, 3, (n, p))
    )
    return X, y


def tree_score(X, y):
    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)

    @functools.cache
    def score(features):
        folds = StratifiedKFold(5)
        return cross_val_score(tree, X[:, list(features)], y, cv=folds, scoring="roc_auc").mean()

    return score


def test_annealing_follows_its_definition():
    for seed in range(3):
        X, y = blurred(seed, n=80, p=6)
        r = naive.relevance(X, y)
        rng = np.random.RandomState(seed)
        expected, visited = naive.anneal(
            naive.Risk(X, y), naive.ascending(r), tree_score(X, y), rng, t_max=25
        )
        selector = SALCC(random_state=seed, max_iterations=25).fit(X, y)
        assert sorted(selector.selected_.tolist()) == expected
        assert selector.trace_["risk"].tolist() == [b / len(y) for b in visited[1:]]


def test_default_temperature_makes_147_moves():
    X, y = noisy_xor()
    selector = SALCC(DummyClassifier(), random_state=0, cv=3).fit(X, y)
    assert len(selector.trace_["score"]) == 147
    assert selector.n_evaluations_ == len(selector.sets_) <= 3
    assert selector.n_runs_ <= 10


def test_path_scores_every_set_of_lcc():
    X, y = blurred()
    risk = naive.Risk(X, y)
    order = naive.ascending(naive.relevance(X, y))
    high = min(int(0.4 * len(y)), risk.value([]) - 1)
    path = naive.lcc_path(risk, order, high)[::-1]
    selector = SALCC(search="path").fit(X, y)
    assert [sorted(s.tolist()) for s in selector.sets_] == [sorted(s) for s, _ in path]
    assert selector.set_risks_.tolist() == [b / len(y) for _, b in path]
    assert selector.n_evaluations_ == len(path)
    assert selector.best_score_ == selector.set_scores_.max()
    annealed = SALCC(random_state=1).fit(X, y)
    assert annealed.best_score_ <= selector.best_score_
    assert set(annealed.set_risks_) <= set(selector.set_risks_)


def test_never_below_lcc_at_the_tightest_threshold():
    X, y = load_breast_cancer(return_X_y=True)
    tight = LCC(0, delta_mode="relative").fit(X, y)
    selector = SALCC(random_state=0, max_iterations=20).fit(X, y)
    score = tree_score(X, y)
    assert selector.best_score_ == pytest.approx(score(tuple(np.flatnonzero(selector.support_))))
    assert selector.best_score_ >= score(tuple(np.flatnonzero(tight.support_)))


def test_same_seed_same_walk_and_early_stop():
    X, y = blurred(4)
    first, second = (SALCC(GaussianNB(), random_state=7).fit(X, y) for _ in range(2))
    assert first.selected_.tolist() == second.selected_.tolist()
    for name in first.trace_:
        assert first.trace_[name].tolist() == second.trace_[name].tolist()
    stopped = SALCC(GaussianNB(), random_state=7, patience=5).fit(X, y)
    assert 5 <= len(stopped.trace_["score"]) < 147


def test_progress_is_a_line_per_move(capsys):
    X, y = blurred()
    SALCC(GaussianNB(), random_state=0, max_iterations=3, verbose=1).fit(X, y)
    assert "move 3/3: " in capsys.readouterr().out


def test_small_classes_are_scored_by_accuracy():
    X, y = blurred(n=40)
    y = y.copy()
    y[:2] = 2
    selector = SALCC(random_state=0, max_iterations=5).fit(X, y)
    assert np.isfinite(selector.set_scores_).all()


def test_nothing_to_search_returns_plain_lcc():
    X, y = exact_xor()
    selector = SALCC(random_state=0).fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1]
    noise = np.column_stack([X[:, 0], X[:, 2]])
    with pytest.warns(ThresherWarning, match="no feature was selected"):
        assert not SALCC(random_state=0).fit(noise, y).support_.any()


def test_missing_values_reach_the_classifier_as_codes():
    X, y = blurred()
    X = X.astype(float)
    X[::7, 1] = np.nan
    selector = SALCC(GaussianNB(), missing="category", random_state=0, max_iterations=5).fit(X, y)
    assert np.isfinite(selector.best_score_)


def test_parameters_are_checked():
    X, y = blurred()
    for options, message in (
        ({"search": "walk"}, "search must be one of"),
        ({"delta_max": 2}, "delta_max must be a number"),
        ({"step": 0}, "step must be a number"),
        ({"temperature": 0}, "temperature must be a number"),
        ({"patience": 0}, "patience must be an integer"),
        ({"cv": 1}, "cv must be an integer"),
    ):
        with pytest.raises(ValueError, match=message):
            SALCC(**options).fit(X, y)


def test_search_can_be_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    from thresher.plots import plot_annealing

    X, y = blurred()
    for search in ("anneal", "path"):
        ax = plot_annealing(SALCC(GaussianNB(), search=search, random_state=0).fit(X, y))
        assert "risk" in ax.get_xlabel()
        assert "selected" in [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.mark.parametrize("estimator", ["tree", LinearRegression()])
def test_only_classifiers_are_taken(estimator):
    X = np.random.default_rng(0).integers(0, 2, (40, 4))
    with pytest.raises(ValueError, match="estimator must be a scikit-learn classifier, got"):
        SALCC(estimator).fit(X, X[:, 0])
