"""The same rows give the same selection wherever they are stored."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, reject
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_wine

from tests.blocks_of_rows import assert_same, frames, in_blocks
from tests.dask_clusters import as_frame, import_dask
from tests.examples import SHARE, examples, some
from tests.selectors import by_class, others, reads_blocks
from tests.spark_sessions import frame_of
from tests.test_blocks import draw_weights, target
from thresher import CFS, FCBF, JMI, MIM, MRMR, NMIFS, RFS, Ensemble, GivenBins, Univariate

import_dask("distributed")
feather = pytest.importorskip("pyarrow.feather")

pytestmark = [pytest.mark.cluster, pytest.mark.slow, pytest.mark.xdist_group("spark")]

# No single precision: as text, such a number is another one in double precision.
COLUMNS = ("normal", "few", "many", "text", "constant", "tiny")
BASE = MRMR(3, relevance="mi", missing="category")
SELECTORS = {
    "MRMR": MRMR(4, relevance="mi", missing="category"),
    "pairwise": MRMR(4, relevance="mi", missing="pairwise"),
    "NMIFS": NMIFS(4, missing="category"),
    "CFS": CFS(missing="category"),
    "FCBF": FCBF(missing="category"),
    "JMI": JMI(4, missing="category"),
    "MIM": MIM(4, missing="category"),
    "Univariate": Univariate(4, measure="chi2", pvalues="analytic", missing="category"),
    "RFS": RFS(4, relevance="mi", missing="pairwise"),
    "fast": Ensemble(BASE, n_parts=3),
    "inner": Ensemble(BASE, n_parts=3, kind="inner"),
    "halves": Ensemble(BASE, kind="halves", n_pairs=4, random_state=0),
}
SELECTORS |= by_class(others(SELECTORS.values(), reads_blocks, missing="category"))
# Requests to clusters take a while: the gate fits one selector of each kind of search there, on Spark every second.
KINDS = ("MRMR", "pairwise", "CFS", "JMI", "Univariate", "RFS", "fast", "halves")
ON_DASK = tuple(SELECTORS) if SHARE >= 1 else KINDS
ON_SPARK = some(ON_DASK)
UNWEIGHTED = ("RFS", "fast", "inner", "halves")


def with_cuts(selector, X):
    """Set a few cuts of every column of numbers: pieces can be added only where cuts are known."""
    numbers = [name for name in X if X[name].dtype != object]
    cuts = {name: np.unique(np.nanquantile(X[name], [0.3, 0.7])).tolist() for name in numbers}
    key = "selector__discretize" if isinstance(selector, Ensemble) else "discretize"
    return clone(selector).set_params(**{key: GivenBins(cuts)})


class Somewhere:
    """Rows that can be stored in any way, and a selector fitted to them."""

    def __init__(self, selector, X, y, weights, ends):
        self.selector, self.X, self.y, self.weights, self.ends = selector, X, y, weights, ends
        self.frame = X.assign(**{"the y": y})
        self.named = {"y": "the y"}
        if weights is not None:
            self.frame["the weights"] = weights
            self.named["sample_weight"] = "the weights"

    def fit(self, rows, **more):
        return clone(self.selector).fit(rows, **self.named, **more)

    def memory(self):
        weights = {} if self.weights is None else {"sample_weight": self.weights}
        return clone(self.selector).fit(self.X, self.y, **weights)

    def files(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("rows.parquet", "rows.feather", "rows.csv")]
            self.frame.to_parquet(paths[0])
            feather.write_feather(self.frame, paths[1])
            self.frame.to_csv(paths[2], index=False)
            return [self.fit(str(path)) for path in paths]

    def blocks(self):
        return clone(self.selector).fit(in_blocks(self.X, self.y, self.weights, self.ends))

    def dask(self, client, **more):
        return self.fit(as_frame(self.frame, self.ends), client=client, **more)

    def spark(self, session, **more):
        import pyarrow as pa

        table = pa.Table.from_pandas(self.frame, preserve_index=False)
        starts, stops = (0, *sorted(self.ends)), (*sorted(self.ends), len(self.frame))
        parts = [table.slice(a, b - a) for a, b in zip(starts, stops, strict=True)]
        return self.fit(frame_of(session, parts), **more)

    def pieces(self):
        selector = clone(self.selector)
        for rows in np.split(np.arange(len(self.X)), sorted(self.ends)):
            if len(rows):
                own = () if self.weights is None else (self.weights[rows],)
                selector.partial_fit(self.X.iloc[rows], self.y[rows], *own)
        return selector


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.filterwarnings("ignore")
def test_real_data_give_the_same_everywhere(name, dask_client, spark_local):
    X, y = load_wine(return_X_y=True, as_frame=True)
    rng = np.random.default_rng(0)
    X = X.assign(shade=np.array(["pale", "deep", None], dtype=object)[rng.integers(0, 3, len(X))])
    X.loc[rng.random(len(X)) < 0.1, ["ash", "hue"]] = np.nan
    y = np.array(["first", "second", "third"], dtype=object)[y]
    order = rng.permutation(len(X))
    X, y = X.iloc[order].reset_index(drop=True), y[order]
    weights = None if name in UNWEIGHTED else rng.integers(0, 4, len(X))
    # One large block, an empty one, one of a single row, a small one.
    rows = Somewhere(with_cuts(SELECTORS[name], X), X, y, weights, (150, 150, 151))
    memory = rows.memory()
    others = [*rows.files(), rows.blocks(), rows.pieces()]
    if name in ON_DASK:
        others.append(rows.dask(dask_client))
    if name in ON_SPARK:
        others.append(rows.spark(spark_local.classic))
    for other in others:
        assert_same(memory, other)


@pytest.mark.parametrize("name", SELECTORS)
@pytest.mark.filterwarnings("ignore")
@examples(2, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=frames(COLUMNS, missing=True), weighted=st.booleans())
def test_generated_data_give_the_same_in_files_blocks_dask_and_pieces(
    name, data, weighted, dask_client
):
    X, ends, rng = data
    X = X.replace({"": "none"})  # which a text file cannot distinguish from a missing value
    y = target(rng, X, "text")
    kind = "whole" if weighted and name not in UNWEIGHTED else "none"
    selector = with_cuts(SELECTORS[name], X)
    rows = Somewhere(selector, X, y, draw_weights(rng, len(X), kind), ends)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            memory = rows.memory()
        except ValueError:  # too few rows for halves
            reject()
        others = [*rows.files(), rows.blocks(), rows.pieces()]
        if name in ON_DASK:
            others.append(rows.dask(dask_client))
        for other in others:
            assert_same(memory, other)


@pytest.mark.parametrize("engine", ["dask", "spark"])
@pytest.mark.filterwarnings("ignore")
def test_a_checkpoint_replaces_the_requests_to_the_engine(
    engine, dask_client, spark_local, tmp_path
):
    X, y = load_wine(return_X_y=True, as_frame=True)
    rows = Somewhere(MRMR(5, relevance="mi"), X, y.to_numpy(), None, (40, 40, 41))
    where = dask_client if engine == "dask" else spark_local.classic
    memory = rows.memory()
    sizes = set()
    for _ in range(2):
        remote = getattr(rows, engine)(where, checkpoint=tmp_path)
        assert_same(memory, remote)
        assert remote.n_rounds_ > 0
        sizes.add(sum(path.stat().st_size for path in tmp_path.iterdir()))
    assert len(sizes) == 1
    other = Somewhere(MRMR(4, relevance="mi"), X, y.to_numpy(), None, (40, 40, 41))
    with pytest.raises(ValueError, match="checkpoint"):
        getattr(other, engine)(where, checkpoint=tmp_path)


@pytest.mark.parametrize("ends", [(60,), (1, 30, 30, 90)])
@pytest.mark.filterwarnings("ignore")
def test_partitions_of_dask_and_spark_do_not_decide(ends, dask_client, spark_local):
    import pyarrow as pa

    from tests.test_target import FRAME

    for y in (np.arange(120) % 24, np.arange(119) % 24, (np.arange(105) % 21).astype(float)):
        frame = FRAME[: len(y)].assign(label=y)
        memory = MRMR(2).fit(frame, "label")
        parts = [frame.iloc[rows] for rows in np.split(np.arange(len(y)), ends)]
        spark = frame_of(
            spark_local.classic, [pa.Table.from_pandas(p, preserve_index=False) for p in parts]
        )
        for rows, more in ((as_frame(frame, ends), {"client": dask_client}), (spark, {})):
            selector = MRMR(2).fit(rows, y="label", **more)
            assert selector.target_kind_ == memory.target_kind_
            np.testing.assert_array_equal(selector.scores_, memory.scores_)
    when = FRAME.assign(label=pd.date_range("2020-01-01", periods=120))
    with pytest.raises(ValueError, match="dates or times"):
        MRMR(2).fit(as_frame(when, ends), y="label", client=dask_client)
