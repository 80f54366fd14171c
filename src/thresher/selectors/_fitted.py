"""Attributes that ``fit`` sets, declared in the class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from thresher._utils.threads import one_thread

T = TypeVar("T")


class Fitted(Generic[T]):
    """An attribute that ``fit`` sets.

    Its value is in the ``__dict__`` of the selector, which Python looks at first. So this descriptor is used only
    where there is no value: before ``fit``, or after rows were added or removed.
    """

    name: str

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, selector: None, owner: type) -> Self: ...

    @overload
    def __get__(self, selector: Any, owner: type) -> T: ...

    def __get__(self, selector: Any, owner: type) -> T | Self:
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

        def __set__(self, selector: Any, value: T) -> None: ...
