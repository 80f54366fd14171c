"""Discretizers by name, or from transformers of other packages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils import get_tags

from thresher._utils.checks import did_you_mean
from thresher._utils.types import Array, BinRule, Estimator, Floats, TargetLike
from thresher.discretize._base import Bins, Cuts, Discretizer, Weights, join_cuts
from thresher.discretize._bins import EqualFrequencyBins, EqualWidthBins, MDLBins, MeanSdBins


class _ThirdPartyBins:
    """Learns the cut points of a third-party transformer from its codes of the training data."""

    def __init__(self, transformer: Estimator) -> None:
        self.transformer = transformer

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        if weights is not None:
            raise ValueError(
                f"discretize={self.transformer!r} cannot be used with sample_weight. "
                'Use a built-in rule, e.g. "equal-frequency"'
            )
        codes = clone(self.transformer).fit(matrix.T, y).transform(matrix.T)
        if issparse(codes) or np.shape(codes) != matrix.T.shape:
            raise ValueError(
                f"discretize={self.transformer!r} must turn each feature into one column of codes, but made "
                f'{matrix.shape[0]} features into {np.shape(codes)[1]} columns. Set encode="ordinal"'
            )
        pairs = zip(matrix, np.asarray(codes).T, strict=True)
        return join_cuts([_cuts_of_codes(*pair) for pair in pairs])

    def learn_sparse_cuts(self, *_: object, **__: object) -> Cuts:
        raise ValueError(
            f"discretize={self.transformer!r} needs dense X, got a sparse matrix. "
            'Use a built-in rule, e.g. "equal-frequency", or pass X.toarray()'
        )


def _cuts_of_codes(values: Array, codes: Array) -> Floats:
    order = np.argsort(values, kind="stable")
    values, codes = values[order].astype(np.float64), codes[order]
    steps = np.flatnonzero(np.diff(codes) != 0)
    if (np.diff(codes) < 0).any() or (values[steps] == values[steps + 1]).any():
        raise ValueError(
            "the codes of discretize must not decrease with the value. Use a transformer with ordered codes"
        )
    below, above = values[steps], values[steps + 1]
    middle = below / 2 + above / 2
    return np.where((middle >= below) & (middle < above), middle, below)


_BY_NAME: dict[str, Callable[..., Bins]] = {
    "equal-frequency": EqualFrequencyBins,
    "equal-width": EqualWidthBins,
    "mean-sd": MeanSdBins,
    "mdl": MDLBins,
}


def make_discretizer(discretize: BinRule) -> Discretizer:
    """Make a discretizer from its name, or return the object itself.

    Parameters
    ----------
    discretize : str or object with ``fit`` and ``transform``
        ``"equal-frequency"``, ``"equal-width"``, ``"mean-sd"`` or ``"mdl"``, with an optional setting after a colon:
        ``"equal-frequency:5"`` (bins), ``"mean-sd:0.5"`` (t), ``"mdl:weka"``.

    Returns
    -------
    discretizer : object
        A new, unfitted transformer for a name. For a third-party transformer, such as scikit-learn's
        ``KBinsDiscretizer(encode="ordinal")``, an object that learns its cut points.

    Examples
    --------
    >>> from thresher.discretize import make_discretizer
    >>> make_discretizer("equal-frequency:5")
    EqualFrequencyBins(n_bins=5)
    """
    if not isinstance(discretize, str):
        if hasattr(discretize, "learn_cuts"):
            learner: Discretizer = discretize
            return learner
        if hasattr(discretize, "fit") and hasattr(discretize, "transform"):
            return _ThirdPartyBins(discretize)
        raise ValueError(
            f"discretize must be one of {', '.join(map(repr, _BY_NAME))} or an object with fit and "
            f"transform, got {discretize!r}"
        )
    name, colon, setting = discretize.partition(":")
    if name not in _BY_NAME:
        hint = did_you_mean(name, _BY_NAME)
        raise ValueError(
            f"discretize must be one of {', '.join(map(repr, _BY_NAME))}, got {discretize!r}{hint}"
        )
    if not colon:
        return _BY_NAME[name]()
    kind: Callable[[str], object] = {"mean-sd": float, "mdl": str}.get(name, int)
    try:
        made = _BY_NAME[name](kind(setting))
        made._validate_parameters()
    except ValueError as error:
        raise ValueError(f"discretize={discretize!r} has an invalid parameter: {error}") from None
    return made


def uses_target(discretize: BinRule) -> bool:
    """Return whether bins of this kind depend on the target."""
    discretizer = make_discretizer(discretize)
    if isinstance(discretizer, _ThirdPartyBins):
        return bool(get_tags(discretizer.transformer).target_tags.required)
    return bool(getattr(discretizer, "_uses_target", False))
