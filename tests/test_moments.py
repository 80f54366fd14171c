"""Continuous features: transposition, Pearson, cosine, F, Spearman."""

from __future__ import annotations

import gc
import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.feature_selection import f_classif

from tests.examples import examples
from tests.naive import measures_numeric as naive
from thresher import _core

pytestmark = pytest.mark.kernels


def features(p):
    return np.arange(p, dtype=np.uint32)


def matrix_of(table, kind="pearson"):
    """Return all pairs, (p, p) or (e, p, p)."""
    measure = _core.NumericPairMeasure(table, kind)
    p = table.n_features
    values = np.stack([measure.values(g, features(p)) for g in range(p)], axis=1)
    return np.moveaxis(values, 2, 0)


def assert_on_grid(values):
    scaled = np.asarray(values) * 2.0**40
    np.testing.assert_array_equal(scaled, np.round(scaled))


def assert_same(actual, expected):
    """Check that values are equal, and on the grid."""
    np.testing.assert_array_equal(actual, expected)
    assert_on_grid(actual)


X_SHEET = np.array([1, 2, 3, 4, 5, 7.0])
W_SHEET = np.array([2, 1, 4, 3, 7, 5.0])
CLASSES_SHEET = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
ROUND_ROBIN = np.array([0, 1, 2, 0, 1, 2], dtype=np.int32)


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan, 1.7e308])
def test_values_that_came_after_the_check_of_x_give_any_result(odd):
    matrix = np.array([X_SHEET, W_SHEET, X_SHEET[::-1]])
    matrix[0, 2] = matrix[1, 3] = odd
    table = _core.NumericTable(matrix)
    for kind in ("pearson", "cosine", "mici", "f"):
        assert not np.isnan(matrix_of(table, kind)).any()
        assert not np.isnan(table.relevance_of_numbers(kind, X_SHEET)).any()
    for kind in ("f", "r2", "fisher", "fir"):
        assert not np.isnan(table.relevance_of_classes(kind, CLASSES_SHEET, 2)).any()


def test_worked_example_of_the_correlation_and_its_leave_outs():
    matrix = np.array([X_SHEET, W_SHEET])
    assert matrix_of(_core.NumericTable(matrix))[0, 0, 1] == pytest.approx(0.742857, abs=5e-7)
    leave_outs = matrix_of(_core.NumericTable(matrix, ROUND_ROBIN))[:, 0, 1]
    assert leave_outs == pytest.approx([0.706547, 0.877876, 0.833052], abs=5e-7)


def test_worked_example_of_f_and_its_leave_outs():
    matrix = np.array([X_SHEET, W_SHEET])
    assert _core.NumericTable(matrix).relevance_of_classes("f", CLASSES_SHEET, 2)[0] == 10
    leave_outs = _core.NumericTable(matrix, ROUND_ROBIN).relevance_of_classes(
        "f", CLASSES_SHEET, 2
    )[:, 0]
    assert leave_outs == pytest.approx([9.8, 3.769231, 18], abs=5e-7)


@pytest.mark.parametrize("offset", [0.0, 1e6, 1e8, 1e9, 1e12])
def test_a_common_offset_does_not_move_the_correlation(offset):
    table = _core.NumericTable(np.array([X_SHEET, W_SHEET]) + offset)
    assert matrix_of(table)[0, 0, 1] == naive.pearson(X_SHEET, W_SHEET)


tables = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 3), st.integers(2, 24)),
    elements=st.one_of(
        st.integers(-3, 3).map(float), st.floats(-1e3, 1e3, allow_subnormal=False, width=32)
    ),
)


@examples(40)
@given(tables, st.data())
def test_pairs_and_relevances_match_the_reference_implementation(matrix, data):
    p, n = matrix.shape
    table = _core.NumericTable(matrix)
    classes = np.array(
        data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), dtype=np.int32
    )
    target = matrix[0] * 3.0 + classes
    for kind, reference in (("pearson", naive.pearson), ("cosine", naive.cosine)):
        assert_same(matrix_of(table, kind)[0], [[reference(a, b) for b in matrix] for a in matrix])
        relevance = table.relevance_of_numbers(kind, target)
        assert_same(relevance, [reference(a, target) for a in matrix])
    expected = [naive.f_statistic(a, classes) for a in matrix]
    assert table.relevance_of_classes("f", classes, 3).tolist() == expected
    ranks = _core.RankPairMeasure(matrix)
    for g in range(p):
        expected = [[naive.spearman(a, matrix[g])] for a in matrix]
        assert_same(ranks.values(g, features(p)), expected)


