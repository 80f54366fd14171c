"""The learners of the reproduced accuracies predict as scikit-learn's do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import CategoricalNB
from sklearn.neighbors import KNeighborsClassifier

learners = pytest.importorskip("benchmarks.reproduction.learners")


def rows(seed, n_classes, discrete, n_features):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=200) * 10 - 3  # labels that are no codes
    X = rng.normal(size=(200, n_features)) + 0.3 * y[:, None] * (np.arange(n_features) < 2)
    if discrete:
        X = np.clip(np.round(X / 4), 0, 2).astype(np.int64)
    return X[:120], y[:120], X[120:]


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("n_features", [1, 3, 20])
@pytest.mark.parametrize("discrete", [False, True])
def test_forests_are_those_of_scikit_learn(n_classes, n_features, discrete):
    X, y, new = rows(n_features, n_classes, discrete, n_features)
    theirs = RandomForestClassifier(30, random_state=0).fit(X, y)
    ours = learners.Forest(30).fit(X, y)
    assert np.array_equal(ours.predict(new), theirs.predict(new))
    assert [tree.node_count for tree in ours.trees_] == [
        tree.tree_.node_count for tree in theirs.estimators_
    ]


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("n_features", [1, 3, 20])
def test_neighbours_are_those_of_scikit_learn(n_classes, n_features):
    X, y, new = rows(n_features, n_classes, False, n_features)
    theirs = KNeighborsClassifier(5).fit(X, y)
    assert np.array_equal(learners.Neighbours().fit(X, y).predict(new), theirs.predict(new))


@pytest.mark.parametrize("n_classes", [2, 5])
@pytest.mark.parametrize("n_features", [1, 3, 20])
def test_naive_bayes_is_that_of_scikit_learn(n_classes, n_features):
    X, y, new = rows(n_features, n_classes, True, n_features)
    theirs = CategoricalNB(min_categories=3).fit(X, y)
    assert np.array_equal(learners.CategoricalBayes(3).fit(X, y).predict(new), theirs.predict(new))


def test_runs_are_kept_and_not_repeated(tmp_path, monkeypatch):
    accuracy = pytest.importorskip("benchmarks.reproduction.accuracy")
    monkeypatch.setattr(accuracy, "DATA_FILE", tmp_path / "accuracy.csv")
    data = next(entry for entry in accuracy.PUBLISHED if entry.file == "ionosphere")
    rng = np.random.default_rng(0)
    calls = []

    def few_rows(entry):
        calls.append(entry.file)
        return rng.normal(size=(40, 4)), np.arange(40) % 2

    monkeypatch.setattr(accuracy, "load", few_rows)
    options = SimpleNamespace(quick=False, jobs=1)
    store = accuracy.Store(options)
    accuracy.run_repeat(store, data, ["5NN", "SVM"], 3, options)
    again = accuracy.Store(options)
    assert again.runs == store.runs
    assert len(again.runs) == 6
    run = again.runs["ionosphere", "SVM", 3, "fast"]
    assert run.tested == 40
    assert sorted(run.right) == [1, 2, 3, 4]
    accuracy.run_repeat(again, data, ["5NN", "SVM"], 3, options)
    assert calls == ["ionosphere"]
    found, repeats = again.accuracies(data)
    assert repeats == {"5NN": 1, "NB": 0, "RF": 0, "SVM": 1, "LR": 0}
    assert found["SVM", "fast", 2] == run.right[2] / 40
