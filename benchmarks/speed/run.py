"""The driver: ``python -m benchmarks.speed.run [--quick] [--only NAME ...]``.

Each (package, work) pair runs in a separate process, on one thread, within a time limit. A full
run rewrites ``docs/benchmarks.md``; raw results go to ``benchmarks/results``.
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.folders import ROOT
from benchmarks.peers import PEERS
from benchmarks.peers.environments import install, interpreter
from benchmarks.speed import ours, report
from benchmarks.speed.problem import save
from benchmarks.speed.works import SCALINGS, Scaling, Work
from benchmarks.speed.works import WORKS as MRMR_WORKS
from benchmarks.speed.works_forward import FORWARD_WORKS
from benchmarks.speed.works_rankings import RANKING_WORKS

RESULTS = ROOT / "benchmarks" / "results"
STORED = RESULTS / "latest.json"
WORKS = [*MRMR_WORKS, *FORWARD_WORKS, *RANKING_WORKS]
SETUP_LIMIT = 180.0  # seconds to load the data, convert them, compile what is compiled late
THREAD_VARIABLES = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "POLARS_MAX_THREADS",
]


def measure(
    adaptor: ModuleType,
    python: Path | str,
    question: str,
    problem: Path,
    *,
    k: int,
    threads: int = 1,
    options: argparse.Namespace,
    clock: str | None = None,
) -> dict[str, Any]:
    """Run the worker; return a dict with ``times``, ``extra``, ``result``, or with ``failed``."""
    result = RESULTS / "last.json"
    result.unlink(missing_ok=True)
    environment = {**os.environ, **dict.fromkeys(THREAD_VARIABLES, str(threads))}
    command = [python, "-m", "benchmarks.speed.worker", adaptor.__name__, question, problem, result]
    settings = {
        "--k": k,
        "--threads": threads,
        "--repeats": options.repeats,
        "--limit": options.limit,
        "--clock": clock or options.clock,
    }
    command += [str(part) for pair in settings.items() for part in pair]
    limit = options.limit
    # Processor time passes slowly on a busy machine.
    patience = SETUP_LIMIT + (limit if settings["--clock"] == "wall" else 5 * limit)
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, timeout=patience, capture_output=True
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not ready after {SETUP_LIMIT:g} s"}
    if done.returncode in (-signal.SIGALRM, -signal.SIGPROF):
        return {"failed": f"> {limit:g} s", "at_least": limit}
    if not result.exists():
        return {"failed": f"ended with code {done.returncode}"}
    return json.loads(result.read_text())


def agreement(mine: Any, theirs: Any) -> str:
    """Describe how two results agree: order, set, first difference, or largest difference."""
    if not isinstance(mine[0], int):
        difference = np.abs(np.asarray(mine, float) - np.asarray(theirs, float))
        equal = difference <= 1e-9
        if equal.all():
            return "same to 1e-9"
        return f"{equal.mean():.1%} the same, else off by up to {difference.max():.2g}"
    if mine == theirs:
        return f"same {len(mine)}, same order"
    common = len(set(mine) & set(theirs))
    if common == len(mine) == len(theirs):
        return f"same {len(mine)}"
    if theirs == sorted(theirs):
        return f"{common} of {len(mine)} in common (order not given)"
    first = next(
        (i for i, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]),
        min(len(mine), len(theirs)),
    )
    return f"first difference at {first + 1}, {common} of {len(mine)} in common"


def compare(work: Work, options: argparse.Namespace) -> dict[str, Any]:
    """Run ours and every peer that has an adaptor for the question, on one work."""
    problem = RESULTS / f"{work.name}.npz"
    save(problem, *work.data())
    mine = measure(ours, sys.executable, work.question, problem, k=work.k, options=options)
    report.progress(work.name, "thresher", mine)
    outcome: dict[str, Any] = {"ours": mine, "peers": {}}
    if work.two_threads and "times" in mine:
        # Threads share the processor time, so these two are always taken by the wall clock.
        for threads in (1, 2):
            result = measure(
                ours,
                sys.executable,
                work.question,
                problem,
                k=work.k,
                threads=threads,
                options=options,
                clock="wall",
            )
            report.progress(work.name, f"thresher, threads={threads}", result)
            outcome[f"threads_{threads}"] = result
    for name in options.peers if work.peers and not options.alone else []:
        adaptor = importlib.import_module(f"benchmarks.peers.{name}")
        if not hasattr(adaptor, work.question):
            continue
        installed = install(adaptor)
        theirs = installed
        if "version" in installed:
            theirs = measure(
                adaptor,
                interpreter(adaptor),
                work.question,
                problem,
                k=work.k,
                options=options,
            )
            theirs["version"] = installed["version"]
        if "result" in theirs and "result" in mine:
            theirs["agreement"] = agreement(mine["result"], theirs["result"])
            note = getattr(adaptor, "NOTES", {}).get(work.question)
            if note and not theirs["agreement"].startswith("same"):
                theirs["agreement"] += f"; {note}"
        theirs["differs"] = getattr(adaptor, "DIFFERS", {}).get(work.question, "")
        outcome["peers"][adaptor.REQUIRES[0]] = theirs
        report.progress(work.name, adaptor.REQUIRES[0], theirs)
    problem.unlink()
    threaded = [outcome[key] for key in ("threads_1", "threads_2") if key in outcome]
    for result in [mine, *threaded, *outcome["peers"].values()]:
        result.pop("result", None)
    return outcome


def slope(scaling: Scaling, options: argparse.Namespace) -> dict[str, Any]:
    """Return our times at each size, and the slope of a line through them in logarithms."""
    times = []
    for size in scaling.sizes:
        problem = RESULTS / "scaling.npz"
        save(problem, *scaling.data(size))
        mine = measure(
            ours,
            sys.executable,
            scaling.question,
            problem,
            k=scaling.k,
            options=options,
        )
        problem.unlink()
        report.progress(scaling.name, f"size {size:,}", mine)
        if "times" not in mine:
            return mine
        times.append(min(mine["times"]))
    line = np.polyfit([math.log(size) for size in scaling.sizes], [math.log(t) for t in times], 1)
    return {"sizes": scaling.sizes, "times": times, "slope": float(line[0])}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="works with these names")
    parser.add_argument("--quick", action="store_true", help="15 s for each package, no slopes")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=PEERS, help="these peers")
    parser.add_argument("--alone", action="store_true", help="without the peers")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for each package")
    parser.add_argument(
        "--page",
        action="store_true",
        help="write docs/benchmarks.md from this and earlier runs, as a full run does",
    )
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument(
        "--clock",
        choices=["wall", "cpu"],
        default="wall",
        help="processor time suits a busy machine: everything runs on one thread",
    )
    options = parser.parse_args()
    if options.quick:
        options.limit = min(options.limit, 15.0)
    unknown = set(options.only or []) - {work.name for work in WORKS}
    if unknown:
        parser.error(f"no work named {sorted(unknown)}; known: {[work.name for work in WORKS]}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    works = [work for work in WORKS if not options.only or work.name in options.only]
    stored = read_stored(options.clock)
    for work in works:
        stored["works"][work.name] = compare(work, options)
        STORED.write_text(json.dumps(stored, indent=1))
    if not options.only and not options.quick:
        stored["slopes"] = {scaling.name: slope(scaling, options) for scaling in SCALINGS}
        STORED.write_text(json.dumps(stored, indent=1))
    print(report.markdown(works, stored))
    if options.page or not (options.only or options.quick or options.alone):
        known = [work for work in WORKS if work.name in stored["works"]]
        (ROOT / "docs" / "benchmarks.md").write_text(report.markdown(known, stored))


def read_stored(clock: str) -> dict[str, Any]:
    """Return results of earlier runs by the same clock, to which this run adds more."""
    if STORED.exists():
        stored = json.loads(STORED.read_text())
        if stored["clock"] == clock:
            return stored
    return {"clock": clock, "works": {}, "slopes": {}}


if __name__ == "__main__":
    main()
