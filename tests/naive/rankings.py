"""Relief, ReliefF, RReliefF, MultiSURF, Laplacian score, SPEC, SFS-LW and S3F from their definitions.

Matrices are samples x features. Distances are rounded to 32 significant bits before they are
compared.
"""

from __future__ import annotations

import math

import numpy as np

from . import dispersion


def significant(value, bits=32):
    """Round the value to that many significant bits, ties to even."""
    if value == 0 or not math.isfinite(value):
        return value
    mantissa, exponent = math.frexp(value)
    return math.ldexp(round(math.ldexp(mantissa, bits)), exponent - bits)


class Differences:
    """diff_i(a, b): scaled by range, 0/1 for nominal features, expected where values miss."""

    def __init__(self, X, y, nominal=None, n_bins=8):
        self.X = np.asarray(X, dtype=float)
        self.y = list(y)
        d = self.X.shape[1]
        self.nominal = [False] * d if nominal is None else list(nominal)
        self.levels = []
        for i in range(d):
            column = self.X[:, i].tolist()
            present = [v for v in column if not math.isnan(v)]
            codes = (
                present if self.nominal[i] else dispersion.equal_frequency_codes(present, n_bins)
            )
            by_value = dict(zip(present, codes, strict=True))
            self.levels.append([None if math.isnan(v) else by_value[v] for v in column])

    def share(self, i, level, label):
        """Return P(level | class) among the rows of the class whose value is present."""
        rows = [self.levels[i][r] for r in range(len(self.y)) if self.y[r] == label]
        rows = [v for v in rows if v is not None]
        return rows.count(level) / len(rows) if rows else 0.0

    def __call__(self, i, a, b):
        column = self.X[:, i]
        missing_a, missing_b = math.isnan(column[a]), math.isnan(column[b])
        if missing_a and missing_b:
            every = {v for v in self.levels[i] if v is not None}
            return 1 - math.fsum(
                self.share(i, v, self.y[a]) * self.share(i, v, self.y[b]) for v in every
            )
        if missing_a:
            return 1 - self.share(i, self.levels[i][b], self.y[a])
        if missing_b:
            return 1 - self.share(i, self.levels[i][a], self.y[b])
        if self.nominal[i]:
            return float(column[a] != column[b])
        spread = np.nanmax(column) - np.nanmin(column)
        return abs(column[a] - column[b]) / spread if spread > 0 else 0.0

    def distance(self, a, b, power=1):
        return significant(math.fsum(self(i, a, b) ** power for i in range(self.X.shape[1])))


def nearest(distance, rows, k):
    return sorted(rows, key=lambda b: (distance[b], b))[:k]


def relief(X, y, nominal=None):
    diff = Differences(X, y, nominal)
    n, d = diff.X.shape
    weights = [[] for _ in range(d)]
    for a in range(n):
        distance = {b: diff.distance(a, b, 2) for b in range(n) if b != a}
        hits = nearest(distance, [b for b in distance if y[b] == y[a]], 1)
        misses = nearest(distance, [b for b in distance if y[b] != y[a]], 1)
        for i in range(d):
            weights[i] += [diff(i, a, m) ** 2 for m in misses] + [
                -(diff(i, a, h) ** 2) for h in hits
            ]
    return np.array([math.fsum(w) / n for w in weights])


def _average(diff, i, a, rows):
    return math.fsum(diff(i, a, b) for b in rows) / len(rows)


def relieff(X, y, n_neighbors=10, *, nominal=None, sampled=None, multisurf=False):
    diff = Differences(X, y, nominal)
    n, d = diff.X.shape
    prior = {c: list(y).count(c) / n for c in set(y)}
    sampled = range(n) if sampled is None else sampled
    weights = np.zeros(d)
    for a in sampled:
        distance = {b: diff.distance(a, b) for b in range(n) if b != a}
        if multisurf:
            values = list(distance.values())
            border = significant(
                dispersion.mean(values) - math.sqrt(dispersion.variance(values)) / 2
            )
            near = [b for b in distance if distance[b] < border]
            group = {c: [b for b in near if y[b] == c] for c in prior}
        else:
            group = {
                c: nearest(distance, [b for b in distance if y[b] == c], n_neighbors) for c in prior
            }
        missed = math.fsum(prior[c] for c, rows in group.items() if rows and c != y[a])
        for i in range(d):
            for c, rows in group.items():
                if not rows:
                    continue
                if c == y[a]:
                    weights[i] -= _average(diff, i, a, rows) / len(sampled)
                else:
                    share = prior[c] / missed
                    weights[i] += share * _average(diff, i, a, rows) / len(sampled)
    return weights


