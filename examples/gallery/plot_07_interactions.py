"""
Find features that matter only in combination
=============================================

The class is the parity of two bits: each alone is uninformative. Rankings and mRMR cannot find them. Methods that
evaluate sets of features (LCC) or neighbours (ReliefF) can.
"""

import matplotlib.pyplot as plt
import numpy as np

from thresher import LCC, MRMR, ReliefF, Univariate
from thresher.datasets import make_xor

selectors = {"Univariate": Univariate(2), "MRMR": MRMR(2), "ReliefF": ReliefF(2), "LCC": LCC(0)}
found = dict.fromkeys(selectors, 0)
for seed in range(20):
    bits = make_xor(n_samples=1000, n_features=8, random_state=seed)
    for name, selector in selectors.items():
        selected = selector.fit(bits.data, bits.target).selected_
        found[name] += set(bits.truth) == set(selected)
print(found)

# %%

ax = plt.figure(figsize=(6.4, 2.8), layout="constrained").gca()
ax.barh(list(found), np.array(list(found.values())), color=["C7", "C7", "C0", "C0"])
ax.set(xlabel="data sets of 20 where exactly the two deciding bits were selected", xlim=(0, 20))
ax.set_xticks(range(0, 21, 5))
ax.invert_yaxis()
