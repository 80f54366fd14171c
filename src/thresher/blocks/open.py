"""Training data and measures, wherever the rows are."""

from __future__ import annotations

from pathlib import Path

from thresher._utils.types import BinRule, DataLike, Estimator, TargetLike, WeightsLike
from thresher.blocks.engine import Engine, LocalEngine, TallFiles
from thresher.blocks.measures import BlockMeasures
from thresher.blocks.pack import RowParts
from thresher.blocks.training import BlockData, read_blocks
from thresher.data import (
    InputRules,
    LocalData,
    RemoteOptions,
    TrainingData,
    check_remote_options,
    read_files,
    read_training,
    separate_columns,
)
from thresher.io.table import FileColumns, is_file_input
from thresher.io.temporary import TemporaryStore
from thresher.measures import LocalMeasures, Measures, PartSets, column_group_coder

# Objects of these packages have their rows in blocks.
_PACKAGES = ("dask", "dask_expr", "pyspark")


def open_training_data(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    sample_weight: WeightsLike,
    rules: InputRules,
    options: RemoteOptions | None = None,
) -> TrainingData:
    """Read the training data of a selector, wherever the rows are.

    Parameters
    ----------
    selector : estimator
        Named in messages; gets ``n_features_in_`` and ``feature_names_in_``.
    X, y, sample_weight
        As passed to ``fit``; y and sample_weight may be the names of columns.
    rules : InputRules
    options : RemoteOptions or None

    Returns
    -------
    training : LocalData or BlockData
        To be used in a ``with`` statement.
    """
    options = options or {}
    checkpoint, client = options.get("checkpoint"), options.get("client")

    if is_in_blocks(X, client):
        if not rules.accept_blocks:
            reject_blocks(selector, X, options)
        check_remote_options(type(selector).__name__, options, in_memory=False)
        engine = open_engine(X, y, sample_weight, client=client, scratch=options.get("scratch"))
        return read_blocks(selector, engine, rules, checkpoint)
    if not is_file_input(X):
        check_remote_options(type(selector).__name__, options, in_memory=True)
        return read_training(selector, *separate_columns(X, y, sample_weight), rules)

    def read_tall(
        files: FileColumns, y: TargetLike, weights: WeightsLike, scratch: TemporaryStore
    ) -> BlockData:
        engine = TallFiles(files, y, weights, scratch, checkpoint is not None)
        return read_blocks(selector, engine, rules, checkpoint)

    rule = rules.packing_rule
    return read_files(
        selector,
        X,
        y,
        sample_weight,
        options,
        rules,
        None if rule is None else column_group_coder(rules.discretize, rule),
        read_tall if rules.accept_blocks else None,
    )


def reject_blocks(selector: Estimator, X: DataLike, options: RemoteOptions | None = None) -> None:
    """Raise if the rows are in blocks, or for an option that is not for rows in memory."""
    are_elsewhere = is_in_blocks(X, (options or {}).get("client"))
    check_remote_options(type(selector).__name__, options, in_memory=not are_elsewhere)
    if are_elsewhere:
        raise ValueError(
            f"{type(selector).__name__} needs all rows at once, but X is in blocks. Pass files or rows in memory, or "
            "use MRMR, CFS or JMI"
        )


def is_in_blocks(X: DataLike, client: object = None) -> bool:
    """Return whether an execution backend has the rows of X in blocks; no package is imported to find out."""
    return isinstance(X, LocalEngine) or _engine_of(X, client) in _PACKAGES


def open_engine(
    X: DataLike,
    y: TargetLike = None,
    sample_weight: WeightsLike = None,
    *,
    client: object = None,
    scratch: str | Path | None = None,
) -> Engine:
    """Return the execution backend of rows in blocks.

    `y` and `sample_weight` are names of columns or objects of the same kind as X.
    """
    if isinstance(X, LocalEngine):
        return X
    if _engine_of(X, client) == "pyspark":
        from thresher.blocks.spark import SparkEngine

        return SparkEngine(X, y, sample_weight, client, scratch)
    from thresher.blocks.dask import dask_engine

    return dask_engine(X, y, sample_weight, client)


def _engine_of(X: DataLike, client: object) -> str:
    """Return the package of X, or Spark if X is files and the client is a Spark session."""
    return "pyspark" if is_file_input(X) and _package(client) == "pyspark" else _package(X)


def _package(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def make_measures(
    training: TrainingData,
    names: tuple[str, ...],
    discretize: BinRule,
    default: str,
    parts: PartSets | RowParts | None = None,
    *,
    uses_triples: bool = False,
) -> Measures:
    """Return the measures with these names, wherever the rows are.

    Parameters
    ----------
    training : TrainingData
    names : tuple of str
    discretize : str, transformer or None
        The bins of numeric features for measures that count.
    default : str
        The bins of ``discretize="auto"``.
    parts : PartSets or NumberedParts, or None
        With parts, one value for each replicate.
    uses_triples : bool, default=False
        Whether terms of two features and the target will be requested.
    """
    if isinstance(training, LocalData):
        assert parts is None or isinstance(parts, PartSets)
        return LocalMeasures(training, discretize=discretize, default=default, parts=parts)
    assert isinstance(training, BlockData)
    assert not isinstance(parts, PartSets)
    return BlockMeasures(training, names, discretize, default, parts, uses_triples)
