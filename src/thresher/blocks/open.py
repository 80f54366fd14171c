"""Who has the rows."""

from __future__ import annotations

from importlib import import_module
from typing import Any, cast

from thresher.blocks.engine import Engine
from thresher.blocks.local import LocalEngine
from thresher.blocks.measures import FarMeasures
from thresher.blocks.training import FarTraining
from thresher.data import Far, Training
from thresher.io.table import is_files
from thresher.measures import Measures

# The engine of objects of a package: its module here, imported when it is needed, and its name there.
_ENGINES = {
    "dask": ("dask", "DaskEngine"),
    "dask_expr": ("dask", "DaskEngine"),
    "pyspark": ("spark", "SparkEngine"),
}


# Those whose clients read files as blocks.
_FILE_READERS = ("pyspark",)


def is_far(X: Any, far: Far | None = None) -> bool:
    """Whether the rows of X are in blocks that an engine has; no package is imported to find out."""
    return isinstance(X, LocalEngine) or _engine_of(X, far) in _ENGINES


def open_engine(X: Any, y: Any = None, sample_weight: Any = None, far: Far | None = None) -> Engine:
    """The engine that has the rows of X, which `is_far`.

    `y` and `sample_weight` are names of columns or objects of the same kind as X.
    """
    if isinstance(X, LocalEngine):
        return X
    module, name = _ENGINES[_engine_of(X, far)]
    kind = getattr(import_module(f"thresher.blocks.{module}"), name)
    engine: Engine = kind(X, y, sample_weight, {} if far is None else far)
    return engine


def _engine_of(X: Any, far: Far | None) -> str:
    """The package of X; of files, that of the client if it is one that reads them."""
    client = _package((far or {}).get("client")) if is_files(X) else ""
    return client if client in _FILE_READERS else _package(X)


def _package(X: Any) -> str:
    return type(X).__module__.partition(".")[0]


def make_measures(
    training: Training,
    names: tuple[str, ...],
    discretize: Any,
    default: str,
    parts: Any = None,
    *,
    uses_triples: bool = False,
) -> Measures:
    """Return the measures with these names, wherever the rows are.

    Parameters
    ----------
    training : Training
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
    if not isinstance(training, FarTraining):
        return Measures(training, discretize=discretize, default=default, parts=parts)
    measures = FarMeasures(
        training,
        names,
        discretize=discretize,
        default=default,
        parts=parts,
        asks_triples=uses_triples,
    )
    return cast(Measures, measures)
