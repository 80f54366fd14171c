"""
Select words of documents: sparse counts
========================================

1,000 documents have 5,000 words, and most counts are zero. The matrix stays sparse, and the truth is known.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

from thresher import CMIM, MIM, MRMR
from thresher.datasets import make_text

text = make_text(random_state=0)
stored = text.data.nnz / np.prod(text.data.shape)
print(f"{text.data.shape[0]} x {text.data.shape[1]}, {stored:.1%} of the counts are not zero")

ax = plt.figure(figsize=(6.4, 4)).gca()
is_true = np.isin(np.arange(text.data.shape[1]), text.truth)
for selector in (MIM(50), MRMR(50, relevance="mi", redundancy="mi"), CMIM(50)):
    start = time.perf_counter()
    selected = selector.fit(text.data, text.target).selected_
    milliseconds = 1000 * (time.perf_counter() - start)
    label = f"{type(selector).__name__}, {milliseconds:.0f} ms"
    ax.plot(np.arange(1, 51), np.cumsum(is_true[selected]), label=label)
ax.plot([0, 50], [0, 50], color="grey", linestyle=":", label="all true")
ax.set(xlabel="words selected", ylabel="true ones among them")
ax.legend()
