"""The base classes of estimators, their parameters with constraints, and their fitted attributes."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from inspect import get_annotations
from types import NoneType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeVar,
    dataclass_transform,
    get_args,
    get_origin,
    overload,
)

from thresher._utils.checks import (
    check_bool,
    check_choice,
    check_number,
    check_threads,
    resolve_count,
)
from thresher._utils.long_calls import one_thread
from thresher._utils.types import Array, DataLike, Estimator, FeatureNames, Values

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from sklearn.utils import Tags
    from sklearn.utils.metadata_routing import MetadataRequest, MetadataRouter

    class BaseEstimator:
        n_features_in_: int
        feature_names_in_: npt.NDArray[np.object_]

        def get_params(self, deep: bool = True) -> Values: ...
        def set_params(self, **params: object) -> Self: ...
        def get_metadata_routing(self) -> MetadataRequest | MetadataRouter: ...
        def set_fit_request(self, **requested: bool | str | None) -> Self: ...
        def set_partial_fit_request(self, **requested: bool | str | None) -> Self: ...
        def _repr_html_inner(self) -> str: ...
        def _repr_mimebundle_(self, **kwargs: object) -> dict[str, str]: ...
        def __sklearn_tags__(self) -> Tags: ...
        def __getstate__(self) -> Values: ...
        def __setstate__(self, state: Values) -> None: ...

    class BaseComposition(BaseEstimator):
        def _get_params(self, attribute: str, deep: bool = True) -> Values: ...

    class MetaEstimatorMixin: ...

    class OneToOneFeatureMixin:
        def get_feature_names_out(
            self, input_features: FeatureNames = None
        ) -> npt.NDArray[np.object_]: ...

    class TransformerMixin:
        def fit_transform(self, X: DataLike, *args: Any, **fit_params: Any) -> DataLike: ...
        def set_output(self, *, transform: str | None = None) -> Self: ...

    class SelectorMixin(TransformerMixin):
        def get_feature_names_out(
            self, input_features: FeatureNames = None
        ) -> npt.NDArray[np.object_]: ...
        def get_support(self, indices: bool = False) -> Array: ...
        def inverse_transform(self, X: DataLike) -> DataLike: ...
        def transform(self, X: DataLike) -> DataLike: ...

else:
    from sklearn.base import (
        BaseEstimator,
        MetaEstimatorMixin,
        OneToOneFeatureMixin,
        TransformerMixin,
    )
    from sklearn.feature_selection import SelectorMixin
    from sklearn.utils.metaestimators import _BaseComposition as BaseComposition

__all__ = [
    "BaseComposition",
    "BaseEstimator",
    "MetaEstimatorMixin",
    "OneToOneFeatureMixin",
    "SelectorMixin",
    "TransformerMixin",
]


T = TypeVar("T")


class Constraint(Protocol):
    """The values that a parameter may have."""

    def check(self, name: str, value: object) -> None:
        """Raise ValueError with the name, the value and the remedy."""


class Options:
    """One of several strings.

    Attributes
    ----------
    values : tuple of str
    """

    def __init__(self, *values: str) -> None:
        self.values = values

    def check(self, name: str, value: object) -> None:
        check_choice(name, value, self.values)


@dataclass(frozen=True)
class Interval:
    """A number from `low` to `high`.

    Attributes
    ----------
    low, high : float
    open_low : bool
        Whether `low` itself is excluded.
    integer : bool
        Whether it must be an integer.
    """

    low: float = float("-inf")
    high: float = float("inf")
    open_low: bool = False
    integer: bool = False

    def check(self, name: str, value: object) -> None:
        check_number(
            name,
            value,
            minimum=self.low,
            maximum=self.high,
            exclusive_minimum=self.open_low,
            integer=self.integer,
        )


class Boolean:
    """True or False."""

    def check(self, name: str, value: object) -> None:
        check_bool(name, value)


@dataclass(frozen=True)
class FeatureCount:
    """A number of features, or a fraction of them.

    Attributes
    ----------
    auto : bool
        Whether ``"auto"`` is allowed too.
    """

    auto: bool = False

    def check(self, name: str, value: object) -> None:
        resolve_count(value, 1, auto=self.auto)


class ThreadCount:
    """A number of threads as scikit-learn's ``n_jobs``."""

    def check(self, name: str, value: object) -> None:
        check_threads(value)


