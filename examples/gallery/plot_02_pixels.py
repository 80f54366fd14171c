"""
Compare criteria: pixels of digits
==================================

Handwritten digits are 8 x 8 pixels, and neighbouring pixels carry nearly the same information. Four criteria select
twelve of them: by information alone (MIM), minus redundancy (mRMR), or by joint information of pixels (JMI, CMIM).
They agree on most, and the last two do slightly better.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from thresher import CMIM, JMI, MIM, MRMR

X, y = load_digits(return_X_y=True)
X = X // 4  # five levels of grey, so that pixels can be counted
selectors = {
    "MIM, a ranking": MIM(12),
    "mRMR": MRMR(12, relevance="mi", redundancy="mi"),
    "JMI": JMI(12),
    "CMIM": CMIM(12),
}

# %%
# Below each picture: accuracy of naive Bayes on the twelve pixels, with the selection inside the folds. The
# numbers are the order of selection.

figure, axes = plt.subplots(1, 4, figsize=(11, 3.4), layout="constrained")
for ax, (name, selector) in zip(axes, selectors.items(), strict=True):
    ax.imshow(X.mean(axis=0).reshape(8, 8), cmap="Greys", alpha=0.35)
    for rank, pixel in enumerate(selector.fit(X, y).selected_, start=1):
        ax.text(pixel % 8, pixel // 8, rank, ha="center", va="center", color="C3", weight="bold")
    accuracy = np.mean(cross_val_score(make_pipeline(selector, GaussianNB()), X, y, cv=5))
    ax.set(title=name, xlabel=f"accuracy {accuracy:.2f}", xticks=[], yticks=[])
