"""
Compare rankings
================

Each ranking measures something else: the distance of class means (F, Fisher), the difference between near samples
(ReliefF), the smoothness on a graph without labels (Laplacian score), or when a linear SVM removes the feature
(SVM-RFE).
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from thresher import SVMRFE, LaplacianScore, ReliefF, Univariate

X, y = load_wine(return_X_y=True, as_frame=True)
scaled = StandardScaler().set_output(transform="pandas").fit_transform(X)
p = X.shape[1]
rankings = {
    "F": Univariate(p),
    "mutual information": Univariate(p, measure="mi", pvalues="analytic"),
    "ReliefF": ReliefF(p),
    "SVM-RFE": SVMRFE(p),
    "Laplacian score": LaplacianScore(p),
}
ranks = np.array([ranking.fit(scaled, y).ranking_ for ranking in rankings.values()])

# %%

order = np.argsort(ranks[0])
figure, ax = plt.subplots(figsize=(8.5, 3.4), layout="constrained")
image = ax.imshow(ranks[:, order], cmap="viridis_r", aspect="auto")
for i, j in np.ndindex(ranks.shape):
    rank = ranks[i, order[j]]
    ax.text(j, i, rank, ha="center", va="center", color="white" if rank > p / 2 else "black")
ax.set_yticks(range(len(rankings)), rankings)
ax.set_xticks(range(p), X.columns[order], rotation=40, ha="right")
figure.colorbar(image, label="rank")
