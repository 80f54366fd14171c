"""Compare consistency-based selection with the numbers of A. Pino Angulo's thesis.

``make reproduce-consistency`` prints

1. how many risks each algorithm evaluates, which must agree with independently counted numbers;
2. times on the data sets of Table 3.2 that are available, compared with the published ones (another machine);
3. the protocol of Table 3.3: ten folds, naive Bayes and a decision tree, AUC and set sizes; ReliefF (RF) is given the
   sizes of the thesis, which does not say how they came about;
4. SALCC: sets scored, all sets, and sizes, compared with Table 3.5.

ARGS="--quick" takes small data sets and three folds. The thesis does not say how continuous
features were binned. MDL bins, learnt in each training part, are used here because the sizes of
LCC's sets in table 3.5 are mostly closer with them than with the selectors' own default, five
equally frequent bins: a guess that already uses the results, not a confirmation. Other differences:
its tree is C4.5 (here: scikit-learn's, entropy, 2 samples per leaf)
and naive Bayes is Weka's (here: on five equally frequent bins).
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import CategoricalNB
from sklearn.tree import DecisionTreeClassifier

from benchmarks.reproduction.published_consistency import (
    COUNTS,
    TABLE_3_2,
    TABLE_3_3,
    TABLE_3_5,
    Data,
    NotHere,
    load,
    published,
)
from thresher import ASDCC, CFS, FCBF, LCC, SALCC, SDCC, SWCFS, ReliefF
from thresher.discretize import EqualFrequencyBins

OPTIONS = {"discretize": "mdl", "missing": "category"}


def evaluation_counts(quick: bool) -> bool:
    """Print the counts and the expected ones; return whether all agree."""
    print("1. Risks evaluated (expected in brackets where different)\n")
    heads = ("SDCC", "FSDCC", "ASDCC", "SWCFS", "LCC", "Super-LCC", "lazy FSDCC")
    print(f"{'data':20s} {'delta':>5s} " + "".join(f"{head:>12s}" for head in heads))
    agree = True
    for row in COUNTS:
        if quick and row.sdcc > 1_000_000:
            continue
        try:
            X, y = row.data()
        except NotHere as missing:
            print(f"{row.title:20s} {missing}")
            continue
        delta = row.delta
        selectors = [
            (SDCC(delta, strategy="steepest"), row.sdcc),
            (SDCC(delta), row.fsdcc),
            (ASDCC(delta), row.asdcc),
            (SWCFS(delta), row.swcfs),
            (LCC(delta, strategy="linear"), row.lcc),
            (LCC(delta), row.super_lcc),
            (SDCC(delta, strategy="lazy"), row.lazy),
        ]
        cells = []
        for selector, expected in selectors:
            ours = selector.fit(X, y).n_evaluations_
            agree &= ours == expected
            cells.append(f"{ours:12,d}" + ("" if ours == expected else f"({expected:,d})"))
        print(f"{row.title:20s} {delta:5.2f} " + "".join(cells))
    print("\nall as expected\n" if agree else "\nNOT all as expected\n")
    return agree


def times(quick: bool) -> None:
    """Print CPU seconds of one fit from the array, compared with Table 3.2."""
    print(
        "2. Seconds, delta = 0.01: published, ours (of the processor), how many times faster; risks evaluated by ours\n"
    )
    table = published("table3.2-runtime", "code")
    names = ("SDCC", "FSDCC", "ASDCC", "LCC")
    print(f"{'data':16s}" + "".join(f"{name:>31s}" for name in names))
    totals = {name: [0.0, 0.0] for name in names}
    for code, name in TABLE_3_2.items():
        if quick and code in ("Pen", "Opt", "Nur", "Mus", "Sem"):
            continue
        try:
            X, y = load(name)
        except NotHere as missing:
            print(f"{code:16s}{missing}")
            continue
        selectors = {
            "SDCC": SDCC(strategy="steepest", **OPTIONS),
            "FSDCC": SDCC(**OPTIONS),
            "ASDCC": ASDCC(**OPTIONS),
            "LCC": LCC(strategy="linear", **OPTIONS),
        }
        cells = []
        for column, selector in selectors.items():
            seconds = min(processor_seconds(selector, X, y) for _ in range(3))
            theirs = float(table.get(code, {}).get(f"{column}_s") or "nan")
            totals[column][0] += seconds
            totals[column][1] += theirs
            times = f"{theirs:9.3f}{seconds:8.3f}{theirs / seconds:6.0f}x"
            cells.append(f"{times}{selector.n_evaluations_:7d}")
        print(f"{name:16s}" + "".join(cells), flush=True)
    report_missing(table, TABLE_3_2)
    if not any(ours for ours, _ in totals.values()):
        return
    ratios = [f"{name} {theirs:.2f} and {ours:.2f}" for name, (ours, theirs) in totals.items()]
    print("\ntotal seconds, published and ours: " + ", ".join(ratios) + "\n")


def processor_seconds(selector: object, X: np.ndarray, y: np.ndarray) -> float:
    start = time.process_time()
    selector.fit(X, y)
    return time.process_time() - start


def binned(train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return codes by bins of the training rows, with missing values as a level, and levels per feature."""
    bins = EqualFrequencyBins(5, keep_discrete=True).fit(train)
    n_levels = bins.n_bins_ + 1
    codes = []
    for part in (train, test):
        part_codes = bins.transform(part).astype(int)
        codes.append(np.where(part_codes == 255, n_levels - 1, part_codes))
    return codes[0], codes[1], n_levels


