"""Bins at cuts that are known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thresher import _core
from thresher._utils.checks import feature_position
from thresher._utils.params import estimator, param
from thresher.discretize._base import Bins, Cuts

MOST_CUTS = 254


@estimator
class GivenBins(Bins):
    """Bins at given cuts, such as those of another fit or of a standard.

    Nothing is learnt, so data that come in pieces are coded alike: this is how numbers are binned for ``partial_fit``.

    Parameters
    ----------
    cuts : list of array-like, or dict of name or position to array-like, default=()
        Ascending cuts of every feature; the code of a value is the number of cuts strictly below it. In a selector's
        `discretize` features that a dict does not name, or that stand as None, are taken as they are.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`. Bins that no training sample falls into are left out.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import GivenBins
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0]])
    >>> GivenBins([[2.5, 5.0]]).fit_transform(X).ravel().tolist()
    [0, 0, 1, 2]
    """

    cuts: Sequence[ArrayLike | None] | Mapping[str | int, ArrayLike] = param(
        default=(), kw_only=False
    )

    def by_feature(
        self, names: NDArray[np.object_] | None, n_features: int
    ) -> list[NDArray[np.float64] | None]:
        """The cuts of every feature, None where there are none given."""
        found: list[NDArray[np.float64] | None] = [None] * n_features
        if isinstance(self.cuts, Mapping):
            for feature, cuts in self.cuts.items():
                place = feature_position("cuts", feature, names, n_features)
                if found[place] is not None:
                    raise ValueError(
                        f"cuts names the feature {feature!r} by name and position; name it once"
                    )
                found[place] = _checked(cuts, feature)
            return found
        if isinstance(self.cuts, str) or not isinstance(self.cuts, Sequence):
            raise ValueError(
                f"cuts must be a list with the cuts of every feature, or a dict by feature, got {self.cuts!r}"
            )
        if len(self.cuts) != n_features:
            raise ValueError(
                f"cuts holds those of {len(self.cuts)} features, but X has {n_features}; "
                "give a dict by feature if only some are to be cut"
            )
        return [
            None if cuts is None else _checked(cuts, feature)
            for feature, cuts in enumerate(self.cuts)
        ]

    def on(
        self, features: NDArray[np.intp], names: NDArray[np.object_] | None, n_features: int
    ) -> GivenBins:
        """The bins of some of the features of X."""
        cuts = self.by_feature(names, n_features)
        return GivenBins([cuts[feature] for feature in features], n_jobs=self.n_jobs)

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> Cuts:
        cuts, offsets = self._all_cuts(getattr(self, "feature_names_in_", None), len(matrix))
        coded = _core.apply_cuts(matrix, cuts, offsets, n_threads)
        if weights is not None and not weights.all():
            coded = np.ascontiguousarray(coded[:, weights > 0])
        used = [
            own[np.flatnonzero(np.bincount(codes, minlength=256)[: len(own) + 1])[1:] - 1]
            for codes, own in zip(coded, np.split(cuts, offsets[1:-1]), strict=True)
        ]
        return _joined(used)

    def learn_sparse_cuts(
        self,
        columns: tuple[Any, Any, Any, int],
        wanted: NDArray[np.bool_],
        y: Any,
        weights: NDArray[np.float64] | None,
        n_threads: int,
    ) -> Cuts:
        values, _, starts, n_rows = columns
        cuts = self.by_feature(getattr(self, "feature_names_in_", None), len(wanted))
        used = []
        for feature, own in enumerate(cuts):
            if own is None or not wanted[feature]:
                used.append(np.empty(0))
                continue
            stored = values[starts[feature] : starts[feature + 1]]
            codes = np.searchsorted(own, stored[~np.isnan(stored)])
            if len(stored) < n_rows:
                codes = np.append(codes, np.searchsorted(own, 0.0))
            used.append(own[np.unique(codes)[1:] - 1])
        return _joined(used)

    def _all_cuts(self, names: NDArray[np.object_] | None, n_features: int) -> Cuts:
        cuts = self.by_feature(names, n_features)
        given = [own for own in cuts if own is not None]
        if len(given) < n_features:
            first = next(i for i, own in enumerate(cuts) if own is None)
            raise ValueError(
                f"cuts gives none for feature {first}; give an empty list where all values are one level"
            )
        return _joined(given)

    def _rule(self) -> tuple[str, float]:
        return "given", 0.0

    def _validate_parameters(self) -> None:
        pass


def _checked(cuts: Any, feature: Any) -> NDArray[np.float64]:
    try:
        own = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError):
        own = np.full((1, 1), np.nan)
    if own.ndim != 1 or not np.isfinite(own).all() or (np.diff(own) <= 0).any():
        raise ValueError(
            f"cuts of feature {feature!r} must be ascending finite numbers, got {cuts!r}"
        )
    if len(own) > MOST_CUTS:
        raise ValueError(
            f"cuts of feature {feature!r} are {len(own)}, at most {MOST_CUTS} can be coded"
        )
    return own


def _joined(cuts: Sequence[NDArray[np.float64]]) -> Cuts:
    offsets = np.cumsum([0, *map(len, cuts)], dtype=np.int64)
    return np.concatenate([np.empty(0), *cuts]), offsets
