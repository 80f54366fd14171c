"""Results of evaluations print their findings, not their arrays."""

from __future__ import annotations

import pytest
from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from thresher import MRMR, Ensemble, evaluate
from thresher.evaluate import stability

X, Y = load_wine(return_X_y=True)
SCORES = {"a": [0.9, 0.8, 0.7, 0.9], "b": [0.8, 0.7, 0.6, 0.7], "c\n": [0.1, 0.2, 0.3, 0.2]}


def curve(**settings):
    return stability.stability_curve(
        MRMR(), X, Y, k=range(1, 6), n_splits=3, n_repeats=3, random_state=0, **settings
    )


@pytest.mark.parametrize(
    ("make", "lines"),
    [
        (
            lambda: evaluate.select_k(MRMR(), X, Y, GaussianNB(), k=[1, 3], random_state=0),
            ["3 features by the rule '1se'", "", "k    mean  standard_error  chosen"],
        ),
        (
            lambda: evaluate.probe_fdr(MRMR(3), X, Y, n_repeats=2, random_state=0),
            ["False features among the first 13, 2 repetitions", "", "      selector"],
        ),
        (curve, ["Stability of MRMR (jaccard), 3 times 3 selections", "", "k    mean      std"]),
        (
            lambda: stability.compare_curves(curve(), curve(name="again")),
            ["Difference of two stability curves", "", "k  difference"],
        ),
        (
            lambda: evaluate.friedman(SCORES),
            ["Friedman's test of 3 methods on 4 data sets: p = ", "", "method  mean_rank"],
        ),
        (
            lambda: evaluate.nemenyi(SCORES),
            ["nemenyi tests of 3 methods on 4 data sets, alpha = 0.05", "", "first  second"],
        ),
        (
            lambda: evaluate.nested_score(MRMR(3), X, Y, cv=3),
            ["score 0."],
        ),
    ],
    ids=["select_k", "probe_fdr", "curve", "compare_curves", "friedman", "nemenyi", "nested"],
)
def test_a_headline_and_a_table(make, lines):
    text = repr(make())
    assert text == str(make())
    assert len(text) < 700
    assert "array(" not in text
    for line, start in zip(text.splitlines(), lines, strict=False):
        assert line.startswith(start), text


def test_long_tables_are_cut_and_names_are_safe():
    long = stability.stability_curve(MRMR(), X, Y, k=range(1, 14), n_splits=2, n_repeats=1)
    assert len(repr(long).splitlines()) == 16
    grid = stability.stability_grid(
        Ensemble(MRMR()), X, Y, n_parts=[2, 3], k=range(1, 13), n_splits=2, n_repeats=1
    )
    assert repr(grid).endswith("... 4 more rows in table()")
    assert "'c\\n'" in repr(evaluate.friedman(SCORES))


def test_a_grid_of_something_else_is_rejected():
    with pytest.raises(ValueError, match=r"must be an Ensemble.*got MRMR\(\)"):
        stability.stability_grid(MRMR(), X, Y, n_parts=[2, 3])
