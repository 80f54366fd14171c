"""Compare twelve selectors on fifteen real data sets, with three learners.

``make compare``: features are selected on the training rows of five folds, for 5, 10, 20 and 50 features. Every
finished cell is kept in benchmarks/results/comparison, so a stopped run resumes when it is started again.
ARGS="--only sonar wdbc" for a few data sets, ARGS="--picture x.svg" to draw it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectFromModel
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.folders import DATA_FOLDER, ROOT
from thresher import CFS, CMIM, CWC, FCBF, JMI, MIM, MRMR, Ensemble, ReliefF, Univariate
from thresher.evaluate import Comparison, compare

DATA = (
    "sonar",
    "ionosphere",
    "musk",
    "wdbc",
    "parkinsons",
    "madelon",
    "pd_speech",
    "colon_raw",
    "leukemia_raw",
    "srbct",
    "tox_171",
    "gravier",
    "christensen",
    "sorlie",
    "tissue",
)
SELECTORS: dict[str, Any] = {
    "F ranking": Univariate(),
    "MI ranking": MIM(),
    "MRMR": MRMR(),
    "MRMR, information": MRMR(relevance="mi", redundancy="mi"),
    "Ensemble of MRMR": Ensemble(MRMR(), 20),
    "JMI": JMI(),
    "CMIM": CMIM(),
    "CFS": CFS(),
    "CWC": CWC(),
    "ReliefF": ReliefF(),
    "FCBF": FCBF(),
    "random forest": SelectFromModel(RandomForestClassifier(50)),
}
LEARNERS: dict[str, Any] = {
    "naive Bayes": GaussianNB(),
    "5 neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
    "logistic": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
}
SIZES = (5, 10, 20, 50)


def load(name: str) -> tuple[Any, Any]:
    path = DATA_FOLDER / f"{name}.npz"
    if not path.exists():
        raise SystemExit(f"{path} is missing; THRESHER_DATA names the folder of the data sets")
    with np.load(path, allow_pickle=False) as file:
        return np.asarray(file["X"], dtype=np.float64), file["y"]


def run(names: list[str], n_jobs: int) -> Comparison:
    store = ROOT / "benchmarks" / "results" / "comparison"
    if len(names) < len(DATA):
        store = store.with_name("comparison-" + "-".join(names))
    data = {name: load(name) for name in names}
    return compare(SELECTORS, data, LEARNERS, k=SIZES, random_state=0, store=store, n_jobs=n_jobs)


def report(comparison: Comparison) -> None:
    means = comparison.table().groupby("selector")[["stability", "seconds"]].mean()
    ranks = comparison.ranks()
    scores = comparison.scores().set_index("data")
    first = ranks["selector"][0]
    heads = ("selector", "mean rank", "mean accuracy", f"difference of {first}, 95 % interval")
    heads += (f"{first} wins / ties / losses", "stability", "seconds per fit")
    print("\n| " + " | ".join(heads) + " |")
    print("|---|" + "--:|" * (len(heads) - 1))
    for selector, rank, score in ranks.itertuples(index=False):
        stability, seconds = means.loc[selector]
        gap = scores[first] - scores[selector]
        half = stats.t.ppf(0.975, len(gap) - 1) * gap.std() / np.sqrt(len(gap))
        shown = f"{gap.mean():+.3f} ± {half:.3f}" if selector != first else ""
        counts = " / ".join(str(sum(np.sign(gap) == sign)) for sign in (1, 0, -1))
        cells = (selector, f"{rank:.2f}", f"{score:.3f}", shown, counts if shown else "")
        print("| " + " | ".join((*cells, f"{stability:.2f}", f"{seconds:.2g}")) + " |")
    test = comparison.friedman()
    print(f"\nFriedman: chi-squared {test.statistic:.1f}, p = {test.pvalue:.2g}; ", end="")
    print(f"F {test.f_statistic:.2f}, p = {test.f_pvalue:.2g}")
    print("Groups without a significant difference (Wilcoxon, Holm):")
    for clique in comparison.wilcoxon().cliques:
        print("  " + ", ".join(clique))
    nemenyi = comparison.nemenyi()
    print(f"Critical difference of mean ranks (Nemenyi): {nemenyi.critical_difference:.2f}")
    for clique in nemenyi.cliques:
        print("  " + ", ".join(clique))
    dunn = comparison.bonferroni_dunn(first)
    worse = dunn.mean_ranks > dunn.mean_ranks[dunn.methods.index(first)] + dunn.critical_difference
    print(f"Worse than {first} (Bonferroni and Dunn, {dunn.critical_difference:.2f}): ", end="")
    print(", ".join(np.array(dunn.methods)[worse]))
    print("Mean ranks by number of features and by learner:")
    columns = [("all", {})]
    columns += [(f"k={k}", {"k": k}) for k in SIZES]
    columns += [(name, {"estimator": name}) for name in LEARNERS]
    tables = {name: comparison.ranks(**only).set_index("selector") for name, only in columns}
    print("| selector | " + " | ".join(tables) + " |")
    print("|---|" + "--:|" * len(tables))
    for selector in ranks["selector"]:
        values = [f"{table.loc[selector, 'mean_rank']:.1f}" for table in tables.values()]
        print(f"| {selector} | " + " | ".join(values) + " |")


def draw(comparison: Comparison, path: Path) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "comparison"
    from thresher.plots import plot_critical_difference, plot_rank_heatmap, plot_scores

    pictures = {
        "": plot_critical_difference(comparison.nemenyi()),
        "_ranks": plot_rank_heatmap(comparison),
        "_scores": plot_scores(comparison),
    }
    for name, ax in pictures.items():
        file = path.with_stem(path.stem + name)
        ax.figure.savefig(file, metadata={"Date": None} if path.suffix == ".svg" else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=DATA, help="these data sets")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--picture", type=Path, help="where to draw it, such as x.svg")
    options = parser.parse_args()
    comparison = run(options.only or list(DATA), options.jobs)
    report(comparison)
    if options.picture:
        draw(comparison, options.picture)


if __name__ == "__main__":
    main()
