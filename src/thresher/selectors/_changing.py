"""Selectors of rows that come and go."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter, validate_data

from thresher._one_thread import one_thread
from thresher.blocks import FarMeasures, FarTraining, KeptRows, RowBlock, split_columns
from thresher.discretize import GivenBins
from thresher.measures import Measures
from thresher.selectors._base import BaseSelector, all_or_nothing
from thresher.sources import (
    Far,
    Training,
    check_sparse,
    is_frame,
    one_dimensional,
    to_native,
    unmasked,
)


def _takes_pieces(selector: BaseSelector) -> bool:
    return selector._reads_blocks


class ChangingRows(BaseSelector):
    """A selector that keeps rows, can be given more of them and told to forget some.

    Its fitted attributes are those of ``fit`` on the rows that it keeps. They are computed when one of them is asked
    for and the rows have changed since.
    """

    # Whether it asks for terms of two features and the target.
    _asks_triples = False
    _unsaved = ("_kept_rows", "_up_to_date")

    @available_if(_takes_pieces)  # type: ignore[untyped-decorator]
    @all_or_nothing
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Add rows to those kept.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
            The same columns in every call.
        y : array-like of shape (n_samples,), or str
            Classes or numbers; or the column of the frame X that holds them.
        sample_weight : array-like of shape (n_samples,), or str, default=None
            In every call or in none.

        Returns
        -------
        self : object
            The selection is that of ``fit`` on all rows that were added and not forgotten, in the order in which they
            came. It is found when a fitted attribute is asked for. After ``fit``, the first call starts anew.
        """
        kept = vars(self).get("_kept_rows")
        block = self._block(X, y, sample_weight, reset=kept is None)
        if kept is None:
            kept = self._kept_rows = KeptRows(*self._kept_by())
        else:
            kept.check(*self._kept_by())
        kept.add(block)
        return self._changed()

    @available_if(_takes_pieces)  # type: ignore[untyped-decorator]
    @all_or_nothing
    def forget(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take rows away that `partial_fit` added.

        Parameters
        ----------
        X, y, sample_weight
            As in `partial_fit`. Rows are told by their values: of rows that are alike, the one that came first leaves.

        Returns
        -------
        self : object
            If any of the rows was never added, or was forgotten already, that is an error, and none is forgotten.
        """
        kept = vars(self).get("_kept_rows")
        if kept is None:
            raise ValueError(
                "there are no rows to forget: only those given to partial_fit can be forgotten"
            )
        kept.check(*self._kept_by())
        kept.remove(self._block(X, y, sample_weight, reset=False))
        return self._changed()

    def _kept_by(self) -> tuple[GivenBins | None, Any]:
        """The cuts of columns that matter by their bins alone, and the columns that do not matter."""
        given = getattr(self, "discretize", None)
        by_bins = isinstance(given, GivenBins) and self._coded_by() is not None
        return given if by_bins else None, getattr(self, "exclude", None)

    def _read(
        self, X: Any, y: Any = None, sample_weight: Any = None, far: Far | None = None
    ) -> Training:
        self._keep_only(X)
        return super()._read(X, y, sample_weight, far)

    def _keep_only(self, X: Any) -> None:
        """Let go of rows kept, unless X is them."""
        kept = vars(self).get("_kept_rows")
        if kept is not None and X is kept:
            kept.check(*self._kept_by())
        else:
            self.__dict__.pop("_kept_rows", None)

    def _measures_of(
        self, training: Training, names: tuple[str, ...], default: str, parts: Any = None
    ) -> Measures:
        """These measures of the rows, wherever they are; `default` are the bins of ``discretize="auto"``."""
        discretize: Any = getattr(self, "discretize", "auto")
        if not isinstance(training, FarTraining):
            return Measures(training, discretize=discretize, default=default, parts=parts)
        far = FarMeasures(
            training,
            names,
            discretize=discretize,
            default=default,
            parts=parts,
            asks_triples=self._asks_triples,
        )
        return cast(Measures, far)

    def _block(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> RowBlock:
        X = to_native(X)
        if is_frame(X):
            block = split_columns(X, y, sample_weight)
            X, y, sample_weight = block.X, block.y, block.weights
        elif sparse.issparse(X):
            X = check_sparse(X).tocsr()
        else:
            X = np.asarray(unmasked(X))
            if X.ndim != 2:
                raise ValueError(
                    f"X must have two dimensions (Reshape your data), got an array of shape {X.shape}"
                )
        validate_data(self, X, skip_check_array=True, reset=reset)
        y = one_dimensional(y, type(self).__name__) if self._needs_target else None
        weights = None if sample_weight is None else np.asarray(sample_weight)
        if weights is not None and not has_fit_parameter(self, "sample_weight"):
            raise ValueError(f"{type(self).__name__} takes no sample_weight; leave it out")
        for name, values in (("y", y), ("sample_weight", weights)):
            if values is not None and values.shape != X.shape[:1]:
                raise ValueError(
                    f"X and {name} must have the same number of samples (inconsistent numbers of samples), got "
                    f"{X.shape[0]} and {values.shape}"
                )
        return RowBlock(X, y, weights)

    def _changed(self) -> Self:
        """Let go of what was found out about other rows."""
        for name in [name for name in vars(self) if _is_found(name)]:
            delattr(self, name)
        self.__dict__.pop("_up_to_date", None)
        return self

    def __getattr__(self, name: str) -> Any:
        """Called for attributes that are not there: perhaps because rows have changed since they were."""
        if _is_found(name) and "_kept_rows" in vars(self):
            with one_thread(self):
                self._catch_up()
                if name in vars(self):
                    return vars(self)[name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def _catch_up(self) -> None:
        """Fit the rows kept, if they have changed since the last fit."""
        state = vars(self)
        if "_up_to_date" in state or "_kept_rows" not in state:
            return
        self._up_to_date = True
        try:
            self.fit(state["_kept_rows"])
        except BaseException:
            del self._up_to_date
            raise


def _is_found(name: str) -> bool:
    """Whether an attribute is the result of a search; what columns there are is known before."""
    is_public = name.endswith("_") and not name.startswith("_")
    return is_public and name not in ("n_features_in_", "feature_names_in_")
