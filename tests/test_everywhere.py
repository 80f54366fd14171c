"""The same rows give the same selection wherever they are."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from tests.blocks_of_rows import assert_same, frames, in_blocks
from tests.dask_clusters import as_frame, import_dask
from tests.test_blocks import draw_weights, target
from thresher import CFS, JMI, MRMR, Ensemble, GivenBins

import_dask("distributed")
feather = pytest.importorskip("pyarrow.feather")

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("dask")]

# No single precision: as text, such a number is another one in double precision.
COLUMNS = ("normal", "few", "many", "text", "constant", "tiny")
SELECTORS = {
    "MRMR": MRMR(4, relevance="mi", missing="category"),
    "CFS": CFS(missing="category"),
    "JMI": JMI(4, missing="category"),
    "Ensemble": Ensemble(MRMR(3, relevance="mi", missing="category"), n_parts=3),
}


def given_cuts(frame):
    """A few cuts of every column of numbers: pieces can be added only where cuts are known."""
    numbers = [name for name in frame if frame[name].dtype != object]
    return GivenBins(
        {name: np.unique(np.nanquantile(frame[name], [0.3, 0.7])).tolist() for name in numbers}
    )


def pieces(selector, X, y, weights, ends):
    for rows in np.split(np.arange(len(X)), sorted(ends)):
        if len(rows):
            own = None if weights is None else weights[rows]
            selector.partial_fit(X.iloc[rows], y[rows], own)
    return selector


def from_files(selector, frame, **columns):
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / name for name in ("rows.parquet", "rows.feather", "rows.csv")]
        frame.to_parquet(paths[0])
        feather.write_feather(frame, paths[1])
        frame.to_csv(paths[2], index=False)
        return [clone(selector).fit(str(path), **columns) for path in paths]


@pytest.mark.parametrize("name", SELECTORS)
@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=frames(COLUMNS, missing=True), weighted=st.booleans())
def test_memory_files_blocks_dask_and_pieces_agree(name, data, weighted, dask_client):
    X, ends, rng = data
    X = X.replace({"": "none"})  # which a text file cannot tell from a missing value
    y = target(rng, X, "text")
    weights = draw_weights(rng, len(X), "whole" if weighted and name != "Ensemble" else "none")
    selector = clone(SELECTORS[name])
    key = "selector__discretize" if name == "Ensemble" else "discretize"
    selector.set_params(**{key: given_cuts(X)})
    frame = X.assign(**{"the y": y})
    columns = {"y": "the y"}
    if weights is not None:
        frame["the weights"] = weights
        columns["sample_weight"] = "the weights"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        memory = clone(selector).fit(
            X, y, **({} if weights is None else {"sample_weight": weights})
        )
        others = from_files(selector, frame, **columns)
        others.append(clone(selector).fit(in_blocks(X, y, weights, ends)))
        others.append(clone(selector).fit(as_frame(frame, ends), client=dask_client, **columns))
        if hasattr(selector, "partial_fit"):
            others.append(pieces(clone(selector), X, y, weights, ends))
        for other in others:
            assert_same(memory, other)