def auc(y: np.ndarray, probabilities: np.ndarray, classes: np.ndarray) -> float:
    """Return the area under the ROC curve, one against the rest, weighted by class size."""
    areas, sizes = [], []
    for column, label in enumerate(classes):
        is_class = y == label
        if 0 < is_class.sum() < len(y):
            areas.append(roc_auc_score(is_class, probabilities[:, column]))
            sizes.append(is_class.sum())
    return float(np.average(areas, weights=sizes))


def cross_validate(selector: object, data: Data, n_folds: int) -> tuple[float, float, float]:
    """Return the mean AUC of naive Bayes and of a tree on features chosen in each training part, and size."""
    X, y = data
    X = X.astype(float)
    results = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for train, test in StratifiedKFold(n_folds, shuffle=True, random_state=0).split(X, y):
            selector.fit(X[train], y[train])
            columns = selector.get_support(indices=True)
            codes, test_codes, n_levels = binned(X[train][:, columns], X[test][:, columns])
            bayes = CategoricalNB(min_categories=n_levels).fit(codes, y[train])
            tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=0)
            tree.fit(X[train][:, columns], y[train])
            areas = (
                auc(y[test], bayes.predict_proba(test_codes), bayes.classes_),
                auc(y[test], tree.predict_proba(X[test][:, columns]), tree.classes_),
            )
            results.append((*areas, len(columns)))
    nb, c45, size = np.mean(results, axis=0)
    return nb, c45, size


def accuracy(quick: bool) -> None:
    n_folds = 3 if quick else 10
    print(
        f"3. AUC by naive Bayes and by a tree, and set size; {n_folds} folds (published, ours, difference)\n"
    )
    table = published("table3.3-auc", "dataset")
    print(f"{'data':6s}{'':8s}{'naive Bayes':>22s}{'tree':>22s}{'features':>22s}")
    differences: list[tuple[str, np.ndarray]] = []
    for code, name in TABLE_3_3.items():
        if quick and code not in ("ARR", "KRV"):
            continue
        try:
            data = load(name)
        except NotHere as missing:
            print(f"{code:6s}{missing}")
            continue
        theirs_of = table.get(code, {})
        selectors = {
            "RF": ReliefF(int(theirs_of.get("size_RF", 10)), missing="expected"),
            "CFS": CFS(**OPTIONS),
            "FCBF": FCBF(**OPTIONS),
            "SLCC": LCC(0.01, **OPTIONS),
            "ASDCC": ASDCC(0.01, **OPTIONS),
            "SWCFS": SWCFS(0.01, **OPTIONS),
        }
        for column, selector in selectors.items():
            ours = cross_validate(selector, data, n_folds)
            keys = (f"NB_AUC_{column}", f"C45_AUC_{column}", f"size_{column}")
            theirs = [float(theirs_of.get(key, "nan")) for key in keys]
            cells = [both(*cell) for cell in zip(theirs, ours, (3, 3, 1), strict=True)]
            print(f"{code:6s}{column:8s}" + "".join(cells), flush=True)
            differences.append((column, np.subtract(ours, theirs)))
    report_missing(table, TABLE_3_3)
    for column in dict.fromkeys(name for name, _ in differences):
        mean = np.mean([values for name, values in differences if name == column], axis=0)
        cells = [f"{value:+22.{digits}f}" for value, digits in zip(mean, (3, 3, 1), strict=True)]
        print(f"{'mean':6s}{column:8s}" + "".join(cells))
    print()


def report_missing(table: dict[str, dict[str, str]], here: dict[str, str]) -> None:
    away = [code for code in table if code not in here and not code.startswith("AVG")]
    if away:
        print(f"not in the data folder: {', '.join(away)}")


def both(published: float, ours: float, digits: int) -> str:
    """Return published, ours and the difference in 22 characters."""
    return f"{published:8.{digits}f}{ours:7.{digits}f}{ours - published:+7.{digits}f}"


def annealing(quick: bool) -> None:
    print(
        "4. SALCC: sets scored, sets there are, features of LCC and of SALCC (published, ours, difference)\n"
    )
    table = published("table3.5-salcc-evals", "dataset")
    heads = ("scored", "sets", "LCC", "SALCC")
    print(f"{'data':6s}" + "".join(f"{head:>22s}" for head in heads) + f"{'LCC runs':>10s}")
    for code, name in TABLE_3_5.items():
        if quick and code not in ("HEP", "DER"):
            continue
        try:
            X, y = load(name)
        except NotHere as missing:
            print(f"{code:6s}{missing}")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            selector = SALCC(random_state=0, **OPTIONS).fit(X, y)
            n_sets = count_sets(X, y)
            lcc = LCC(0, **OPTIONS).fit(X, y)
        ours = (selector.n_evaluations_, n_sets, len(lcc.selected_), len(selector.selected_))
        keys = ("sets_evaluated_ESets", "sets_total_TSets", "LCC_n_features", "SALCC_n_features")
        theirs = [float(table.get(code, {}).get(key, "nan")) for key in keys]
        cells = [both(a, b, 0) for a, b in zip(theirs, ours, strict=True)]
        print(f"{code:6s}" + "".join(cells) + f"{selector.n_runs_:10d}", flush=True)
    report_missing(table, TABLE_3_5)
    print()


def count_sets(X: np.ndarray, y: np.ndarray) -> int:
    """Count the sets that LCC can select up to delta = 0.4, without scoring them."""
    from sklearn.dummy import DummyClassifier

    path = SALCC(DummyClassifier(), search="path", cv=2, scoring="accuracy", **OPTIONS).fit(X, y)
    return path.n_evaluations_


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small data sets, three folds")
    quick = parser.parse_args().quick
    agree = evaluation_counts(quick)
    times(quick)
    accuracy(quick)
    annealing(quick)
    return 0 if agree else 1


if __name__ == "__main__":
    raise SystemExit(main())
