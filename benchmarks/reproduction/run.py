"""All published experiments that the data at hand allow, one after the other, on one page of the documentation.

``make reproduce`` runs what has not been run yet and writes docs/reproduction.md; a run that is stopped goes on when
started again. ARGS="--quick" takes the short form of each; ARGS="--only probes pairwise" some; ARGS="--report" only
writes the page anew. Results are kept in benchmarks/results/reproduction: remove a file to run its experiment again.
Of what has not been run on this machine the page keeps what it has.
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
from benchmarks.reproduction.kept import RESULTS

PAGE = ROOT / "docs" / "reproduction.md"


@dataclass(frozen=True)
class Experiment:
    """A module of this folder, with the arguments of its full and of its short form.

    Results that stand on a `page` of their own are not repeated.
    """

    name: str
    title: str
    why: str
    full: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    page: str = ""


EXPERIMENTS = (
    Experiment(
        "ensembles",
        "Fast ensembles: pairs computed, stability (Schowe and Morik 2010, Tables 1 and 3 to 5)",
        "On the discretised microarrays all 75 counts of pairs are the published ones. On numbers the order of "
        "nearly equal features differs, and with it the counts: by a few per cent mostly, by up to a fifth on MUSK; "
        "which relevance the paper used there is not known. What a full ensemble would compute (STANDARD) is a "
        "formula, and all 129 values agree. Estimates from stability (EST) agree within an eighth on the "
        "microarrays; on numbers plain MRMR is much more stable here than their estimates imply, another sign of "
        "another relevance. Stability is higher with votes on all nine data sets, as published, and at 0.05 every "
        "test ends as theirs does; their p-values are smaller by up to five powers of ten, and their test is not "
        "named.",
        quick=("--quick",),
    ),
    Experiment(
        "accuracy",
        "Fast ensembles: accuracy (Schowe and Morik 2010, Table 2)",
        "The paper's folds are not known, its learners are those of RapidMiner, and most differences are a few right "
        "answers, so who is best at a given k is largely chance, and a method that is best more often here than "
        "there means little: compare the totals. Votes win against plain selection as often as published. Inner "
        "ensembles win more often than votes here, above all on NCI60 and lymphoma, so that votes beat them is not "
        "confirmed. The last column tells how many of the paper's ten repetitions are there; the command goes on "
        "with those that are missing. The right answers behind the table: {download}`accuracy.csv "
        "<_static/accuracy.csv>`.",
        quick=("--quick",),
    ),
    Experiment(
        "rrfs",
        "Filters without labels (Ferreira and Figueiredo 2012, Tables 1 and 2)",
        "The paper does not give its folds or how values were scaled; errors on data sets of fewer than a hundred "
        "samples move by several points from split to split. The four data sets that are here as they were there "
        "(AR10P, PIE10P, ORL10P, TOX-171) agree within that, but for AM/GM and for all features on TOX-171. The "
        "ratio R_FS of Table 1 agrees but for Hepatitis and Lymphoma. Errors far below those published (DLBCL, "
        "Brain-Tumor2, Hepatitis) speak for another scaling there. Laplacian score and SPEC are not defined for "
        "negative values (nan).",
        quick=("--seeds", "1"),
    ),
    Experiment(
        "rrfs_supervised",
        "Filters with labels, and their time (Ferreira and Figueiredo 2012, Tables 3 and 4)",
        "The same unknowns. Besides: the paper's mRMR fails on data with many classes (56 % on AR10P, 68 % on "
        "ORL10P) where all features give 1 %. With as many features as the other methods get it cannot, so it must "
        "have been given few. The paper does not define its Fisher ratio for several classes. Seconds are of another "
        "machine; ours are processor seconds of one thread, the paper's BLogReg is left out. MRMR takes as long here "
        "as there where it is asked for thousands of features (Prostate-Tumor): every pair of them has to be looked "
        "at.",
    ),
    Experiment(
        "consistency",
        "Consistency-based selection (Pino Angulo 2019, Tables 3.2, 3.3 and 3.5)",
        "Numbers of risks agree with independent counts. How the thesis binned continuous features is not said, its "
        "tree is C4.5 and its naive Bayes Weka's: AUC differs by 0.02 mostly. ASDCC keeps fewer features here; its "
        "printed listing has errors that had to be mended, and which form the thesis ran is not known. On MADELON "
        "trees need all of the few features that interact, and lose where one is dropped. ReliefF (RF) is given the "
        "numbers of features that the thesis prints, and does better with them here, most of all where it has a "
        "single one: the formula of the thesis has its signs wrong, and if that is what was run, it ranked "
        "backwards. SALCC is a random search. Seconds are of another machine. The data of Table 3.4 (texts) are not "
        "at hand.",
        quick=("--quick",),
    ),
    Experiment(
        "probes",
        "False selections among probes (Tsanas, Little and McSharry 2010)",
        "The paper prints curves and two tables; the earlier numbers beside ours are of a plain implementation of "
        "its procedure, means of 20 repetitions (10 for the ranking by relevance): they agree within sampling error. "
        "That RRCT has the lowest mean over the twelve real data sets is confirmed among the paper's methods, with a "
        "lead of 0.02 over the next of them that is a fraction of the spread over data sets; the plain ranking by "
        "relevance, which the paper leaves out, is lower than all. In Figure 6 all six features of Acute "
        "Inflammations are found by RRCT with Box-Cox, here four: how the paper transformed columns of zeros and "
        "ones is not said. Between data sets of one generator (Artificial 1, Friedman, networks) counts differ by "
        "two or three features. The file of the paper's network is not public. Hepatitis: the paper's sets come out "
        "if correlations are taken over all patients with both values, by a program that is not part of this "
        "package; here patients with missing values are left out, half of them, and a third of each set is another.",
    ),
    Experiment(
        "pairwise",
        "Pairs evaluated by MRMR and CFS (Pino Angulo 2019, Tables 4.2 and 4.4)",
        "Without shortcuts, and on data that are discrete as they come, all counts agree (ARC has 200 samples here "
        "and 100 there, and constant columns, which are no candidates here; batches of pairs cost 20 more on "
        "lung_small). How the thesis binned its continuous data is not said: coarse or fine bins change what can be "
        "skipped by a factor of ten, and MDL bins leave CFS a tenth of the features to begin with. Seconds are of "
        "another machine. The other data of these tables, and all of Table 4.5, are not at hand.",
    ),
    Experiment(
        "cmi",
        "Conditional information in one pass (Lee and Kim 2012, Table 2)",
        "What is chosen, looked at and told apart is what independent runs of the corrected listing give. The paper "
        "finds its filter a hundred times faster than MRMR; its MRMR, a second and more per feature on 500 columns, "
        "was slow. Here MRMR takes milliseconds and the two cost the same: reading and binning the data is most of "
        "it. The filter stops by itself after 4 to 18 features, when the chosen ones tell all samples apart. Secom "
        "is not at hand.",
    ),
    Experiment(
        "two_stage",
        "Pool, then search (Pino Angulo 2019, Tables 4.6 to 5.4)",
        "The thesis gives neither folds nor seeds nor most parameters, and its data sets are not known by their "
        "short names, so that means over data sets are compared. Its accuracies are those of the search itself, "
        "which are too good; ours are nested, and with them the gain in accuracy is gone. The filter takes a few per "
        "cent of the time here, because it is fast.",
        quick=("--seeds", "1", "--minutes", "10"),
    ),
    Experiment(
        "error_control",
        "Selections with a promise",
        "Not a published table: the promises of `ErrorControlled` and of votes over halves, held to 1,000 null sets "
        "and 1,000 with signal of each kind, beside an earlier run of the same simulation on other sets.",
        quick=("--sets", "50"),
        page="error_control.md#the-simulation",
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


def on_page() -> dict[str, str]:
    """The command and its output under each title of the page as it is."""
    if not PAGE.exists():
        return {}
    _, *sections = ("\n" + PAGE.read_text("utf-8")).split("\n## ")
    found = {}
    for section in sections:
        title, _, rest = section.partition("\n")
        start = rest.find("`make reproduce-")
        if start >= 0 and "```text" in rest:
            found[title] = rest[start:].rstrip()
    return found


def write_page(quick: bool) -> None:
    before = on_page()
    lines = [
        "# Published results beside ours",
        "",
        "`make reproduce` runs the experiments of the papers that the data at hand allow and writes this page;",
        "`make reproduce-NAME` runs one of them. The data are public but not part of the package: `THRESHER_DATA`",
        "names their folder.",
        "",
    ]
    for experiment in filter(is_there, EXPERIMENTS):
        lines += [f"## {experiment.title}", "", experiment.why, ""]
        if experiment.page:
            lines += [f"[The tables](<{experiment.page}>).", ""]
            continue
        full, short = result_file(experiment, False), result_file(experiment, True)
        path = short if quick or not full.exists() else full
        arguments = experiment.quick if path is short else experiment.full
        command = f"make reproduce-{experiment.name}"
        if arguments:
            command += f' ARGS="{" ".join(arguments)}"'
        if path.exists():
            lines += [f"`{command}`:", "", "```text", path.read_text("utf-8").rstrip(), "```", ""]
        else:
            lines += [before.get(experiment.title, f"Not run yet: `{command}`."), ""]
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
        wanted = experiment.name in options.only if options.only else not experiment.page
        if wanted and not options.report:
            run(experiment, options.quick)
    write_page(options.quick)


if __name__ == "__main__":
    main()
