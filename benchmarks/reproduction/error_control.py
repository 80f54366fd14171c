"""Compare the guarantees of selections with their errors, on data whose truth is known.

``make reproduce-error_control``; ARGS="--sets 100" for a quick form, ARGS="--minutes 20" to stop early and report the
finished sets.
Finished sets are read from ``benchmarks/results``. The command fails if a guarantee was not kept.

Data: 200 samples of 200 features in 20 blocks of 10, independent or AR(0.8) within a block; y is random (*null*), or
logistic in ten features of five blocks, 0.7 each (*signal*). A feature is false if it is independent of y: AR(0.8)
makes all features of a block with a cause true. *Null* is the share of null sets with a selection, which is their false
discovery rate, *FDR* that of the sets with signal, *found* the share of the five blocks of which a true feature was
selected. In brackets: earlier numbers of another program on 300 other sets.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.folders import ROOT
from benchmarks.reproduction.error_control_sets import (
    ALL_FEATURES,
    COPIES,
    CUTOFFS,
    DESIGNS,
    DIFFERENCE,
    ESTIMATES,
    GATES,
    LEVEL,
    N_FEATURES,
    N_PAIRS,
    NO_CONTROL,
    RANKINGS,
    SEARCHES,
    K,
    Results,
    run,
)
from thresher.evaluate import error_bound

STORE = ROOT / "benchmarks" / "results" / "error_control.jsonl"
ASSUMPTIONS = ("none", "unimodal", "r-concave")
# The tail of G is heavier than chi-squared: these p-values are not valid, so they give no guarantee.
BY_G = ("JMI / gate, analytic", "MI, mean-sd bins, analytic", "MI, 8 equal bins, analytic")

# Null, FDR, found of independent features, then of AR(0.8).
EARLIER = {
    f"{DIFFERENCE} / gate, permutations": (0.147, 0.134, 0.80, 0.143, 0.051, 0.96),
    f"{DIFFERENCE} / gate, analytic": (0.147, 0.134, 0.81, 0.127, 0.051, 0.97),
    f"{DIFFERENCE} / {ALL_FEATURES}": (0.023, 0.025, 0.48, 0.020, 0.018, 0.87),
    f"{DIFFERENCE} / {COPIES}": (0.033, 0.101, 0.57, 0.070, 0.043, 0.95),
    f"{DIFFERENCE} / compete": (0.027, 0.104, 0.60, 0.010, 0.046, 0.87),
    f"{DIFFERENCE} / {NO_CONTROL}": (1, 0.247, 0.92, 1, 0.075, 0.98),
    "MRMR quotient, F / gate, permutations": (0.147, 0.134, 0.80, 0.143, 0.054, 0.96),
    "MRMR quotient, F / compete": (0.040, 0.072, 0.27, 0.007, 0.065, 0.54),
    f"MRMR quotient, F / {NO_CONTROL}": (1, 0.284, 0.91, 1, 0.131, 0.98),
    "JMI / gate, permutations": (0.210, 0.158, 0.39, 0.173, 0.050, 0.83),
    "JMI / gate, analytic": (0.270, 0.166, 0.42, 0.190, 0.052, 0.84),
    "JMI / compete": (0.050, 0.072, 0.16, 0.027, 0.048, 0.71),
}
# False features on nulls and with signal, share of blocks found; independent, then AR(0.8).
EARLIER_HALVES = {
    0.6: (0.34, 0.13, 0.54, 0.30, 0.007, 0.39),
    0.75: (0.06, 0.03, 0.29, 0.04, 0.007, 0.16),
    0.9: (0.013, 0.01, 0.12, 0.0, 0.0, 0.04),
}
# Null, FDR, found; independent, then AR(0.8).
EARLIER_ESTIMATES = dict(
    zip(
        ESTIMATES,
        (
            (0.92, 0.149, 0.81, 0.46, 0.038, 0.89),
            (0.03, 0.094, 0.51, 0.00, 0.034, 0.83),
            (0.03, 0.108, 0.52, 0.00, 0.066, 0.87),
        ),
        strict=True,
    )
)

Estimate = tuple[float, float]  # a mean and its standard error


def mean_and_error(values: np.ndarray) -> Estimate:
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def false_share(rows: np.ndarray) -> Estimate:
    return mean_and_error(rows[:, 1] / np.maximum(rows[:, 0], 1))


def shares_of(results: Results, method: str) -> list[tuple[Estimate, Estimate, float]]:
    """Return for each design: false share on nulls, with signal, share of blocks found."""
    found = []
    for design in DESIGNS:
        null, signal = (results[design, some, method] for some in (False, True))
        found.append((false_share(null), false_share(signal), float(signal[:, 2].mean())))
    return found


def outcome(shares: Sequence[Estimate]) -> str:
    return "kept" if all(mean <= LEVEL + 2 * error for mean, error in shares) else "PASSED"


def cells(
    designs: Sequence[tuple[Estimate, Estimate, float]], earlier: Sequence[float] | None
) -> list[str]:
    """Return six cells of a table, with the earlier numbers in brackets."""
    texts = []
    for null, signal, found in designs:
        texts += [f"{null[0]:.3f} ± {null[1]:.3f}", f"{signal[0]:.3f} ± {signal[1]:.3f}"]
        texts.append(f"{found:.2f}")
    if earlier is None:
        return texts
    digits = (3, 3, 2, 3, 3, 2)
    return [
        f"{text} ({value:.{n}f})" for text, value, n in zip(texts, earlier, digits, strict=True)
    ]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


SHARES = [
    f"{design}: {what}" if what == "null" else what
    for design in DESIGNS
    for what in ("null", "FDR", "found")
]


def gates_table(results: Results, broken: list[str]) -> str:
    rows = []
    for name in SEARCHES:
        extra = (ALL_FEATURES, COPIES) if name == DIFFERENCE else ()
        for how in (*GATES, *extra, NO_CONTROL):
            method = f"{name} / {how}"
            designs = shares_of(results, method)
            shares = [share for design in designs for share in design[:2]]
            guarantee = "none" if how == NO_CONTROL or method in BY_G else outcome(shares)
            if guarantee == "PASSED":
                broken.append(method)
            rows.append([name, how, *cells(designs, EARLIER.get(method)), guarantee])
    return table(["search", "method", *SHARES, "guarantee"], rows)


def rankings_table(results: Results, broken: list[str]) -> str:
    """Return the share of null sets with a selection by Benjamini and Hochberg."""
    rows = []
    for name in RANKINGS:
        shares = [false_share(results[design, False, f"Univariate / {name}"]) for design in DESIGNS]
        guarantee = "none" if name in BY_G else outcome(shares)
        if guarantee == "PASSED":
            broken.append(name)
        rows.append([name, *(f"{mean:.3f} ± {error:.3f}" for mean, error in shares), guarantee])
    return table(["p-values", *(f"{design} features" for design in DESIGNS), "guarantee"], rows)


def halves_table(results: Results, broken: list[str]) -> str:
    rows = []
    for cutoff in CUTOFFS:
        bounds = [
            error_bound(N_FEATURES, K, cutoff, n_pairs=N_PAIRS, assumption=assumption)
            for assumption in ASSUMPTIONS
        ]
        texts: list[str] = []
        earlier = iter(EARLIER_HALVES[cutoff])
        worst = 0.0
        for design in DESIGNS:
            of_design = [results[design, some, f"halves / {cutoff}"] for some in (False, True)]
            for some in of_design:
                mean, error = mean_and_error(some[:, 1])
                worst = max(worst, mean)
                texts.append(f"{mean:.3f} ± {error:.3f} ({next(earlier):g})")
            texts.append(f"{of_design[1][:, 2].mean():.2f} ({next(earlier):.2f})")
        passed = [a for a, bound in zip(ASSUMPTIONS, bounds, strict=True) if worst > bound]
        broken += [f"bound {assumption!r} at cutoff {cutoff}" for assumption in passed]
        shown = " / ".join(f"{bound:.3f}" for bound in bounds)
        rows.append([f"{cutoff}", shown, *texts, "PASSED" if passed else "kept"])
    header = [
        f"{design}: {what}" for design in DESIGNS for what in ("null", "with signal", "found")
    ]
    return table(["cutoff", "bounds: none / unimodal / r-concave", *header, "bounds"], rows)


def estimates_table(results: Results) -> str:
    rows = []
    for rule in ESTIMATES:
        designs = shares_of(results, f"estimate / {rule}")
        sizes = [results[design, False, f"estimate / {rule}"][:, 0].mean() for design in DESIGNS]
        texts = cells(designs, EARLIER_ESTIMATES[rule])
        rows.append([rule, *texts, " / ".join(f"{size:.1f}" for size in sizes)])
    return table(["share of false features", *SHARES, "features on a null"], rows)


def put_on_page(page: Path, name: str, text: str) -> None:
    """Replace the text between the marks of this name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, _, rest = page.read_text().partition(begin)
    _, found, after = rest.partition(end)
    if not found:
        raise SystemExit(f"{page} has no marks {begin.strip()} and {end}")
    page.write_text(f"{before}{begin}\n{text}\n\n{end}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sets", type=int, default=1000, help="data sets per cell")
    parser.add_argument(
        "--minutes", type=float, default=np.inf, help="stop after this many minutes"
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--store", type=Path, default=STORE, help="file of the finished sets")
    parser.add_argument("--picture", type=Path, help="where to draw the result, such as x.svg")
    parser.add_argument("--page", type=Path, help="a page whose tables are to be replaced")
    options = parser.parse_args()
    n_sets, results = run(options.sets, options.minutes, options.jobs, options.store)
    broken: list[str] = []
    sizes = (
        f"{n_sets:,} null sets and {n_sets:,} with signal for each design; ± is one standard error."
    )
    tables = {
        "gates": f"{sizes}\n\n{gates_table(results, broken)}",
        "halves": halves_table(results, broken),
        "rankings": rankings_table(results, broken),
        "estimates": estimates_table(results),
    }
    for name, text in tables.items():
        print(f"\n{name}\n\n{text}")
        if options.page:
            put_on_page(options.page, name, text)
    if options.picture:
        draw(results, n_sets, options.picture)
    if broken:
        sys.exit(f"\nGuarantees that were not kept: {'; '.join(broken)}")
    print(
        f"\nAll guarantees were kept: shares of at most {LEVEL} + 2 standard errors, no bound passed"
    )


def draw(results: Results, n_sets: int, path: Path) -> None:
    """Draw the share of false features, on nulls and with signal, of every search and method."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "error control"
    import matplotlib.pyplot as plt

    from thresher.plots._axes import COLOURS

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6), sharey=True, layout="constrained")
    methods = (*GATES, NO_CONTROL)
    markers = {
        ("independent", False): "o",
        ("independent", True): "s",
        ("AR(0.8)", False): "D",
        ("AR(0.8)", True): "^",
    }
    for ax, name in zip(axes, SEARCHES, strict=True):
        for i, ((design, signal), marker) in enumerate(markers.items()):
            shares = [false_share(results[design, signal, f"{name} / {how}"]) for how in methods]
            means, errors = np.array(shares).T
            ax.errorbar(
                means,
                np.arange(len(methods)) + 0.16 * (i - 1.5),
                xerr=2 * errors,
                fmt=marker,
                markersize=4,
                color=COLOURS[i],
                label=f"{design}, {'signal' if signal else 'null'}",
            )
        ax.axvline(LEVEL, color="black", linestyle="--", linewidth=0.8)
        ax.set_title(name, fontsize=10)
        ax.set_xlim(-0.02, 1.04)
        ax.set_xlabel("share of false features")
        ax.grid(axis="x", alpha=0.3)
    axes[0].set_yticks(range(len(methods)), methods)
    axes[0].invert_yaxis()
    axes[-1].legend(frameon=False, fontsize=8, loc="center right")
    figure.suptitle(
        f"{n_sets:,} data sets each; dashed: the guaranteed level, {LEVEL}", fontsize=10
    )
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)


if __name__ == "__main__":
    main()
