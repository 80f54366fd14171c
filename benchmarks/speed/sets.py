"""Time to score sets of features by five-fold cross-validation of an SVM, on one thread, compared with other packages.

``python -m benchmarks.speed.sets [--sets 1000]``: random sets of 5 to 40 of 200 features, 100 and 1,000 rows, by the
judge of `GBC` and by scikit-learn's ``cross_val_score`` of the same pipeline, and how far the two agree. Then the same
estimator inside other packages' searches: milliseconds per set that they score, which are sets of one feature in
forward selections and larger ones in sklearn-genetic-opt. Times are processor times.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from types import SimpleNamespace

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np  # noqa: E402
from sklearn.model_selection import StratifiedKFold, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import SVC  # noqa: E402

from benchmarks.folders import ROOT  # noqa: E402
from benchmarks.peers.environments import install, interpreter  # noqa: E402

N_FEATURES = 200

# Third-party searches; a scorer counts the folds that they score.
SEARCHES = {
    "scikit-learn": """
from sklearn.feature_selection import SequentialFeatureSelector
search = SequentialFeatureSelector(svm, n_features_to_select=1, cv=5, scoring=scoring)
search.fit(X, y)
""",
    "mlxtend": """
from mlxtend.feature_selection import SequentialFeatureSelector
search = SequentialFeatureSelector(svm, k_features=1, cv=5, scoring=scoring)
search.fit(X, y)
""",
    "sklearn-genetic-opt": """
from sklearn_genetic import GAFeatureSelectionCV
search = GAFeatureSelectionCV(svm, cv=5, scoring=scoring, population_size=20, generations=4, verbose=False, n_jobs=1)
search.fit(X, y)
""",
}
PROGRAM = """
import time, warnings
import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from benchmarks.speed.sets import data
warnings.simplefilter("ignore")
X, y = data({n_rows})
svm = make_pipeline(StandardScaler(), SVC())
sizes = []
def scoring(estimator, X, y):
    sizes.append(estimator.n_features_in_)
    return estimator.score(X, y)
start = time.process_time()
{search}
seconds = time.process_time() - start
print(1000 * seconds / (len(sizes) / 5), np.mean(sizes), len(sizes) // 5)
"""


def data(n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, N_FEATURES))
    X[:, :20] += 0.5 * y[:, None]
    return X, y


def draw_sets(n_sets: int) -> list[np.ndarray]:
    rng = np.random.default_rng(1)
    return [
        np.sort(rng.choice(N_FEATURES, rng.integers(5, 41), replace=False)) for _ in range(n_sets)
    ]


def against_cross_validation(n_rows: int, n_sets: int, n_plain: int) -> None:
    """Time ours on all sets, in blocks between which plain cross-validation scores some of them."""
    from thresher.selectors._scoring import SubsetScorer

    X, y = data(n_rows)
    sets = draw_sets(n_sets)
    svm = make_pipeline(StandardScaler(), SVC())
    scorer = SubsetScorer(lambda features: X[:, features], y)
    folds = StratifiedKFold(5)
    mine = theirs = 0.0
    differ, most = 0, 0.0
    every = max(1, n_sets // n_plain)
    for start in range(0, n_sets, every):
        begun = time.process_time()
        scores = scorer.score_all(sets[start : start + every])
        mine += time.process_time() - begun
        begun = time.process_time()
        expected = cross_val_score(svm, X[:, sets[start]], y, cv=folds).mean()
        theirs += time.process_time() - begun
        differ += abs(scores[0] - expected) > 1e-12
        most = max(most, abs(scores[0] - expected))
    n_compared = len(range(0, n_sets, every))
    mine_each, theirs_each = 1000 * mine / n_sets, 1000 * theirs / n_compared
    print(f"{n_rows:,} rows, {n_sets:,} sets: {mine:.2f} s, {mine_each:.2f} ms each")
    print(
        f"  cross_val_score: {theirs_each:.1f} ms for each of {n_compared}, ratio {theirs_each / mine_each:.1f}; "
        f"{differ} scores differ, by up to {most:.4f}"
    )


def against_searches(n_rows: int) -> None:
    for name, search in SEARCHES.items():
        adaptor = SimpleNamespace(REQUIRES=[name], ENVIRONMENT="common", __name__=name)
        installed = {"version": "ours"} if name == "scikit-learn" else install(adaptor)
        if "failed" in installed:
            print(f"  {name}: {installed['failed']}")
            continue
        python = sys.executable if name == "scikit-learn" else interpreter(adaptor)
        program = PROGRAM.format(n_rows=n_rows, search=search)
        done = subprocess.run([python, "-c", program], cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            print(f"  {name}: {done.stderr.strip().splitlines()[-1]}")
            continue
        each, size, n_sets = done.stdout.split()[-3:]
        print(
            f"  {name}: {float(each):.1f} ms for each of {n_sets} sets of {float(size):.0f} features"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=1000)
    parser.add_argument("--plain", type=int, default=50, help="sets that cross_val_score gets")
    parser.add_argument("--alone", action="store_true", help="without the other packages")
    options = parser.parse_args()
    for n_rows in (100, 1000):
        against_cross_validation(n_rows, options.sets, options.plain)
        if not options.alone:
            against_searches(n_rows)


if __name__ == "__main__":
    main()
