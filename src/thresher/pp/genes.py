"""Genes of an AnnData object."""

from __future__ import annotations

import inspect
import math
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import clone

import thresher
from thresher._utils.checks import check_number, readable, warn
from thresher._utils.long_calls import Reporter, report, reporting_for
from thresher._utils.types import Array, Estimator, Floats, Matrix, Selector, TargetLike, Values
from thresher.io.sparse import check_sparse
from thresher.pp._blocks import GeneValues
from thresher.pp._dispersion import (
    BinnedDispersion,
    GeneRanking,
    Moments,
    TrendDispersion,
    adjusted_dispersion,
    divide,
    read_moments,
)
from thresher.selectors._target import with_target_of
from thresher.selectors._third_party import resize
from thresher.selectors.rfs import RelevanceFilter

if TYPE_CHECKING:
    import pandas as pd
    from anndata import AnnData

# Short names of selectors, with settings for expression values.
METHODS: dict[str, tuple[str, Values]] = {
    "rfs": ("RFS", {}),
    "rrfs": ("RRFS", {"similarity": "pearson"}),
    "variance": ("RFS", {"relevance": "variance"}),
    "laplacian": ("LaplacianScore", {}),
    "fisher": ("FisherScore", {}),
    "f": ("Univariate", {"measure": "f"}),
    "mi": ("Univariate", {"measure": "mi"}),
    "relieff": ("ReliefF", {}),
    "mrmr": ("MRMR", {}),
}
# Rules that rank genes by dispersion, with the order of genes that several batches selected: most batches first, lowest
# median rank first, largest mean score first; then lowest position.
ORDERS = {
    "seurat": ("batches", "score"),
    "seurat_v3": ("median rank", "batches"),
    "seurat_v3_paper": ("batches", "median rank"),
}
RULES = ("dispersion", *ORDERS)
NAMES = (*RULES, *METHODS)
# Default number of genes of methods given by name.
N_TOP_GENES = 2000


