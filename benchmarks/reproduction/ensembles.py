"""Compare pair counts and stability of the Fast Ensemble with the published ones.

``make reproduce-ensembles`` prints all counts and the stability tests; ARGS="--quick" runs two
repetitions of the stability protocol instead of ten, ARGS="--counts" leaves it out.
"""

from __future__ import annotations

import argparse
import warnings
from functools import cache
from typing import NamedTuple

import numpy as np

from benchmarks.reproduction.published import rows
from benchmarks.reproduction.published_ensembles import PUBLISHED, Published
from thresher import MRMR, Ensemble
from thresher.evaluate.cost import count_pairs_fast, count_pairs_standard, estimate_pairs_fast
from thresher.evaluate.curves import StabilityCurve, compare_curves, stability_curve


def selector(data: Published, k: int) -> MRMR:
    measures = ("mi", "mi") if data.nominal else ("f", "pearson")
    return MRMR(
        k,
        relevance=measures[0],
        redundancy=measures[1],
        objective="quotient",
        discretize=None if data.nominal else "auto",
    )


def counts(data: Published, plain: StabilityCurve | None) -> tuple[int, int]:
    """Print published and own counts; return how many cells agree, and of how many.

    The paper counts constant columns (ionosphere and digits have some) as features. It estimates the counts from the
    stability of plain MRMR, and so are ours estimated from the `plain` curve.
    """
    X, y = data.load()
    n_features = X.shape[1]
    sizes = data.sizes()
    estimates = published_estimates(data)
    print(f"\n{data.title}: {n_features} features, {X.shape[0]} rows")
    print(f"  e    k{'FAST':>42s}{'STANDARD':>22s}{'GAIN':>19s}{'EST':>30s}")
    exact = cells = 0
    for e, published in data.fast.items():
        ensemble = Ensemble(selector(data, max(sizes)), n_parts=e).fit(X, y)
        for i, (k, expected) in enumerate(zip(sizes, published, strict=True)):
            ours = count_pairs_fast(ensemble.parts_, n_features, k)
            standard = count_pairs_standard(n_features, k, e)
            estimate = float("nan")
            if plain is not None:
                estimate = estimate_pairs_fast(n_features, k, e, plain.mean[i], form="tables")
            theirs = estimates.get((k, e), NOT_HERE)
            share = f"{100 * (ours - expected) / expected:+.1f} %" if ours != expected else "exact"
            print(
                f"{e:3d}  {k:3d}{expected:12,d}{ours:12,d}{ours - expected:+10,d}{share:>8s}"
                f"{theirs.standard:14,.0f}{standard - theirs.standard:+8,.0f}"
                f"{theirs.gain:7.2f}{standard / ours:6.2f}{standard / ours - theirs.gain:+6.2f}"
                f"{theirs.estimate:12,.0f}{estimate:11,.0f}{100 * (estimate / theirs.estimate - 1):+5.0f} %"
            )
            exact, cells = exact + (ours == expected), cells + 1
    return exact, cells


class Estimates(NamedTuple):
    """Other numbers that the paper prints with its counts."""

    estimate: float
    standard: float
    gain: float


NOT_HERE = Estimates(float("nan"), float("nan"), float("nan"))


def published_estimates(data: Published) -> dict[tuple[int, int], Estimates]:
    """Return the published estimates by number of features and of parts."""
    name = data.title.lower().replace(". ", "_").replace("h.w_", "hw_")
    return {
        (int(row["k"]), int(row["e"])): Estimates(
            *(float(row[c]) for c in ("est", "standard", "gain"))
        )
        for row in published_tables()
        if row["dataset"] == name
    }


@cache
def published_tables() -> list[dict[str, str]]:
    return rows("fast-ensembles-tables")


def plain_curve(data: Published, n_repeats: int) -> StabilityCurve:
    """Return the ten-fold stability of plain MRMR by number of features."""
    X, y = data.load()
    sizes = data.sizes()
    return stability_curve(
        selector(data, max(sizes)), X, y, k=sizes, n_repeats=n_repeats, random_state=0, n_jobs=-1
    )


def stability(data: Published, n_repeats: int) -> None:
    """Print the ten-fold stability of plain MRMR and of Fast Ensembles with 20 parts, and the tests."""
    X, y = data.load()
    settings = {"k": (10, 20), "n_repeats": n_repeats, "random_state": 0, "n_jobs": -1}
    plain = stability_curve(selector(data, 20), X, y, **settings)
    fast = stability_curve(Ensemble(selector(data, 20), n_parts=20), X, y, **settings)
    paired, welch = (compare_curves(fast, plain, test=test) for test in ("paired-t", "welch"))
    for i, k in enumerate(fast.k):
        with np.errstate(divide="ignore"):
            orders = np.log10(welch.pvalue[i]) - np.log10(data.pvalues[i])
        print(
            f"{data.title:12s} {k:3d}   {plain.mean[i]:5.3f}  {fast.mean[i]:5.3f}"
            f"   {data.pvalues[i]:9.2g}  {paired.pvalue[i]:9.2g}  {welch.pvalue[i]:9.2g}{orders:+12.1f}"
            f"   {verdict(data.pvalues[i], welch.pvalue[i])}",
            flush=True,
        )


def verdict(published: float, ours: float) -> str:
    """Return whether the conclusion at 0.05 is the same: p-values that small differ by chance alone."""
    if (published < 0.05) == (ours < 0.05):
        return "same"
    return "theirs" if published < 0.05 else "ours"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repetitions, not ten")
    parser.add_argument("--counts", action="store_true", help="the counts alone")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    repeats = 2 if options.quick else 10
    print("Pairs computed by the Fast Ensemble (round-robin parts, quotient; MI, or F and |r|)")
    print("FAST: published, ours, difference; STANDARD, of a full ensemble: published, difference;")
    print(
        "GAIN, their quotient: published, ours, difference; EST, expected from the stability of plain"
    )
    print("MRMR: published, ours, difference in per cent")
    found = {}
    for data in PUBLISHED:
        plain = None if options.counts else plain_curve(data, repeats)
        found[data.title] = counts(data, plain)
    print("\nCells that agree exactly")
    for data in PUBLISHED:
        exact, cells = found[data.title]
        print(f"  {data.title:12s} {exact:2d} of {cells}")
    nominal = [found[data.title] for data in PUBLISHED if data.nominal]
    agreed, cells = sum(e for e, _ in nominal), sum(c for _, c in nominal)
    print(f"  discretised microarrays together: {agreed} of {cells}")
    if not options.counts:
        print(f"\nStability, {repeats} x ten-fold, mean Jaccard index, 20 parts;")
        print(
            "p-values of the difference (the paper does not name its test), powers of ten between Welch's and theirs;"
        )
        print(
            "at 0.05 the conclusion is the same, or there is a difference in theirs or in ours alone"
        )
        print(
            "data          k    plain   fast   published   paired t    Welch t  difference   at 0.05"
        )
        for data in PUBLISHED:
            stability(data, repeats)
    if agreed != cells:
        raise SystemExit("some counts of the discretised microarrays differ from those published")


if __name__ == "__main__":
    main()
