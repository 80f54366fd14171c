"""False selections among probes, and on data with known truth: earlier numbers and those of thresher.

``make reproduce-probes``; ARGS="--repeats 20" is five times as fast. The paper (A. Tsanas,
M. A. Little, P. E. McSharry, "A simple filter benchmark for feature selection", 2010) prints curves only; the earlier
numbers are of a plain implementation of its procedure, from 20 repetitions (10 for the ranking by relevance).

Their standard error shows whether differences are sampling error: that of the difference of two means, of our
repetitions and of as many as there were earlier, with the spread of ours, and at least the spread of one false feature
in all of the earlier repetitions: what is rarer than that they could not see.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine

from benchmarks.folders import DATA_FOLDER
from thresher import GSO, MRMR, RRCT, LassoPath, MeanSdBins
from thresher.datasets import make_artificial1, make_friedman_collinear, make_tied
from thresher.evaluate import probe_fdr

DATA = {"breast cancer": load_breast_cancer, "diabetes": load_diabetes, "wine": load_wine}

# Share of false features with 100 and 200 probes, by data set.
EARLIER = {
    "mRMR_MI": ((0.003, 0.005), (0.470, 0.490), (0.000, 0.004)),
    "mRMR_Spearman": ((0.053, 0.060), (0.400, 0.400), (0.223, 0.231)),
    "mRMR_ITL": ((0.000, 0.000), (0.335, 0.355), (0.162, 0.165)),
    "RRCT": ((0.000, 0.003), (0.335, 0.375), (0.158, 0.212)),
    "RRCT, magnitude": ((0.000, 0.005), (0.335, 0.375), (0.158, 0.212)),
    "RRCT, 2022": ((0.200, 0.205), (0.445, 0.455), (0.212, 0.231)),
    "RRCT without H": ((0.150, None), (0.380, None), (0.215, None)),
    "RRCT, Spearman": ((0.048, None), (0.355, None), (0.165, None)),
    "RRCT_0": ((0.220, 0.258), (0.615, 0.665), (0.515, 0.546)),
    "GSO": ((0.365, 0.412), (0.450, 0.480), (0.396, 0.473)),
    "LASSO": ((0.532, 0.547), (0.475, 0.535), (0.469, 0.496)),
    "relevance only": ((0.000, 0.000), (0.100, 0.100), (0.154, 0.146)),
}
# Mean number of false features of ten on Artificial 1.
EARLIER_ARTIFICIAL = {
    "GSO": 0.0,
    "LASSO": 0.0,
    "RRCT_0": 0.0,
    "RRCT": 0.0,
    "RRCT, magnitude": 0.0,
    "RRCT, 2022": 0.0,
    "mRMR_Spearman": 0.93,
    "mRMR_ITL": 0.93,
    "mRMR_MI": 1.75,
}
# Share of false features of five on Friedman's data, 500 and 1000 rows with 2 and 4 copies: least and greatest.
EARLIER_FRIEDMAN = {
    "mRMR_MI": (0.00, 0.07),
    "mRMR_Spearman": (0.20, 0.24),
    "mRMR_ITL": (0.20, 0.20),
    "RRCT": (0.20, 0.20),
    "GSO": (0.20, 0.20),
    "LASSO": (0.20, 0.20),
}
# False features of 13 on networks with 72 Markov boundaries: three data sets of the same kind as ours, and the paper's
# own (Table 3), whose file is not public in this form.
EARLIER_TIED = {
    "mRMR_MI": ((2, 2, 2), 2),
    "mRMR_Spearman": ((1, 0, 0), 3),
    "mRMR_ITL": ((2, 2, 2), 3),
    "RRCT": ((4, 4, 3), 3),
    "RRCT_0": ((5, 7, 7), 8),
    "GSO": ((0, 2, 2), 5),
    "LASSO": ((0, 0, 0), 7),
    "mRMR_ITL, Box-Cox": (None, 5),
    "RRCT, Box-Cox": (None, 3),
}
# Table 4: the seven features, counted from 1, chosen most often on 90 % of the patients of Hepatitis.
HEPATITIS = {
    "mRMR_MI": (17, 2, 11, 12, 18, 14, 6),
    "mRMR_Spearman": (17, 2, 11, 12, 18, 13, 1),
    "mRMR_ITL": (17, 11, 12, 18, 14, 13, 6),
    "RRCT": (17, 2, 18, 11, 14, 12, 13),
    "RRCT_0": (17, 2, 6, 8, 18, 7, 5),
    "GSO": (19, 1, 2, 3, 4, 5, 6),
    "LASSO": (19, 1, 2, 3, 4, 5, 6),
    "mRMR_ITL, Box-Cox": (17, 11, 12, 18, 14, 13, 6),
    "RRCT, Box-Cox": (17, 2, 18, 11, 14, 12, 13),
}
# The twelve real data sets of Figures 3 to 5, and the number of earlier repetitions of the ranking by relevance.
REAL = (
    "hepatitis",
    "acute_inflammations",
    "wdbc",
    "wpbc",
    "statlog_heart",
    "parkinsons",
    "liver_bupa",
    "heart_cleveland",
    "la_ozone",
    "concrete",
    "boston_housing",
    "prostate",
)
N_EARLIER = {"relevance only": 10}
# Figure 6: true features among the first six of Acute Inflammations with 200 probes.
FIGURE_6 = {"mRMR_ITL, Box-Cox": 3, "RRCT, Box-Cox": 6}


def selectors(**target: Any) -> dict[str, Any]:
    numeric = {"target": "numeric"} if target else {}
    return {
        "mRMR_MI": MRMR(relevance="mi", redundancy="mi", discretize=MeanSdBins()),
        "mRMR_Spearman": MRMR(relevance="spearman", redundancy="spearman", **numeric),
        "mRMR_ITL": RRCT(complementarity=False, **numeric),
        "RRCT": RRCT(**numeric),
        "RRCT, magnitude": RRCT(sign_rule="magnitude", **numeric),
        "RRCT, 2022": RRCT(redundancy="spearman", normalize=False, **numeric),
        "RRCT without H": RRCT(normalize=False, **numeric),
        "RRCT, Spearman": RRCT(redundancy="spearman", **numeric),
        "RRCT_0": RRCT(information=False, **numeric),
        "GSO": GSO(**numeric),
        "LASSO": LassoPath(**numeric),
    }


def with_power(**target: Any) -> dict[str, Any]:
    """Return the two methods of the paper that see features through a Box-Cox transform."""
    numeric = {"target": "numeric"} if target else {}
    return {
        "mRMR_ITL, Box-Cox": RRCT(complementarity=False, power="box-cox-shift", **numeric),
        "RRCT, Box-Cox": RRCT(power="box-cox-shift", **numeric),
    }


def probes(n_repeats: int) -> None:
    print(
        f"Share of false features among the first ones (normalised FDR), {n_repeats} repetitions: ",
        end="",
    )
    print("earlier, ours, difference")
    print(
        f"{'':<18}" + "".join(f"{f'{name}, {n} probes':>28}" for name in DATA for n in (100, 200))
    )
    columns = []
    for name, load in DATA.items():
        X, y = load(return_X_y=True)
        numeric = {"target": "numeric"} if name == "wine" else {}
        for n_permuted in (0, 100):
            settings = {
                "n_permuted": n_permuted,
                "n_repeats": n_repeats,
                "random_state": 0,
                "n_jobs": -1,
            }
            columns.append(probe_fdr(selectors(**numeric), X, y, **settings, **numeric))
    distances: dict[tuple[str, int], float] = {}
    for method, earlier in EARLIER.items():
        cells = []
        for i, column in enumerate(columns):
            theirs, ours = earlier[i // 2][i % 2], column.false_selected_fraction[method]
            if theirs is None:
                cells.append(f"{'-':>12}{ours:>8.3f}{'':>8}")
                continue
            cells.append(f"{theirs:>12.3f}{ours:>8.3f}{ours - theirs:>+8.3f}")
            error = sampling_error(column.counts[method], N_EARLIER.get(method, 20))
            distances[method, i] = (ours - theirs) / error
        print(f"{method:<18}" + "".join(cells))
    print("\nThe same differences in standard errors")
    for method in EARLIER:
        cells = [distances.get((method, i)) for i in range(len(columns))]
        print(f"{method:<18}" + "".join(f"{'' if c is None else f'{c:+.1f}':>28}" for c in cells))
    sizes = np.abs(list(distances.values()))
    print(
        f"{(sizes > 2).sum()} of {len(sizes)} differ by more than two standard errors, "
        f"where chance alone gives about {0.0455 * len(sizes):.0f}; the largest is {sizes.max():.1f}"
    )


def sampling_error(counts: np.ndarray, n_earlier: int) -> float:
    """Return the standard error of the difference of two mean shares, see above."""
    n_repeats, n_steps = counts.shape
    spread = max(counts[:, -1].std(ddof=1), 1 / np.sqrt(n_earlier)) / n_steps
    return float(spread * np.sqrt(1 / n_repeats + 1 / n_earlier))


def real(n_repeats: int) -> None:
    """Print figure 5: the paper draws bars, and says that RRCT has the lowest mean over its twelve real data sets."""
    names = [name for name in REAL if (DATA_FOLDER / f"{name}.npz").exists()]
    if len(names) < len(REAL):
        print("\nThe twelve real data sets are not all in the data folder (THRESHER_DATA)")
        return
    n_repeats = min(n_repeats, 10)
    print(
        f"\nThe twelve real data sets, share of false features, {n_repeats} repetitions; published: curves only"
    )
    shares: dict[int, dict[str, list[float]]] = {100: {}, 200: {}}
    for name in names:
        X, y = complete(name)
        numeric = {"target": "numeric"}
        methods = {**selectors(**numeric), **with_power(**numeric)}
        for n_probes, found in shares.items():
            settings = {"n_permuted": n_probes - 100, "n_repeats": n_repeats, "random_state": 0}
            benchmark = probe_fdr(methods, X, y, **settings, **numeric)
            for method, share in benchmark.false_selected_fraction.items():
                found.setdefault(method, []).append(share)
    print(
        f"{'':<18}{'mean, 100 probes':>20}{'sd over sets':>14}{'mean, 200 probes':>20}{'sd over sets':>14}{'change':>8}"
    )
    for method in sorted(shares[100], key=lambda method: np.mean(shares[100][method])):
        few, many = shares[100][method], shares[200][method]
        cells = [
            f"{np.mean(values):>20.3f}{np.std(values, ddof=1):>14.3f}" for values in (few, many)
        ]
        print(f"{method:<18}{''.join(cells)}{np.mean(many) - np.mean(few):>+8.3f}")


def acute(n_draws: int) -> None:
    """Print figure 6: one draw of probes in the paper, several here."""
    if not (DATA_FOLDER / "acute_inflammations.npz").exists():
        return
    X, y = complete("acute_inflammations")
    print(
        f"\nAcute Inflammations, six features, 200 probes, all rows: true of six, {n_draws} draws of probes"
    )
    print(
        f"{'':<18}{'published, one draw':>20}{'ours, mean':>12}{'least':>7}{'greatest':>10}{'difference':>12}"
    )
    for method, published in FIGURE_6.items():
        true = []
        for seed in range(n_draws):
            settings = {"n_permuted": 100, "n_repeats": 1, "holdout": 0.0, "random_state": seed}
            found = probe_fdr({method: with_power()[method]}, X, y, **settings)
            true.append(6 - int(found.counts[method][0, -1]))
        mean = float(np.mean(true))
        print(
            f"{method:<18}{published:>20}{mean:>12.1f}{min(true):>7}{max(true):>10}{mean - published:>+12.1f}"
        )


def complete(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows without missing values, as in the paper."""
    with np.load(DATA_FOLDER / f"{name}.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(float), file["y"]
    rows = ~np.isnan(X).any(axis=1)
    return X[rows], y[rows]


def artificial(n_repeats: int) -> None:
    print("\nArtificial 1, four data sets: mean number of false features of ten")
    print(f"{'':<18}{'earlier':>9}{'ours':>7}{'difference':>12}")
    counts = []
    for seed in range(4):
        made = make_artificial1(random_state=seed)
        counts.append(_without_probes(made, n_repeats, seed))
    for method, theirs in EARLIER_ARTIFICIAL.items():
        ours = float(np.mean([found.counts[method][:, -1].mean() for found in counts]))
        print(f"{method:<18}{theirs:>9.2f}{ours:>7.2f}{ours - theirs:>+12.2f}")


def friedman(n_repeats: int) -> None:
    print("\nFriedman, share of false features of five; 0.2 is the least a correlation can reach")
    cells = [(n, copies) for n in (500, 1000) for copies in (2, 4)]
    print(f"{'':<18}" + "".join(f"{f'n={n}, {c} copies':>18}" for n, c in cells), end="")
    print(f"{'earlier':>14}{'mean outside by':>17}")
    found = [
        _without_probes(make_friedman_collinear(n, n_copies=c, random_state=0), n_repeats, 0)
        for n, c in cells
    ]
    for method in found[0].selectors:
        shares = [one.false_selected_fraction[method] for one in found]
        print(f"{method:<18}" + "".join(f"{share:>18.2f}" for share in shares), end="")
        if method not in EARLIER_FRIEDMAN:
            print()
            continue
        low, high = EARLIER_FRIEDMAN[method]
        mean = float(np.mean(shares))
        print(f"{f'{low:.2f} to {high:.2f}':>14}{mean - np.clip(mean, low, high):>+17.2f}")


def tied() -> None:
    print("\nNetworks with 72 Markov boundaries, three data sets, all rows: false of 13")
    heads = ("ours", "groups hit", "earlier", "difference of means", "paper, one set", "difference")
    print(f"{'':<18}" + "".join(f"{head:>21}" for head in heads))
    for method, selector in {**selectors(), **with_power()}.items():
        if method not in EARLIER_TIED:
            continue
        false, hits = [], []
        for seed in range(3):
            made = make_tied(random_state=seed)
            kind = "nominal" if method == "mRMR_MI" else "numeric"
            selector.set_params(n_features_to_select=13, target=kind)
            chosen = selector.fit(made.data, made.target).selected_
            hits.append(sum(bool(set(group) & set(chosen)) for group in made.groups))
            false.append(sum(f not in made.truth for f in chosen))
        earlier, published = EARLIER_TIED[method]
        texts = [" ".join(map(str, values)) for values in (false, hits)]
        if earlier is None:
            texts += ["-", "-"]
        else:
            texts += [" ".join(map(str, earlier)), f"{np.mean(false) - np.mean(earlier):+.1f}"]
        texts += [str(published), f"{np.mean(false) - published:+.1f}"]
        print(f"{method:<18}" + "".join(f"{text:>21}" for text in texts))


def hepatitis(n_repeats: int) -> None:
    """Compare the set chosen most often on 90 % of the patients without missing values with Table 4."""
    path = DATA_FOLDER / "hepatitis.npz"
    if not path.exists():
        print(f"\nHepatitis, Table 4: {path.name} is not in the data folder (THRESHER_DATA)")
        return
    X, y = complete("hepatitis")
    draws = np.random.default_rng(0)
    rows = [draws.permutation(len(y))[: round(0.9 * len(y))] for _ in range(n_repeats)]
    print(
        f"\nHepatitis, {len(y)} of 155 patients without missing values: the seven features chosen most often"
    )
    print(f"{'':<18}{'published':>26}{'ours':>26}{'in common':>11}{'share of draws':>16}")
    for method, published in HEPATITIS.items():
        selector = {**selectors(), **with_power()}[method].set_params(n_features_to_select=7)
        sets = Counter(tuple(sorted(selector.fit(X[r], y[r]).selected_ + 1)) for r in rows)
        ours, times = sets.most_common(1)[0]
        texts = [" ".join(map(str, sorted(chosen))) for chosen in (published, ours)]
        common = len(set(ours) & set(published))
        print(
            f"{method:<18}{texts[0]:>26}{texts[1]:>26}{common:>9}/7{100 * times / len(rows):>14.0f} %"
        )


def _without_probes(made: Any, n_repeats: int, seed: int) -> Any:
    return probe_fdr(
        selectors(),
        made.data,
        made.target,
        truth=made.truth,
        n_distribution=0,
        n_repeats=min(n_repeats, 10),
        random_state=seed,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=100, help="subsamples of each data set")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    probes(options.repeats)
    real(options.repeats)
    acute(5)
    artificial(options.repeats)
    friedman(options.repeats)
    tied()
    hepatitis(options.repeats)


if __name__ == "__main__":
    main()
