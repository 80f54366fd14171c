"""The commands ``thresher select`` and ``thresher report``."""

from __future__ import annotations

import importlib.util
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from thresher._utils.checks import first_line
from thresher._utils.types import Estimator, Values
from thresher.cli import _options
from thresher.cli._errors import BadInput, as_options
from thresher.cli._input import Data, read_data
from thresher.cli._options import OutputOptions, SelectionOptions, SelectionRequest
from thresher.cli._output import (
    Console,
    as_plain,
    check_output,
    encode_table,
    plain,
    print_json,
    write_all,
)

if TYPE_CHECKING:
    from thresher.evaluate import NumberOfFeatures

LISTS = (".json", ".csv", ".parquet")


def select(
    path: Path,
    options: SelectionOptions,
    request: SelectionRequest,
    report: Path | None,
    output: OutputOptions,
    memory: str | None = None,
) -> None:
    """Read a table, select features, show and write the result."""
    out, force, console = output.out, output.force, output.console
    check_output(out, force, LISTS)
    check_output(report, force, (".html",))
    if report is not None:
        check_jinja()
    needs_target = _options.needs_target(request.method)
    data = read_data(
        path, options, console, needs_target=needs_target, memory=memory, may_stay=True
    )
    k, number = _number(data, request, console)
    selector = _options.build(request, data, k)
    limits = {"memory_limit": memory} if data.is_file_input and memory is not None else {}
    with console.working("selecting", data):
        selector.fit(data.X, data.y, **limits)
    # A selector that was fitted on a matrix has no names.
    selector.feature_names_in_ = np.array(data.names, dtype=object)
    contents: dict[Path, bytes] = {}
    if report is not None or (out is not None and out.suffix.lower() == ".json"):
        from thresher.report import gather_facts, render_report

        with console.working("comparing the first features", data):
            facts = gather_facts(
                selector,
                data.X,
                data.y,
                source=data.name,
                target=data.target,
                notes=console.notes,
                number=number,
                command=_command(path, out, report),
            )
        if report is not None:
            contents[report] = render_report(selector, facts=facts).encode()
    if out is not None and out.suffix.lower() == ".json":
        run = {**summary(selector, data, console), "facts": facts}
        contents[out] = json.dumps({**json.loads(selector.to_json()), "run": run}).encode()
    elif out is not None:
        contents[out] = encode_rows(out, selected_rows(selector))
    write_all(contents, force, lambda: _show(selector, data, console))


def _command(*paths: Path | None) -> str:
    """Return the command line without the folders of the files; empty if thresher was not run by a command line."""
    program = Path(sys.argv[0])
    if program.name != "thresher" and program.parts[-2:] != ("thresher", "__main__.py"):
        return ""
    names = {str(path): path.name for path in paths if path is not None}
    words = ["thresher"]
    for word in sys.argv[1:]:
        option, mark, value = word.rpartition("=") if word.startswith("--") else ("", "", word)
        words.append(option + mark + names.get(value, value))
    return shlex.join(words)


def check_rows(data: Data, requests: Sequence[SelectionRequest], console: Console) -> None:
    """Reject data that a method cannot read, before it runs on folds."""
    for request in requests:
        plain_request = replace(request, options=replace(request.options, ensemble=None))
        with console.working(f"checking the data for {request.method}", data):
            _options.build(plain_request, data)._read(data.X, data.y)


def check_jinja() -> None:
    """Reject a report if jinja2 is missing, before any work is done."""
    if importlib.util.find_spec("jinja2") is None:
        raise BadInput(
            "a report needs jinja2, which is not installed. Install it with: pip install 'thresher[report]'"
        )


def report(path: Path, out: Path, title: str, force: bool) -> None:
    """Write the report of a saved selection."""
    from thresher.report import gather_facts, render_report
    from thresher.selectors._base import BaseSelector

    check_output(out, force, (".html",))
    check_jinja()
    if not path.is_file():
        raise BadInput(f"there is no file {path}")
    try:
        text = path.read_text("utf-8")
        selector = BaseSelector.from_json(text)
        facts = json.loads(text).get("run", {}).get("facts") or gather_facts(selector)
        page = render_report(selector, title=title, facts=facts).encode()
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise BadInput(
            f"{path} is not a selection written by `thresher select --out` or to_json: {first_line(error)}"
        ) from None
    write_all({out: page}, force)


