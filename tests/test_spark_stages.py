"""Selectors as stages of pyspark.ml."""

from __future__ import annotations

import numpy as np
import pytest

from thresher import MRMR

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (90, 6)).astype(float)
    X[:, 4] = X[:, 1]  # redundant
    y = (X[:, 1] + X[:, 3] > 2).astype(int)
    return X, y


def frame_with(session, X, y, kind):
    from pyspark.ml.linalg import Vectors

    make = {"vector": Vectors.dense, "array": list}[kind]
    rows = [
        (make(row), int(label), 1 + i % 2)
        for i, (row, label) in enumerate(zip(X.tolist(), y, strict=True))
    ]
    return session.createDataFrame(rows, ["features", "label", "weight"])


@pytest.mark.parametrize("kind", ["vector", "array"])
def test_a_stage_selects_the_same_features_as_the_selector(spark_local, data, kind):
    from thresher.spark import Selector

    X, y = data
    frame = frame_with(spark_local.classic, X, y, kind)
    stage = Selector(selector=MRMR(2, relevance="mi"), outputCol="chosen", weightCol="weight")
    model = stage.fit(frame)
    memory = MRMR(2, relevance="mi").fit(X, y, 1 + np.arange(len(y)) % 2)
    assert model.selector.selected_.tolist() == memory.selected_.tolist()
    assert model.selectedFeatures == sorted(memory.selected_.tolist())
    chosen = model.transform(frame).select("chosen").collect()
    np.testing.assert_array_equal(
        [list(row.chosen) for row in chosen], X[:, model.selectedFeatures]
    )
    assert not hasattr(stage.getSelector(), "selected_")


def test_a_pipeline_with_a_stage_is_saved_and_loaded(spark_local, data, tmp_path):
    from pyspark.ml import Pipeline, PipelineModel
    from pyspark.ml.feature import VectorAssembler

    from thresher.spark import Selector, SelectorModel

    X, y = data
    names = [f"x{i}" for i in range(X.shape[1])]
    rows = [(*row, int(label)) for row, label in zip(X.tolist(), y, strict=True)]
    frame = spark_local.classic.createDataFrame(rows, [*names, "label"])
    stages = [
        VectorAssembler(inputCols=names, outputCol="features"),
        Selector(selector=MRMR(2, relevance="mi"), outputCol="chosen"),
    ]
    pipeline = Pipeline(stages=stages)
    pipeline.write().overwrite().save(str(tmp_path / "pipeline"))
    again = Pipeline.load(str(tmp_path / "pipeline"))
    assert again.getStages()[1].getSelector().get_params() == stages[1].getSelector().get_params()
    model = again.fit(frame)
    model.write().overwrite().save(str(tmp_path / "model"))
    loaded = PipelineModel.load(str(tmp_path / "model"))
    assert isinstance(loaded.stages[1], SelectorModel)
    assert loaded.stages[1].selectedFeatures == model.stages[1].selectedFeatures
    assert loaded.stages[1].getOutputCol() == "chosen"
    first = loaded.transform(frame).first()
    assert list(first.chosen) == X[0, loaded.stages[1].selectedFeatures].tolist()


def test_columns_that_are_not_selected_go_or_the_others_are_assembled(spark_local, data):
    from thresher.spark import Selector

    X, y = data
    names = [f"x.{i}" for i in range(X.shape[1])]
    rows = [(*row, int(label)) for row, label in zip(X.tolist(), y, strict=True)]
    frame = spark_local.classic.createDataFrame(rows, [*names, "label"])
    stage = Selector(selector=MRMR(2, relevance="mi"), inputCols=names)
    model = stage.fit(frame)
    memory = MRMR(2, relevance="mi").fit(X, y)
    assert model.selectedFeatures == sorted(memory.selected_.tolist())
    kept = [names[i] for i in model.selectedFeatures]
    assert model.transform(frame).columns == [*kept, "label"]
    assert model.selector.feature_names_in_.tolist() == names


def test_without_a_selector_there_is_a_one_line_error():
    pytest.importorskip("pyspark")
    from thresher.spark import Selector

    with pytest.raises(ValueError, match=r"selector is not set\. Pass one, such as"):
        Selector().getSelector()


def test_connect_fits_and_transforms(spark_local, data, monkeypatch):
    from thresher.spark import Selector

    X, y = data
    frame = frame_with(spark_local.connect, X, y, "array")
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    model = Selector(selector=MRMR(2, relevance="mi"), outputCol="chosen").fit(frame)
    assert model.selectedFeatures == sorted(MRMR(2, relevance="mi").fit(X, y).selected_.tolist())
    assert len(model.transform(frame).first().chosen) == 2


def test_connect_fits_a_pipeline_with_a_stage(spark_local, data, monkeypatch):
    from pyspark.ml import Pipeline
    from pyspark.ml.feature import VectorAssembler

    from thresher.spark import Selector

    X, y = data
    names = [f"x{i}" for i in range(X.shape[1])]
    rows = [(*row, int(label)) for row, label in zip(X.tolist(), y, strict=True)]
    frame = spark_local.connect.createDataFrame(rows, [*names, "label"])
    monkeypatch.setenv("SPARK_CONNECT_MODE_ENABLED", "1")
    assembler = VectorAssembler(inputCols=names, outputCol="features")
    stage = Selector(selector=MRMR(2, relevance="mi"), outputCol="chosen")
    model = Pipeline(stages=[assembler, stage]).fit(frame)
    found = model.stages[1].selectedFeatures
    assert found == sorted(MRMR(2, relevance="mi").fit(X, y).selected_.tolist())
    assert list(model.transform(frame).first().chosen) == X[0, found].tolist()
