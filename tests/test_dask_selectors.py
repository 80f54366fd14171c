"""Selection on a Dask cluster equals selection in memory, however the rows are split."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.blocks_of_rows import assert_same, frames
from tests.dask_clusters import as_frame, import_dask
from tests.examples import examples
from tests.test_blocks import draw_weights, target
from thresher import CFS, FCBF, JMI, MIM, MRMR, NMIFS, Ensemble

da = import_dask("dask.array")
import_dask("distributed")

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("dask")]

SELECTORS = {
    "MRMR mi": MRMR(6, relevance="mi"),
    "MRMR r2": MRMR(6, relevance="r2"),
    "NMIFS": NMIFS(6, discretize="mean-sd"),
    "CFS": CFS(discretize="mean-sd"),
    "FCBF": FCBF(discretize="mean-sd"),
    "JMI": JMI(6, discretize="mean-sd"),
    "MIM": MIM(6),
    "equal frequency": MRMR(6, relevance="mi", discretize="equal-frequency:4"),
    "fast": Ensemble(MRMR(6, relevance="mi")),
    "inner": Ensemble(MRMR(6, relevance="mi"), kind="inner"),
    "halves": Ensemble(MRMR(6, relevance="mi"), kind="halves", random_state=0),
}


def as_array(values, ends, columns=None):
    """Return a dask array of unknown chunk sizes, and in chunks of `columns` columns if it has two dimensions."""
    sizes = tuple(np.diff([0, *sorted(ends), len(values)]).tolist())
    array = da.from_array(values, chunks=(sizes, columns) if values.ndim == 2 else (sizes,))
    return array[da.ones(len(values), chunks=(sizes,)) > 0]


@pytest.mark.parametrize("name", SELECTORS)
def test_real_data_give_the_result_of_memory(name, load_real, dask_client):
    X, y = load_real("wdbc")
    ends = [1, 17, 17, 300, 301]
    X_remote, y_remote = as_array(X, ends, columns=11), as_array(y, ends)
    assert np.isnan(X_remote.shape[0])
    assert X_remote.numblocks == (6, 3)
    remote = clone(SELECTORS[name]).fit(X_remote, y_remote, client=dask_client)
    assert remote.n_passes_ == 2 or name == "equal frequency"
    assert_same(SELECTORS[name].fit(X, y), remote)


@pytest.mark.parametrize("missing", ["category", "pairwise"])
def test_real_data_with_missing_values_and_weights(missing, load_real, dask_client):
    X, y = load_real("hepatitis")
    weights = np.arange(len(y)) % 3 + 1
    selector = MRMR(6, relevance="mi", missing=missing)
    names = [f"feature {i}" for i in range(X.shape[1])]
    frame = pd.DataFrame(X, columns=names).assign(outcome=y, times=weights)
    remote = clone(selector).fit(
        as_frame(frame, [0, 40, 41]), "outcome", sample_weight="times", client=dask_client
    )
    assert remote.feature_names_in_.tolist() == names
    assert_same(selector.fit(frame[names], y, weights), remote)


def test_real_data_of_categories(load_real, dask_client):
    X, y = load_real("mushroom")
    letters = np.array(list("abcdefghijklmnopqrstuvwxyz"), dtype=object)
    frame = pd.DataFrame({f"f{i}": letters[np.nan_to_num(X[:, i]).astype(int)] for i in range(22)})
    frame[np.isnan(X)] = None
    frame["f3"] = frame["f3"].astype("category")
    X_remote, y_remote = as_frame(frame, [100, 8000]), as_array(letters[y], [100, 8000])
    for selector in (MRMR(5, relevance="mi", missing="category"), JMI(5, missing="category")):
        remote = clone(selector).fit(X_remote, y_remote, client=dask_client)
        assert_same(selector.fit(frame, letters[y]), remote)


@examples(12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=frames(missing=True),
    kind=st.sampled_from(["text", "whole"]),
    missing=st.sampled_from(["category", "pairwise"]),
    weighted=st.booleans(),
    is_local=st.booleans(),
)
def test_generated_data_give_the_result_of_memory(
    data, kind, missing, weighted, is_local, dask_client
):
    frame, ends, rng = data
    y = target(rng, frame, kind)
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    selector = MRMR(4, relevance="mi", missing=missing)
    named = frame.assign(**{"the y": y})
    if weights is not None:
        named["the weights"] = weights
    where = {} if is_local else {"client": dask_client}
    weight_column = None if weights is None else "the weights"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        remote = clone(selector).fit(
            as_frame(named, ends), "the y", sample_weight=weight_column, **where
        )
        memory = selector.fit(frame, y) if weights is None else selector.fit(frame, y, weights)
    assert_same(memory, remote)


def test_without_a_client_dask_reads_here(load_real):
    X, y = load_real("wdbc")
    remote = MRMR(4, relevance="mi").fit(
        da.from_array(X, chunks=(100, 7)), da.from_array(y, chunks=99)
    )
    assert_same(MRMR(4, relevance="mi").fit(X, y), remote)


def fit_there():
    rows = np.random.default_rng(0).integers(0, 3, (60, 5))
    X, y = da.from_array(rows, chunks=(20, 5)), da.from_array(rows[:, 3], chunks=20)
    selector = MRMR(2, relevance="mi").fit(X, y)
    return selector.selected_.tolist(), selector.n_rounds_


def test_a_task_may_fit(dask_client):
    tasks = [dask_client.submit(fit_there, pure=False) for _ in range(3)]  # more than workers
    for task in tasks:
        chosen, n_rounds = task.result(timeout=180)
        assert chosen[0] == 3
        assert n_rounds > 0
