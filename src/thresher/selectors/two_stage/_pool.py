"""The pool: the first features of MRMR, which can be asked for more."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from thresher._utils.progress import on_behalf
from thresher.data import Training
from thresher.search import ForwardSearch, SearchResult
from thresher.selectors._criterion import SearchTask
from thresher.selectors.mrmr import MRMR


class Pool:
    """Features in the order of MRMR on information, kept ones first; numbers are cut at mean -+ standard deviation.

    However it grows, it is the beginning of one long search.

    Attributes
    ----------
    features : ndarray of int
    relevance : ndarray of float of shape (n_features,)
    """

    def __init__(self, training: Training, n_jobs: int | None) -> None:
        self._filter = MRMR(relevance="mi", redundancy="mi", n_jobs=n_jobs)
        self._training = training
        self._criterion = self._filter.make_criterion(training)
        self._search: ForwardSearch[SearchResult] | None = None
        self.features: npt.NDArray[np.intp] = np.empty(0, dtype=np.intp)
        self.relevance: npt.NDArray[np.float64] = np.full(training.n_features, np.nan)

    def grow(self, size: int) -> bool:
        """To `size` features, or as many as there are; whether it has grown."""
        before = len(self.features)
        with on_behalf():
            if self._search is None:
                measures = self._filter.make_measures(self._training, self._criterion)
                self._task = SearchTask(
                    self._training, measures, self._criterion, size, self._filter
                )
                self._search = self._criterion.start(self._task)
            else:
                self._search.extend(size - before)
        found = self._criterion.describe(self._task, self._search.found())
        self.features = np.asarray(found.selected, dtype=np.intp)
        assert found.relevance is not None
        self.relevance = found.relevance
        return len(self.features) > before
