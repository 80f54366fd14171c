"""A selection as one page of HTML."""

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
from thresher.io.table import is_files
from thresher.io.temporary import Scratch

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


# Classes whose numbers of samples are listed.
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
    """What a report tells of the data.

    Parameters
    ----------
    selector : fitted selector
    X, y
        What it was fitted on; without X there is no map of redundancies.
    source, target : str
        What the data and the target are called.
    notes : iterable of str
        Warnings and whatever else should be known.
    number : NumberOfFeatures, default=None
        Scores by number of features, of `thresher.evaluate.select_k`.
    command : str
        Of a shell, that makes the same selection.

    Returns
    -------
    facts : dict
        Of numbers, text, lists and dicts, as JSON knows them.
    """
    check_is_fitted(selector)
    if is_files(X):
        X = open_table(X, scratch=Scratch())
    facts: Values = {
        "source": source,
        "target": target,
        "n_samples": None if X is None else int(X.shape[0]),
        "checks": _checks(selector, y),
        "notes": list(notes),
        "command": command,
    }
    if X is not None:
        found = redundancy_map(selector, X)
        if found is not None:
            facts["map"] = {
                "measure": found.measure,
                "features": found.features.tolist(),
                "values": np.round(found.values, 3).tolist(),
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
    """What is worth knowing of the columns and the target."""
    said = []
    constant = int(getattr(selector, "_constant", np.zeros(0, dtype=bool)).sum())
    excluded = int(getattr(selector, "_excluded", np.zeros(0, dtype=bool)).sum())
    if constant:
        said.append(f"{_counted(constant, 'feature is', 'features are')} constant: never chosen.")
    if excluded:
        said.append(f"{_counted(excluded, 'feature was', 'features were')} excluded.")
    if y is None:
        return said
    target = read_target(y, len(y), kind=_target_kind(selector))
    if target.codes is None or target.classes is None:
        low, high = target.values.min(), target.values.max()
        said.append(f"The target is a number from {low:.4g} to {high:.4g}.")
        return said
    counts = np.bincount(target.codes)
    shown = [f"{label}: {count}" for label, count in zip(target.classes, counts, strict=True)]
    if len(shown) > MOST_CLASSES:
        shown[MOST_CLASSES:] = ["..."]
    said.append(f"The target has {len(counts)} classes ({', '.join(shown)}).")
    if counts.min() < 5:
        smallest = _counted(counts.min(), "sample", "samples")
        said.append(f"The smallest class has {smallest}; a selection cannot be sure of it.")
    return said


def _counted(count: int, one: str, more: str) -> str:
    return f"{count} {one if count == 1 else more}"


def _target_kind(selector: Estimator) -> str:
    """What the selector, or the one inside it, was told to take the target for."""
    if getattr(selector, "_classes_only", False):
        return "nominal"
    parameters = selector.get_params().items()
    kinds = [kind for name, kind in parameters if name.rpartition("__")[2] == "target"]
    return next((kind for kind in kinds if isinstance(kind, str)), "auto")


# Rows of the table, and bytes of what is in them; the rest of a long list says nothing that its first part does not.
MOST_ROWS = 1500
MOST_BYTES = 1_200_000
# Steps and votes that are drawn.
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
    """A selection as one page of HTML that needs nothing else, offline and in any browser.

    Parameters
    ----------
    selector : fitted selector
    X, y
        What it was fitted on. Without X the page has no map of who is redundant with whom.
    title : str, default=""
        Heading; by default it names the selector.
    source, target : str, default=""
        What the data and the target are called.
    notes : iterable of str
        Warnings and whatever else should be on the page.
    number : NumberOfFeatures, default=None
        From `thresher.evaluate.select_k`: the score against the number of features is drawn.
    facts : dict, default=None
        From `gather_facts`, in place of all of the above but `title`.

    Returns
    -------
    page : str

    Notes
    -----
    Names are untrusted: they are escaped, reach the page as text, and a content-security policy lets no script run
    but ours. The table has the chosen features and the best ranked of the others, 1,500 in all (fewer if their names
    are very long), and says so; the page stays below 2 MB for any number of features. The same selection gives the
    same page, byte for byte.

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
            "a report needs jinja2, which is not installed; install it with: pip install 'thresher[report]'"
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
        policy=_policy(script, style),
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
            (name, _cut(repr(value), 500))
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
    """Write `render_report` to a file.

    Parameters
    ----------
    selector : fitted selector
    path : path
        Of the file; one that exists is left alone unless `overwrite`.
    X, y
        As of `render_report`.
    overwrite : bool, default=False
    **options
        As of `render_report`: `title`, `source`, `target`, `notes`, `number` and `facts`.

    Returns
    -------
    path : Path
    """
    page = render_report(selector, X, y, **options).encode()
    file_path = Path(path)
    atomic_write(file_path, page, overwrite=overwrite)
    return file_path


def _trusted(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _policy(script: str, style: str) -> str:
    digests = (hashlib.sha256(text.encode()).digest() for text in (script, style))
    of_script, of_style = (base64.b64encode(digest).decode() for digest in digests)
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; style-src 'sha256-{of_style}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _json(value: object) -> str:
    """JSON that no parser of HTML can take for anything else."""
    text = json.dumps(value, allow_nan=False, separators=(",", ":"), ensure_ascii=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def label(name: object, longest: int = LONGEST_NAME) -> str:
    """A name as a page may show it: what is not printable is spelt out, and the middle of a long one left out."""
    text = printable(_cut(str(name), longest))
    return _cut(text, longest) if text.strip() or not name else repr(text)


def _name(names: Sequence[str] | None, feature: int) -> str:
    return label(f"x{feature}" if names is None else names[feature]) or "''"


def _cut(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest * 2 // 3]}…{text[-longest // 3 + 1 :]}"


def _rows(selector: Estimator) -> list[Values]:
    """All chosen features and the best ranked of the others."""
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
    """The first steps; redundancies that the method does not know are taken from the map."""
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
    """As many of the first rows as fit."""
    sizes = np.cumsum([len(_json(row)) for row in rows])
    return rows[: int(np.searchsorted(sizes, most))]


def _shown(selector: Estimator) -> list[tuple[int, int | None]]:
    steps: list[tuple[int, int | None]] = [
        (int(feature), step) for step, feature in enumerate(selector.selected_[:MOST_ROWS], 1)
    ]
    left = np.flatnonzero(~selector.support_)
    merit = np.where(np.isnan(selector.relevance_), -np.inf, selector.relevance_)[left]
    order = np.lexsort((-merit, selector.ranking_[left]))
    rest = left[order][: max(0, MOST_ROWS - len(steps))]
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
    """The lines that repeat the selection."""
    import sklearn

    with sklearn.config_context(print_changed_only=True):
        made = selector.__repr__(N_CHAR_MAX=LONGEST_CODE)
    kinds = {type(value) for value in (selector, *selector.get_params().values())}
    public: dict[str, list[str]] = {}
    for kind in kinds:
        if hasattr(kind, "get_params"):
            module = "thresher" if kind.__module__.startswith("thresher.") else kind.__module__
            public.setdefault(module.partition("._")[0], []).append(kind.__name__)
    lines = [f"from {name} import {', '.join(sorted(public[name]))}" for name in sorted(public)]
    lines += ["", f"selector = {made}"]
    lines += ["selector.fit(X, y)", "selector.get_feature_names_out()"]
    return "\n".join(lines)
