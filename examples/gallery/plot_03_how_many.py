"""
Choose the number of features
=============================

``select_k`` cross-validates the number of features, with the selection inside the folds. It returns the smallest
number whose score is within one standard error of the best.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB

from thresher import MRMR
from thresher.evaluate import select_k

X, y = load_breast_cancer(return_X_y=True)
number = select_k(MRMR(), X, y, GaussianNB(), k=range(1, 21), cv=10, random_state=0)
print(f"{number.k} features are enough; the best mean is that of {number.best_k}")

# %%
# One fit per fold serves all numbers, because a greedy search is nested.

ax = plt.figure(figsize=(6.4, 4)).gca()
ax.errorbar(number.sizes, number.mean, number.standard_error, marker="o", capsize=3)
ax.axvline(number.k, color="C3", linestyle="--", label=f"selected: {number.k}")
ax.set(xlabel="features", ylabel="accuracy on unseen rows", xticks=range(0, 21, 5))
ax.legend()
