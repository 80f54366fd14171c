"""The association of two columns of any kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris

from tests.examples import examples
from tests.naive import association as naive
from tests.naive.mrmr import mrmr as naive_mrmr
from thresher import CFS, MRMR, RFS, RRFS, Ensemble, ErrorControlled, Univariate
from thresher._utils.random import Purpose, stream
from thresher.data import InputRules, read_training
from thresher.measures import LocalMeasures, PartSets, association
from thresher.search.ensemble import draw_seed

RULES = InputRules()

X = np.arange(1.0, 13.0)
Z = np.array([2, 1, 4, 3, 6, 5, 8, 9, 7, 12, 10, 11.0])
C = np.array(list("aaaabbbbcccc"))
D = np.array(list("uuuvuvvvvwww"))
Y = np.array(list("000101111101"))
WEIGHTS = np.array([1, 2, 1, 1, 3, 1, 1, 1, 2, 1, 1, 1.0])

# Columns, whether each is a category, the trace, the association.
WORKED = {
    "two numbers": (X, Z, False, False, 0.8780869480170178, 0.8658956428187196),
    "number and category": (X, C, False, True, 0.8951048951048951, 0.8717948717948718),
    "nothing": (X % 3, C, False, True, 0.0625, 0.0),
    "two categories": (C, D, True, True, 0.925, 0.3430555555555556),
    "number and classes": (X, Y, False, True, 0.2643356643, 0.1907692307692308),
    "category and classes": (C, Y, True, True, 0.2285714286, 0.0571428571428571),
    "another and classes": (D, Y, True, True, 0.7714285714, 0.7206349206349206),
}


@pytest.mark.parametrize("pair", WORKED)
def test_the_definition_gives_the_worked_numbers(pair):
    a, b, a_is_category, b_is_category, trace, value = WORKED[pair]
    assert naive.parts(a, b, a_is_category, b_is_category)[0] == pytest.approx(trace, abs=1e-10)
    assert naive.association(a, b, a_is_category, b_is_category) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("pair", WORKED)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_sums_in_fractions_agree_with_the_projections(pair, weights):
    a, b, *kinds, _, _ = WORKED[pair]
    expected = naive.association(a, b, *kinds, weights)
    assert naive.exact(a, b, *kinds, weights) == pytest.approx(expected, abs=1e-12)
    assert naive.exact(b, a, *kinds[::-1], weights) == naive.exact(a, b, *kinds, weights)


def test_weights_of_the_worked_numbers_count_as_repeats():
    repeats = WEIGHTS.astype(int)
    for a, b, a_is_category, expected in [
        (X, C, False, 0.8661722474698196),
        (C, D, True, 0.2431318681318682),
    ]:
        weighted = naive.association(a, b, a_is_category, True, WEIGHTS)
        repeated = naive.association(
            np.repeat(a, repeats), np.repeat(b, repeats), a_is_category, True
        )
        assert weighted == pytest.approx(expected, abs=1e-12)
        assert repeated == pytest.approx(expected, abs=1e-12)


def as_series(values, is_category):
    return pd.Series(values, dtype="category") if is_category else pd.Series(values)


@pytest.mark.parametrize("pair", WORKED)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["plain", "weighted"])
def test_the_function_gives_the_worked_numbers(pair, weights):
    a, b, *kinds, _, value = WORKED[pair]
    a_is_category, b_is_category = kinds
    columns = as_series(a, a_is_category), as_series(b, b_is_category)
    result = association(*columns, sample_weight=weights)
    assert result == naive.exact(a, b, *kinds, weights)
    assert association(*columns[::-1], sample_weight=weights) == result
    if weights is None:
        assert result == pytest.approx(value, abs=1e-12)


FRAME = pd.DataFrame({"x": X, "z": Z, "c": C, "d": D})


@pytest.mark.parametrize(
    ("weight", "selected", "scores"),
    [
        (1, [3, 0, 1, 2], [0.720634921, 0.089147845, 0.029534876, 0.008256292]),
        (2, [3, 1, 2, 0], [0.720634921, 0.047128017, 0.009304708, 0.000716245]),
    ],
)
@pytest.mark.parametrize("strategy", ["lazy", "scan", "naive"])
def test_mrmr_gives_the_worked_example(weight, selected, scores, strategy):
    selector = mrmr(4, redundancy_weight=weight, strategy=strategy).fit(FRAME, Y)
    assert selector.selected_.tolist() == selected
    np.testing.assert_allclose(selector.scores_[selected], scores, atol=5e-10)


def mrmr(n_features, **options):
    return MRMR(n_features, relevance="association", objective="product", **options)


@pytest.mark.parametrize(
    ("load", "k", "selected", "scores"),
    [
        (load_iris, 4, [2, 1, 0, 3], [0.940574055, 0.355965498, 0.300521857, 0.135479111]),
        (
            load_breast_cancer,
            8,
            [27, 20, 10, 21, 25, 24, 28, 17],
            [0.629094, 0.371518, 0.190145, 0.177525, 0.164311, 0.114711, 0.096211, 0.091161],
        ),
    ],
)
def test_mrmr_gives_the_published_scores(load, k, selected, scores):
    selector = mrmr(k).fit(*load(return_X_y=True))
    assert selector.selected_.tolist() == selected
    np.testing.assert_allclose(selector.scores_[selected], scores, atol=5e-7)


def mixed_table(rng, n, p):
    """Columns of numbers and of categories, related to each other, with ties and constants."""
    columns, kinds = {}, []
    hidden = rng.normal(size=n)
    for f in range(p):
        values = hidden * rng.integers(0, 3) + rng.normal(size=n)
        kind = rng.integers(0, 4)
        if kind == 0:
            values = np.round(values, 1) * 10.0 ** rng.integers(-3, 4)
        elif kind == 1:
            values = rng.integers(0, 3, n).astype(float)
        else:
            n_levels = rng.integers(1, min(n, 9) + 1)
            cuts = np.quantile(values, np.linspace(0, 1, n_levels + 1)[1:-1])
            values = np.searchsorted(cuts, values).astype(str).astype(object)
        columns[f"f{f}"] = values
        kinds.append(kind > 1)
    return pd.DataFrame(columns), kinds


def draw_weights(rng, kind, n):
    if kind == "none":
        return None
    weights = rng.integers(0, 4, n)
    weights[:3] = 1
    return weights if kind == "whole" else weights * 0.3


@examples(60)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["none", "whole", "real"]),
    st.sampled_from(["classes", "numbers"]),
)
def test_mrmr_on_mixed_tables_agrees_with_the_definition(seed, weight_kind, target):
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(8, 40)), int(rng.integers(2, 7))
    frame, kinds = mixed_table(rng, n, p)
    y = rng.choice(["a", "b", "c"], n) if target == "classes" else rng.normal(size=n).round(2)
    y[:3] = ["a", "b", "c"] if target == "classes" else [0.25, 0.5, 1.5]
    weights = draw_weights(rng, weight_kind, n)
    used = np.ones(n, bool) if weights is None else weights > 0
    varies = [len(set(frame[name][used])) > 1 for name in frame]
    if not any(varies):
        return
    is_nominal = target == "classes"
    columns = [frame[name].to_numpy() for name in frame]
    relevance = [naive.exact(columns[f], y, kinds[f], is_nominal, weights) for f in range(p)]
    pairs = [
        [naive.exact(columns[f], columns[g], kinds[f], kinds[g], weights) for g in range(p)]
        for f in range(p)
    ]
    k = sum(varies)
    selected, scores, _ = naive_mrmr(relevance, pairs, k, "product", candidates=varies)
    selector = mrmr(k, n_jobs=int(rng.integers(1, 3))).fit(frame, y, sample_weight=weights)
    assert selector.selected_.tolist() == selected
    np.testing.assert_array_equal(selector.relevance_, relevance)
    np.testing.assert_allclose(selector.scores_[selected], scores, rtol=1e-14)
    dense = naive.association(columns[0], columns[1], kinds[0], kinds[1], weights)
    assert pairs[0][1] == pytest.approx(dense, abs=1e-9)


@examples(20)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["classes", "numbers"]))
def test_a_whole_weight_counts_as_repeated_rows(seed, target):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    frame, _ = mixed_table(rng, n, 5)
    frame["n"], frame["c"] = rng.normal(size=n), rng.choice(["u", "v"], n)
    y = np.resize(["a", "b"], n) if target == "classes" else rng.normal(size=n)
    weights = draw_weights(rng, "whole", n)
    rows = np.repeat(np.arange(n), weights)
    weighted = mrmr(7).fit(frame, y, sample_weight=weights)
    repeated = mrmr(7).fit(frame.iloc[rows], y[rows])
    assert weighted.selected_.tolist() == repeated.selected_.tolist()
    np.testing.assert_array_equal(weighted.relevance_, repeated.relevance_)
    np.testing.assert_array_equal(weighted.scores_, repeated.scores_)


@pytest.mark.kernels
@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_replicates_have_the_values_of_their_rows(target):
    rng = np.random.default_rng(5)
    frame, kinds = mixed_table(rng, 90, 12)
    y = np.resize(["a", "b", "c"], 90) if target == "classes" else rng.normal(size=90)
    parts = PartSets(
        rng.integers(0, 4, 90).astype(np.int32), ~np.eye(4, dtype=bool)
    )  # each leaves out one
    training = read_training(MRMR(), frame, y, None, RULES)
    measures = LocalMeasures(training, parts=parts)
    relevance, pairs = measures.relevance("association"), measures.pairs("association")
    varies = measures.candidates("association")
    features = np.arange(12, dtype=np.uint32)
    for i in range(4):
        rows = parts.rows(i)
        columns = [frame[name].to_numpy()[rows] for name in frame]
        expected = [
            naive.exact(columns[f], y[rows], kinds[f], target == "classes") for f in range(12)
        ]
        np.testing.assert_array_equal(relevance[i], expected)
        assert varies[i].tolist() == [len(set(column)) > 1 for column in columns]
        for f in range(12):
            expected = [naive.exact(columns[g], columns[f], kinds[g], kinds[f]) for g in range(12)]
            np.testing.assert_array_equal(pairs.values(f, features)[:, i], expected)


@pytest.mark.parametrize("kind", ["fast", "inner", "full", "bagging", "halves"])
def test_ensembles_take_mixed_tables(kind):
    frame, y = related()
    ensemble = Ensemble(mrmr(3), kind=kind, n_parts=4).fit(frame, y)
    assert {0, 1} <= set(ensemble.selected_.tolist())


def related():
    """Two features that matter, a number and a category, and some that do not."""
    rng = np.random.default_rng(3)
    y = np.resize([0, 1], 200)
    frame = pd.DataFrame({"good": y + rng.normal(size=200)})
    frame["text"] = np.where(rng.random(200) < 0.8, y, 1 - y).astype(str)
    for f in range(4):
        frame[f"noise{f}"] = rng.normal(size=200)
        frame[f"names{f}"] = rng.choice(list("abcdefgh"), 200)
    return frame, y


def test_pairs_of_present_values_are_measured_on_their_rows():
    rng = np.random.default_rng(8)
    frame, kinds = mixed_table(rng, 60, 8)
    y = np.resize(["a", "b", "c"], 60)
    for name in frame:
        frame.loc[rng.random(60) < 0.2, name] = None if frame[name].dtype == object else np.nan
    training = read_training(MRMR(), frame, y, None, replace(RULES, missing="pairwise"))
    measures = LocalMeasures(training)
    pairs, features = measures.pairs("association"), np.arange(8, dtype=np.uint32)
    present = [frame[name].notna().to_numpy() for name in frame]
    columns = [frame[name].to_numpy() for name in frame]
    expected = [
        naive.exact(columns[f][present[f]], y[present[f]], kinds[f], True) for f in range(8)
    ]
    np.testing.assert_array_equal(measures.relevance("association"), expected)
    for f in range(8):
        for g in range(8):
            both = present[f] & present[g]
            value = naive.exact(columns[f][both], columns[g][both], kinds[f], kinds[g])
            assert pairs.values(f, features)[g, 0] == value


def test_a_missing_category_is_one_more_level():
    frame, y = related()
    frame.loc[::7, "text"] = None
    named = frame.assign(text=frame["text"].fillna("missing"))
    selected = [
        mrmr(4, missing=missing).fit(table, y).scores_
        for table, missing in ((frame, "category"), (named, "error"))
    ]
    np.testing.assert_array_equal(*selected)


def test_missing_numbers_are_refused_as_a_category():
    frame, y = related()
    frame.loc[3, "good"] = np.nan
    for method in (
        mrmr(2, missing="category"),
        Univariate(2, measure="association", missing="category"),
    ):
        with pytest.raises(ValueError, match="column 'good' contains numbers and NaN"):
            method.fit(frame, y)


def test_an_identifier_is_never_relevant():
    frame, y = related()
    frame["id"] = [f"row {i}" for i in range(200)]
    selector = mrmr(3).fit(frame, y)
    assert selector.relevance_[-1] == 0
    assert association(frame["id"], frame["text"]) == 0


def test_a_boolean_and_a_number_of_two_values_are_the_same():
    frame, y = related()
    numbers = frame.assign(text=(frame["text"] == "1") * 3.5 - 1)
    truths = frame.assign(text=frame["text"] == "1")
    scores = [mrmr(10).fit(table, y).scores_ for table in (frame, numbers, truths)]
    np.testing.assert_array_equal(scores[0], scores[1])
    np.testing.assert_array_equal(scores[0], scores[2])


def test_pvalues_are_those_of_the_tests_of_each_pair():
    frame, y = related()
    for target in (y, y + np.random.default_rng(1).normal(size=200)):
        pvalues = Univariate(2, measure="association").fit(frame, target).pvalues_
        for f, name in enumerate(frame):
            column = frame[name].to_numpy()
            is_category = column.dtype == object
            t, d_a, d_b, n = naive.parts(column, target, is_category, target is y)
            if is_category and target is y:
                expected = stats.chi2.sf((n - 1) * t, d_a * d_b)
            else:
                d = max(d_a, d_b)
                expected = stats.f.sf(t / (1 - t) * (n - 1 - d) / d, d, n - 1 - d)
            assert pvalues[f] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("target", ["classes", "numbers"])
def test_permuted_pvalues_are_shares_of_permuted_tests(target):
    frame, y = related()
    y = y if target == "classes" else y + np.random.default_rng(1).normal(size=200)
    method = Univariate(2, measure="association", n_permutations=20, pvalues="permutation")
    pvalues = method.set_params(random_state=0).fit(frame, y).pvalues_
    observed = Univariate(2).fit(frame, y).scores_
    rounds = [
        Univariate(2).fit(
            frame, y[stream(draw_seed(0), Purpose.PERMUTED_TARGET, m).permutation(200)]
        )
        for m in range(20)
    ]
    permuted = np.concatenate([selector.scores_ for selector in rounds])
    expected = [(1 + (permuted >= score).sum()) / (1 + len(permuted)) for score in observed]
    np.testing.assert_allclose(pvalues, expected, rtol=1e-12)


@pytest.mark.parametrize("columns", ["numbers", "categories"])
def test_blocks_take_columns_of_one_kind(columns):
    frame, y = related()
    is_number = [name == "good" or name.startswith("noise") for name in frame]
    frame = frame.loc[:, is_number if columns == "numbers" else ~np.array(is_number)]
    blocks = mrmr(3).partial_fit(frame[:80], y[:80]).partial_fit(frame[80:], y[80:])
    whole = mrmr(3).fit(frame, y)
    assert blocks.selected_.tolist() == whole.selected_.tolist()
    np.testing.assert_array_equal(blocks.scores_, whole.scores_)
    assert blocks.reason(int(np.argmin(whole.relevance_))) == whole.reason(
        int(np.argmin(whole.relevance_))
    )
    tests = Univariate(2, measure="association")
    added = tests.partial_fit(frame[:80], y[:80]).partial_fit(frame[80:], y[80:]).pvalues_
    np.testing.assert_allclose(added, tests.fit(frame, y).pvalues_, rtol=1e-12)


def test_blocks_refuse_columns_of_both_kinds():
    frame, y = related()
    with pytest.raises(ValueError, match="'text' contains categories and others contain numbers"):
        _ = mrmr(3).partial_fit(frame, y).selected_
    with pytest.raises(ValueError, match="the target contains numbers, but X is in blocks"):
        _ = mrmr(1).partial_fit(frame[["text", "names0"]], y + 0.5 * np.arange(200)).selected_


@pytest.mark.parametrize(
    "method",
    [
        CFS(3, measure="association"),
        RFS(3, relevance="association"),
        RRFS(3, relevance="association", similarity="association"),
        MRMR(3, relevance="association", redundancy="association"),
        ErrorControlled(mrmr(3), pvalues="analytic"),
        ErrorControlled(mrmr(3), random_state=0),
    ],
    ids=lambda method: type(method).__name__,
)
def test_other_selectors_take_mixed_tables(method):
    frame, y = related()
    assert {0, 1} <= set(method.fit(frame, y).selected_.tolist())
