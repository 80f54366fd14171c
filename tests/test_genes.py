"""Genes of AnnData objects."""

from __future__ import annotations

import builtins
import itertools
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import spearmanr

from tests.examples import some
from tests.gene_counts import simulated
from thresher import LCC, MRMR, RFS, RRFS, Chain, Ensemble, FisherScore
from thresher.pp import _blocks, select_genes

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
    assert select_genes(cells, method="rrfs", n_top_genes=10) is None
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


def test_the_default_finds_markers_and_does_not_follow_the_mean():
    counts, _ = simulated()
    adata = anndata.AnnData(sparse.csr_matrix(counts))
    select_genes(adata, n_top_genes=150)
    chosen = adata.var["highly_variable"].to_numpy()
    assert chosen[:150].sum() >= 90
    assert abs(spearmanr(counts.mean(axis=0), adata.var["thresher_score"])[0]) < 0.5
    dense = select_genes(anndata.AnnData(counts), n_top_genes=150, inplace=False)
    np.testing.assert_allclose(dense["thresher_score"], adata.var["thresher_score"], rtol=1e-9)
    by_variance = select_genes(adata, method="variance", n_top_genes=150, inplace=False)
    assert by_variance["highly_variable"].to_numpy()[:150].sum() < 60


def test_the_number_of_the_user_wins(cells):
    own = select_genes(cells, method=FisherScore(5), target_key="kind", inplace=False)
    assert own["highly_variable"].sum() == 5
    requested = select_genes(
        cells, method=FisherScore(5), target_key="kind", n_top_genes=7, inplace=False
    )
    assert requested["highly_variable"].sum() == 7
    batches = select_genes(
        cells, method=FisherScore(5), target_key="kind", batch_key="batch", inplace=False
    )
    assert batches["highly_variable"].sum() == 5


FORMS = {"csr": sparse.csr_matrix, "csc": sparse.csc_matrix, "dense": lambda X: X.toarray()}


WAYS = itertools.product(
    [_blocks.BLOCK_VALUES, 300],
    ["dispersion", "rrfs", "variance", "fisher", "mrmr"],
    [None, "batch"],
)


@pytest.fixture(params=FORMS)
def backed(request, cells, tmp_path):
    """Return the cells in a file."""
    values = FORMS[request.param](cells.X)
    anndata.AnnData(values, obs=cells.obs).write_h5ad(tmp_path / "cells.h5ad")
    adata = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    yield adata
    adata.file.close()


@pytest.mark.parametrize(("block_values", "method", "batch_key"), some(WAYS, 3))
def test_backed_objects_give_the_result_of_memory(
    cells, backed, block_values, method, batch_key, monkeypatch
):
    monkeypatch.setattr(_blocks, "BLOCK_VALUES", block_values)
    options = {"method": method, "n_top_genes": 10, "batch_key": batch_key, "target_key": "kind"}
    wanted = select_genes(cells, **options, inplace=False)
    found = select_genes(backed, **options, inplace=False)
    assert found["highly_variable"].tolist() == wanted["highly_variable"].tolist()
    for name in ("means", "dispersions", "dispersions_norm", "thresher_score"):
        # Sums over pieces may differ in their last bits.
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-6)
    select_genes(backed, **options)
    assert backed.var["highly_variable"].sum() == 10


def test_backed_objects_are_not_read_at_once(tmp_path, monkeypatch):
    counts = np.random.default_rng(0).poisson(1.0, (4000, 300)).astype(np.float64)
    for name, values in {"dense": counts, "sparse": sparse.csr_matrix(counts)}.items():
        anndata.AnnData(values).write_h5ad(tmp_path / f"{name}.h5ad")
        monkeypatch.setattr(_blocks, "BLOCK_VALUES", 1 << 15)
        backed = anndata.read_h5ad(tmp_path / f"{name}.h5ad", backed="r")
        select_genes(backed, n_top_genes=10)  # what is imported or kept for good is not counted
        tracemalloc.start()
        select_genes(backed, n_top_genes=10)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        backed.file.close()
        assert peak < counts.nbytes / 3


def test_backed_objects_cannot_be_cut(backed):
    with pytest.raises(ValueError, match="subset=True would rewrite the file"):
        select_genes(backed, n_top_genes=10, subset=True)


