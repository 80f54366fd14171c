"""
Regression: relevance, redundancy, complementarity
==================================================

With a numeric target, RRCT adds the information of a feature *given* those already selected, by partial rank
correlations. The diabetes data have ten features, and the disease progression after a year.
"""

from sklearn.datasets import load_diabetes

from thresher import RRCT
from thresher.plots import plot_tradeoff

X, y = load_diabetes(return_X_y=True, as_frame=True)
selector = RRCT(6).fit(X, y)
plot_tradeoff(selector)

# %%

for name in X.columns[selector.selected_]:
    print(f"{name:4} {selector.reason(name)}")
