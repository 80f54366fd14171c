"""Selection from blocks of rows equals selection in memory, however the rows are split."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.blocks_of_rows import assert_same, both, frames, in_blocks
from tests.examples import examples
from thresher import CFS, CMIM, DISR, FCBF, JMI, MIM, MRMR, NMIFS, RRCT, CMIFilter, GivenBins
from thresher.blocks import ListEngine, RowBlock

NUMBERS = ("normal", "few", "many", "truth", "constant", "large")
COUNTED = {
    "MRMR mean-sd": MRMR(4, relevance="mi"),
    "MRMR equal-width": MRMR(4, relevance="mi", discretize="equal-width:5"),
    "MRMR chi2": MRMR(4, relevance="chi2", redundancy="su", objective="quotient"),
    "NMIFS": NMIFS(4, discretize="mean-sd"),
    "CFS": CFS(discretize="mean-sd:0.7"),
    "CFS best-first": CFS(discretize="mean-sd", search="best-first"),
    "FCBF": FCBF(discretize="equal-width:3"),
    "JMI": JMI(4, discretize="mean-sd"),
    "CMIM": CMIM(4),
    "DISR": DISR(4),
    "MIM": MIM(4),
}
SUMMED = {
    "r2": MRMR(4, relevance="r2"),
    "f": MRMR(4, relevance="f", redundancy="pearson"),
    "pearson": MRMR(4, relevance="pearson", target="numeric"),
    "cosine": MRMR(4, relevance="r2", redundancy="cosine"),
    "mixed": MRMR(4, relevance="mi", redundancy="pearson"),
}


def target(rng, frame, kind):
    base = frame["base"].to_numpy() + rng.normal(size=len(frame))
    if kind == "number":
        return base
    codes = np.digitize(base, [-0.3, 0.6])
    codes[:2] = [0, 1]
    return np.array(["no", "yes", "maybe"], dtype=object)[codes] if kind == "text" else codes


def draw_weights(rng, n, kind):
    if kind == "none":
        return None
    weights = rng.integers(0, 4, n)
    weights[:2] = 1
    return weights if kind == "whole" else weights + rng.random(n)


@pytest.mark.parametrize("name", COUNTED)
@examples(12)
@given(data=frames(), kind=st.sampled_from(["text", "whole", "number"]), weighted=st.booleans())
def test_measures_that_count_have_the_bits_of_memory(name, data, kind, weighted):
    frame, ends, rng = data
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    if name in ("NMIFS", "CFS", "CFS best-first", "FCBF") and kind == "number":
        kind = "text"
    assert_same(*both(COUNTED[name], frame, target(rng, frame, kind), weights, ends))


@pytest.mark.parametrize("name", SUMMED)
@examples(12)
@given(
    data=frames(NUMBERS),
    kind=st.sampled_from(["whole", "number"]),
    weights=st.sampled_from(["none", "whole", "real"]),
)
def test_measures_of_numbers_have_the_bits_of_memory(name, data, kind, weights):
    frame, ends, rng = data
    weights = draw_weights(
        rng, len(frame), "whole" if name == "mixed" and weights == "real" else weights
    )
    assert_same(*both(SUMMED[name], frame, target(rng, frame, kind), weights, ends))


@pytest.mark.parametrize("missing", ["category", "pairwise", "drop_rows"])
@examples(25)
@given(data=frames(missing=True), weighted=st.booleans())
def test_missing_values_are_treated_as_in_memory(missing, data, weighted):
    frame, ends, rng = data
    y = target(rng, frame, "text")
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    selector = MRMR(4, relevance="mi", missing=missing)
    try:
        memory, remote = both(selector, frame, y, weights, ends)
    except ValueError as error:  # raised in memory, which is fitted first
        with pytest.raises(ValueError, match=re.escape(str(error))):
            selector.fit(in_blocks(frame, y, weights, ends))
        return
    assert_same(memory, remote)


@examples(20)
@given(data=frames(("normal", "few", "many", "text")), levels=st.booleans())
def test_given_cuts_are_those_of_memory(data, levels):
    frame, ends, rng = data
    y = target(rng, frame, "text")
    names = [name for name in frame if name.startswith(("normal", "base"))]
    rule = GivenBins({name: [-0.5, 0.1, 0.7, 9.0] for name in names[: 1 + levels]})
    selector = MRMR(3, relevance="mi", discretize=rule)
    assert_same(*both(selector, frame, y, None, ends))


def test_columns_are_taken_as_they_are_where_nothing_is_binned():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 40, 300) / 4, rng.integers(0, 3, (300, 4))])
    y = (X[:, 0] > 5).astype(int)
    assert_same(*both(MRMR(3, relevance="mi", discretize=None), X, y, None, [7, 7, 250]))
    X[:, 1] = rng.normal(size=300)
    for rows in (in_blocks(X, y, None, [7]), X):
        with pytest.raises(ValueError, match="column 1 has more than 256 levels"):
            MRMR(3, relevance="mi", discretize=None).fit(rows, None if rows is not X else y)


def test_the_same_rounds_for_every_number_of_blocks():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 60)), rng.integers(0, 3, 200)
    selector = MRMR(12, relevance="mi")
    counts = {
        (remote.n_rounds_, remote.n_passes_, remote.n_evaluations_)
        for remote in (
            selector.fit(in_blocks(X, y, None, ends)) for ends in ([], [3], [50, 50, 120])
        )
    }
    assert len(counts) == 1
    assert counts.pop()[1] == 2
    assert not hasattr(selector.fit(X, y), "n_rounds_")


def test_blocks_may_be_sparse_excluded_columns_anything():
    from scipy import sparse

    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 3, (80, 6)) * 1.0, rng.integers(0, 2, 80)
    engine = ListEngine([RowBlock(sparse.csr_array(X[:30]), y[:30]), RowBlock(X[30:], y[30:])])
    assert_same(MRMR(3, relevance="mi").fit(X, y), MRMR(3, relevance="mi").fit(engine))
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["d"] = [np.inf, np.nan, *X[2:, 3]]
    frame["e"] = [f"id {i}" for i in range(80)]
    selector = MRMR(3, relevance="mi", exclude=["d", "e"], keep=["f"])
    assert_same(*both(selector, frame, y, None, [30]))


def two_blocks(first, second, y=(0, 1, 0, 1)):
    return ListEngine([RowBlock(first, list(y[:2])), RowBlock(second, list(y[2:]))])


BAD = {
    "other columns": (
        two_blocks(
            pd.DataFrame({"a": [1, 2], "b": [1, 2]}), pd.DataFrame({"a": [1, 2], "c": [1, 2]})
        ),
        "column 1 is 'c' in block 1 and 'b' in others",
    ),
    "fewer columns": (
        two_blocks(pd.DataFrame({"a": [1, 2], "b": [1, 2]}), pd.DataFrame({"a": [1, 2]})),
        "block 1 has 1 features and others 2",
    ),
    "arrays of other widths": (
        two_blocks(np.eye(2), np.ones((2, 3))),
        "block 1 has 3 features and block 0 has 2",
    ),
    "text and numbers": (
        two_blocks(pd.DataFrame({"a": ["x", "y"]}), pd.DataFrame({"a": [1, 2]})),
        "column 'a' has text in block 0 and numbers in block 1. Convert it to one of them",
    ),
    "a frame and an array": (
        two_blocks(pd.DataFrame({"a": [1, 2]}), np.ones((2, 1))),
        "block 1 is ndarray without column names",
    ),
    "lengths": (
        ListEngine([RowBlock(np.eye(2), [0, 1]), RowBlock(np.eye(2), [0, 1, 1])]),
        "X and y must have the same number of samples .* 2 and 3 in block 1",
    ),
    "weights of another length": (
        ListEngine([RowBlock(np.eye(2), [0, 1], [1.0])]),
        r"sample_weight.shape == \(1,\) in block 0, expected \(2,\)",
    ),
    "weights of some": (
        ListEngine([RowBlock(np.eye(2), [0, 1], [1, 1]), RowBlock(np.eye(2), [0, 1])]),
        "sample_weight is given for some blocks only",
    ),
    "negative weight": (
        ListEngine([RowBlock(np.eye(2), [0, 1], [1, 1]), RowBlock(np.eye(2), [0, 1], [1, -2])]),
        r"sample_weight is negative \(-2 at sample 1 of block 1\)",
    ),
    "no weight": (
        ListEngine([RowBlock(np.eye(2), [0, 1], [0, 0])]),
        "sample_weight is zero for every sample",
    ),
    "weights that cannot be counted": (
        ListEngine([RowBlock(np.eye(2), [0, 1], [0.5, 2])]),
        "sample_weight must be integers with a sum below",
    ),
    "missing": (
        two_blocks(np.eye(2), np.array([[1.0, np.nan], [0, 1]])),
        "column 1 of X contains NaN in 1 of 4 samples. Fill the values in",
    ),
    "infinite": (
        two_blocks(np.eye(2), np.array([[np.inf, 1.0], [0, 1]])),
        r"column 0 of X contains infinity \(inf\) in 1 of 4 samples",
    ),
    "target missing": (
        ListEngine([RowBlock(np.eye(2), [0, 1]), RowBlock(np.eye(2), [0.5, np.nan])]),
        r"y contains NaN \(first at sample 1 of block 1\)",
    ),
    "target of two types": (
        ListEngine([RowBlock(np.eye(2), ["a", "b"]), RowBlock(np.eye(2), [0, 1])]),
        "y has text in one block and numbers in another",
    ),
    "no target": (ListEngine([RowBlock(np.eye(2))]), "MRMR requires y to be passed"),
    "one class": (ListEngine([RowBlock(np.eye(2), [1, 1])]), r"y has one class \(1\)"),
    "no rows": (ListEngine([RowBlock(np.empty((0, 2)), [])]), "no sample is left"),
    "constant": (ListEngine([RowBlock(np.ones((3, 2)), [0, 1, 1])]), "no column of X varies"),
    "large integers": (
        ListEngine([RowBlock(np.array([[2**60], [2**60 + 1]]), [0, 1])]),
        r"column 0 of block 0 has integers beyond 2\^53",
    ),
    "large integers as objects": (
        ListEngine([RowBlock(np.array([[0, 2**63], [1, 2**63 + 1]], dtype=object), [0, 1])]),
        r"column 1 of block 0 has integers beyond 2\^53",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_blocks_are_rejected_in_one_line(name):
    engine, complaint = BAD[name]
    with pytest.raises(ValueError, match=complaint):
        MRMR(1, relevance="mi").fit(engine)


@pytest.mark.parametrize(
    ("selector", "complaint"),
    [
        (
            CFS(),
            'discretize="mdl" needs all values of a column at once.*equal-frequency.*GivenBins',
        ),
        (MRMR(2, relevance="spearman"), '"spearman" needs all values of a column.* Use "pearson"'),
        (RRCT(2), "RRCT needs all rows at once, but X is in blocks"),
        (CMIFilter(2), "CMIFilter needs all rows at once"),
    ],
)
def test_measures_that_need_all_rows_at_once_are_rejected(selector, complaint):
    X = np.random.default_rng(3).normal(size=(30, 4))
    with pytest.raises(ValueError, match=complaint):
        selector.fit(in_blocks(X, (X[:, 0] > 0).astype(int), None, [10]), None)


def test_a_measure_of_numbers_rejects_categories_and_missing_values():
    frame = pd.DataFrame({"a": [1.5, 2, 3, 4], "b": list("xyxy")})
    with pytest.raises(ValueError, match="column 'b' contains categories"):
        MRMR(1, relevance="r2").fit(in_blocks(frame, np.array([0, 1, 0, 1])))
    X = np.array([[1.5, np.nan], [2, 1], [3, 0.5], [1, 2]])
    with pytest.raises(ValueError, match="column 1 has missing values, but X is in blocks"):
        MRMR(1, relevance="r2", missing="pairwise").fit(in_blocks(X, np.array([0, 1, 0, 1])))


def test_names_that_fit_does_not_know_are_rejected():
    X, y = np.eye(3), [0, 1, 1]
    with pytest.raises(
        TypeError, match="unexpected keyword argument 'checkpont'; did you mean 'checkpoint'"
    ):
        MRMR(1).fit(X, y, checkpont="x")
    with pytest.raises(ValueError, match="checkpoint is for rows in files or in other processes"):
        MRMR(1).fit(X, y, checkpoint="x")


def test_a_fit_that_fails_leaves_the_selector_and_lets_go_of_the_blocks():
    X = np.random.default_rng(4).normal(size=(30, 4))
    selector = MRMR(2, relevance="mi").fit(in_blocks(X, (X[:, 0] > 0).astype(int)))
    chosen = selector.selected_
    engine = in_blocks(X, (X[:, 0] > 0).astype(int))

    def fail(*_):
        raise ConnectionError("no worker left")

    engine.request = fail
    with pytest.raises(ConnectionError, match="no worker left"):
        selector.fit(engine)
    assert selector.selected_ is chosen
    assert engine._packed == []


def test_passes_are_shown(capsys):
    X = np.random.default_rng(5).normal(size=(30, 4))
    MRMR(2, relevance="mi", verbose=1).fit(in_blocks(X, (X[:, 0] > 0).astype(int), None, [5]))
    shown = capsys.readouterr().out
    assert "[MRMR] pass 1, summaries: 2 of 2 blocks" in shown
    assert "[MRMR] pass 2, packing: 2 of 2 blocks" in shown