def select_genes(
    adata: AnnData,
    *,
    method: str | Selector = "dispersion",
    n_top_genes: int | None = None,
    layer: str | None = None,
    batch_key: str | None = None,
    target_key: str | None = None,
    subset: bool = False,
    inplace: bool = True,
    verbose: int = 0,
) -> pd.DataFrame | None:
    """Select genes and mark them in ``adata.var``, in the columns that scanpy uses.

    Parameters
    ----------
    adata : anndata.AnnData
        Cells x genes. Sparse values stay sparse if the method allows it. Values of a backed object are read in pieces
        by ``"dispersion"`` and the three flavors of scanpy (three times, by ``"seurat"`` four times, with batches more
        often) and, unless they are stored by genes, by ``"rfs"``, ``"rrfs"`` and ``"variance"``. Other methods load
        them into memory, with `batch_key` one batch at a time.
    method : str or selector, default="dispersion"
        - ``"seurat_v3"`` and ``"seurat_v3_paper"``, for counts: variance over the variance expected of the mean.
        - ``"seurat"``, for logarithms of one more than counts, to the base ``adata.uns["log1p"]["base"]`` or e:
          logarithm of variance over mean, standardised among genes of similar mean.
        - ``"dispersion"``: ``"seurat"`` if some values are not integers and none is above 50, else
          ``"seurat_v3_paper"``.
        - Without labels: ``"rrfs"`` (with correlation), ``"rfs"``, ``"variance"``, ``"laplacian"``.
        - With `target_key`: ``"fisher"``, ``"f"``, ``"mi"``, ``"relieff"``, ``"mrmr"``.
        - Any selector of thresher.

        ``"seurat"``, ``"seurat_v3"`` and ``"seurat_v3_paper"`` are the flavors of scanpy with these names.
    n_top_genes : int, default=None
        Number of genes to select, which replaces the number of a selector passed as `method`; fewer if the selector
        stops by itself. None: the number of the selector, 2000 for a method given by name.
    layer : str, default=None
        Values to read; None: ``adata.X``.
    batch_key : str, default=None
        Column of ``adata.obs``. Genes are selected in every batch, then sorted. ``"seurat_v3"`` sorts by median rank,
        then by number of batches; ``"seurat"`` by number of batches, then by mean score; all others by number of
        batches, then by median rank. Ties go to the lowest position.
    target_key : str, default=None
        Column of ``adata.obs`` with the labels, for methods that require them.
    subset : bool, default=False
        Keep only the selected genes in `adata`.
    inplace : bool, default=True
        Write to `adata`; False returns the columns as a dataframe.
    verbose : int, default=0
        1 prints a line per batch, one per piece of a backed object and one at the end. The logger ``thresher`` gets the
        same lines at level INFO.

    Returns
    -------
    None or pandas.DataFrame
        Columns ``highly_variable`` (bool); ``highly_variable_rank`` (0 for the first, nan if not selected; with
        `batch_key` the median over the batches that selected the gene); ``thresher_score`` and ``thresher_relevance``
        (means over batches); ``means``, ``dispersions`` and ``dispersions_norm``. With `batch_key` also
        ``highly_variable_nbatches`` and ``highly_variable_intersection``. For ``"seurat"``, means and
        dispersions are logarithms, and means over batches. All other methods write ``variances`` and ``variances_norm``
        like scanpy's ``seurat_v3``; ``dispersions`` is variance over mean, and ``dispersions_norm`` equals
        ``variances_norm`` (nan if values are negative). scanpy's ``pl.highly_variable_genes`` plots them.
        ``adata.uns["hvg"]`` contains the method.

    Examples
    --------
    >>> import anndata, numpy as np
    >>> from thresher.pp import select_genes
    >>> counts = np.random.default_rng(0).poisson(1.0, size=(50, 20)).astype(np.float32)
    >>> cells = anndata.AnnData(counts)
    >>> select_genes(cells, n_top_genes=5)
    >>> int(cells.var["highly_variable"].sum())
    5
    """
    try:
        import anndata
        import pandas as pd
    except ImportError as error:
        raise ImportError(
            "select_genes needs anndata, which is not installed. Install it with: pip install 'thresher[anndata]'"
        ) from error
    if not isinstance(adata, anndata.AnnData):
        raise ValueError(f"adata must be an anndata.AnnData, got {type(adata).__name__}")
    if n_top_genes is not None:
        check_number("n_top_genes", n_top_genes, minimum=1, integer=True)
    if subset and inplace and adata.isbacked:
        raise ValueError(
            "subset=True would rewrite the file of a backed adata. Pass adata.to_memory(), or set subset=False"
        )
    _check_method(method)
    reporter = Reporter("select_genes", verbose)
    values = GeneValues(_values(adata, layer), reporter)
    moments = None
    if isinstance(method, str) and method in RULES:
        moments = read_moments(values)
        method = _rule(method, moments)
    base = adata.uns.get("log1p", {}).get("base") or math.e
    selector = _selector(method, n_top_genes, base, in_batches=batch_key is not None)
    target = None if target_key is None else _read_obs(adata, target_key, "target_key").to_numpy()
    if batch_key is None:
        fitted = [_fit(selector, values, target, moments)]
        columns = _table_of(fitted[0], n_top_genes)
    else:
        batches = _read_obs(adata, batch_key, "batch_key").to_numpy()
        fitted = _fit_batches(selector, values, target, batches)
        order = method if isinstance(method, str) and method in ORDERS else "seurat_v3_paper"
        columns = _merge_batches(fitted, order, n_top_genes)
    columns.update(_expression(values, moments, fitted, columns["thresher_score"]))
    report(reporter, "%d of %d genes", int(columns["highly_variable"].sum()), values.n_genes)
    frame = pd.DataFrame(columns, index=adata.var_names)
    if not inplace:
        return frame[frame["highly_variable"]] if subset else frame
    for name in frame:
        adata.var[name] = frame[name]
    is_rule = isinstance(selector, GeneRanking)
    adata.uns["hvg"] = {"flavor": method if is_rule else f"thresher-{type(selector).__name__}"}
    if subset:
        adata._inplace_subset_var(frame["highly_variable"].to_numpy())
    return None


def _values(adata: AnnData, layer: str | None) -> Matrix:
    if layer is None:
        return check_sparse(adata.X)
    if layer not in adata.layers:
        raise ValueError(f"layer {layer!r} is not in adata.layers, which has {list(adata.layers)}")
    return check_sparse(adata.layers[layer])


def _expression(
    values: GeneValues, moments: Moments | None, fitted: list[Estimator], scores: Floats
) -> dict[str, Floats]:
    """Return the columns of means, variances and dispersions, as the flavors of scanpy write them."""
    if isinstance(fitted[0], BinnedDispersion):
        return {
            "means": _mean([ranking.means_ for ranking in fitted]),
            "dispersions": _mean([ranking.dispersions_ for ranking in fitted]),
            "dispersions_norm": scores,
        }
    moments = moments or read_moments(values)
    if isinstance(fitted[0], TrendDispersion):
        adjusted = scores
    elif (moments.minimum < 0).any():
        adjusted = np.full(len(moments.means), np.nan)
    else:
        adjusted = adjusted_dispersion(values, moments)
    return {
        "means": moments.means,
        "variances": moments.variances,
        "variances_norm": adjusted,
        "dispersions": divide(moments.variances, moments.means),
        "dispersions_norm": adjusted,
    }


def _read_obs(adata: AnnData, key: str, parameter: str) -> pd.Series:
    if key not in adata.obs:
        raise ValueError(f"{parameter}={key!r} is not in adata.obs, which has {list(adata.obs)}")
    column = adata.obs[key]
    if column.isna().any():
        raise ValueError(
            f"{parameter}={key!r} has missing values in adata.obs. Fill them or drop the cells"
        )
    return column


