"""GBC and GBC+: a genetic bee colony over a pool of mRMR features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.params import Interval, NoneOr, estimator, param
from thresher.selectors.two_stage._base import TwoStageSelector
from thresher.selectors.two_stage._moves import (
    SearchRun,
    Solution,
    crossover,
    draw_position,
    geometric_weights,
    goodness,
    intensify,
    is_better,
    mutate,
    neighbour,
    roulette,
)

# Purposes of random streams.
START, EMPLOYED, ONLOOKER, SCOUT, QUEEN = range(5)


@dataclass
class _Colony:
    """Solutions, their fitness, and failed attempts in a row to improve each; the queen is the best solution so far."""

    solutions: list[Solution]
    fitness: list[float]
    trials: list[int]
    queen: Solution
    queen_fit: float
    unchanged: int = 0

    def offer(self, bees: Iterable[int], solutions: list[Solution], fitness: list[float]) -> None:
        """Give each of these bees a new solution if it is better."""
        for i, solution, fit in zip(bees, solutions, fitness, strict=True):
            if fit > self.fitness[i]:
                self.replace(i, solution, fit)
            else:
                self.trials[i] += 1

    def replace(self, i: int, solution: Solution, fit: float) -> None:
        self.solutions[i], self.fitness[i], self.trials[i] = solution, fit, 0
        self.update_queen(solution, fit)

    def update_queen(self, solution: Solution, fit: float) -> None:
        if is_better(solution, fit, self.queen, self.queen_fit):
            self.queen, self.queen_fit, self.unchanged = solution, fit, 0


@estimator
class GBC(TwoStageSelector):
    """Select features by a genetic bee colony: mRMR finds a pool, bees search it for the set with the best score.

    Each bee has a set of features. Employed bees try neighbours of their set. Onlookers cross the best set with the set
    of a bee drawn by its score. Scouts replace sets that could not be improved. Every set is scored once, by
    cross-validation.

    Parameters
    ----------
    estimator : estimator, default=None
        Scores the sets: any classifier or regressor. None is an SVM with a Gaussian kernel on columns standardised
        inside the fold (``make_pipeline(StandardScaler(), SVC())``), in a form that is 6 to 38 times as fast.
    variant : {"plus", "original"}, default="plus"
        ``"plus"`` starts from features that mRMR ranks high. It improves the best set by features that good sets have
        in common (goodness-based intensification) instead of by mutation. It stops by `target_score` and `patience`.
    pool : int, default=50
        Number of features by which the pool grows, until the whole pool reaches `target_score`.
    max_pool : int, default=300
        Largest number of features in the pool.
    pool_patience : int, default=2
        The pool stops growing after this number of enlargements in a row without a better score.
    population : int, default=20
        Number of bees.
    limit : int, default=5
        A bee becomes a scout after more than this number of attempts in a row that did not improve its set.
    max_cycles : int, default=50
        Largest number of cycles.
    mutation_rate : float, default=0.01
        Probability that a feature of the best set is changed; only for ``"original"``.
    target_score : float or None, default=1.0
        A sufficient score; None if there is none. Ends the growth of the pool, and with ``"plus"`` the search.
    patience : int or None, default=10
        With ``"plus"`` the search ends after this number of cycles with the same best set; with None it does not.
    scoring : str, callable or None, default=None
        None is the estimator's ``score`` method.
    cv : int, cross-validation generator or iterable, default=5
        A number means folds without shuffling, stratified for classes. The folds are fixed once per ``fit``.
    select : {"best", "1se"}, default="best"
        ``"1se"``: the smallest set within one standard error (over the folds) of the best.
    keep, exclude : list of str or int, default=None
        Features of every set, and features of none, by name or position.
    time_budget : float or None, default=None
        Seconds after which the search ends with the best set so far; checked after every evaluation.
    callback : callable or None, default=None
        Called with the state after every evaluation: ``n_evaluations``, ``n_fitness_calls``, ``cycle``, ``phase``,
        the set just scored (``features``, ``score``), the best one so far (``best_features``, ``best_score``) and
        ``elapsed`` seconds. The search ends if it returns a true value.
    checkpoint : str, path or None, default=None
        File to which every scored set is written immediately. If it exists, the search resumes from it, with the result
        of an uninterrupted search. A file of other data or parameters raises an error. Only `time_budget`, `callback`,
        `n_jobs` and `verbose` may differ.
    random_state : int, RandomState or None, default=None
        Seed of all random draws.
    n_jobs : int, default=None
        Number of sets scored at the same time. The result does not depend on it.
    verbose : int, default=0
        1 prints a line per cycle, 2 shows a progress bar with the best score and size instead.

    Attributes
    ----------
    selected_ : ndarray of int
        Features of the chosen set, most relevant first.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first of `selected_`; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Share of the good sets, those within one standard error of the best, that contain the feature; nan outside the
        pool.
    relevance_ : ndarray of float of shape (n_features,)
        Mutual information with the target, in bits.
    pool_ : ndarray of int
        Features of the pool, in the order of mRMR.
    sets_ : list of ndarray
        All sets that have a score, best first: by score, then by size, then by their ranks in the pool.
    set_scores_ : ndarray of float
        Their scores.
    best_score_, selected_score_ : float
        The best score, and that of the chosen set.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_fitness_calls_, n_evaluations_ : int
        Sets requested, and sets that had to be scored.
    stopped_by_ : str
        ``"max_cycles"``, ``"target_score"``, ``"patience"``, ``"time_budget"`` or ``"callback"``.
    cut_off_ : dict or None
        If a time budget or callback ended the search: ``cycle`` (completed), ``phase``, and ``n_unscored``, the sets of
        that phase that were waiting.
    trace_ : dict of str to ndarray
        Per cycle, the start being cycle 0: ``cycle``, ``best`` (score of the queen, the best set of any bee), ``mean``
        (over the bees), ``n_features`` (of the queen), ``n_scouts``, ``n_evaluations``, ``n_fitness_calls``.
    best_so_far_ : ndarray of int
        Only after Ctrl-C: the best set until then.

    See Also
    --------
    MRMRGA : Genetic algorithm over a pool of mRMR.
    thresher.evaluate.nested_score : Unbiased estimate of the score on new data.

    Notes
    -----
    The score of the chosen set is optimistically biased: the set was chosen by this score, on the rows from which the
    pool was chosen. `thresher.evaluate.nested_score` estimates the score on new data. Sets on which the estimator fails
    count as the worst. The estimator gets columns of numbers; categories are the numbers of their levels. Missing
    values raise an error. Time: the evaluations, at most about two per bee and cycle, and with ``"plus"`` up to the
    size of the pool for each feature that the queen gains.

    References
    ----------
    H. Alshamlan, G. Badr and Y. Alohali, "Genetic bee colony (GBC) algorithm", 2015. A. Pino Angulo, doctoral thesis,
    2019, section 2.2.4 and chapter 5. It gives values for hardly any parameter; the defaults are not from it.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import GBC
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = GBC(population=4, max_cycles=3, random_state=0).fit(X, y)
    >>> selector.best_score_ > 0.96, selector.n_evaluations_ < selector.n_fitness_calls_
    (True, True)
    """

    variant: Literal["plus", "original"] = param(default="plus")
    pool: int = param(Interval(1, integer=True), default=50)
    max_pool: int = param(Interval(1, integer=True), default=300)
    pool_patience: int = param(Interval(1, integer=True), default=2)
    population: int = param(Interval(1, integer=True), default=20)
    limit: int = param(Interval(0, integer=True), default=5)
    max_cycles: int = param(Interval(1, integer=True), default=50)
    mutation_rate: float = param(Interval(0, 1), default=0.01)
    target_score: float | None = param(NoneOr(Interval()), default=1.0)
    patience: int | None = param(NoneOr(Interval(1, integer=True)), default=10)

    def _n_cycles(self) -> int:
        return self.max_cycles

    def _search(self, run: SearchRun) -> str:
        self._fill_pool(run)
        if run.size == 0:
            return "max_cycles"
        colony = self._start_colony(run)
        self._report_cycle(run, colony.queen, colony.queen_fit, colony.fitness, n_scouts=0)
        while run.cycle < self.max_cycles:
            why = self._is_finished(colony.queen_fit, colony.unchanged)
            if self.variant == "plus" and why is not None:
                return why
            colony.unchanged += 1
            self._send_employed(run, colony)
            self._send_onlookers(run, colony)
            n_scouts = self._send_scouts(run, colony)
            self._improve_queen(run, colony)
            run.cycle += 1
            self._report_cycle(
                run, colony.queen, colony.queen_fit, colony.fitness, n_scouts=n_scouts
            )
        return "max_cycles"

    def _fill_pool(self, run: SearchRun) -> None:
        """Enlarge the pool while the score of the whole pool rises."""
        best, n_idle = -np.inf, 0
        while n_idle < self.pool_patience and run.size < self.max_pool:
            size = min(run.size + self.pool, self.max_pool)
            if not run.grow(max(size, run.n_kept)):
                return
            score = run.score(tuple(range(run.size)))
            if self.target_score is not None and score >= self.target_score:
                return
            n_idle = 0 if score > best else n_idle + 1
            best = max(best, score)

    def _start_colony(self, run: SearchRun) -> _Colony:
        run.phase = "start"
        built = self._build(run, list(range(self.population)), START)
        queen, fit = built[0]
        colony = _Colony([s for s, _ in built], [f for _, f in built], [0] * len(built), queen, fit)
        for solution, value in built:
            colony.update_queen(solution, value)
        colony.unchanged = 0
        return colony

    def _build(self, run: SearchRun, bees: list[int], purpose: int) -> list[tuple[Solution, float]]:
        """Build a solution for each bee, feature by feature until one does not help; all bees at the same time."""
        n = run.size
        rngs = {bee: run.rng(purpose, bee) for bee in bees}
        is_plus = self.variant == "plus"
        weights = {b: geometric_weights(n, b + 1) if is_plus else np.full(n, 1 / n) for b in bees}
        start = run.repair(())
        score = run.score(start) if start and bees else 0.0
        built = dict.fromkeys(bees, (start, score))
        building = bees if len(start) < n else []
        while building:
            grown = [
                tuple(sorted((*built[b][0], draw_position(weights[b], built[b][0], rngs[b]))))
                for b in building
            ]
            still = []
            for bee, solution, value in zip(building, grown, run.score_all(grown), strict=True):
                before, fit = built[bee]
                if not before or value > fit:
                    built[bee] = solution, value
                    if len(solution) < n:
                        still.append(bee)
            building = still
        return [built[bee] for bee in bees]

    def _send_employed(self, run: SearchRun, colony: _Colony) -> None:
        """Try a neighbour of every bee's set, shifted to or from the set of another bee."""
        run.phase = "employed bees"
        n_bees = len(colony.solutions)
        if n_bees == 1:
            return
        tried = []
        for i, solution in enumerate(colony.solutions):
            rng = run.rng(EMPLOYED, i)
            partner = int(rng.integers(n_bees - 1))
            partner += partner >= i
            moved = neighbour(solution, colony.solutions[partner], run.size, rng)
            tried.append(run.repair(moved))
        colony.offer(range(n_bees), tried, run.score_all(tried))

    def _send_onlookers(self, run: SearchRun, colony: _Colony) -> None:
        """Cross the queen's set, once per bee, with that of a bee drawn by its score."""
        run.phase = "onlookers"
        sums = np.cumsum(roulette(colony.fitness))
        drawn, tried = [], []
        for i in range(len(colony.solutions)):
            rng = run.rng(ONLOOKER, i)
            bee = min(int(np.searchsorted(sums, rng.random(), side="right")), len(sums) - 1)
            child = run.repair(crossover(colony.queen, colony.solutions[bee], rng))
            if child:
                drawn.append(bee)
                tried.append(child)
            else:
                colony.trials[bee] += 1
        colony.offer(drawn, tried, run.score_all(tried))

    def _send_scouts(self, run: SearchRun, colony: _Colony) -> int:
        """Build new sets for bees that could not improve theirs; return their number."""
        run.phase = "scouts"
        bees = [i for i, trials in enumerate(colony.trials) if trials > self.limit]
        for bee, (solution, fit) in zip(bees, self._build(run, bees, SCOUT), strict=True):
            colony.replace(bee, solution, fit)
        return len(bees)

    def _improve_queen(self, run: SearchRun, colony: _Colony) -> None:
        run.phase = "queen"
        if self.variant == "plus":
            values = goodness(colony.solutions, colony.fitness, run.size)
            improved, fit = intensify(
                colony.queen, colony.queen_fit, values, run.n_kept, run.score_all
            )
        else:
            rng = run.rng(QUEEN)
            mutated = mutate(colony.queen, colony.solutions, self.mutation_rate, run.size, rng)
            improved = run.repair(mutated)
            fit = run.score(improved)
        colony.update_queen(improved, fit)
