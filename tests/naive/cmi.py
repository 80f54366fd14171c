"""The one-pass conditional mutual information filter, entropies from dictionaries of rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from math import log2

MARGIN = 1e-10


@dataclass
class Walk:
    """The features that the walk selected, and the values that it computed."""

    selected: list[int] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    n_evaluations: int = 0
    n_examined: int = 0


def entropy(rows):
    """Return the plug-in entropy in bits of a list of hashable rows."""
    n = len(rows)
    return -sum(c / n * log2(c / n) for c in sorted(Counter(rows).values()))


def information(feature, classes, blocks):
    """Return I(feature; classes | blocks) in bits."""
    with_feature = list(zip(blocks, feature, strict=True))
    with_class = list(zip(blocks, classes, strict=True))
    everything = list(zip(blocks, feature, classes, strict=True))
    value = entropy(with_feature) + entropy(with_class) - entropy(everything) - entropy(blocks)
    return max(0.0, value)


def relevance_order(X, classes):
    """Return the columns by falling I(x; C), rounded to 2^-40; ties by index. Constant ones are left out."""
    nothing = [()] * len(classes)
    columns = [j for j in range(X.shape[1]) if len(set(X[:, j])) > 1]
    value = {j: round(information(list(X[:, j]), classes, nothing) * 2**40) for j in columns}
    return sorted(columns, key=lambda j: (-value[j], j))


def cmi_filter(X, y, n_features=None, *, last="positive", order=None, keep=()):
    """Read the ranked list once; keep a feature that is more informative than its successor."""
    classes = list(y)
    order = relevance_order(X, classes) if order is None else list(order)
    order = [f for f in order if f not in keep]
    limit = len(order) + len(keep) if n_features is None else n_features
    walk = Walk()
    blocks = [()] * len(classes)

    def accept(f, gain):
        nonlocal blocks
        walk.selected.append(f)
        walk.gains.append(gain)
        blocks = [(*block, value) for block, value in zip(blocks, X[:, f], strict=True)]

    def unresolved():
        pairs = list(zip(blocks, classes, strict=True))
        return entropy(pairs) - entropy(blocks) > 1e-9

    for f in keep:
        accept(f, information(list(X[:, f]), classes, blocks))
    known = {}
    for i, f in enumerate(order):
        if len(walk.selected) >= limit or not unresolved():
            break
        walk.n_examined = i + 1
        if not walk.selected:
            accept(f, information(list(X[:, f]), classes, blocks))
            continue
        values = []
        for g in order[i : i + 2]:
            if g not in known:
                known[g] = information(list(X[:, g]), classes, blocks)
                walk.n_evaluations += 1
            values.append(known[g])
        if len(values) == 1:
            taken = last == "positive" and values[0] > MARGIN
        else:
            taken = values[0] > values[1] + MARGIN
        if taken:
            accept(f, values[0])
            known = {}
    return walk


def inner_cmi_filter(X, y, part, n_features=None):
    """Run one walk on the means over the replicates, each without the rows of one part."""
    replicates = [[r for r in range(len(y)) if part[r] != i] for i in sorted(set(part))]

    def mean(f, selected):
        total = 0.0
        for rows in replicates:
            blocks = [tuple(X[r, selected]) for r in rows]
            total += information([X[r, f] for r in rows], [y[r] for r in rows], blocks)
        return total / len(replicates)

    def unresolved(selected):
        for rows in replicates:
            classes = {}
            for r in rows:
                classes.setdefault(tuple(X[r, selected]), set()).add(y[r])
            if any(len(found) > 1 for found in classes.values()):
                return True
        return False

    def rounded_relevance(f):
        total = 0
        for rows in replicates:
            nothing = [()] * len(rows)
            value = information([X[r, f] for r in rows], [y[r] for r in rows], nothing)
            total += round(value * 2**40)
        return total

    varying = [
        f for f in range(X.shape[1]) if any(len({X[r, f] for r in rows}) > 1 for rows in replicates)
    ]
    order = sorted(varying, key=lambda f: (-rounded_relevance(f), f))
    walk = Walk()
    for i, f in enumerate(order):
        if len(walk.selected) == n_features or not unresolved(walk.selected):
            break
        gain = mean(f, walk.selected)
        successor = mean(order[i + 1], walk.selected) if i + 1 < len(order) else 0.0
        if not walk.selected or gain > successor + MARGIN:
            walk.selected.append(f)
            walk.gains.append(gain)
    return walk
