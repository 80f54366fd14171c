"""The measure of categories and numbers alike: each column is measured as what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.lazy import cached
from thresher._utils.types import Array, Floats, Indices, Mask, Values
from thresher.data import FeatureRoles, LocalData
from thresher.measures._codes import PartSets

if TYPE_CHECKING:
    from thresher.measures._local import LocalMeasures


@dataclass(eq=False, repr=False)
class MixedColumns:
    """The association of columns of which some, or all, are categories.

    Parameters
    ----------
    training : LocalData
    parts : PartSets or None
        With parts, values are computed per replicate.
    numbers, categories : LocalMeasures
        The measures of the columns of each kind; a kind without columns has none of its values computed.
    """

    training: LocalData
    parts: PartSets | None
    numbers: LocalMeasures
    categories: LocalMeasures

    @property
    def is_category(self) -> Mask:
        return self.training.schema.is_category

    @cached
    def levels(self) -> npt.NDArray[np.int32]:
        """Return the number of levels of every category."""
        return self.categories.codes.levels

    def _codes(self, order: npt.NDArray[np.uint32] | None) -> npt.NDArray[np.uint8]:
        codes = self.categories.codes.table.matrix(n_threads=self.training.n_threads)
        return np.ascontiguousarray(codes if order is None else codes[:, order])

    def relevance(self, name: str) -> Floats:
        """Return the measure of every feature with the target: one per feature, or a row per replicate."""
        is_category = self.is_category
        shape = () if self.parts is None else (self.parts.n_replicates,)
        values = np.empty((*shape, len(is_category)))
        if not is_category.all():
            values[..., ~is_category] = self.numbers.relevance_of_numbers(name)
        target = self.training.labels
        if target.codes is not None:
            table, n_threads = self.categories.codes.table, self.training.n_threads
            values[..., is_category] = table.relevance(
                target.codes, target.n_classes, name, n_threads
            )
        else:
            values[..., is_category] = self._with_numeric_target()
        return values

    def _with_numeric_target(self) -> Floats:
        """Return the association of every category with a numeric target, which is one column of numbers."""
        training, parts = self.training, self.parts
        rows = np.ascontiguousarray(training.labels.values[None, :], dtype=np.float64)
        in_parts: Values = {} if parts is None else parts.arguments()
        target = _core.NumericTable(
            rows, weights=training.real_weights, n_threads=training.n_threads, **in_parts
        )
        n_categories = int(self.is_category.sum())
        marks = np.append(0, np.ones(n_categories)).astype(np.uint8)
        measure = self._measure(target, None, marks)
        values = measure.values(0, np.arange(1, n_categories + 1, dtype=np.uint32))
        return values[:, 0] if parts is None else values.T

    def _measure(
        self, numbers: _core.NumericTable, order: npt.NDArray[np.uint32] | None, marks: Array
    ) -> _core.MixedMeasure:
        return _core.MixedMeasure(
            numbers,
            self.categories.codes.table,
            self._codes(order),
            np.ascontiguousarray(self.levels, dtype=np.int32),
            marks,
            self.training.n_threads,
        )

    def pairs(self, name: str) -> _core.PairMeasure:
        """Return the measure of feature pairs."""
        if self.is_category.all():
            table = self.categories.codes.table
            return _core.DiscretePairMeasure(table, name, self.training.n_threads)
        numbers, order = self.numbers.numeric_table()
        return self._measure(numbers, order, self.is_category.astype(np.uint8))

    def varies(self) -> Mask:
        """Return the columns that vary: one per feature, or a row per replicate."""
        is_category = self.is_category
        shape = () if self.parts is None else (self.parts.n_replicates,)
        varies = np.ones((*shape, len(is_category)), dtype=bool)
        table = self.categories.codes.table
        varies[..., is_category] = ~(table.constant if self.parts is None else table.constant_parts)
        if self.parts is not None and not is_category.all():
            varies[:, ~is_category] = ~self.numbers.numeric_table()[0].constant_parts
        return varies


def of_columns(training: LocalData, columns: Indices) -> LocalData:
    """Return the data of some columns, which are not excluded."""
    table = training.table.of_features(columns)
    if table.names is None:  # messages name the columns of the whole table
        table.names = columns.astype(str).astype(object)
    roles = FeatureRoles.read(None, training.candidates[columns])
    return training.with_table(table, roles)


def reject_missing_numbers(training: LocalData, name: str) -> None:
    """Raise ValueError for numbers that are missing and should be a category."""
    schema = training.schema
    has_missing = schema.has_missing & ~schema.is_category & ~training.excluded
    if training.missing == "category" and has_missing.any():
        raise ValueError(
            f'missing="category" with the measure "{name}" is for categories, but column '
            f"{schema.label(int(np.argmax(has_missing)))} contains numbers and NaN. "
            'Set missing="pairwise" or "drop_rows", or fill the values in'
        )
