"""
Avoid leakage
=============

The data are pure noise with random labels. Selecting features on all rows and cross-validating afterwards reports a
high accuracy, because the selection used the test rows. With the selection inside the folds, the accuracy is close to
the true one half.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from thresher import MRMR

wrong, right = [], []
for seed in range(20):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((60, 1000)), rng.permutation(np.arange(60) % 2)
    selected = MRMR(10).fit(X, y).selected_
    wrong.append(cross_val_score(GaussianNB(), X[:, selected], y, cv=5).mean())
    right.append(cross_val_score(make_pipeline(MRMR(10), GaussianNB()), X, y, cv=5).mean())
print(f"selection before the folds: {np.mean(wrong):.2f}; inside the folds: {np.mean(right):.2f}")

# %%

ax = plt.figure(figsize=(6.4, 3.2), layout="constrained").gca()
ax.boxplot([right, wrong], orientation="horizontal", widths=0.5)
ax.set_yticks([1, 2], ["inside the folds", "before the folds"])
ax.axvline(0.5, color="C3", linestyle="--", label="true accuracy")
ax.set(xlabel="accuracy of 5-fold cross-validation, 20 sets of pure noise", xlim=(0.2, 1))
ax.legend(loc="upper left")
