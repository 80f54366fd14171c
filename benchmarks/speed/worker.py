"""Measure one package on one problem, in a separate process, and often in a separate environment.

A run begins with the user's array: what a package wants instead, a data frame say, is made in it.
Peak memory is what the first run adds to the process after data, imports and a warm-up on a corner
of the data, so neither the user's array nor the interpreter counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.problem import load


def memory(field: str) -> int:
    """Return a field of /proc/self/status in bytes: VmRSS is now, VmHWM the highest until now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def forget_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5")


def as_json(result: Any) -> Any:
    return np.asarray(result).tolist()


def measure(adaptor: Any, question: str, path: Path, options: argparse.Namespace) -> dict[str, Any]:
    problem = load(path, options.k, options.threads)
    prepare = getattr(adaptor, question)
    prepare(problem.small())()
    # The default action of the alarm ends the process, even inside compiled code.
    timer = signal.ITIMER_REAL if options.clock == "wall" else signal.ITIMER_PROF
    signal.setitimer(timer, options.limit)
    forget_peak()
    before = memory("VmRSS")
    clock = {"wall": time.perf_counter, "cpu": time.process_time}[options.clock]
    times: list[float] = []
    conversions: list[float] = []
    began = time.perf_counter()
    while len(times) < options.repeats:
        start = clock()
        run = prepare(problem)
        conversions.append(clock() - start)
        result = run()
        times.append(clock() - start)
        if len(times) == 1:
            signal.setitimer(timer, 0)
            peak = memory("VmHWM")
            first = result
        if time.perf_counter() - began > options.enough:
            break
    return {
        "times": times,
        "conversions": conversions,
        "extra": max(0, peak - before),
        "peak": peak,
        "result": as_json(first),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("adaptor")
    parser.add_argument("question")
    parser.add_argument("problem", type=Path)
    parser.add_argument("result", type=Path)
    parser.add_argument("--k", type=int, default=0)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--clock", choices=["wall", "cpu"], default="wall")
    parser.add_argument("--limit", type=float, default=60.0, help="seconds for the first run")
    parser.add_argument("--enough", type=float, default=20.0, help="seconds after which to stop")
    parser.add_argument("--gigabytes", type=float, default=12.0, help="limit of address space")
    options = parser.parse_args()
    limit = int(options.gigabytes * 2**30)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    try:
        adaptor = importlib.import_module(options.adaptor)
        outcome = measure(adaptor, options.question, options.problem, options)
    except MemoryError:
        outcome = {"failed": f"needs more than {options.gigabytes:g} GB"}
    except Exception as error:
        outcome = {"failed": f"{type(error).__name__}: {error}".splitlines()[0][:160]}
    options.result.write_text(json.dumps(outcome))


if __name__ == "__main__":
    main()
