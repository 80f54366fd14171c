"""The base class of wrappers over a pool: the scorer, the checkpoint, the end of the search and its report."""

from __future__ import annotations

import math
import os
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Literal, Self, Unpack

import joblib
import numpy as np
import sklearn
from sklearn.base import is_regressor

import thresher
from thresher._utils.checks import first_line, shown
from thresher._utils.journal import Journal
from thresher._utils.long_calls import Bar, report
from thresher._utils.params import Interval, NoneOr, ThreadCount, estimator, param
from thresher._utils.types import (
    Array,
    DataLike,
    Estimator,
    Folds,
    GroupsLike,
    RandomState,
    Scoring,
    TargetLike,
)
from thresher.data import InputRules, LocalData, RemoteOptions
from thresher.search.ensemble import draw_seed, number_groups
from thresher.selectors._base import BaseSelector, CommonParameters, Selection, all_or_nothing
from thresher.selectors._explain import Teamed
from thresher.selectors._scoring import Key, Outcome, SubsetScorer, dense_columns, splitter_of
from thresher.selectors.two_stage._moves import Pool, SearchRun, SearchState, Solution, Stopped

# Parameters that change neither a score nor the search.
FREE = ("n_jobs", "verbose", "time_budget", "callback", "checkpoint", "random_state", "cv")


