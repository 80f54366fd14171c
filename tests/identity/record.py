"""Make a record, and compare two of them."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import re
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sklearn import config_context

import thresher
from tests.identity.cases import Case, all_cases, few_cases
from tests.identity.commands import run_commands
from tests.identity.data import TABLES
from tests.identity.digest import digest, digests_of
from tests.identity.forms import FORMS

Entry = dict[str, str]
Record = dict[str, Entry]

# The tests of these kernels bring a digest of their values.
KERNELS = (
    "coded_table",
    "svm_scores",
    "moments",
    "neighbours",
    "one_value",
    "partial_core",
    "three_way",
)

# Where an object is in memory, which some messages name.
_ADDRESS = re.compile(r"0x[0-9a-f]+")
# The parts of an entry that are sentences: `compare` can leave them out.
MESSAGES = ("reasons", "warnings", "error", "stdout", "stderr")


def make_record(*, quick: bool, only: str = "", workers: int = 2) -> Record:
    """Fit all cases and run all commands; return their digests by name.

    Parameters
    ----------
    quick : bool
        About 300 fits, and no commands.
    only : str
        Of the cases those whose name contains this text.
    workers : int
        Processes.
    """
    others = [form for form in FORMS if form != "as it is"]
    cases = all_cases(list(TABLES), others)
    cases = [case for case in (few_cases(cases) if quick else cases) if only in str(case)]
    if workers == 1:
        record = dict(map(fit_case, cases))
    else:
        with multiprocessing.get_context("spawn").Pool(workers) as pool:
            record = dict(pool.imap(fit_case, cases, chunksize=4))
    if not only:
        record.update(_kernel_entries())
    if not only and not quick:
        record.update(_command_entries())
    return record


def fit_case(case: Case) -> tuple[str, Entry]:
    """Fit one case in a temporary folder; return its name and the digests of all that can be seen of it."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        folder, temporary = Path(name) / "data", Path(name) / "temporary"
        folder.mkdir()
        temporary.mkdir()
        tempfile.tempdir = str(temporary)
        try:
            entry = _fit(case, folder)
        finally:
            tempfile.tempdir = None
        entry["warnings"] = digest(_texts(caught, name))
        entry["files left"] = digest(sorted(path.name for path in temporary.rglob("*")))
    return str(case), entry


def _fit(case: Case, folder: Path) -> Entry:
    selector: Any = eval(
        case.selector, {name: getattr(thresher, name) for name in thresher.__all__}
    )
    if "n_jobs" in selector.get_params():
        selector.set_params(n_jobs=case.n_jobs)
    table = TABLES[case.data]()
    try:
        with config_context(enable_metadata_routing=True):
            if table.weights is not None and "selector" in selector.get_params():
                selector.selector.set_fit_request(sample_weight=True)
            return digests_of(FORMS[case.form](selector, table, folder))
    except (ValueError, TypeError, AttributeError, MemoryError) as error:
        text = _ADDRESS.sub("0x", str(error).replace(str(folder), ""))
        return {"error": f"{type(error).__name__}: {text[:200]}"}


def _texts(caught: Iterable[warnings.WarningMessage], folder: str) -> list[str]:
    return [f"{item.category.__name__}: {item.message}".replace(folder, "") for item in caught]


def _kernel_entries() -> Iterator[tuple[str, Entry]]:
    for name in KERNELS:
        module = importlib.import_module(f"tests.test_{name}")
        yield f"kernels | {name}", {"values": module.digest_of_kernels()}
    hostile = importlib.import_module("tests.test_fuzz").results_of_hostile_inputs(60)
    yield "kernels | hostile inputs", {"values": digest(repr(hostile))}


def _command_entries() -> Iterator[tuple[str, Entry]]:
    with tempfile.TemporaryDirectory() as name:
        yield from ((f"thresher {command}", entry) for command, entry in run_commands(Path(name)))


def write_record(record: Record, path: str) -> None:
    with open(path, "w") as file:
        for name, entry in record.items():
            file.write(json.dumps([name, entry]) + "\n")


def read_record(path: str) -> Record:
    with open(path) as file:
        return dict(json.loads(line) for line in file)


def compare(old: Record, new: Record, *, skip_messages: bool = False, most: int = 40) -> list[str]:
    """Return one line for each case that differs, and a count of the parts in which cases differ."""
    lines, parts = [], Counter()
    for name in [*old, *(name for name in new if name not in old)]:
        if name not in old or name not in new:
            lines.append(f"only in the {'new' if name in new else 'old'} record: {name}")
            continue
        differing = _differences(old[name], new[name], skip_messages)
        parts.update(differing)
        if differing:
            lines.append(f"{name}: {', '.join(differing)}" + _errors(old[name], new[name]))
    more = [f"... and {len(lines) - most} more"] if len(lines) > most else []
    counts = [f"{count:5d} cases differ in {part}" for part, count in parts.most_common()]
    return [*lines[:most], *more, *counts]


def _differences(old: Entry, new: Entry, skip_messages: bool) -> list[str]:
    parts = [*old, *(part for part in new if part not in old)]
    if skip_messages:
        parts = [part for part in parts if part not in MESSAGES]
    return [part for part in parts if old.get(part) != new.get(part)]


def _errors(old: Entry, new: Entry) -> str:
    if old.get("error") == new.get("error"):
        return ""
    return f" ({old.get('error', 'no error')} -> {new.get('error', 'no error')})"
