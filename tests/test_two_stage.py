"""GBC and MRMRGA: whole searches against their reference implementations, the pool, the sets, and their reports."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from joblib import parallel_config
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from thresher import GBC, MRMR, MRMRGA, ThresherWarning
from thresher.selectors.two_stage import _moves as moves

from .naive import two_stage as naive

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:150] / X[:150].std(axis=0), Y[:150]


def pool_order(n, **settings):
    return MRMR(n, relevance="mi", redundancy="mi", **settings).fit(X, Y).selected_


def naive_fit(pool):
    """Return the score of a set of pool positions, by scikit-learn alone."""
    return lambda solution: naive_score(tuple(sorted(int(pool[i]) for i in solution)))


class Centroids(ClassifierMixin, BaseEstimator):
    """Nearest-mean classifier; fast, because searches score hundreds of sets."""

    def fit(self, X, y):
        self.classes_ = np.arange(2)
        self.means_ = np.array([X[y == label].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        return ((X[:, None] - self.means_) ** 2).sum(axis=2).argmin(axis=1)

    def score(self, X, y):
        return np.mean(self.predict(X) == y)


FOLDS = list(StratifiedKFold(3).split(X, Y))


@functools.cache
def naive_score(features):
    values = X[:, list(features)]
    return np.mean([Centroids().fit(values[a], Y[a]).score(values[b], Y[b]) for a, b in FOLDS])


# --- the moves, by the values worked out on paper


def test_probabilities_of_the_start():
    expected = {
        1: [0.516129032258, 0.258064516129, 0.129032258065, 0.064516129032, 0.032258064516],
        2: [0.383886255924, 0.255924170616, 0.170616113744, 0.113744075829, 0.075829383886],
        10: [0.239815891632, 0.218014446938, 0.198194951762, 0.180177228874, 0.163797480795],
    }
    for j, values in expected.items():
        np.testing.assert_allclose(moves.geometric_weights(5, j), values, atol=1e-12)
        np.testing.assert_allclose(naive.probabilities(5, 1 - 1 / (j + 1)), values, atol=1e-12)


def test_drawn_positions_follow_their_probabilities_and_are_never_taken():
    weights = moves.geometric_weights(5, 2)
    rng = np.random.default_rng(0)
    drawn = np.bincount([moves.draw_position(weights, (1,), rng) for _ in range(4000)], minlength=5)
    expected = np.where(np.arange(5) == 1, 0, weights) / (1 - weights[1])
    assert drawn[1] == 0
    np.testing.assert_allclose(drawn / 4000, expected, atol=0.03)  # four standard errors
    assert moves.draw_position(weights, (0, 1, 2, 3), rng) == 4


SOLUTIONS = [(0, 1), (0, 2), (1, 3), (2, 3), (0,)]
FITS = [0.9, 0.8, 0.6, 0.5, 0.7]


def test_goodness_and_roulette():
    expected = [0.611111111111, 0.196078431373, 0.192810457516, -0.611111111111, 0]
    for goodness in (moves.goodness, naive.goodness):
        np.testing.assert_allclose(goodness(SOLUTIONS, FITS, 5), expected, atol=1e-12)
        equal = goodness(SOLUTIONS, [0.7] * 5, 5)
        np.testing.assert_allclose(equal, [-0.6, -0.4, -0.4, -0.4, 0], atol=1e-12)
    chances = [0.257142857143, 0.228571428571, 0.171428571429, 0.142857142857, 0.2]
    for roulette in (moves.roulette, naive.roulette):
        np.testing.assert_allclose(roulette(FITS), chances, atol=1e-12)
        np.testing.assert_allclose(roulette([0.0] * 5), [0.2] * 5)


def test_negative_scores_and_failures_count_from_the_least():
    np.testing.assert_allclose(moves.roulette([-3.0, -1.0, -math.inf]), [0, 1, 0])
    np.testing.assert_allclose(moves.goodness([(0,), (1,)], [-3.0, -1.0], 2), [0, 1])
    np.testing.assert_allclose(moves.goodness([(0,), (1,)], [-math.inf, -math.inf], 2), [0, 0])


def test_shift():
    for x, d, expected in (
        (3, 2.4, 5),
        (3, -2.5, 0),
        (8, 3.2, 5),
        (1, -4.0, 5),
        (5, 0.3, 6),
        (5, -0.3, 4),
        (9, 0, 8),
    ):
        assert moves.shift(x, d, 10) == naive.shift(x, d, 10) == expected
    assert moves.shift(0, 3.0, 1) == naive.shift(0, 3.0, 1) == 0


def test_intensification():
    w = [5, 4, 3, 2, -2]
    promise = np.array([0.5, 0.2, 0, 0.1, -0.4])
    scored = set()

    def fit(solution):
        scored.add(frozenset(solution))
        conflict = 3 if {0, 1} <= set(solution) else 0
        return max(0, sum(w[f] for f in solution) - conflict) / 12

    found = moves.intensify((2, 4), fit((2, 4)), promise, 0, lambda sets: [fit(s) for s in sets])
    assert found == ((0, 1, 2, 3), 11 / 12)
    assert len(scored) == 10
    assert naive.intensify({2, 4}, promise, fit) == {0, 1, 2, 3}
    assert len(scored) == 10
    kept, _ = moves.intensify((0, 4), fit((0, 4)), promise * 0, 5, lambda s: [fit(t) for t in s])
    assert kept == (0, 4)


def test_crossover_of_a_set_with_itself_is_that_set():
    rng = np.random.default_rng(0)
    for _ in range(20):
        one = tuple(np.flatnonzero(rng.random(9) < 0.5).tolist())
        other = tuple(np.flatnonzero(rng.random(9) < 0.5).tolist())
        assert moves.crossover(one, one, rng) == one
        child = set(moves.crossover(one, other, rng))
        assert set(one) & set(other) <= child <= set(one) | set(other)


# --- whole searches


@pytest.mark.parametrize("variant", ["plus", "original"])
@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_is_that_of_the_definition(variant, seed):
    pool = pool_order(12)
    fit = naive_fit(pool)
    settings = {"population": 4, "limit": 2}
    reference = naive.Colony(fit, 12, seed, plus=variant == "plus", rate=0.3, **settings)
    queens = [set(reference.queen)]
    for _ in range(4):
        reference.run_cycle()
        queens.append(set(reference.queen))
    selector = GBC(
        Centroids(),
        variant=variant,
        pool=12,
        max_pool=12,
        max_cycles=4,
        mutation_rate=0.3,
        target_score=None,
        patience=None,
        cv=3,
        **settings,
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thresher.selectors.two_stage._base.draw_seed", lambda state: seed)
        selector.fit(X, Y)
    assert selector.pool_.tolist() == pool.tolist()
    assert selector.trace_["best"].tolist() == [fit(queen) for queen in queens]
    assert selector.trace_["n_features"].tolist() == [len(queen) for queen in queens]
    assert selector.trace_["mean"][-1] == pytest.approx(np.mean([fit(s) for s in reference.bees]))
    assert selector.best_score_ >= fit(queens[-1])
    assert (np.diff(selector.trace_["best"]) >= 0).all()
    assert selector.stopped_by_ == "max_cycles"


def test_the_genetic_search_is_that_of_the_definition():
    pool = pool_order(10)
    fit = naive_fit(pool)
    bests = naive.genetic(fit, 10, 3, population=6, generations=4, mutation=0.1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thresher.selectors.two_stage._base.draw_seed", lambda state: 3)
        selector = MRMRGA(
            Centroids(), pool=10, population=6, generations=4, mutation_rate=0.1, cv=3
        ).fit(X, Y)
    assert selector.trace_["best"].tolist() == [fit(best) for best in bests]
    assert selector.trace_["n_features"].tolist() == [len(best) for best in bests]
    assert sorted(selector.selected_) == sorted(pool[i] for i in bests[-1])
    assert selector.stopped_by_ == "generations"
    assert selector.n_evaluations_ == len(selector.sets_) < selector.n_fitness_calls_


def small(**settings):
    return GBC(**{"population": 4, "max_cycles": 3, "cv": 3, "random_state": 0, **settings})


@pytest.mark.parametrize("target", [None, 0.9])
def test_the_pool_grows_as_long_as_all_of_it_scores_better(target):
    order = pool_order(30)
    fit = naive_fit(order)
    size = naive.fill_pool(fit, 4, 26, 2, math.inf if target is None else target)
    selector = small(
        estimator=Centroids(), pool=4, max_pool=26, target_score=target, max_cycles=1
    ).fit(X, Y)
    assert selector.pool_.tolist() == order[:size].tolist()
    assert (size < 26) == (target is not None) or size in (12, 16, 20, 24, 26)


def test_a_pool_of_too_few_features_takes_all_of_them():
    assert len(small(pool=500, max_pool=800, max_cycles=1).fit(X, Y).pool_) == 30
    assert len(small(pool=50, max_pool=7, max_cycles=1).fit(X, Y).pool_) == 7
    one = small(max_cycles=2).fit(X[:, :1], Y)
    assert one.selected_.tolist() == [0]
    assert MRMRGA(population=1, generations=2, cv=3, pool=1).fit(X, Y).pool_.shape == (1,)


def test_sets_are_scored_once_and_listed_best_first():
    selector = small(population=6).fit(X, Y)
    assert selector.n_evaluations_ < selector.n_fitness_calls_
    keys = {tuple(sorted(features)) for features in selector.sets_}
    assert len(keys) == len(selector.sets_) == selector.n_evaluations_
    assert (np.diff(selector.set_scores_) <= 0).all()
    assert selector.set_scores_[0] == selector.best_score_ == selector.selected_score_
    assert sorted(selector.sets_[0]) == sorted(selector.selected_)
    assert (np.diff(selector.relevance_[selector.selected_]) <= 0).all()
    equal = [len(s) for s in selector.sets_ if len(s)]
    same = selector.set_scores_ == selector.best_score_
    assert equal[: same.sum()] == sorted(equal[: same.sum()])


def test_one_standard_error_takes_the_smallest_of_the_good_sets():
    best, smallest = (small(select=select).fit(X, Y) for select in ("best", "1se"))
    folds = cross_val_score(
        make_pipeline(*_default_steps()), X[:, np.sort(best.selected_)], Y, cv=StratifiedKFold(3)
    )
    bound = best.best_score_ - folds.std(ddof=1) / math.sqrt(3)
    good = [s for s, v in zip(best.sets_, best.set_scores_, strict=True) if v >= bound]
    assert len(smallest.selected_) == min(len(s) for s in good) < len(best.selected_)
    assert smallest.selected_score_ < smallest.best_score_ == best.best_score_
    share = np.mean([int(best.selected_[0]) in s for s in good])
    assert best.scores_[best.selected_[0]] == pytest.approx(share)


def _default_steps():
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    return StandardScaler(), SVC()


@pytest.mark.parametrize(
    "selector", [small(pool=10), small(pool=10, variant="original", mutation_rate=0.5)]
)
def test_every_set_has_the_forced_in_and_no_excluded_features(selector):
    selector.set_params(keep=[27, 3], exclude=[20, 22])
    fitted = selector.fit(X, Y)
    assert fitted.pool_[:2].tolist() == [27, 3]
    assert all({27, 3} <= set(s.tolist()) for s in fitted.sets_)
    assert not any({20, 22} & set(s.tolist()) for s in fitted.sets_)
    genetic = MRMRGA(pool=10, population=4, generations=3, cv=3, keep=[27], random_state=0)
    assert all(27 in s for s in genetic.fit(X, Y).sets_)
    assert "forced in by the parameter keep" in fitted.reason(27)


@pytest.mark.parametrize(
    "selector",
    [small(), small(variant="original"), MRMRGA(population=4, generations=3, cv=3, random_state=0)],
    ids=lambda s: repr(s),
)
def test_jobs_change_nothing(selector):
    one, two = (selector.set_params(n_jobs=n).fit(X, Y).to_json() for n in (1, 3))
    assert one.replace('"n_jobs", 1', '"n_jobs", 3') == two


def test_jobs_change_nothing_for_estimators_of_any_kind():
    selector = small(estimator=Centroids(), scoring="accuracy")
    one = selector.fit(X, Y)
    expected = one.set_scores_.tolist(), one.selected_.tolist()
    with parallel_config(backend="threading"):
        two = selector.set_params(n_jobs=3).fit(X, Y)
    assert (two.set_scores_.tolist(), two.selected_.tolist()) == expected


def test_the_search_ends_by_its_rules():
    assert small(target_score=0.5).fit(X, Y).stopped_by_ == "target_score"
    assert len(small(target_score=0.5).fit(X, Y).trace_["best"]) == 1
    stalled = small(patience=1, max_cycles=50, target_score=None).fit(X, Y)
    assert stalled.stopped_by_ == "patience"
    assert stalled.trace_["best"][-1] == stalled.trace_["best"][-2]
    original = small(variant="original", target_score=0.5, patience=1).fit(X, Y)
    assert original.stopped_by_ == "max_cycles"
    genetic = MRMRGA(population=4, generations=30, cv=3, patience=2, random_state=0).fit(X, Y)
    assert genetic.stopped_by_ == "patience"
    assert MRMRGA(population=4, cv=3, target_score=0.5).fit(X, Y).stopped_by_ == "target_score"


def test_the_callback_sees_every_evaluation_and_may_end_the_search():
    states = []
    fitted = small(callback=states.append).fit(X, Y)
    assert [s.n_evaluations for s in states] == list(range(1, fitted.n_evaluations_ + 1))
    assert states[-1].best_score == fitted.best_score_
    assert states[-1].best_features.tolist() == fitted.selected_.tolist()
    assert {s.phase for s in states} >= {"pool", "start", "employed bees", "onlookers", "queen"}
    for n_jobs in (1, 2):
        stopped = small(callback=lambda s: s.n_evaluations == 20, n_jobs=n_jobs).fit(X, Y)
        assert stopped.stopped_by_ == "callback"
        assert stopped.n_evaluations_ == len(stopped.sets_) == 20
        assert stopped.best_score_ == states[19].best_score
        assert stopped.cut_off_["phase"] == states[19].phase
        assert stopped.cut_off_["n_unscored"] >= 0
    assert fitted.cut_off_ is None


def test_the_time_budget_is_checked_after_every_evaluation_and_skipped_work_is_recorded():
    fitted = small(time_budget=1e-9).fit(X, Y)
    assert fitted.n_evaluations_ == 1
    assert fitted.stopped_by_ == "time_budget"
    assert fitted.cut_off_ == {"cycle": 0, "phase": "pool", "n_unscored": 0}
    assert sorted(fitted.selected_) == sorted(fitted.pool_)


class FailsOn(GaussianNB):
    """A classifier that rejects sets of some sizes."""

    def __init__(self, sizes=()):
        super().__init__()
        self.sizes = sizes

    def fit(self, X, y):
        if X.shape[1] in self.sizes:
            raise RuntimeError(f"no {X.shape[1]} columns, please")
        return super().fit(X, y)


def test_an_estimator_may_fail_on_some_sets_but_not_on_all():
    with pytest.warns(ThresherWarning, match="failed on the features .* no 30 columns"):
        fitted = small(estimator=FailsOn((1, 30))).fit(X, Y)
    assert len(fitted.selected_) > 1
    assert all(len(s) not in (1, 30) for s in fitted.sets_)
    with pytest.warns(ThresherWarning), pytest.raises(ValueError, match="failed on all"):
        small(estimator=FailsOn(tuple(range(31)))).fit(X, Y)


def test_regressors_scorers_and_splitters_of_any_kind():
    X, y = load_diabetes(return_X_y=True)
    scoring = "neg_mean_absolute_error"
    cv = KFold(3, shuffle=True, random_state=1)
    fitted = small(estimator=LinearRegression(), scoring=scoring, cv=cv).fit(X[:200], y[:200])
    chosen = np.sort(fitted.selected_)
    expected = cross_val_score(LinearRegression(), X[:200, chosen], y[:200], cv=cv, scoring=scoring)
    assert fitted.best_score_ == pytest.approx(expected.mean())
    assert fitted.best_score_ < 0


def test_groups_stay_together_also_by_metadata_routing():
    groups = np.arange(len(Y)) // 5
    whole = StratifiedGroupKFold(3)
    direct = small().fit(X, Y, groups=groups)
    assert (
        direct.set_scores_.tolist() == small(cv=whole).fit(X, Y, groups=groups).set_scores_.tolist()
    )
    assert direct.set_scores_.tolist() != small().fit(X, Y).set_scores_.tolist()
    with config_context(enable_metadata_routing=True):
        selector = small(cv=GroupKFold(3)).set_fit_request(groups=True)
        pipeline = make_pipeline(selector, GaussianNB()).fit(X, Y, groups=groups)
    expected = small(cv=GroupKFold(3)).fit(X, Y, groups=groups)
    assert pipeline[0].set_scores_.tolist() == expected.set_scores_.tolist()
    with pytest.raises(ValueError, match="groups must have one label per sample"):
        small().fit(X, Y, groups=groups[:-1])


def test_labels_may_be_text_and_data_sparse():
    from scipy import sparse

    named = np.array(["no", "yes"], dtype=object)[Y]
    assert small().fit(X, named).selected_.tolist() == small().fit(X, Y).selected_.tolist()
    loose = small().fit(sparse.csr_matrix(X), Y)
    assert loose.selected_.tolist() == small().fit(X, Y).selected_.tolist()


def test_reasons_mention_the_team():
    fitted = small(pool=8, max_pool=8).fit(X, Y)
    inside = [f for f in fitted.pool_ if not fitted.support_[f]]
    outside = np.setdiff1d(np.arange(30), fitted.pool_)
    assert "sets within one standard error of the best" in fitted.reason(int(fitted.selected_[0]))
    assert fitted.reason(int(inside[0])).startswith("not in the best set, though in ")
    assert fitted.reason(int(outside[0])).startswith("not among the 8 features of the pool")


@pytest.mark.parametrize("verbose", [1, 2])
def test_progress_shows_the_best_score_and_size(verbose, capsys):
    fitted = small(verbose=verbose).fit(X, Y)
    shown = capsys.readouterr()
    expected = (
        f"best {fitted.trace_['best'][-1]:.4g} with {fitted.trace_['n_features'][-1]} features"
    )
    assert expected in (shown.out if verbose == 1 else shown.err)
    assert ("cycle 3/3" in shown.out) == (verbose == 1)
    assert "3/3" in (shown.out + shown.err)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"pool": 0}, "pool must be an integer of at least 1, got 0"),
        ({"population": 0}, "population must be an integer of at least 1, got 0"),
        ({"max_pool": 0}, "max_pool must be an integer"),
        ({"pool_patience": 0}, "pool_patience must be an integer"),
        ({"max_cycles": 0}, "max_cycles must be an integer"),
        ({"limit": -1}, "limit must be an integer of at least 0"),
        ({"mutation_rate": 2}, "mutation_rate must be a number"),
        ({"variant": "pluss"}, "did you mean 'plus'"),
        ({"select": "2se"}, "select must be one of 'best', '1se'"),
        ({"patience": 0}, "patience must be an integer"),
        ({"target_score": "high"}, "target_score must be a number"),
        ({"cv": 1}, "cv must be an integer of at least 2, got 1"),
        ({"cv": 2.5}, "cv must be an integer"),
        ({"cv": 90}, "cv=90 requires 90 samples of every class, but class 1 has 67. Set"),
        ({"time_budget": 0}, "time_budget must be a number above 0"),
        ({"callback": 5}, "callback must be a function"),
        ({"estimator": "tree"}, "estimator must be a scikit-learn estimator or None, got 'tree'"),
        ({"scoring": "acuracy"}, "scoring must be one of .* did you mean .accuracy."),
        ({"scoring": "neg_log_loss"}, "requires an estimator with the method predict_proba"),
        ({"scoring": ["accuracy", "f1"]}, "scoring must be one score"),
        ({"n_jobs": 0}, "n_jobs must be"),
    ],
)
def test_bad_input_gets_a_one_line_error(options, words):
    with pytest.raises(ValueError, match=words) as caught:
        small(**options).fit(X, Y)
    assert "\n" not in str(caught.value)


def test_bad_input_of_the_genetic_search_gets_a_one_line_error():
    for name in ("pool", "population", "generations"):
        with pytest.raises(ValueError, match=f"{name} must be an integer of at least 1, got 0"):
            MRMRGA(**{name: 0}).fit(X, Y)
    for name in ("crossover_rate", "mutation_rate"):
        with pytest.raises(ValueError, match=f"{name} must be a number"):
            MRMRGA(**{name: -0.5}).fit(X, Y)


def test_classes_are_required_by_classifiers():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="GBC needs classes, but y is continuous"):
        small().fit(X, y + 0.5 * X[:, 0])