@estimator
class TwoStageSelector(CommonParameters, BaseSelector):
    """Base class: a filter finds a pool of features, a search the set of them with the best score.

    A subclass declares its parameters and implements

    _search(run)
        Search by the scores of the run; return the code for why the search ended.
    """

    estimator: Estimator = param(default=None, kw_only=False)
    target_score: float | None = param(NoneOr(Interval()), default=None)
    patience: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    scoring: Scoring = param(default=None)
    cv: Folds = param(default=5)
    select: Literal["best", "1se"] = param(default="best")
    time_budget: float | None = param(NoneOr(Interval(0, open_low=True)), default=None)
    callback: Callable[[SearchState], object] | None = param(default=None)
    checkpoint: str | os.PathLike[str] | None = param(default=None)
    random_state: RandomState = param(default=None)
    n_jobs: int | None = param(ThreadCount(), default=None)

    def fit(
        self,
        X: DataLike,
        y: TargetLike,
        *,
        groups: GroupsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; numbers if the estimator is a regressor; or the name of a column of the dataframe X.
        groups : array-like of shape (n_samples,), default=None
            Groups for the splitter. If `cv` is a number, samples of one group go to one fold.
        **remote
            If X is a path: the options `memory_limit` and `scratch` of a table in files; see :doc:`/scaling`.

        Returns
        -------
        self : object
            The fitted selector.

        Notes
        -----
        Ctrl-C raises KeyboardInterrupt. `best_so_far_` then contains the best set; nothing else changes.
        """
        runs: list[SearchRun] = []
        try:
            return self._fit(X, y, groups, remote, runs)
        except KeyboardInterrupt:
            if runs and runs[0].best is not None:
                self.best_so_far_ = runs[0].features(runs[0].best)
            raise

    @all_or_nothing
    def _fit(
        self,
        X: DataLike,
        y: TargetLike,
        groups: GroupsLike,
        remote: RemoteOptions,
        runs: list[SearchRun],
    ) -> Self:
        self._check_parameters()
        training = self._read_rows(X, y, remote=remote)
        run = SearchRun(
            self._subset_scorer(training, groups),
            Pool(training, self.n_jobs),
            len(training.kept),
            draw_seed(self.random_state),
            self.callback,
            self.time_budget,
        )
        runs.append(run)
        bar = Bar(type(self).__name__, self._n_cycles()) if self.verbose > 1 else nullcontext()
        with self._recording(run, training), bar as run.bar:
            try:
                self.stopped_by_ = self._search(run)
                self.cut_off_ = None
            except Stopped as stop:
                self.stopped_by_ = str(stop)
                pending = run.scorer.n_pending
                self.cut_off_ = {"cycle": run.cycle, "phase": run.phase, "n_unscored": pending}
        run.scorer.reject_if_all_failed()
        self.__dict__.pop("best_so_far_", None)
        return self._describe(training, run)

    @abstractmethod
    def _search(self, run: SearchRun) -> str: ...

    @abstractmethod
    def _n_cycles(self) -> int: ...

    def _check_parameters(self) -> None:
        super()._check_parameters()
        checks: tuple[tuple[str, str, Callable[[object], bool]], ...] = (
            ("estimator", "a scikit-learn estimator", _is_estimator),
            ("callback", "a function of the state", callable),
            ("checkpoint", "a path", lambda path: isinstance(path, str | os.PathLike)),
        )
        for name, what, is_good in checks:
            value = getattr(self, name)
            if value is not None and not is_good(value):
                raise ValueError(f"{name} must be {what} or None, got {shown(value)}")

    def _is_finished(self, best_score: float, n_unchanged: int) -> str | None:
        """Return the code for why the search ends after a cycle; None if it continues."""
        if self.target_score is not None and best_score >= self.target_score:
            return "target_score"
        return "patience" if self.patience is not None and n_unchanged >= self.patience else None

    def _report_cycle(
        self, run: SearchRun, best: Solution, score: float, scores: Sequence[float], **more: int
    ) -> None:
        """Add a line to the trace and report the cycle."""
        finite = [value for value in scores if math.isfinite(value)]
        mean = float(np.mean(finite)) if finite else -math.inf
        run.note(best=score, mean=mean, n_features=len(best), **more)
        run.show()
        if run.bar is None:
            report(
                self,
                "cycle %d/%d: best %.4g with %d features, mean %.4g, %d evaluations",
                run.cycle,
                self._n_cycles(),
                score,
                len(best),
                mean,
                run.scorer.n_scored,
            )

    def _input_rules(self) -> InputRules:
        numeric = self.estimator is not None and is_regressor(self.estimator)
        kind = "numeric" if numeric else "auto"
        return replace(super()._input_rules(), target=kind, classes_only=not numeric)

    def _subset_scorer(self, training: LocalData, groups: GroupsLike) -> SubsetScorer:
        labels = training.labels
        if labels.codes is None or labels.classes is None:
            y: Array = labels.values
        else:
            # scikit-learn rejects arrays of objects, so labels get the type of their values.
            y = np.array(labels.classes.tolist())[labels.codes]
        if groups is not None:
            groups = number_groups(groups, training.n_rows)
        return SubsetScorer(
            lambda features: dense_columns(training, features),
            y,
            estimator=self.estimator,
            scoring=self.scoring,
            cv=splitter_of(self.cv, y, groups, classifier=labels.is_nominal),
            classifier=labels.is_nominal,
            groups=groups,
            n_jobs=self.n_jobs,
        )

    @contextmanager
    def _recording(self, run: SearchRun, training: LocalData) -> Iterator[None]:
        """Restore the sets that are in the checkpoint, and write every further scored set to it."""
        if self.checkpoint is None:
            yield
            return
        identity = self._fingerprints(run.scorer, training)
        with closing(
            Journal(Path(self.checkpoint), identity=identity, kind="checkpoint")
        ) as journal:
            is_given = self.random_state is not None
            run.seed = journal.settle("random_state", run.seed, is_given=is_given)
            run.scorer.restored = known = {
                tuple(map(int, key.split())): journal.get(key)
                for key in journal
                if key != "random_state"
            }

            def record(features: Key, outcomes: Sequence[Outcome]) -> None:
                if features not in known:
                    journal.append(" ".join(map(str, features)), outcomes)

            run.record = record
            yield

    def _fingerprints(self, scorer: SubsetScorer, training: LocalData) -> dict[str, str]:
        """Return digests of everything that a score, or the search, depends on."""
        given = self.get_params(deep=False)
        parameters = {name: value for name, value in given.items() if name not in FREE}
        versions = (thresher.__version__, sklearn.__version__)
        try:
            return {
                "data": joblib.hash((training.table.matrix, scorer.y)),
                "folds": joblib.hash([(np.asarray(a), np.asarray(b)) for a, b in scorer.folds]),
                "parameters": joblib.hash((type(self).__name__, parameters)),
                "versions": joblib.hash(versions),
            }
        except Exception as error:  # pickle passes on any exception of the object
            raise ValueError(
                "checkpoint requires an estimator and a scoring that can be pickled: "
                f"{first_line(error)}. Pass others, or set checkpoint=None"
            ) from error

    def _describe(self, training: LocalData, run: SearchRun) -> Self:
        ranked = run.ranked()
        good = _within_one_error(run, ranked)
        best = ranked[0] if ranked else ((), math.nan)
        # Of equally small sets min returns the first, which is the best.
        smallest = min(good, key=lambda item: len(item[0]), default=best)
        solution, selected_score = smallest if self.select == "1se" else best
        shares = np.zeros(run.size)
        for each, _ in good:
            shares[list(each)] += 1 / len(good)
        share = np.full(training.n_features, np.nan)
        share[run.pool.features] = shares
        self.pool_ = run.pool.features
        self.sets_ = [run.features(each) for each, _ in ranked]
        self.set_scores_ = np.array([score for _, score in ranked], dtype=np.float64)
        self.best_score_ = best[1]
        self.selected_score_ = selected_score
        self.n_fitness_calls_ = run.scorer.n_requested
        selection = Selection(
            run.features(solution),
            share,
            run.pool.relevance,
            n_evaluations=run.scorer.n_scored,
            trace=run.trace,
            explanation=Teamed(share, len(good)),
            shortfall="no feature varies after binning, so the pool is empty",
        )
        return self._finish(training.features, selection)


def _is_estimator(value: object) -> bool:
    return hasattr(value, "get_params") and hasattr(value, "fit")


def _within_one_error(
    run: SearchRun, ranked: list[tuple[Solution, float]]
) -> list[tuple[Solution, float]]:
    """Return the solutions whose score is within one standard error of the best."""
    if not ranked:
        return []
    best, score = ranked[0]
    folds = run.scorer.known_folds(run.pool.features[list(best)])
    error = float(np.std(folds, ddof=1) / math.sqrt(len(folds))) if len(folds) > 1 else 0.0
    return [item for item in ranked if item[1] >= score - error]
