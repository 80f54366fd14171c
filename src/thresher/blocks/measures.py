"""Measures of rows in blocks, computed from passes and requests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.lazy import cached
from thresher._utils.types import Array, BinRule, Floats, Mask, Values
from thresher.blocks import double_double as words
from thresher.blocks.bins import PlannedCodes, plain_labels, plan_codes
from thresher.blocks.engine import WHOLE_COLUMNS, Counts
from thresher.blocks.pack import LabelCoding, Pack, PackedBlock, PackSummary, RowParts
from thresher.blocks.summary import BlockTarget
from thresher.blocks.training import BlockData
from thresher.measures import BY_CLASS, KINDS, Bins, reject_classes
from thresher.measures.rounding import round_significant

Features = npt.NDArray[np.uint32]


@dataclass(frozen=True)
class CountPairs:
    """Returns the counts of pairs of features in a packed block."""

    references: Features
    features: Features
    incomplete: npt.NDArray[np.uint8] | None

    def __call__(self, block: PackedBlock) -> Counts:
        assert block.coded is not None
        return _core.count_request(block.coded, self.references, self.features, self.incomplete)


@dataclass(frozen=True)
class SumProducts:
    """Returns the sums of products of pairs of features in a packed block."""

    references: Features
    features: Features
    centres: Floats

    def __call__(self, block: PackedBlock) -> Floats:
        table = block.numbers
        if table is None:
            return np.zeros((len(self.features), block.n_parts, 2))
        return _core.product_sums(table, self.references, self.features, self.centres)


@dataclass(eq=False, repr=False)
class BlockMeasures:
    """The `Measures` of rows in blocks, with the bits of `LocalMeasures`.

    Parameters
    ----------
    training : BlockData
    names : sequence of str
        The measures that will be requested.
    discretize, default
        As in `LocalMeasures`.
    parts : RowParts or None
        With parts, values are per replicate.
    uses_triples : bool
        Whether terms of two features and the target will be requested.
    """

    training: BlockData
    names: Sequence[str]
    discretize: BinRule
    default: str
    parts: RowParts | None
    uses_triples: bool
    scale = 1

    def __post_init__(self) -> None:
        training = self.training
        for name in self.names:
            if not KINDS[name].is_sum:
                raise ValueError(
                    f'the measure "{name}" needs all values of a column at once, but X is in blocks. Use "pearson", '
                    f"or pass {WHOLE_COLUMNS}"
                )
        self._counts = any(self._is_counted(name) for name in self.names)
        self._sums = any(not self._is_counted(name) for name in self.names)
        if self._counts and training.weight_kind == "real":
            raise ValueError(
                "sample_weight must be integers with a sum below 2^50 if X is in blocks and a measure counts rows. "
                'Scale and round the weights, or use a measure for numeric features such as "r2"'
            )
        self._refuse_mixed_categories()
        if self._sums:
            training.schema.reject_categories()
            if training.schema.has_missing.any():
                first = int(np.argmax(training.schema.has_missing))
                raise ValueError(
                    f"column {training.schema.label(first)} has missing values, but X is in blocks and a measure adds "
                    'up values. Fill them in, set missing="drop_rows", or use a measure that counts such as "mi"'
                )

    def _is_counted(self, name: str) -> bool:
        """Return whether a measure is computed from counts; a mixed one if all columns are categories."""
        training = self.training
        of_categories = (training.schema.is_category | training.excluded).all()
        return KINDS[name].is_discrete or (KINDS[name].is_mixed and bool(of_categories))

    def _refuse_mixed_categories(self) -> None:
        """Raise ValueError for categories next to numbers with a measure of both."""
        schema, target = self.training.schema, self.training.target
        mixed = [name for name in self.names if KINDS[name].is_mixed]
        if not mixed or not schema.is_category.any():
            return
        first = schema.label(int(np.argmax(schema.is_category)))
        if not self._is_counted(mixed[0]):
            raise ValueError(
                f"column {first} contains categories and others contain numbers, but X is in blocks, for which the "
                f'measure "{mixed[0]}" takes one kind only. Use "mi" or "su", add the columns of one kind to exclude, '
                "or pass all rows in memory"
            )
        if target is not None and not target.is_nominal:
            raise ValueError(
                f"column {first} contains categories and the target contains numbers, but X is in blocks, for which "
                f'the measure "{mixed[0]}" takes one kind only. Use "mi" or "su", set target="nominal" if the target '
                "is classes, or pass all rows in memory"
            )

    def category_levels(self) -> npt.NDArray[np.int32]:
        """Return the number of levels of every category, for a measure of categories and numbers alike."""
        is_category = self.training.schema.is_category
        return self.levels[is_category] if is_category.any() else np.zeros(0, dtype=np.int32)

    @property
    def whole(self) -> BlockMeasures:
        return self

    def coded_rows(self, *_: object, **__: object) -> NoReturn:
        """Raise: the rows are with the execution backend."""
        raise ValueError(
            f"the method needs all rows at once, but X is in blocks. Pass {WHOLE_COLUMNS}"
        )

    on_rows = row_weights = weights_on = coded_rows

    def dispersion(self, name: str) -> Floats:
        """Return the variance of every feature. Raise for other dispersions, which are not sums over rows."""
        if name != "variance":
            _reject(name)
        self.training.schema.reject_categories()
        facts = self.training.facts
        with np.errstate(over="ignore"):
            return round_significant(np.ldexp(facts.sums.moments()[1], -2 * facts.sums.powers))

    def separation(self, name: str) -> NoReturn:
        """Raise: separations need all values of a column at once."""
        _reject(name)

    @cached
    def _plans(self) -> tuple[PlannedCodes | None, LabelCoding | None]:
        """Return the coding of the features, if a measure counts, and of the target."""
        if not self._counts:
            return None, plain_labels(self.training)
        is_auto = isinstance(self.discretize, str) and self.discretize == "auto"
        rule = self.default if is_auto else self.discretize
        return plan_codes(self.training, rule, self.discretize)

    @cached
    def _sets(self) -> npt.NDArray[np.uint8] | None:
        """Return the parts that each replicate keeps, as passed to the core."""
        return None if self.parts is None else np.ascontiguousarray(self.parts.keeps).view(np.uint8)

    @cached
    def _keeps(self) -> Mask:
        """Return the parts that each replicate keeps. Without parts all rows are one part and one replicate."""
        return np.ones((1, 1), dtype=bool) if self.parts is None else self.parts.keeps

    @property
    def _planned(self) -> PlannedCodes:
        """The coding of the features, if a measure counts."""
        planned = self._plans[0]
        assert planned is not None
        return planned

    @cached
    def _pack(self) -> Pack:
        training, parts = self.training, self.parts
        target = training.target
        class_rows = _class_rows(target) if parts is not None and parts.by_class else None
        return Pack(
            training.reader,
            self._planned.coding if self._counts else None,
            self._centres if self._sums else None,
            self._powers if self._sums else None,
            -1 if self._incomplete is None else 255,
            self._plans[1],
            training.weights.kind,
            parts,
            first_rows=None if parts is None else training.first_rows,
            class_rows=class_rows,
            by_class=self.uses_triples,
            of_numbers=self._sums and target is not None and target.n_classes <= 2,
            of_classes=self._sums and target is not None and target.is_nominal,
        )

    @cached
    def _summary(self) -> PackSummary:
        """Return the summary of all packed blocks."""
        session = self.training.session
        blocks = session.pack(self._pack)
        session.open_journal(self.parts, [(block.n_rows, block.fingerprint) for block in blocks])
        return _merged(blocks)

    # -- measures that count ---------------------------------------------------------------------

    @cached
    def _margins(self) -> list[Counts]:
        """Return the counts of every feature: [level][part][class]."""
        margins = self._summary.margins
        assert margins is not None
        levels = self._planned.coding.levels
        n_parts, n_classes = self._pack.n_parts, self._pack.n_classes
        ends = np.cumsum(levels.astype(np.int64) * n_parts * n_classes)[:-1]
        return [counts.reshape(-1, n_parts, n_classes) for counts in np.split(margins, ends)]

    @cached
    def levels(self) -> npt.NDArray[np.int32]:
        """Return the number of values of every feature."""
        present = [int((counts.sum(axis=(1, 2)) > 0).sum()) for counts in self._margins]
        return np.array(present, dtype=np.int32)

    @cached
    def bins(self) -> Bins:
        """Return the bins of the features; none if no measure counts."""
        if not self._counts:
            return Bins("none", np.zeros(self.training.n_features, dtype=bool))
        return self._planned.bins(self._summary, self._margins)

    @property
    def n_target_levels(self) -> int:
        """The number of classes that occur."""
        return int((self.rows_of_classes.sum(axis=0) > 0).sum())

    @property
    def rows_of_classes(self) -> Counts:
        """The number of rows of each class in each part."""
        return self._summary.rows_of

    @property
    def target_range(self) -> tuple[Floats, Floats]:
        """The smallest and the largest target of each part."""
        lowest, highest = self._summary.target_range
        return lowest, highest

    @cached
    def _incomplete(self) -> npt.NDArray[np.uint8] | None:
        has_missing = self.training.schema.has_missing
        if self.training.missing != "pairwise" or not has_missing.any():
            return None
        return has_missing.astype(np.uint8)

    def _request_counts(self, references: Features, features: Features) -> Counts:
        task = CountPairs(references, features, self._incomplete)
        return self.training.session.request(task, np.add)

    def _count_relevance(self, name: str) -> Floats:
        """Compute the measure of every feature with the target, from the counts of the packing pass."""
        margins = self._margins
        p, n_classes = len(margins), self._pack.n_classes
        incomplete = self._incomplete

        def deliver(_: Features, features: Features) -> Counts:
            tables = []
            for f in features.tolist():
                table = margins[f].transpose(1, 0, 2)  # [part][level][class]
                if incomplete is None or not incomplete[f]:
                    table = table[:, :-1, :-1]
                tables.append(table.ravel())
            return np.concatenate(tables)

        totals = [counts.sum(axis=2) for counts in margins] + [self._summary.counted_of.T]
        measure = _core.CountedPairs(
            deliver,
            np.append(self._planned.coding.levels, n_classes).astype(np.int32),
            np.concatenate([total.ravel() for total in totals]),
            int(self.training.total_weight),
            measure=name,
            sets=self._sets,
            incomplete=None if incomplete is None else np.append(incomplete, 0).astype(np.uint8),
        )
        return self._shaped(measure.values(p, np.arange(p, dtype=np.uint32)).T)

    def _shaped(self, values: Floats) -> Floats:
        """Return one value per feature, or a row per replicate."""
        values = np.ascontiguousarray(values)
        return values if self.parts is not None else values.reshape(-1)

    # -- measures for numeric features -----------------------------------------------------------------------

    @cached
    def _extremes(self) -> tuple[Floats, Floats]:
        """Return the smallest and the largest value of every column, then of the target, times two to `_powers`."""
        schema, target = self.training.schema, self.training.target
        low, high = 0.0, 0.0
        if target is not None:
            low, high = target.lowest, target.highest
        ends = np.append(schema.minimum, low), np.append(schema.maximum, high)
        return np.ldexp(ends[0], self._powers), np.ldexp(ends[1], self._powers)

    @property
    def _powers(self) -> npt.NDArray[np.intc]:
        """The exponents of two that scale columns of extreme size, and the target, before values are added."""
        facts, quantity = self.training.facts, self.training.quantity
        return np.append(facts.sums.powers, 0 if quantity is None else quantity.sums.powers)

    @cached
    def _centres(self) -> Floats:
        """Values near the means from which all values differ by exact doubles."""
        lowest, highest = self._extremes
        facts, quantity = self.training.facts, self.training.quantity
        target_mean = 0.0 if quantity is None else float(quantity.sums.moments()[0][0])
        mean = np.append(facts.sums.moments()[0], target_mean)
        mean = np.clip(np.where(np.isfinite(mean), mean, 0.0), lowest, highest)
        return _core.exact_centres(lowest, highest, mean)

    def _request_products(self, references: Features, features: Features) -> Floats:
        task = SumProducts(references, features, self._centres[: self.training.n_features])
        return self.training.session.request(task, words.add)

    def _class_relevance(self, name: str) -> Floats:
        class_sums = self._summary.class_sums
        assert class_sums is not None
        p, n_classes = self.training.n_features, self._pack.n_classes
        by_part = class_sums.reshape(p, self._pack.n_parts, n_classes, 3, 2)
        values = np.empty((len(self._keeps), p))
        for i, kept in enumerate(self._keeps):
            sums = words.add(*(by_part[:, part] for part in np.flatnonzero(kept)))
            for feature in range(p):
                of_feature = _core.ClassSums.__new__(_core.ClassSums)
                of_feature.__setstate__(
                    [float(self._centres[feature]), *sums[feature].ravel().tolist()]
                )
                values[i, feature] = of_feature.value(name)
        return self._shaped(values)

    def _number_relevance(self, name: str) -> Floats:
        sums, products = self._summary.column_sums, self._summary.products
        assert sums is not None
        assert products is not None
        p = self.training.n_features
        measure = _core.SummedPairs(
            lambda _, features: np.ascontiguousarray(products[features]),
            np.ascontiguousarray(sums),
            self._centres,
            *self._extremes,
            measure=name,
            sets=self._sets,
        )
        return self._shaped(measure.values(p, np.arange(p, dtype=np.uint32)).T)

    # -- requests of a search -----------------------------------------------------------------------

    def relevance(self, name: str) -> Floats:
        """Return the measure of every feature with the target: one per feature, or a row per replicate."""
        if self._is_counted(name):
            return self._count_relevance(name)
        target = self.training.labels
        if name in BY_CLASS and target.is_nominal:
            return self._class_relevance(name)
        reject_classes(name, target)
        return self._number_relevance(name)

    def pairs(self, name: str, in_bits: bool = False) -> _core.PairMeasure:
        """Return the measure of feature pairs; with `in_bits`, the bits that its values A share."""
        return _core.SharedBits(self._pairs(name)) if in_bits else self._pairs(name)

    def _pairs(self, name: str) -> _core.PairMeasure:
        if self._is_counted(name):
            return _core.CountedPairs(
                self._request_counts,
                self._planned.coding.levels,
                np.concatenate([counts.sum(axis=2).ravel() for counts in self._margins]),
                int(self.training.total_weight),
                measure=name,
                sets=self._sets,
                incomplete=self._incomplete,
            )
        sums = self._summary.column_sums
        assert sums is not None
        p = self.training.n_features
        lowest, highest = self._extremes
        return _core.SummedPairs(
            self._request_products,
            np.ascontiguousarray(sums[:p]),
            self._centres[:p],
            lowest[:p],
            highest[:p],
            measure=name,
            sets=self._sets,
        )

    def triples(self, term: str) -> _core.PairMeasure:
        """Return a term of two features and the target."""
        assert self.uses_triples
        return _core.CountedTriples(
            self._request_counts,
            self._planned.coding.levels,
            np.concatenate([counts.ravel() for counts in self._margins]),
            int(self.training.total_weight),
            self._pack.n_classes,
            term=term,
            sets=self._sets,
            incomplete=self._incomplete,
        )

    def candidates(self, *names: str) -> Mask:
        """Return the features that may be selected by these measures: not excluded, varying, also after binning.

        With parts, one row per replicate.
        """
        keeps = self._keeps
        may = np.repeat(self.training.candidates[None, :], len(keeps), axis=0)
        kinds = {self._is_counted(name) for name in names}
        if True in kinds:
            by_part = [counts.sum(axis=2) for counts in self._margins]  # [level][part]
            may &= np.array([((counts @ keeps.T) > 0).sum(axis=0) > 1 for counts in by_part]).T
        if False in kinds and self.parts is not None:
            extremes = self._summary.column_range
            assert extremes is not None
            for i, kept in enumerate(keeps):
                lowest = extremes[0][:, kept].min(axis=1)
                may[i] &= lowest < extremes[1][:, kept].max(axis=1)
        return may if self.parts is not None else may[0]


def _extremes_of(values: list[Floats]) -> Floats:
    lowest, highest = zip(*values, strict=True)
    return np.stack([np.min(lowest, axis=0), np.max(highest, axis=0)])


# How the fields of the summaries of blocks are merged.
_JOINS: dict[str, Callable[[list[Array]], Array]] = {
    **dict.fromkeys(("margins", "rows_of", "counted_of"), partial(np.sum, axis=0)),
    **dict.fromkeys(("column_sums", "class_sums", "products"), lambda sums: words.add(*sums)),
    **dict.fromkeys(("target_range", "column_range"), _extremes_of),
    "below": partial(np.max, axis=0),
    "above": partial(np.min, axis=0),
}


def _merged(blocks: Sequence[PackSummary]) -> PackSummary:
    """Return the summary of all blocks."""
    joined: Values = {}
    for name, join in _JOINS.items():
        values = [getattr(block, name) for block in blocks]
        joined[name] = None if values[0] is None else join(values)
    return PackSummary(sum(block.n_rows for block in blocks), 0, **joined)


def _reject(name: str) -> NoReturn:
    """Raise for a relevance that is not a sum over rows."""
    raise ValueError(
        f'relevance="{name}" needs all values of a column at once, but X is in blocks. '
        f'Use "variance", or with labels "f", "mi" or "pearson", or pass {WHOLE_COLUMNS}'
    )


def _class_rows(target: BlockTarget | None) -> Counts:
    """Return the number of the first row of each class in each block, if rows are numbered class by class."""
    if target is None or target.rows_before is None or target.n_of_class is None:
        raise ValueError(
            'parts="stratified" needs a target with classes if X is in blocks. Set parts="round-robin"'
        )
    ends = np.cumsum(target.n_of_class)
    return (ends - target.n_of_class)[None, :] + target.rows_before
