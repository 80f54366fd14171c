"""GBC, GBC+ and MRMR-GA from their definitions, one set after the other, without a table of scored sets.

Solutions are sets of pool positions. Random numbers come from the streams of the package (seed, cycle, purpose, bee),
so that whole searches can be compared; everything else is reimplemented.
"""

from __future__ import annotations

import math

import numpy as np


def probabilities(q, gamma):
    """Return P_gamma(i) = (1 - gamma) gamma^(i-1) / (1 - gamma^q), i = 1..q."""
    return [(1 - gamma) * gamma ** (i - 1) / (1 - gamma**q) for i in range(1, q + 1)]


def shift(x, d, q):
    k = int(math.copysign(math.floor(abs(d) + 0.5), d))
    if k == 0:
        k = 1 if d >= 0 else -1
    if 0 <= x + k < q:
        return x + k
    if 0 <= x - k < q:
        return x - k
    return max(0, min(q - 1, x + k))


def order(solution, fit):
    return (-fit, len(solution), sorted(solution))


def roulette(fits):
    total = sum(fits)
    return [f / total for f in fits] if total else [1 / len(fits)] * len(fits)


def goodness(solutions, fits, q):
    mean = sum(fits) / len(fits)
    good = [f > mean + 1e-12 for f in fits]
    plus = sum(f for f, g in zip(fits, good, strict=True) if g)
    minus = sum(f for f, g in zip(fits, good, strict=True) if not g)
    found = []
    for feature in range(q):
        value = 0.0
        for s, f, g in zip(solutions, fits, good, strict=True):
            if feature in s and g and plus:
                value += f / plus
            if feature in s and not g and minus:
                value -= f / minus
        found.append(value)
    return found


def intensify(queen, promise, fit, kept=0):
    queen = set(queen)
    while True:
        options = [f for f, value in enumerate(promise) if value > 0 and f not in queen]
        best = max(options, key=lambda f: (fit(queen | {f}), abs(promise[f]), -f), default=None)
        if best is None or fit(queen | {best}) <= fit(queen):
            break
        queen.add(best)
    while len(queen) > 1:
        options = [f for f in queen if promise[f] <= 0 and f >= kept]
        best = max(options, key=lambda f: (fit(queen - {f}), abs(promise[f]), -f), default=None)
        if best is None or fit(queen - {best}) <= fit(queen):
            break
        queen.remove(best)
    return queen


def pick(weights, u):
    """Return the index at which the sum of the weights exceeds u times their total."""
    running = 0.0
    for i, weight in enumerate(weights):
        running += weight
        if running > u * sum(weights):
            return i
    return max(i for i, weight in enumerate(weights) if weight > 0)


