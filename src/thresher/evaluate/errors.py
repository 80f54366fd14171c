"""Selections with an error bound: limits for the number or the share of false features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import readable
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Indices,
    Names,
    RandomState,
    TargetLike,
)
from thresher.search.error_bounds import error_bound
from thresher.selectors.error_controlled import ErrorControlled

__all__ = ["ProbeSelection", "error_bound", "probe_select"]


@dataclass(frozen=True)
class ProbeSelection:
    """Result of `probe_select`.

    Attributes
    ----------
    selected : ndarray of int
        Selected features in the order of the search.
    names : ndarray of object or None
        Names of the selected features, if X has names.
    gate : ndarray of int
        Features that passed the significance filter ("gate").
    gate_level : float
        The largest p-value that passes.
    pvalues : ndarray of float of shape (n_features,)
        P-value of each feature.
    """

    selected: Indices
    names: Names | None
    gate: Indices
    gate_level: float
    pvalues: Floats

    @property
    def n_selected(self) -> int:
        return len(self.selected)

    def __repr__(self) -> str:
        shown = self.selected if self.names is None else self.names
        return (
            f"{self.n_selected} features selected; {len(self.gate)} of {len(self.pvalues)} passed the filter "
            f"(p <= {self.gate_level:.3g}): {', '.join(map(readable, shown))}"
        )


@takes_arrays
def probe_select(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    fdr: float = 0.1,
    pfer: float | None = None,
    method: Literal["gate", "compete"] = "gate",
    pvalues: Literal["permutation", "analytic"] | Floats | Sequence[float] = "permutation",
    n_permutations: int = 100,
    random_state: RandomState = None,
) -> ProbeSelection:
    """Select with a bound on the expected share, or number, of features independent of y.

    `ErrorControlled` does the same as an estimator for pipelines and cross-validation. Its documentation states the
    conditions and the limits of the bound.

    Parameters
    ----------
    selector : selector
        Selects from the features that pass the significance filter, at most as many as it is set to.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    fdr, pfer, method, pvalues, n_permutations, random_state
        See `ErrorControlled`.

    Returns
    -------
    selection : ProbeSelection

    See Also
    --------
    thresher.evaluate.estimate_false_share : Estimate the share of false features, without a bound.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> from thresher.evaluate import probe_select
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selection = probe_select(MRMR(5), X, y, fdr=0.05, random_state=0)
    >>> len(selection.gate), selection.n_selected
    (25, 5)
    """
    fitted = ErrorControlled(
        selector,
        fdr,
        pfer=pfer,
        method=method,
        pvalues=pvalues,
        n_permutations=n_permutations,
        random_state=random_state,
    ).fit(X, y)
    names = getattr(fitted, "feature_names_in_", None)
    return ProbeSelection(
        fitted.selected_,
        None if names is None else names[fitted.selected_],
        np.flatnonzero(fitted.gate_),
        fitted.gate_level_,
        fitted.pvalues_,
    )
