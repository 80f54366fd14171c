"""A training set whose rows stay in their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features, resolve_threads
from thresher._utils.warnings import warn
from thresher.blocks.engine import Engine, Session
from thresher.blocks.rows import RowReader
from thresher.blocks.summary import (
    BlockSummary,
    ColumnFacts,
    Summarise,
    merge_columns,
    merge_labels,
)
from thresher.data import (
    MOST_DISCRETE_VALUES,
    ColumnScan,
    InputRules,
    Table,
    Training,
    are_counted,
    checked_training,
    range_shift,
    warn_of_few,
)
from thresher.discretize import GivenBins

MOST_LEVELS = 256


class FarTable(Table):
    """What is known of the columns of rows that are elsewhere."""

    def __init__(
        self,
        n_rows: int,
        names: npt.NDArray[np.object_] | None,
        is_category: npt.NDArray[np.bool_],
        scan: ColumnScan,
        n_threads: int,
    ) -> None:
        super().__init__(None, names, is_category, n_threads)
        self._n_rows = n_rows
        vars(self)["scan"] = scan

    @property
    def n_rows(self) -> int:
        return self._n_rows

    @property
    def n_features(self) -> int:
        return len(self.is_category)

    @property
    def is_sparse(self) -> bool:
        return False


@dataclass(frozen=True)
class FarRows:
    """What else is known of them.

    Attributes
    ----------
    session : Session
    reader : RowReader
    facts : ColumnFacts
        Of every column.
    quantity : ColumnFacts or None
        Of the target, where it is numbers.
    weights : {"none", "whole", "real"}
    total : int or float
        Sum of the weights.
    first_rows : ndarray of int of shape (n_blocks,)
        Number of the first row that counts of every block.
    """

    session: Session
    reader: RowReader
    facts: ColumnFacts
    quantity: ColumnFacts | None
    weights: str
    total: float
    first_rows: npt.NDArray[np.int64]


@dataclass(frozen=True)
class FarTraining(Training):
    """A `Training` of rows in blocks: `weights` holds their sum alone."""

    far: FarRows = field(kw_only=True)

    def __exit__(self, *failure: object) -> None:
        self.far.session.close()


def read_far_training(
    selector: Any,
    engine: Engine,
    rules: InputRules,
    discretize: Any = "auto",
    checkpoint: str | Path | None = None,
) -> FarTraining:
    """One pass over all blocks, and what it tells: as `read_training` of rows in memory."""
    try:
        return _read(selector, Session(engine, selector, checkpoint), rules, discretize)
    except BaseException:
        engine.close()
        raise


def _read(selector: Any, session: Session, rules: InputRules, discretize: Any) -> FarTraining:
    owner = type(selector).__name__
    given_names = session.engine.names
    names = None if given_names is None else tuple(str(name) for name in given_names)
    drops_rows = rules.missing == "drop_rows"
    reader = RowReader(owner, names, rules.exclude, rules.needs_target, drops_rows)
    as_is = discretize is None or isinstance(discretize, GivenBins)
    most = MOST_LEVELS if as_is else MOST_DISCRETE_VALUES
    task = Summarise(reader, most, as_is, rules.target, rules.classes_only)
    summaries = session.read("summaries", task)
    shift = _weight_shift(summaries)
    if any(own.weights is not None and own.weights.shift != shift for own in summaries):
        reader = replace(reader, weight_shift=shift)
        summaries = session.read("summaries by scaled weights", replace(task, reader=reader))
    n_given = sum(own.n_given for own in summaries)
    n_rows = sum(own.n_rows for own in summaries)
    facts = merge_columns([own.columns for own in summaries], most, names)
    p = len(facts.minimum)
    labelled = [own.labels for own in summaries if own.labels is not None]
    labels = None
    if labelled:
        labels = merge_labels(labelled, n_given, rules.target, rules.classes_only, owner)
    quantity = None
    if labels is not None and not labels.is_nominal:
        told = [own.quantity for own in summaries if own.quantity is not None]
        quantity = merge_columns(told, MOST_DISCRETE_VALUES)
    weights, total = _merge_weights(summaries, n_rows)
    if any(own.n_incomplete for own in summaries):
        warn(f'missing="drop_rows" left out {n_given - n_rows} of {n_given} samples')
    labels_of = None if names is None else np.array(names, dtype=object)
    excluded = np.zeros(p, dtype=bool)
    excluded[resolve_features("exclude", rules.exclude, labels_of, p)] = True
    is_category = np.zeros(p, dtype=bool)
    is_category[list(facts.texts)] = True
    is_category[excluded] = False
    selector.n_features_in_ = p
    if labels_of is not None:
        selector.feature_names_in_ = labels_of
    elif hasattr(selector, "feature_names_in_"):
        del selector.feature_names_in_
    n_threads = resolve_threads(rules.n_jobs)
    table = FarTable(n_rows, labels_of, is_category, _scan(facts, excluded), n_threads)
    counted = np.cumsum([0, *(own.n_rows for own in summaries)], dtype=np.int64)
    far = FarRows(session, reader, facts, quantity, weights, total, counted[:-1])
    return checked_training(
        lambda *known: FarTraining(*known, far=far),
        table,
        labels,
        None if weights == "none" else np.array([total]),
        rules,
    )


def _scan(facts: ColumnFacts, excluded: npt.NDArray[np.bool_]) -> ColumnScan:
    """The facts as of a table in memory: categories stand as their ranks, and excluded columns are zeros."""
    n_distinct = np.array(
        [MOST_DISCRETE_VALUES + 1 if own is None else len(own) for own in facts.distinct],
        dtype=np.int32,
    )
    scan = ColumnScan(
        facts.minimum.copy(),
        facts.maximum.copy(),
        np.where(excluded, 0, facts.n_missing),
        np.where(excluded, 0, facts.n_infinite),
        facts.whole | excluded,
        np.where(excluded, 1, np.minimum(n_distinct, MOST_DISCRETE_VALUES + 1)).astype(np.int32),
    )
    for column, texts in facts.texts.items():
        scan.minimum[column], scan.maximum[column] = 0.0, len(texts) - 1.0
    scan.minimum[excluded] = scan.maximum[excluded] = 0.0
    return scan


def _weight_shift(summaries: Sequence[BlockSummary]) -> int:
    """The power of two by which the weights of all blocks are multiplied, as they are in memory."""
    known = [own.weights for own in summaries if own.weights is not None]
    largest = max((own.largest for own in known), default=0.0)
    n_given = sum(own.n_given for own in summaries)
    return range_shift(largest, all(own.whole for own in known), n_given)


def _merge_weights(summaries: Sequence[BlockSummary], n_rows: int) -> tuple[str, float]:
    """Whether rows count once each, whole numbers of times, or by real weights; and the sum of the weights."""
    facts = [own.weights for own in summaries]
    if all(own is None for own in facts):
        return "none", n_rows
    known = [own for own in facts if own is not None]
    if len(known) < len(facts):
        raise ValueError("sample_weight is given for some blocks only; give it for all or none")
    n_positive = sum(own.n_positive for own in known)
    if n_positive == 0:
        raise ValueError("sample_weight is zero for every sample; give some a positive weight")
    n_given = sum(own.n_given for own in summaries)
    largest = max(own.largest for own in known)
    total = float(np.sum([own.total for own in known]))
    if are_counted(largest, all(own.whole for own in known), n_given):
        is_one = largest == 1 and all(own.smallest >= 1 for own in known)
        return ("none", n_rows) if is_one else ("whole", int(total))
    warn_of_few(float(np.ldexp(total, -known[0].shift)) if largest < 2 else np.inf, n_positive)
    return "real", total
