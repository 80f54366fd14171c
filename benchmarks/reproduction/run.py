"""All published experiments that the data at hand allow, one after the other, on one page of the documentation.

``make reproduce`` runs what has not been run yet and writes docs/reproduction.md; a run that is stopped goes on when
started again. ARGS="--quick" takes the short form of each; ARGS="--only probes pairwise" some; ARGS="--report" only
writes the page anew. Results are kept in benchmarks/results/reproduction: remove a file to run its experiment again.
"""

from __future__ import annotations

import argparse
import importlib.util
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.folders import ROOT

RESULTS = ROOT / "benchmarks" / "results" / "reproduction"
PAGE = ROOT / "docs" / "reproduction.md"


@dataclass(frozen=True)
class Experiment:
    """A module of this folder, with the arguments of its full and of its short form."""

    name: str
    title: str
    why: str
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()


EXPERIMENTS = (
    Experiment(
        "ensembles",
        "Fast ensembles: pairs computed, stability (Schowe and Morik 2010)",
        "On the discretised microarrays all 75 counts of pairs are the published ones. On numbers the order of nearly "
        "equal features differs, and with it the counts: by a few per cent mostly, by up to a fifth on MUSK. P-values "
        "of stability need the ten repetitions of the full form to be as small as the paper's.",
        quick=("--quick",),
    ),
    Experiment(
        "accuracy",
        "Fast ensembles: accuracy (Schowe and Morik 2010, Table 2)",
        "The paper's folds are not known, its learners are those of RapidMiner, and most differences are a few right "
        "answers, so who is best at a given k is largely chance: compare the totals. As published, votes and inner "
        "ensembles win more often against plain selection than they lose; that votes also beat inner ensembles is not "
        "confirmed. The number of repetitions stands at the end of each line; the paper has ten, and forests, too.",
        quick=("--quick",),
    ),
    Experiment(
        "rrfs",
        "Filters without labels (Ferreira and Figueiredo 2012)",
        "The paper does not give its folds or how values were scaled; errors on data sets of fewer than a hundred "
        "samples move by several points from split to split.",
        full=("--seeds", "3"),
        quick=("--seeds", "1"),
    ),
    Experiment(
        "consistency",
        "Consistency-based selection (Pino Angulo 2019, Tables 3.2 to 3.5)",
        "Numbers of risks agree with independent counts. How the thesis binned continuous features is not said, and "
        "its tree is C4.5: sizes of sets and AUC differ where data are continuous.",
        quick=("--quick",),
    ),
    Experiment(
        "probes",
        "False selections among probes (Tsanas, Little and McSharry 2010)",
        "The paper prints curves; the numbers beside ours are of a plain implementation of its procedure. The standard "
        "deviation over repetitions is up to 0.08 (RRCT_0 on wine 0.11): means of 20 differ by up to 0.05 by chance.",
    ),
    Experiment(
        "pairwise",
        "Pairs evaluated by MRMR and CFS (Pino Angulo 2019, Table 4.4)",
        "Without shortcuts, and on data that are discrete as they come, all counts agree. How the thesis binned its "
        "continuous data is not said, and coarse or fine bins change what can be skipped by a factor of ten.",
    ),
    Experiment(
        "two_stage",
        "Pool, then search (Pino Angulo 2019, Tables 4.6 to 5.4)",
        "The thesis gives neither folds nor seeds nor most parameters, and its data sets are not known by their short "
        "names; its accuracies are those of the search itself, ours are nested.",
        quick=("--seeds", "1", "--minutes", "10"),
    ),
    Experiment(
        "error_control",
        "Selections with a promise",
        "Not a published table: the promises of `ErrorControlled` and of votes over halves, held to data with known "
        "truth, beside an earlier run of the same simulation.",
        quick=("--sets", "50"),
    ),
)  # fmt: skip


def is_there(experiment: Experiment) -> bool:
    return importlib.util.find_spec(f"benchmarks.reproduction.{experiment.name}") is not None


def result_file(experiment: Experiment, quick: bool) -> Path:
    return RESULTS / f"{experiment.name}{'-quick' if quick else ''}.txt"


def run(experiment: Experiment, quick: bool) -> None:
    path = result_file(experiment, quick)
    if path.exists():
        return
    RESULTS.mkdir(parents=True, exist_ok=True)
    arguments = experiment.quick if quick else experiment.full
    print(f"{experiment.name} {' '.join(arguments)} ...", flush=True)
    start = time.monotonic()
    module = f"benchmarks.reproduction.{experiment.name}"
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, cwd=ROOT
    )
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        print(f"{experiment.name} failed: {' '.join(last)}", flush=True)
        return
    print(f"{experiment.name}: {time.monotonic() - start:.0f} s", flush=True)
    partial = path.with_suffix(".part")
    partial.write_text(clean(done.stdout), encoding="utf-8")
    partial.replace(path)


def clean(text: str) -> str:
    """Without what progress bars wrote over."""
    lines = [line.rpartition("\r")[2].rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip() + "\n"


def write_page(quick: bool) -> None:
    lines = [
        "# Published results beside ours",
        "",
        "`make reproduce` runs the experiments of the papers that the data at hand allow and writes this page;",
        "`make reproduce-NAME` runs one of them. The data are public but not part of the package: `THRESHER_DATA`",
        "names their folder.",
        "",
    ]
    for experiment in filter(is_there, EXPERIMENTS):
        full, short = result_file(experiment, False), result_file(experiment, True)
        path = short if quick or not full.exists() else full
        lines += [f"## {experiment.title}", "", experiment.why, ""]
        arguments = experiment.quick if path is short else experiment.full
        command = f"make reproduce-{experiment.name}"
        if arguments:
            command += f' ARGS="{" ".join(arguments)}"'
        if path.exists():
            lines += [f"`{command}`:", "", "```text", path.read_text("utf-8").rstrip(), "```", ""]
        else:
            lines += [f"Not run yet: `{command}`.", ""]
    PAGE.write_text("\n".join(lines), encoding="utf-8")
    print(f"{PAGE.relative_to(ROOT)} is written")


def main() -> None:
    names = [experiment.name for experiment in EXPERIMENTS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="the short form of each")
    parser.add_argument(
        "--only", nargs="+", choices=names, metavar="NAME", help="these experiments"
    )
    parser.add_argument("--report", action="store_true", help="run nothing, write the page")
    options = parser.parse_args()
    for experiment in filter(is_there, EXPERIMENTS):
        if not options.report and experiment.name in (options.only or names):
            run(experiment, options.quick)
    write_page(options.quick)


if __name__ == "__main__":
    main()