def test_bad_values_are_rejected_by_name(tmp_path):
    values = np.ones((6, 3))
    values[:, 1] = [1, 2, np.nan, 3, 4, np.inf]
    anndata.AnnData(values).write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    with pytest.raises(ValueError, match="gene 1 has 2 NaN or infinite values"):
        select_genes(backed, n_top_genes=1)
    backed.file.close()


@pytest.mark.parametrize("method", ["dispersion", "rrfs"])
def test_verbose_prints_what_is_logged(backed, method, monkeypatch, capsys, caplog):
    monkeypatch.setattr(_blocks, "BLOCK_VALUES", 2500)
    options = {"method": method, "batch_key": "batch", "n_top_genes": 5}
    with caplog.at_level("INFO", logger="thresher"):
        select_genes(backed, **options)
    assert capsys.readouterr().out == ""
    select_genes(backed, **options, verbose=1)
    printed = capsys.readouterr().out.splitlines()
    assert printed == [record.getMessage() for record in caplog.records]
    batches = [line for line in printed if " batch " in line]
    assert batches == [f"[select_genes] batch {i}/3: {name}" for i, name in enumerate("abc", 1)]
    assert any(line.startswith("[select_genes] read ") for line in printed)
    assert printed[-1] == "[select_genes] 5 of 50 genes"


def test_values_below_zero_are_rejected_by_the_dispersion_only(cells):
    scaled = anndata.AnnData(cells.X.toarray() - 1)
    with pytest.raises(ValueError, match=r"requires counts or their logarithms, but gene 0 has -1"):
        select_genes(scaled)
    select_genes(scaled, method="variance", n_top_genes=5)
    assert scaled.var["dispersions_norm"].isna().all()


def test_subset_keeps_the_chosen_genes(cells):
    select_genes(cells, n_top_genes=7, subset=True)
    assert cells.shape == (90, 7)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "cell_ranger"}, r"method must be one of"),
        ({"method": 3}, r"or a selector, got 3"),
        ({"layer": "raw"}, r"layer 'raw' is not in adata.layers, which has \['counts'\]"),
        ({"batch_key": "lane"}, r"batch_key='lane' is not in adata.obs"),
        ({"method": "fisher"}, r"FisherScore requires labels. .*target_key"),
        ({"n_top_genes": 0}, r"n_top_genes .*at least 1"),
    ],
)
def test_bad_input_gets_a_one_line_error(cells, options, words):
    with pytest.raises(ValueError, match=words):
        select_genes(cells, **options)


def test_something_else_than_anndata_is_rejected():
    with pytest.raises(ValueError, match=r"must be an anndata.AnnData, got ndarray"):
        select_genes(np.ones((3, 3)))


def test_without_anndata_the_extra_is_named(monkeypatch, cells):
    real = builtins.__import__

    def without(name, *arguments, **options):
        if name == "anndata":
            raise ImportError(name)
        return real(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"install 'thresher\[anndata\]'"):
        select_genes(cells)


@pytest.mark.parametrize(
    "method",
    [
        Ensemble(FisherScore(3), 3, kind="full"),
        Chain([RFS(30), FisherScore(3)]),
        Chain([RFS(30), Ensemble(MRMR(3), 3)]),
    ],
    ids=["ensemble", "chain", "ensemble in a chain"],
)
@pytest.mark.parametrize("batch_key", [None, "batch"])
def test_the_requested_number_reaches_the_selector_inside(cells, method, batch_key):
    frame = select_genes(
        cells,
        method=method,
        n_top_genes=7,
        target_key="kind",
        batch_key=batch_key,
        inplace=False,
    )
    assert frame["highly_variable"].sum() == 7


def test_the_first_features_of_a_method_without_a_number_are_used(cells):
    whole = select_genes(cells, method=LCC(), target_key="kind", inplace=False)
    assert whole["highly_variable"].sum() > 2
    frame = select_genes(cells, method=LCC(), n_top_genes=2, target_key="kind", inplace=False)
    wanted = whole.index[whole["highly_variable_rank"] < 2]
    assert frame.index[frame["highly_variable"]].tolist() == wanted.tolist()