@examples(40)
@given(tables, st.data())
def test_leave_one_part_out_matches_the_reference_implementation_on_the_rows_kept(matrix, data):
    n = matrix.shape[1]
    parts = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int32)
    parts[0] = 3
    classes = np.arange(n, dtype=np.int32) % 2
    table = _core.NumericTable(matrix, parts)
    replicates = naive.left_out(parts)
    assert table.n_replicates == 4
    for kind, reference in (("pearson", naive.pearson), ("cosine", naive.cosine)):
        values = matrix_of(table, kind)
        for kept, value in zip(replicates, values, strict=True):
            expected = [[reference(a, b, kept=kept) for b in matrix] for a in matrix]
            assert_same(value, expected)
    relevance = table.relevance_of_classes("f", classes, 2)
    for i, kept in enumerate(replicates):
        expected = [naive.f_statistic(a, classes, kept=kept) for a in matrix]
        assert relevance[i].tolist() == expected
        constant = [len(set(a[kept].tolist())) < 2 for a in matrix]
        np.testing.assert_array_equal(table.constant_parts[i], constant)


def test_a_measure_keeps_its_table_and_its_array():
    matrix = np.random.default_rng(0).normal(size=(5, 100))
    expected = matrix_of(_core.NumericTable(matrix))[0]
    measure = _core.NumericPairMeasure(_core.NumericTable(matrix.copy()), "pearson")
    gc.collect()
    waste = [np.ones((5, 100)) for _ in range(50)]
    assert len(waste) == 50
    np.testing.assert_array_equal(measure.values(0, features(5))[:, 0], expected[0])


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
    digest = hashlib.sha256()
    rng = np.random.default_rng(7)
    for n in (1, 2, 15, 16, 17, 33, 200, 2047, 2049, 5003):
        for dtype in (np.float32, np.float64):
            matrix = _core.feature_major(rng.normal(size=(n, 9)).astype(dtype) * 10 + 3)
            some = np.arange(9, dtype=np.uint32)
            classes = rng.integers(0, 3, n).astype(np.int32)
            many = rng.integers(0, 11, n).astype(np.int32)
            parts = (np.arange(n) % 4).astype(np.int32) if n > 4 else None
            weights = rng.integers(0, 4, n).astype(float) + (np.arange(n) == 0)
            for keywords in ({}, {"parts": parts}, {"weights": weights}):
                table = _core.NumericTable(matrix, **keywords)
                digest.update(
                    table.mean.tobytes() + table.relevance_of_classes("f", classes, 3).tobytes()
                )
                digest.update(table.relevance_of_classes("f", many, 11).tobytes())
                digest.update(
                    table.relevance_of_numbers("pearson", matrix[0].astype(float) ** 2).tobytes()
                )
                for kind in ("pearson", "cosine"):
                    measure = _core.NumericPairMeasure(table, kind)
                    digest.update(measure.values(4, some).tobytes())
                    if parts is None or "parts" not in keywords:
                        search = _core.greedy_forward(measure, np.ones(9), 9, objective="quotient")
                        digest.update(search.result().scores.tobytes())
            gaps = np.where(rng.random(matrix.shape) < 0.2, np.nan, matrix).astype(dtype)
            table = _core.NumericTable(gaps, missing="pairwise")
            digest.update(table.relevance_of_numbers("pearson", matrix[1].astype(float)).tobytes())
            digest.update(_core.NumericPairMeasure(table, "pearson").values(4, some).tobytes())
            digest.update(_core.doubled_ranks(matrix).tobytes())
            digest.update(_core.RankPairMeasure(matrix).values(2, some).tobytes())
            for result in (
                _core.cuts_equal_frequency(matrix, 5),
                _core.cuts_equal_width(matrix, 5),
                _core.cuts_mean_sd(matrix, 0.5),
                _core.cuts_mdl(matrix, classes, 3),
            ):
                digest.update(result[0].tobytes() + result[1].tobytes())
                digest.update(_core.apply_cuts(matrix, *result).tobytes())
    return digest.hexdigest()


def random_matrix(seed, p, n, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=(p, n)).astype(dtype)


