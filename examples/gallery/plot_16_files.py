"""
Select from a file
==================

The rows need not be in memory. ``fit`` accepts the path of a Parquet, Feather or CSV file and the name of the target
column. It reads the file once, some columns at a time, and packs them to a few bits a value. The result is
bit-identical to the in-memory result. The example needs the extra ``arrow``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from thresher import MRMR

# %%
# A table of 30,000 rows and 200 columns is written in row groups, as by a database. Ten columns are informative about
# the class, each less than the one before. Every second of them is a near-duplicate of its neighbour.

rng = np.random.default_rng(0)
label = rng.integers(0, 2, 30_000)
columns = rng.normal(size=(200, 30_000))
for i in range(10):
    columns[i] += label * (1 - 0.08 * i)
    if i % 2:
        columns[i] = 0.9 * columns[i - 1] + 0.3 * columns[i]
table = pa.table({**{f"x{i}": column for i, column in enumerate(columns)}, "label": label})

folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "table.parquet"
parquet.write_table(table, path, row_group_size=10_000, use_dictionary=False)
print(f"{path.stat().st_size / 1e6:.0f} MB")

# %%
# Reading may use 16 MB of memory, a third of the table.

selector = MRMR(8, relevance="mi", discretize="equal-frequency")
selector.fit(path, y="label", memory_limit="16MB")
names = selector.get_feature_names_out()
print(selector.n_passes_, "pass:", *selector.feature_names_in_[selector.selected_])

in_memory = MRMR(8, relevance="mi", discretize="equal-frequency")
in_memory.fit(table.drop_columns(["label"]), label)
assert in_memory.selected_.tolist() == selector.selected_.tolist()
assert in_memory.relevance_.tobytes() == selector.relevance_.tobytes()

# %%
# Then read only the selected columns.

table = parquet.read_table(path, columns=list(names))
folder.cleanup()

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.bar(range(20), selector.relevance_[:20], color="#c5cbd3", label="not selected")
indices = selector.selected_[selector.selected_ < 20]
ax.bar(indices, selector.relevance_[indices], color="#2f6f8f", label="selected")
ax.set_xticks(range(20), selector.feature_names_in_[:20], rotation=60)
ax.set_ylabel("bits about the class")
ax.set_title(f"{table.num_columns} of {selector.n_features_in_} columns")
ax.legend()
