"""Where skfeature-chappers agrees with us, and where it does not: scores side by side.

Usage: ``python -m benchmarks.peers.agree_skfeature`` in an environment that has both packages. It is no dependency of
the tests; tests/test_rankings.py contains its numbers.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy import sparse
from skfeature.function.similarity_based import SPEC as peer_spec
from skfeature.function.similarity_based import fisher_score, lap_score
from skfeature.function.similarity_based import reliefF as peer_relieff

from thresher import SPEC, FisherScore, LaplacianScore, ReliefF


def show(what: str, value: object) -> None:
    print(f"{what:<68} {value}")


def first(order: np.ndarray, k: int = 10) -> list[int]:
    return [int(f) for f in np.asarray(order).ravel()[:k]]


def main() -> None:
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    n, p = 120, 40
    y = np.arange(n) % 2
    X = rng.random((n, p))
    X[:, :8] += 0.5 * y[:, None] * rng.random(8)
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)

    ours = FisherScore(p).fit(X, y)
    peers = first(fisher_score.fisher_score(X, y, mode="index"), p)
    show("Fisher: same order of all features", peers == ours.selected_.tolist())

    graph = LaplacianScore(p).fit(X)
    distance = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    near = np.argsort(distance + np.diag(np.full(n, np.inf)), axis=1)[:, :5]
    W = np.zeros((n, n))
    W[np.repeat(np.arange(n), 5), near.ravel()] = 1
    W = np.maximum(W, W.T) * np.exp(-distance / graph.bandwidth_)
    given = sparse.csc_matrix(W)
    peers = first(lap_score.lap_score(X.copy(), mode="index", W=given), p)
    show("Laplacian, W given: same order", peers == graph.selected_.tolist())
    before = X.copy()
    lap_score.lap_score(before, mode="index")
    show("Laplacian, default W: the input array survives", np.array_equal(before, X))

    for form, style in [("phi1", -1), ("phi2", 0), ("phi3", 5)]:
        ours = SPEC(p, form=form, graph=W, n_eigenvectors=5 if form == "phi3" else None).fit(X)
        theirs = peer_spec.spec(X.copy(), mode="raw", style=style, W=given)
        show(f"SPEC {form}: largest difference", f"{np.abs(theirs - ours.scores_).max():.1e}")
        best = int(peer_spec.spec(X.copy(), mode="index", style=style, W=given)[0])
        show(f"SPEC {form}: same feature first", best == int(ours.selected_[0]))

    theirs = peer_relieff.reliefF(X, y, mode="raw", k=5) / n
    ours = ReliefF(p, n_neighbors=5).fit(X, y).scores_
    show("ReliefF, two classes in [0, 1]: largest difference", f"{np.abs(theirs - ours).max():.1e}")
    y3 = np.arange(n) % 3
    theirs = peer_relieff.reliefF(X, y3, mode="raw", k=5) / n
    ours = ReliefF(p, n_neighbors=5).fit(X, y3).scores_
    show("ReliefF, three classes: largest difference", f"{np.abs(theirs - ours).max():.1e}")
    units = X * np.logspace(-3, 3, p)
    theirs = peer_relieff.reliefF(units, y, mode="raw", k=5) / n
    ours = ReliefF(p, n_neighbors=5).fit(units, y).scores_
    show(
        "ReliefF, features in different units: largest difference",
        f"{np.abs(theirs - ours).max():.1e}",
    )


if __name__ == "__main__":
    main()
