"""Files of every kind as a table of columns or a matrix with what lies beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from scipy import sparse

from thresher._checks import readable
from thresher.cli._errors import BadInput
from thresher.sources import (
    COMPRESSED,
    LARGEST_BLOCK,
    decompressed,
    parsing,
    separator_of,
    why_not,
)

Opener = Callable[[Path], AbstractContextManager[BinaryIO]]

# The array of features and its names in files of several arrays; those of one array need no name.
_FEATURES = ("X", "data", "fea", "features")
_NAMES = ("feature_names", "names", "columns")


@dataclass(frozen=True)
class Content:
    """What a file holds.

    Attributes
    ----------
    X : pyarrow.Table, ndarray or sparse matrix
        Columns, the target perhaps among them.
    names : list of str or None
        Of the columns; None where the file has none.
    beside : dict of str to ndarray
        Values of every row that are no columns of X.
    notes : list of str
        What was decided while reading.
    """

    X: Any
    names: list[str] | None
    beside: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def _read_text(path: Path, open_file: Opener) -> Content:
    """CSV and TSV, in blocks, by as many threads as there are."""
    import pyarrow as pa
    from pyarrow import csv

    separator = "\t" if ".tsv" in _endings(path) else _separator(path)

    def parse(use_threads: bool) -> Any:
        with open_file(path) as file:
            return csv.read_csv(
                decompressed(file, path.suffix),
                read_options=csv.ReadOptions(block_size=LARGEST_BLOCK, use_threads=use_threads),
                **parsing(separator),
            )

    try:
        try:
            table = parse(True)
        except pa.ArrowInvalid:
            table = parse(False)  # which knows the number of the row
        names = table.column_names
    except UnicodeDecodeError:
        raise BadInput(f"{path}: the names of the columns are not UTF-8 text; convert it") from None
    except pa.ArrowInvalid as error:
        raise BadInput(f"{path} cannot be read: {why_not(str(error))}") from None
    for name, kind in zip(names, table.schema.types, strict=True):
        if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise BadInput(f"{path}: column {readable(name)} is not UTF-8 text; convert the file")
    notes: tuple[str, ...] = (
        () if separator in ",\t" else (f"columns are separated by {separator!r}",)
    )
    if len(names) > 1 and names[0] == "":
        table, names = table.remove_column(0), names[1:]
        notes += ("the first column has no name and is taken for names of rows, not for a feature",)
    return Content(table, names, notes=notes)


def _separator(path: Path) -> str:
    """The mark that is most frequent in the first line."""
    with path.open("rb") as file:
        try:
            head = decompressed(file, path.suffix).read(LARGEST_BLOCK >> 6)
        except OSError as error:
            raise BadInput(f"{path} cannot be read: {error}") from None
    try:
        return separator_of(head)
    except ValueError as error:
        raise BadInput(f"{path} cannot be read: {error}") from None


def _read_arrow(path: Path, open_file: Opener) -> Content:
    import pyarrow as pa
    from pyarrow import feather, parquet

    try:
        if ".parquet" in _endings(path):
            with open_file(path) as file:
                table = parquet.read_table(pa.PythonFile(file, mode="r"))
        elif ".feather" in _endings(path):
            table = feather.read_table(path)
        else:
            with pa.memory_map(str(path)) as source:
                try:
                    table = pa.ipc.open_file(source).read_all()
                except pa.ArrowInvalid:
                    source.seek(0)
                    table = pa.ipc.open_stream(source).read_all()
    except (pa.ArrowInvalid, OSError) as error:
        raise BadInput(f"{path} cannot be read: {why_not(str(error))}") from None
    # What pandas keeps of its index is no feature.
    index = [n for n in table.column_names if re.fullmatch(r"__index_level_\d+__", n)]
    return Content(table.drop_columns(index), [n for n in table.column_names if n not in index])


def _read_numpy(path: Path, open_file: Opener) -> Content:
    with suppress(ValueError, KeyError, OSError):
        return Content(sparse.load_npz(path), None)
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    return _of_arrays(path, arrays)


def _read_matlab(path: Path, open_file: Opener) -> Content:
    from scipy import io

    try:
        arrays = io.loadmat(path)
    except NotImplementedError:
        raise BadInput(f"{path} is of MATLAB 7.3 (HDF5); save it with -v7") from None
    except Exception as error:  # loadmat raises whatever its parser meets
        raise BadInput(f"{path} cannot be read: {error}") from None
    return _of_arrays(path, {name: value for name, value in arrays.items() if name[:2] != "__"})


def _of_arrays(path: Path, arrays: dict[str, Any]) -> Content:
    """The array of features, and those with one value per row."""
    tables = {n: a for n, a in arrays.items() if a.ndim == 2}
    known = [name for name in _FEATURES if name in tables]
    wide = known or [name for name, a in tables.items() if min(a.shape) > 1]
    if not known and len(wide) != 1:
        raise BadInput(
            f"{path} must have one array of rows and columns, or one named {', '.join(_FEATURES)}, got "
            + (", ".join(f"{readable(n)} {a.shape}" for n, a in arrays.items()) or "none")
        )
    X = arrays[wide[0]]
    if X.dtype.kind not in "biuf":
        raise BadInput(
            f"{path}: {readable(wide[0])} holds {X.dtype}, not numbers; give columns of text as .csv or .parquet"
        )
    flat = {
        name: _unpacked(np.asarray(a).ravel())
        for name, a in arrays.items()
        if name != wide[0] and not sparse.issparse(a)
    }
    texts = [name for name in _NAMES if name in flat and len(flat[name]) == X.shape[1]]
    names = [_text(name) for name in flat.pop(texts[0])] if texts else None
    return Content(X, names, {n: a for n, a in flat.items() if len(a) == X.shape[0]})


def _unpacked(values: Any) -> Any:
    """Values, each perhaps in a cell of MATLAB's."""
    if values.dtype != object:
        return values
    return np.array([_content(cell) for cell in values], dtype=object)


