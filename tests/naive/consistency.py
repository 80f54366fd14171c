"""Consistency-based selection, written from the definitions.

Nothing here is fast: a risk groups the rows again each time. ``Risk`` counts how often it was
called, so that the counts of the listings can be compared as well.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

TIE = 1e-12


class Risk:
    """The unnormalised risk of a set of features: an integer for integer weights.

    ``kept`` features belong to every set. ``measure``: "bayes", "binary", "pairs" or "entropy".
    """

    def __init__(self, X, y, *, weights=None, measure="bayes", kept=()):
        self.X = np.asarray(X)
        self.y = list(np.asarray(y).tolist())
        self.weights = [1] * len(self.y) if weights is None else list(np.asarray(weights).tolist())
        self.measure = measure
        self.kept = tuple(kept)
        self.n_calls = 0
        self.total = sum(self.weights)
        self.classes = sorted({c for c, w in zip(self.y, self.weights, strict=True) if w > 0})
        fractional = any(w != int(w) for w in self.weights)
        # Weights that are not integers have no number of pairs: pairs drawn with replacement.
        pairs = self.total * (self.total - (0 if fractional else 1)) / 2
        unit = {"bayes": self.total, "binary": 1, "pairs": pairs}
        unit["entropy"] = self.total * math.log2(max(2, len(self.classes)))
        self.unit = unit[measure]
        self.tolerance = 1e-10 * self.unit if measure == "entropy" else 0
        if fractional:
            self.tolerance = max(self.tolerance, 1e-9 * self.unit)

    def groups(self, features):
        columns = sorted({*features, *self.kept})
        groups: dict[tuple, dict] = {}
        for row, c, w in zip(self.X[:, columns].tolist(), self.y, self.weights, strict=True):
            if w > 0:
                counts = groups.setdefault(tuple(row), {})
                counts[c] = counts.get(c, 0) + w
        return groups

    def value(self, features):
        groups = [list(g.values()) for g in self.groups(features).values()]
        if self.measure == "bayes":
            return sum(sum(g) - max(g) for g in groups)
        if self.measure == "binary":
            return int(any(len(g) > 1 for g in groups))
        if self.measure == "pairs":
            return sum((sum(g) ** 2 - sum(c * c for c in g)) / 2 for g in groups)
        return sum(sum(g) * math.log2(sum(g)) - sum(c * math.log2(c) for c in g) for g in groups)

    def __call__(self, features):
        self.n_calls += 1
        return self.value(features)

    def threshold(self, delta, full=None):
        """Return the largest value allowed; with ``full`` delta is relative to it."""
        bound = delta * self.unit
        if not self.tolerance:
            bound = math.floor(bound + 1e-9)
        return bound if full is None else full + bound


def symmetrical_uncertainty(column, y, weights=None):
    weights = [1] * len(y) if weights is None else weights

    def entropy(values):
        counts: dict = {}
        for v, w in zip(values, weights, strict=True):
            counts[v] = counts.get(v, 0) + w
        total = sum(counts.values())
        return math.fsum(-c / total * math.log2(c / total) for c in counts.values() if c)

    a, b = list(np.asarray(column).tolist()), list(np.asarray(y).tolist())
    h_a, h_b, h_ab = entropy(a), entropy(b), entropy(list(zip(a, b, strict=True)))
    if h_a + h_b == 0:
        return 0.0
    value = min(1.0, max(0.0, 2 * (h_a + h_b - h_ab) / (h_a + h_b)))
    return round(value * 2**40) / 2**40


def relevance(X, y, weights=None):
    X = np.asarray(X)
    return np.array([symmetrical_uncertainty(X[:, f], y, weights) for f in range(X.shape[1])])


def ascending(r, features=None):
    """Return the features, least relevant first; of equal ones the lowest index goes first."""
    features = range(len(r)) if features is None else features
    return sorted(features, key=lambda f: (r[f], f))


def _without(features, f):
    return [g for g in features if g != f]


def interact(risk, order, D):
    S, current = list(order), risk(order)
    for f in order:
        v = risk(_without(S, f))
        if v - current <= D + risk.tolerance:
            S, current = _without(S, f), v
    return S


def lcc(risk, order, D):
    risk(order)
    S = list(order)
    for f in order:
        if risk(_without(S, f)) <= D + risk.tolerance:
            S = _without(S, f)
    return S


def _largest(low, high, is_true):
    while low < high:
        middle = (low + high + 1) // 2
        if is_true(middle):
            low = middle
        else:
            high = middle - 1
    return low


def super_lcc(risk, order, D):
    risk(order)
    n, K, s = len(order), [], 1
    while s <= n:
        j = _largest(s, n + 1, lambda j, K=K: risk(K + order[j - 1 :]) <= D + risk.tolerance)
        if j == n + 1:
            break
        K = [*K, order[j - 1]]
        s = j + 1
    return K


def sdcc(risk, order, D):
    """Run steepest descent; ``order`` decides among equal risks. Return the set and the removals."""
    risk(order)
    S, removed = list(order), []
    while S:
        v = [risk(_without(S, f)) for f in S]
        best = min(v)
        if best > D + risk.tolerance:
            break
        f = S[next(i for i, value in enumerate(v) if value <= best + risk.tolerance)]
        S.remove(f)
        removed.append(f)
    return S, removed


def fsdcc(risk, order, D):
    S, removed, xi = list(order), [], risk(order)
    lower = dict.fromkeys(order, 0)
    beyond = math.inf
    tolerance = risk.tolerance
    while True:
        best, arg = beyond, None
        for f in S:
            if lower[f] > D + tolerance or lower[f] >= best - tolerance:
                continue
            lower[f] = risk(_without(S, f))
            if lower[f] <= D + tolerance and lower[f] < best - tolerance:
                best, arg = lower[f], f
            if lower[f] <= xi + tolerance:
                break
        if arg is None:
            return S, removed
        S.remove(arg)
        removed.append(arg)
        xi = best


def lazy_fsdcc(risk, order, D):
    """Run the best-first form with a separate, smaller count; the border is one binary search."""
    S, removed = _residual(risk, order, risk(order))
    heap = {f: (risk_full, rank) for rank, f in enumerate(S) for risk_full in (risk.value(order),)}
    while heap:
        f = min(heap, key=heap.get)
        bound, rank = heap[f]
        if bound > D:
            break
        v = risk(_without(S, f))
        if v == bound:
            S.remove(f)
            removed.append(f)
            del heap[f]
        else:
            heap[f] = (v, rank)
    return S, removed


def _residual(risk, order, full):
    """Find the set that remains after the border prefix, and the prefix, by binary search."""
    n = len(order)
    j = _largest(1, n + 1, lambda j: risk(order[j - 1 :]) <= full + risk.tolerance)
    return order[j - 1 :], list(order[: j - 1])


def _relative(v, base, D, tolerance):
    return (v - base) / (D - base) if base + tolerance < D else 0.0


def asdcc(risk, order, D, r, alpha=0.75):
    """Run ASDCC by its definition: every step scores every removable feature."""
    S, removed, xi = list(order), [], risk(order)
    while True:
        best, arg, arg_ic = math.inf, None, None
        for f in S:
            v = risk(_without(S, f))
            if v > D + risk.tolerance:
                continue
            theta = alpha * r[f] + (1 - alpha) * _relative(v, xi, D, risk.tolerance)
            if theta < best - TIE:
                best, arg, arg_ic = theta, f, v
        if arg is None:
            return S, removed
        S.remove(arg)
        removed.append(arg)
        xi = arg_ic


def asdcc_scan(risk, order, D, r, alpha=0.75):
    """Run the listing of ASDCC, whose evaluations are the ones reported."""
    S, removed, xi = list(order), [], risk(order)
    lower = dict.fromkeys(order, 0)
    while True:
        least, best, arg, arg_ic = D + 1, math.inf, None, None
        for f in S:
            if lower[f] >= least:
                continue
            lower[f] = v = risk(_without(S, f))
            if v < least:
                least = v
                theta = alpha * r[f] + (1 - alpha) * _relative(v, xi, D, 0)
                if theta < best - TIE:
                    best, arg, arg_ic = theta, f, v
            if v == xi:
                break
        if arg is None:
            return S, removed
        S.remove(arg)
        removed.append(arg)
        xi = arg_ic


def swcfs(risk, order, D, r, alpha=0.5, window=0.5, expansion=1.0):
    full = risk(order)
    S, removed = _residual(risk, order, full)
    S, tolerance = list(S), risk.tolerance
    if not S:
        return S, removed
    r_min, r_max = min(r[f] for f in S), max(r[f] for f in S)
    gap = (r_max - r_min) / (len(S) - 1) if len(S) > 1 else 0.0

    def width(k):
        return r_min + window * (r_max - r_min) + (k - 1) * (expansion * gap)

    def score(f, v):
        a = (v - full) / (D - full) if full + tolerance < D else v - full
        b = (r[f] - r_min) / (r_max - r_min) if r_max > r_min else 0.0
        return (1 - alpha) * a + alpha * b

    xi, k, lower = full, 1, dict.fromkeys(S, 0)
    while S:
        best, arg, arg_ic = math.inf, None, None
        for f in S:
            if r[f] > width(k):
                break
            if lower[f] > D + tolerance:
                continue
            lower[f] = v = risk(_without(S, f))
            if v > D + tolerance:
                continue
            if v <= xi + tolerance:
                arg, arg_ic = f, xi
                break
            if score(f, v) < best - TIE:
                best, arg, arg_ic = score(f, v), f, v
        if arg is None:
            outside = [f for f in S if r[f] > width(k)]
            if not outside:
                break
            while width(k) < r[outside[0]]:
                k += 1
            continue
        S.remove(arg)
        removed.append(arg)
        xi, k = arg_ic, k + 1
    return S, removed


def focus(risk, order, D):
    risk(order)
    descending = list(order)[::-1]
    for size in range(len(order) + 1):
        for subset in itertools.combinations(descending, size):
            if risk(subset) <= D + risk.tolerance:
                return list(subset)
    raise AssertionError("the full set is feasible")


def abb(risk, order, D):
    """Find the first of the smallest sets with least risk by brute force; return it and the evaluations."""
    descending = list(order)[::-1]
    for size in range(len(order) + 1):
        level = [
            (risk(subset), i, subset)
            for i, subset in enumerate(itertools.combinations(descending, size))
        ]
        level = [entry for entry in level if entry[0] <= D + risk.tolerance]
        if level:
            least = min(entry[0] for entry in level)
            best = next(s for v, _, s in level if v <= least + risk.tolerance)
            return list(best), evaluated_from_above(risk, order, D)
    raise AssertionError("the full set is feasible")


def evaluated_from_above(risk, order, D):
    """Count the sets that the listing of ABB evaluates: the full set, then by level those inside no discarded one."""
    level, n_evaluated = {frozenset(order)}, 1
    while level:
        smaller = {s - {f} for s in level for f in s}
        smaller = [s for s in smaller if all(s | {f} in level for f in order if f not in s)]
        n_evaluated += len(smaller)
        level = {s for s in smaller if risk(sorted(s)) <= D + risk.tolerance}
    return n_evaluated


def set_cover(risk, order, D=None):
    """Cover the pairs of rows of different class greedily; return features in order of choice."""
    pairs = Risk(risk.X, risk.y, weights=risk.weights, measure="pairs", kept=risk.kept)
    never, chosen = pairs.value(order), []
    n_evaluated = 1
    while True:
        uncovered = pairs.value(chosen) - never
        if uncovered <= pairs.tolerance or (
            D is not None and risk.value(chosen) <= D + risk.tolerance
        ):
            return chosen, n_evaluated
        rest = [f for f in reversed(order) if f not in chosen]
        left = [pairs.value([*chosen, f]) for f in rest]
        n_evaluated += len(rest)
        best = min(left)
        chosen.append(rest[next(i for i, v in enumerate(left) if v <= best + pairs.tolerance)])


def denoise(X, y):
    """Keep the majority class of each group of identical rows, as CWC does (tie: smallest label)."""
    groups: dict[tuple, dict] = {}
    for row, c in zip(np.asarray(X).tolist(), np.asarray(y).tolist(), strict=True):
        counts = groups.setdefault(tuple(row), {})
        counts[c] = counts.get(c, 0) + 1
    majority = {g: min(c for c in n if n[c] == max(n.values())) for g, n in groups.items()}
    return np.array(
        [majority[tuple(row)] == c for row, c in zip(np.asarray(X).tolist(), y, strict=True)]
    )


def cwc(X, y):
    rows = denoise(X, y)
    X, y = np.asarray(X)[rows], np.asarray(y)[rows]
    return lcc(Risk(X, y), ascending(relevance(X, y)), 0), rows


def lcc_path(risk, order, D):
    """Return every set that LCC can select for thresholds up to D, largest threshold first, with its risk."""
    path = []
    while risk.value(order) <= D:
        S = lcc(risk, order, D)
        path.append((S, risk.value(S)))
        D = path[-1][1] - 1
    return path


def lvf(risk, order, D, max_tries, rng):
    """Run the Las Vegas filter; the draws are documented on the selector and repeated here."""
    risk(order)
    best, ties = sorted(order), []
    universe = np.array(sorted(order))
    for _ in range(max_tries):
        if not best:
            break
        size = rng.randint(1, len(best) + 1)
        subset = sorted(universe[rng.permutation(len(universe))[:size]].tolist())
        if risk(subset) > D + risk.tolerance:
            continue
        if len(subset) < len(best):
            best, ties = subset, []
        elif subset != best and subset not in ties:
            ties.append(subset)
    return best, ties


def anneal(risk, order, score, rng, *, delta_max=0.4, step=0.1, k=1.0, t_min=0.2, t_max=1000):
    """Run SALCC; ``score`` takes a sorted tuple of features. Return the best set and visited risks."""
    m, low, empty = risk.total, risk.value(order), risk.value([])
    high = min(math.floor(delta_max * m + 1e-9), empty - 1)
    if high < low:
        return lcc(risk, order, low), []

    def state(D):
        features = tuple(sorted(lcc(risk, order, D)))
        return risk.value(features), features, score(features)

    current = best = state(low)
    visited, t = [current[0]], 1
    while k / math.log(t + 1) > t_min and t <= t_max:
        d = min(max(current[0] / m + step * (rng.random_sample() - 0.5), low / m), high / m)
        new = state(math.floor(d * m + 1e-9))
        temperature = k / math.log(t + 1)
        if new[2] >= current[2] or rng.random_sample() < math.exp(
            (new[2] - current[2]) / temperature
        ):
            current = new
        if (new[2], -len(new[1])) > (best[2], -len(best[1])):
            best = new
        visited.append(new[0])
        t += 1
    return list(best[1]), visited
