"""Where to cut the votes of an ensemble, estimated with artificial features."""

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
from thresher._utils.types import DataLike, Estimator, FeatureNames, Floats, RandomState, TargetLike
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
    """What `estimate_false_share` found; an estimate without a promise.

    Attributes
    ----------
    thresholds : ndarray of float of shape (100,)
        0, 0.01, ..., 0.99.
    shares : ndarray of float of shape (100,)
        Estimated share of false features among those with more votes than each threshold; above 1 where artificial
        features are ahead.
    threshold, share : float
        The lowest threshold of the least share, and that share.
    level : float
        The largest share with which anything is selected.
    selected : ndarray of int
        Features with more votes than `threshold`, most votes first; none if `share` is above `level`.
    names : ndarray of object or None
        Their names, if X had names.
    votes : ndarray of float of shape (n_features,)
        Share of the replicates that chose each feature; 0 for excluded ones.
    artificial_votes : ndarray of float
        The same of the artificial features.
    """

    thresholds: Floats
    shares: Floats
    threshold: float
    share: float
    level: float
    selected: Positions
    names: npt.NDArray[np.object_] | None
    votes: Floats
    artificial_votes: Floats

    def __repr__(self) -> str:
        reached = f"estimated share of false features {self.share:.2f} above {self.threshold:.2f} of the votes"
        if self.share > self.level:
            return f"{reached}: nothing here at level {self.level:g}"
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
    """Estimate how many of the features that get most votes are false, with artificial features.

    Artificial features, columns of X permuted each by itself, take part in an ensemble. Where a features have more
    than a share t of the votes, and b artificial ones of a share pi of all columns have, ``(1 + b / pi) / max(1, a)``
    estimates the share of false ones among the a. The threshold is the t of 0, 0.01, ..., 0.99 where it is least.

    Parameters
    ----------
    selector : Ensemble or selector
        Its votes count; a selector votes on ``Ensemble(selector, 40, kind="halves")``. It chooses among real and
        artificial features together, so let it choose more of them than usual.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
    level : float, default=0.2
        Nothing is selected where the least estimate is above this.
    artificial : float, default=1.0
        Share of the features, drawn at random, that get an artificial copy.
    random_state : int, RandomState or None, default=None
        For the permutations, and for the halves of a plain selector.

    Returns
    -------
    estimate : FalseShare
        Prints as one line with the share reached.

    Notes
    -----
    **No promise.** The threshold minimises an estimate over a hundred values and takes what it gets: without
    `level`, on data without any signal something would be selected up to nine times in ten. For a promise use
    ``Ensemble(kind="halves")`` or `probe_select`. Artificial features are independent of everything, so a search that
    avoids redundancy prefers them to correlated real ones: the estimate is then too high. Excluded features get no
    vote and no copy; `keep` is refused. All columns are shuffled, so that ties favour no kind.

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
    with warnings.catch_warnings():  # the ensemble's own cutoff selects nothing here
        warnings.filterwarnings("ignore", "no feature was selected", ThresherWarning)
        ensemble.fit(table, y)
    # Features keep their numbers; the artificial ones come after all of them.
    lists = [origin[entries].tolist() for entries in ensemble.parts_]
    return _judge(lists, p, int(origin.max()) + 1 - p, len(features), level, names)


def _voters(selector: Estimator, seed: int) -> tuple[Ensemble, FeatureNames]:
    """An ensemble to fit, without its own cutoff and exclusions, and the exclusions."""
    if isinstance(selector, Ensemble):
        ensemble = clone(selector)
        if ensemble.kind == "inner":
            raise ValueError('kind="inner" makes one selection, without votes; use kind="halves"')
    else:
        ensemble = Ensemble(selector, 40, kind="halves", random_state=seed)
    inner = clone(ensemble._given_selector())
    if keep := kept_by(inner):
        raise ValueError(
            f"{keep} gives features votes that they did not win; leave it out of the selector"
        )
    name, exclude = excluded_by(inner)
    if exclude is not None:
        inner.set_params(**{name: None})
    ensemble.set_params(selector=inner, cutoff=0.75, pfer=None)
    return ensemble, exclude


def with_artificial(
    X: DataLike, features: Positions, share: float, seed: int
) -> tuple[DataLike, Positions]:
    """These columns of X and permuted copies of a share of them, shuffled; and where every column comes from.

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


def _judge(
    lists: list[list[int]],
    p: int,
    n_artificial: int,
    n_real: int,
    level: float,
    names: npt.NDArray[np.object_] | None,
) -> FalseShare:
    votes = count_votes(lists, p + n_artificial)
    percent = np.arange(100)
    above = 100 * votes[:, None] > percent * len(lists)  # in whole numbers
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
