"""Levels and bins of all columns, from what the first pass told."""

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
    """How features are coded, and what was binned for it."""

    coding: Coding
    rule: str
    is_binned: Mask

    def bins(self, summary: PackSummary, margins: list[Counts]) -> Bins:
        """The cuts, once the values beside every threshold are known."""
        if not self.is_binned.any():
            return Bins("none", self.is_binned)
        assert summary.below is not None
        assert summary.above is not None
        counts = np.array([len(own) for own in self.coding.borders]) * self.coding.thresholds
        starts = np.cumsum([0, *counts])
        cuts = []
        for feature in np.flatnonzero(self.is_binned).tolist():
            own = self.coding.borders[feature]
            if self.coding.thresholds[feature]:
                places = slice(starts[feature], starts[feature + 1])
                below, above = summary.below[places], summary.above[places]
                there = np.isfinite(below) & np.isfinite(above)
                own = np.unique(between(below[there], above[there]))
            else:  # cuts below levels that nobody fell into are no cuts
                present = np.flatnonzero(margins[feature].sum(axis=(1, 2))[: len(own) + 1])
                own = own[present[1:] - 1]
            cuts.append(own)
        return Bins(self.rule, self.is_binned, cuts)


def plan_codes(
    training: BlockData, rule: BinRule, target_rule: BinRule
) -> tuple[PlannedCodes, LabelCoding | None]:
    """The levels of every column and of the target; those that are not discrete are binned by `rule`."""
    schema, facts = training.schema, training.facts
    excluded = training.excluded
    to_bin = columns_to_bin(schema, rule) & ~excluded
    name = "none" if rule is None else rule if isinstance(rule, str) else type(rule).__name__
    borders: list[Floats] = [np.empty(0)] * schema.n_features
    is_threshold = np.zeros(schema.n_features, dtype=bool)
    texts = {column: own for column, own in facts.texts.items() if not excluded[column]}
    for column in np.flatnonzero(~to_bin & ~schema.is_category & ~excluded).tolist():
        values = facts.distinct[column]
        if values is None:
            raise too_many_levels(schema, column)
        borders[column] = level_borders(values)
    places = np.flatnonzero(to_bin).tolist()
    target_bins = _target_bins(training, target_rule)
    # Equal frequency takes passes over the rows, in which features and target are looked at together.
    with_target = isinstance(target_bins, EqualFrequencyBins)
    of_target = None
    if places or with_target:
        discretizer = make_discretizer(rule) if places else target_bins
        learnt, is_cut = _learn(training, discretizer, places + [TARGET] * with_target)
        for column, own in zip(places, learnt, strict=False):
            borders[column] = own
        is_threshold[places] = not is_cut
        of_target = learnt[-1] if with_target else None
    with_missing = schema.has_missing & (training.missing == "category")
    coding = Coding(borders, texts, with_missing, is_threshold)
    too_many = np.flatnonzero(coding.levels > MOST_LEVELS - (training.missing == "pairwise"))
    if too_many.size:
        raise too_many_levels(schema, int(too_many[0]))
    return PlannedCodes(coding, name, to_bin), _plan_target(training, target_bins, of_target)


def plain_labels(training: BlockData) -> LabelCoding | None:
    """The target where nothing counts its classes unless it has them."""
    return None if training.target is None else LabelCoding(training.target.classes)


def _target_bins(training: BlockData, discretize: BinRule) -> BinRule:
    """The discretiser of a target of numbers, by the rules of `code_target`; None where it is not binned."""
    facts = training.quantity
    if facts is None:
        return None
    values = facts.distinct[0]
    if values is not None and len(values) <= MOST_DISCRETE_VALUES and facts.whole[0]:
        return None
    plain = discretize is None or (isinstance(discretize, str) and discretize == "auto")
    found = make_discretizer("mean-sd" if plain else discretize)
    return make_discretizer("mean-sd") if isinstance(found, MDLBins | GivenBins) else found


def _plan_target(training: BlockData, bins: BinRule, cuts: Floats | None) -> LabelCoding | None:
    facts = training.quantity
    if facts is None:
        return plain_labels(training)
    if cuts is None and bins is not None:
        _refuse_rule(bins)
        cuts = thresholds(bins, facts, [0])[0]
    elif cuts is None:
        values = facts.distinct[0]
        assert values is not None
        cuts = level_borders(values)
    no = np.zeros(1, dtype=bool)
    return LabelCoding(None, Coding([cuts], {}, no, no))


def _learn(training: BlockData, rule: BinRule, places: list[int]) -> tuple[list[Floats], bool]:
    """Borders of some columns, and whether they are cuts already."""
    _refuse_rule(rule)
    if isinstance(rule, GivenBins):
        given = rule.by_feature(training.names, training.n_features)
        return [np.empty(0) if given[i] is None else np.asarray(given[i]) for i in places], True
    if isinstance(rule, EqualFrequencyBins):
        known = {
            i: _span(training.quantity if i == TARGET else training.facts, max(i, 0))
            for i in places
        }
        return frequency_cuts(training.session, training.reader, rule.n_bins, known), True
    return thresholds(rule, training.facts, places), False


def _span(facts: ColumnFacts | None, column: int) -> tuple[float, float, int]:
    """The smallest and the largest value of a column, and how much its values count."""
    assert facts is not None
    return float(facts.minimum[column]), float(facts.maximum[column]), int(facts.sums.n[column])


def _refuse_rule(rule: BinRule) -> None:
    if isinstance(rule, MeanSdBins | EqualWidthBins | EqualFrequencyBins | GivenBins):
        return
    name = '"mdl"' if isinstance(rule, MDLBins) else repr(getattr(rule, "transformer", rule))
    raise ValueError(
        f"discretize={name} needs all values of a column in one place, which blocks do not give; use "
        f'discretize="equal-frequency", cuts given by GivenBins, or give {WHOLE_COLUMNS}'
    )
