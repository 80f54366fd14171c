"""
Find a set for one estimator, and score it without bias
=======================================================

``GBC`` searches the set on which a given estimator does best. The score of the best set is optimistically biased,
since it was selected by this score. ``nested_score`` repeats the whole search inside outer folds.
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
# All scored sets. One point per size is the best of that size.

plot_front(search.fit(X, y))