def rrelieff(X, y, n_neighbors=10, *, nominal=None, sampled=None, sigma=20):
    """Return RReliefF from the probabilities N_dC, N_dA and N_dC&dA, with influence by rank."""
    diff = Differences(X, [0] * len(y), nominal)
    n, d = diff.X.shape
    sampled = range(n) if sampled is None else sampled
    n_dc, n_da, n_dcda = 0.0, np.zeros(d), np.zeros(d)
    for a in sampled:
        distance = {b: diff.distance(a, b) for b in range(n) if b != a}
        near = nearest(distance, list(distance), n_neighbors)
        influence = [math.exp(-((rank / sigma) ** 2)) for rank in range(1, len(near) + 1)]
        for b, raw in zip(near, influence, strict=True):
            share = raw / math.fsum(influence)
            apart = abs(y[a] - y[b]) / (max(y) - min(y))
            n_dc += apart * share
            for i in range(d):
                n_da[i] += diff(i, a, b) * share
                n_dcda[i] += apart * diff(i, a, b) * share
    m = len(sampled)
    unlike = n_dcda / n_dc if n_dc > 0 else np.zeros(d)
    return unlike - ((n_da - n_dcda) / (m - n_dc) if m > n_dc else 0.0)


def neighbour_graph(X, n_neighbors, weight="heat", bandwidth=None):
    """Return symmetric weights; i ~ j if either is among the other's nearest."""
    X = np.asarray(X, dtype=float)
    n = len(X)
    squared = [
        [math.fsum((u - v) ** 2 for u, v in zip(X[a], X[b], strict=True)) for b in range(n)]
        for a in range(n)
    ]
    edges = set()
    for a in range(n):
        near = {b: significant(squared[a][b]) for b in range(n) if b != a}
        for b in nearest(near, list(near), n_neighbors):
            edges.add((min(a, b), max(a, b)))
    if bandwidth is None:
        bandwidth = math.fsum(squared[a][b] for a, b in edges) / len(edges)
    W = np.zeros((n, n))
    for a, b in edges:
        if weight == "heat":
            value = math.exp(-squared[a][b] / bandwidth)
        elif weight == "binary":
            value = 1.0
        else:
            value = dispersion.cosine(X[a].tolist(), X[b].tolist())
        W[a, b] = W[b, a] = value
    return W


def laplacian_score(x, W):
    x = np.asarray(x, dtype=float)
    degrees = W.sum(axis=1)
    centred = x - (x @ degrees) / degrees.sum()
    laplacian = np.diag(degrees) - W
    below = centred @ np.diag(degrees) @ centred
    return float(centred @ laplacian @ centred / below) if min(x) != max(x) else math.nan


def spec(x, W, form, n_eigenvectors=None):
    """Return the three forms through all eigenvectors of the normalised Laplacian."""
    x = np.asarray(x, dtype=float)
    root = np.sqrt(W.sum(axis=1))
    normalised = np.eye(len(x)) - W / np.outer(root, root)
    trivial = root / np.linalg.norm(root)
    f = root * x / np.linalg.norm(root * x)
    deflated = normalised + 3 * np.outer(trivial, trivial)
    values, vectors = np.linalg.eigh(deflated)
    values, vectors = values[:-1], vectors[:, :-1]
    a = vectors.T @ f
    if form == "phi1":
        return float(a**2 @ values)
    if form == "phi2":
        return float(a**2 @ values / (1 - (f @ trivial) ** 2)) if min(x) != max(x) else math.nan
    count = len(values) if n_eigenvectors is None else n_eigenvectors - 1
    while count < len(values) and values[count] - values[count - 1] < 1e-9:
        count += 1
    return float(a[:count] ** 2 @ (2 - values[:count]))


def lw_index(X, y, radius="max"):
    X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    classes = sorted(set(y.tolist()))
    centre = {c: X[y == c].mean(axis=0) for c in classes}
    spread = {}
    for c in classes:
        distances = [float(np.linalg.norm(row - centre[c])) for row in X[y == c]]
        spread[c] = max(distances) if radius == "max" else sum(distances) / len(distances)
    total = 0.0
    for i in classes:
        total += min(
            float(np.linalg.norm(centre[i] - centre[j])) - (spread[i] + spread[j])
            for j in classes
            if j != i
        )
    return total / len(classes)


