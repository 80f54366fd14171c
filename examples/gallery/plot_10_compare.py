"""
Compare selectors with their uncertainty
========================================

``compare`` selects inside the folds, scores estimators on the remaining rows, and tests the differences over data
sets. Four data sets are few: expect the bar of *no difference* to join most methods.
"""

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB

from thresher import JMI, MRMR, ReliefF, Univariate
from thresher.evaluate import compare
from thresher.plots import plot_critical_difference, plot_scores

selectors = {
    "F ranking": Univariate(),
    "MRMR": MRMR(),
    "JMI": JMI(),
    "ReliefF": ReliefF(n_samples=200, random_state=0),
}
data = {
    "breast": load_breast_cancer(),
    "digits": load_digits(),
    "iris": load_iris(),
    "wine": load_wine(),
}
comparison = compare(
    selectors, data, {"naive Bayes": GaussianNB()}, k=[1, 2, 3], random_state=0, progress=False
)
print(comparison.scores(k=3).round(3))

# %%

plot_critical_difference(comparison)

# %%

plot_scores(comparison, data="digits")