def _check_method(method: object) -> None:
    if not (method in NAMES if isinstance(method, str) else hasattr(method, "get_support")):
        raise ValueError(f"method must be one of {list(NAMES)} or a selector, got {method!r}")


def _rule(method: str, moments: Moments) -> str:
    """Return the rule of a method, by the values for ``"dispersion"``; warn if the values do not suit the rule."""
    if method == "dispersion":
        return "seurat" if moments.are_logarithms else "seurat_v3_paper"
    if method != "seurat" and not moments.is_whole.all():
        warn(
            f"method={method!r} expects counts, but some values are not integers. "
            'Pass the layer of counts, or method="seurat" for their logarithms'
        )
    return method


def _selector(
    method: str | Selector, n_top_genes: int | None, log_base: float, in_batches: bool
) -> Estimator:
    if isinstance(method, str):
        count = N_TOP_GENES if n_top_genes is None else int(n_top_genes)
        if method == "seurat":
            return BinnedDispersion(count, log_base=log_base, expressed_only=in_batches)
        if method in RULES:
            return TrendDispersion(count)
        name, settings = METHODS[method]
        return getattr(thresher, name)(count, **settings)
    resized = None if n_top_genes is None else resize(method, int(n_top_genes))
    return clone(method) if resized is None else resized


def _fit(
    selector: Estimator, values: GeneValues, target: TargetLike, moments: Moments | None = None
) -> Estimator:
    fitted = clone(selector)
    needs = inspect.signature(fitted.fit).parameters.get("y")
    if target is None and needs is not None and fitted.__sklearn_tags__().target_tags.required:
        raise ValueError(
            f"method {type(fitted).__name__} requires labels. Pass their column of adata.obs as target_key"
        )
    with reporting_for(values.reporter):
        if isinstance(fitted, GeneRanking):
            return fitted.fit_pieces(values, moments)
        if values.is_backed and not values.by_genes and _takes_chunks(fitted):
            return fitted.fit_chunks(values.chunks, target)
        return fitted.fit(values.in_memory(), target)


def _takes_chunks(selector: Estimator) -> bool:
    """Return whether a selector gives the same result from blocks of cells."""
    return (
        isinstance(selector, RelevanceFilter)
        and selector.missing == "error"
        and getattr(selector, "against", "last") == "last"
    )


def _table_of(fitted: Estimator, most: int | None = None) -> Values:
    return _columns(fitted.selected_[:most], fitted.scores_, fitted.relevance_)


def _columns(chosen: Array, scores: Floats, relevance: Floats) -> Values:
    rank = np.full(len(scores), np.nan)
    rank[chosen] = np.arange(len(chosen))
    return {
        "highly_variable": ~np.isnan(rank),
        "highly_variable_rank": rank,
        "thresher_score": scores,
        "thresher_relevance": relevance,
    }


def _fit_batches(
    selector: Estimator, values: GeneValues, target: TargetLike, batches: Array
) -> list[Estimator]:
    labels = np.unique(batches)
    selector = with_target_of(selector, target)
    fitted = []
    for number, label in enumerate(labels, start=1):
        rows = np.flatnonzero(batches == label)
        part = None if target is None else target[rows]
        fitted.append(_fit(selector, values.take(rows), part))
        report(values.reporter, "batch %d/%d: %s", number, len(labels), readable(label))
    return fitted


def _merge_batches(fitted: list[Estimator], order: str, n_top_genes: int | None) -> Values:
    """Return the columns of genes selected in batches: `n_top_genes`, or as many as the most in a batch."""
    tables = [_table_of(selector) for selector in fitted]
    times = np.sum([f["highly_variable"] for f in tables], axis=0)
    ranks = np.stack([f["highly_variable_rank"] for f in tables])
    median = np.full(len(times), np.nan)
    chosen = times > 0
    median[chosen] = np.nanmedian(ranks[:, chosen], axis=0)
    scores = _mean([f["thresher_score"] for f in tables])
    keys = {"batches": -times, "median rank": median, "score": -scores}
    sorted_genes = np.lexsort([keys[name] for name in reversed(ORDERS[order])])
    if n_top_genes is None:
        n_top_genes = max(int(f["highly_variable"].sum()) for f in tables)
    best = sorted_genes[chosen[sorted_genes]][:n_top_genes]
    return {
        **_columns(best, scores, _mean([f["thresher_relevance"] for f in tables])),
        "highly_variable_rank": median,
        "highly_variable_nbatches": times,
        "highly_variable_intersection": times == len(fitted),
    }


def _mean(values: list[Floats]) -> Floats:
    stacked = np.stack(values)
    return divide(np.nansum(stacked, axis=0), (~np.isnan(stacked)).sum(axis=0))
