"""What a search finds in labels that mean nothing: four ways to score it, three of them wrong.

``make reproduce-permuted_labels``; ARGS="--permutations 3" for a quick form. The colon microarray (62 samples of 2,000
genes, 40 of one class) if it is in the data folder, else as much noise; its labels are permuted.
"""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from benchmarks.folders import DATA_FOLDER
from thresher import GBC
from thresher.evaluate import nested_score

WAYS = (
    "the chosen features, on the rows they were chosen and fitted on",
    "best_score_ of the search",
    "the selected features in a separate cross-validation",
    "nested_score",
    "always the larger class",
)


def load() -> tuple[np.ndarray, np.ndarray]:
    path = DATA_FOLDER / "colon_raw.npz"
    if path.exists():
        with np.load(path, allow_pickle=False) as file:
            return np.asarray(file["X"], dtype=np.float64), file["y"]
    return np.random.default_rng(0).normal(size=(62, 2000)), np.arange(62) >= 40


def one_permutation(seed: int) -> list[float]:
    X, y = load()
    y = np.random.default_rng(seed).permutation(y)
    svm = make_pipeline(StandardScaler(), SVC())
    selector = GBC(random_state=seed)
    fitted = selector.fit(X, y)
    chosen = fitted.transform(X)
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    return [
        float(svm.fit(chosen, y).score(chosen, y)),
        float(fitted.best_score_),
        float(cross_val_score(svm, chosen, y, cv=folds).mean()),
        nested_score(selector, X, y, cv=folds).mean,
        float(np.unique(y, return_counts=True)[1].max() / len(y)),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--permutations", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    with ProcessPoolExecutor(options.jobs) as pool:
        found = np.array(list(pool.map(one_permutation, range(options.permutations))))
    print(f"accuracy, mean of {len(found)} permutations of the labels and standard error")
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    for way, mean, error in zip(WAYS, found.mean(axis=0), errors, strict=True):
        print(f"  {way:<66}{mean:.3f} ± {error:.3f}")


if __name__ == "__main__":
    main()