@pytest.mark.parametrize("missing", ["error", "pairwise"])
def test_threads_do_not_matter(missing):
    matrix = random_matrix(1, 150, 500, np.float32)
    classes = np.arange(500, dtype=np.int32) % 3
    target = matrix[0].astype(float) + classes
    results = []
    for n_threads in (1, 7):
        table = _core.NumericTable(matrix, n_threads=n_threads, missing=missing)
        results.append(
            [
                table.relevance_of_classes("f", classes, 3, n_threads),
                table.relevance_of_numbers("pearson", target, n_threads),
                table.relevance_of_numbers("cosine", target, n_threads),
                _core.NumericPairMeasure(table, "pearson", n_threads).values(3, features(150)),
                _core.NumericPairMeasure(table, "cosine", n_threads).values(3, features(150)),
                _core.RankPairMeasure(matrix, n_threads).values(3, features(150)),
                _core.feature_major(matrix, n_threads),
            ]
        )
    for one, seven in zip(*results, strict=True):
        np.testing.assert_array_equal(one, seven)


@pytest.mark.parametrize("n", [333, 4200])
@pytest.mark.parametrize("offset", [0, 100])
def test_single_precision_gives_the_bits_of_the_same_values_in_double(n, offset):
    single = random_matrix(2, 20, n, np.float32) + np.float32(offset)
    double = single.astype(np.float64)
    classes = np.arange(n, dtype=np.int32) % 4
    searches = [
        _core.greedy_forward(
            _core.NumericPairMeasure(_core.NumericTable(matrix), "pearson"), np.ones(20), 20
        ).result()
        for matrix in (single, double)
    ]
    np.testing.assert_array_equal(searches[0].scores, searches[1].scores)
    for parts in (None, (np.arange(n) % 5).astype(np.int32)):
        a, b = _core.NumericTable(single, parts), _core.NumericTable(double, parts)
        np.testing.assert_array_equal(matrix_of(a), matrix_of(b))
        np.testing.assert_array_equal(matrix_of(a, "cosine"), matrix_of(b, "cosine"))
        np.testing.assert_array_equal(
            a.relevance_of_classes("f", classes, 4), b.relevance_of_classes("f", classes, 4)
        )
    np.testing.assert_array_equal(_core.doubled_ranks(single), _core.doubled_ranks(double))


@pytest.mark.parametrize("n", [2, 15, 16, 17, 31, 2047, 2048, 2049, 4100])
def test_every_length_agrees_with_numpy(n):
    matrix = random_matrix(n, 70, n)
    table = _core.NumericTable(matrix)
    measure = _core.NumericPairMeasure(table, "pearson")
    expected = np.abs(np.corrcoef(matrix)[5])
    np.testing.assert_allclose(measure.values(5, features(70))[:, 0], expected, atol=2e-12)
    # A subset in another order reads the same values.
    some = np.array([69, 3, 3, 11, 0], dtype=np.uint32)
    np.testing.assert_array_equal(
        measure.values(5, some), measure.values(5, features(70))[some.astype(int)]
    )


@pytest.mark.parametrize("n_classes", [2, 5, 8, 9, 20])
def test_f_agrees_with_scikit_learn(n_classes):
    rng = np.random.default_rng(n_classes)
    classes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, 301)])
    matrix = rng.normal(size=(12, len(classes))) + classes * 0.1
    table = _core.NumericTable(matrix)
    expected = f_classif(matrix.T, classes)[0]
    actual = table.relevance_of_classes("f", classes.astype(np.int32), n_classes)
    np.testing.assert_allclose(actual, expected, rtol=1e-10)


def test_f_is_capped_where_classes_do_not_vary_inside():
    classes = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2], dtype=np.int32)
    matrix = np.array([classes * 0.1, classes * 7.3 + 1e6, np.full(9, 0.1)])
    cap = float(naive.to_significant((9 - 3) / (3 - 1) * 10**12))
    assert _core.NumericTable(matrix).relevance_of_classes("f", classes, 3).tolist() == [
        cap,
        cap,
        0,
    ]


def test_equal_class_means_have_no_f():
    x = np.array([0.1, 0.2, 0.3, 0.1, 0.2, 0.3])
    assert _core.NumericTable(x[None]).relevance_of_classes("f", CLASSES_SHEET, 2)[0] == 0


