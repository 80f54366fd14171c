"""Checks of parameters, and the messages of errors and warnings."""

from __future__ import annotations

import difflib
import numbers
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeGuard

import numpy as np

from thresher._utils.types import FeatureNames, Indices, Names, Values


class ThresherWarning(UserWarning):
    """Warning about the data or the parameters; the result is still valid."""


def quiet_sums() -> np.errstate:
    """Return a context without warnings from scikit-learn's check for infinity.

    scikit-learn adds up all values, and checks each of them if the sum is not finite. So an overflow changes nothing.
    """
    return np.errstate(over="ignore", invalid="ignore")


LONGEST_NAME = 60
# Longest part of a message of another package, which may repeat the data.
LONGEST_LINE = 200


def readable(name: object) -> str:
    """Return a name for a message: one line, without control characters, not too long."""
    text = str(name)
    if not text.isprintable() or text != text.strip() or not text:
        text = repr(text)
    return shortened(text, LONGEST_NAME)


def shortened(text: str, length: int) -> str:
    """Return the text, without its middle if it is longer than `length`."""
    half = length // 2 - 2
    return text if len(text) <= length else f"{text[:half]}...{text[-half:]}"


def shown(value: object) -> str:
    """Return a value for a message: one line, not too long, strings in quotes."""
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # Python does not print integers of thousands of digits
        return "a number with too many digits"
    return text if len(text) <= LONGEST_NAME else readable(text)


def first_line(error: Exception) -> str:
    """Return the first line of an error of another package, shortened and without control characters."""
    lines = str(error).splitlines()
    line = lines[0] if lines else repr(error)
    # Shortened first, because it may repeat data of any length.
    return shortened(printable(shortened(line, 2 * LONGEST_LINE)), LONGEST_LINE)


def printable(text: str) -> str:
    """Return the text with control characters escaped."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape", "backslashreplace").decode()
        for c in text
    )


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the closest known one, if any is close."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean {nearest[0]!r}?" if nearest else ""


def check_choice(parameter: str, value: object, choices: Sequence[str]) -> str:
    """Return `value` if it is one of `choices`, else raise ValueError with the closest choice."""
    if isinstance(value, str) and value in choices:
        return value
    options = ", ".join(repr(choice) for choice in choices)
    hint = did_you_mean(value.lower(), choices) if isinstance(value, str) else ""
    raise ValueError(f"{parameter} must be one of {options}, got {shown(value)}{hint}")


# The core counts in 64 bits.
LARGEST_WHOLE = 2**63 - 1


def is_number(value: object, kind: type = numbers.Real) -> TypeGuard[float]:
    """Return whether a value is a number of this kind; Booleans are not."""
    return isinstance(value, kind) and not isinstance(value, bool | np.bool_)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether a value is an integer of Python or NumPy."""
    return is_number(value, numbers.Integral)


def check_number(
    parameter: str,
    value: object,
    *,
    minimum: float = -np.inf,
    maximum: float = np.inf,
    exclusive_minimum: bool = False,
    integer: bool = False,
) -> float:
    """Return `value` if it is a number in the range, else raise ValueError."""
    if is_number(value, numbers.Integral if integer else numbers.Real) and value == value:
        value = value.item() if isinstance(value, np.generic) else value
        largest = LARGEST_WHOLE if integer else sys.float_info.max
        if value > largest and value != np.inf:
            maximum = min(maximum, largest)
        if value < -largest and value != -np.inf:
            minimum = max(minimum, -largest)
        above = value > minimum if exclusive_minimum else value >= minimum
        if above and value <= maximum:
            return int(value) if integer else float(value)
    bounds = []
    if minimum > -np.inf:
        bounds.append(f"{'above' if exclusive_minimum else 'of at least'} {minimum:g}")
    if maximum < np.inf:
        bounds.append(f"of at most {maximum:g}")
    noun = " ".join(["an integer" if integer else "a number", " and ".join(bounds)]).strip()
    raise ValueError(f"{parameter} must be {noun}, got {shown(value)}")


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN or the NA of pandas."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # NA has no truth value
        return True


# More threads than processors only cost memory. Results do not depend on their number.
MOST_THREADS = 1024


def check_threads(n_jobs: object) -> None:
    """Raise ValueError unless ``n_jobs`` is None or an integer other than 0."""
    if n_jobs is not None and (not is_integer(n_jobs) or n_jobs == 0):
        raise ValueError(
            f"n_jobs must be None or an integer other than 0 (-1: all processors), got {shown(n_jobs)}"
        )


def resolve_threads(n_jobs: object, n_tasks: int = MOST_THREADS) -> int:
    """Return the number of threads, or processes, for ``n_jobs`` as in scikit-learn: None is one, -1 is all.

    At most one per task, and at most `MOST_THREADS`.
    """
    check_threads(n_jobs)
    from joblib import effective_n_jobs

    return min(int(effective_n_jobs(n_jobs)), max(n_tasks, 1), MOST_THREADS)