def _content(cell: Any) -> Any:
    while isinstance(cell, np.ndarray) and cell.size == 1:
        cell = cell.ravel()[0]
    return cell


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _read_arff(path: Path, open_file: Opener) -> Content:
    arff = _package("arff", "liac-arff", "cli")
    with path.open(encoding="utf-8-sig") as file:
        try:
            with suppress(arff.BadLayout, _NotNumbers):  # of rows that are not sparse, or hold text
                return _sparse_arff(arff.load(file, encode_nominal=True, return_type=arff.LOD))
            file.seek(0)
            found = arff.load(file)
        except UnicodeDecodeError:
            raise BadInput(f"{path} is not UTF-8 text; convert it") from None
        except (arff.ArffException, StopIteration, RuntimeError) as error:
            raise BadInput(f"{path} cannot be read: {error}") from None
    return Content(*_columns_table(found["attributes"], found["data"]))


class _NotNumbers(Exception):
    """A sparse file with text, which no matrix can hold."""


def _columns_table(attributes: list[Any], rows: list[Any]) -> tuple[Any, list[str]]:
    import pyarrow as pa

    names = [name for name, _ in attributes]
    is_number = [str(kind).upper() in ("NUMERIC", "REAL", "INTEGER") for _, kind in attributes]
    values = zip(*rows, strict=True) if rows else [()] * len(names)
    columns = [
        pa.array(column, pa.float64() if number else pa.string())
        for column, number in zip(values, is_number, strict=True)
    ]
    return pa.Table.from_arrays(columns, names), names


def _sparse_arff(found: Any) -> Content:
    """Numbers as they are, categories by the places of their values, of which the first is not written."""
    attributes, rows = found["attributes"], found["data"]
    if any(kind == "STRING" for _, kind in attributes):
        raise _NotNumbers
    values = [np.nan if value is None else float(value) for row in rows for value in row.values()]
    places = [place for row in rows for place in row]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    matrix = sparse.csr_matrix((values, places, ends), shape=(len(rows), len(attributes)))
    names = [name for name, _ in attributes]
    categories = {i: kind for i, (_, kind) in enumerate(attributes) if isinstance(kind, list)}
    # As a target they are called by their names.
    beside = {names[i]: _labels(matrix[:, [i]], kind) for i, kind in categories.items()}
    return Content(matrix, names, beside)


def _labels(column: Any, labels: list[str]) -> Any:
    codes = column.toarray().ravel()
    known = np.array([*labels, None], dtype=object)
    return known[np.where(np.isnan(codes), len(labels), codes).astype(int)]


def _read_svmlight(path: Path, open_file: Opener) -> Content:
    from sklearn.datasets import load_svmlight_file

    try:
        X, y = load_svmlight_file(str(path))
    except (ValueError, OSError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None
    return Content(X, None, {"target": y.astype(np.int64) if np.all(y == np.floor(y)) else y})


def _read_h5ad(path: Path, open_file: Opener) -> Content:
    anndata = _package("anndata", "anndata", "anndata")
    try:
        found = anndata.read_h5ad(path)
    except Exception as error:  # whatever HDF5 and anndata meet
        raise BadInput(f"{path} cannot be read: {str(error).splitlines()[0]}") from None
    beside = {str(name): found.obs[name].to_numpy() for name in found.obs.columns}
    return Content(found.X, [str(name) for name in found.var_names], beside)


def _package(module: str, package: str, extra: str) -> Any:
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError:
        raise BadInput(
            f"this kind of file needs {package}; install it with: pip install 'thresher[{extra}]'"
        ) from None


READERS: dict[str, Callable[[Path, Opener], Content]] = {
    ".csv": _read_text,
    ".tsv": _read_text,
    ".txt": _read_text,
    ".parquet": _read_arrow,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
    ".npz": _read_numpy,
    ".mat": _read_matlab,
    ".arff": _read_arff,
    ".svm": _read_svmlight,
    ".svmlight": _read_svmlight,
    ".libsvm": _read_svmlight,
    ".h5ad": _read_h5ad,
}


def _endings(path: Path) -> list[str]:
    return [suffix.lower() for suffix in path.suffixes]


def reader_of(path: Path) -> Callable[[Path, Opener], Content]:
    """The reader for the ending of the name."""
    suffix = path.suffix.lower()
    if suffix in COMPRESSED and len(path.suffixes) > 1:
        suffix = path.suffixes[-2].lower()
        if READERS.get(suffix) not in (_read_text, _read_svmlight):
            raise BadInput(f"{path}: only text may be compressed; unpack it first")
    if suffix not in READERS:
        raise BadInput(f"{path}: the name must end in one of {', '.join(READERS)}")
    return READERS[suffix]
