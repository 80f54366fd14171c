"""Columns that cannot be used, all of them in one message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Columns that a message names, and that its line of code lists.
MOST_NAMED = 10
# The line of code that drops columns from a frame of each package, and from any other table.
_DROP = {
    "pandas": "X = X.drop(columns={})",
    "polars": "X = X.drop({})",
    "pyarrow": "X = X.drop_columns({})",
}
_EXCLUDE = "exclude={}"


class UnusableColumns(ValueError):
    """Error for columns that no selector can use.

    Attributes
    ----------
    columns : list
        The names of all of them, positions if they have no names.
    """

    def __init__(self, message: str, columns: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.columns = list(columns)


@dataclass(frozen=True)
class BadColumn:
    """A column that cannot be used.

    Attributes
    ----------
    name : str or int
        As it is passed to the frame or to `exclude`.
    problem : str
        Follows the name in a message about one column.
    note : str
        The same in few words, for a list of columns.
    """

    name: object
    problem: str
    note: str


def unusable_type(name: object, kind: object) -> BadColumn:
    """Describe a column that contains neither numbers nor categories."""
    problem = f"has the type {kind}, which is neither a number nor a category"
    return BadColumn(name, problem, str(kind).partition("(")[0])


def mixed_types(name: object, types: Sequence[str]) -> BadColumn:
    """Describe a column of objects of other types than text, or of several types."""
    if len(types) == 1:
        return unusable_type(name, types[0])
    return BadColumn(name, f"mixes values of the types {', '.join(types)}", "mixed types")


def refusal(columns: Sequence[BadColumn], package: str = "") -> UnusableColumns:
    """Return the error for columns of unusable types, with the code that drops them.

    `package` is that of the frame. For any other table the code is the parameter `exclude`.
    """
    code = drop_code([column.name for column in columns], package)
    if len(columns) == 1:
        (one,) = columns
        text = f"column {str(one.name)!r} {one.problem}. Convert or drop it: {code}"
    else:
        text = f"{len(columns)} columns of X cannot be used: {listed(columns)}. Convert or drop them: {code}"
    return UnusableColumns(text, [column.name for column in columns])


def drop_code(names: Sequence[object], package: str = "") -> str:
    """Return the code that drops columns; it refers to the error if they are many."""
    few = len(names) <= MOST_NAMED
    names = [name if isinstance(name, int) else str(name) for name in names]
    return _DROP.get(package, _EXCLUDE).format(names if few else "error.columns")


def listed(
    columns: Sequence[BadColumn], label: Callable[[object], str] = lambda name: repr(str(name))
) -> str:
    """Return the names with their notes, shortened after `MOST_NAMED`; equal notes are written once."""
    parts: list[str] = []
    shown = columns[:MOST_NAMED]
    for i, column in enumerate(shown):
        is_last = i + 1 == len(shown) or shown[i + 1].note != column.note
        is_noted = is_last and column.note
        parts.append(label(column.name) + (f" ({column.note})" if is_noted else ""))
    more = len(columns) - len(shown)
    return ", ".join(parts) + (f" and {more} more" if more else "")
