"""Weights of rows: repeats where they are whole numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._warn import warn

# Whole weights are counts, and exact, as long as no sum of as many weights as there are rows exceeds this.
MOST_COUNTED = 1 << 50
# Others are sums of float64: their total is brought between these powers of two, where no sum overflows or vanishes.
SMALLEST_EXPONENT, LARGEST_EXPONENT = -30, 50


def read_weights(sample_weight: Any, n_rows: int) -> npt.NDArray[Any] | None:
    """One weight per row: int64 if all are whole numbers and not too large to be counted, else float64."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight)
    if weights.dtype.kind not in "iub":
        if weights.dtype.kind == "c":
            raise ValueError("sample_weight must hold real numbers, one per sample")
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise ValueError("sample_weight must hold numbers, one per sample") from error
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
    is_whole = weights.dtype.kind != "f" or bool((weights == np.floor(weights)).all())
    if is_whole and int(weights.max()) * n_rows <= MOST_COUNTED:
        return weights.astype(np.int64)
    used = weights[weights > 0]
    warn_of_few(float(used.sum()) if used.max() < 2 else np.inf, len(used))
    return _in_range(weights.astype(np.float64))


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


def _in_range(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Times a power of two, if their sum could be too large or too small otherwise.

    No measure but F and chi-squared, which grow with the number of rows, depends on such a factor.
    """
    exponent = int(np.frexp(weights.max())[1]) + len(weights).bit_length()
    wanted = min(max(exponent, SMALLEST_EXPONENT), LARGEST_EXPONENT)
    return weights if wanted == exponent else np.ldexp(weights, wanted - exponent)