def test_f_needs_two_classes_and_more_rows_than_classes():
    table = _core.NumericTable(random_matrix(0, 2, 3))
    assert table.relevance_of_classes("f", np.zeros(3, np.int32), 1).tolist() == [0, 0]
    assert table.relevance_of_classes("f", np.arange(3, dtype=np.int32), 3).tolist() == [0, 0]


def test_constant_columns_are_detected_by_their_range():
    matrix = np.array(
        [[0.1] * 7, [0.1] * 6 + [0.2], [0.3, -0.0, 0, 0, 0, 0, 0], [-0.0, 0] * 3 + [0]]
    )
    parts = np.array([0, 0, 1, 1, 1, 2, 2], dtype=np.int32)
    table = _core.NumericTable(matrix, parts)
    assert table.constant.tolist() == [True, False, False, True]
    assert table.constant_parts.tolist() == [
        [True, False, True, True],
        [True, False, False, True],
        [True, True, False, True],
    ]
    values = matrix_of(table)
    assert not values[:, 0].any()
    assert not values[2, 1].any()
    assert table.mean[0] == 0.1
    assert matrix_of(table, "cosine")[0, 0, 0] == 1


def test_one_row_has_no_correlation():
    table = _core.NumericTable(np.array([[1.0], [2.0], [0.0]]))
    assert table.constant.all()
    assert not matrix_of(table).any()
    assert not table.relevance_of_classes("f", np.zeros(1, np.int32), 1).any()
    assert matrix_of(table, "cosine")[0].tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]
    assert not _core.RankPairMeasure(np.array([[1.0], [2.0]])).values(0, features(2)).any()


@pytest.mark.parametrize("outlier", [1e3, 1e8, 1e12, 1e200])
def test_an_outlier_leaves_no_trace_in_the_replicate_without_it(outlier):
    rng = np.random.default_rng(4)
    matrix = rng.normal(size=(3, 40))
    parts = (np.arange(40) % 4).astype(np.int32)
    classes = np.arange(40, dtype=np.int32) // 4 % 2
    spoiled = matrix.copy()
    spoiled[0, 8] = outlier  # in part 0
    kept = parts != 0
    clean = _core.NumericTable(np.ascontiguousarray(matrix[:, kept]))
    table = _core.NumericTable(spoiled, parts)
    assert_same(matrix_of(table)[0], matrix_of(clean)[0])
    assert_same(matrix_of(table, "cosine")[0], matrix_of(clean, "cosine")[0])
    expected = clean.relevance_of_classes("f", classes[kept], 2)
    np.testing.assert_array_equal(table.relevance_of_classes("f", classes, 2)[0], expected)


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_extreme_magnitudes_have_the_correlation_of_ordinary_ones(scale):
    matrix = random_matrix(5, 4, 30)
    classes = np.arange(30, dtype=np.int32) % 2
    plain = _core.NumericTable(matrix)
    scaled = _core.NumericTable(matrix * scale)
    for kind in ("pearson", "cosine"):
        np.testing.assert_allclose(matrix_of(scaled, kind), matrix_of(plain, kind), atol=2e-12)
        mixed = np.concatenate([matrix[:2] * scale, matrix[2:]])
        mixed = matrix_of(_core.NumericTable(mixed), kind)
        np.testing.assert_allclose(mixed, matrix_of(plain, kind), atol=2e-12)
    f = plain.relevance_of_classes("f", classes, 2)
    np.testing.assert_allclose(scaled.relevance_of_classes("f", classes, 2), f, rtol=1e-9)
    r = plain.relevance_of_numbers("pearson", matrix[1])
    np.testing.assert_allclose(
        scaled.relevance_of_numbers("pearson", matrix[1] * scale), r, atol=2e-12
    )


