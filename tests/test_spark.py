"""Selection where Spark has the rows: what memory gives."""

from __future__ import annotations

import numpy as np
import pytest

from tests.blocks_of_rows import assert_same
from tests.spark_sessions import frame_of, in_partitions, mixed_frame
from thresher import CFS, JMI, MRMR, NMIFS

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]

SELECTORS = {
    "MRMR": MRMR(5, relevance="mi", missing="category"),
    "JMI": JMI(5, missing="category"),
    "CFS": CFS(discretize="mean-sd", missing="category"),
    "NMIFS": NMIFS(4, discretize="mean-sd", missing="category"),
}


@pytest.mark.parametrize("name", SELECTORS)
def test_selectors_choose_as_in_memory(spark_local, name):
    frame = mixed_frame()
    X = frame.drop(columns=["class", "weight"])
    selector = SELECTORS[name]
    memory = selector.fit(X, frame["class"], sample_weight=frame["weight"])
    selected, scores = memory.selected_.tolist(), memory.scores_.copy()
    far = selector.fit(in_partitions(spark_local.classic, frame), "class", sample_weight="weight")
    assert far.selected_.tolist() == selected
    np.testing.assert_array_equal(far.scores_, scores)
    assert far.n_rounds_ > 0


def test_connect_chooses_as_memory_does(spark_local):
    frame = mixed_frame().drop(columns="weight")
    X = frame.drop(columns="class")
    for selector in (MRMR(5, relevance="mi", missing="category"), JMI(3, missing="category")):
        far = selector.fit(in_partitions(spark_local.connect, frame), "class")
        assert_same(type(selector)(**selector.get_params()).fit(X, frame["class"]), far)


def test_numbers_have_the_bits_of_memory_in_arrays_as_in_columns(spark_local):
    import pyarrow as pa

    frame = mixed_frame()[[f"number {i}" for i in (0, 2, 3, 5)] + ["few"]]
    y = frame.pop("few")
    memory = MRMR(3, relevance="r2", target="numeric").fit(frame.to_numpy(), y)
    vectors = pa.table({"v": pa.array(frame.to_numpy().tolist()), "few": pa.array(y)})
    X = frame_of(spark_local.classic, [vectors.slice(0, 50), vectors.slice(50)])
    far = MRMR(3, relevance="r2", target="numeric").fit(X, "few")
    assert_same(memory, far)


def test_files_that_tasks_read_give_what_memory_does(spark_local, tmp_path):
    frame = mixed_frame()
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=50, index=False)
    selector = MRMR(5, relevance="mi", missing="category")
    memory = selector.fit(
        frame.drop(columns=["class", "weight"]), frame["class"], frame["weight"]
    ).selected_.tolist()
    path = tmp_path / "table.parquet"
    far = selector.fit(path, "class", sample_weight="weight", client=spark_local.classic)
    assert far.selected_.tolist() == memory
    assert far.n_rounds_ > 0


@pytest.mark.parametrize(
    "selector",
    [MRMR(2, relevance="mi", discretize="mdl"), MRMR(2, relevance="spearman", target="numeric")],
)
def test_what_needs_all_values_in_one_place_is_refused_with_the_remedy(spark_local, selector):
    frame = mixed_frame()[["number 0", "number 2", "few"]]
    with pytest.raises(ValueError, match=r"equal-frequency|memory|files"):
        selector.fit(in_partitions(spark_local.classic, frame), "few")
