"""
Select from a raw table: categories, missing values, ids
========================================================

One frame contains numbers, text and missing values. Nothing needs encoding; only the meaning of missing values must
be set.
"""

import numpy as np
from sklearn.datasets import load_iris

from thresher import MRMR
from thresher.plots import plot_tradeoff

iris = load_iris(as_frame=True)
rng = np.random.default_rng(0)
table = iris.data.copy()
table["colour"] = np.array(["white", "violet", "violet"])[iris.target]
table.loc[rng.random(150) < 0.2, "colour"] = None
table["site"] = rng.choice(["north", "south"], 150)
table["plant_id"] = [f"P{i:03}" for i in range(150)]

selector = MRMR(4, relevance="mi", missing="category", exclude=["plant_id"]).fit(table, iris.target)
for name in table.columns:
    print(f"{name:18} {selector.reason(name)}")

# %%

plot_tradeoff(selector)
