"""
Select a stable list: ensembles
===============================

Omit a tenth of the patients, select again, and compare the lists. An ensemble selects without each of 20 parts of the
rows and takes a vote. Its lists agree better.
"""

from thresher import MRMR, Ensemble
from thresher.datasets import make_microarray
from thresher.evaluate.stability import compare_curves, stability_curve
from thresher.plots import plot_stability

genes = make_microarray(n_samples=80, n_features=1000, effect=0.8, random_state=0)
settings = {"k": range(1, 31), "n_repeats": 3, "random_state": 0}
mrmr = MRMR(relevance="f")  # F over the mean correlation
plain = stability_curve(mrmr, genes.data, genes.target, name="MRMR", **settings)
voted = stability_curve(Ensemble(mrmr), genes.data, genes.target, name="Ensemble", **settings)
plot_stability([plain, voted])

# %%
# Is the difference at 20 features significant?

difference = compare_curves(voted, plain)
print(f"p-value at k = 20: {difference.pvalue[list(settings['k']).index(20)]:.1g}")
