"""The measures as functions of two columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from thresher import _core
from thresher._utils.arrays import as_numpy
from thresher._utils.types import Array, Floats, Indices, TargetLike, WeightsLike
from thresher.data import read_target, read_weights
from thresher.measures.sums import ClassMoments, PairCounts, PairMoments


def _column(values: ArrayLike, name: str, dtype: DTypeLike | None = None) -> Array:
    array = np.asarray(as_numpy(values), dtype=dtype)
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    return array


def _codes(values: ArrayLike, name: str) -> tuple[Indices, int]:
    array = _column(values, name)
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError(f"{name} contains NaN. Drop those samples or fill the values in")
    levels, codes = np.unique(array, return_inverse=True)
    return codes, len(levels)


def _numbers(values: ArrayLike, name: str) -> Floats:
    array = _column(values, name, np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} contains NaN or infinity. Drop those samples")
    return array


def _same_length(x: Array, y: Array) -> None:
    if len(x) != len(y):
        raise ValueError(f"x and y must have the same length, got {len(x)} and {len(y)}")


def _discrete(measure: str, x: ArrayLike, y: TargetLike, sample_weight: WeightsLike) -> float:
    a, n_a = _codes(x, "x")
    b, n_b = _codes(y, "y")
    _same_length(a, b)
    return PairCounts.of(a, b, n_a, n_b, read_weights(sample_weight, len(a))).value(measure)


def mutual_information(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the plug-in mutual information of two discrete columns, in bits.

    Parameters
    ----------
    x, y : array-like of shape (n_samples,)
        Discrete values of any sortable kind. Order carries no meaning.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 counts exactly like the same sample given twice.

    Returns
    -------
    value : float
        A multiple of 2^-40; 0 if either column is constant.

    See Also
    --------
    symmetrical_uncertainty, normalized_mutual_information : Mutual information in [0, 1].

    Examples
    --------
    >>> mutual_information([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    return _discrete("mi", x, y, sample_weight)


def symmetrical_uncertainty(
    x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None
) -> float:
    """Compute the symmetrical uncertainty ``2 I(x; y) / (H(x) + H(y))`` of two discrete columns.

    It is 0 if both are constant. Parameters and rounding are those of `mutual_information`.

    Examples
    --------
    >>> symmetrical_uncertainty([0, 0, 1, 1], ["a", "a", "b", "b"])
    1.0
    """
    return _discrete("su", x, y, sample_weight)


def normalized_mutual_information(
    x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None
) -> float:
    """Compute the mutual information divided by the smaller entropy, in [0, 1]; 0 if that entropy is 0.

    Parameters and rounding are those of `mutual_information`.

    Examples
    --------
    >>> normalized_mutual_information([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return _discrete("nmi", x, y, sample_weight)


def chi_squared(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute Pearson's chi-squared of the contingency table of two discrete columns.

    ``sklearn.feature_selection.chi2`` is another statistic: it sums the raw values of x per class.

    Examples
    --------
    >>> chi_squared([0, 0, 1, 1], ["a", "a", "b", "b"])
    4.0
    """
    return _discrete("chi2", x, y, sample_weight)


def _numeric(measure: str, x: ArrayLike, y: TargetLike, sample_weight: WeightsLike) -> float:
    a, b = _numbers(x, "x"), _numbers(y, "y")
    _same_length(a, b)
    return PairMoments.of(a, b, read_weights(sample_weight, len(a))).value(measure)


def pearson(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the absolute Pearson correlation; 0 if either column is constant.

    Examples
    --------
    >>> pearson([1, 2, 3], [3, 2, 1])
    1.0
    """
    return _numeric("pearson", x, y, sample_weight)


def cosine(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the absolute cosine of the angle between two columns; 0 if either is zero.

    Examples
    --------
    >>> cosine([1, 0], [0, 1])
    0.0
    """
    return _numeric("cosine", x, y, sample_weight)


def r_squared(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the squared Pearson correlation of two numeric columns; 0 if either is constant.

    Examples
    --------
    >>> round(r_squared([1, 2, 3, 4], [1, 3, 2, 4]), 9)
    0.64
    """
    return _numeric("r2", x, y, sample_weight)


def class_r_squared(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the share of the scatter of numbers x between the classes y (eta squared); 0 if x is constant.

    Examples
    --------
    >>> round(class_r_squared([1, 2, 3, 4, 5, 7], list("aaabbb")), 9)
    0.714285714
    """
    return _by_class("r2", x, y, sample_weight)


def association(a: ArrayLike, b: ArrayLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the association of two columns of any kind: the mean squared canonical correlation above chance.

    Numbers are measured as numbers; text, Booleans and categories as categories. For two numbers it is the adjusted
    r squared, for a number and a category epsilon squared, for two categories a chi-squared / n corrected for chance.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Numbers or categories.
    sample_weight : array-like of shape (n_samples,), default=None
        A weight of 2 counts exactly like the same sample given twice.

    Returns
    -------
    value : float
        A multiple of 2^-40 in [0, 1]; 0 if either column is constant, or no more than chance gives.

    Examples
    --------
    >>> round(association([1, 2, 3, 4], [1, 3, 2, 4]), 9)
    0.46
    >>> round(association([1, 2, 3, 4, 5, 6], ["low", "low", "low", "high", "high", "high"]), 9)
    0.714285714
    >>> association(["u", "u", "v", "v"], ["x", "x", "y", "y"])
    1.0
    """
    columns = [(values, _is_number(values)) for values in (a, b)]
    if all(is_number for _, is_number in columns):
        return _numeric("association", a, b, sample_weight)
    if not any(is_number for _, is_number in columns):
        return _discrete("association", a, b, sample_weight)
    numbers, categories = (a, b) if columns[0][1] else (b, a)
    x = _numbers(numbers, "a" if columns[0][1] else "b")
    codes, n_levels = _codes(categories, "b" if columns[0][1] else "a")
    _same_length(x, codes)
    weights = read_weights(sample_weight, len(x))
    return ClassMoments.of(x, codes.astype(np.int32), n_levels, weights).value("association")


def _is_number(values: ArrayLike) -> bool:
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype):
        return dtype.kind in "iuf"
    return str(dtype) != "category" and np.asarray(as_numpy(values)).dtype.kind in "iuf"


def spearman(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the absolute Pearson correlation of the average ranks; 0 if either column is constant.

    A sample of weight w counts like w samples of equal rank, for any real w.

    Examples
    --------
    >>> spearman([1, 2, 3, 4], [1, 4, 9, 16])
    1.0
    """
    a, b = _numbers(x, "x"), _numbers(y, "y")
    _same_length(a, b)
    if len(a) == 0:
        return 0.0
    weights = read_weights(sample_weight, len(a))
    ranks = _core.RankPairMeasure(
        np.stack([a, b]), weights=None if weights is None else weights.astype(np.float64)
    )
    return float(ranks.values(0, np.array([1], dtype=np.uint32))[0, 0])


def f_statistic(x: ArrayLike, y: TargetLike, *, sample_weight: WeightsLike = None) -> float:
    """Compute the one-way F of numbers x and classes y, with the ratio of scatters capped at 1e12.

    Examples
    --------
    >>> round(f_statistic([1, 2, 3, 4, 5, 7], list("aaabbb")), 9)
    10.0
    """
    return _by_class("f", x, y, sample_weight)


def _by_class(measure: str, x: ArrayLike, y: TargetLike, sample_weight: WeightsLike) -> float:
    a = _numbers(x, "x")
    target = read_target(y, len(a), kind="nominal")
    weights = read_weights(sample_weight, len(a))
    return ClassMoments.of(a, target.class_codes, target.n_classes, weights).value(measure)