@dataclass(frozen=True)
class NoneOr:
    """None, or what `constraint` allows."""

    constraint: Constraint

    def check(self, name: str, value: object) -> None:
        if value is not None:
            self.constraint.check(name, value)


@overload
def param(*constraints: Constraint, default: T, kw_only: bool = True) -> T: ...
@overload
def param(*constraints: Constraint, kw_only: bool = True) -> Any: ...
def param(*constraints: Constraint, default: Any = MISSING, kw_only: bool = True) -> Any:
    """Declare a parameter of an estimator.

    Parameters
    ----------
    *constraints : Constraint
        What `validate_params` checks, in this order. Without any, what the type expresses: `bool`, or a Literal.
    default : object
        Without a default the parameter is required.
    kw_only : bool, default=True
        False for a parameter that may be passed by position.
    """
    return field(default=default, kw_only=kw_only, metadata={"constraints": constraints})


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(param,))
def estimator(cls: type[T]) -> type[T]:
    """Give a class a constructor for its parameters and those of its base classes.

    Equality and ``repr`` remain those of scikit-learn.
    """
    return dataclass(eq=False, repr=False, match_args=False, kw_only=True)(cls)


def validate_params(estimator: Estimator) -> None:
    """Raise ValueError for the first parameter that does not satisfy its constraints."""
    cls: Estimator = type(estimator)
    for name, constraint in _constraints(cls):
        constraint.check(name, getattr(estimator, name))


def options_of(estimator: Estimator, name: str) -> tuple[str, ...]:
    """Return the strings that a parameter of an estimator, or of its class, may be; none without such a parameter."""
    cls: Estimator = estimator if isinstance(estimator, type) else type(estimator)
    for declared, constraint in _constraints(cls):
        if declared == name and isinstance(constraint, Options):
            return constraint.values
    return ()


@cache
def _constraints(cls: Estimator) -> list[tuple[str, Constraint]]:
    return [
        (parameter.name, constraint)
        for parameter in (fields(cls) if is_dataclass(cls) else ())
        if "constraints" in parameter.metadata
        for constraint in parameter.metadata["constraints"]
        or _constraints_of_type(cls, parameter.name)
    ]


def _constraints_of_type(cls: type, name: str) -> tuple[Constraint, ...]:
    """Return the constraint that the type of a parameter expresses: `bool`, or strings and possibly None."""
    owner = next(
        base
        for base in cls.__mro__
        if "__dataclass_fields__" in vars(base) and name in get_annotations(base)
    )
    hint: Any = get_annotations(owner, eval_str=True)[name]
    if hint is bool:
        return (Boolean(),)
    members = (hint,) if get_origin(hint) is Literal else get_args(hint)
    others = {member for member in members if get_origin(member) is not Literal}
    if others == set(members) or others - {NoneType}:
        return ()
    options = Options(*(word for member in members for word in get_args(member)))
    return (NoneOr(options) if others else options,)


class Fitted(Generic[T]):
    """An attribute that ``fit`` sets.

    Its value is in the ``__dict__`` of the selector, which Python reads first. So this descriptor is used only if
    there is no value: before ``fit``, or after rows were added or removed.
    """

    name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, selector: None, owner: type) -> Self: ...

    @overload
    def __get__(self, selector: Estimator, owner: type) -> T: ...

    def __get__(self, selector: Estimator, owner: type) -> T | Self:
        if selector is None:
            return self
        if "_stored_rows" in vars(selector):
            with one_thread(selector):
                selector._refresh()
                if self.name in vars(selector):
                    value: T = vars(selector)[self.name]
                    return value
        raise AttributeError(f"{type(selector).__name__!r} object has no attribute {self.name!r}")

    if TYPE_CHECKING:

        def __set__(self, selector: Estimator, value: T) -> None: ...
