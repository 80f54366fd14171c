"""What all rankings share: one score per feature, an orientation, and the best ones chosen."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._checks import feature_position
from thresher.selectors._base import BaseSelector, Selection
from thresher.sources import Training

Floats = npt.NDArray[np.float64]


def rank_by_score(
    scores: Floats,
    candidates: npt.NDArray[np.bool_],
    kept: npt.NDArray[np.intp] | None = None,
    *,
    greater_is_better: bool = True,
) -> npt.NDArray[np.intp]:
    """All features, best first: kept ones, candidates by score, undefined scores, all others.

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
    """A selector that scores every feature by itself and chooses the best.

    Attributes
    ----------
    greater_is_better : bool
        The orientation of ``scores_``. ``ranking_`` is 1 for the best either way.
    """

    greater_is_better = True

    def _finish_ranking(
        self,
        training: Training,
        scores: Floats,
        wanted: int | None,
        *,
        chosen: npt.NDArray[np.intp] | None = None,
        **details: Any,
    ) -> Any:
        """Choose the `wanted` best features, or those in `chosen`, and describe them."""
        order = rank_by_score(
            scores, training.candidates, training.kept, greater_is_better=self.greater_is_better
        )
        if chosen is None:
            chosen = order[:wanted]
        ranking = np.empty(len(order), dtype=np.intp)
        ranking[order] = np.arange(1, len(order) + 1)
        details.setdefault("relevance", scores)
        details.setdefault("trace", {"feature": chosen, "score": scores[chosen]})
        return self._finish(
            training,
            Selection(selected=chosen, scores=scores, ranking=ranking, **details),
            wanted,
        )

    def reason(self, feature: int | str) -> str:
        """Say in a sentence why a feature was chosen or left.

        Parameters
        ----------
        feature : int or str
            Position, or name if X had names.

        Returns
        -------
        sentence : str
        """
        text = super().reason(feature)
        if text != "not chosen":
            return text
        names = getattr(self, "feature_names_in_", None)
        return self._why_left(feature_position("feature", feature, names, self.n_features_in_))

    def _why_left(self, position: int) -> str:
        score = self.scores_[position]
        if np.isnan(score):
            return "left: its score is undefined"
        best = "largest" if self.greater_is_better else "smallest"
        return f"left: rank {self.ranking_[position]} ({best} first), score {score:.4g}"
