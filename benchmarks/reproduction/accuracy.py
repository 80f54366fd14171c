"""Accuracy after selection by plain MRMR, Inner Ensemble and Fast Ensemble, compared with the published
wins.

``make reproduce-accuracy`` runs the whole protocol (ten times ten-fold, k = 1..50; an hour of one
processor); ARGS="--quick" one ten-fold run, nine values of k and small forests, in minutes. The right
predictions of every run of a learner on a data set are kept in docs/_static/accuracy.csv, and what is
there is not computed again; ARGS="--report" prints the table of what is there. Features are selected
on the training folds only. Support vector machine and logistic regression are run, as in the paper,
on continuous data with two classes.
"""

from __future__ import annotations

import argparse
import csv
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.folders import ROOT
from benchmarks.reproduction.learners import CategoricalBayes, Forest, Neighbours
from benchmarks.reproduction.published_ensembles import PUBLISHED, TOTALS, Published
from thresher import MRMR, Ensemble
from thresher.evaluate.stability import select_sizes

SCALED = ("5NN", "SVM", "LR")
METHODS = ("fast", "inner", "plain")
DATA_FILE = ROOT / "docs" / "_static" / "accuracy.csv"
QUICK_SIZES = (1, 2, 3, 5, 10, 15, 20, 35, 50)


def selectors(data: Published) -> dict[str, MRMR | Ensemble]:
    measures = ("mi", "mi") if data.nominal else ("f", "pearson")
    plain = MRMR(
        relevance=measures[0],
        redundancy=measures[1],
        objective="quotient",
        discretize=None if data.nominal else "auto",
    )
    return {
        "fast": Ensemble(plain, n_parts=20),
        "inner": Ensemble(plain, n_parts=20, kind="inner"),
        "plain": plain,
    }


def learners(data: Published, n_classes: int, n_trees: int) -> dict[str, object]:
    found = {
        "5NN": Neighbours(),
        "NB": CategoricalBayes(3) if data.nominal else GaussianNB(),
        "RF": Forest(n_trees),
    }
    if not data.nominal and n_classes == 2:
        found["SVM"] = LinearSVC(random_state=0)
        found["LR"] = LogisticRegression(max_iter=1000)
    return found


def one_fold(data, X, y, train, test, sizes, models):
    """Return correct predictions by (learner, method, k) on the test fold."""
    warnings.simplefilter("ignore")
    y_train, y_test = y[train], y[test]
    plain = X[train], X[test]
    scaler = StandardScaler().fit(plain[0])  # by column, so once for all sets of features
    scaled = scaler.transform(plain[0]), scaler.transform(plain[1])
    chosen = {
        name: select_sizes(selector, plain[0], y_train, sizes)
        for name, selector in selectors(data).items()
    }
    right = {}
    for learner, model in models.items():
        X_train, X_test = scaled if learner in SCALED else plain
        known: dict[tuple[int, ...], int] = {}
        for method in METHODS:
            for k, selected in zip(sizes, chosen[method], strict=True):
                columns = tuple(sorted(selected))  # the same set is learnt once
                if columns not in known:
                    model.fit(X_train[:, columns], y_train)
                    known[columns] = int(np.sum(model.predict(X_test[:, columns]) == y_test))
                right[learner, method, k] = known[columns]
    return right


def run_repeat(
    store: Store, data: Published, names: list[str], repeat: int, options: argparse.Namespace
) -> None:
    """Run ten folds of these learners."""
    missing = [name for name in names if (data.file, name, repeat, "plain") not in store.runs]
    if not missing:
        return
    X, y = load(data)
    sizes = [k for k in store.sizes if k <= X.shape[1]]
    models = learners(data, len(np.unique(y)), 20 if options.quick else 100)
    models = {name: models[name] for name in missing if name in models}
    if not models:
        return
    # Classes with fewer members than there are folds cannot be spread over all of them.
    splitter = StratifiedKFold if np.unique(y, return_counts=True)[1].max() >= 10 else KFold
    folds = list(splitter(10, shuffle=True, random_state=repeat).split(X, y))
    outcomes = Parallel(n_jobs=options.jobs)(
        delayed(one_fold)(data, X, y, train, test, sizes, models) for train, test in folds
    )
    for learner in models:
        for method in METHODS:
            right = {k: sum(outcome[learner, method, k] for outcome in outcomes) for k in sizes}
            store.runs[data.file, learner, repeat, method] = Run(len(y), right)
    store.save()


