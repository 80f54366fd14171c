"""
Select relevant, not redundant features
=======================================

A ranking evaluates features one by one. On the breast cancer data, its five best features measure only two things:
the size of the cell nuclei, and their dents. mRMR selects features that add information.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from thresher import MRMR, Univariate

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
lists = {"the five largest F": Univariate(5).fit(X, y), "mRMR": MRMR(5).fit(X, y)}


def correlations(selector):
    names = X.columns[selector.selected_]
    return names, X[names].corr().abs().to_numpy()


# %%
# Every square is the correlation of two selected features. Light squares are near-duplicates.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
for ax, (title, selector) in zip(axes, lists.items(), strict=True):
    names, correlation = correlations(selector)
    image = ax.imshow(correlation, vmin=0, vmax=1, cmap="viridis")
    ax.set_yticks(range(5), names)
    ax.set_xticks([])
    mean = (correlation.sum() - 5) / (5 * 4)
    ax.set_title(f"{title}: mean |r| {mean:.2f}")
figure.colorbar(image, ax=axes, label="|correlation|", shrink=0.9)

# %%
# Why was a feature with a high rank not selected?

for name in ("worst perimeter", "mean perimeter", "worst area"):
    print(f"{name}: {lists['mRMR'].reason(name)}")

# %%
# The default is a difference: high relevance can outweigh redundancy, so concave points come twice. A quotient is
# stricter, and costs relevance.

names, correlation = correlations(MRMR(5, objective="quotient").fit(X, y))
print(*names, sep=", ")
print(f"mean |r| {(correlation.sum() - 5) / (5 * 4):.2f}")