class Colony:
    """One search over positions 0..q-1; the first `kept` of them are in every set."""

    def __init__(self, fit, q, seed, *, plus, population, limit, rate=0.01, kept=0):
        self.fit, self.q, self.seed, self.plus = fit, q, seed, plus
        self.population, self.limit, self.rate = population, limit, rate
        self.kept = set(range(kept))
        self.cycle = 0
        self.bees = [self.build(i, 0) for i in range(population)]
        self.trials = [0] * population
        self.queen = min(self.bees, key=lambda s: order(s, fit(s)))

    def rng(self, purpose, bee=0):
        return np.random.default_rng((self.seed, self.cycle, purpose, bee))

    def build(self, bee, purpose):
        rng = self.rng(purpose, bee)
        p = [1 / self.q] * self.q
        if self.plus:
            p = probabilities(self.q, 1 - 1 / (bee + 2))
        solution = set(self.kept)
        while len(solution) < self.q:
            left = [0 if i in solution else p[i] for i in range(self.q)]
            grown = solution | {pick(left, rng.random())}
            if solution and self.fit(grown) <= self.fit(solution):
                break
            solution = grown
        return solution

    def accept(self, i, solution):
        if solution and self.fit(solution) > self.fit(self.bees[i]):
            self.bees[i], self.trials[i] = solution, 0
        else:
            self.trials[i] += 1

    def crown(self, solution):
        if order(solution, self.fit(solution)) < order(self.queen, self.fit(self.queen)):
            self.queen = solution

    def neighbour(self, own, other, rng):
        own, other = sorted(own), sorted(other)
        i = int(rng.integers(len(own)))
        d = rng.uniform(-1, 1) * (own[i] - other[i % len(other)])
        return (set(own) - {own[i]}) | {shift(own[i], d, self.q)} | self.kept

    def run_cycle(self):
        before = [set(s) for s in self.bees]
        for i, own in enumerate(before):
            if len(before) > 1:
                rng = self.rng(1, i)
                others = [s for j, s in enumerate(before) if j != i]
                self.accept(i, self.neighbour(own, others[int(rng.integers(len(others)))], rng))
        for solution in self.bees:
            self.crown(solution)
        before, queen = [set(s) for s in self.bees], set(self.queen)
        p = roulette([self.fit(s) for s in before])
        for i in range(self.population):
            rng = self.rng(2, i)
            bee = pick(p, rng.random())
            child = queen & before[bee]
            for f in sorted(queen ^ before[bee]):
                if rng.random() < 0.5:
                    child.add(f)
            self.accept(bee, child | self.kept)
        for solution in self.bees:
            self.crown(solution)
        for i in range(self.population):
            if self.trials[i] > self.limit:
                self.bees[i], self.trials[i] = self.build(i, 3), 0
                self.crown(self.bees[i])
        if self.plus:
            promise = goodness(self.bees, [self.fit(s) for s in self.bees], self.q)
            self.crown(intensify(self.queen, promise, self.fit, len(self.kept)))
        else:
            self.crown(self.mutated())
        self.cycle += 1

    def mutated(self):
        rng = self.rng(4)
        moved = set(self.kept)
        for i, x in enumerate(sorted(self.queen)):
            if rng.random() < self.rate:
                other = sorted(self.bees[int(rng.integers(self.population))])
                x = shift(x, rng.uniform(-1, 1) * (x - other[i % len(other)]), self.q)
            moved.add(x)
        return moved


def fill_pool(fit, step, largest, patience, target):
    """Return the size of the pool: it grows until the score of all of it is reached, or stops rising."""
    size, best, idle = 0, -math.inf, 0
    while True:
        size = min(size + step, largest)
        score = fit(set(range(size)))
        idle = 0 if score > best else idle + 1
        best = max(best, score)
        if score >= target or size == largest or idle == patience:
            return size


def genetic(fit, q, seed, *, population, generations, crossover=0.8, mutation=0.02):
    """Return the best set of each generation."""

    def nonempty(bits, rng):
        return {i for i in range(q) if bits[i]} or {int(rng.integers(q))}

    solutions = []
    for i in range(population):
        rng = np.random.default_rng((seed, 0, 0, i))
        solutions.append(nonempty([u < 0.5 for u in rng.random(q)], rng))
    bests = []
    for generation in range(generations + 1):
        best = min(solutions, key=lambda s: order(s, fit(s)))
        bests.append(best)
        children = [best]
        for i in range(1, population):
            rng = np.random.default_rng((seed, generation, 1, i))
            parents = []
            for _ in range(2):
                a, b = (solutions[int(k)] for k in rng.integers(population, size=2))
                parents.append(b if order(b, fit(b)) < order(a, fit(a)) else a)
            bits = [f in parents[0] for f in range(q)]
            if rng.random() < crossover:
                bits = [
                    (f in parents[0]) if u < 0.5 else (f in parents[1])
                    for f, u in enumerate(rng.random(q))
                ]
            bits = [bit != (u < mutation) for bit, u in zip(bits, rng.random(q), strict=True)]
            children.append(nonempty(bits, rng))
        solutions = children
    return bests
