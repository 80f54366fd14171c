"""
Bound the share of false features
=================================

A significance filter (gate) lets only features pass that depend significantly on the target. It bounds the expected
share of false ones. The search selects among those. Here the truth is known, so the bound can be checked.
"""

from thresher import MRMR, ErrorControlled
from thresher.datasets import make_microarray
from thresher.plots import plot_gate

genes = make_microarray(n_samples=120, n_features=600, batch_effect=0, random_state=0)
careful = ErrorControlled(MRMR(20), fdr=0.1, random_state=0).fit(genes.data, genes.target)
true = set(genes.truth.tolist())
passed = careful.gate_.nonzero()[0].tolist()
print(f"{len(passed)} of 600 genes pass, {len(set(passed) - true)} of them false")
print(
    f"{len(careful.selected_)} selected, {len(set(careful.selected_.tolist()) - true)} of them false"
)

# %%

plot_gate(careful)
