"""The target (classes or numbers) and the weights of rows."""

from __future__ import annotations

import datetime
import numbers
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import column_or_1d

from thresher._utils.arrays import as_double, as_numpy
from thresher._utils.checks import check_choice, is_missing, warn
from thresher._utils.types import Array, Floats, Indices, TargetLike, WeightsLike

if TYPE_CHECKING:
    from narwhals.dtypes import DType

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


def count_rows(weights: Array | None, n_rows: int) -> int:
    """Return the number of rows, where integer weights count as repeats."""
    return n_rows if weights is None or weights.dtype.kind == "f" else int(weights.sum())


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
# The rules of target="auto": rows per distinct value from which integers are classes, the most classes of floats,
# the number of values above which integers as classes are warned about, and the most classes of integers.
ROWS_PER_CLASS = 5
MOST_FLOAT_CLASSES = 20
MOST_CLASSES_UNWARNED = 20
MOST_CLASSES = 1 << 16
# A text target with more values than this, and fewer than two rows a value, is an identifier.
MOST_TEXTS_UNCHECKED = 20
# Span of integer labels up to which they are counted instead of sorted.
MOST_COUNTED_LABELS = 1 << 16
_TIMES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)
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

    @property
    def kind(self) -> str:
        """Return the value of `target_kind_`."""
        return "nominal" if self.is_nominal else "numeric"

    def describe(self) -> str:
        """Return the kind of the target in words, such as "3 classes"."""
        return f"{self.n_classes} classes" if self.is_nominal else "numeric"

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
    """Read `y` as classes or as numbers, by the rules of `has_classes`."""
    check_choice("target", kind, TARGETS)
    return target_of(check_target(y, n_rows, owner), n_rows, kind, classes_only, owner)


def check_target(y: TargetLike, n_rows: int, owner: str) -> Array:
    """Return `y` as an array; raise ValueError unless it has one usable value per row."""
    labels = one_dimensional(y, owner)
    if len(labels) != n_rows:
        raise ValueError(
            f"X and y must have the same number of samples, got {n_rows} and {len(labels)} "
            "(inconsistent numbers of samples)"
        )
    reject_missing_labels(labels)
    return labels


def target_of(labels: Array, n_counted: int, kind: str, classes_only: bool, owner: str) -> Target:
    """Return the target of the rows with these values; rows with integer weights count `n_counted` times in all."""
    if kind == "numeric":
        return Target.of_numbers(as_numbers(labels))
    if kind == "auto" and not classes_only and labels.dtype.kind == "f" and not are_whole(labels):
        return Target.of_numbers(labels.astype(np.float64))
    classes, codes = distinct_labels(labels)
    if not has_classes(classes, n_counted, kind, classes_only, owner):
        return Target.of_numbers(labels.astype(np.float64))
    return Target.of_classes(classes, codes)


def has_classes(distinct: Array, n_rows: int, kind: str, classes_only: bool, owner: str) -> bool:
    """Return whether a target with these distinct values is classes; raise ValueError if it must be and cannot.

    Rules of ``kind="auto"``: text, Booleans and categories are classes, unless nearly every row has a value of its
    own. Integers are classes with at least 5 rows a value on average, integer-valued floats if they have at most 20
    values besides, and both with at most two values. All other numbers are numeric. With `classes_only` all whole
    numbers are classes unless there are too many distinct ones, and other numbers raise ValueError. Integer weights
    count as rows in `n_rows`.
    """
    n_values = len(distinct)
    if kind != "auto" or distinct.dtype.kind == "b":
        return True
    if distinct.dtype.kind not in "fiu":
        _reject_identifiers(distinct, n_rows)
        return True
    is_float = distinct.dtype.kind == "f"
    if classes_only:
        if n_values > 2:
            _reject_quantity(distinct, n_rows, owner)
        return True
    if is_float and not are_whole(distinct):
        return False
    if n_values <= 2:
        return True
    most = MOST_FLOAT_CLASSES if is_float else MOST_CLASSES
    if n_values > most or n_rows < ROWS_PER_CLASS * n_values:
        return False
    if n_values > MOST_CLASSES_UNWARNED:
        warn(
            f"y has {n_values} distinct integers in {n_rows} samples and is taken as classes. "
            'If y is a quantity, set target="numeric"'
        )
    return True


def _reject_identifiers(distinct: Array, n_rows: int) -> None:
    """Raise ValueError for a text target with nearly a class per row."""
    if len(distinct) > MOST_TEXTS_UNCHECKED and n_rows < 2 * len(distinct):
        raise ValueError(
            f"y has {len(distinct)} different labels in {n_rows} samples, as an identifier has. Pass labels that "
            "repeat; convert texts that contain numbers to numbers"
        )


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
    """Return a target as an array of its type; categories, of any values, become objects."""
    if isinstance(y, str):
        raise ValueError(f"y={y!r} is a name. Pass the values of the target here")
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
    if isinstance(series, nw.Series):
        _refuse_types(series.dtype)
    if str(getattr(y, "dtype", "")) == "category" or _is_category(series):
        labels = np.empty(len(y), dtype=object)
        labels[:] = series.to_list() if isinstance(series, nw.Series) else list(y)
        _refuse_fields_and_dates(labels)
        return labels
    if isinstance(series, nw.Series) and (series.dtype.is_integer() or series.dtype == nw.Boolean):
        # A nullable type of integers without missing values.
        y = series.to_numpy() if series.null_count() == 0 else y
    _refuse_fields_and_dates(np.asarray(y))
    y = column_or_1d(y, warn=True)
    if y.dtype.kind in "UST":
        y = y.astype(object)
    return native_bytes(_numbers_of_objects(np.asarray(y)))


def _is_category(series: object) -> bool:
    return isinstance(series, nw.Series) and series.dtype in (nw.Categorical, nw.Enum)


_FIELDS = (
    "y has several values per sample (fields {}), such as time and event. Survival targets are not supported. "
    "Pass one of them"
)
_DATES = (
    "y contains dates or times ({}), which are neither numbers nor classes. Convert them to numbers, such as days "
    "since a date, or to classes, such as months"
)


def _refuse_types(kind: DType) -> None:
    """Raise ValueError for a column of a frame with dates, or with several values per sample."""
    if kind.is_temporal():
        raise ValueError(_DATES.format(kind))
    if isinstance(kind, nw.Struct):
        raise ValueError(_FIELDS.format(", ".join(field.name for field in kind.fields)))


def _is_time(value: object) -> bool:
    is_period = type(value).__name__ == "Period" and type(value).__module__.startswith("pandas.")
    return is_period or isinstance(value, _TIMES)


def _refuse_fields_and_dates(y: Array) -> None:
    """Raise ValueError for dates, and for a structured array."""
    if y.dtype.names is not None:
        raise ValueError(_FIELDS.format(", ".join(y.dtype.names)))
    if y.dtype.kind in "mM":
        raise ValueError(_DATES.format(y.dtype))
    if y.dtype == object:
        for value in y.flat:
            if _is_time(value) and not is_missing(value):
                raise ValueError(_DATES.format(type(value).__name__))


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


def reject_missing_labels(y: Array, where: str = "") -> None:
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
