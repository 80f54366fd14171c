"""A selection as one HTML page."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import math
import os
import platform
from collections.abc import Iterable, Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
from sklearn.utils.validation import check_is_fitted

import thresher
from thresher._utils.checks import printable
from thresher._utils.journal import atomic_write
from thresher._utils.types import DataLike, Estimator, TargetLike, Values
from thresher.data import read_target
from thresher.evaluate.redundancy import redundancy_map
from thresher.io import open_table
from thresher.io.table import is_file_input
from thresher.io.temporary import TemporaryStore

if TYPE_CHECKING:
    from markupsafe import Markup

    from thresher.evaluate.number import NumberOfFeatures


class ReportOptions(TypedDict, total=False):
    """The options of `render_report`."""

    title: str
    source: str
    target: str
    notes: Iterable[str]
    number: NumberOfFeatures | None
    facts: Values | None


# Largest number of classes whose sample counts are listed.
MOST_CLASSES = 20


def gather_facts(
    selector: Estimator,
    X: DataLike = None,
    y: TargetLike = None,
    *,
    source: str = "",
    target: str = "",
    notes: Iterable[str] = (),
    number: NumberOfFeatures | None = None,
    command: str = "",
) -> Values:
    """Gather the facts of a report that need the data.

    Parameters
    ----------
    selector : fitted selector
    X, y
        The data it was fitted on. Without X there is no map of redundancies.
    source, target : str, default=""
        Names of the data and of the target.
    notes : iterable of str
        Warnings and other notes.
    number : NumberOfFeatures, default=None
        Scores by number of features, from `thresher.evaluate.select_k`.
    command : str, default=""
        Shell command that makes the same selection.

    Returns
    -------
    facts : dict
        Numbers, text, lists and dicts that JSON can represent.
    """
    check_is_fitted(selector)
    if is_file_input(X):
        X = open_table(X, scratch=TemporaryStore())
    facts: Values = {
        "source": source,
        "target": target,
        "n_samples": None if X is None else int(X.shape[0]),
        "checks": _checks(selector, y),
        "notes": list(notes),
        "command": command,
    }
    if X is not None:
        redundancy = redundancy_map(selector, X)
        if redundancy is not None:
            facts["map"] = {
                "measure": redundancy.measure,
                "features": redundancy.features.tolist(),
                "values": np.round(redundancy.values, 3).tolist(),
            }
    if number is not None:
        facts["number"] = {
            "k": int(number.k),
            "sizes": [int(size) for size in number.sizes],
            "mean": [_finite(value, digits=17) for value in number.mean],
            "error": [_finite(value, digits=17) for value in number.standard_error],
        }
    return facts


def _checks(selector: Estimator, y: TargetLike) -> list[str]:
    """Return notes about the columns and the target."""
    lines = []
    constant = int(getattr(selector, "_constant", np.zeros(0, dtype=bool)).sum())
    excluded = int(getattr(selector, "_excluded", np.zeros(0, dtype=bool)).sum())
    if constant:
        lines.append(
            f"{_counted(constant, 'feature is', 'features are')} constant and never selected."
        )
    if excluded:
        lines.append(f"{_counted(excluded, 'feature was', 'features were')} excluded.")
    kind = getattr(selector, "target_kind_", None)
    if y is None:
        words = {None: [], "nominal": ["target: classes."], "numeric": ["target: numeric."]}
        return lines + words[kind]
    target = read_target(y, len(y), kind=kind or "auto")
    if target.codes is None or target.classes is None:
        low, high = target.values.min(), target.values.max()
        lines.append(f"target: numeric, from {low:.4g} to {high:.4g}.")
        return lines
    counts = np.bincount(target.codes)
    shown = [f"{label}: {count}" for label, count in zip(target.classes, counts, strict=True)]
    if len(shown) > MOST_CLASSES:
        shown[MOST_CLASSES:] = ["..."]
    lines.append(f"target: {target.describe()} ({', '.join(shown)}).")
    if counts.min() < 5:
        smallest = _counted(counts.min(), "sample", "samples")
        lines.append(f"The smallest class has {smallest}; the selection is unreliable for it.")
    return lines


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


# Largest number of rows of the table, and of bytes in them: the rest of a long list adds nothing.
MOST_ROWS = 1500
MOST_BYTES = 1_200_000
# Largest number of steps and of votes that are drawn.
MOST_DRAWN = 60
LONGEST_NAME = 120
LONGEST_REASON = 400
LONGEST_NOTE = 1000
LONGEST_CODE = 20_000


def render_report(
    selector: Estimator,
    X: DataLike = None,
    y: TargetLike = None,
    *,
    title: str = "",
    source: str = "",
    target: str = "",
    notes: Iterable[str] = (),
    number: NumberOfFeatures | None = None,
    facts: Values | None = None,
) -> str:
    """Return a selection as one self-contained HTML page, which works offline and in any browser.

    Parameters
    ----------
    selector : fitted selector
    X, y
        The data it was fitted on. Without X the page has no map of redundant features.
    title : str, default=""
        Heading; by default the name of the selector.
    source, target : str, default=""
        Names of the data and of the target.
    notes : iterable of str
        Warnings and other notes for the page.
    number : NumberOfFeatures, default=None
        From `thresher.evaluate.select_k`. The score against the number of features is drawn.
    facts : dict, default=None
        From `gather_facts`. Replaces all of the above except `title`.

    Returns
    -------
    page : str
        The HTML.

    See Also
    --------
    save_report : Writes the page to a file.

    Notes
    -----
    Names are untrusted. They are escaped and appear as text, and a content-security policy allows no other script. The
    table contains the selected features and the best ranked others, 1,500 in total (fewer if their names are very
    long), and says so. The page stays below 2 MB for any number of features. The same selection gives the same page,
    byte for byte.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> page = render_report(MRMR(5).fit(X, y), X, y, source="breast cancer")
    >>> page[:15]
    '<!DOCTYPE html>'
    """
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError as error:
        raise ImportError(
            "a report needs jinja2, which is not installed. Install it with: pip install 'thresher[report]'"
        ) from error
    from thresher.report import _charts

    check_is_fitted(selector)
    if facts is None:
        facts = gather_facts(
            selector, X, y, source=source, target=target, notes=notes, number=number
        )
    folder = resources.files("thresher.report")
    style = (folder / "report.css").read_text("utf-8")
    script = (folder / "report.js").read_text("utf-8")
    rows = _within(MOST_BYTES, _rows(selector))
    steps = _steps(selector, rows, facts)
    votes = sorted(
        (row for row in rows if row["votes"]), key=lambda row: (-row["votes"], row["rank"])
    )[:MOST_DRAWN]
    mapped, curve = facts.get("map"), facts.get("number")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    template = environment.from_string((folder / "report.html").read_text("utf-8"))
    return template.render(
        title=label(title) or f"Selection by {type(selector).__name__}",
        policy=_security_policy(script, style),
        style=_trusted(style),
        script=_trusted(script),
        data=_trusted(_json({"rows": rows, "n_chosen": len(selector.selected_)})),
        n_chosen=len(selector.selected_),
        n_features=int(selector.n_features_in_),
        n_shown=len(rows),
        steps=steps,
        n_with_redundancy=sum(row["redundancy"] is not None for row in steps),
        is_nested=bool(getattr(selector, "_nested", False)),
        stability=getattr(selector, "stability_", None),
        stability_note=getattr(selector, "stability_note_", ""),
        n_replicates=len(getattr(selector, "parts_", ())),
        source=label(facts["source"]),
        target=label(facts["target"]),
        n_samples=facts["n_samples"],
        notes=[label(note, LONGEST_NOTE) for note in [*facts["checks"], *facts["notes"]]],
        steps_chart=_charts.steps_chart(steps),
        votes_chart=_charts.votes_chart(votes),
        map_chart=_map_chart(selector, mapped) if mapped else None,
        map_measure=mapped["measure"] if mapped else "",
        number_chart=_charts.number_chart(**curve) if curve else None,
        number=curve["k"] if curve else None,
        parameters=[
            (name, _shortened(repr(value), 500))
            for name, value in sorted(selector.get_params(deep=False).items())
        ],
        versions=_versions(),
        command=label(facts.get("command", ""), LONGEST_CODE),
        code=_code(selector),
    )


def save_report(
    selector: Estimator,
    path: str | os.PathLike[str],
    X: DataLike = None,
    y: TargetLike = None,
    *,
    overwrite: bool = False,
    **options: Unpack[ReportOptions],
) -> Path:
    """Write the page of `render_report` to a file.

    Parameters
    ----------
    selector : fitted selector
    path : str or path-like
        The file to write.
    X, y
        As in `render_report`.
    overwrite : bool, default=False
        Whether to replace an existing file. False raises FileExistsError.
    **options
        As in `render_report`: `title`, `source`, `target`, `notes`, `number` and `facts`.

    Returns
    -------
    path : Path
        The file written.
    """
    page = render_report(selector, X, y, **options).encode()
    file_path = Path(path)
    atomic_write(file_path, page, overwrite=overwrite)
    return file_path


def _trusted(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _security_policy(script: str, style: str) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in (script, style))
    of_script, of_style = (base64.b64encode(digest).decode() for digest in digests)
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; style-src 'sha256-{of_style}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _json(value: object) -> str:
    """Return JSON that an HTML parser cannot read as markup."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def label(name: object, longest: int = LONGEST_NAME) -> str:
    """Return a name for the page: control characters escaped, the middle of long names omitted."""
    text = printable(_shortened(str(name), longest))
    return _shortened(text, longest) if text.strip() or not name else repr(text)


