"""
Relevant, and not redundant
===========================

A ranking takes the best features one by one. On the breast-cancer data these are two things said six times: how large
the cell nuclei are, and how dented. mRMR takes what the others do not say yet; its quotient is the strictest form of
that, the default (a difference) weighs relevance more.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from thresher import MRMR, Univariate

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
lists = {
    "the six largest F": Univariate(6).fit(X, y),
    "mRMR, a quotient": MRMR(6, objective="quotient").fit(X, y),
}

# %%
# Every square is the correlation of two chosen features: light ones repeat each other.

figure, axes = plt.subplots(1, 2, figsize=(10, 3.5), layout="constrained")
for ax, (title, selector) in zip(axes, lists.items(), strict=True):
    names = X.columns[selector.selected_]
    correlation = X[names].corr().abs().to_numpy()
    image = ax.imshow(correlation, vmin=0, vmax=1, cmap="viridis")
    ax.set_yticks(range(6), names)
    ax.set_xticks([])
    mean = (correlation.sum() - 6) / (6 * 5)
    ax.set_title(f"{title}: mean |r| {mean:.2f}")
figure.colorbar(image, ax=axes, label="|correlation|", shrink=0.9)

# %%
# Why was a feature left that ranks high by itself?

for name in ("worst perimeter", "mean concave points", "worst area"):
    print(f"{name}: {lists['mRMR, a quotient'].reason(name)}")
