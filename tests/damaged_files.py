"""Files of every format with faults in their bytes, each determined by its format and a seed."""

from __future__ import annotations

import gzip
import io
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv, feather, parquet
from scipy import io as scipy_io
from scipy import sparse

from .matlab_files import Matlab5, as_matlab_7_3, text_in

Bytes = Callable[[bytes], bytes]

# Known from pyarrow 16 on.
_VIEW = getattr(pa, "string_view", pa.large_string)()

# Replacements for lengths, counts and offsets.
_LIMITS = [
    0,
    1,
    -1,
    127,
    255,
    2**15,
    2**16 - 1,
    10**6,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
]


def damaged(name: str, seed: int) -> bytes:
    """Return the bytes of a file of this format; every eighth is undamaged."""
    rng = np.random.default_rng([seed, *name.encode()])
    return FORMATS[name][1](rng, _damage(rng) if seed % 8 else bytes)


def suffix_of(name: str) -> str:
    return FORMATS[name][0]


def _damage(rng: np.random.Generator) -> Bytes:
    def damage(content: bytes) -> bytes:
        changed = bytearray(content)
        for _ in range(rng.integers(1, 4)):
            if not changed:
                break
            kinds = [
                _flip,
                _flip,
                _replace,
                _edit_number,
                _edit_number,
                _edit_number,
                _splice,
                _truncate,
            ]
            kinds[rng.integers(len(kinds))](changed, rng)
        return bytes(changed)

    return damage


def _flip(content: bytearray, rng: np.random.Generator) -> None:
    for offset in rng.integers(0, len(content), rng.integers(1, 9)):
        content[offset] ^= 1 << rng.integers(8)


def _replace(content: bytearray, rng: np.random.Generator) -> None:
    begin = rng.integers(len(content))
    size = min(rng.integers(1, 9), len(content) - begin)
    fills = bytes(size), b"\xff" * size, rng.bytes(size)
    content[begin : begin + size] = fills[rng.integers(3)]