def _name(names: Sequence[str] | None, feature: int) -> str:
    return label(f"x{feature}" if names is None else names[feature]) or "''"


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest * 2 // 3]}…{text[-longest // 3 + 1 :]}"


def _rows(selector: Estimator) -> list[Values]:
    """Return a row for each selected feature and the best ranked others."""
    account = selector._account()
    names = getattr(selector, "feature_names_in_", None)
    votes = getattr(selector, "votes_", None)
    return [
        {
            "name": _name(names, feature),
            "step": step,
            "rank": int(selector.ranking_[feature]),
            "score": _finite(selector.scores_[feature]),
            "relevance": _finite(selector.relevance_[feature]),
            "redundancy": _finite(selector.redundancy_[feature]),
            "votes": None if votes is None else _finite(votes[feature]),
            "selected": bool(selector.support_[feature]),
            "reason": label(account(feature).sentence(names), LONGEST_REASON),
        }
        for feature, step in _shown(selector)
    ]


def _steps(selector: Estimator, rows: list[Values], facts: Values) -> list[Values]:
    """Return the first steps, with redundancies from the map if the method computes none."""
    steps = [row for row in rows if row["step"]][:MOST_DRAWN]
    mapped = facts.get("map")
    if not mapped or any(step["redundancy"] is not None for step in steps):
        return steps
    row_of = {int(feature): row for row, feature in enumerate(mapped["features"])}
    result: list[Values] = []
    before: list[int] = []
    for step, feature in zip(steps, selector.selected_.tolist(), strict=False):
        row, mean = row_of.get(feature), None
        if row is not None:
            values = mapped["values"][row]
            mean = sum(float(values[j]) for j in before) / max(1, len(before))
            before.append(row)
        result.append({**step, "redundancy": mean})
    return result


