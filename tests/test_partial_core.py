"""The compiled RRCT and GSO loops against explicit regressions."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from scipy.stats import rankdata

from tests.examples import some
from thresher import _core

from .core_results import assert_equal_results, attributes
from .naive.gso import gso as naive_gso
from .naive.rrct import HALF_LOG
from .naive.rrct import rrct as naive_rrct

pytestmark = pytest.mark.kernels

OPTIONS = {
    "paper": {},
    "magnitude": {"sign_rule": "magnitude"},
    "2022": {"redundancy": "spearman", "normalize": False},
    "no complementarity": {"complementarity": False},
    "plain coefficients": {"use_information": False},
}


def as_target(y, nominal, ranked):
    """Return target columns as the core takes them."""
    if nominal:
        return np.ascontiguousarray((y == np.unique(y)[:, None]).astype(float)[:-1])
    return (2 * rankdata(y) - len(y) - 1 if ranked else np.asarray(y, dtype=float))[None, :]


def varying(X):
    return (np.ptp(X, axis=0) > 0).astype(np.uint8)


def core_rrct(X, y, n_features, *, nominal=False, keep=(), n_threads=1, dtype=float, **options):
    """Call the compiled loop with the parameters of the reference implementation."""
    columns = np.ascontiguousarray(X.T, dtype=dtype)
    ranks = _core.doubled_ranks(columns, n_threads)
    normalize = options.get("normalize", True) and options.get("use_information", True)
    return _core.rrct(
        ranks,
        ranks if options.get("redundancy") == "spearman" else columns,
        as_target(y, nominal, True),
        n_features,
        candidates=varying(X),
        kept=np.array(keep, dtype=np.uint32),
        information=options.get("use_information", True),
        complementarity=options.get("complementarity", True),
        magnitude_rule=nominal or options.get("sign_rule") == "magnitude",
        redundancy_scale=HALF_LOG if normalize else 1.0,
        n_threads=n_threads,
    ).result()


def core_gso(X, y, n_features, *, nominal=False, keep=(), n_threads=1, dtype=float):
    """Call the compiled loop with the parameters of the reference implementation."""
    return _core.gso(
        np.ascontiguousarray(X.T, dtype=dtype),
        as_target(y, nominal, False),
        n_features,
        candidates=varying(X),
        kept=np.array(keep, dtype=np.uint32),
        n_threads=n_threads,
    ).result()


def random_problem(seed):
    """Return small integers: many ties, duplicates, collinear and constant columns."""
    rng = np.random.default_rng(seed)
    n, p = int(rng.integers(4, 30)), int(rng.integers(2, 12))
    X = rng.integers(0, rng.integers(2, 8), size=(n, p)).astype(float)
    if p > 3 and rng.random() < 0.5:
        X[:, -1] = X[:, 0]
    if p > 4 and rng.random() < 0.3:
        X[:, -2] = X[:, 1] + X[:, 2]
    y = rng.integers(0, rng.integers(2, 6), size=n).astype(float)
    y[:2] = 0, 1
    return X, y


def assert_same_steps(fast, slow, parts=("scores", "relevance", "redundancy", "complementarity")):
    """Check for the same features, and numbers to 1e-8, the accuracy left where the target is nearly used up."""
    assert list(fast.selected) == slow.selected
    found = attributes(fast) | {"complementarity": fast.partials.complementarity}
    for part in parts:
        np.testing.assert_allclose(
            found[part], getattr(slow, part), rtol=1e-8, atol=1e-8, err_msg=part
        )


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_rrct_agrees_with_explicit_regressions_on_random_problems(options):
    for seed in some(range(100)):
        X, y = random_problem(seed)
        if np.ptp(X, axis=0).any():
            m = X.shape[1]
            assert_same_steps(core_rrct(X, y, m, **options), naive_rrct(X, y, m, **options))


def test_rrct_with_classes_agrees_with_explicit_regressions_on_random_problems():
    for seed in range(100):
        X, y = random_problem(1000 + seed)
        if np.ptp(X, axis=0).any():
            m = X.shape[1]
            fast = core_rrct(X, y, m, nominal=True)
            assert_same_steps(fast, naive_rrct(X, y, m, nominal=True))


@pytest.mark.parametrize("nominal", [False, True])
def test_gso_agrees_with_explicit_regressions_on_random_problems(nominal):
    for seed in range(120):
        X, y = random_problem(2000 + seed)
        if np.ptp(X, axis=0).any():
            m = X.shape[1]
            fast = core_gso(X, y, m, nominal=nominal)
            assert_same_steps(fast, naive_gso(X, y, m, nominal=nominal), ["scores"])


def test_forced_in_features_come_first_and_later_ones_are_compared_with_them():
    for seed in range(60):
        X, y = random_problem(3000 + seed)
        keep = [j for j in (1, 0) if np.ptp(X[:, j]) > 0]
        if keep:
            m = X.shape[1]
            assert_same_steps(core_rrct(X, y, m, keep=keep), naive_rrct(X, y, m, keep=keep))
            slow = naive_gso(X, y, m, keep=keep)
            assert_same_steps(core_gso(X, y, m, keep=keep), slow, ["scores"])


def test_long_walks_on_noise_agree_until_and_past_the_last_degree_of_freedom():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(25, 40)), rng.normal(size=25)
    fast = core_rrct(X, y, 28)
    assert_same_steps(fast, naive_rrct(X, y, 28))
    assert fast.partials.exhausted_at == 23
    assert len(core_gso(X, y, 28).selected) == 23


def test_nearly_collinear_columns_keep_their_digits():
    # Each column is the sum of the earlier ones plus a small separate term, so that running
    # residuals lose their digits.
    rng = np.random.default_rng(8)
    own = rng.normal(size=(60, 8))
    X = np.cumsum(own * 10.0 ** -(np.arange(8)[None, :] ** 0.6), axis=1)
    y = own @ np.array([1.0, -1, 1, -1, 1, -1, 1, -1])
    assert_same_steps(core_gso(X, y, 8), naive_gso(X, y, 8), ["scores"])


def test_nearly_dependent_class_indicators_keep_their_digits():
    # Nine distinct rows, three classes: the sixth feature leaves the two indicators nearly parallel, and after
    # it every candidate explains all that is left.
    rng = np.random.RandomState(42)
    X, y = rng.rand(15, 30), rng.randint(0, 3, size=15)
    rows = np.repeat(np.arange(15), rng.randint(0, 5, size=15))
    fast, slow = (gso(X[rows], y[rows], 10, nominal=True) for gso in (core_gso, naive_gso))
    assert list(fast.selected) == slow.selected
    np.testing.assert_allclose(fast.scores, slow.scores, rtol=0, atol=2e-12)


def test_a_perfect_fit_is_recognised_behind_small_residuals():
    # After x0 little is left of y, and x1 explains all of it.
    rng = np.random.default_rng(9)
    X = rng.normal(size=(50, 4))
    y = X[:, 0] + 1e-4 * X[:, 1]
    fast = core_gso(X, y, 4)
    assert list(fast.selected[:2]) == [0, 1]
    assert fast.scores[1] == pytest.approx(1.0, abs=1e-12)
    assert len(fast.selected) == 2
    assert fast.partials.exhausted_at == 2


def test_threads_and_row_order_do_not_change_the_selection():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 300))
    y = X[:, 3] - X[:, 7] + rng.normal(size=80)
    one, seven = core_rrct(X, y, 12), core_rrct(X, y, 12, n_threads=7)
    assert_equal_results(one, seven)
    rows = rng.permutation(80)
    moved = core_rrct(X[rows], y[rows], 12)
    np.testing.assert_array_equal(one.selected, moved.selected)
    np.testing.assert_array_equal(one.partials.relevance, moved.partials.relevance)


def test_float32_columns_are_read_as_they_are():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(40, 30)).astype(np.float32)
    y = X[:, 2] + rng.normal(size=40)
    for select in (core_rrct, core_gso):
        single, double = select(X, y, 8, dtype=np.float32), select(X, y, 8)
        np.testing.assert_array_equal(single.selected, double.selected)
        np.testing.assert_array_equal(single.scores, double.scores)


def test_tall_data_use_exact_rank_products():
    rng = np.random.default_rng(6)
    X = rng.integers(0, 50, size=(40000, 4)).astype(float)
    y = X[:, 1] + rng.integers(0, 50, size=40000)
    assert_same_steps(core_rrct(X, y, 4), naive_rrct(X, y, 4))


def digest_of_kernels():
    """Return a digest of values of many kinds: it must be the same at every instruction level."""
    digest = hashlib.sha256()
    rng = np.random.default_rng(11)
    X = rng.normal(size=(75, 90))
    y = X[:, 5] + X[:, 6] + rng.normal(size=75)
    for result in (core_rrct(X, y, 15), core_gso(X, y, 15), core_rrct(X, y > 0, 9, nominal=True)):
        digest.update(result.selected.tobytes() + result.scores.tobytes())
    return digest.hexdigest()
