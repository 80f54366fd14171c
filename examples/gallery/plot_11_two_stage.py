"""
A set for one estimator, and an honest score
============================================

``GBC`` searches the set on which a given estimator does best. The score of the winner is too good, as it was chosen for
it; ``nested_score`` repeats the whole search inside outer folds.
"""

from sklearn.datasets import load_wine
from sklearn.naive_bayes import GaussianNB

from thresher import GBC
from thresher.evaluate import nested_score
from thresher.plots import plot_front

X, y = load_wine(return_X_y=True)
search = GBC(GaussianNB(), population=6, max_cycles=4, target_score=None, random_state=0)
print(nested_score(search, X, y, cv=3))

# %%
# All sets that were scored: a point per size is the best of that size.

plot_front(search.fit(X, y))
