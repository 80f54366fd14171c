"""The base class of rankings, which score every feature alone and select the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self, Unpack

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Floats, Indices, Mask
from thresher.data import FeatureRoles
from thresher.selectors._base import BaseSelector, Details, Selection
from thresher.selectors._explain import Ranked


def rank_by_score(
    scores: Floats, candidates: Mask, kept: Indices | None = None, *, greater_is_better: bool = True
) -> Indices:
    """Return all features, best first: forced-in ones, candidates by score, undefined scores, all others.

    Ties go to the lowest position.
    """
    key = -scores if greater_is_better else scores
    group = np.where(candidates, np.where(np.isnan(scores), 2, 1), 3).astype(np.uint8)
    if kept is not None:
        group[kept] = 0
        key = key.copy()
        key[kept] = np.arange(len(kept))
    order = _core.ascending(np.where(np.isnan(key), 0.0, key))
    return order[np.argsort(group[order], kind="stable")].astype(np.intp, copy=False)


class Ranking(BaseSelector):
    """Base class: scores every feature alone and selects the best.

    Attributes
    ----------
    greater_is_better : bool
        The orientation of ``scores_``. ``ranking_`` is 1 for the best either way.
    """

    greater_is_better = True

    def _finish_ranking(
        self,
        columns: FeatureRoles,
        scores: Floats,
        wanted: int | None,
        *,
        order: Indices | None = None,
        chosen: Indices | None = None,
        trace: Mapping[str, npt.ArrayLike] | None = None,
        **details: Unpack[Details],
    ) -> Self:
        """Select the `wanted` best features, or those in `chosen`, and set the fitted attributes.

        `order` is the order by score.
        """
        if order is None:
            order = rank_by_score(
                scores, columns.candidates, columns.kept, greater_is_better=self.greater_is_better
            )
        is_last = columns.excluded[order]
        order = np.concatenate([order[~is_last], order[is_last]])
        if chosen is None:
            chosen = order[:wanted]
        ranking = np.empty(len(order), dtype=np.intp)
        ranking[order] = np.arange(1, len(order) + 1)
        details.setdefault("explanation", self._ranked())
        selection = Selection(
            chosen,
            scores,
            relevance=scores,
            ranking=ranking,
            trace=trace or {"feature": chosen, "score": scores[chosen]},
            **details,
        )
        return self._finish(columns, selection, wanted)

    def _ranked(self) -> Ranked:
        """Return an explanation by ranks."""
        return Ranked("largest" if self.greater_is_better else "smallest")
