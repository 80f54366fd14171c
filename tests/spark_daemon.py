"""Daemon that forks the Python workers of Spark in tests, with their imports done, so that they start at once."""

from __future__ import annotations

import pandas  # noqa: F401
import pyarrow  # noqa: F401
from pyspark.daemon import manager

import thresher.blocks.spark_tasks  # noqa: F401

if __name__ == "__main__":
    manager()
