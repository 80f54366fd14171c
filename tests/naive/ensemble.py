"""Ensembles of mRMR on tables of values, one per replicate."""

from __future__ import annotations

from tests.naive.association import in_bits
from tests.naive.mrmr import mrmr


def full_ensemble(relevance, tables, n_select, candidates=None, **options):
    """Search every replicate separately."""
    return [
        mrmr(
            relevance[i],
            tables[i],
            n_select,
            candidates=None if candidates is None else candidates[i],
            **options,
        )
        for i in range(len(tables))
    ]


def inner_ensemble(relevance, tables, n_select, offset=0.0, **options):
    """Run one search on sums over the replicates; an offset grows with their number. Terms of a product are bits."""
    if options.get("objective") == "product":
        tables = [[[in_bits(value) for value in row] for row in table] for table in tables]
        options["unit"] = len(tables)
    summed = [sum(row) for row in zip(*relevance, strict=True)]
    p = len(summed)
    table = [[sum(t[f][g] for t in tables) for g in range(p)] for f in range(p)]
    return mrmr(summed, table, n_select, offset=offset * len(tables), **options)[0]