def load(data: Published):
    X, y = data.load()
    return ((X.astype(np.int64) + 2) // 2 if data.nominal else X), y


@dataclass(frozen=True)
class Run:
    """Rows tested in ten folds, and how many of them were right by number of features."""

    tested: int
    right: dict[int, int]


class Store:
    """All runs by (data set, learner, repetition, method), in one file."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.sizes = QUICK_SIZES if options.quick else tuple(range(1, 51))
        results = ROOT / "benchmarks" / "results" / "accuracy-quick.csv"
        self.path = results if options.quick else DATA_FILE
        self.runs: dict[tuple[str, str, int, str], Run] = {}
        if not self.path.exists():
            return
        with open(self.path, newline="") as file:
            for row in csv.DictReader(file):
                key = (row["data"], row["learner"], int(row["repetition"]), row["method"])
                right = {k: int(row[str(k)]) for k in self.sizes if row[str(k)]}
                self.runs[key] = Run(int(row["tested"]), right)

    def save(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".part")
        with open(partial, "w", newline="") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(("data", "learner", "repetition", "method", "tested", *self.sizes))
            for key, run in sorted(self.runs.items()):
                lines.writerow((*key, run.tested, *(run.right.get(k, "") for k in self.sizes)))
        partial.replace(self.path)

    def accuracies(
        self, data: Published
    ) -> tuple[dict[tuple[str, str, int], float], dict[str, int]]:
        """Return the known accuracies by (learner, method, k), and the repetitions of each learner."""
        found: dict[tuple[str, str, int], float] = {}
        repeats: dict[str, int] = {}
        for learner in data.best:
            for method in METHODS:
                runs = [
                    run
                    for (file, name, _, by), run in self.runs.items()
                    if (file, name, by) == (data.file, learner, method)
                ]
                repeats[learner] = len(runs)
                tested = sum(run.tested for run in runs)
                for k in runs[0].right if runs else ():
                    found[learner, method, k] = sum(run.right[k] for run in runs) / tested
        return found, repeats


def wins(found, first, second):
    """Return wins, ties, losses of one method against another over learners and k."""
    counts = [0, 0, 0]
    for (learner, method, k), accuracy in found.items():
        if method == first:
            other = found[learner, second, k]
            counts[0 if accuracy > other else 1 if accuracy == other else 2] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="minutes instead of hours")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="data sets with these files")
    parser.add_argument("--report", action="store_true", help="compute nothing")
    parser.add_argument("--jobs", type=int, default=-1, help="processes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    chosen = [data for data in PUBLISHED if not options.only or data.file in options.only]
    store = Store(options)
    if not options.report:
        # Forests take nearly all of the time, those of the digits half of it: they come last.
        few = [data for data in chosen if data.file != "optdigits"]
        digits = [data for data in chosen if data.file == "optdigits"]
        for names, some in ((["5NN", "NB", "SVM", "LR"], chosen), (["RF"], few), (["RF"], digits)):
            for repeat in range(1 if options.quick else 10):
                for data in some:
                    wanted = [name for name in names if name in data.best]
                    run_repeat(store, data, wanted, repeat, options)
                print(f"{', '.join(names)}: repetition {repeat + 1} done", flush=True)
    report(chosen, store)


def report(chosen: list[Published], store: Store) -> None:
    """Print the table of what has been computed until now."""
    totals = {pair: np.zeros(3, dtype=int) for pair in TOTALS}
    print("How often each method alone was the best, Fast/Inner/Plain, and mean accuracy over k")
    print("            published      ours  difference    Fast  Inner  Plain  ten-fold runs")
    for data in chosen:
        found, repeats = store.accuracies(data)
        print(data.title)
        for learner, published in data.best.items():
            if not repeats[learner]:
                print(f"  {learner:8s}{slashed(published):>11s}   not run")
                continue
            best = times_best(found, learner)
            mean = [
                np.mean([v for key, v in found.items() if key[:2] == (learner, m)]) for m in METHODS
            ]
            print(
                f"  {learner:8s}{slashed(published):>11s}{slashed(best):>10s}"
                f"{slashed(np.subtract(best, published), '+d'):>12s}"
                f"   {'  '.join(f'{value:.3f}' for value in mean)}  {repeats[learner]:13d}"
            )
        for pair in totals:
            totals[pair] += wins(found, *pair)
    print(
        "\nWins / ties / losses over all data, learners and k, and the share won of those not tied"
    )
    print("                        published          ours    published    ours  difference")
    for (first, second), published in TOTALS.items():
        ours = totals[first, second]
        theirs_won, ours_won = (counts[0] / (counts[0] + counts[2]) for counts in (published, ours))
        print(
            f"  {first:5s} against {second:5s}  {slashed(published):>11s}  {slashed(ours):>12s}"
            f"       {theirs_won:6.3f}  {ours_won:6.3f}  {ours_won - theirs_won:+10.3f}"
        )


def times_best(found: dict[tuple[str, str, int], float], learner: str) -> list[int]:
    """Count the k at which each method alone has the highest accuracy."""
    best = [0] * len(METHODS)
    for k in {key[2] for key in found if key[0] == learner}:
        three = [found[learner, method, k] for method in METHODS]
        leaders = [i for i, value in enumerate(three) if value == max(three)]
        if len(leaders) == 1:
            best[leaders[0]] += 1
    return best


def slashed(counts: Sequence[int], form: str = "d") -> str:
    return "/".join(f"{count:{form}}" for count in counts)


if __name__ == "__main__":
    main()
