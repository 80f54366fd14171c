"""Finished cells of an experiment in a folder: what is there is not computed again."""

from __future__ import annotations

from typing import Any

import joblib
import narwhals.stable.v2 as nw
import numpy as np
from scipy import sparse

from thresher._utils.journal import Journal, make_folder
from thresher.data import is_frame

_LOG = "cells.log"


def open_store(folder: Any, experiment: dict[str, str]) -> Journal:
    """Begin an experiment in a folder, or go on with it; another one is refused."""
    path = make_folder("store", folder)
    names = {entry.name for entry in path.iterdir()}
    if names and _LOG not in names:
        raise ValueError(
            f"store={str(folder)!r} holds files of something else; name another folder"
        )
    return Journal(path / _LOG, identity=experiment, kind="store")


def digest(thing: Any) -> str:
    """A text that differs for different things: data of any kind, estimators, functions."""
    if is_frame(thing):
        frame = nw.from_native(thing, eager_only=True)
        thing = [(name, frame[name].to_numpy()) for name in frame.columns]
    elif sparse.issparse(thing):
        rows = thing.tocsr().sorted_indices()
        thing = (rows.shape, rows.data, rows.indices, rows.indptr)
    try:
        return str(joblib.hash(thing))
    except Exception as error:
        raise ValueError(
            f"store needs things that can be pickled, got {type(thing).__name__}: {error}"
        ) from error


def digest_folds(folds: Any) -> str:
    return digest([(np.asarray(train), np.asarray(test)) for train, test in folds])
