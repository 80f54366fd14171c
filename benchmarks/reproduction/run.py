"""Run all published experiments whose data are available, and write them to one page of the documentation.

``make reproduce`` runs the remaining experiments and writes docs/reproduction.md; a stopped run resumes when it is
started again. ARGS="--quick" runs the short form of each; ARGS="--only probes pairwise" some; ARGS="--report" only
writes the page. Results are stored in benchmarks/results/reproduction: remove a file to run its experiment again.
The page keeps the results of experiments that were not run on this machine.
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
    """A module of this folder, with the arguments of its full and its short form.

    Results on a separate `page` are not repeated.
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
        "On the discretized microarrays all 75 counts of pairs are the published ones. On numeric features the order "
        "of nearly equal features differs, and so do the counts: mostly by a few per cent, on MUSK by up to a fifth. "
        "The paper does not name its relevance there. The cost of a full ensemble (STANDARD) is a formula, and all "
        "129 values agree. Estimates from stability (EST) agree within an eighth on the microarrays. On numeric "
        "features plain MRMR is much more stable here than the estimates imply, which also suggests another "
        "relevance. Stability is higher with votes on all nine data sets, as published. At level 0.05 every test has "
        "the published result. The published p-values are smaller by up to five powers of ten, and the paper does not "
        "name its test.",
        quick=("--quick",),
    ),
    Experiment(
        "accuracy",
        "Fast ensembles: accuracy (Schowe and Morik 2010, Table 2)",
        "The paper's folds are unknown, its learners are those of RapidMiner, and most differences are a few correct "
        "predictions. So the best method at a given k is largely chance: compare the totals. Votes win against plain "
        "selection as often as published. Inner ensembles win more often than votes here, especially on NCI60 and "
        "lymphoma. So the published advantage of votes over them is not confirmed. The last column counts the "
        "finished ones of the paper's ten repetitions; the command adds those that are missing. The predictions "
        "behind the table: {download}`accuracy.csv <_static/accuracy.csv>`.",
        quick=("--quick",),
    ),
    Experiment(
        "rrfs",
        "Filters without labels (Ferreira and Figueiredo 2012, Tables 1 and 2)",
        "The paper does not give its folds or the scaling of values. On data sets of fewer than a hundred samples, "
        "errors vary by several points from split to split. Four data sets are the same here and in the paper (AR10P, "
        "PIE10P, ORL10P, TOX-171). They agree within that range, except for AM/GM and for all features on TOX-171. "
        "The ratio R_FS of Table 1 agrees except for Hepatitis and Lymphoma. Errors much smaller than published "
        "(DLBCL, Brain-Tumor2, Hepatitis) suggest another scaling. Laplacian score and SPEC are not defined for "
        "negative values (nan).",
        quick=("--seeds", "1"),
    ),
    Experiment(
        "rrfs_supervised",
        "Filters with labels, and their time (Ferreira and Figueiredo 2012, Tables 3 and 4)",
        "The same facts are unknown as above. In addition, the paper's mRMR fails on data with many classes (56 % on "
        "AR10P, 68 % on ORL10P), where all features give 1 %. With as many features as the other methods it does not "
        "fail, so the paper probably used fewer. The paper does not define its Fisher ratio for several classes. "
        "Published seconds are of another machine. Those of thresher are CPU seconds of one thread. BLogReg is "
        "omitted. With thousands of features to select (Prostate-Tumor), MRMR takes as long as in the paper, since it "
        "must evaluate every pair of them.",
    ),
    Experiment(
        "consistency",
        "Consistency-based selection (Pino Angulo 2019, Tables 3.2, 3.3 and 3.5)",
        "Counts of risks agree with independent counts. The thesis does not define its bins of continuous features. "
        "Its tree is C4.5 and its naive Bayes Weka's. AUC mostly differs by 0.02. ASDCC keeps fewer features here. "
        "Its printed listing has errors that had to be corrected, and the form that the thesis ran is unknown. On "
        "MADELON, trees need all of the few interacting features, and are worse without one of them. ReliefF (RF) "
        "uses the numbers of features that the thesis prints. It does better with them here, most of all with a "
        "single one. The formula of the thesis has wrong signs, which would rank backwards. SALCC is a random search. "
        "Seconds are of another machine. The data of Table 3.4 (texts) are not available.",
        quick=("--quick",),
    ),
    Experiment(
        "probes",
        "False selections among probes (Tsanas, Little and McSharry 2010)",
        "The paper prints curves and two tables. The earlier numbers come from a plain implementation of its "
        "procedure. They are means of 20 repetitions (10 for the ranking by relevance), and agree within sampling "
        "error. RRCT has the lowest mean of the paper's methods over the twelve real data sets, as published. Its "
        "lead of 0.02 over the next one is a fraction of the spread over data sets. The plain ranking by relevance, "
        "which the paper omits, is lower than all. In Figure 6, RRCT with Box-Cox finds all six features of Acute "
        "Inflammations, and four here. The paper does not define its transformation of columns of zeros and ones. "
        "Between data sets of one generator (Artificial 1, Friedman, networks), counts differ by two or three "
        "features. The file of the paper's network is not public. On Hepatitis, the paper's sets result if "
        "correlations use all patients with both values, by a program that is not part of this package. Here patients "
        "with missing values, half of them, are excluded, and a third of each set differs.",
    ),
    Experiment(
        "pairwise",
        "Pairs evaluated by MRMR and CFS (Pino Angulo 2019, Tables 4.2 and 4.4)",
        "Without shortcuts, all counts agree on discrete data. Three details differ: ARC has 200 samples here and 100 "
        "in the thesis, constant columns are not candidates here, and batches of pairs cost 20 more on lung_small. "
        "The thesis does not define its bins of continuous data. Coarse or fine bins change the pairs that can be "
        "skipped by a factor of ten, and MDL bins leave CFS only a tenth of the features. Seconds are of another "
        "machine. The other data of these tables, and all of Table 4.5, are not available.",
    ),
    Experiment(
        "cmi",
        "Conditional information in one pass (Lee and Kim 2012, Table 2)",
        "The selected and evaluated features, and the samples they distinguish, agree with independent runs of the "
        "corrected listing. The paper finds its filter a hundred times faster than MRMR. Its MRMR was slow: a second "
        "and more per feature on 500 columns. Here MRMR takes milliseconds and both cost the same, mostly for reading "
        "and binning the data. The filter stops after 4 to 18 features, when they distinguish all samples. Secom is "
        "not available.",
    ),
    Experiment(
        "two_stage",
        "Pool, then search (Pino Angulo 2019, Tables 4.6 to 5.4)",
        "The thesis gives neither folds nor seeds nor most parameters. Its short names do not identify its data sets, "
        "so means over data sets are compared. Its accuracies are those of the search itself, which are "
        "optimistically biased. Those of thresher are nested, and show no gain in accuracy. The filter takes a few "
        "per cent of the time here, because it is fast.",
        quick=("--seeds", "1", "--minutes", "10"),
    ),
    Experiment(
        "error_control",
        "Selections with an error bound",
        "This is not a published table. It checks the guarantees of `ErrorControlled` and of votes over halves on "
        "1,000 null sets and 1,000 with signal of each kind. Earlier numbers come from the same simulation on other "
        "sets.",
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
    """Return the text without overwritten progress bars."""
    lines = [line.rpartition("\r")[2].rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip() + "\n"


def on_page() -> dict[str, str]:
    """Return the command and its output under each title of the present page."""
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
        "# Reproduce published results",
        "",
        "`make reproduce` runs the experiments of the papers whose data are available, and writes this page.",
        "`make reproduce-NAME` runs one of them. The data are public but not part of the package: `THRESHER_DATA`",
        "names their folder. *Ours* in the tables are the results of thresher.",
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
