"""
Select genes of single cells
============================

The data are sparse counts in an ``AnnData`` object. Without labels, ``select_genes`` ranks by variance over the
variance of genes of similar mean. With labels, any selector finds markers.
"""

import anndata
import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from thresher.pp import select_genes

rng = np.random.default_rng(0)
cell_type = rng.integers(0, 3, 400)
means = rng.lognormal(-1, 1.2, 1500)
rate = np.tile(means, (400, 1))
for kind in range(3):  # twenty marker genes for each type of cell
    rate[np.ix_(cell_type == kind, np.arange(20 * kind, 20 * kind + 20))] *= 4
cells = anndata.AnnData(sparse.csr_matrix(rng.poisson(rate).astype(np.float32)))
cells.obs["type"] = cell_type.astype(str)

select_genes(cells, n_top_genes=60)
selected = cells.var["highly_variable"].to_numpy()
marked = select_genes(cells, method="mrmr", target_key="type", n_top_genes=60, inplace=False)
print(f"markers among 60 genes, no labels: {selected[:60].sum()}")
print(f"markers among 60 genes, mRMR with labels: {marked['highly_variable'][:60].sum()}")

# %%

ax = plt.figure(figsize=(6.4, 4)).gca()
for mask, label in ((~selected, "not selected"), (selected, "selected")):
    ax.scatter(cells.var["means"][mask], cells.var["dispersions_norm"][mask], s=8, label=label)
ax.set(xlabel="mean count", ylabel="variance over that of genes of similar mean", xscale="log")
ax.legend()