def _within(most: int, rows: list[Values]) -> list[Values]:
    """Return as many of the first rows as fit into this many bytes."""
    sizes = np.cumsum([len(_json(row)) for row in rows])
    return rows[: int(np.searchsorted(sizes, most))]


def _shown(selector: Estimator) -> list[tuple[int, int | None]]:
    steps: list[tuple[int, int | None]] = [
        (int(feature), step) for step, feature in enumerate(selector.selected_[:MOST_ROWS], 1)
    ]
    others = np.flatnonzero(~selector.support_)
    relevance = np.where(np.isnan(selector.relevance_), -np.inf, selector.relevance_)[others]
    order = np.lexsort((-relevance, selector.ranking_[others]))
    rest = others[order][: max(0, MOST_ROWS - len(steps))]
    return steps + [(int(feature), None) for feature in rest]


def _finite(value: float, digits: int = 6) -> float | None:
    return float(f"{value:.{digits}g}") if math.isfinite(value) else None


def _map_chart(selector: Estimator, mapped: Values) -> Markup:
    from thresher.report._charts import map_chart

    names = getattr(selector, "feature_names_in_", None)
    steps = {int(feature): step for step, feature in enumerate(selector.selected_, 1)}
    features = [int(feature) for feature in mapped["features"]]
    shown = [_name(names, i) for i in features]
    return map_chart(shown, [steps.get(i) for i in features], mapped["values"])


def _versions() -> list[tuple[str, str]]:
    packages = ("numpy", "scipy", "scikit-learn")
    others = [(package, importlib.metadata.version(package)) for package in packages]
    return [("thresher", thresher.__version__), ("python", platform.python_version()), *others]


def _code(selector: Estimator) -> str:
    """Return the Python code that repeats the selection."""
    import sklearn

    with sklearn.config_context(print_changed_only=True):
        constructor = selector.__repr__(N_CHAR_MAX=LONGEST_CODE)
    kinds = {type(value) for value in (selector, *selector.get_params().values())}
    public: dict[str, list[str]] = {}
    for kind in kinds:
        if hasattr(kind, "get_params"):
            module = "thresher" if kind.__module__.startswith("thresher.") else kind.__module__
            public.setdefault(module.partition("._")[0], []).append(kind.__name__)
    lines = [f"from {name} import {', '.join(sorted(public[name]))}" for name in sorted(public)]
    lines += ["", f"selector = {constructor}"]
    lines += ["selector.fit(X, y)", "selector.get_feature_names_out()"]
    return "\n".join(lines)
