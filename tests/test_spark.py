"""Selection on Spark equals selection in memory."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from tests.blocks_of_rows import assert_same, frames
from tests.examples import examples
from tests.spark_sessions import frame_of, in_partitions, mixed_frame
from tests.test_blocks import draw_weights
from thresher import CFS, JMI, MRMR, Ensemble

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]

# With bins that are found in the blocks; with given ones tests.test_everywhere fits all selectors.
SELECTORS = {
    "MRMR equal frequency": MRMR(
        4, relevance="mi", missing="category", discretize="equal-frequency:4"
    ),
    "CFS mean-sd": CFS(discretize="mean-sd", missing="category"),
    "Ensemble halves": Ensemble(
        MRMR(4, relevance="mi", missing="category"), kind="halves", n_pairs=4, random_state=0
    ),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors_choose_as_in_memory(spark_local, name):
    frame = mixed_frame()
    X = frame.drop(columns=["class", "weight"])
    selector = SELECTORS[name]
    rows = in_partitions(spark_local.classic, frame)
    if isinstance(selector, Ensemble):  # would have to route weights
        memory = clone(selector).fit(X, frame["class"])
        remote = selector.fit(rows.drop("weight"), "class")
    else:
        memory = clone(selector).fit(X, frame["class"], frame["weight"])
        remote = selector.fit(rows, "class", "weight")
    assert remote.selected_.tolist() == memory.selected_.tolist()
    for attribute in ("relevance_", "scores_", "votes_"):
        if hasattr(memory, attribute):
            np.testing.assert_array_equal(getattr(remote, attribute), getattr(memory, attribute))
    assert remote.n_rounds_ > 0


@examples(6)
@given(
    data=frames(kinds=("normal", "few", "many", "text", "truth", "constant", "tiny"), missing=True),
    missing=st.sampled_from(["category", "pairwise"]),
    weighted=st.booleans(),
)
@pytest.mark.filterwarnings("ignore")
def test_generated_frames_give_the_result_of_memory(spark_local, data, missing, weighted):
    import pyarrow as pa

    frame, ends, rng = data
    y = np.where(frame["base"] + rng.normal(size=len(frame)) > 0, "yes", "no")
    y[:2] = ["yes", "no"]
    named = frame.assign(**{"class.of": y})
    weights = draw_weights(rng, len(frame), "whole" if weighted else "none")
    if weighted:
        named["times"] = weights
    selector = MRMR(3, relevance="mi", missing=missing)
    memory = clone(selector).fit(frame, y, weights)
    table = pa.Table.from_pandas(named, preserve_index=False)
    starts, stops = (0, *sorted(ends)), (*sorted(ends), len(frame))
    parts = [table.slice(a, b - a) for a, b in zip(starts, stops, strict=True)]
    column = "times" if weighted else None
    remote = selector.fit(frame_of(spark_local.classic, parts), "class.of", sample_weight=column)
    assert_same(memory, remote)


def test_real_data_in_arrays_give_the_result_of_memory(spark_local, load_real):
    import pyarrow as pa

    X, y = load_real("madelon")
    X, y = X[:500].astype(float), y[:500]
    selector = MRMR(10, relevance="mi")
    memory = clone(selector).fit(X, y)
    table = pa.table({"x": pa.array(list(X)), "y": pa.array(y)})
    parts = [table.slice(0, 400), table.slice(400, 0), table.slice(400)]
    assert_same(memory, selector.fit(frame_of(spark_local.classic, parts), "y"))
    assert selector.n_rounds_ <= 1.5 * 10


def test_connect_chooses_as_memory_does(spark_local):
    frame = mixed_frame().drop(columns="weight")
    X = frame.drop(columns="class")
    for selector in (MRMR(5, relevance="mi", missing="category"), JMI(3, missing="category")):
        remote = selector.fit(in_partitions(spark_local.connect, frame), "class")
        assert_same(type(selector)(**selector.get_params()).fit(X, frame["class"]), remote)


def test_numbers_have_the_bits_of_memory_in_arrays_as_in_columns(spark_local):
    import pyarrow as pa

    frame = mixed_frame()[[f"number {i}" for i in (0, 2, 3, 5)] + ["few"]]
    y = frame.pop("few")
    memory = MRMR(3, relevance="r2", target="numeric").fit(frame.to_numpy(), y)
    vectors = pa.table({"v": pa.array(frame.to_numpy().tolist()), "few": pa.array(y)})
    X = frame_of(spark_local.classic, [vectors.slice(0, 50), vectors.slice(50)])
    remote = MRMR(3, relevance="r2", target="numeric").fit(X, "few")
    assert_same(memory, remote)


def test_files_read_by_tasks_give_the_result_of_memory(spark_local, tmp_path):
    frame = mixed_frame()
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=50, index=False)
    selector = MRMR(5, relevance="mi", missing="category")
    memory = selector.fit(
        frame.drop(columns=["class", "weight"]), frame["class"], frame["weight"]
    ).selected_.tolist()
    path = tmp_path / "table.parquet"
    remote = selector.fit(path, "class", sample_weight="weight", client=spark_local.classic)
    assert remote.selected_.tolist() == memory
    assert remote.n_rounds_ > 0


@pytest.mark.parametrize(
    "selector",
    [MRMR(2, relevance="mi", discretize="mdl"), MRMR(2, relevance="spearman", target="numeric")],
)
def test_measures_that_need_all_values_at_once_are_rejected_with_the_remedy(spark_local, selector):
    frame = mixed_frame()[["number 0", "number 2", "few"]]
    with pytest.raises(ValueError, match=r"equal-frequency|memory|files"):
        selector.fit(in_partitions(spark_local.classic, frame), "few")
