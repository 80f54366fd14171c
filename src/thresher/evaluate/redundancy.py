"""Redundancy of all pairs among the first features of a selection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import sparse
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted

from thresher._utils.checks import check_number
from thresher._utils.types import DataLike, Estimator, Floats, Indices
from thresher.data import InputRules, read_training, reader_named, take
from thresher.io import open_table
from thresher.io.sparse import check_sparse
from thresher.io.table import is_file_input
from thresher.io.temporary import TemporaryStore
from thresher.measures import LocalMeasures

__all__ = ["RedundancyMap", "redundancy_map"]


@dataclass(frozen=True)
class RedundancyMap:
    """Result of :func:`redundancy_map`.

    Attributes
    ----------
    features : ndarray of int
        Features, ordered so that similar ones are neighbours.
    values : ndarray of float of shape (n, n)
        Redundancy of each pair, 0 to 1.
    measure : str
        ``"symmetrical uncertainty"``, or ``"squared correlation"`` if all features are numeric.
    """

    features: Indices
    values: Floats
    measure: str


def redundancy_map(
    selector: Estimator, X: DataLike, *, n_chosen: int = 24, n_left: int = 12
) -> RedundancyMap | None:
    """Compute the redundancy of the first selected features and the most relevant features that were not selected.

    Parameters
    ----------
    selector : fitted selector
        A selector of thresher.
    X
        The data that it was fitted on. Of a table in files only the columns of these features are read.
    n_chosen, n_left : int, default=24, 12
        Largest numbers of selected features and of features that were not selected.

    Returns
    -------
    map : RedundancyMap or None
        None for fewer than three features.

    Notes
    -----
    A row with a missing value is left out of the pairs with that feature. Features are ordered by average linkage. Time
    O(n_samples) for each pair of features.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> redundancy_map(MRMR(3).fit(X, y), X, n_left=2).values.shape
    (5, 5)
    """
    check_is_fitted(selector)
    check_number("n_chosen", n_chosen, minimum=1, integer=True)
    check_number("n_left", n_left, minimum=0, integer=True)
    features = _first_features(selector, n_chosen, n_left)
    if len(features) < 3:
        return None
    if is_file_input(X):
        names = selector.feature_names_in_[features].tolist()
        part = open_table(X, scratch=TemporaryStore()).select(names).in_memory().columns
    else:
        part = take(check_sparse(X), features, axis=1)
    if sparse.issparse(part) and np.isnan(part.data).any():
        part = part.toarray()  # pairwise deletion needs dense columns
    missing: Literal["error", "pairwise"] = "error" if sparse.issparse(part) else "pairwise"
    rules = InputRules(needs_target=False, missing=missing)
    training = read_training(reader_named("redundancy_map"), part, None, None, rules)
    schema = training.schema
    is_coded = bool(schema.is_category.any() or schema.is_discrete.all())
    pairs = LocalMeasures(training).pairs("su" if is_coded else "r2")
    partners = np.arange(len(features), dtype=np.uint32)
    values = np.array([pairs.values(i, partners).ravel() for i in range(len(features))])
    values = np.clip(np.nan_to_num((values + values.T) / 2), 0.0, 1.0)
    np.fill_diagonal(values, 1.0)
    distance = squareform(1.0 - values, checks=False)
    order = hierarchy.leaves_list(
        hierarchy.optimal_leaf_ordering(hierarchy.linkage(distance, "average"), distance)
    )
    name = "symmetrical uncertainty" if is_coded else "squared correlation"
    return RedundancyMap(features[order], values[np.ix_(order, order)], name)


def _first_features(selector: Estimator, n_chosen: int, n_left: int) -> Indices:
    relevance = selector.relevance_
    usable = ~selector.support_ & np.isfinite(relevance)
    for name in ("_excluded", "_constant"):
        usable &= ~getattr(selector, name, np.zeros(len(usable), dtype=bool))
    left = np.flatnonzero(usable)
    left = left[np.argsort(-relevance[left], kind="stable")][:n_left]
    return np.concatenate([selector.selected_[:n_chosen], left]).astype(np.intp)
