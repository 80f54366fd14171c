"""
Select on Spark
===============

``fit`` accepts a Spark DataFrame and the name of a column; the rows stay on Spark. The result is the in-memory
result. As a stage of a ``Pipeline``, a selector is saved and loaded with the other stages.
"""

import shutil

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from thresher import MRMR

frame = load_breast_cancer(as_frame=True).frame
memory = MRMR(8, relevance="mi").fit(frame.drop(columns="target"), frame["target"])
print("in memory:", list(memory.get_feature_names_out()))

# %%
# Spark needs Java. Without it, this part is skipped.

if shutil.which("java") is None:
    print("Java is missing: this part was skipped")
else:
    import os
    import sys

    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers need thresher, too
    spark = (
        SparkSession.builder.master("local[2]")
        .config("spark.ui.enabled", False)
        .config("spark.ui.showConsoleProgress", False)
        .config("spark.driver.host", "127.0.0.1")
        .getOrCreate()
    )
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.createDataFrame(frame).repartition(4).persist()

    on_spark = MRMR(8, relevance="mi").fit(rows, "target")
    print("with Spark:", list(on_spark.get_feature_names_out()))
    print(f"{on_spark.n_passes_} passes over the rows, {on_spark.n_rounds_} request rounds")

# %%
# The same as a stage of pyspark.ml, between an assembler and a classifier.

if shutil.which("java") is not None:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    from thresher.spark import Selector

    stages = [
        VectorAssembler(inputCols=list(frame.columns[:-1]), outputCol="all"),
        Selector(
            selector=MRMR(8, relevance="mi"),
            featuresCol="all",
            labelCol="target",
            outputCol="chosen",
        ),
        LogisticRegression(featuresCol="chosen", labelCol="target"),
    ]
    model = Pipeline(stages=stages).fit(rows)
    hits = model.transform(rows).where("prediction = target").count()
    print("indices of the features:", model.stages[1].selectedFeatures)
    print(f"accuracy on the training rows: {hits / len(frame):.1%}")
    spark.stop()

# %%
# The selected features, and the mutual information of each with the target.

order = memory.selected_[::-1]
ax = plt.figure(figsize=(6.4, 3.6)).gca()
ax.barh(memory.feature_names_in_[order], memory.relevance_[order])
ax.set_xlabel("mutual information with the target (bits)")
ax.figure.tight_layout()
