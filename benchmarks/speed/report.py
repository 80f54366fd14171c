"""Text and tables of the page of benchmarks."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.speed.works import Work

CLOCKS = {"wall": "elapsed", "cpu": "CPU time, since the machine was busy"}


def seconds(value: float) -> str:
    if value >= 10:
        return f"{value:.0f} s"
    return f"{value:.2g} s" if value >= 1 else f"{value * 1000:.3g} ms"


def times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 20 else f"{ratio:.2g}"


def megabytes(value: float) -> str:
    return f"{value / 1e6:.3g} MB" if value < 1e9 else f"{value / 1e9:.3g} GB"


def progress(work: str, package: str, result: dict[str, Any]) -> None:
    what = seconds(min(result["times"])) if "times" in result else result["failed"]
    print(f"{work:18} {package:22} {what}", file=sys.stderr, flush=True)


def machine() -> str:
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":")[1].strip() if names else model
    import thresher
    from thresher import _core

    return (
        f"{model}, {os.cpu_count()} cores, {platform.system()}, Python "
        f"{platform.python_version()}, thresher {thresher.__version__} ({_core.isa_level()})"
    )


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """Return a Markdown table whose columns line up in plain text."""
    lines = [head, *rows]
    widths = [max(3, *(len(line[i]) for line in lines)) for i in range(len(head))]
    body = ["| " + " | ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) + " |"
            for line in lines]  # fmt: skip
    body.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(body)


def fastest(outcome: dict[str, Any]) -> tuple[str, float, str] | None:
    """Name, time and sign (``>`` if it was stopped) of the fastest peer that computes the same."""
    found = []
    for name, result in outcome["peers"].items():
        if result["differs"]:
            continue
        if "times" in result:
            found.append((min(result["times"]), name, ""))
        elif "at_least" in result:
            found.append((result["at_least"], name, "> "))
    if not found:
        return None
    time, name, sign = min(found)
    return name, time, sign


def summary_row(work: Work, outcome: dict[str, Any]) -> list[str]:
    mine = outcome["ours"]
    aim = f">= {work.aim:g}" if work.aim else ""
    if "times" not in mine:
        return [work.title, mine["failed"], "", "", "", "", aim, work.quoted]
    time = min(mine["times"])
    one, two = (outcome.get(key, {}).get("times") for key in ("threads_1", "threads_2"))
    speedup = f"{min(one) / min(two):.2f}" if one and two else ""
    best = fastest(outcome)
    peer, ratio = ("no other package", "") if work.peers else ("", "")
    if best:
        name, theirs, sign = best
        peer, ratio = f"{name} {sign}{seconds(theirs)}", f"{sign}{times(theirs / time)}"
    return [
        work.title,
        seconds(time),
        megabytes(mine["extra"]),
        speedup,
        peer,
        ratio,
        aim,
        work.quoted,
    ]


def detail_rows(work: Work, outcome: dict[str, Any]) -> list[list[str]]:
    rows = []
    for name, result in outcome["peers"].items():
        package = f"{name} {result.get('version', '')}".strip()
        if "times" in result:
            ratio = ""
            if "times" in outcome["ours"]:
                ratio = times(min(result["times"]) / min(outcome["ours"]["times"]))
            note = result["differs"] or result.get("agreement", "")
            conversion = min(result["conversions"])
            cells = [
                seconds(min(result["times"])),
                seconds(conversion) if conversion >= 1e-4 else "",
                megabytes(result["extra"]),
                ratio,
                note,
            ]
        else:
            cells = [result["failed"], "", "", "", result["differs"]]
        rows.append([work.name, package, *cells])
    return rows


def markdown(works: list[Work], stored: dict[str, Any]) -> str:
    """Return the page: a summary, every package, and the growth of times."""
    outcomes, slopes, clock = stored["works"], stored["slopes"], stored["clock"]
    parts = [
        "# Benchmarks",
        "Written by `make bench`. Machine: " + machine() + ".",
        "| column | meaning |\n|---|---|\n"
        f"| times | {CLOCKS[clock]}, the least of several runs on one thread, from the user's array "
        "to the fitted selector; each package runs in a separate process |\n"
        "| extra memory | peak of the process, minus its memory before the first run |\n"
        "| ratio | time of the fastest package from PyPI that computes the same, divided by "
        "thresher's |\n"
        "| quoted | times of programs that are not on PyPI, measured elsewhere on a 2-core x86-64 "
        "machine, not in this run |\n"
        "| conversion | part of the time in which a package converts its input, for example to a "
        "data frame |",
        table(
            [
                "task",
                "thresher",
                "extra memory",
                "gain by 2 threads",
                "fastest Python package",
                "ratio",
                "target",
                "quoted",
            ],
            [summary_row(work, outcomes[work.name]) for work in works],
        ),
    ]
    rows = [row for work in works for row in detail_rows(work, outcomes[work.name])]
    if rows:
        head = [
            "task",
            "package",
            "time",
            "conversion",
            "extra memory",
            "ratio",
            "result",
        ]
        parts += ["## Every package", table(head, rows)]
    if slopes:
        parts += ["## Growth", _growth(slopes)]
    return "\n\n".join(parts) + "\n"


def _growth(slopes: dict[str, dict[str, Any]]) -> str:
    rows = []
    for name, result in slopes.items():
        if "slope" not in result:
            rows.append([name, result["failed"], ""])
            continue
        pairs = zip(result["sizes"], result["times"], strict=True)
        sizes = ", ".join(f"{size:,}: {seconds(time)}" for size, time in pairs)
        rows.append([name, sizes, f"{result['slope']:.2f}"])
    text = (
        "Time at four sizes, and the slope on logarithmic scales: 1 is linear, below 1 is better."
    )
    return text + "\n\n" + table(["task", "times", "slope"], rows)
