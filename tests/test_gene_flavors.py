"""The rules for genes that scanpy users know by name."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from tests.gene_counts import simulated
from tests.naive import genes as naive
from thresher._utils.checks import ThresherWarning
from thresher.pp import select_genes

anndata = pytest.importorskip("anndata")

BATCH = np.repeat(["a", "b", "c"], [60, 40, 20])

# Genes that scanpy 1.11 marks among those of `cells`, without batches and with them, and numbers of the first gene.
SCANPY = {
    "seurat": (
        [0, 1, 3, 7, 13, 17, 20, 29, 41, 80, 115, 149],
        [0, 1, 3, 7, 12, 15, 17, 20, 21, 41, 80, 123],
        {"means": 0.41101, "dispersions_norm": 2.379996},
        {"means": 0.40166, "dispersions_norm": 2.000348},
    ),
    "seurat_v3": (
        [0, 1, 7, 8, 11, 15, 17, 20, 21, 25, 26, 29],
        [0, 7, 8, 11, 15, 17, 25, 26, 29, 61, 65, 89],
        {"means": 0.50833, "variances_norm": 1.775313},
        {"means": 0.50833, "variances_norm": 1.70117},
    ),
    "seurat_v3_paper": (
        [0, 1, 7, 8, 11, 15, 17, 20, 21, 25, 26, 29],
        [0, 7, 8, 11, 15, 17, 20, 21, 25, 26, 29, 65],
        {"means": 0.50833, "variances_norm": 1.775313},
        {"means": 0.50833, "variances_norm": 1.70117},
    ),
}


def cells(method, form=np.asarray, counts=None):
    counts = simulated(1, 120, 150, 30)[0] if counts is None else counts
    adata = anndata.AnnData(form(np.log1p(counts) if method == "seurat" else counts))
    adata.obs["batch"] = np.resize(BATCH, len(counts))
    return adata


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_matrix])
@pytest.mark.parametrize("batch_key", [None, "batch"])
@pytest.mark.parametrize("method", SCANPY)
def test_each_rule_marks_the_genes_that_scanpy_marks(method, batch_key, form):
    adata = cells(method, form)
    select_genes(adata, method=method, n_top_genes=12, batch_key=batch_key)
    single, merged, first, merged_first = SCANPY[method]
    marked = np.flatnonzero(adata.var["highly_variable"]).tolist()
    assert marked == (merged if batch_key else single)
    for name, value in (merged_first if batch_key else first).items():
        assert adata.var[name].iloc[0] == pytest.approx(value, abs=1e-5)
    assert adata.uns["hvg"] == {"flavor": method}


@pytest.mark.parametrize("seed", range(3))
def test_variances_beyond_the_trend_are_those_of_their_definition(seed):
    counts, _ = simulated(seed, 60, 40 + 60 * seed, 5)
    frame = select_genes(cells("seurat_v3", counts=counts), n_top_genes=5, inplace=False)
    wanted = naive.trend_dispersion(counts)
    variances = counts.var(axis=0, ddof=1, dtype=float)
    for name in ("variances_norm", "dispersions_norm", "thresher_score"):
        np.testing.assert_allclose(frame[name], wanted, rtol=1e-8)
    np.testing.assert_allclose(frame["means"], counts.mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(frame["variances"], variances, rtol=1e-9)
    with np.errstate(invalid="ignore"):
        ratio = variances / counts.mean(axis=0, dtype=float)
    np.testing.assert_allclose(frame["dispersions"], ratio, rtol=1e-9)


@pytest.mark.parametrize("base", [None, 2.0, 10.0])
@pytest.mark.parametrize("unexpressed", [False, True])
def test_dispersions_within_bins_are_those_of_their_definition(base, unexpressed):
    counts = simulated(3, 60, 80, 5)[0].astype(np.float64)
    counts[:, ~counts.any(axis=0)] = 1
    counts[:, 5] = 0 if unexpressed else counts[:, 5]
    logarithms = np.log1p(counts) / np.log(base or np.e)
    adata = anndata.AnnData(logarithms)
    adata.uns["log1p"] = {"base": base}
    frame = select_genes(adata, method="seurat", n_top_genes=5, inplace=False)
    wanted = naive.binned_dispersion(logarithms, base or np.e)
    np.testing.assert_allclose(frame["dispersions_norm"], wanted, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("method", SCANPY)
def test_batches_are_merged_in_the_order_of_the_rule(method):
    adata = cells(method)
    frame = select_genes(
        adata, method=method, batch_key="batch", n_top_genes=12, inplace=False
    ).reset_index()
    batches = [adata.X[name == BATCH] for name in "abc"]
    rule = naive.trend_dispersion
    if method == "seurat":
        rule = lambda batch: naive.binned_dispersion(batch, expressed_only=True)  # noqa: E731
    genes, times, median = naive.merge([rule(batch) for batch in batches], 12, method)
    assert sorted(genes) == np.flatnonzero(frame["highly_variable"]).tolist()
    assert times == frame["highly_variable_nbatches"].tolist()
    ranks = frame["highly_variable_rank"].dropna()
    assert ranks.to_dict() == median


def test_the_default_recognizes_logarithms():
    counts = simulated(0, 500, 1200, 240)[0]
    depth = counts.sum(axis=1, keepdims=True)
    for adata, method in (
        (cells("seurat", counts=counts / depth * 1e4), "seurat"),
        (cells("seurat_v3", counts=counts), "seurat_v3_paper"),
        (cells("seurat_v3", counts=counts / depth * 1e4), "seurat_v3_paper"),
    ):
        select_genes(adata, n_top_genes=240)
        assert adata.uns["hvg"] == {"flavor": method}
        assert adata.var["highly_variable"][:240].sum() > 180


@pytest.mark.parametrize("method", ["seurat_v3", "seurat_v3_paper"])
def test_rules_for_counts_warn_of_fractions(method):
    with pytest.warns(ThresherWarning, match="expects counts, but some values are not integers"):
        select_genes(anndata.AnnData(cells("seurat").X), method=method, n_top_genes=5)


def test_the_rule_for_logarithms_rejects_large_counts():
    with pytest.raises(
        ValueError, match=r"requires logarithms of counts, but gene \d+ has \d+\. Pass"
    ):
        select_genes(cells("seurat_v3", counts=simulated(0, 100, 150)[0] * 50), method="seurat")


def test_batches_without_a_gene_give_it_no_dispersion():
    adata = cells("seurat")
    adata.X[BATCH != "a", 7] = 0
    adata.X[:, 8] = 0
    frame = select_genes(
        adata, method="seurat", batch_key="batch", n_top_genes=12, inplace=False
    ).reset_index()
    assert frame["highly_variable_nbatches"][7] <= 1
    assert frame.loc[8, ["means", "dispersions", "dispersions_norm"]].tolist() == [0, 0, 0]
