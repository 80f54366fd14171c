"""Relevance and redundancy filters written from their definitions: slow, plain and obviously right.

A column is a one-dimensional array, a matrix is samples x features.
"""

from __future__ import annotations

import math

import numpy as np


def is_constant(x):
    return min(x) == max(x)


def mean(x):
    return math.fsum(x) / len(x)


def variance(x):
    centre = mean(x)
    return math.fsum((v - centre) ** 2 for v in x) / len(x)


def quantile(x, fraction):
    """Interpolate linearly at (n - 1) * fraction."""
    ordered = sorted(x)
    position = (len(ordered) - 1) * fraction
    below = math.floor(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


def total_variance(x):
    return variance(x)


def mean_absolute_deviation(x):
    centre = mean(x)
    return math.fsum(abs(v - centre) for v in x) / len(x)


def mean_median(x):
    ordered = sorted(x)
    n = len(ordered)
    median = (ordered[(n - 1) // 2] + ordered[n // 2]) / 2
    return abs(mean(x) - median)


def interquartile_range(x):
    return quantile(x, 0.75) - quantile(x, 0.25)


def am_gm(x):
    """Return the arithmetic over the geometric mean, of positive values only."""
    return math.exp(math.log(mean(x)) - math.fsum(math.log(v) for v in x) / len(x))


def log_amgm(x):
    """Return log of mean(exp(x - mean))."""
    centre = mean(x)
    spread = max(abs(v - centre) for v in x)
    if spread < 1e-3:
        excess = [(v - centre) ** 2 / 2 + (v - centre) ** 3 / 6 + (v - centre) ** 4 / 24 for v in x]
        return math.log1p(math.fsum(excess) / len(x))
    largest = max(x)
    total = math.fsum(math.exp(v - largest) for v in x)
    return largest - centre + math.log(total / len(x))


def fisher_ratio(x, y):
    """Return the distance of the means of two classes over the root of the summed variances."""
    first, second = (np.asarray(x)[np.asarray(y) == c].tolist() for c in sorted(set(y)))
    distance = abs(mean(first) - mean(second))
    spread = variance_or_zero(first) + variance_or_zero(second)
    if spread == 0:
        return math.inf if distance > 0 else 0.0
    return distance / math.sqrt(spread)


def variance_or_zero(x):
    return 0.0 if is_constant(x) else variance(x)


def fisher_score(x, y):
    """Return the between-class over within-class scatter."""
    overall = mean(x)
    between = within = 0.0
    for c in sorted(set(y)):
        members = np.asarray(x)[np.asarray(y) == c].tolist()
        between += len(members) * (mean(members) - overall) ** 2
        within += len(members) * variance_or_zero(members)
    if within == 0:
        return math.inf if not is_constant(x) else 0.0
    return between / within


MEASURES = {
    "variance": total_variance,
    "mad": mean_absolute_deviation,
    "mean-median": mean_median,
    "iqr": interquartile_range,
    "am/gm": am_gm,
    "amgm": log_amgm,
}


def relevance(x, measure, y=None):
    x = np.asarray(x, dtype=float).tolist()
    if is_constant(x):
        return 0.0
    if measure in MEASURES:
        return MEASURES[measure](x)
    return {"fir": fisher_ratio, "fisher": fisher_score}[measure](x, list(y))


def cosine(a, b):
    norms = math.sqrt(math.fsum(v * v for v in a)) * math.sqrt(math.fsum(v * v for v in b))
    if norms == 0:
        return 0.0
    return min(1.0, abs(math.fsum(u * v for u, v in zip(a, b, strict=True))) / norms)


def pearson(a, b):
    if is_constant(a) or is_constant(b):
        return 0.0
    ma, mb = mean(a), mean(b)
    return cosine([v - ma for v in a], [v - mb for v in b])


def mici(a, b):
    """Return 1 - smaller eigenvalue of the covariance over the smaller variance."""
    if is_constant(a) or is_constant(b):
        return 0.0
    ma, mb = mean(a), mean(b)
    covariance = math.fsum((u - ma) * (v - mb) for u, v in zip(a, b, strict=True)) / len(a)
    va, vb = variance(a), variance(b)
    smallest = float(np.linalg.eigvalsh([[va, covariance], [covariance, vb]])[0])
    return min(1.0, max(0.0, 1 - smallest / min(va, vb)))


def equal_frequency_codes(x, n_bins):
    """Return bin = floor(B (2 less + equal) / (2 n)), renumbered."""
    values = list(x)
    n = len(values)
    raw = [
        n_bins * (2 * sum(u < v for u in values) + sum(u == v for u in values)) // (2 * n)
        for v in values
    ]
    seen = sorted(set(raw))
    return [seen.index(code) for code in raw]


def entropy(codes):
    n = len(codes)
    return -math.fsum(codes.count(c) / n * math.log2(codes.count(c) / n) for c in set(codes))


def mutual_information(a, b):
    a, b = list(a), list(b)
    return max(0.0, entropy(a) + entropy(b) - entropy(list(zip(a, b, strict=True))))


def symmetrical_uncertainty(a, b):
    a, b = list(a), list(b)
    total = entropy(a) + entropy(b)
    return 2 * mutual_information(a, b) / total if total > 0 else 0.0


SIMILARITIES = {"cosine": cosine, "pearson": pearson, "mici": mici}


def similarity(a, b, measure):
    if measure == "su":
        value = symmetrical_uncertainty(equal_frequency_codes(a, 8), equal_frequency_codes(b, 8))
    else:
        value = SIMILARITIES[measure](
            np.asarray(a, dtype=float).tolist(), np.asarray(b, dtype=float).tolist()
        )
    return round(value * 2.0**40) / 2.0**40


def difficulty_ratio(X, y):
    arities = [len(set(equal_frequency_codes(column, 8))) for column in np.asarray(X).T.tolist()]
    return len(X) / (np.median(arities) * len(set(y)))


def ranked(relevances):
    return sorted(range(len(relevances)), key=lambda i: (-relevances[i], i))


def cumulative_count(relevances, fraction):
    """Return the smallest m whose m largest relevances make up the fraction of the sum."""
    ordered = sorted(relevances, reverse=True)
    total = 0.0
    for value in ordered:
        total += value
    reached = 0.0
    for m, value in enumerate(ordered, start=1):
        reached += value
        if reached >= fraction * total:
            return m
    return len(ordered)


def rfs(X, relevances, m):
    columns = np.asarray(X).T
    return [i for i in ranked(relevances) if not is_constant(columns[i])][:m]


def rrfs(X, relevances, m, max_similarity, measure, *, against="last", scan="all", stop_mass=None):
    """Run the corrected walk; return kept features and the similarities compared, in order."""
    columns = np.asarray(X).T
    order = [i for i in ranked(relevances) if relevances[i] > 0]
    if scan == "top":
        order = order[:m]
    if not order:
        return [], []
    kept, met = [order[0]], []
    for i in order[1:]:
        if len(kept) == m:
            break
        if stop_mass is not None and sum(relevances[j] for j in kept) >= stop_mass * sum(
            relevances
        ):
            break
        rejected = False
        for j in kept if against == "all" else kept[-1:]:
            value = similarity(columns[i], columns[j], measure)
            met.append(value)
            if not value < max_similarity:
                rejected = True
                break
        if not rejected:
            kept.append(i)
    return kept, met
