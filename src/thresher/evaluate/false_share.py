"""Estimates of the share of false features by the votes of artificial features in an ensemble."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import ThresherWarning, check_number, resolve_features
from thresher._utils.random import Purpose, stream
from thresher._utils.types import (
    DataLike,
    Estimator,
    FeatureNames,
    Floats,
    Names,
    RandomState,
    TargetLike,
)
from thresher.data import indexable, is_frame
from thresher.evaluate._candidates import widen
from thresher.evaluate._runs import as_matrix
from thresher.search.ensemble import combine_votes, count_votes, draw_seed
from thresher.selectors._third_party import excluded_by, kept_by
from thresher.selectors.ensemble import Ensemble

__all__ = ["FalseShare", "estimate_false_share"]

Positions = npt.NDArray[np.intp]


@dataclass(frozen=True)
class FalseShare:
    """Result of `estimate_false_share`: an estimate without a guarantee.

    Attributes
    ----------
    thresholds : ndarray of float of shape (100,)
        0, 0.01, ..., 0.99.
    shares : ndarray of float of shape (100,)
        Estimated share of false features among those with more votes than each threshold; above 1 where artificial
        features have more votes than real ones.
    threshold, share : float
        The lowest threshold with the smallest share, and that share.
    level : float
        The largest share with which features are selected.
    selected : ndarray of int
        Features with more votes than `threshold`, most votes first; none if `share` is above `level`.
    names : ndarray of object or None
        Names of the selected features, if X has names.
    votes : ndarray of float of shape (n_features,)
        Share of the replicates that selected each feature; 0 for excluded features.
    artificial_votes : ndarray of float
        Share of the replicates that selected each artificial feature.
    """

    thresholds: Floats
    shares: Floats
    threshold: float
    share: float
    level: float
    selected: Positions
    names: Names | None
    votes: Floats
    artificial_votes: Floats

    def __repr__(self) -> str:
        reached = f"estimated share of false features {self.share:.2f} above {self.threshold:.2f} of the votes"
        if self.share > self.level:
            return f"{reached}: no feature selected at level {self.level:g}"
        plural = "" if len(self.selected) == 1 else "s"
        return f"{reached}: {len(self.selected)} feature{plural}; an estimate, not a bound"


@takes_arrays
def estimate_false_share(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    *,
    level: float = 0.2,
    artificial: float = 1.0,
    random_state: RandomState = None,
) -> FalseShare:
    """Estimate the share of false features among those with most votes, by artificial features.

    Artificial features, which are separately permuted columns of X, take part in an ensemble. Let a real features and b
    artificial ones have more than a share t of the votes, and let artificial features be a share pi of the real ones.
    Then ``(1 + b / pi) / max(1, a)`` estimates the share of false ones among the a. The threshold is the t of
    0, 0.01, ..., 0.99 with the smallest estimate.

    Parameters
    ----------
    selector : Ensemble or selector
        Its votes count. A selector votes in ``Ensemble(selector, 40, kind="halves")``. It selects from real and
        artificial features together, so set a larger number of features than usual.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    level : float, default=0.2
        Nothing is selected if the smallest estimate is above this level.
    artificial : float, default=1.0
        Share of the features, drawn at random, that get an artificial copy.
    random_state : int, RandomState or None, default=None
        Seed of the permutations, and of the halves for a plain selector.

    Returns
    -------
    estimate : FalseShare
        Prints as one line with the estimated share.

    See Also
    --------
    thresher.evaluate.probe_select : Select with an error bound.

    Notes
    -----
    **There is no guarantee.** The threshold minimises an estimate over a hundred values. Without `level`, features
    would be selected up to nine times in ten on data without any signal. For a guarantee use
    ``Ensemble(kind="halves")`` or `probe_select`. Artificial features are independent of everything, so a search that
    avoids redundancy prefers them to correlated real ones, and the estimate is then too high. Excluded features get no
    vote and no copy. `keep` is rejected. All columns are shuffled, so that ties favour neither kind.

    References
    ----------
    J. Hedou and others, "Discovery of sparse, reliable omic biomarkers with Stabl", 2024.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> from thresher.evaluate import estimate_false_share
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> estimate = estimate_false_share(MRMR(10), X, y, random_state=0)
    >>> estimate.share <= 0.2, len(estimate.selected) > 3
    (True, True)
    """
    check_number("level", level, minimum=0, maximum=1, exclusive_minimum=True)
    check_number("artificial", artificial, minimum=0, maximum=1, exclusive_minimum=True)
    X = as_matrix(indexable(X))
    names = None
    if is_frame(X):
        names = np.array([str(name) for name in nw.from_native(X).columns], dtype=object)
    seed = draw_seed(random_state)
    ensemble, exclude = _voters(selector, seed)
    p = int(X.shape[1])
    features = np.delete(np.arange(p), resolve_features("exclude", exclude, names, p))
    table, origin = with_artificial(X, features, artificial, seed)
    with warnings.catch_warnings():  # the cutoff of the ensemble is not used
        warnings.filterwarnings("ignore", "no feature was selected", ThresherWarning)
        ensemble.fit(table, y)
    # Real features have their positions in X; artificial ones follow them.
    lists = [origin[entries].tolist() for entries in ensemble.parts_]
    return _estimate(lists, p, int(origin.max()) + 1 - p, len(features), level, names)


def _voters(selector: Estimator, seed: int) -> tuple[Ensemble, FeatureNames]:
    """Return an ensemble to fit, without its cutoff and exclusions, and the exclusions."""
    if isinstance(selector, Ensemble):
        ensemble = clone(selector)
        if ensemble.kind == "inner":
            raise ValueError('kind="inner" makes one selection without votes. Use kind="halves"')
    else:
        ensemble = Ensemble(selector, 40, kind="halves", random_state=seed)
    inner = clone(ensemble._given_selector())
    if keep := kept_by(inner):
        raise ValueError(
            f"{keep} would give features votes in every replicate. Remove it from the selector"
        )
    name, exclude = excluded_by(inner)
    if exclude is not None:
        inner.set_params(**{name: None})
    ensemble.set_params(selector=inner, cutoff=0.75, pfer=None)
    return ensemble, exclude


def with_artificial(
    X: DataLike, features: Positions, share: float, seed: int
) -> tuple[DataLike, Positions]:
    """Return columns of X with permuted copies of a share of them, shuffled, and the origin of every column.

    Artificial columns have the numbers from ``X.shape[1]`` on.
    """
    n, p = X.shape
    rng = stream(seed, Purpose.ARTIFICIAL_FEATURES)
    n_copied = max(1, round(share * len(features)))
    copied = np.sort(rng.choice(features, n_copied, replace=False))
    copies = [(int(i), rng.permutation(n)) for i in copied]
    origin = np.concatenate([features, p + np.arange(n_copied)])
    order = rng.permutation(len(origin))
    return widen(X, features, copies, None, order), origin[order]


def _estimate(
    lists: list[list[int]],
    p: int,
    n_artificial: int,
    n_real: int,
    level: float,
    names: Names | None,
) -> FalseShare:
    votes = count_votes(lists, p + n_artificial)
    percent = np.arange(100)
    above = 100 * votes[:, None] > percent * len(lists)  # exact, in integers
    real, false = above[:p].sum(axis=0), above[p:].sum(axis=0)
    # (1 + false / pi) / max(1, real) with pi = n_artificial / n_real: one rounding, so equal shares are equal.
    shares = (n_artificial + false * n_real) / (n_artificial * np.maximum(real, 1))
    best = int(np.argmin(shares))
    selected = np.empty(0, dtype=np.intp)
    if shares[best] <= level:
        order = np.array(combine_votes(lists, p + n_artificial, p + n_artificial), dtype=np.intp)
        selected = order[(order < p) & above[order, best]]
    return FalseShare(
        percent / 100,
        shares,
        best / 100,
        float(shares[best]),
        level,
        selected,
        None if names is None else names[selected],
        votes[:p] / len(lists),
        votes[p:] / len(lists),
    )
