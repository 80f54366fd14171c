"""Accuracy after selection by plain MRMR, Inner Ensemble and Fast Ensemble, beside the published
wins.

``make reproduce-accuracy`` runs the whole protocol (ten times ten-fold, k = 1..50; hours);
ARGS="--quick" one ten-fold run, nine values of k and small forests, in minutes. Features are
selected on the training folds only. Support vector machine and logistic regression are run, as in
the paper, on continuous data with two classes.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import defaultdict

import numpy as np
from joblib import Parallel, delayed
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import CategoricalNB, GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from benchmarks.reproduction.published_ensembles import PUBLISHED, TOTALS, Published
from thresher import MRMR, Ensemble
from thresher.evaluate.stability import select_sizes

METHODS = ("fast", "inner", "plain")
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
        "5NN": make_pipeline(StandardScaler(), KNeighborsClassifier(5)),
        "NB": CategoricalNB(min_categories=3) if data.nominal else GaussianNB(),
        "RF": RandomForestClassifier(n_trees, random_state=0),
    }
    if not data.nominal and n_classes == 2:
        found["SVM"] = make_pipeline(StandardScaler(), LinearSVC(random_state=0))
        found["LR"] = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    return found


def one_fold(data, X, y, train, test, sizes, n_trees):
    """Right answers by (learner, method, k) on the test fold."""
    warnings.simplefilter("ignore")
    chosen = {
        name: select_sizes(selector, X[train], y[train], sizes)
        for name, selector in selectors(data).items()
    }
    right = {}
    for learner, model in learners(data, len(np.unique(y)), n_trees).items():
        known: dict[tuple[int, ...], int] = {}
        for method in METHODS:
            for k, selected in zip(sizes, chosen[method], strict=True):
                columns = tuple(sorted(selected))  # the same set is learnt once
                if columns not in known:
                    model.fit(X[train][:, columns], y[train])
                    known[columns] = int(np.sum(model.predict(X[test][:, columns]) == y[test]))
                right[learner, method, k] = known[columns]
    return right


def accuracies(data: Published, options: argparse.Namespace) -> dict[tuple[str, str, int], float]:
    X, y = data.load()
    if data.nominal:
        X = (X.astype(np.int64) + 2) // 2
    sizes = [k for k in (QUICK_SIZES if options.quick else range(1, 51)) if k <= X.shape[1]]
    # Classes with fewer members than there are folds cannot be spread over all of them.
    splitter = StratifiedKFold if np.unique(y, return_counts=True)[1].max() >= 10 else KFold
    folds = [
        fold
        for repeat in range(1 if options.quick else 10)
        for fold in splitter(10, shuffle=True, random_state=repeat).split(X, y)
    ]
    outcomes = Parallel(n_jobs=options.jobs)(
        delayed(one_fold)(data, X, y, train, test, sizes, 20 if options.quick else 100)
        for train, test in folds
    )
    total: dict[tuple[str, str, int], int] = defaultdict(int)
    for outcome in outcomes:
        for cell, right in outcome.items():
            total[cell] += right
    tested = sum(len(test) for _, test in folds)
    return {cell: right / tested for cell, right in total.items()}


def wins(found, first, second):
    """Wins, ties, losses of one method against another over learners and k."""
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
    parser.add_argument("--jobs", type=int, default=-1, help="processes")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    totals = {pair: np.zeros(3, dtype=int) for pair in TOTALS}
    print("How often each method alone was the best, Fast/Inner/Plain: published and ours")
    for data in PUBLISHED:
        if options.only and data.file not in options.only:
            continue
        start = time.perf_counter()
        found = accuracies(data, options)
        cells = []
        for learner in dict.fromkeys(key[0] for key in found):
            best = [0, 0, 0]
            for k in {key[2] for key in found}:
                three = [found[learner, method, k] for method in METHODS]
                leaders = [i for i, value in enumerate(three) if value == max(three)]
                if len(leaders) == 1:
                    best[leaders[0]] += 1
            published = "/".join(map(str, data.best[learner]))
            mean = [
                np.mean([v for key, v in found.items() if key[:2] == (learner, m)]) for m in METHODS
            ]
            cells.append(
                f"  {learner:4s} {published:>9s}  {'/'.join(map(str, best)):>9s}"
                f"   mean accuracy {'  '.join(f'{value:.3f}' for value in mean)}"
            )
        print(f"{data.title} ({time.perf_counter() - start:.0f} s)")
        print("\n".join(cells), flush=True)
        for pair in totals:
            totals[pair] += wins(found, *pair)
    print("\nWins / ties / losses over all data, learners and k: published and ours")
    for (first, second), published in TOTALS.items():
        theirs, ours = "/".join(map(str, published)), "/".join(map(str, totals[first, second]))
        print(f"  {first:5s} against {second:5s}  {theirs:>11s}  {ours:>11s}")


if __name__ == "__main__":
    main()
