"""Training data with rows in blocks."""

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
    reject_no_complete_row,
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
        The facts of every column.
    quantity : ColumnFacts or None
        The facts of a numeric target.
    weights : WeightSummary
    first_rows : ndarray of int of shape (n_blocks,)
        The number of the first row of every block, among the rows that count.
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
    """The kind and the sum of the weights of all rows."""

    kind: WeightKind
    total: float


def read_blocks(
    selector: Estimator, engine: Engine, rules: InputRules, checkpoint: str | Path | None
) -> BlockData:
    """Read the facts of all blocks in one pass, as `read_training` does for rows in memory."""
    try:
        return _read(selector, Session(engine, selector, checkpoint), rules)
    except BaseException:
        engine.close()
        raise


def _read(selector: Estimator, session: Session, rules: InputRules) -> BlockData:
    owner = type(selector).__name__
    if getattr(session.engine, "classes", None) is not None:
        rules = replace(rules, target="nominal")
    given_names = session.engine.names
    names = None if given_names is None else tuple(str(name) for name in given_names)
    drops_rows = rules.missing == "drop_rows"
    reader = RowReader(owner, names, rules.exclude, rules.needs_target, drops_rows)
    as_is = rules.discretize is None or isinstance(rules.discretize, GivenBins)
    most = MOST_LEVELS if as_is else MOST_DISCRETE_VALUES
    task = Summarise(reader, most, as_is, rules.target, rules.classes_only)
    summaries = session.read("summaries", task)
    shift = _weight_shift(summaries)
    if any(block.weights is not None and block.weights.shift != shift for block in summaries):
        reader = replace(reader, weight_shift=shift)
        summaries = session.read("summaries by scaled weights", replace(task, reader=reader))
    n_given = sum(block.n_given for block in summaries)
    n_rows = sum(block.n_rows for block in summaries)
    facts = merge_columns([block.columns for block in summaries], most, names)
    p = len(facts.minimum)
    if n_rows == 0 and any(block.n_incomplete for block in summaries):
        counts = [block.n_missing for block in summaries if block.n_missing is not None]
        reject_no_complete_row(
            np.empty(0, dtype=np.intp),
            np.sum(counts, axis=0),
            n_given,
            lambda i: i if names is None else names[i],
        )
    labelled = [block.labels for block in summaries if block.labels is not None]
    labels = quantity = None
    weights = _merge_weights(summaries, n_rows)
    if labelled:
        n_counted = int(weights.total) if weights.kind == "whole" else n_rows
        labels = merge_labels(labelled, n_counted, rules.target, rules.classes_only, owner)
        if not labels.is_nominal:
            columns = [block.quantity for block in summaries if block.quantity is not None]
            quantity = merge_columns(columns, MOST_DISCRETE_VALUES)
    if any(block.n_incomplete for block in summaries):
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
    counted = np.cumsum([0, *(block.n_rows for block in summaries)], dtype=np.int64)
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
    """Return the schema that the table has in memory: categories are ranks, and excluded columns are zeros."""
    most = MOST_DISCRETE_VALUES + 1
    n_distinct = np.array([most if block is None else len(block) for block in facts.distinct])
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
    """Return the power of two that multiplies the weights of all blocks, as for rows in memory."""
    known = [block.weights for block in summaries if block.weights is not None]
    largest = max((block.largest for block in known), default=0.0)
    n_given = sum(block.n_given for block in summaries)
    return range_shift(largest, all(block.whole for block in known), n_given)


def _merge_weights(summaries: Sequence[BlockSummary], n_rows: int) -> WeightSummary:
    """Return whether weights are all one, integers or real numbers, and their sum."""
    facts = [block.weights for block in summaries]
    if all(block is None for block in facts):
        return WeightSummary("none", n_rows)
    known = [block for block in facts if block is not None]
    if len(known) < len(facts):
        raise ValueError("sample_weight is given for some blocks only. Pass it for all or none")
    n_positive = sum(block.n_positive for block in known)
    if n_positive == 0:
        raise ValueError("sample_weight is zero for every sample. Pass some positive weights")
    n_given = sum(block.n_given for block in summaries)
    largest = max(block.largest for block in known)
    total = float(np.sum([block.total for block in known]))
    if are_counted(largest, all(block.whole for block in known), n_given):
        is_one = largest == 1 and all(block.smallest >= 1 for block in known)
        return WeightSummary("none", n_rows) if is_one else WeightSummary("whole", int(total))
    warn_of_few(float(np.ldexp(total, -known[0].shift)) if largest < 2 else np.inf, n_positive)
    return WeightSummary("real", total)
