"""Compare the pairs that MRMR and CFS evaluate, by strategy, with A. Pino Angulo's thesis (Table 4.4), and the time of
CFS (Table 4.2).

``make reproduce-pairwise``. The thesis counts feature-feature values in thousands, for 50 features of MRMR and for CFS
to its own stop. Without shortcuts the count is known: 49 n - 1,225 for MRMR on n features that vary, and
t n - t (t + 1) / 2 for CFS with t selected. MRMR+ and CFS+ depend on how features are binned, which the thesis does not
say; here: the selectors' own bins, three levels at mean and standard deviation for MRMR, MDL for CFS, which leaves
features without a cut out altogether.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

from benchmarks.folders import load_set
from benchmarks.reproduction.published import rows
from thresher import CFS, MRMR

# Name in the thesis, file; MRMR, MRMR+, CFS, CFS+ in thousands of pairs.
THESIS = {
    ("LEU", "allaml"): (348, 9.65, 390, 106),
    ("CNS", "cns"): (348, 10.3, 411, 88.9),
    ("ARC", "arcene"): (488, 3.68, 747, 236),
}
# The same in seconds, on another machine.
THESIS_SECONDS = {
    "LEU": (1.95, 0.66, 2.38, 1.43),
    "CNS": (1.32, 0.26, 1.79, 0.52),
    "ARC": (2.98, 0.28, 14.4, 4.9),
}
# Table 4.2: CFS with accumulated sums, and without (Weka's); its ARC has 39 samples, the one here 200.
FORWARD_SECONDS = {("LEU", "allaml"): (2.213, 195.3), ("CNS", "cns"): (1.686, 243.1)}
# Counted independently on data of three levels: MRMR naive, by scan, best first; CFS: selected, cached, best first.
COUNTED = {
    "lung_small": (14_700, 5_042, 5_042, 63, 18_459, 15_498),
    "colon": (96_775, 19_901, 19_901, 17, 33_847, 3_068),
    "lymphoma": (196_049, 14_044, 14_044, 190, 746_795, 571_696),
    "leukemia": (345_205, 15_675, 15_673, 28, 197_554, 27_345),
    "nci9": (474_663, 8_671, 8_670, None, None, None),
}


def mrmr(strategy: str, discretize: Any) -> MRMR:
    return MRMR(
        50,
        relevance="mi",
        redundancy="mi",
        objective="difference",
        strategy=strategy,
        discretize=discretize,
    )


def mrmr_count(X: Any, y: Any, strategy: str, discretize: Any) -> int:
    return int(mrmr(strategy, discretize).fit(X, y).n_evaluations_)


def timed(selector: Any, X: Any, y: Any) -> tuple[Any, float]:
    """Return the fitted selector, and processor seconds of a fit from the array."""
    start = time.process_time()
    return selector.fit(X, y), time.process_time() - start


def faster(published: float, ours: float) -> str:
    return f"{published:9.2f}{ours:8.3f}{published / ours:6.0f}x"


def pairs_and_seconds() -> None:
    heads = ("MRMR", "MRMR+ (lazy)", "CFS (cached)", "CFS+ (lazy)")
    print("Table 4.4, thousands of pairs: published, ours, difference")
    print(f"{'':<6}" + "".join(f"{head:>24}" for head in heads) + "  selected")
    lines = []
    for (title, file), published in THESIS.items():
        X, y = load_set(file)
        selectors = [mrmr(strategy, "auto") for strategy in ("naive", "lazy")]
        selectors += [CFS(strategy=strategy) for strategy in ("cached", "lazy")]
        fits = [timed(selector, X, y) for selector in selectors]
        ours = [int(fit.n_evaluations_) for fit, _ in fits]
        cells = [
            f"{a:8g}{b / 1000:8.1f}{b / 1000 - a:+8.1f}"
            for a, b in zip(published, ours, strict=True)
        ]
        n_varying = int((X.min(axis=0) < X.max(axis=0)).sum())  # constant columns are no candidates
        known = 49 * n_varying - 1225
        agrees = "naive count as known" if ours[0] == known else f"NOT {known}"
        print(f"{title:<6}" + "".join(cells), end="")
        print(f"  {len(fits[2][0].selected_)}; {agrees}")
        seconds = zip(THESIS_SECONDS[title], (spent for _, spent in fits), strict=True)
        lines.append(f"{title:<6}" + "".join(f"{faster(a, b):>24}" for a, b in seconds))
    print("\nTable 4.4, seconds: published, ours, how many times faster")
    print(f"{'':<6}" + "".join(f"{head:>24}" for head in heads))
    print("\n".join(lines))
    away = dict.fromkeys(row["dataset"] for row in rows("pairwise-table4.4-evals"))
    here = {title for title, _ in THESIS}
    print(f"not in the data folder: {', '.join(name for name in away if name not in here)}")


def forward_seconds() -> None:
    print("\nTable 4.2, seconds of CFS: published, ours, how many times faster")
    heads = ("accumulated sums", "each sum again (Weka's)")
    print(f"{'':<6}" + "".join(f"{head:>24}" for head in heads))
    for (title, file), published in FORWARD_SECONDS.items():
        X, y = load_set(file)
        spent = [timed(CFS(strategy=strategy), X, y)[1] for strategy in ("cached", "naive")]
        cells = [f"{faster(a, b):>24}" for a, b in zip(published, spent, strict=True)]
        print(f"{title:<6}" + "".join(cells))
    away = [
        row["dataset"] for row in rows("pairwise-table4.2-fcfs-time") if row["dataset"] != "AVE"
    ]
    here = {title for title, _ in FORWARD_SECONDS}
    print(f"not in the data folder: {', '.join(name for name in away if name not in here)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.parse_args()
    warnings.simplefilter("ignore")
    pairs_and_seconds()
    forward_seconds()
    print("\nData of three levels, pairs: counted independently, ours, difference")
    header = ("MRMR naive", "scan", "lazy", "CFS selected", "cached", "lazy")
    print(f"{'':<12}" + "".join(f"{title:>24}" for title in header))
    for name, counted in COUNTED.items():
        X, y = load_set(name)
        ours = [mrmr_count(X, y, strategy, None) for strategy in ("naive", "scan", "lazy")]
        if counted[3] is not None:
            fits = [CFS(strategy=s, discretize=None).fit(X, y) for s in ("cached", "lazy")]
            ours += [len(fits[0].selected_), *(int(fit.n_evaluations_) for fit in fits)]
        pairs = zip(counted, ours, strict=False)
        print(f"{name:<12}" + "".join(f"{a:10,}{b:9,}{b - a:+5,}" for a, b in pairs))


if __name__ == "__main__":
    main()