@examples(30)
@given(tables, st.data())
def test_pairwise_complete_rows_match_the_reference_implementation(matrix, data):
    n = matrix.shape[1]
    holes = data.draw(hnp.arrays(bool, matrix.shape))
    matrix = np.where(holes, np.nan, matrix)
    classes = np.arange(n, dtype=np.int32) % 2
    target = np.arange(n) % 5 * 1.5
    parts = (np.arange(n) % 2).astype(np.int32)
    table = _core.NumericTable(matrix, missing="pairwise")
    for kind, reference in (("pearson", naive.pearson), ("cosine", naive.cosine)):
        expected = [[reference(a, b) for b in matrix] for a in matrix]
        assert_same(matrix_of(table, kind)[0], expected)
        relevance = table.relevance_of_numbers(kind, target)
        assert_same(relevance, [reference(a, target) for a in matrix])
    expected = [naive.f_statistic(a, classes) for a in matrix]
    assert table.relevance_of_classes("f", classes, 2).tolist() == expected
    replicates = matrix_of(_core.NumericTable(matrix, parts, missing="pairwise"))
    for value, kept in zip(replicates, naive.left_out(parts), strict=True):
        expected = [[naive.pearson(a, b, kept=kept) for b in matrix] for a in matrix]
        assert_same(value, expected)
    constant = [len({v for v in a.tolist() if v == v}) < 2 for a in matrix]
    assert table.constant.tolist() == constant


def test_without_gaps_pairwise_is_the_plain_measure():
    matrix = random_matrix(8, 6, 50)
    plain = matrix_of(_core.NumericTable(matrix))
    assert_same(matrix_of(_core.NumericTable(matrix, missing="pairwise")), plain)


@examples(30)
@given(tables, st.data())
def test_weights_act_as_repeats(matrix, data):
    n = matrix.shape[1]
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    times[0] += 1
    weights = times.astype(float)
    classes = np.arange(n, dtype=np.int32) % 2
    target = np.arange(n) % 5 * 1.5
    weighted = _core.NumericTable(matrix, weights=weights)
    repeated = _core.NumericTable(np.repeat(matrix, times, axis=1))
    assert_same(matrix_of(weighted), matrix_of(repeated))
    assert_same(matrix_of(weighted, "cosine"), matrix_of(repeated, "cosine"))
    assert weighted.constant.tolist() == repeated.constant.tolist()
    assert_same(
        weighted.relevance_of_numbers("pearson", target),
        repeated.relevance_of_numbers("pearson", np.repeat(target, times)),
    )
    np.testing.assert_array_equal(
        weighted.relevance_of_classes("f", classes, 2),
        repeated.relevance_of_classes("f", np.repeat(classes, times), 2),
    )


def test_weights_may_be_any_positive_numbers():
    rng = np.random.default_rng(9)
    matrix = rng.normal(size=(3, 25))
    weights = rng.random(25)
    classes = rng.integers(0, 2, 25).astype(np.int32)
    table = _core.NumericTable(matrix, weights=weights)
    expected = [[naive.pearson(a, b, weights) for b in matrix] for a in matrix]
    assert_same(matrix_of(table)[0], expected)
    expected = [naive.f_statistic(a, classes, weights) for a in matrix]
    assert table.relevance_of_classes("f", classes, 2).tolist() == expected


def test_parts_in_order_are_read_in_place_and_give_the_same():
    matrix = random_matrix(6, 5, 60)
    parts = (np.arange(60) % 3).astype(np.int32)
    order = np.argsort(parts, kind="stable").astype(np.uint32)
    arranged = _core.feature_major(np.ascontiguousarray(matrix.T), 1, order)
    a = _core.NumericTable(matrix, parts)
    b = _core.NumericTable(arranged, parts[order.astype(int)])
    np.testing.assert_array_equal(matrix_of(a), matrix_of(b))


def test_wrong_input_is_reported():
    matrix = random_matrix(0, 2, 5)
    with pytest.raises(ValueError, match="one entry per row"):
        _core.NumericTable(matrix, parts=np.zeros(4, np.int32))
    with pytest.raises(ValueError, match="weight"):
        _core.NumericTable(matrix, weights=np.zeros(5))
    with pytest.raises(ValueError, match="'error' or 'pairwise'"):
        _core.NumericTable(matrix, missing="category")
    with pytest.raises(ValueError, match="must be one of 'pearson', 'cosine', 'r2'"):
        _core.NumericPairMeasure(_core.NumericTable(matrix), "spearman")
    with pytest.raises(TypeError):
        _core.NumericTable(matrix.astype(int))
    with pytest.raises(ValueError, match="one class per row"):
        _core.NumericTable(matrix).relevance_of_classes("f", np.zeros(4, np.int32), 2)
    with pytest.raises(ValueError, match="class codes"):
        _core.NumericTable(matrix).relevance_of_classes("f", np.full(5, 2, np.int32), 2)
    with pytest.raises(TypeError):
        _core.feature_major(matrix.astype(complex))
