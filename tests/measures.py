"""The measures by kind, for tests that apply to all of a kind."""

from __future__ import annotations

from thresher.measures import KINDS, TESTED

DISCRETE = tuple(name for name, kind in KINDS.items() if kind.is_discrete)
NUMERIC = tuple(name for name, kind in KINDS.items() if not kind.is_discrete)
# Sums of numbers of two features.
NUMERIC_PAIRS = tuple(name for name in NUMERIC if KINDS[name].is_sum and KINDS[name].is_symmetric)
# Those that do not depend on the number of rows, so that a common factor of all weights does not matter.
RATIOS = tuple(name for name in NUMERIC_PAIRS if not KINDS[name].is_mixed)
# Multiples of 2^-40, of which sums are exact.
ON_GRID = tuple(name for name in DISCRETE if KINDS[name].significant_bits is None)
# Ratios of the information that feature and target have about each other.
INFORMATION = tuple(name for name in DISCRETE if KINDS[name].law == "information")
# Measures with p-values, of a feature and classes.
TESTED_WITH_CLASSES = tuple(
    name for name in TESTED if KINDS[name].is_discrete or KINDS[name].by_class
)
