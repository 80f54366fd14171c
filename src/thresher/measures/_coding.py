"""The features of a training set as codes, wherever its rows are."""

from __future__ import annotations

from typing import Any

from thresher.data import FileTable, Training
from thresher.measures._codes import Codes, code_table
from thresher.measures._file_codes import code_files
from thresher.measures._parts import PartSets


def code_features(
    training: Training,
    discretize: Any = "auto",
    *,
    default: str = "mean-sd",
    parts: PartSets | None = None,
) -> Codes:
    """Code every feature; columns that are not discrete are binned by `discretize` first.

    Bins are learnt on all rows of the training set, with its weights, and for all parts alike.
    """
    rule = default if isinstance(discretize, str) and discretize == "auto" else discretize
    if isinstance(training.table, FileTable):
        return code_files(training, training.table, rule, parts)
    return code_table(training, rule, parts)
