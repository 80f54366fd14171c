"""Levels and bins of all columns, planned from the summaries of the first pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thresher._utils.types import BinRule, Floats, Mask
from thresher.blocks.coding import (
    MOST_LEVELS,
    TARGET,
    Coding,
    between,
    frequency_cuts,
    level_borders,
    thresholds,
)
from thresher.blocks.engine import WHOLE_COLUMNS, Counts
from thresher.blocks.pack import LabelCoding, PackSummary
from thresher.blocks.summary import ColumnFacts
from thresher.blocks.training import BlockData
from thresher.data import MOST_DISCRETE_VALUES
from thresher.discretize import (
    EqualFrequencyBins,
    EqualWidthBins,
    GivenBins,
    MDLBins,
    MeanSdBins,
    make_discretizer,
)
from thresher.measures import Bins, columns_to_bin, too_many_levels


@dataclass(frozen=True)
class PlannedCodes:
    """The coding of the features, and which of them are binned."""

    coding: Coding
    rule: str
    is_binned: Mask

    def bins(self, summary: PackSummary, margins: list[Counts]) -> Bins:
        """Return the cut points, from the values next to every threshold and the counts of every level."""
        if not self.is_binned.any():
            return Bins("none", self.is_binned)
        assert summary.below is not None
        assert summary.above is not None
        starts = np.cumsum([0, *self.coding.n_thresholds])
        all_cuts = []
        for feature in np.flatnonzero(self.is_binned).tolist():
            cuts = self.coding.borders[feature]
            if self.coding.thresholds[feature]:
                of_feature = slice(starts[feature], starts[feature + 1])
                below, above = summary.below[of_feature], summary.above[of_feature]
                is_inside = np.isfinite(below) & np.isfinite(above)
                cuts = np.unique(between(below[is_inside], above[is_inside]))
            else:  # drop the cut points of empty bins
                present = np.flatnonzero(margins[feature].sum(axis=(1, 2))[: len(cuts) + 1])
                cuts = cuts[present[1:] - 1]
            all_cuts.append(cuts)
        return Bins(self.rule, self.is_binned, all_cuts)


def plan_codes(
    training: BlockData, rule: BinRule, target_rule: BinRule
) -> tuple[PlannedCodes, LabelCoding | None]:
    """Return the levels of every column and of the target. Columns that are not discrete are binned by `rule`."""
    schema, facts = training.schema, training.facts
    excluded = training.excluded
    to_bin = columns_to_bin(schema, rule) & ~excluded
    name = "none" if rule is None else rule if isinstance(rule, str) else type(rule).__name__
    borders: list[Floats] = [np.empty(0)] * schema.n_features
    is_threshold = np.zeros(schema.n_features, dtype=bool)
    texts = {column: levels for column, levels in facts.texts.items() if not excluded[column]}
    for column in np.flatnonzero(~to_bin & ~schema.is_category & ~excluded).tolist():
        values = facts.distinct[column]
        if values is None:
            raise too_many_levels(schema, column)
        borders[column] = level_borders(values)
    columns = np.flatnonzero(to_bin).tolist()
    target_bins = _target_bins(training, target_rule)
    # Equal-frequency binning takes several passes. Each handles the features and the target together.
    with_target = isinstance(target_bins, EqualFrequencyBins)
    target_cuts = None
    if columns or with_target:
        discretizer = make_discretizer(rule) if columns else target_bins
        learnt, is_cut = _learn(training, discretizer, columns + [TARGET] * with_target)
        for column, cuts in zip(columns, learnt, strict=False):
            borders[column] = cuts
        is_threshold[columns] = not is_cut
        target_cuts = learnt[-1] if with_target else None
    with_missing = schema.has_missing & (training.missing == "category")
    coding = Coding(borders, texts, with_missing, is_threshold)
    too_many = np.flatnonzero(coding.levels > MOST_LEVELS - (training.missing == "pairwise"))
    if too_many.size:
        raise too_many_levels(schema, int(too_many[0]))
    return PlannedCodes(coding, name, to_bin), _plan_target(training, target_bins, target_cuts)


def plain_labels(training: BlockData) -> LabelCoding | None:
    """Return the coding of the target without binning; None without a target."""
    return None if training.target is None else LabelCoding(training.target.classes)


def _target_bins(training: BlockData, discretize: BinRule) -> BinRule:
    """Return the discretizer of a numeric target, by the rules of `code_target`; None if it is not binned."""
    facts = training.quantity
    if facts is None:
        return None
    values = facts.distinct[0]
    if values is not None and len(values) <= MOST_DISCRETE_VALUES and facts.whole[0]:
        return None
    plain = discretize is None or (isinstance(discretize, str) and discretize == "auto")
    discretizer = make_discretizer("mean-sd" if plain else discretize)
    needs_other = isinstance(discretizer, MDLBins | GivenBins)
    return make_discretizer("mean-sd") if needs_other else discretizer


def _plan_target(training: BlockData, bins: BinRule, cuts: Floats | None) -> LabelCoding | None:
    facts = training.quantity
    if facts is None:
        return plain_labels(training)
    if cuts is None and bins is not None:
        _check_rule(bins)
        cuts = thresholds(bins, facts, [0])[0]
    elif cuts is None:
        values = facts.distinct[0]
        assert values is not None
        cuts = level_borders(values)
    no = np.zeros(1, dtype=bool)
    return LabelCoding(None, Coding([cuts], {}, no, no))


def _learn(training: BlockData, rule: BinRule, columns: list[int]) -> tuple[list[Floats], bool]:
    """Return the borders of some columns, and whether they are final cut points."""
    _check_rule(rule)
    if isinstance(rule, GivenBins):
        given = rule.by_feature(training.names, training.n_features)
        return [np.empty(0) if given[i] is None else np.asarray(given[i]) for i in columns], True
    if isinstance(rule, EqualFrequencyBins):
        known = {
            i: _span(training.quantity if i == TARGET else training.facts, max(i, 0))
            for i in columns
        }
        return frequency_cuts(training.session, training.reader, rule.n_bins, known), True
    return thresholds(rule, training.facts, columns), False


def _span(facts: ColumnFacts | None, column: int) -> tuple[float, float, int]:
    """Return the smallest and the largest value of a column, and the weight of its values."""
    assert facts is not None
    return float(facts.minimum[column]), float(facts.maximum[column]), int(facts.sums.n[column])


def _check_rule(rule: BinRule) -> None:
    """Raise if the rule needs all values of a column at once."""
    if isinstance(rule, MeanSdBins | EqualWidthBins | EqualFrequencyBins | GivenBins):
        return
    name = '"mdl"' if isinstance(rule, MDLBins) else repr(getattr(rule, "transformer", rule))
    raise ValueError(
        f"discretize={name} needs all values of a column at once, but X is in blocks. Set "
        f'discretize="equal-frequency" or GivenBins, or pass {WHOLE_COLUMNS}'
    )
