"""Pair counts and stability of the Fast Ensemble, beside the published ones.

``make reproduce-ensembles`` prints all counts and the stability tests; ARGS="--quick" runs two
repetitions of the stability protocol instead of ten, ARGS="--counts" leaves it out.
"""

from __future__ import annotations

import argparse
import time
import warnings

from benchmarks.reproduction.published_ensembles import PUBLISHED, SIZES, Published
from thresher import MRMR, Ensemble
from thresher.evaluate.cost import count_pairs_fast
from thresher.evaluate.stability import compare_curves, stability_curve


def selector(data: Published, k: int) -> MRMR:
    measures = ("mi", "mi") if data.nominal else ("f", "pearson")
    return MRMR(
        k,
        relevance=measures[0],
        redundancy=measures[1],
        objective="quotient",
        discretize=None if data.nominal else "auto",
    )


def counts(data: Published) -> tuple[int, int]:
    """Prints published and own counts; returns how many cells agree, and of how many.

    The paper counts constant columns (ionosphere and digits have some) as features.
    """
    X, y = data.load()
    sizes = [k for k in SIZES if k <= X.shape[1]][: len(data.fast[5])]
    print(f"\n{data.title}: {X.shape[1]} features, {X.shape[0]} rows")
    print("  e    k   published        ours  difference")
    exact = cells = 0
    for e, published in data.fast.items():
        ensemble = Ensemble(selector(data, max(sizes)), n_parts=e).fit(X, y)
        for k, expected in zip(sizes, published, strict=True):
            ours = count_pairs_fast(ensemble.parts_, X.shape[1], k)
            difference = ours - expected
            share = f"{100 * difference / expected:+.1f} %" if difference else "exact"
            print(f"{e:3d}  {k:3d}  {expected:10,d}  {ours:10,d}  {difference:+10,d}  {share}")
            exact, cells = exact + (difference == 0), cells + 1
    return exact, cells


def stability(data: Published, n_repeats: int) -> None:
    """Ten-fold stability of plain MRMR and of Fast Ensembles with 20 parts, and the tests."""
    X, y = data.load()
    settings = {"k": (10, 20), "n_repeats": n_repeats, "random_state": 0}
    start = time.perf_counter()
    plain = stability_curve(selector(data, 20), X, y, **settings)
    fast = stability_curve(Ensemble(selector(data, 20), n_parts=20), X, y, **settings)
    seconds = time.perf_counter() - start
    paired, welch = (compare_curves(fast, plain, test=test) for test in ("paired-t", "welch"))
    for i, k in enumerate(fast.k):
        print(
            f"{data.title:12s} {k:3d}   {plain.mean[i]:5.3f}  {fast.mean[i]:5.3f}"
            f"   {data.pvalues[i]:9.2g}  {paired.pvalue[i]:9.2g}  {welch.pvalue[i]:9.2g}"
            f"   {verdict(data.pvalues[i], welch.pvalue[i])}   {seconds:6.1f} s"
        )


def verdict(published: float, ours: float) -> str:
    """Whether the conclusion at 0.05 is the same: p-values that small differ by chance alone."""
    if (published < 0.05) == (ours < 0.05):
        return "same   "
    return "theirs " if published < 0.05 else "ours   "


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two repetitions, not ten")
    parser.add_argument("--counts", action="store_true", help="the counts alone")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print("Pairs computed by the Fast Ensemble (round-robin parts, quotient; MI, or F and |r|)")
    found = {data.title: counts(data) for data in PUBLISHED}
    print("\nCells that agree exactly")
    for data in PUBLISHED:
        exact, cells = found[data.title]
        print(f"  {data.title:12s} {exact:2d} of {cells}")
    nominal = [found[data.title] for data in PUBLISHED if data.nominal]
    agreed, cells = sum(e for e, _ in nominal), sum(c for _, c in nominal)
    print(f"  discretised microarrays together: {agreed} of {cells}")
    if not options.counts:
        repeats = 2 if options.quick else 10
        print(f"\nStability, {repeats} x ten-fold, mean Jaccard index, 20 parts;")
        print(
            "p-values of the difference (the paper does not name its test); at 0.05, with Welch's test,"
        )
        print("the conclusion is the same, or there is a difference in theirs or in ours alone")
        print(
            "data          k    plain   fast   published   paired t    Welch t   at 0.05     time"
        )
        for data in PUBLISHED:
            stability(data, repeats)
    if agreed != cells:
        raise SystemExit("some counts of the discretised microarrays differ from those published")


if __name__ == "__main__":
    main()
