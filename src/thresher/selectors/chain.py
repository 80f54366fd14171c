"""A chain of selectors: cheap ones first, expensive ones last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, _routing_enabled, process_routing
from sklearn.utils.validation import validate_data

from thresher._utils.long_calls import report, reporting_for
from thresher._utils.params import BaseComposition, estimator, param
from thresher._utils.types import DataLike, Estimator, Indices, Selector, TargetLike, Values
from thresher.blocks import reject_blocks
from thresher.data import is_frame, reject_files, separate_columns, take, to_native, unmasked
from thresher.io.sparse import check_sparse
from thresher.selectors._base import BaseSelector, all_or_nothing
from thresher.selectors._json import check_state, is_set
from thresher.selectors._reason import Reason
from thresher.selectors._third_party import FITTING, attribute_per_feature, order_of_choice, resize


@estimator
class Chain(BaseSelector, BaseComposition):
    """Select features by several selectors in turn, each among the features that the one before selected.

    Put a cheap filter first and an expensive selector last, e.g. ``Chain([RFS(2000), MRMR(50)])``. Unlike a pipeline
    of selectors it is one selector: positions, names, ranks and reasons are those of the original features.

    Parameters
    ----------
    selectors : list of selectors, or of (name, selector)
        Selectors of thresher or scikit-learn, or other objects with ``fit`` and ``get_support``.
    verbose : int, default=0
        1 prints a line per selector and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    selectors_ : list of selectors
        The fitted selectors, each fitted on the features that the one before selected.
    selected_ : ndarray of int
        Features in the order of the last selector. The order of a third-party selector is that of its ``ranking_``,
        then ``scores_``, then the importances of its ``estimator_``, then position.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        Features dropped by a later selector rank before those dropped by an earlier one.
    scores_, relevance_, redundancy_ : ndarray of float of shape (n_features,)
        Values of the last selector, nan for features that it was not fitted on.
    step_ : ndarray of int of shape (n_features,)
        Number of the selector, from 0, that dropped the feature; the number of selectors if it was selected.
    n_evaluations_ : int
        Sum over the selectors of thresher.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
    feature_names_in_ : ndarray of str

    See Also
    --------
    Ensemble : Vote of one selector on several samples of the rows.
    sklearn.pipeline.Pipeline : Selectors and transformers in turn.

    Notes
    -----
    Set parameters of a step by ``chain.set_params(mrmr__n_features_to_select=5)``. The prefix is the name in the list
    or else the lower-case name of the class, with ``-2`` and so on for repeats. Metadata such as ``sample_weight`` is
    passed on by metadata routing.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR, RFS, Chain
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> chain = Chain([RFS(20, relevance="fisher"), MRMR(3)]).fit(X, y)
    >>> chain.get_feature_names_out().tolist()
    ['mean texture', 'worst radius', 'worst concave points']
    >>> chain.reason("mean smoothness")
    'dropped by selector 1 (rfs): rank 21 (largest first), score 0.1475'
    """

    selectors: Sequence[Selector | tuple[str, Selector]] = param(kw_only=False)
    verbose: int = param(default=0)

    @property
    def _steps(self) -> list[tuple[str, Estimator]]:
        return _named_steps(self.selectors)

    def get_params(self, deep: bool = True) -> Values:
        """Return the parameters of the chain and, if `deep`, of its selectors."""
        is_list = isinstance(self.selectors, list | tuple)
        parameters: Values = self._get_params("_steps", deep=deep and is_list)
        return parameters

    def set_params(self, **parameters: Any) -> Self:
        """Set parameters of the chain or, as ``name__parameter``, of its selectors."""
        for key in ("selectors", "verbose"):
            if key in parameters:
                setattr(self, key, parameters.pop(key))
        # Selectors must be replaced before their parameters are set.
        for key in sorted(parameters, key=lambda key: key.count("__")):
            name, _, inner = key.partition("__")
            steps = dict(self._steps)
            if name not in steps:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: "
                    f"{['selectors', 'verbose', *steps]!r}."
                )
            if "__" in key:
                steps[name].set_params(**{inner: parameters[key]})
                continue
            replaced, index = list(self.selectors), list(steps).index(name)
            is_named = isinstance(replaced[index], tuple)
            replaced[index] = (name, parameters[key]) if is_named else parameters[key]
            self.selectors = replaced
        return self

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None, **params: object) -> Self:
        """Fit the selectors one after the other.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or str, default=None
            Classes or numbers; or the name of a column of the dataframe X.
        **params : dict
            Metadata for the selectors, by metadata routing.

        Returns
        -------
        self : Chain
        """
        reject_files(X, self)
        reject_blocks(self, X)
        steps = self._steps
        if not steps:
            raise ValueError("selectors must contain at least one selector, got none")
        routed = process_routing(self, "fit", **params) if _routing_enabled() else None
        if params and routed is None:
            raise ValueError(
                f"{', '.join(params)} can be passed on only with metadata routing. Call "
                "sklearn.set_config(enable_metadata_routing=True) and set_fit_request on the selectors"
            )
        X, y, _ = separate_columns(to_native(X), y)
        if is_frame(X):
            validate_data(self, X, skip_check_array=True)
        else:
            X = validate_data(
                self,
                unmasked(check_sparse(X)),
                accept_sparse=("csc", "csr"),
                dtype=None,
                ensure_all_finite=False,
            )
        p = self.n_features_in_
        left = np.arange(p)
        self.step_ = np.full(p, len(steps), dtype=np.intp)
        self.selectors_ = []
        self._seen = []
        reduced = X
        for number, (name, selector) in enumerate(steps):
            fitted = clone(selector)
            extra = {} if routed is None else routed[name].fit
            with reporting_for():
                fitted.fit(reduced, y, **extra)
            support = np.asarray(fitted.get_support(), dtype=bool)
            self.selectors_.append(fitted)
            self._seen.append(left)
            self.step_[left[~support]] = number
            left = left[support]
            report(
                self, "selector %d/%d (%s): %d features", number + 1, len(steps), name, len(left)
            )
            if number + 1 < len(steps):
                if not left.size:
                    raise ValueError(
                        f"selector {number + 1} ({name}) selected no feature for the next one. Let it select more"
                    )
                reduced = take(reduced, np.flatnonzero(support), axis=1)
        return self._describe()

    def _resized(self, k: int) -> Self | None:
        """Return a clone whose last selector selects `k` features; None if it has no parameter for that."""
        name, last = self._steps[-1]
        selector = resize(last, k)
        if selector is None:
            return None
        resized: Self = clone(self).set_params(**{name: selector})
        return resized

    def _describe(self) -> Self:
        p = self.n_features_in_
        last, seen = self.selectors_[-1], self._seen[-1]
        self._excluded = getattr(self.selectors_[0], "_excluded", np.zeros(p, dtype=bool))
        self.selected_ = seen[order_of_choice(last)]
        self.support_ = np.isin(np.arange(p), self.selected_)
        self.scores_ = attribute_per_feature(last, "scores_", seen, p)
        self.ranking_ = _ranks(self.selectors_, self._seen, self.selected_, p)
        self.relevance_ = attribute_per_feature(last, "relevance_", seen, p)
        self.redundancy_ = attribute_per_feature(last, "redundancy_", seen, p)
        self.n_evaluations_ = sum(int(getattr(s, "n_evaluations_", 0)) for s in self.selectors_)
        self.trace_ = dict(getattr(last, "trace_", {}))
        if "feature" in self.trace_:
            self.trace_["feature"] = seen[np.asarray(self.trace_["feature"], dtype=np.intp)]
        kinds = [getattr(selector, "target_kind_", None) for selector in self.selectors_]
        self._record_target(next((kind for kind in reversed(kinds) if kind is not None), None))
        report(self, "%d of %d features", len(self.selected_), p)
        return self

    def _first_inside(self) -> tuple[str, Estimator]:
        return self._steps[0]

    def _account(self) -> Callable[[int], Reason]:
        """Return for every feature the reason of the selector that decided, with original positions."""
        names = [f"selector {number} ({name})" for number, (name, _) in enumerate(self._steps, 1)]
        indices = [{int(f): i for i, f in enumerate(seen)} for seen in self._seen]
        accounts = [
            selector._account() if isinstance(selector, BaseSelector) else None
            for selector in self.selectors_
        ]
        order = {int(f): step for step, f in enumerate(self.selected_, 1)}

        def explain(position: int) -> Reason:
            number = min(int(self.step_[position]), len(names) - 1)
            account, seen = accounts[number], self._seen[number]
            reason = Reason("unexplained" if position not in order else "chosen")
            if account is not None:
                reason = account(indices[number][position])
            return replace(
                reason,
                step=order.get(position),
                partner=None if reason.partner is None else int(seen[reason.partner]),
                rank=int(self.ranking_[position]),
                stages=(names[number], *reason.stages),
            )

        return explain

    def _check_state(self) -> None:
        check_state(self, ())
        p, n_steps = self.n_features_in_, len(self._steps)
        step, seen, fitted = (vars(self).get(name) for name in ("step_", "_seen", "selectors_"))
        if not (
            isinstance(seen, list) and isinstance(fitted, list) and isinstance(step, np.ndarray)
        ):
            raise ValueError("Chain lacks its fitted selectors")
        if (
            len(seen) != n_steps
            or len(fitted) != n_steps
            or not all(isinstance(selector, BaseSelector) for selector in fitted)
            or not all(is_set(features, p) for features in seen)
            or [getattr(selector, "n_features_in_", None) for selector in fitted]
            != [len(features) for features in seen]
            or step.shape != (p,)
            or step.dtype.kind not in "iu"
            or any(int(s) not in range(n_steps + 1) for s in step)
        ):
            raise ValueError("selectors and features of Chain disagree")
        for number, features in enumerate(seen):
            if not np.array_equal(np.sort(features), np.flatnonzero(step >= number)):
                raise ValueError("step_ and selectors of Chain disagree")

    def get_metadata_routing(self) -> MetadataRouter:
        """Return the router of metadata such as ``sample_weight``."""
        router = MetadataRouter(owner=type(self).__name__)
        for name, selector in self._steps:
            router.add(**{name: selector}, method_mapping=FITTING)
        return router

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        try:
            inner = [get_tags(selector) for _, selector in self._steps]
        except (TypeError, ValueError, AttributeError):
            return tags
        tags.target_tags.required = any(t.target_tags.required for t in inner)
        tags.input_tags.allow_nan = all(t.input_tags.allow_nan for t in inner)
        tags.input_tags.sparse = all(t.input_tags.sparse for t in inner)
        tags.input_tags.positive_only = any(t.input_tags.positive_only for t in inner)
        return tags


def _named_steps(selectors: object) -> list[tuple[str, Estimator]]:
    """Return the selectors with their names, else the lower-case class names, numbered if they repeat."""
    if not isinstance(selectors, list | tuple):
        raise ValueError(
            f"selectors must be a list of selectors or of (name, selector), got {selectors!r}"
        )
    named: list[tuple[str, Estimator]] = []
    for item in selectors:
        if isinstance(item, tuple):
            name, selector = item
        else:
            name, selector = type(item).__name__.lower(), item
            repeats = sum(n == name or n.rpartition("-")[0] == name for n, _ in named)
            name = name if not repeats else f"{name}-{repeats + 1}"
        if not hasattr(selector, "fit") or not hasattr(selector, "get_support"):
            raise ValueError(
                f"selectors must have fit and get_support, got {selector!r}. Wrap an estimator in "
                "sklearn.feature_selection.SelectFromModel"
            )
        named.append((name, selector))
    names = [name for name, _ in named]
    if len(set(names)) < len(names):
        raise ValueError(f"names of selectors must differ, got {names!r}")
    return named


def _ranks(
    selectors: list[Estimator], seen: list[Indices], selected: Indices, n_features: int
) -> Indices:
    """Return ranks: selected features first, then those that each selector dropped, last selector first."""
    ranking = np.zeros(n_features, dtype=np.intp)
    ranking[selected] = np.arange(1, len(selected) + 1)
    taken = len(selected)
    for selector, features in zip(reversed(selectors), reversed(seen), strict=True):
        support = np.asarray(selector.get_support(), dtype=bool)
        ranks = getattr(selector, "ranking_", None)
        if ranks is None or np.shape(ranks) != support.shape:
            ranks = np.where(support, 1, 2)
        dropped = np.asarray(ranks)[~support]
        ranking[features[~support]] = taken + 1 + np.searchsorted(np.sort(dropped), dropped)
        taken += int((~support).sum())
    return ranking
