"""
A table in a file
=================

The rows need not be in memory: ``fit`` takes the path of a Parquet, Feather or CSV file and the name of the target's
column. The file is read once, some columns at a time, and what is kept of it is packed to a few bits a value. The
answer is the one of memory, bit for bit. Needs the extra ``arrow``.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from thresher import MRMR

# %%
# A table of 30,000 rows and 200 columns, written in row groups as a database would. Ten columns tell about the class,
# each less than the one before; every second of them repeats its neighbour.

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
# The reading may take 16 MB of memory, a third of the table.

selector = MRMR(8, relevance="mi", discretize="equal-frequency")
selector.fit(path, y="label", memory_limit="16MB")
names = selector.get_feature_names_out()
print(selector.n_passes_, "reading:", *selector.feature_names_in_[selector.selected_])

in_memory = MRMR(8, relevance="mi", discretize="equal-frequency")
in_memory.fit(table.drop_columns(["label"]), label)
assert in_memory.selected_.tolist() == selector.selected_.tolist()
assert in_memory.relevance_.tobytes() == selector.relevance_.tobytes()

# %%
# Then only the chosen columns are read.

chosen = parquet.read_table(path, columns=list(names))
folder.cleanup()

figure, ax = plt.subplots(figsize=(7, 3), layout="constrained")
ax.bar(range(20), selector.relevance_[:20], color="#c5cbd3", label="left")
picked = selector.selected_[selector.selected_ < 20]
ax.bar(picked, selector.relevance_[picked], color="#2f6f8f", label="chosen")
ax.set_xticks(range(20), selector.feature_names_in_[:20], rotation=60)
ax.set_ylabel("bits about the class")
ax.set_title(f"{chosen.num_columns} of {selector.n_features_in_} columns")
ax.legend()
