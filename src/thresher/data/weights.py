"""Weights of rows: repeats where they are whole numbers."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher._utils.arrays import as_numpy
from thresher._utils.warnings import warn

# Whole weights are counts, and exact, as long as no sum of as many weights as there are rows exceeds this.
MOST_COUNTED = 1 << 50
# Others are sums of float64: their total is brought between these powers of two, where no sum overflows or vanishes.
SMALLEST_EXPONENT, LARGEST_EXPONENT = -30, 50


WeightKind = Literal["none", "whole", "real"]


def read_weights(sample_weight: Any, n_rows: int) -> npt.NDArray[Any] | None:
    """One weight per row: int64 if all are whole numbers and not too large to be counted, else float64."""
    if sample_weight is None:
        return None
    weights = weight_numbers(sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got shape {weights.shape}")
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected {(n_rows,)}: give one weight per sample"
        )
    check_weights(weights)
    if not (weights > 0).any():
        raise ValueError("sample_weight is zero for every sample; give some a positive weight")
    largest, is_whole = float(weights.max()), are_whole(weights)
    if are_counted(largest, is_whole, n_rows):
        return weights.astype(np.int64)
    used = weights[weights > 0]
    warn_of_few(float(used.sum()) if used.max() < 2 else np.inf, len(used))
    return in_range(weights, range_shift(largest, is_whole, n_rows))


def kind_of_weights(weights: npt.NDArray[Any] | None) -> WeightKind:
    """Return how weights that were read count."""
    if weights is None:
        return "none"
    return "real" if weights.dtype.kind == "f" else "whole"


def are_whole(weights: npt.NDArray[Any]) -> bool:
    """Return whether all weights are whole numbers."""
    return weights.dtype.kind != "f" or bool((weights == np.floor(weights)).all())


def are_counted(largest: float, is_whole: bool, n_rows: int) -> bool:
    """Return whether weights count as repeats: whole ones of which no sum is too large."""
    return is_whole and int(largest) * n_rows <= MOST_COUNTED


def weight_numbers(sample_weight: Any) -> npt.NDArray[Any]:
    """Return the weights as an array of whole numbers, if it was one, or of float64."""
    weights = np.asarray(as_numpy(sample_weight))
    if weights.dtype.kind in "iub":
        return weights
    if weights.dtype.kind == "c":
        raise ValueError("sample_weight must hold real numbers, one per sample")
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError("sample_weight must hold numbers, one per sample") from error


def check_weights(weights: npt.NDArray[Any], where: str = "") -> None:
    """Raise for weights that are not finite or negative; `where` is added to the place of a row."""
    if not np.isfinite(weights).all():
        raise ValueError("sample_weight contains NaN or infinity; give finite weights")
    negative = np.flatnonzero(weights < 0)
    if negative.size:
        first = negative[0]
        raise ValueError(
            f"sample_weight is negative ({weights[first]} at sample {first}{where}); give weights of at least 0"
        )


def warn_of_few(total: float, n_used: int) -> None:
    """Weights that were made to sum to one leave hardly a sample to tests."""
    if total < 2 <= n_used:
        warn(
            f"sample_weight sums to {total:.3g} over {n_used} samples: weights count like repeats, so F, "
            "chi-squared, p-values and MDL bins see that few samples; multiply the weights so that their mean is 1"
        )


def range_shift(largest: float, is_whole: bool, n_rows: int) -> int:
    """Return the power of two by which weights are multiplied, lest their sum is too large or too small.

    It is 0 for weights that are counted. No measure but F and chi-squared, which grow with the number of rows, depends
    on such a factor.
    """
    if are_counted(largest, is_whole, n_rows):
        return 0
    exponent = int(np.frexp(largest)[1]) + n_rows.bit_length()
    return min(max(exponent, SMALLEST_EXPONENT), LARGEST_EXPONENT) - exponent


def in_range(weights: npt.NDArray[Any], shift: int) -> npt.NDArray[np.float64]:
    """Return the weights times two to the power of `shift`."""
    return np.ldexp(weights.astype(np.float64), shift)
