"""Measures of rows in this process, plain or on the replicates of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.lazy import cached
from thresher._utils.types import Array, BinRule, Floats, Indices, Mask
from thresher.data import LocalData, TargetSummary
from thresher.measures._codes import Bins, Codes, PartSets, code_features, code_target
from thresher.measures._mixed import MixedColumns, of_columns, reject_missing_numbers
from thresher.measures._names import BY_CLASS, KINDS
from thresher.measures._protocol import RowWeights
from thresher.measures.columns import dispersion, separation, sparse_numbers


@dataclass(eq=False, repr=False)
class LocalMeasures:
    """The `Measures` of rows in this process.

    Parameters
    ----------
    training : LocalData
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned for measures of discrete features.
    default : str
        The rule meant by ``"auto"``.
    parts : PartSets or None
        With parts, values are computed per replicate: the rows of some parts.

    Notes
    -----
    All values are computed from sums over rows: counts for discrete features, moments for numeric ones. The exception
    is Spearman's correlation, which has no replicates.
    """

    training: LocalData
    _: KW_ONLY
    discretize: BinRule = "auto"
    default: str = "mean-sd"
    parts: PartSets | None = None

    # The factor of all values; above 1 if they are sums over replicates.
    scale: ClassVar[int] = 1

    @cached
    def codes(self) -> Codes:
        return code_features(self.training, self.discretize, default=self.default, parts=self.parts)

    @property
    def bins(self) -> Bins:
        """The binned features; none before a measure uses codes."""
        if "codes" in vars(self):
            return self.codes.bins
        return Bins("none", np.zeros(self.training.n_features, dtype=bool))

    @cached
    def target_codes(self) -> tuple[npt.NDArray[np.int32], int]:
        """Return the class codes of the target and their number; a numeric target is binned."""
        return code_target(self.training.labels, self.training.weights, self.discretize)

    @cached
    def _numbers(self) -> _core.NumericTable | _core.SparseTable:
        """Return the table of numeric columns in the core."""
        training = self.training
        weights = training.real_weights
        table = training.table
        is_pairwise = training.missing == "pairwise"
        if table.is_sparse:
            if is_pairwise:
                raise ValueError(
                    'missing="pairwise" with a measure for numeric features needs dense X. Pass X.toarray()'
                )
            return sparse_numbers(table, weights, **_arguments(self.parts))
        order, parts = self._row_order, self.parts
        if order is None or parts is None or table.is_category.any():  # rejected by feature_major
            columns = table.feature_major()
        else:
            # Rows are sorted by part while the columns are transposed, without a second copy.
            columns, parts = table.in_order(order), parts.in_order(order)
            weights = None if weights is None else weights[order]
        return _core.NumericTable(
            columns,
            weights=weights,
            n_threads=training.n_threads,
            missing="pairwise" if is_pairwise else "error",
            **_arguments(parts),
        )

    @cached
    def _row_order(self) -> npt.NDArray[np.uint32] | None:
        """Return the order of rows by part for the numeric table of the core; None if they are sorted."""
        if self.parts is None or self.training.table.is_sparse:
            return None
        part = self.parts.part
        is_sorted = np.all(np.diff(part) >= 0)
        return None if is_sorted else np.argsort(part, kind="stable").astype(np.uint32)

    def numeric_table(self) -> tuple[_core.NumericTable, npt.NDArray[np.uint32] | None]:
        """Return the dense table of numeric columns in the core, and the order of its rows if that is another."""
        table = self._numbers
        assert isinstance(table, _core.NumericTable)
        return table, self._row_order

    @cached
    def mixed(self) -> MixedColumns | None:
        """Return the columns by kind; None if there are no categories, so that all are measured as numbers."""
        training, parts = self.training, self.parts
        reject_missing_numbers(training, "association")
        is_category = training.schema.is_category
        if not is_category.any():
            return None
        numbers = of_columns(training, np.flatnonzero(~is_category))
        categories = of_columns(training, np.flatnonzero(is_category))
        return MixedColumns(
            training,
            parts,
            LocalMeasures(numbers, parts=parts),
            LocalMeasures(categories, discretize=None, parts=parts),
        )

    def _in_row_order(self, values: Array) -> Array:
        return values if self._row_order is None else values[self._row_order]

    @cached
    def _ranked(self) -> tuple[_core.RankPairMeasure, Floats]:
        """Return the measure of ranks in the core, and the values of the target."""
        training = self.training
        if self.parts is not None:
            raise ValueError(
                'the measure "spearman" is not a sum over rows. Use kind="full" or kind="bagging"'
            )
        if training.missing == "pairwise":
            raise ValueError(
                'missing="pairwise" has no meaning for "spearman": ranks need every value. '
                'Use "pearson", or fill the values in'
            )
        if training.table.is_sparse:
            raise ValueError(
                'the measure "spearman" needs dense X, got a sparse matrix. Use "pearson", or pass X.toarray()'
            )
        rows = training.table.feature_major()
        ranks = _core.RankPairMeasure(rows, training.n_threads, training.real_weights)
        return ranks, training.labels.values

    def relevance(self, name: str) -> Floats:
        """Return the measure of every feature with the target: one per feature, or a row per replicate."""
        n_threads = self.training.n_threads
        if KINDS[name].is_discrete:
            codes, n_classes = self.target_codes
            return self.codes.table.relevance(codes, n_classes, name, n_threads)
        if KINDS[name].is_mixed and self.mixed is not None:
            return self.mixed.relevance(name)
        return self.relevance_of_numbers(name)

    def relevance_of_numbers(self, name: str) -> Floats:
        """Return the same, with all columns as numbers."""
        n_threads = self.training.n_threads
        target = self.training.labels
        if name in BY_CLASS and target.codes is not None:
            codes = self._in_row_order(target.codes)
            return self._numbers.relevance_of_classes(name, codes, target.n_classes, n_threads)
        reject_classes(name, target)
        if name == "spearman":
            ranks, values = self._ranked
            return ranks.relevance_spearman(values)
        values = self._in_row_order(target.values)
        return self._numbers.relevance_of_numbers(name, values, n_threads)

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        """Return the measure of feature pairs for a search; with `in_bits`, the bits that its values A share."""
        return _core.SharedBits(self._pairs(name)) if in_bits else self._pairs(name)

    def _pairs(self, name: str) -> _core.PairMeasure:
        n_threads = self.training.n_threads
        if KINDS[name].is_discrete:
            return _core.DiscretePairMeasure(self.codes.table, name, n_threads)
        if name == "spearman":
            return self._ranked[0]
        if KINDS[name].is_mixed and self.mixed is not None:
            return self.mixed.pairs(name)
        numbers = self._numbers
        if isinstance(numbers, _core.SparseTable):
            return _core.SparsePairMeasure(numbers, name, n_threads)
        return _core.NumericPairMeasure(numbers, name, n_threads)

    def triples(self, term: str) -> _core.PairMeasure:
        """Return a term of two features and the target for a search."""
        classes, n_classes = self.target_codes
        n_threads = self.training.n_threads
        return _core.ThreeWayMeasure(self.codes.table, classes, n_classes, term, n_threads)

    @property
    def levels(self) -> npt.NDArray[np.int32]:
        return self.codes.levels

    @property
    def n_target_levels(self) -> int:
        return self.target_codes[1]

    @property
    def rows_of_classes(self) -> npt.NDArray[np.int64]:
        codes, n_classes = self.target_codes
        part = 0 if self.parts is None else self.parts.part.astype(np.intp)
        n_parts = 1 if self.parts is None else self.parts.keeps.shape[1]
        counts = np.bincount(part * n_classes + codes, minlength=n_parts * n_classes)
        return counts.reshape(n_parts, n_classes)

    @property
    def target_range(self) -> tuple[Floats, Floats]:
        values = self.training.labels.values
        if self.parts is None:
            return values.min(keepdims=True), values.max(keepdims=True)
        n_parts = self.parts.keeps.shape[1]
        lowest, highest = np.full(n_parts, np.inf), np.full(n_parts, -np.inf)
        np.minimum.at(lowest, self.parts.part, values)
        np.maximum.at(highest, self.parts.part, values)
        return lowest, highest

    def category_levels(self) -> npt.NDArray[np.int32]:
        """Return the number of levels of every category, for a measure of categories and numbers alike."""
        return np.zeros(0, dtype=np.int32) if self.mixed is None else self.mixed.levels

    def dispersion(self, name: str) -> Floats:
        """Return the dispersion of every feature: 0 for constant ones, for "am/gm" 1."""
        return dispersion(self.training, name)

    def separation(self, name: str) -> Floats:
        """Return the Fisher score (``"fisher"``), or two-class Fisher ratio (``"fir"``), of every feature."""
        return separation(self.training, name)

    @property
    def whole(self) -> LocalMeasures:
        return self

    def on_rows(self, rows: Indices) -> ChosenRows:
        """Return the measures of some rows, with the bins of all."""
        return ChosenRows(self, rows)

    def coded_rows(self) -> LocalMeasures:
        """Return these measures, which contain all rows as integers."""
        return self

    def row_weights(self) -> RowWeights | None:
        """Return the weights of all rows in one line, for searches that use rows; None without weights."""
        weights = self.training.weights
        return None if weights is None else weights[None, :]

    def weights_on(self, replicates: Sequence[int]) -> RowWeights:
        """Return the weights of all rows on these replicates, one line each."""
        assert self.parts is not None
        return self.parts.weights(replicates, self.training.weights)

    def candidates(self, *names: str) -> Mask:
        """Return the features that may be selected: not excluded, varying, also after binning.

        With parts there is one row per replicate.
        """
        allowed = self.training.candidates
        if self.parts is not None:
            allowed = np.repeat(allowed[None, :], self.parts.n_replicates, axis=0)
        kinds = [KINDS[name] for name in names]
        if any(kind.is_discrete for kind in kinds):
            table = self.codes.table
            allowed = allowed & ~(table.constant if self.parts is None else table.constant_parts)
        is_mixed = any(kind.is_mixed for kind in kinds) and self.mixed is not None
        if is_mixed:
            assert self.mixed is not None
            allowed = allowed & self.mixed.varies()
        elif self.parts is not None and not all(kind.is_discrete for kind in kinds):
            allowed = allowed & ~self._numbers.constant_parts
        return allowed


@dataclass(eq=False, repr=False)
class ChosenRows:
    """Some rows of a training set, with repeats where `rows` has them, and the bins of all rows."""

    whole: LocalMeasures
    rows: Indices

    scale: ClassVar[int] = 1

    @cached
    def _codes(self) -> _core.CodedTable:
        return self.whole.codes.table.take(self.rows)

    @cached
    def _numeric(self) -> LocalMeasures:
        training = self.whole.training
        table = training.table.take(self.rows)
        weights = training.weights
        features = replace(
            training.features, candidates=training.candidates & ~table.schema.is_constant
        )
        chosen = replace(
            training.with_table(table, features),
            target=training.labels.take(self.rows),
            weights=None if weights is None else weights[self.rows],
        )
        return LocalMeasures(chosen)

    def relevance(self, name: str) -> Floats:
        if not KINDS[name].is_discrete:
            return self._numeric.relevance(name)
        codes, n_classes = self.whole.target_codes
        n_threads = self.whole.training.n_threads
        return self._codes.relevance(codes[self.rows], n_classes, name, n_threads)

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        if not KINDS[name].is_discrete:
            return self._numeric.pairs(name, in_bits)
        values = _core.DiscretePairMeasure(self._codes, name, self.whole.training.n_threads)
        return _core.SharedBits(values) if in_bits else values

    def triples(self, term: str) -> _core.PairMeasure:
        codes, n_classes = self.whole.target_codes
        n_threads = self.whole.training.n_threads
        return _core.ThreeWayMeasure(self._codes, codes[self.rows], n_classes, term, n_threads)

    def row_weights(self) -> RowWeights:
        counts = np.bincount(self.rows, minlength=self.whole.training.n_rows)
        weights = self.whole.training.weights
        return (counts if weights is None else counts * weights)[None, :]

    def candidates(self, *names: str) -> Mask:
        allowed = self.whole.candidates(*names)
        kinds = {KINDS[name].is_discrete for name in names}
        if True in kinds:
            allowed = allowed & ~self._codes.constant
        if False in kinds:
            allowed = allowed & self._numeric.training.candidates
        return allowed


def reject_classes(name: str, target: TargetSummary) -> None:
    """Raise ValueError if the target has more than two classes, which have no correlation."""
    if target.is_nominal and target.n_classes > 2:
        raise ValueError(
            f'relevance="{name}" needs a numeric target, but y has {target.n_classes} classes. '
            'Use "f" or "mi", or set target="numeric" if the class labels are quantities'
        )


def _arguments(parts: PartSets | None) -> dict[str, Array]:
    return {} if parts is None else parts.arguments()
