"""
Bound the errors by votes
=========================

Votes over random halves of the rows have an error bound: on average, at most ``error_bound_`` features are selected
that the selector would rarely select.
"""

from sklearn.datasets import load_breast_cancer

from thresher import MRMR, Ensemble
from thresher.plots import plot_votes

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
halves = Ensemble(MRMR(5), n_parts=40, kind="halves", random_state=0).fit(X, y)
plot_votes(halves, n_features=12)

# %%

print(halves.get_feature_names_out().tolist())
print(f"bound on rarely selected features among them: {halves.error_bound_:.2f}")
print(halves.reason("mean texture"))