def _number(
    data: Data, request: SelectionRequest, console: Console
) -> tuple[int | str | None, NumberOfFeatures | None]:
    """Return the number of features and, if it was found by cross-validation, the result of `select_k`."""
    if request.k is None:
        return None, None
    if request.k != "auto":
        sizes = parse_sizes(request.k)
        if len(sizes) > 1:
            raise BadInput(f"-k must be one number or auto, got {request.k[:60]!r}")
        return sizes[0], None
    finder = _options.number_option(_options.method_class(request.method)())
    if finder != "caller":
        return "auto" if finder == "auto" else None, None
    if data.is_large:
        raise BadInput(
            f"-k auto needs all rows in memory, but {data.name} is larger. Use -k N, --sample N, or a larger --memory"
        )
    if data.y is None:
        raise BadInput(f"-k auto needs a target for {request.method}. Use -k N or --target")
    from thresher.cli._evaluate import estimators_for
    from thresher.evaluate import select_k

    (name, estimator), *_ = estimators_for(data.y, [], request.options).items()
    check_rows(data, [request], console)
    plain_request = replace(
        request, keep=(), options=replace(request.options, ensemble=None, jobs=None)
    )
    with console.working("finding the number of features", data):
        number = select_k(
            _options.build(plain_request, data),
            data.X,
            data.y,
            estimator,
            random_state=request.options.seed,
        )
    score = number.mean[number.sizes == number.k][0]
    count = "1 feature" if number.k == 1 else f"{number.k} features"
    console.note(
        f"-k auto: {count}, the fewest whose score ({score:.3g}) is within one standard error of the best "
        f"({np.nanmax(number.mean):.3g} with {number.best_k}); scored by {name} on 5 folds"
    )
    return number.k, number


def parse_sizes(text: str) -> list[int]:
    """Return the numbers of features of a text such as ``5,10,20``."""
    try:
        sizes = [int(part) for part in text.split(",")]
    except ValueError:
        raise BadInput(
            f"-k must be an integer or integers separated by commas, got {text[:60]!r}"
        ) from None
    if min(sizes) < 1:
        raise BadInput(f"-k must be at least 1, got {min(sizes)}")
    return sizes


def selected_rows(selector: Estimator) -> list[Values]:
    """Return the selected features in order of choice, with scores and reasons."""
    names = selector.feature_names_in_
    columns = {
        "score": selector.scores_,
        "relevance": selector.relevance_,
        "redundancy": selector.redundancy_,
        "votes": getattr(selector, "votes_", None),
        "pvalue": getattr(selector, "pvalues_", None),
    }
    known = {
        name: values
        for name, values in columns.items()
        if values is not None and not np.isnan(values[selector.selected_]).all()
    }
    return [
        {
            "step": step,
            "name": str(names[feature]),
            **{name: float(values[feature]) for name, values in known.items()},
            "reason": selector.reason(int(feature)),
        }
        for step, feature in enumerate(selector.selected_, 1)
    ]


def summary(selector: Estimator, data: Data, console: Console) -> Values:
    """Return the selection and the facts of the run, with types of JSON."""
    facts = {
        "file": data.name,
        "target": data.target,
        "target_kind": getattr(selector, "target_kind_", None),
        "method": type(selector).__name__,
        "n_samples": int(data.X.shape[0]),
        "n_features": len(data.names),
        "stability": getattr(selector, "stability_", None),
        "selected": selected_rows(selector),
        "notes": console.notes,
    }
    return {name: as_plain(value) for name, value in facts.items()}


def _show(selector: Estimator, data: Data, console: Console) -> None:
    if console.as_json:
        print_json(summary(selector, data, console))
    elif console.quiet:
        for name in selector.feature_names_in_[selector.selected_]:
            print(plain(name))
    else:
        n_selected, p = len(selector.selected_), len(data.names)
        title = f"{n_selected} of {p} features from {data.X.shape[0]} samples of {data.name}"
        console.table(selected_rows(selector), title, data.target_line(selector))
        if hasattr(selector, "stability_"):
            print(f"stability {selector.stability_:.2f}: {as_options(selector.stability_note_)}")


def encode_rows(out: Path, rows: list[Values]) -> bytes:
    """Return rows as JSON, CSV or Parquet, by the name of the file."""
    if out.suffix.lower() == ".json":
        return (json.dumps(as_plain(rows), indent=1) + "\n").encode()
    import pyarrow as pa

    return encode_table(out, pa.Table.from_pylist(rows))