def _edit_number(content: bytearray, rng: np.random.Generator) -> None:
    """Replace an integer of 1, 2, 4 or 8 bytes, perhaps a length."""
    width = int(rng.choice([1, 2, 4, 4, 4, 8, 8]))
    order = "<" if rng.random() < 0.8 else ">"
    code = order + {1: "B", 2: "H", 4: "I", 8: "Q"}[width]
    if len(content) < width:
        return
    offset = int(rng.integers(len(content) - width + 1))
    if rng.random() < 0.8:
        offset -= offset % width
    (value,) = struct.unpack_from(code, content, offset)
    near = [value + 1, value - 1, 2 * value, value // 2, -value, len(content), value + 8]
    others = near if rng.random() < 0.5 else _LIMITS
    struct.pack_into(code, content, offset, int(others[rng.integers(len(others))]) % 256**width)


def _splice(content: bytearray, rng: np.random.Generator) -> None:
    """Copy bytes over others or between them, or remove them."""
    begin, to = rng.integers(0, len(content), 2)
    some = content[begin : begin + rng.integers(1, 65)]
    way = rng.integers(3)
    if way == 0:
        content[to : to + len(some)] = some[: len(content) - to]
    elif way == 1:
        content[to:to] = some
    else:
        del content[begin : begin + len(some)]


def _truncate(content: bytearray, rng: np.random.Generator) -> None:
    del content[rng.integers(len(content)) :]


# --- the tables ---


def _numbers(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    n, p = rng.integers(8, 60), rng.integers(2, 7)
    X = rng.normal(size=(n, p)).round(2)
    return X, np.arange(n) % 2


def _entries(rng: np.random.Generator) -> np.ndarray:
    """Return a matrix with few non-zero entries; the last column is the target."""
    X, y = _numbers(rng)
    return np.column_stack([np.where(rng.random(X.shape) < 0.4, X, 0), y])


def _table(rng: np.random.Generator) -> pa.Table:
    X, y = _numbers(rng)
    n = len(y)
    words = np.array(["low", "mid", "high é", ""], dtype=object)[rng.integers(0, 4, n)]
    words[rng.random(n) < 0.2] = None
    columns = {f"x{i}": x for i, x in enumerate(X.T)}
    more = {
        "text": pa.array(words, pa.string()),
        "large text": pa.array(words, pa.large_string()),
        "category": pa.array(words, pa.string()).dictionary_encode(),
        "truth": pa.array(X[:, 0] > 0),
        "whole": pa.array(rng.integers(-3, 3, n), mask=rng.random(n) < 0.2),
        "decimal": pa.array(X[:, 0].round(1), pa.float64()).cast(pa.decimal128(12, 3), safe=False),
        "single": pa.array(X[:, 1].astype(np.float32)),
        "none": pa.nulls(n),
        "view": pa.array(words, _VIEW),
        "runs": compute.run_end_encode(pa.array(y // 2)),
        "list": pa.array([[1, 2]] * n),
        "fields": pa.array([{"a": 1}] * n),
        "date": pa.array(np.arange(n).astype("datetime64[s]")),
    }
    weights = np.array([4, 2, 4, 3, 3, 2, 2, 0.1, 0.3, 0.1, 0.1, 0.1, 0.1])
    for name in rng.choice(
        list(more), rng.integers(0, 5), replace=False, p=weights / weights.sum()
    ):
        columns[str(name)] = more[str(name)]
    label = pa.array(np.array(["no", "yes"])[y]) if rng.random() < 0.5 else pa.array(y)
    return pa.table({**columns, "y": label})


def _plain(table: pa.Table) -> pa.Table:
    """Return the columns that every format supports."""
    kinds = (pa.types.is_floating, pa.types.is_integer, pa.types.is_string, pa.types.is_boolean)
    return table.select([f.name for f in table.schema if any(kind(f.type) for kind in kinds)])


# --- the formats ---


def _text(rng: np.random.Generator, damage: Bytes, separator: str = ",") -> bytes:
    sink = io.BytesIO()
    csv.write_csv(_plain(_table(rng)), sink, csv.WriteOptions(delimiter=separator))
    return damage(sink.getvalue())


def _tsv(rng: np.random.Generator, damage: Bytes) -> bytes:
    return _text(rng, damage, "\t")


def _gzipped(rng: np.random.Generator, damage: Bytes) -> bytes:
    if rng.random() < 0.5:
        return gzip.compress(_text(rng, damage), mtime=0)
    return damage(gzip.compress(_text(rng, bytes), mtime=0))


def _parquet(rng: np.random.Generator, damage: Bytes) -> bytes:
    table = _table(rng)
    gone = [f.name for f in table.schema if f.type == _VIEW or "run_end" in str(f.type)]
    table = table.drop_columns(gone)
    plain = rng.random() < 0.3
    encodings = {
        f.name: str(rng.choice(["PLAIN", "BYTE_STREAM_SPLIT"]))
        for f in table.schema
        if f.type == pa.float64()
    }
    sink = io.BytesIO()
    parquet.write_table(
        table,
        sink,
        compression=str(rng.choice(["none", "none", "snappy", "gzip", "zstd", "lz4", "brotli"])),
        use_dictionary=not plain,
        column_encoding=encodings if plain else None,
        data_page_version=str(rng.choice(["1.0", "2.0"])),
        row_group_size=int(rng.choice([7, 1000])),
        write_page_checksum=bool(rng.random() < 0.2),
        store_schema=bool(rng.random() < 0.7),
    )
    return damage(sink.getvalue())


def _arrow(rng: np.random.Generator, damage: Bytes) -> bytes:
    sink = io.BytesIO()
    table = _table(rng)
    codec = rng.choice([None, None, "lz4", "zstd"])
    options = pa.ipc.IpcWriteOptions(compression=codec)
    new = pa.ipc.new_file if rng.random() < 0.7 else pa.ipc.new_stream
    with new(sink, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=int(rng.choice([7, 1000])))
    return damage(sink.getvalue())


def _feather(rng: np.random.Generator, damage: Bytes) -> bytes:
    sink = io.BytesIO()
    codec = str(rng.choice(["uncompressed", "lz4", "zstd"]))
    feather.write_feather(_table(rng), sink, compression=codec)
    return damage(sink.getvalue())


def _npz(rng: np.random.Generator, damage: Bytes) -> bytes:
    """Damage a member, whose check sum is then right, or the archive."""
    sink = io.BytesIO()
    save = np.savez_compressed if rng.random() < 0.5 else np.savez
    if rng.random() < 0.6:
        form = str(rng.choice(["csr", "csc", "coo", "bsr", "dia"]))
        sparse.save_npz(sink, sparse.csr_matrix(_entries(rng)).asformat(form), rng.random() < 0.5)
    else:
        X, y = _numbers(rng)
        names = np.array([f"f{i}" for i in range(X.shape[1])])
        save(sink, X=X.astype(rng.choice(["f8", "f4", ">f8", "i4"])), y=y, names=names)
    return _in_archive(sink.getvalue(), rng, damage)


def _in_archive(content: bytes, rng: np.random.Generator, damage: Bytes) -> bytes:
    if rng.random() < 0.3:
        return damage(content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {info: archive.read(info) for info in archive.infolist()}
    chosen = list(members)[rng.integers(len(members))]
    members[chosen] = damage(members[chosen])
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for info, member in members.items():
            archive.writestr(info, member)
    return sink.getvalue()


def _matlab(rng: np.random.Generator) -> dict[str, object]:
    if rng.random() < 0.5:
        return {"X": sparse.csc_matrix(_entries(rng))}
    X, y = _numbers(rng)
    return {"X": X, "y": y.astype(float), "feature_names": [f"f{i}" for i in range(X.shape[1])]}


def _mat4(rng: np.random.Generator, damage: Bytes) -> bytes:
    sink = io.BytesIO()
    scipy_io.savemat(sink, _matlab(rng), format="4")
    return damage(sink.getvalue())


def _mat5(rng: np.random.Generator, damage: Bytes) -> bytes:
    if rng.random() < 0.2:
        return damage(_mat5_by_hand(rng))
    sink = io.BytesIO()
    scipy_io.savemat(sink, _matlab(rng), do_compression=False)
    return damage(sink.getvalue())


def _mat5_by_hand(rng: np.random.Generator) -> bytes:
    file = Matlab5(str(rng.choice(["<", ">"])))
    X, y = _numbers(rng)
    file.add("X", 6, X.shape, file.element(9, "f8", X.T.ravel()))
    file.add("y", 6, (len(y), 1), file.element(2, "u1", y))
    return bytes(file.content)


def _mat7(rng: np.random.Generator, damage: Bytes) -> bytes:
    """Damage an array before it is compressed, or the file."""
    sink = io.BytesIO()
    scipy_io.savemat(sink, _matlab(rng), do_compression=False)
    content, parts, offset = sink.getvalue(), [], 128
    while offset < len(content):
        (size,) = struct.unpack_from("<I", content, offset + 4)
        parts.append(content[offset : offset + 8 + size])
        offset += 8 + size
    inside = rng.random() < 0.7
    chosen = rng.integers(len(parts))
    parts = [damage(part) if inside and i == chosen else part for i, part in enumerate(parts)]
    packed = [zlib.compress(part) for part in parts]
    whole = content[:128] + b"".join(struct.pack("<II", 15, len(one)) + one for one in packed)
    return whole if inside else damage(whole)


def _written(write: Callable[[Path], None], suffix: str) -> bytes:
    with TemporaryDirectory() as folder:
        path = Path(folder, "file").with_suffix(suffix)
        write(path)
        return path.read_bytes()


def _mat73(rng: np.random.Generator, damage: Bytes) -> bytes:
    def write(path: Path) -> None:
        with as_matlab_7_3(path) as file:
            options = {"compression": "gzip"} if rng.random() < 0.3 else {}
            if rng.random() < 0.5:
                matrix = sparse.csc_matrix(_entries(rng))
                group = file.create_group("X")
                group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
                group.create_dataset("data", data=_any(matrix.data, rng), **options)
                group.create_dataset("ir", data=_any(matrix.indices.astype(np.uint64), rng))
                group.create_dataset("jc", data=_any(matrix.indptr.astype(np.uint64), rng))
            else:
                X, y = _numbers(rng)
                file.create_dataset("X", data=X.T, **options)
                file.create_dataset("y", data=y[None].astype(float))
                text_in(file, "note", "a note")

    return damage(_written(write, ".mat"))


def _any(values: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Replace one of the values by any other: HDF5 has a check sum for few of its parts."""
    if rng.random() < 0.3 and len(values):
        values = values.copy()
        values[rng.integers(len(values))] = _LIMITS[rng.integers(len(_LIMITS) - 3)] % 2**31
    return values


def _h5ad(rng: np.random.Generator, damage: Bytes) -> bytes:
    import anndata
    import pandas as pd

    def write(path: Path) -> None:
        X, y = _numbers(rng)
        form = rng.choice(["dense", "csr", "csc"])
        values = X if form == "dense" else sparse.csr_matrix(_entries(rng)[:, :-1]).asformat(form)
        obs = pd.DataFrame({"y": y, "kind": pd.Categorical(np.array(["a", "b"])[y])})
        obs = obs.iloc[: values.shape[0]]
        obs.index = obs.index.astype(str)
        if form != "dense":
            obs = pd.DataFrame({"y": np.arange(values.shape[0]) % 2}).rename(index=str)
            for part in ("data", "indices", "indptr"):
                setattr(values, part, _any(getattr(values, part), rng))
        anndata.AnnData(values, obs).write_h5ad(path)

    return damage(_written(write, ".h5ad"))


def _arff(rng: np.random.Generator, damage: Bytes) -> bytes:
    X, y = _numbers(rng)
    lines = ["@relation r", *(f"@attribute x{i} numeric" for i in range(X.shape[1]))]
    lines += ["@attribute text string", "@attribute y {no,'yes it is'}", "@data"]
    if rng.random() < 0.5:
        rows = [
            ",".join(map(str, x)) + f",'a b',{('no', _QUOTED)[v]}"
            for x, v in zip(X, y, strict=True)
        ]
    else:
        del lines[-3]
        p = X.shape[1]
        rows = [
            f"{{0 {x[0]}, 1 {x[1]}, {p} {('no', _QUOTED)[v]}}}" for x, v in zip(X, y, strict=True)
        ]
    return damage("\n".join([*lines, *rows, ""]).encode())


_QUOTED = "'yes it is'"


def _svmlight(rng: np.random.Generator, damage: Bytes) -> bytes:
    rows = [
        " ".join([str(int(row[-1])), *(f"{i + 1}:{v}" for i, v in enumerate(row[:-1]) if v)])
        for row in _entries(rng)
    ]
    return damage("\n".join([*rows, ""]).encode())


FORMATS: dict[str, tuple[str, Callable[[np.random.Generator, Bytes], bytes]]] = {
    "csv": (".csv", _text),
    "tsv": (".tsv", _tsv),
    "csv.gz": (".csv.gz", _gzipped),
    "parquet": (".parquet", _parquet),
    "arrow": (".arrow", _arrow),
    "feather": (".feather", _feather),
    "npz": (".npz", _npz),
    "mat 4": (".mat", _mat4),
    "mat 5": (".mat", _mat5),
    "mat 7": (".mat", _mat7),
    "mat 7.3": (".mat", _mat73),
    "arff": (".arff", _arff),
    "svmlight": (".svmlight", _svmlight),
    "h5ad": (".h5ad", _h5ad),
}
