"""The vote over complementary halves of the rows, and its error bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import issparse

from thresher._utils.checks import resolve_features
from thresher._utils.types import DataLike, Estimator, FeatureNames, Names
from thresher.data import TrainingData
from thresher.discretize import uses_target
from thresher.measures import KINDS, columns_to_bin
from thresher.search.ensemble import combine_votes, count_votes
from thresher.search.error_bounds import (
    bound_of,
    counted,
    exceeds,
    largest_q,
    least_cutoff,
    votes_needed,
)
from thresher.selectors._criterion import Criterion
from thresher.selectors._filter import FilterSelector
from thresher.selectors._third_party import kept_by


@dataclass(frozen=True)
class HalvesResult:
    """The result of the vote of halves.

    Attributes
    ----------
    selected : list of int
        Ordered by votes, then by the sum of positions, then by index.
    cutoff : float
        The least share of votes of a selected feature.
    error_bound : float
        Upper bound on the expected number of rarely chosen features among the selected ones.
    q : float
        Mean number of features chosen on a half.
    """

    selected: list[int]
    cutoff: float
    error_bound: float
    q: float


def select_by_halves(
    lists: Sequence[Sequence[int]],
    n_features: int,
    n_choosable: int,
    cutoff: float | str,
    pfer: float | None,
    assumption: str,
) -> HalvesResult:
    """Select the features with enough votes; `n_choosable` of the features can be chosen."""
    n_pairs = len(lists) // 2
    q = sum(map(len, lists)) / len(lists)
    law = (n_pairs, assumption)
    if isinstance(cutoff, str):
        assert pfer is not None
        wins = least_cutoff(n_choosable, q, pfer, *law)
    else:
        wins = votes_needed(cutoff, n_pairs)
    bound = bound_of(n_choosable, q, wins, *law)
    if pfer is not None and exceeds(bound, pfer):
        better = least_cutoff(n_choosable, q, pfer, *law) / len(lists)
        most = largest_q(n_choosable, wins, pfer, *law)
        fewer = f", or use a selector of at most {counted(most)}" if most else ""
        raise ValueError(
            f"cutoff={cutoff} with {q:g} features per half bounds the expected errors by {bound:.3g}, "
            f"above pfer={pfer:g}. Set cutoff={better:g}{fewer}"
        )
    return HalvesResult(keep_voted(lists, n_features, wins), wins / len(lists), bound, q)


def keep_voted(lists: Sequence[Sequence[int]], n_features: int, wins: int) -> list[int]:
    """Return features with at least `wins` votes; by votes, then by the sum of positions, then by index."""
    votes = count_votes(lists, n_features)
    return [f for f in combine_votes(lists, n_features, n_features) if votes[f] >= wins]


def check_halves(ensemble: Estimator) -> None:
    """Check the parameters of an ensemble of halves."""
    if ensemble.n_parts % 2 or ensemble.n_parts < 2:
        even = max(2, ensemble.n_parts + 1)
        raise ValueError(
            f'n_parts must be even and at least 2 with kind="halves", got {ensemble.n_parts}. Set n_parts={even}'
        )
    if ensemble.vote != "majority":
        raise ValueError(f'vote must be "majority" with kind="halves", got {ensemble.vote!r}')
    cutoff, pfer = ensemble.cutoff, ensemble.pfer
    if not isinstance(cutoff, str):
        votes_needed(cutoff, ensemble.n_pairs)
    elif cutoff != "auto":
        raise ValueError(f'cutoff must be a number or "auto", got {cutoff!r}')
    elif pfer is None:
        raise ValueError('cutoff="auto" requires pfer, the largest expected number of errors')


def check_nothing_kept(selector: Estimator) -> None:
    """Raise ValueError for `keep`, which would select a feature without a vote."""
    if keep := kept_by(selector):
        raise ValueError(
            f'{keep} cannot be used with kind="halves", in which forced-in features get every vote. '
            "Remove keep and add the features to the selection"
        )


def check_bins(selector: FilterSelector, criterion: Criterion, training: TrainingData) -> None:
    """Raise ValueError for bins that depend on the target of both halves."""
    if selector.default_bins is None:
        return
    rule = selector.bin_rule()
    on_codes = any(KINDS[name].is_discrete for name in criterion.measures)
    to_bin = on_codes and columns_to_bin(training.schema, rule).any()
    if to_bin and uses_target(rule):
        raise ValueError(
            f'kind="halves" requires independent halves, but bins by {rule!r} depend on the target of all samples. '
            'Set discretize="equal-frequency" in the selector'
        )


def count_choosable(X: DataLike, exclude: FeatureNames, names: Names | None) -> int:
    """Count the columns with more than one distinct value that are not excluded."""
    if issparse(X):
        columns = X.tocsc()
        low, high = columns.min(axis=0).toarray(), columns.max(axis=0).toarray()
        varies = (low != high).ravel()
    else:
        values = np.asarray(X)
        varies = (values != values[:1]).any(axis=0)
    varies[resolve_features("exclude", exclude, names, len(varies))] = False
    return int(varies.sum())
