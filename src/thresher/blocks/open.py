"""Where the rows are: training data opened, and the measures of them made."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from thresher._utils.types import BinRule, DataLike, Estimator, TargetLike, WeightsLike
from thresher.blocks.engine import Engine, LocalEngine, TallFiles
from thresher.blocks.measures import BlockMeasures
from thresher.blocks.training import BlockData, read_blocks
from thresher.data import (
    InputRules,
    LocalData,
    RemoteOptions,
    TrainingData,
    check_remote_options,
    read_files,
    read_training,
)
from thresher.io.table import FileColumns, is_files
from thresher.io.temporary import Scratch
from thresher.measures import LocalMeasures, Measures, column_group_coder

# The engine of objects of a package: its module here, imported when it is needed, and its name there.
_ENGINES = {
    "dask": ("dask", "DaskEngine"),
    "dask_expr": ("dask", "DaskEngine"),
    "pyspark": ("spark", "SparkEngine"),
}
# Those whose clients read files as blocks.
_FILE_READERS = ("pyspark",)


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
        As passed to ``fit``.
    rules : InputRules
    options : RemoteOptions or None

    Returns
    -------
    training : LocalData or BlockData
        To be used in a ``with`` statement.
    """
    options = options or {}
    checkpoint = options.get("checkpoint")

    def read_engine(engine: Engine) -> BlockData:
        return read_blocks(selector, engine, rules, rules.discretize, checkpoint)

    if is_in_blocks(X, options):
        if not rules.accept_blocks:
            refuse_blocks(selector, X, options)
        check_remote_options(type(selector).__name__, options, in_memory=False)
        return read_engine(open_engine(X, y, sample_weight, options))
    if not is_files(X):
        check_remote_options(type(selector).__name__, options, in_memory=True)
        return read_training(selector, X, y, sample_weight, rules)

    def read_tall(files: FileColumns, y: TargetLike, weights: Any, scratch: Scratch) -> BlockData:
        return read_engine(TallFiles(files, y, weights, scratch, checkpoint is not None))

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


def refuse_blocks(selector: Estimator, X: DataLike, options: RemoteOptions | None = None) -> None:
    """Raise if the rows are in blocks, or for an option that is not for rows in memory."""
    are_elsewhere = is_in_blocks(X, options)
    check_remote_options(type(selector).__name__, options, in_memory=not are_elsewhere)
    if are_elsewhere:
        raise ValueError(
            f"{type(selector).__name__} needs all rows in one place, and X has them in blocks; give files or rows in "
            "memory, or use a selector of sums such as MRMR, CFS or JMI"
        )


def is_in_blocks(X: DataLike, options: RemoteOptions | None = None) -> bool:
    """Return whether an execution backend has the rows of X in blocks; no package is imported to find out."""
    return isinstance(X, LocalEngine) or _engine_of(X, options) in _ENGINES


def open_engine(
    X: DataLike,
    y: TargetLike = None,
    sample_weight: WeightsLike = None,
    options: RemoteOptions | None = None,
) -> Engine:
    """Return the execution backend of rows in blocks.

    `y` and `sample_weight` are names of columns or objects of the same kind as X.
    """
    if isinstance(X, LocalEngine):
        return X
    module, name = _ENGINES[_engine_of(X, options)]
    kind = getattr(import_module(f"thresher.blocks.{module}"), name)
    engine: Engine = kind(X, y, sample_weight, {} if options is None else options)
    return engine


def _engine_of(X: DataLike, options: RemoteOptions | None) -> str:
    """The package of X; of files, that of the client if it is one that reads them."""
    client = _package((options or {}).get("client")) if is_files(X) else ""
    return client if client in _FILE_READERS else _package(X)


def _package(X: DataLike) -> str:
    return type(X).__module__.partition(".")[0]


def make_measures(
    training: TrainingData,
    names: tuple[str, ...],
    discretize: BinRule,
    default: str,
    parts: Any = None,
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
        The bins that ``discretize="auto"`` stands for.
    parts : PartSets or NumberedParts, or None
        With parts, one value for each replicate.
    uses_triples : bool, default=False
        Whether terms of two features and the target will be requested.
    """
    if isinstance(training, LocalData):
        return LocalMeasures(training, discretize=discretize, default=default, parts=parts)
    assert isinstance(training, BlockData)
    return BlockMeasures(
        training,
        names,
        discretize=discretize,
        default=default,
        parts=parts,
        uses_triples=uses_triples,
    )
