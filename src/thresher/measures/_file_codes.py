"""Codes of features that are in files, made slab by slab."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from thresher import _core
from thresher.data import FileTable, Table, Training, feature_blocks
from thresher.discretize import GivenBins, make_discretizer
from thresher.measures._codes import (
    MISSING_CODE,
    Bins,
    Codes,
    classes_of,
    code_mixed,
    columns_to_bin,
    too_many_levels,
)
from thresher.measures._packing import Packing
from thresher.measures._parts import PartSets


def slab_coder(discretize: Any, default: str) -> Callable[[Training], SlabCoder]:
    """For `read_files`: codes made while the files are read."""
    rule = default if isinstance(discretize, str) and discretize == "auto" else discretize
    return lambda training: SlabCoder(training, rule)


def code_files(
    training: Training, table: FileTable, rule: Any, parts: PartSets | None = None
) -> Codes:
    """The codes made while the files were read, if by the same rule; else from another reading."""
    if table.packed is None or not _is_same(table.packed[0], rule):
        coder = SlabCoder(training, rule)
        for slab, some in table.slabs():
            coder.add(slab, some)
        table.packed = coder.finish()
    codes: Codes = table.packed[1]
    return codes if parts is None else _in_parts(training, table, codes, parts)


def _is_same(rule: Any, other: Any) -> bool:
    return rule is other or (isinstance(rule, str) and isinstance(other, str) and rule == other)


class SlabCoder:
    """Codes features as slabs of them come; packed columns go to a file when memory is short."""

    def __init__(self, training: Training, rule: Any) -> None:
        self._training, self._rule = training, rule
        if rule is not None:
            make_discretizer(rule)  # refuses what is none before anything is read
        self._classes = classes_of(training)
        self._packing = _packing(training)
        self._is_binned = np.zeros(training.n_features, dtype=bool)
        # As small objects of Python: an array for each, between the large ones that come and go with a slab, would
        # keep their memory from being used again.
        self._cuts: list[bytes] = []

    def add(self, slab: slice, table: Table) -> None:
        training = self._training
        rule = self._rule
        if isinstance(rule, GivenBins):  # of all features
            rule = rule.on(np.arange(slab.start, slab.stop), training.names, training.n_features)
        to_bin = columns_to_bin(table, rule) & ~training.excluded[slab]
        discretizer = None if rule is None else make_discretizer(rule)
        try:
            codes, levels, cuts = code_mixed(
                replace(training, table=table), discretizer, to_bin, self._classes
            )
        except _core.TooManyLevels as error:
            raise too_many_levels(table, error.column) from None
        self._packing.add(codes, levels, _missing_code(training))
        self._is_binned[slab] = to_bin
        self._cuts.extend(own.tobytes() for own in cuts)

    def finish(self) -> tuple[Any, Codes]:
        name = self._rule if isinstance(self._rule, str) else type(self._rule).__name__
        cuts = [np.frombuffer(bytearray(own)) for own in self._cuts]
        bins = Bins(name if self._is_binned.any() else "none", self._is_binned, cuts)
        return self._rule, Codes(self._packing.finish(), bins)


def _packing(training: Training, parts: PartSets | None = None) -> Packing:
    table = training.table
    assert isinstance(table, FileTable)
    options: dict[str, Any] = {} if parts is None else parts.arguments()
    builder = _core.SlabBuilder(table.n_rows, table.n_features, weights=training.weights, **options)
    return Packing(builder, table.scratch, table.n_threads)


def _missing_code(training: Training) -> int:
    return MISSING_CODE if training.missing == "pairwise" else -1


def _in_parts(training: Training, table: FileTable, codes: Codes, parts: PartSets) -> Codes:
    """The same codes with rows in parts."""
    packing = _packing(training, parts)
    levels = codes.levels
    for block in feature_blocks(table.n_features, table.n_rows, table.scratch.memory_limit // 8):
        features = np.arange(block.start, block.stop, dtype=np.uint32)
        own = codes.table.matrix(features, table.n_threads)
        packing.add(own, levels[block], _missing_code(training))
    return Codes(packing.finish(), codes.bins)
