"""Genes of AnnData objects."""

from __future__ import annotations

import builtins

import numpy as np
import pytest
from scipy import sparse

from thresher import RRFS, FisherScore
from thresher.pp import select_genes

anndata = pytest.importorskip("anndata")


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    counts = rng.poisson(rng.gamma(1.0, 1.0, size=50), size=(90, 50)).astype(np.float32)
    adata = anndata.AnnData(sparse.csr_matrix(np.log1p(counts)))
    adata.layers["counts"] = sparse.csr_matrix(counts)
    adata.obs["batch"] = np.repeat(["a", "b", "c"], 30)
    adata.obs["kind"] = np.where(np.arange(90) % 2, "T", "B")
    return adata


def test_columns_are_written_as_scanpy_users_know_them(cells):
    before = cells.X.copy()
    assert select_genes(cells, n_top_genes=10) is None
    wanted = RRFS(10, similarity="pearson").fit(cells.X)
    assert cells.var["highly_variable"].to_numpy().tolist() == wanted.support_.tolist()
    ranks = cells.var["highly_variable_rank"].to_numpy()
    assert ranks[wanted.selected_].tolist() == list(range(10))
    assert np.isnan(ranks[~wanted.support_]).all()
    np.testing.assert_array_equal(cells.var["thresher_relevance"], wanted.relevance_)
    assert cells.uns["hvg"] == {"flavor": "thresher-RRFS"}
    assert sparse.issparse(cells.X)
    assert (before != cells.X).nnz == 0


def test_layers_methods_and_targets(cells):
    frame = select_genes(
        cells, method="fisher", layer="counts", target_key="kind", n_top_genes=5, inplace=False
    )
    wanted = FisherScore(5).fit(cells.layers["counts"], cells.obs["kind"])
    assert frame["highly_variable"].to_numpy().tolist() == wanted.support_.tolist()
    assert "highly_variable" not in cells.var
    own = select_genes(
        cells, method=FisherScore(), layer="counts", target_key="kind", n_top_genes=5, inplace=False
    )
    assert own.equals(frame)


def test_batches_vote_and_the_median_rank_breaks_ties(cells):
    select_genes(cells, method="variance", batch_key="batch", n_top_genes=8)
    chosen = cells.var["highly_variable"].to_numpy()
    times = cells.var["highly_variable_nbatches"].to_numpy()
    assert chosen.sum() == 8
    assert times[chosen].min() >= times[~chosen].max()
    assert np.array_equal(cells.var["highly_variable_intersection"], times == 3)
    order = np.argsort(cells.var["highly_variable_rank"].to_numpy())[:8]
    assert np.all(np.diff(times[order]) <= 0)


def test_subset_keeps_the_chosen_genes(cells):
    select_genes(cells, n_top_genes=7, subset=True)
    assert cells.shape == (90, 7)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "seurat"}, r"method must be one of"),
        ({"method": 3}, r"or a selector, got 3"),
        ({"layer": "raw"}, r"layer 'raw' is not in adata.layers, which has \['counts'\]"),
        ({"batch_key": "lane"}, r"batch_key='lane' is not in adata.obs"),
        ({"method": "fisher"}, r"FisherScore needs labels; .*target_key"),
        ({"n_top_genes": 0}, r"n_top_genes .*at least 1"),
    ],
)
def test_bad_input_gets_one_sentence(cells, options, words):
    with pytest.raises(ValueError, match=words):
        select_genes(cells, **options)


def test_something_else_than_anndata_is_refused():
    with pytest.raises(ValueError, match=r"must be an anndata.AnnData, got ndarray"):
        select_genes(np.ones((3, 3)))


def test_without_anndata_the_extra_is_named(monkeypatch, cells):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "anndata":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"install thresher\[anndata\]"):
        select_genes(cells)
