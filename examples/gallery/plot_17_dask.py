"""
Rows on a Dask cluster
======================

A dask dataframe stays where it is: its partitions are packed on the workers, and the selection asks them for counts.
What it finds is what memory would find.
"""

import matplotlib.pyplot as plt
import pandas as pd
from dask import dataframe as dd
from distributed import Client
from sklearn.datasets import load_breast_cancer

from thresher import MRMR

cancer = load_breast_cancer(as_frame=True)
table = dd.from_pandas(cancer.frame, npartitions=4)

# %%
# The active client is used; ``client=`` names another one. This cluster is made of threads of one process;
# ``Client(address)`` connects to a real one.

with Client(processes=False, dashboard_address=":0") as client:
    far = MRMR(6, relevance="mi").fit(table, y="target")

near = MRMR(6, relevance="mi").fit(cancer.data, cancer.target)
print("the same features:", far.selected_.tolist() == near.selected_.tolist())
print(f"{far.n_passes_} readings of the rows, {far.n_rounds_} rounds of questions")

# %%

found = {"on Dask": far, "in memory": near}
scores = pd.DataFrame({where: own.scores_[own.selected_] for where, own in found.items()})
scores.index = cancer.data.columns[far.selected_]
scores[::-1].plot.barh(figsize=(6.4, 3.6), xlabel="score when chosen")
plt.tight_layout()
