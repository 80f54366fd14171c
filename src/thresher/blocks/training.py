"""A training set whose rows stay in their blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features, resolve_threads, warn
from thresher._utils.types import Array, Estimator, Mask
from thresher.blocks.engine import Engine, Session
from thresher.blocks.rows import RowReader
from thresher.blocks.summary import (
    BlockSummary,
    BlockTarget,
    ColumnFacts,
    Summarise,
    merge_columns,
    merge_labels,
)
from thresher.data import (
    MOST_DISCRETE_VALUES,
    InputRules,
    Schema,
    TrainingData,
    WeightKind,
    are_counted,
    check_training,
    range_shift,
    warn_of_few,
)
from thresher.discretize import GivenBins

MOST_LEVELS = 256


@dataclass(frozen=True)
class BlockData(TrainingData):
    """Training data whose rows are in blocks.

    Attributes
    ----------
    target : BlockTarget or None
    session : Session
    reader : RowReader
    facts : ColumnFacts
        Of every column.
    quantity : ColumnFacts or None
        Of the target, where it is numbers.
    weight_kind : {"none", "whole", "real"}
    total_weight : int or float
    first_rows : ndarray of int of shape (n_blocks,)
        Number of the first row that counts of every block.
    """

    target: BlockTarget | None
    session: Session
    reader: RowReader
    facts: ColumnFacts
    quantity: ColumnFacts | None
    weights: WeightSummary
    first_rows: npt.NDArray[np.int64]

    @property
    def weight_kind(self) -> WeightKind:
        return self.weights.kind

    @property
    def total_weight(self) -> float:
        return float(self.weights.total)

    @property
    def local(self) -> None:
        return None

    def pass_counts(self) -> dict[str, int]:
        return {"n_rounds_": self.session.n_rounds, "n_passes_": self.session.n_passes}

    def report_as(self, owner: Estimator) -> None:
        self.session.owner = owner

    def __exit__(self, *failure: object) -> None:
        self.session.close()


class WeightSummary(NamedTuple):
    """How the rows of all blocks count, and the sum of their weights."""

    kind: WeightKind
    total: float


def read_blocks(
    selector: Estimator, engine: Engine, rules: InputRules, checkpoint: str | Path | None
) -> BlockData:
    """Read the facts of all blocks in one pass: as `read_training` of rows in memory."""
    try:
        return _read(selector, Session(engine, selector, checkpoint), rules)
    except BaseException:
        engine.close()
        raise


def _read(selector: Estimator, session: Session, rules: InputRules) -> BlockData:
    owner = type(selector).__name__
    given_names = session.engine.names
    names = None if given_names is None else tuple(str(name) for name in given_names)
    drops_rows = rules.missing == "drop_rows"
    reader = RowReader(owner, names, rules.exclude, rules.needs_target, drops_rows)
    as_is = rules.discretize is None or isinstance(rules.discretize, GivenBins)
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
    labels = quantity = None
    if labelled:
        labels = merge_labels(labelled, n_given, rules.target, rules.classes_only, owner)
        if not labels.is_nominal:
            told = [own.quantity for own in summaries if own.quantity is not None]
            quantity = merge_columns(told, MOST_DISCRETE_VALUES)
    weights = _merge_weights(summaries, n_rows)
    if any(own.n_incomplete for own in summaries):
        warn(f'missing="drop_rows" left out {n_given - n_rows} of {n_given} samples')
    labels_of = None if names is None else np.array(names, dtype=object)
    excluded = np.zeros(p, dtype=bool)
    excluded[resolve_features("exclude", rules.exclude, labels_of, p)] = True
    selector.n_features_in_ = p
    if labels_of is not None:
        selector.feature_names_in_ = labels_of
    elif hasattr(selector, "feature_names_in_"):
        del selector.feature_names_in_
    schema = _schema(facts, n_rows, labels_of, excluded)
    counted = np.cumsum([0, *(own.n_rows for own in summaries)], dtype=np.int64)
    return BlockData(
        schema,
        check_training(schema, labels, rules),
        labels,
        rules.missing,
        resolve_threads(rules.n_jobs),
        session,
        reader,
        facts,
        quantity,
        weights,
        counted[:-1],
    )


def _schema(facts: ColumnFacts, n_rows: int, names: Array | None, excluded: Mask) -> Schema:
    """The schema as of a table in memory: categories are their ranks, and excluded columns are zeros."""
    most = MOST_DISCRETE_VALUES + 1
    n_distinct = np.array([most if own is None else len(own) for own in facts.distinct])
    is_category = np.isin(np.arange(len(excluded)), list(facts.texts)) & ~excluded
    minimum, maximum = facts.minimum.copy(), facts.maximum.copy()
    for column, texts in facts.texts.items():
        minimum[column], maximum[column] = 0.0, len(texts) - 1.0
    minimum[excluded] = maximum[excluded] = 0.0
    return Schema(
        n_rows,
        names,
        is_category,
        minimum,
        maximum,
        np.where(excluded, 0, facts.n_missing),
        np.where(excluded, 0, facts.n_infinite),
        facts.whole | excluded,
        np.where(excluded, 1, np.minimum(n_distinct, most)).astype(np.int32),
    )


def _weight_shift(summaries: Sequence[BlockSummary]) -> int:
    """The power of two by which the weights of all blocks are multiplied, as they are in memory."""
    known = [own.weights for own in summaries if own.weights is not None]
    largest = max((own.largest for own in known), default=0.0)
    n_given = sum(own.n_given for own in summaries)
    return range_shift(largest, all(own.whole for own in known), n_given)


def _merge_weights(summaries: Sequence[BlockSummary], n_rows: int) -> WeightSummary:
    """Whether rows count once each, whole numbers of times, or by real weights; and the sum of the weights."""
    facts = [own.weights for own in summaries]
    if all(own is None for own in facts):
        return WeightSummary("none", n_rows)
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
        return WeightSummary("none", n_rows) if is_one else WeightSummary("whole", int(total))
    warn_of_few(float(np.ldexp(total, -known[0].shift)) if largest < 2 else np.inf, n_positive)
    return WeightSummary("real", total)
