"""What forks the Python workers of Spark in tests: it has imported what they need, so that they start at once."""

from __future__ import annotations

import pandas  # noqa: F401
import pyarrow  # noqa: F401
from pyspark.daemon import manager

import thresher.blocks.spark_tasks  # noqa: F401

if __name__ == "__main__":
    manager()
