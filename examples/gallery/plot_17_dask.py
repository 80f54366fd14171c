"""
Select on a Dask cluster
========================

A dask dataframe stays on the cluster. The workers pack its partitions and return counts. The result is the in-memory
result.
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
# ``fit`` uses the active client; ``client=`` names another one. This cluster consists of threads of one process;
# ``Client(address)`` connects to a real one.

with Client(processes=False, dashboard_address=":0") as client:
    on_dask = MRMR(6, relevance="mi").fit(table, y="target")

in_memory = MRMR(6, relevance="mi").fit(cancer.data, cancer.target)
print("the same features:", on_dask.selected_.tolist() == in_memory.selected_.tolist())
print(f"{on_dask.n_passes_} passes over the rows, {on_dask.n_rounds_} request rounds")

# %%

results = {"on Dask": on_dask, "in memory": in_memory}
scores = pd.DataFrame({name: fit.scores_[fit.selected_] for name, fit in results.items()})
scores.index = cancer.data.columns[on_dask.selected_]
scores[::-1].plot.barh(figsize=(6.4, 3.6), xlabel="score when selected")
plt.tight_layout()