def sfs_lw(X, y, m=None, radius="max", candidates=None):
    X = np.asarray(X, dtype=float)
    left = list(range(X.shape[1])) if candidates is None else list(candidates)
    chosen, best = [], -math.inf
    while left and (m is None or len(chosen) < m):
        values = [lw_index(X[:, [*chosen, f]], y, radius) for f in left]
        top = max(values)
        if m is None and not top > best:
            break
        best = top
        chosen.append(left.pop(values.index(top)))
    return chosen


def s3f(Q, y, kmax=None):
    """Run the supervised simplified silhouette filter on discrete features: medoids, clusters, selected."""
    Q = np.asarray(Q)
    d = Q.shape[1]
    columns = [Q[:, i].tolist() for i in range(d)]

    def grid(value):
        return round(value * 2.0**40) / 2.0**40

    su = [[grid(dispersion.symmetrical_uncertainty(a, b)) for b in columns] for a in columns]
    target = [grid(dispersion.symmetrical_uncertainty(a, list(y))) for a in columns]

    def distance(i, j):
        return 0.0 if i == j else (1 - su[i][j] + abs(target[i] - target[j])) / 2

    best = (-math.inf, None, None)
    for k in range(2, (kmax or math.isqrt(d)) + 1):
        if k > d:
            break
        medoids = [max(range(d), key=lambda i: (target[i], -i))]
        while len(medoids) < k:
            rest = [i for i in range(d) if i not in medoids]
            medoids.append(
                max(rest, key=lambda i: (min(distance(i, m) for m in medoids), target[i], -i))
            )
        for _ in range(100):
            clusters = [[m] for m in medoids]
            for i in range(d):
                if i not in medoids:
                    away = [distance(i, m) for m in medoids]
                    clusters[away.index(min(away))].append(i)
            clusters = [sorted(c) for c in clusters]
            updated = []
            for cluster in clusters:
                if len(cluster) == 1:
                    updated.append(cluster[0])
                    continue
                central = [
                    sum(su[i][j] for j in cluster if j != i) / (len(cluster) - 1) + target[i]
                    for i in cluster
                ]
                updated.append(cluster[central.index(max(central))])
            if updated == medoids:
                break
            medoids = updated
        clusters = [[m] for m in medoids]
        for i in range(d):
            if i not in medoids:
                away = [distance(i, m) for m in medoids]
                clusters[away.index(min(away))].append(i)
        values = []
        for number, cluster in enumerate(clusters):
            for i in cluster:
                a = distance(i, medoids[number])
                b = min(distance(i, m) for o, m in enumerate(medoids) if o != number)
                values.append(0.0 if len(cluster) == 1 or max(a, b) == 0 else (b - a) / max(a, b))
        score = math.fsum(values) / d
        if score > best[0]:
            best = (score, medoids, [sorted(c) for c in clusters])
    score, medoids, clusters = best
    selected = []
    for medoid, cluster in zip(medoids, clusters, strict=True):
        selected.append(medoid)
        others = [i for i in cluster if i != medoid]
        if others:
            selected.append(max(others, key=lambda i: (1 - su[i][medoid] + target[i], -i)))
    return score, medoids, clusters, selected


def svm_rfe(X, y, C=1.0, tol=1e-3):
    """Return all features, last removed first; a fresh SVM for every round and class."""
    from sklearn.svm import SVC

    X = np.asarray(X, dtype=float)
    y = np.asarray(y)
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    classes = sorted(set(y.tolist()))
    if len(classes) == 2:
        classes = classes[:1]
    left, removed = list(range(X.shape[1])), []
    while left:
        weights = np.zeros(len(left))
        for c in classes:
            machine = SVC(C=C, kernel="linear", tol=tol).fit(X[:, left], y == c)
            weights += machine.coef_[0] ** 2
        removed.append(left.pop(int(np.argmin(weights))))
    return removed[::-1]


def benjamini(pvalues, level, yekutieli=False):
    """Return the features rejected by the step-up procedure."""
    m = len(pvalues)
    harmonic = sum(1 / i for i in range(1, m + 1)) if yekutieli else 1.0
    ordered = sorted(range(m), key=lambda i: pvalues[i])
    largest = 0
    for rank, i in enumerate(ordered, start=1):
        if pvalues[i] <= level * rank / (m * harmonic):
            largest = rank
    return sorted(ordered[:largest])