def check_bool(parameter: str, value: object) -> bool:
    """Return `value` if it is True or False, else raise ValueError."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise ValueError(f"{parameter} must be True or False, got {shown(value)}")


def resolve_count(value: object, n_features: int, *, auto: bool = False) -> int | None:
    """Return the number of features that ``n_features_to_select`` requests, or None for ``"auto"``.

    A float is a fraction of `n_features`, rounded down, at least one.
    """
    remedy = "Pass an integer of at least 1 or a fraction in (0, 1]"
    if auto:
        remedy += ' or "auto"'
        if isinstance(value, str) and value == "auto":
            return None
    if is_integer(value):
        if value < 1:
            raise ValueError(f"n_features_to_select must be at least 1, got {shown(value)}")
        if int(value) > LARGEST_WHOLE:
            raise ValueError(f"n_features_to_select must be below 2^63, got {shown(value)}")
        return int(value)
    if is_number(value):
        if 0 < value <= 1:  # before it becomes a float: it may be too large for one
            return max(1, int(float(value) * n_features))
        raise ValueError(
            f"n_features_to_select as a fraction must be in (0, 1], got {shown(value)}. {remedy}"
        )
    raise ValueError(
        f"n_features_to_select must be a number or a fraction of features, got {shown(value)}. {remedy}"
    )


def resolve_features(
    parameter: str, features: FeatureNames, names: Names | None, n_features: int
) -> Indices:
    """Return the positions of features given by name (strings) or position (integers), in this order."""
    if features is None:
        return np.empty(0, dtype=np.intp)
    # An array without dimensions cannot be iterated over.
    is_single = isinstance(features, str) or getattr(features, "shape", None) == ()
    if is_single or not isinstance(features, Iterable):
        features = [features]
    positions: list[int] = []
    for feature in features:
        position = feature_position(parameter, feature, names, n_features)
        if position in positions:
            raise ValueError(f"{parameter} names the feature {feature!r} twice. Name it once")
        positions.append(position)
    return np.array(positions, dtype=np.intp)


def feature_position(parameter: str, feature: object, names: Names | None, n_features: int) -> int:
    """Return the position of a feature given by name or position."""
    if isinstance(feature, str):
        if names is None:
            raise ValueError(
                f"{parameter} names the feature {feature!r}, but X has no feature names. "
                "Pass positions (integers) or a dataframe"
            )
        positions = np.flatnonzero(names == feature)
        if positions.size:
            return int(positions[0])
        hint = did_you_mean(feature, map(str, names))
        raise ValueError(f"{parameter} names the feature {feature!r}, which X does not have{hint}")
    if is_integer(feature):
        position = int(feature)
        if -n_features <= position < n_features:
            return position % n_features
        raise ValueError(
            f"{parameter} has the position {shown(position)}, but X has {n_features} features "
            f"(0 to {n_features - 1})"
        )
    raise ValueError(
        f"{parameter} must contain feature names (strings) or positions (integers), got {shown(feature)}"
    )


# Packages that are not the caller of a warning: thresher, and packages that call it for the caller.
_BETWEEN = {"thresher", "sklearn", "joblib", "threading", "contextlib", "concurrent"}


# The warnings that a module has issued, as Python stores them.
_Registry = dict[str | tuple[str, type[Warning], int], int]


@dataclass
class _Call:
    """A call of the package from outside: its location, and the warnings issued so far."""

    location: tuple[str, int, str, _Registry]  # file, line, module and its registry of warnings
    warned: set[str] = field(default_factory=set)
    is_fold: bool = False  # whether scikit-learn's cross-validation made the call


_call: ContextVar[_Call | None] = ContextVar("thresher_call", default=None)


# The warnings in cross-validation: calling file and line, and the message without its numbers.
_warned_in_folds: set[tuple[str, int, str]] = set()


def warn(message: str, category: type[Warning] = ThresherWarning) -> None:
    """Warn the caller outside the package, once per call and message.

    In cross-validation of scikit-learn, a message appears once per calling line and process, whatever its numbers are.
    Python would forget that it has appeared, because scikit-learn changes the filters. The filters "always" and
    "error" remain in force.
    """
    call = _call.get() or _caller()
    if message in call.warned:
        return
    call.warned.add(message)
    file, line, module, _ = call.location
    cause = file, line, re.sub(r"\d+", "", message)
    if (
        call.is_fold
        and cause in _warned_in_folds
        and _is_shown_once(message, category, line, module)
    ):
        return
    warnings.warn_explicit(message, category, *call.location)
    if call.is_fold:
        _warned_in_folds.add(cause)


def _is_shown_once(message: str, category: type[Warning], line: int, module: str) -> bool:
    """Return whether Python's filters show a repeated warning once only."""
    for action, text, kind, name, at_line in warnings.filters:
        if (
            issubclass(category, kind)
            and _matches(text, message)
            and _matches(name, module)
            and at_line in (0, line)
        ):
            return action not in ("always", "all", "error")
    return True


def _matches(pattern: str | re.Pattern[str] | None, text: str) -> bool:
    """Return whether a part of a filter applies; Python's own filters contain plain strings."""
    if pattern is None or isinstance(pattern, str):
        return pattern is None or pattern == text
    return pattern.match(text) is not None


@contextmanager
def one_call() -> Iterator[None]:
    """Treat the block as one call of the package, also in threads that copy the context."""
    if _call.get() is not None:
        yield
        return
    token = _call.set(_caller())
    try:
        yield
    finally:
        _call.reset(token)


def _caller() -> _Call:
    frame = sys._getframe(1)
    is_fold = False
    while frame.f_back is not None and _top_package(frame.f_globals) in _BETWEEN:
        is_fold |= str(frame.f_globals.get("__name__")).startswith("sklearn.model_selection")
        frame = frame.f_back
    names = frame.f_globals
    registry = names.setdefault("__warningregistry__", {})
    module = names.get("__name__") or "<string>"
    return _Call((frame.f_code.co_filename, frame.f_lineno, module, registry), is_fold=is_fold)


def _top_package(names: Values) -> str:
    return str(names.get("__name__", "")).partition(".")[0]
