"""What a comparison of selectors found, as tables and tests."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import check_choice, readable
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.warnings import warn
from thresher.evaluate import significance
from thresher.evaluate._runs import Cell
from thresher.evaluate._scores import Scores
from thresher.evaluate.stability import nogueira_interval

__all__ = ["Comparison", "DataSet"]

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class DataSet:
    """One data set of a comparison, and the numbers of features it is compared for."""

    name: str
    X: Any
    y: Any
    truth: npt.NDArray[np.intp] | None
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class Comparison:
    """Outcome of :func:`thresher.evaluate.compare`.

    Attributes
    ----------
    selectors, estimators : tuple of str
        Their names.
    data : tuple of DataSet
    cells : dict of (data set, selector, fold) to Cell
        Everything that was found, by position.
    """

    selectors: tuple[str, ...]
    data: tuple[DataSet, ...]
    estimators: tuple[str, ...]
    cells: dict[tuple[int, int, int], Cell]

    def table(self, output: Output = "pandas") -> Any:
        """One row per data set, selector, estimator and k; means over the folds.

        Parameters
        ----------
        output : {"pandas", "polars", "dict"}, default="pandas"

        Returns
        -------
        table : DataFrame or dict
            ``data``, ``selector``, ``estimator``, ``k``; ``score`` and its standard deviation ``score_sd``;
            ``n_selected``; ``stability`` (Nogueira) with ``stability_low`` and ``stability_high``, an interval of 95 %
            that is rather too short because training sides overlap; ``false_share``, the share of the selected
            features that are not true, where the truth is known; ``seconds``, ``evaluations`` and ``megabytes``
            (growth of the process at its peak; nan but on Linux) of the fit that selected; ``n_failed`` folds. nan
            stands for what is not known; of failed folds nothing counts.
        """
        rows: list[dict[str, Any]] = []
        for d, entry in enumerate(self.data):
            for s, selector in enumerate(self.selectors):
                cells = self._folds_of(d, s)
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

    def folds(self, output: Output = "pandas") -> Any:
        """One row per data set, selector, estimator, k and fold: ``score``, ``n_selected``, ``seconds``."""
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

    def errors(self, output: Output = "pandas") -> Any:
        """What failed: ``data``, ``selector``, ``fold``, ``estimator`` (empty if the selector did) and ``error``."""
        columns: dict[str, list[Any]] = {
            name: [] for name in ("data", "selector", "fold", "estimator", "error")
        }
        for (d, s, f), cell in self.cells.items():
            for estimator, error in cell.errors.items():
                row = (self.data[d].name, self.selectors[s], f, estimator, error)
                for values, value in zip(columns.values(), row, strict=True):
                    values.append(value)
        return as_table(columns, output)

    def scores(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Any:
        """Mean scores, one row per data set (``data``) and one column per selector: what the tests are made of.

        Parameters
        ----------
        k : int, default=None
            Number of features; None is the mean over all k of a data set.
        estimator : str, default=None
            None is the mean over all estimators, but for those that failed everywhere.
        output : {"pandas", "polars", "dict"}, default="pandas"
        """
        matrix = self._matrix(k, estimator)
        columns: dict[str, Any] = {"data": [entry.name for entry in self.data]}
        columns.update(zip(self.selectors, matrix.T, strict=True))
        return as_table(columns, output)

    def ranks(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Any:
        """``selector``, ``mean_rank`` over the data sets (1 is best) and ``mean_score``, best first."""
        return as_table(_ranked(self._complete(k, estimator)), output)

    def friedman(
        self, k: int | None = None, estimator: str | None = None
    ) -> significance.FriedmanTest:
        """Do all selectors do equally well? See :func:`thresher.evaluate.friedman`."""
        return significance.friedman(self._complete(k, estimator))

    def wilcoxon(
        self, k: int | None = None, estimator: str | None = None, *, alpha: float = 0.05
    ) -> significance.PairwiseTests:
        """Test all pairs of selectors; see :func:`thresher.evaluate.wilcoxon_holm`."""
        return significance.wilcoxon_holm(self._complete(k, estimator), alpha=alpha)

    def nemenyi(
        self, k: int | None = None, estimator: str | None = None, *, alpha: float = 0.05
    ) -> significance.PairwiseTests:
        """Test the mean ranks of all pairs of selectors; see :func:`thresher.evaluate.nemenyi`."""
        return significance.nemenyi(self._complete(k, estimator), alpha=alpha)

    def bonferroni_dunn(
        self,
        control: str,
        k: int | None = None,
        estimator: str | None = None,
        *,
        alpha: float = 0.05,
    ) -> significance.PairwiseTests:
        """Test all selectors against one; see :func:`thresher.evaluate.bonferroni_dunn`."""
        return significance.bonferroni_dunn(self._complete(k, estimator), control, alpha=alpha)

    def wins(
        self, k: int | None = None, estimator: str | None = None, output: Output = "pandas"
    ) -> Any:
        """Wins, ties and losses of every pair of selectors; see :func:`thresher.evaluate.wins`."""
        return significance.wins(self._complete(k, estimator), output=output)

    def __repr__(self) -> str:
        sizes = sorted({size for entry in self.data for size in entry.sizes})
        headline = (
            f"{len(self.selectors)} selectors on {len(self.data)} data sets with {len(self.estimators)} estimators, "
            f"k = {', '.join(map(str, sizes))}"
        )
        if any(cell.errors for cell in self.cells.values()):
            headline += "; some fits or scores failed, see errors()"
        scores, _ = self._whole(None, None)
        return as_text(headline, _ranked(scores)) if scores else headline

    def _folds_of(self, d: int, s: int) -> list[Cell]:
        return [cell for (i, j, _), cell in self.cells.items() if (i, j) == (d, s)]

    def _matrix(self, k: int | None, estimator: str | None) -> Floats:
        """Mean scores, data sets by selectors; nan where a fold failed."""
        if estimator is not None:
            check_choice("estimator", estimator, self.estimators)
        sizes = sorted({size for entry in self.data for size in entry.sizes})
        if k is not None and k not in sizes:
            raise ValueError(f"k must be one of {sizes}, for which was compared, got {k!r}")
        names = self._estimators_that_score() if estimator is None else (estimator,)
        matrix = np.full((len(self.data), len(self.selectors)), math.nan)
        for d, entry in enumerate(self.data):
            if k is not None and k not in entry.sizes:
                continue
            wanted = slice(None) if k is None else entry.sizes.index(k)
            for s in range(len(self.selectors)):
                cells = self._folds_of(d, s)
                matrix[d, s] = np.mean([np.mean(c.scores[n][wanted]) for c in cells for n in names])
        return matrix

    def _complete(self, k: int | None, estimator: str | None) -> dict[str, Floats]:
        """Scores by selector, of the data sets on which all have one."""
        scores, left_out = self._whole(k, estimator)
        if not scores:
            raise ValueError(
                "there is no data set with a score of every selector; see errors() for what failed"
            )
        if left_out:
            names = ", ".join(map(readable, left_out))
            warn(f"left out of ranks and tests for lack of scores: {names}")
        return scores

    def _whole(self, k: int | None, estimator: str | None) -> tuple[dict[str, Floats], list[str]]:
        """The scores without gaps, and what had to be left out: what failed everywhere, then data sets."""
        matrix = self._matrix(k, estimator)
        missing = np.isnan(matrix)
        failed = missing.all(axis=0)
        lacking = missing[:, ~failed].any(axis=1)
        useless = set(self.estimators) - set(self._estimators_that_score())
        left_out = [
            *(name for name in self.estimators if estimator is None and name in useless),
            *(self.selectors[s] for s in np.flatnonzero(failed)),
            *(self.data[d].name for d in np.flatnonzero(lacking)),
        ]
        if lacking.all():
            return {}, left_out
        kept = np.flatnonzero(~failed)
        return {self.selectors[s]: matrix[~lacking, s] for s in kept}, left_out

    def _estimators_that_score(self) -> tuple[str, ...]:
        cells = self.cells.values()
        scoring = [n for n in self.estimators if any(np.isfinite(c.scores[n]).any() for c in cells)]
        return tuple(scoring) or self.estimators


def _ranked(scores: dict[str, Floats]) -> dict[str, list[Any]]:
    """Selectors, their mean ranks and mean scores, best first."""
    ranks = Scores.read(scores, least_sets=1, least_methods=1).ranks(True).mean(axis=0)
    names = list(scores)
    order = np.argsort(ranks, kind="stable")
    return {
        "selector": [names[i] for i in order],
        "mean_rank": ranks[order].tolist(),
        "mean_score": [float(scores[names[i]].mean()) for i in order],
    }


def _describe_choice(cells: list[Cell], entry: DataSet, i: int) -> dict[str, Any]:
    """What is known of the selections of one selector on one data set for one number of features."""
    chosen = [cell.features[i] for cell in cells if cell.features]
    stability = (math.nan, math.nan, math.nan)
    if len(chosen) > 1:
        interval = nogueira_interval(chosen, n_features=entry.X.shape[1])
        stability = (interval.value, interval.low, interval.high)
    false = math.nan
    if entry.truth is not None and chosen:
        true = set(entry.truth.tolist())
        false = _mean(
            np.array([sum(f not in true for f in c) / len(c) if c else 0.0 for c in chosen])
        )

    def mean_of(kind: Callable[[Cell], list[float]]) -> float:
        return _mean(np.array([kind(cell)[i] for cell in cells]))

    return {
        "n_selected": _mean(np.array([len(features) for features in chosen], dtype=float)),
        "stability": stability[0],
        "stability_low": stability[1],
        "stability_high": stability[2],
        "false_share": false,
        "seconds": mean_of(lambda cell: cell.seconds),
        "evaluations": mean_of(lambda cell: cell.evaluations),
        "megabytes": mean_of(lambda cell: cell.megabytes),
    }


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _spread(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.std(ddof=1)) if len(known) > 1 else math.nan


def _as_columns(rows: list[dict[str, Any]], output: Output) -> Any:
    return as_table({name: [row[name] for row in rows] for name in rows[0]}, output)
