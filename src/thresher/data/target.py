"""The target (classes or numbers) and the weights of rows."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from thresher._utils.arrays import as_double, as_numpy
from thresher._utils.checks import check_choice, is_missing, warn
from thresher._utils.types import Array, Floats, Indices, TargetLike, WeightsLike

# Integer weights count as repeats, exactly, as long as the largest one times the number of rows is at most this.
MOST_COUNTED = 1 << 50
# Other weights are float64: they are scaled so that no sum overflows or vanishes, to a total between these powers of 2.
SMALLEST_EXPONENT, LARGEST_EXPONENT = -30, 50


WeightKind = Literal["none", "whole", "real"]


def read_weights(sample_weight: WeightsLike, n_rows: int) -> Array | None:
    """Return one weight per row: int64 if all are integers that count as repeats, else float64."""
    if sample_weight is None:
        return None
    weights = weight_numbers(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got shape {weights.shape}")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}. Pass one weight per sample"
        )
    check_weights(weights)
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every sample. Pass some positive weights")
    largest, is_whole = float(weights.max()), are_whole(weights)
    if are_counted(largest, is_whole, n_rows):
        return weights.astype(np.int64)
    used = weights[weights > 0]
    warn_of_few(float(used.sum()) if used.max() < 2 else np.inf, len(used))
    return in_range(weights, range_shift(largest, is_whole, n_rows))


def are_whole(weights: Array) -> bool:
    """Return whether all weights are integers."""
    return weights.dtype.kind != "f" or bool((weights == np.floor(weights)).all())


def are_counted(largest: float, is_whole: bool, n_rows: int) -> bool:
    """Return whether weights count as repeats: integers of which no sum is too large."""
    return is_whole and int(largest) * n_rows <= MOST_COUNTED


def weight_numbers(sample_weight: WeightsLike) -> Array:
    """Return the weights as an array of integers, if they were one, else of float64."""
    weights = np.asarray(as_numpy(sample_weight))
    if weights.dtype.kind in "iub":
        return weights
    if weights.dtype.kind == "c":
        raise ValueError("sample_weight contains complex numbers. Pass real ones")
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("sample_weight must contain numbers. Pass one per sample") from error


def check_weights(weights: Array, where: str = "") -> None:
    """Raise ValueError for weights that are negative or not finite; `where` follows the number of a row."""
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains NaN or infinity. Pass finite weights")
    negative = np.flatnonzero(weights < 0)
    if negative.size:
        first = negative[0]
        raise ValueError(
            f"sample_weight is negative ({weights[first]} at sample {first}{where}). Pass weights of at least 0"
        )


def warn_of_few(total: float, n_used: int) -> None:
    """Warn about weights that sum to about 1, which leave hardly a sample for tests."""
    if total < 2 <= n_used:
        warn(
            f"sample_weight sums to {total:.3g} over {n_used} samples: weights count as repeated rows, so F, "
            f"chi-squared, p-values and MDL bins are those of {total:.3g} samples. Scale the weights to a mean of 1"
        )


def range_shift(largest: float, is_whole: bool, n_rows: int) -> int:
    """Return the power of two by which weights are multiplied, to keep their sum in a safe range.

    It is 0 for weights that count as repeats. Only F and chi-squared, which grow with the number of rows, depend on
    such a factor.
    """
    if are_counted(largest, is_whole, n_rows):
        return 0
    exponent = int(np.frexp(largest)[1]) + n_rows.bit_length()
    return min(max(exponent, SMALLEST_EXPONENT), LARGEST_EXPONENT) - exponent


def in_range(weights: Array, shift: int) -> Floats:
    """Return the weights times two to the power of `shift`."""
    return np.ldexp(weights.astype(np.float64), shift)


# More distinct integers than this are a quantity, unless their type is a category.
MOST_DISCRETE_VALUES = 10
# Span of integer labels up to which they are counted instead of sorted.
MOST_COUNTED_LABELS = 1 << 16
TARGETS = ("auto", "nominal", "numeric")


@dataclass(frozen=True)
class TargetSummary:
    """Facts about a target, identical from one array and from many blocks.

    Attributes
    ----------
    is_nominal : bool
        Classes without order, or numbers.
    classes : ndarray or None
        The labels, sorted; None if numeric.
    lowest, highest : float
        The smallest and the largest number, or class code.
    """

    is_nominal: bool
    classes: Array | None
    lowest: float
    highest: float

    @property
    def n_classes(self) -> int:
        return 0 if self.classes is None else len(self.classes)

    def check_varies(self) -> None:
        """Raise ValueError unless there are two classes or two distinct numbers."""
        if self.is_nominal and self.n_classes < 2:
            raise ValueError(
                f"y has one class ({np.asarray(self.classes).tolist()[0]!r}). Pass at least 2 classes"
            )
        if not self.is_nominal and self.lowest == self.highest:
            raise ValueError(f"y is constant ({self.lowest:g}). Pass a target that varies")


@dataclass(frozen=True)
class Target(TargetSummary):
    """A target with its value in every row.

    Attributes
    ----------
    values : ndarray of shape (n_samples,), float64
        Numbers as given; two classes as 0 and 1; more classes as their codes.
    codes : ndarray of shape (n_samples,), int32, or None
        Class codes 0..n_classes-1; None if numeric.
    """

    values: Floats
    codes: npt.NDArray[np.int32] | None

    @property
    def class_codes(self) -> npt.NDArray[np.int32]:
        """The codes of a target that consists of classes."""
        assert self.codes is not None
        return self.codes

    @classmethod
    def of_numbers(cls, values: Floats) -> Target:
        lowest, highest = (values.min(), values.max()) if values.size else (np.nan, np.nan)
        return cls(False, None, float(lowest), float(highest), values, None)

    @classmethod
    def of_classes(cls, classes: Array, codes: Array) -> Target:
        values = codes.astype(np.float64)
        return cls(
            True, classes, 0.0, len(classes) - 1.0, values, codes.astype(np.int32, copy=False)
        )

    def take(self, rows: Indices) -> Target:
        """Return the target of some rows, without classes that no longer occur."""
        if self.codes is None or self.classes is None:
            return Target.of_numbers(self.values[rows])
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        return Target.of_classes(self.classes[present], codes)


def read_target(
    y: TargetLike,
    n_rows: int,
    *,
    kind: str = "auto",
    classes_only: bool = False,
    owner: str = "selector",
) -> Target:
    """Read `y` as classes or as numbers.

    With ``kind="auto"`` floats with more than two distinct values are numbers; everything else is classes. With
    `classes_only` integers are classes unless there are too many distinct ones, and other floats raise ValueError.
    """
    check_choice("target", kind, TARGETS)
    y = one_dimensional(y, owner)
    if len(y) != n_rows:
        raise ValueError(
            f"X and y must have the same number of samples, got {n_rows} and {len(y)} "
            "(inconsistent numbers of samples)"
        )
    refuse_missing_labels(y)
    if kind == "numeric":
        return Target.of_numbers(as_numbers(y))
    classes, codes = distinct_labels(y)
    if not has_classes(classes, n_rows, kind, classes_only, owner):
        return Target.of_numbers(y.astype(np.float64))
    return Target.of_classes(classes, codes)


def has_classes(distinct: Array, n_rows: int, kind: str, classes_only: bool, owner: str) -> bool:
    """Return whether a target with these distinct values is classes; raise ValueError if it must be and cannot."""
    if kind == "auto" and distinct.dtype.kind in "fiub" and len(distinct) > 2:
        if classes_only:
            _reject_quantity(distinct, n_rows, owner)
        elif distinct.dtype.kind == "f":
            return False
        elif len(distinct) > n_rows / 5:
            warn(
                f"y has {len(distinct)} distinct values in {n_rows} samples and is treated as classes. "
                'If y is a quantity, set target="numeric"'
            )
    return True


def _reject_quantity(distinct: Array, n_rows: int, owner: str) -> None:
    """Raise ValueError for numbers that cannot be classes: fractions, or values that hardly repeat."""
    remedy = "Use MRMR, ReliefF or Univariate, which support numeric targets, or bin y into classes"
    if distinct.dtype.kind == "f" and not np.all(distinct == np.floor(distinct)):
        raise ValueError(
            f"{owner} needs classes, but y is continuous (Unknown label type: continuous). {remedy}"
        )
    if len(distinct) > max(MOST_DISCRETE_VALUES, n_rows / 5):
        raise ValueError(
            f"{owner} needs classes, but y has {len(distinct)} distinct numbers in {n_rows} samples. {remedy}. "
            "If the numbers are labels, pass them as strings"
        )


def distinct_labels(y: Array) -> tuple[Array, Array]:
    """Return the distinct values, sorted, and the index of every value among them."""
    if y.dtype.kind in "iu" and y.size:
        lowest, highest = int(y.min()), int(y.max())
        if highest - lowest < MOST_COUNTED_LABELS:  # counting is much faster than sorting
            wide = y.astype(np.int64, copy=False) if y.dtype.kind == "i" else y
            shifted = (wide - wide.dtype.type(lowest)).astype(np.intp, copy=False)
            present = np.flatnonzero(np.bincount(shifted))
            index = np.zeros(highest - lowest + 1, dtype=np.int32)
            index[present] = np.arange(len(present), dtype=np.int32)
            return present.astype(y.dtype) + y.dtype.type(lowest), index[shifted]
    try:
        return np.unique(y, return_inverse=True)
    except TypeError as error:
        raise ValueError(
            "y mixes labels of types that cannot be compared. Pass labels of one type"
        ) from error


def one_dimensional(y: TargetLike, owner: str) -> Array:
    """Return a target as an array, with its type unchanged."""
    if y is None:
        raise ValueError(
            f"{owner} requires y to be passed, but the target y is None. Pass one value per sample"
        )
    y = as_numpy(y)
    if is_plain_array(y, 1):
        return native_bytes(y)
    if np.ma.is_masked(y):
        first = int(np.flatnonzero(np.ma.getmaskarray(y))[0])
        raise ValueError(f"y has masked values (first at sample {first}). Drop those samples")
    is_array = isinstance(y, np.ndarray | list)  # narwhals takes long to reject them
    series = None if is_array else nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series) and (series.dtype.is_integer() or series.dtype == nw.Boolean):
        # A nullable type of integers without missing values.
        y = series.to_numpy() if series.null_count() == 0 else y
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "UST":
        y = y.astype(object)
    return native_bytes(_numbers_of_objects(np.asarray(y)))


def _numbers_of_objects(y: Array) -> Array:
    """Return objects as numbers of NumPy if all are numbers; integers must fit. Return others unchanged."""
    if y.dtype != object or not all(isinstance(v, numbers.Real | Decimal) for v in y):
        return y
    if all(isinstance(v, numbers.Integral) for v in y):
        return np.array(y.tolist())
    return np.array([as_double(v) for v in y])


def is_plain_array(values: object, n_dimensions: int) -> bool:
    """Return whether these are real numbers in a NumPy array, which need no slow check by scikit-learn."""
    return (
        type(values) is np.ndarray and values.ndim == n_dimensions and values.dtype.kind in "iufb"
    )


def native_bytes(values: Array) -> Array:
    """Return the values in the byte order of this machine."""
    return values if values.dtype.isnative else values.astype(values.dtype.newbyteorder("="))


def refuse_missing_labels(y: Array, where: str = "") -> None:
    """Raise ValueError for missing values and complex numbers; `where` follows the number of a row."""
    if y.dtype.kind == "c":
        raise ValueError("y contains complex numbers. Pass real numbers or class labels")
    if y.dtype.kind == "f":
        if np.isnan(y).any():
            raise ValueError(
                f"y contains NaN (first at sample {int(np.flatnonzero(np.isnan(y))[0])}{where}). "
                "Drop those samples or fill the values in"
            )
        if np.isinf(y).any():
            raise ValueError("y contains infinity (inf). Pass finite numbers")
    elif y.dtype.kind in "OMm":
        missing = [i for i, label in enumerate(y) if is_missing(label)]
        if missing:
            raise ValueError(
                f"y contains NaN or None (first at sample {missing[0]}{where}). Drop those samples"
            )


def as_numbers(y: Array) -> Floats:
    """Return a target that is a quantity as float64."""
    try:
        return y.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f'target="numeric" needs numbers in y, got {y[0]!r}. Pass numbers, or set target="nominal"'
        ) from error
