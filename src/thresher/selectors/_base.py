"""The base class of all selectors: input, fitted attributes, reasons, tables and JSON."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, ParamSpec, Self, TypedDict, TypeVar, Unpack

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags, check_array, get_tags
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import feature_position, one_call, quiet_sums, resolve_count, warn
from thresher._utils.long_calls import one_thread, report, step_reporter
from thresher._utils.params import (
    BaseEstimator,
    Fitted,
    SelectorMixin,
    estimator,
    param,
    validate_params,
)
from thresher._utils.tables import Output, as_table
from thresher._utils.types import (
    Array,
    DataLike,
    FeatureNames,
    Floats,
    Indices,
    Mask,
    Names,
    TargetLike,
    Values,
    WeightsLike,
)
from thresher.blocks import open_training_data
from thresher.data import (
    FeatureRoles,
    InputRules,
    LocalData,
    RemoteOptions,
    TrainingData,
    dense_frame,
    is_frame,
    reject_files,
    sparse_frame,
    take_columns,
    to_native,
    unmasked,
)
from thresher.io.sparse import check_sparse
from thresher.measures import KINDS
from thresher.search.forward import Choices
from thresher.selectors import _json, _views
from thresher.selectors._explain import Account, Explanation
from thresher.selectors._json import check_state
from thresher.selectors._reason import Reason
from thresher.selectors._views import feature_table

Positions = npt.NDArray[np.intp]
P = ParamSpec("P")
R = TypeVar("R")


def all_or_nothing(fit: Callable[P, R]) -> Callable[P, R]:
    """Make ``fit`` atomic: if it fails or is interrupted, the estimator is unchanged; other threads wait for it.

    Arrays of other libraries become NumPy arrays.
    """
    fit_arrays = takes_arrays(fit)

    @functools.wraps(fit)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        selector = args[0]
        with one_thread(selector):
            before = dict(vars(selector))
            try:
                with one_call():
                    return fit_arrays(*args, **kwargs)
            except BaseException:
                vars(selector).clear()
                vars(selector).update(before)
                raise

    return guarded


def after_fits(method: Callable[P, R]) -> Callable[P, R]:
    """Make a method wait while another thread fits the estimator, so that it reads the attributes of one fit."""

    @functools.wraps(method)
    def waiting(*args: P.args, **kwargs: P.kwargs) -> R:
        with one_thread(args[0]):
            return method(*args, **kwargs)

    return waiting


@dataclass
class Selection:
    """The result of a search, for `BaseSelector._finish`.

    Attributes
    ----------
    selected : array-like of int
        Features in order of choice.
    scores : ndarray of shape (n_features,)
        Score at the time of choice, nan if not chosen; for a ranking the score of every feature.
    relevance, redundancy : ndarray of shape (n_features,), or None
    ranking : ndarray of int of shape (n_features,), or None
        None is the order of choice; all features not chosen share the rank after the last.
    n_evaluations : int
    trace : mapping of str to sequence
        One entry per step.
    explanation : Explanation
        Values of each feature, such as the largest redundancies, from which reasons are made.
    shortfall : str
        Why fewer features than requested were chosen, other than a lack of candidates.
    attributes : mapping of str to object
        Further fitted attributes of the selector.
    """

    selected: npt.ArrayLike
    scores: Floats
    relevance: Floats | None = None
    redundancy: Floats | None = None
    ranking: Indices | None = None
    n_evaluations: int = 0
    trace: Mapping[str, npt.ArrayLike] = field(default_factory=dict)
    explanation: Explanation = field(default_factory=Explanation)
    shortfall: str = ""
    attributes: Mapping[str, object] = field(default_factory=dict)

    @classmethod
    def of_steps(
        cls,
        selected: Indices,
        scores: Floats,
        relevance: Floats,
        redundancy: Floats | None = None,
        more: Mapping[str, npt.ArrayLike] | None = None,
        **described: Unpack[Details],
    ) -> Selection:
        """Return the result of a forward search; `scores`, `redundancy` and `more` have one entry per step."""
        trace: dict[str, npt.ArrayLike] = {"feature": selected, "relevance": relevance[selected]}
        if redundancy is not None:
            trace["redundancy"] = redundancy
        p = len(relevance)
        return cls(
            selected,
            spread(p, selected, scores),
            relevance,
            None if redundancy is None else spread(p, selected, redundancy),
            trace={**trace, **(more or {}), "score": scores},
            **described,
        )


class Details(TypedDict, total=False):
    """Further fields of a `Selection`."""

    n_evaluations: int
    explanation: Explanation
    shortfall: str
    attributes: Mapping[str, object]


# A number of features, a fraction of them, or the natural stop of the search.
CountOrAuto = int | float | Literal["auto"]
# How selectors for discrete features treat missing values.
MissingDiscrete = Literal["error", "category", "drop_rows"]


@estimator
class CommonParameters:
    """The parameters `keep`, `exclude` and `verbose`, which most selectors have."""

    keep: FeatureNames = param(default=None)
    exclude: FeatureNames = param(default=None)
    verbose: int = param(default=0)


class BaseSelector(SelectorMixin, BaseEstimator):
    """Base class of all selectors.

    The ``fit`` of a selector reads the input (`_read`), searches, and sets the fitted attributes (`_finish`). The
    decorator `all_or_nothing` makes it atomic.
    """

    _classes_only = False
    _needs_target = True
    _takes_sparse = True
    # Whether rows may be in blocks.
    _reads_blocks = False
    # Whether n_features_to_select may be "auto".
    _stops_by_itself = False
    # Whether the selection of k features is the start of that of every larger number.
    _nested = False
    # Fitted attributes that methods read, apart from those of every selector.
    _fitted_too: tuple[str, ...] = ()
    n_features_to_select: int | float | str

    selected_ = Fitted[Positions]()
    support_ = Fitted[Mask]()
    ranking_ = Fitted[Positions]()
    scores_ = Fitted[Floats]()
    relevance_ = Fitted[Floats]()
    redundancy_ = Fitted[Floats]()
    n_evaluations_ = Fitted[int]()
    trace_ = Fitted[dict[str, Array]]()
    n_passes_ = Fitted[int]()
    n_rounds_ = Fitted[int]()
    target_kind_ = Fitted[str]()

    def _read(
        self,
        X: DataLike,
        y: TargetLike = None,
        sample_weight: WeightsLike = None,
        remote: RemoteOptions | None = None,
    ) -> TrainingData:
        """Check the parameters that this selector has, and read the input by them."""
        self._check_parameters()
        self._clear_pass_counts()
        data = open_training_data(self, X, y, sample_weight, self._input_rules(), remote)
        self._record_target(None if data.target is None else data.target.kind)
        return data

    def _read_rows(
        self,
        X: DataLike,
        y: TargetLike = None,
        sample_weight: WeightsLike = None,
        remote: RemoteOptions | None = None,
    ) -> LocalData:
        """Read the input of a selector that needs all rows in this process."""
        rows = self._read(X, y, sample_weight, remote).local
        assert rows is not None
        return rows

    def _input_rules(self) -> InputRules:
        """Return the rules of reading the input that follow from the parameters."""
        names = ("target", "missing", "keep", "exclude", "n_jobs", "discretize")
        given: Values = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return InputRules(
            classes_only=self._classes_only,
            needs_target=self._needs_target,
            accept_sparse=self._takes_sparse,
            accept_blocks=self._reads_blocks,
            packing_rule=self._packing_rule(),
            **given,
        )

    def _check_parameters(self) -> None:
        """Raise ValueError for the first parameter that is wrong; a subclass adds rules between parameters."""
        validate_params(self)

    def _record_target(self, kind: str | None) -> None:
        """Set how the target was read, or nothing if it was ignored."""
        if kind is None:
            vars(self).pop("target_kind_", None)
        else:
            self.target_kind_ = kind

    def _clear_pass_counts(self) -> None:
        for name in ("n_rounds_", "n_passes_"):
            self.__dict__.pop(name, None)

    def _record_pass_counts(self, training: TrainingData) -> None:
        """Set how often rows in blocks were read and requested. Passes over files are counted as they start."""
        vars(self).update(training.pass_counts())

    def _packing_rule(self) -> str | None:
        """Return the rule for binning if the selector uses discrete features only, else None.

        Tables in files are then packed as they are read; otherwise their columns are stored in a file as numbers.
        """
        return None

    def _refresh(self) -> None:
        """Compute the fitted attributes again if rows were added or removed since ``fit``."""

    def _count_or_auto(self, columns: FeatureRoles) -> int | None:
        """Return `_count`, or None for ``"auto"``, with which the method stops by itself."""
        if isinstance(self.n_features_to_select, str) and self.n_features_to_select == "auto":
            return None
        return self._count(columns, auto=True)

    def _count(self, columns: FeatureRoles, *, auto: bool = False) -> int:
        """Return the number of features to select; warn if more were requested than there are."""
        wanted = resolve_count(self.n_features_to_select, columns.n_eligible, auto=auto)
        assert wanted is not None
        if wanted < len(columns.kept):
            raise ValueError(
                f"keep contains {len(columns.kept)} features, but n_features_to_select is {wanted}. "
                f"Set n_features_to_select to at least {len(columns.kept)}"
            )
        available = int(columns.selectable.sum())
        if wanted > available:
            plural = f"{available} features vary and are"
            some = "1 feature varies and is" if available == 1 else plural
            warn(f"n_features_to_select={wanted}, but only {some} not excluded; selecting all")
        return min(wanted, available)

    def _choices(self, training: TrainingData, candidates: Mask, wanted: int | None) -> Choices:
        """Return the keyword arguments of a forward search."""
        progress = step_reporter(self, training.names, wanted)
        return {
            "candidates": candidates.view(np.uint8),
            "kept": training.kept.astype(np.uint32),
            "progress": progress,
        }

    def _finish(
        self, columns: FeatureRoles, selection: Selection, wanted: int | None = None
    ) -> Self:
        """Set all fitted attributes from the result of the search; return self."""
        p = columns.n_features
        selected = np.asarray(selection.selected, dtype=np.intp)
        self.selected_ = selected
        self.support_ = np.isin(np.arange(p), selected)
        for name in ("scores", "relevance", "redundancy"):
            values = getattr(selection, name)
            values = np.nan if values is None else values
            setattr(self, f"{name}_", np.where(columns.excluded, np.nan, values))
        ranking = selection.ranking
        self.ranking_ = rank_in_order(selected, p) if ranking is None else ranking
        self.n_evaluations_ = int(selection.n_evaluations)
        self.trace_ = {name: np.asarray(values) for name, values in selection.trace.items()}
        self._explanation = selection.explanation
        self._kept = columns.kept
        self._excluded = columns.excluded
        self._constant = ~columns.candidates & ~columns.excluded
        _warn_about_shortfall(len(selected), wanted, selection.shortfall)
        report(self, "%d of %d features, %d evaluations", len(selected), p, self.n_evaluations_)
        return self

    @after_fits
    def reason(self, feature: int | str) -> str:
        """Return in a sentence why a feature was or was not selected.

        Parameters
        ----------
        feature : int or str
            Position, or name if X had names.

        Returns
        -------
        sentence : str
            The reason, from values that the search computed; nothing is evaluated for it.
        """
        self._check_fitted()
        names = getattr(self, "feature_names_in_", None)
        position = feature_position("feature", feature, names, self.n_features_in_)
        return self._account()(position).sentence(names)

    @after_fits
    def table(self, output: Output = "pandas") -> Any:
        """Return the result as a table with one row per feature, in the order of the columns of X.

        Parameters
        ----------
        output : {"pandas", "polars", "dict"}, default="pandas"
            A frame of that package, or a dict of lists.

        Returns
        -------
        table : DataFrame or dict
            ``name``, ``selected``, ``rank``, ``score``, ``relevance``, ``redundancy``, ``votes`` (of an ensemble),
            ``pvalue`` (of a test), ``partner`` (the feature that the reason is about) and ``reason``. Values that this
            selector does not compute are nan or None.
        """
        self._check_fitted()
        return as_table(feature_table(self), output)

    def _account(self) -> Callable[[int], Reason]:
        """Return a function from a feature to its reason, as data."""
        return Account(self).reason

    def _selected_at(self, k: int) -> list[int] | None:
        """Return the selection of `k` features, or None if that requires another fit."""
        return [int(feature) for feature in self.selected_[:k]] if self._nested else None

    def _check_state(self) -> None:
        """Raise ValueError for a fitted state, read from a text, that is not possible after a fit."""
        check_state(self, ("_explanation", "_kept", "_excluded", "_constant", *self._fitted_too))

    @after_fits
    def to_json(self) -> str:
        """Return the parameters and the fitted attributes as JSON text; see `from_json`."""
        self._check_fitted()
        return _json.dump(self)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return the fitted selector that `to_json` wrote. Loading runs no code from the text."""
        selector = _json.load(text)
        if not isinstance(selector, BaseSelector):
            raise ValueError("the text is not a selection written by to_json")
        if not hasattr(selector, "selected_"):
            raise ValueError(
                f"the text is a selection of {type(selector).__name__}, but not a fitted one"
            )
        if not isinstance(selector, cls):
            raise ValueError(
                f"the text is a selection of {type(selector).__name__}, not of {cls.__name__}. "
                f"Use {type(selector).__name__}.from_json"
            )
        return selector

    @takes_arrays
    def transform(self, X: DataLike) -> Any:
        """Reduce X to the selected features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)

        Returns
        -------
        X_r : array, sparse matrix or dataframe of shape (n_samples, n_selected_features)
            Columns of a dataframe keep their types if `set_output` requests one. Excluded columns may contain any
            values.
        """
        reject_files(X, self)
        X = to_native(X)
        check_sparse(X)
        is_table = is_frame(X)
        is_matrix = (isinstance(X, np.ndarray) and X.ndim == 2) or sparse.issparse(X)
        with one_thread(self):  # reads the features of one fit; takes columns without the lock
            support, is_read = self.get_support(), ~self._unread()
            if not support.any() or not (is_table or is_matrix):
                with quiet_sums():
                    return super().transform(X)
            validate_data(self, X, skip_check_array=True, reset=False)
        wanted = _get_output_config("transform", estimator=self)["dense"]
        if is_table and wanted != "default":
            return take_columns(X, np.flatnonzero(support), wanted)
        indices = np.flatnonzero(is_read)
        if is_table:
            columns = take_columns(X, indices)
            matrix = sparse_frame(columns)
            read = dense_frame(columns) if matrix is None else matrix
        else:
            read = X.tocsc() if sparse.issparse(X) else unmasked(X)
            read = read if is_read.all() else read[:, indices]
        with quiet_sums():
            read = check_array(
                read,
                dtype=None,
                accept_sparse="csr",
                ensure_all_finite=not get_tags(self).input_tags.allow_nan,
                estimator=self,
                input_name="X",
            )
        return read[:, np.flatnonzero(support[is_read])]

    @after_fits
    @takes_arrays
    def inverse_transform(self, X: DataLike) -> Any:
        """Return X with columns of zeros for the features that were not selected.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_selected_features)

        Returns
        -------
        X_r : array or sparse matrix of shape (n_samples, n_features)
        """
        with quiet_sums():
            return super().inverse_transform(check_sparse(to_native(X)))

    @after_fits
    def get_feature_names_out(self, input_features: npt.ArrayLike | None = None) -> Names:
        """Return the names of the selected features.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of all features, if X had none; else they must be those of X.

        Returns
        -------
        names : ndarray of str
        """
        return super().get_feature_names_out(input_features)

    @after_fits
    def __getstate__(self) -> Values:
        return super().__getstate__()

    def _unread(self) -> Mask:
        """Return the features that are excluded and not selected, which may contain any values."""
        nothing = np.zeros(self.n_features_in_, dtype=bool)
        return np.asarray(getattr(self, "_excluded", nothing) & ~self.support_)

    def _repr_html_inner(self) -> str:
        if not hasattr(self, "selected_"):
            return str(super()._repr_html_inner())
        return _views.draw(self)

    def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]:
        """Return what notebooks display; of a fitted selector the selected features."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def _get_support_mask(self) -> Mask:
        self._check_fitted()
        return self.support_

    def _check_fitted(self) -> None:
        """Raise NotFittedError unless the selector is fitted, with the cause if added rows cannot be fitted."""
        try:
            self.selected_  # noqa: B018
        except NotFittedError:
            raise
        except AttributeError:
            check_is_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "selected_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        measures = [getattr(self, name, None) for name in ("measure", "relevance", "redundancy")]
        needs_ranks = any(
            isinstance(name, str) and name in KINDS and not KINDS[name].is_sum for name in measures
        )
        tags.input_tags.sparse = self._takes_sparse and not needs_ranks
        tags.input_tags.allow_nan = getattr(self, "missing", "error") != "error"
        tags.target_tags.required = self._needs_target
        return tags


def rank_in_order(selected: Indices, n_features: int) -> Indices:
    """Return 1 for the first chosen, 2 for the second, ...; one more than their number for all others."""
    ranking = np.full(n_features, len(selected) + 1, dtype=np.intp)
    ranking[selected] = np.arange(1, len(selected) + 1)
    return ranking


def spread(
    n_features: int, selected: Sequence[int] | Indices, values: Sequence[float] | Floats
) -> Floats:
    """Return one value per feature: `values` for the selected ones, nan for the others."""
    full = np.full(n_features, np.nan)
    full[np.asarray(selected, dtype=np.intp)] = values
    return full


def _warn_about_shortfall(n_selected: int, wanted: int | None, why: str) -> None:
    because = f": {why}" if why else ""
    if n_selected == 0:
        warn(f"no feature was selected{because or ': none varies after binning'}")
    elif wanted is not None and n_selected < wanted:
        warn(f"selected {n_selected} of {wanted} requested features{because}")
