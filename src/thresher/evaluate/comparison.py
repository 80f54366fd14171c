"""Selectors compared on several data sets."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import joblib
import narwhals.stable.v2 as nw
import numpy as np
import sklearn
from joblib import Parallel, delayed
from scipy import sparse

import thresher
from thresher._utils.arrays import as_numpy
from thresher._utils.checks import (
    check_bool,
    check_choice,
    one_call,
    readable,
    resolve_threads,
    warn,
)
from thresher._utils.journal import Journal, make_folder
from thresher._utils.long_calls import track
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Folds,
    Frame,
    Indices,
    RandomState,
    Scoring,
    TargetLike,
    Values,
)
from thresher.data import indexable, is_frame
from thresher.evaluate import significance
from thresher.evaluate._runs import (
    Cell,
    Estimators,
    Fold,
    Scores,
    Trial,
    check_sizes,
    derive_seed,
    sizes_within,
)
from thresher.evaluate.significance import FriedmanTest, PairwiseTests
from thresher.evaluate.stability import nogueira_interval
from thresher.search.ensemble import draw_seed
from thresher.selectors._scoring import check_scorer

__all__ = ["Comparison", "DataSet"]

_LOG = "cells.log"
PathLike: TypeAlias = str | os.PathLike[str]
# The data set, the selector and the fold of a cell, by number.
Position: TypeAlias = tuple[int, int, int]


def open_store(folder: PathLike, experiment: dict[str, str]) -> Journal:
    """Open the journal of an experiment, new or continued; reject a folder of another experiment."""
    path = make_folder("store", folder)
    names = {entry.name for entry in path.iterdir()}
    if names and _LOG not in names:
        raise ValueError(f"store={str(folder)!r} contains other files. Pass another folder")
    return Journal(path / _LOG, identity=experiment, kind="store")


def digest(value: Any) -> str:
    """Return a text that differs for different values: data of any kind, estimators, functions."""
    if is_frame(value):
        frame = nw.from_native(value, eager_only=True)
        value = [(name, frame[name].to_numpy()) for name in frame.columns]
    elif sparse.issparse(value):
        rows = value.tocsr().sorted_indices()
        value = (rows.shape, rows.data, rows.indices, rows.indptr)
    try:
        return str(joblib.hash(value))
    except Exception as error:
        raise ValueError(
            f"store needs objects that can be pickled, got {type(value).__name__}: {error}"
        ) from error


@one_call()
def compare(
    selectors: Estimators,
    data: Mapping[str, object],
    estimators: Estimators,
    k: int | Iterable[int] = (5, 10, 20, 50),
    cv: Folds = 5,
    scoring: Scoring = None,
    random_state: RandomState = None,
    store: PathLike | None = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Comparison:
    """Compare selectors by the scores of estimators on the selected features, and by stability.

    Features are selected on the training rows of each fold. Estimators are fitted on these features and scored on the
    test rows. All selectors and all estimators use the same folds.

    Parameters
    ----------
    selectors : dict of str to selector
        Any selectors with ``fit`` and ``get_support``. Each is cloned, and its parameter ``n_features_to_select``,
        ``k`` or ``max_features`` is set to the number of features. A selector without such a parameter is fitted
        unchanged, and its first k features count.
    data : dict of str to (X, y) or Bunch
        A Bunch has ``data`` and ``target``, as in scikit-learn, and optionally ``truth``, the positions of the true
        features, as in `thresher.datasets`.
    estimators : dict of str to estimator
        All classifiers or all regressors.
    k : int or iterable of int, default=(5, 10, 20, 50)
        Numbers of features. Numbers larger than a data set has features are left out there, with a warning.
    cv : int or splitter, default=5
        A number of folds, shuffled and stratified by class, or a splitter of scikit-learn.
    scoring : str or callable, default=None
        A scorer of scikit-learn. None uses the ``score`` method of the estimator.
    random_state : int, RandomState or None, default=None
        Seed of the folds, and of selectors and estimators whose ``random_state`` is None.
    store : path, default=None
        A folder in which every finished cell is saved at once. The same call with the same folder continues where
        it was stopped, even by ``kill -9``, and repeats no computation. A folder of another experiment is rejected.
        While one comparison uses a folder, others wait.
    n_jobs : int, default=None
        Number of cells that run at the same time, in processes.
    progress : bool, default=True
        Show a progress bar (tqdm if installed).

    Returns
    -------
    comparison : Comparison
        ``table()`` and the significance tests.

    See Also
    --------
    thresher.evaluate.select_k : Find the number of features.
    thresher.evaluate.recommend : Recommend a selector for one data set.

    Notes
    -----
    A cell is a selector on a fold of a data set, with all k and all estimators. Selectors whose runs are nested are
    fitted once for all k. If a selector or an estimator fails, its error is recorded in its cell (`Comparison.errors`),
    the others continue, and a warning at the end reports it. Time and memory vary from run to run. All other results
    depend only on the arguments if `random_state` is an integer.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import MRMR
    >>> comparison = compare(
    ...     {"MRMR": MRMR(), "F": SelectKBest()},
    ...     {"breast": load_breast_cancer(), "wine": load_wine()},
    ...     {"naive Bayes": GaussianNB()},
    ...     k=[2, 5],
    ...     random_state=0,
    ...     progress=False,
    ... )
    >>> comparison.table("dict")["selector"]
    ['MRMR', 'MRMR', 'F', 'F', 'MRMR', 'MRMR', 'F', 'F']
    """
    for name, given in (("selectors", selectors), ("data", data), ("estimators", estimators)):
        if not isinstance(given, Mapping) or not given:
            raise ValueError(f"{name} must be a dict of name to object, got {given!r:.60}")
        if not all(isinstance(key, str) for key in given):
            raise ValueError(f"{name} must have names as keys, got {next(iter(given))!r}")
    check_scorer(scoring)
    check_bool("progress", progress)
    resolve_threads(n_jobs)
    all_sizes = check_sizes(k)
    seed = draw_seed(random_state)
    sets = [_read(name, entry, all_sizes) for name, entry in data.items()]
    journal = None
    if store is not None:
        experiment = {
            "thresher": thresher.__version__,
            "sklearn": sklearn.__version__,
            **{f"data {one.name}": digest([digest(one.X), digest(one.y)]) for one in sets},
            **{f"selectors {name}": digest(one) for name, one in selectors.items()},
            **{f"estimators {name}": digest(one) for name, one in estimators.items()},
            "k": str(all_sizes),
            "scoring": scoring if isinstance(scoring, str) else digest(scoring),
        }
        journal = open_store(store, experiment)
    with nullcontext() if journal is None else closing(journal):
        if journal is not None:
            seed = journal.settle("seed", seed, is_given=random_state is not None)
        trials = [Trial(one.X, one.y, dict(estimators), scoring, one.sizes) for one in sets]
        folds = [
            _folds_of(one.name, trial, cv, derive_seed(seed, i))
            for i, (one, trial) in enumerate(zip(sets, trials, strict=True))
        ]
        positions = [
            (d, s, f)
            for d in range(len(sets))
            for s in range(len(selectors))
            for f in range(len(folds[d]))
        ]
        cells: dict[Position, Cell] = {}
        if journal is not None:
            for one, its_folds in zip(sets, folds, strict=True):
                rows = [(np.asarray(train), np.asarray(test)) for train, test in its_folds]
                journal.settle(f"folds {one.name}", digest(rows))
            stored = {position: journal.get(str(position)) for position in positions}
            cells = {
                position: Cell(**cell) for position, cell in stored.items() if cell is not None
            }
        methods = list(selectors.values())
        jobs = (
            delayed(_run)((d, s, f), trials[d], methods[s], folds[d][f], derive_seed(seed, d, s, f))
            for d, s, f in positions
            if (d, s, f) not in cells
        )
        # Unordered and not in batches, so that each cell is stored as soon as it is finished.
        parallel = Parallel(
            resolve_threads(n_jobs, len(positions)), return_as="generator_unordered", batch_size=1
        )
        n_left = len(positions) - len(cells)
        for position, cell in track(parallel(jobs), n_left, "compare", show=progress):
            cells[position] = cell
            if journal is not None:
                journal.append(str(position), asdict(cell))
    comparison = Comparison(
        tuple(selectors),
        tuple(sets),
        tuple(estimators),
        {position: cells[position] for position in positions},
    )
    _warn_of_errors(comparison)
    return comparison


def _run(
    position: Position, trial: Trial, selector: Estimator, fold: Fold, seed: int
) -> tuple[Position, Cell]:
    return position, trial.run(selector, fold, seed)


def _read(name: str, entry: object, all_sizes: list[int]) -> DataSet:
    truth = None
    if isinstance(entry, Mapping) and {"data", "target"} <= set(entry):
        X, y, truth = entry["data"], entry["target"], entry.get("truth")
    elif isinstance(entry, tuple) and len(entry) == 2:
        X, y = entry
    else:
        raise ValueError(
            f"data[{name!r}] must be a pair (X, y) or a Bunch with data and target, got {entry!r:.60}"
        )
    X, y = indexable(X), as_numpy(y)
    if len(X.shape) != 2:
        raise ValueError(f"data[{name!r}]: X must have rows and columns, got shape {X.shape}")
    sizes = sizes_within(all_sizes, X.shape[1], readable(name))
    return DataSet(name, X, y, None if truth is None else np.asarray(truth), tuple(sizes))


def _folds_of(name: str, trial: Trial, cv: Folds, seed: int) -> list[Fold]:
    try:
        return trial.folds(cv, seed)
    except ValueError as error:
        raise ValueError(f"data[{name!r}]: {error}") from error


def _warn_of_errors(comparison: Comparison) -> None:
    errors = comparison.errors("dict")
    if errors["error"]:
        first = {column: values[0] for column, values in errors.items()}
        failed = first["estimator"] or first["selector"]
        warn(
            f"{len(errors['error'])} of {len(comparison.cells) * (1 + len(comparison.estimators))} fits and scores "
            f"failed and are missing. Call errors() to see them. The first: {readable(failed)} on "
            f"{readable(first['data'])}, fold {first['fold']}: {first['error']}"
        )


@dataclass(frozen=True)
class DataSet:
    """One data set of a comparison, with the numbers of features that are compared."""

    name: str
    X: DataLike
    y: TargetLike
    truth: Indices | None
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Comparison:
    """Result of :func:`thresher.evaluate.compare`.

    Attributes
    ----------
    selectors, estimators : tuple of str
        Names of the selectors and of the estimators.
    data : tuple of DataSet
        The data sets.
    cells : dict of (data set, selector, fold) to Cell
        All results, by position.
    """

    selectors: tuple[str, ...]
    data: tuple[DataSet, ...]
    estimators: tuple[str, ...]
    cells: dict[Position, Cell]

    def table(self, output: Output = "pandas") -> Frame:
        """Return a table of means over the folds, one row per data set, selector, estimator and k.

        Parameters
        ----------
        output : {"pandas", "polars", "dict"}, default="pandas"

        Returns
        -------
        table : DataFrame or dict
            Columns: ``data``, ``selector``, ``estimator``, ``k``; ``score`` and its standard deviation ``score_sd``;
            ``n_selected``; ``stability`` (Nogueira) with ``stability_low`` and ``stability_high``, an interval of 95 %
            that is somewhat too short because training sets overlap; ``false_share``, the share of the selected
            features that are not true, if the truth is known; ``seconds``, ``evaluations`` and ``megabytes``
            (growth of the process at its peak; only on Linux) of the fit that selected; ``n_failed`` folds. Unknown
            values are nan. Failed folds do not count.
        """
        rows: list[Values] = []
        for d, entry in enumerate(self.data):
            for s, selector in enumerate(self.selectors):
                cells = self._cells_of(d, s)
                for i, size in enumerate(entry.sizes):
                    choice = _describe_choice(cells, entry, i)
                    for estimator in self.estimators:
                        scores = np.array([cell.scores[estimator][i] for cell in cells])
                        rows.append(
                            {
                                "data": entry.name,
                                "selector": selector,
                                "estimator": estimator,
                                "k": size,
                                "score": _mean(scores),
                                "score_sd": _spread(scores),
                                **choice,
                                "n_failed": int(np.isnan(scores).sum()),
                            }
                        )
        return _as_columns(rows, output)

    def folds(self, output: Output = "pandas") -> Frame:
        """Return ``score``, ``n_selected`` and ``seconds`` per data set, selector, estimator, k and fold."""
        rows = [
            {
                "data": entry.name,
                "selector": self.selectors[s],
                "estimator": estimator,
                "k": size,
                "fold": f,
                "score": cell.scores[estimator][i],
                "n_selected": len(cell.features[i]) if cell.features else math.nan,
                "seconds": cell.seconds[i],
            }
            for (d, s, f), cell in self.cells.items()
            for entry in [self.data[d]]
            for estimator in self.estimators
            for i, size in enumerate(entry.sizes)
        ]
        return _as_columns(rows, output)

    def errors(self, output: Output = "pandas") -> Frame:
        """Return the failures: ``data``, ``selector``, ``fold``, ``estimator`` (empty for the selector), ``error``."""
        rows = [
            (self.data[d].name, self.selectors[s], f, estimator, error)
            for (d, s, f), cell in self.cells.items()
            for estimator, error in cell.errors.items()
        ]
        names = ("data", "selector", "fold", "estimator", "error")
        return as_table({name: [row[i] for row in rows] for i, name in enumerate(names)}, output)

    def scores(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Frame:
        """Return the mean scores that the tests use, one row per data set and one column per selector.

        Parameters
        ----------
        k : int, default=None
            Number of features. None averages over all k of a data set.
        estimator : str, default=None
            Name of an estimator. None averages over all estimators except those that failed everywhere.
        output : {"pandas", "polars", "dict"}, default="pandas"
            Type of the table.
        """
        matrix = self._matrix(k, estimator)
        columns: Values = {"data": [entry.name for entry in self.data]}
        columns.update(zip(self.selectors, matrix.T, strict=True))
        return as_table(columns, output)

    def ranks(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Frame:
        """Return ``selector``, ``mean_rank`` over the data sets (1 is best) and ``mean_score``, best first."""
        return as_table(_ranked(self._complete(k, estimator)), output)

    def friedman(self, k: int | None = None, estimator: str | None = None) -> FriedmanTest:
        """Test whether all selectors are equally good; see :func:`thresher.evaluate.friedman`."""
        return significance.friedman(self._complete(k, estimator))

    def wilcoxon(
        self, k: int | None = None, estimator: str | None = None, *, alpha: float = 0.05
    ) -> PairwiseTests:
        """Test all pairs of selectors; see :func:`thresher.evaluate.wilcoxon_holm`."""
        return significance.wilcoxon_holm(self._complete(k, estimator), alpha=alpha)

    def nemenyi(
        self, k: int | None = None, estimator: str | None = None, *, alpha: float = 0.05
    ) -> PairwiseTests:
        """Test the mean ranks of all pairs of selectors; see :func:`thresher.evaluate.nemenyi`."""
        return significance.nemenyi(self._complete(k, estimator), alpha=alpha)

    def bonferroni_dunn(
        self,
        control: str,
        k: int | None = None,
        estimator: str | None = None,
        *,
        alpha: float = 0.05,
    ) -> PairwiseTests:
        """Test all selectors against one; see :func:`thresher.evaluate.bonferroni_dunn`."""
        return significance.bonferroni_dunn(self._complete(k, estimator), control, alpha=alpha)

    def wins(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Frame:
        """Return wins, ties and losses of every pair of selectors; see :func:`thresher.evaluate.wins`."""
        return significance.wins(self._complete(k, estimator), output=output)

    def __repr__(self) -> str:
        sizes = sorted({size for entry in self.data for size in entry.sizes})
        headline = (
            f"{len(self.selectors)} selectors on {len(self.data)} data sets with {len(self.estimators)} estimators, "
            f"k = {', '.join(map(str, sizes))}"
        )
        if any(cell.errors for cell in self.cells.values()):
            headline += "; some fits or scores failed. Call errors() to see them"
        scores, _ = self._without_gaps(None, None)
        return as_text(headline, _ranked(scores)) if scores else headline

    def _cells_of(self, d: int, s: int) -> list[Cell]:
        return [cell for (i, j, _), cell in self.cells.items() if (i, j) == (d, s)]

    def _matrix(self, k: int | None, estimator: str | None) -> Floats:
        """Return the mean scores, data sets by selectors; nan where a fold failed."""
        if estimator is not None:
            check_choice("estimator", estimator, self.estimators)
        sizes = sorted({size for entry in self.data for size in entry.sizes})
        if k is not None and k not in sizes:
            raise ValueError(f"k must be one of {sizes}, the numbers that were compared, got {k!r}")
        names = self._estimators_that_score() if estimator is None else (estimator,)
        matrix = np.full((len(self.data), len(self.selectors)), math.nan)
        for d, entry in enumerate(self.data):
            if k is not None and k not in entry.sizes:
                continue
            columns = slice(None) if k is None else entry.sizes.index(k)
            for s in range(len(self.selectors)):
                cells = self._cells_of(d, s)
                matrix[d, s] = np.mean(
                    [np.mean(c.scores[n][columns]) for c in cells for n in names]
                )
        return matrix

    def _complete(self, k: int | None, estimator: str | None) -> dict[str, Floats]:
        """Return scores by selector, of the data sets on which every selector has one."""
        scores, left_out = self._without_gaps(k, estimator)
        if not scores:
            raise ValueError(
                "no data set has a score of every selector. Call errors() to see what failed"
            )
        if left_out:
            names = ", ".join(map(readable, left_out))
            warn(f"left out of ranks and tests because scores are missing: {names}")
        return scores

    def _without_gaps(
        self, k: int | None, estimator: str | None
    ) -> tuple[dict[str, Floats], list[str]]:
        """Return the scores without gaps, and the names left out: those that failed everywhere, then data sets."""
        matrix = self._matrix(k, estimator)
        missing = np.isnan(matrix)
        failed = missing.all(axis=0)
        incomplete = missing[:, ~failed].any(axis=1)
        without_score = set(self.estimators) - set(self._estimators_that_score())
        left_out = [
            *(name for name in self.estimators if estimator is None and name in without_score),
            *(self.selectors[s] for s in np.flatnonzero(failed)),
            *(self.data[d].name for d in np.flatnonzero(incomplete)),
        ]
        if incomplete.all():
            return {}, left_out
        scored = np.flatnonzero(~failed)
        return {self.selectors[s]: matrix[~incomplete, s] for s in scored}, left_out

    def _estimators_that_score(self) -> tuple[str, ...]:
        cells = self.cells.values()
        scoring = [n for n in self.estimators if any(np.isfinite(c.scores[n]).any() for c in cells)]
        return tuple(scoring) or self.estimators


def _ranked(scores: dict[str, Floats]) -> Values:
    """Return the selectors with mean ranks and mean scores, best first."""
    ranks = Scores.read(scores, least_sets=1, least_methods=1).ranks(True).mean(axis=0)
    names = list(scores)
    order = np.argsort(ranks, kind="stable")
    return {
        "selector": [names[i] for i in order],
        "mean_rank": ranks[order].tolist(),
        "mean_score": [float(scores[names[i]].mean()) for i in order],
    }


def _describe_choice(cells: list[Cell], entry: DataSet, i: int) -> Values:
    """Return size, stability, errors and costs of one selector on one data set for one number of features."""
    chosen = [cell.features[i] for cell in cells if cell.features]
    stability = low = high = math.nan
    if len(chosen) > 1:
        interval = nogueira_interval(chosen, n_features=entry.X.shape[1])
        stability, low, high = interval.value, interval.low, interval.high
    false = math.nan
    if entry.truth is not None and chosen:
        true = set(entry.truth.tolist())
        false = _mean(
            np.array([sum(f not in true for f in c) / len(c) if c else 0.0 for c in chosen])
        )
    return {
        "n_selected": _mean(np.array([len(features) for features in chosen], dtype=float)),
        "stability": stability,
        "stability_low": low,
        "stability_high": high,
        "false_share": false,
        "seconds": _mean(np.array([cell.seconds[i] for cell in cells])),
        "evaluations": _mean(np.array([cell.evaluations[i] for cell in cells])),
        "megabytes": _mean(np.array([cell.megabytes[i] for cell in cells])),
    }


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _spread(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan


def _as_columns(rows: list[Values], output: Output) -> Frame:
    return as_table({name: [row[name] for row in rows] for name in rows[0]}, output)
