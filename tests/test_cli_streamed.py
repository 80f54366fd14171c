"""Files of every kind give the same result whether their rows are loaded into memory or streamed."""

import gzip
import json
import re

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.datasets import dump_svmlight_file
from typer.testing import CliRunner

from thresher.cli import _input
from thresher.cli._app import app
from thresher.cli._input import read_data
from thresher.cli._options import METHODS, InputOptions
from thresher.cli._output import Console
from thresher.io.sparse import MappedMatrix
from thresher.io.table import FileColumns

from .examples import pairs
from .matlab_files import as_matlab_7_3

N, P = 700, 40


def made(kind, seed=0):
    """Return features and labels: numbers with gaps, integers, few values, or mostly zeros."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, N)
    X = rng.normal(size=(N, P)) + y[:, None] * np.linspace(0, 1, P)
    if kind == "sparse":
        X = np.round(np.where(rng.random((N, P)) < 0.15, X, 0), 3)
        X[:, 5], X[0, 5] = 0, 1.5  # one entry
        X[100:300] = 0
    if kind == "whole":
        X = np.round(X).astype(np.int64)
        X[:, 7] += 1 << 60
    if kind == "gaps":
        X[rng.random((N, P)) < 0.05] = np.nan
    return np.round(X, 6), y


def npz(path, X, y, **options):
    np.savez(path, X=X, target=y, number=X[:, 0] * 0 + y * 0.5, feature_names=names(X))


def npz_by_columns(path, X, y):
    np.savez_compressed(path, X=np.asfortranarray(X), target=y, number=y * 0.5)


def npz_single(path, X, y):
    np.savez_compressed(path, X=X.astype(np.float32), target=y, number=y * 0.5)


def npz_strange(path, X, y):
    np.savez(path, X=X.astype(">f8"), target=y, number=y * 0.5)


def npz_long(path, X, y):
    np.savez(path, X=X.astype(np.longdouble), target=y, number=y * 0.5)


def npz_truth(path, X, y):
    np.savez(path, X=X > 0.5, target=y, number=y * 0.5)


def names(X):
    return np.array([f"feature {i}" for i in range(X.shape[1])])


def arff(path, X, y):
    head = [f"@attribute 'feature {i}' numeric" for i in range(X.shape[1])]
    head += ["@attribute word {red,'dark blue',green}", "@attribute remark string"]
    head += ["@attribute target {a,b,c}", "@attribute number real"]
    words, labels = ["red", "'dark blue'", "green", "?"], "abc"
    rows = [
        ",".join(
            [
                *("?" if np.isnan(value) else repr(value) for value in row),
                words[(i + label) % 4] if np.isnan(X).any() else words[(i * label) % 3],
                f"'say {i % 5}'",
                labels[label],
                repr(label * 0.5),
            ]
        )
        for i, (row, label) in enumerate(zip(X.tolist(), y.tolist(), strict=True))
    ]
    path.write_text("\n".join(["@relation r", *head, "@data", *rows]) + "\n")


def sparse_arff(path, X, y):
    head = [f"@attribute 'feature {i}' numeric" for i in range(X.shape[1])]
    head += ["@attribute target {a,b,c}", "@attribute number real"]
    rows = []
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        cells = [f"{i} {value!r}" for i, value in enumerate(row) if value]
        cells += [f"{P} {'abc'[label]}", f"{P + 1} {label * 0.5!r}"] if label else []
        rows.append("{" + ",".join(cells) + "}")
    path.write_text("\n".join(["@relation r", *head, "@data", *rows]) + "\n")


def svm(path, X, y):
    dump_svmlight_file(sparse.csr_matrix(X), y, str(path), zero_based=False)


def svm_from_zero(path, X, y):
    dump_svmlight_file(sparse.csr_matrix(X), y, str(path), zero_based=True, comment="a comment")


def svm_gz(path, X, y):
    plain = path.with_suffix("")
    svm(plain, X, y)
    path.write_bytes(gzip.compress(plain.read_bytes().rstrip(b"\n")))


def svm_zst(path, X, y):
    import pyarrow as pa

    plain = path.with_suffix("")
    svm(plain, X, y)
    with pa.CompressedOutputStream(path, "zstd") as file:
        file.write(plain.read_bytes())


def h5ad(path, X, y, form=np.asarray):
    anndata = pytest.importorskip("anndata")
    pandas = pytest.importorskip("pandas")

    obs = pandas.DataFrame(
        {"target": pandas.Categorical(np.array(list("abc"))[y]), "number": y * 0.5},
        index=[f"cell {i}" for i in range(len(y))],
    )
    var = pandas.DataFrame(index=names(X).astype(object))
    anndata.AnnData(form(X), obs=obs, var=var).write_h5ad(path)


def h5ad_rows(path, X, y):
    h5ad(path, X, y, sparse.csr_matrix)


def h5ad_columns(path, X, y):
    h5ad(path, X, y, lambda X: sparse.csc_matrix(X.astype(np.float32)))


def npz_rows(path, X, y):
    sparse.save_npz(path, sparse.csr_matrix(np.column_stack([X, y])))


def npz_columns(path, X, y):
    sparse.save_npz(path, sparse.csc_matrix(np.column_stack([X, y])), compressed=False)


def mat(path, X, y):
    io.savemat(path, {"X": X, "target": y, "number": y * 0.5})


def mat_compressed(path, X, y):
    arrays = {"target": y, "X": X, "number": y * 0.5, "word": "nearby", "other": X[:3]}
    io.savemat(path, arrays, do_compression=True)


def mat_sparse(path, X, y):
    mat_compressed(path, sparse.csc_matrix(X), y)


def mat_hdf5(path, X, y):
    with as_matlab_7_3(path) as file:
        file["target"], file["number"] = y[None], y[None] * 0.5
        file.create_dataset("X", data=X.T, chunks=(3, 100), compression="gzip")


def mat_sparse_hdf5(path, X, y):
    with as_matlab_7_3(path) as file:
        file["target"], file["number"] = y[None], y[None] * 0.5
        group, matrix = file.create_group("X"), sparse.csc_matrix(X)
        group.attrs["MATLAB_sparse"] = np.uint64(len(X))
        group["data"], group["ir"] = matrix.data, matrix.indices.astype(np.uint64)
        group["jc"] = matrix.indptr.astype(np.uint64)


DENSE = {
    "5.mat": mat,
    "compressed.mat": mat_compressed,
    "7.3.mat": mat_hdf5,
    "rows.npz": npz,
    "columns.npz": npz_by_columns,
    "single.npz": npz_single,
    "strange.npz": npz_strange,
    "long.npz": npz_long,
    "dense.arff": arff,
    "dense.h5ad": h5ad,
}
SPARSE = {
    "sparse.mat": mat_sparse,
    "sparse 7.3.mat": mat_sparse_hdf5,
    "sparse.arff": sparse_arff,
    "data.svm": svm,
    "zero.libsvm": svm_from_zero,
    "data.svm.gz": svm_gz,
    "data.svm.zst": svm_zst,
    "rows.h5ad": h5ad_rows,
    "columns.h5ad": h5ad_columns,
}
OF_SCIPY = {"sparse rows.npz": npz_rows, "sparse columns.npz": npz_columns}


@pytest.fixture
def both(tmp_path, monkeypatch):
    """Return the output of `select` with the rows in memory, and with them elsewhere."""

    def select(path, *options):
        found = []
        for size in (0, 1 << 60):
            monkeypatch.setattr(_input, "size_in_memory", lambda _, size=size: size)
            out = tmp_path / "selected.json"
            arguments = ["select", str(path), "--memory", "1MiB", "--force", "-o", str(out)]
            arguments += map(str, options)
            done = CliRunner().invoke(app, arguments, catch_exceptions=False)
            assert done.exit_code == 0, done.output
            assert ("its rows stay in the file" in done.stderr) == (size > 0)
            saved = json.loads(out.read_text())
            for facts in (saved["run"], saved["run"]["facts"]):
                facts["notes"] = [n for n in facts["notes"] if "rows stay in the file" not in n]
            learnt = dict(saved["selector"].pop("state")["dict"])
            learnt.pop("n_passes_", None)  # of files alone
            found.append((saved, learnt))
        return found

    return select


OPTIONS = {
    "classes": ("-t", "target", "-k", 6),
    "keep": ("-t", "target", "-m", "jmi", "-k", 5, "--keep", "{1}", "--exclude", "{0},{39}"),
    "numeric": ("-t", "number", "--target-kind", "numeric", "-m", "mrmr", "-k", 6),
    "ensemble": ("-t", "target", "-m", "cfs", "--ensemble", 3),
}


def with_names(options, path):
    """Return options with the names that the file has for its columns."""
    is_named = path.suffix in (".arff", ".h5ad") or path.name == "rows.npz"
    known = [f"feature {i}" if is_named else f"x{i}" for i in range(P)]
    return [str(option).format(*known) for option in options]


@pytest.mark.parametrize(("name", "kind"), pairs(DENSE, OPTIONS))
def test_dense_files_give_the_same(name, kind, tmp_path, both):
    path = tmp_path / name
    DENSE[name](path, *made("dense"))
    options = OPTIONS[kind]
    if name == "dense.arff":
        options = (*options, "-m", "mim")  # which takes text
        if "--exclude" not in options:
            options = (*options, "--exclude", "word,number" if "number" not in options else "word")
    whole, streamed = both(path, *with_names(options, path))
    assert streamed == whole


@pytest.mark.parametrize(("name", "kind"), pairs(SPARSE, OPTIONS))
def test_sparse_files_give_the_same(name, kind, tmp_path, both):
    path = tmp_path / name
    SPARSE[name](path, *made("sparse"))
    options = OPTIONS[kind]
    if ".svm" in name or "libsvm" in name:
        options = ["target" if option == "number" else option for option in options]
    whole, streamed = both(path, *with_names(options, path))
    assert streamed == whole


@pytest.mark.parametrize("kind", ["classes", "keep"])
@pytest.mark.parametrize("name", OF_SCIPY)
def test_sparse_matrices_of_scipy_give_the_same(name, kind, tmp_path, both):
    path = tmp_path / name
    OF_SCIPY[name](path, *made("sparse"))
    options = [f"x{P}" if option == "target" else option for option in OPTIONS[kind]]
    whole, streamed = both(path, *with_names(options, path))
    assert streamed == whole


@pytest.mark.parametrize(("name", "missing"), pairs(DENSE, ["pairwise", "category", "drop_rows"]))
def test_missing_values_are_treated_the_same(name, missing, tmp_path, both):
    X, y = made("gaps")
    X[:, 6:] = np.nan_to_num(X[:, 6:])
    DENSE[name](tmp_path / name, X, y)
    method = "mrmr" if missing == "pairwise" else "mim"
    options = ["-t", "target", "-m", method, "-k", 4, "--missing", missing]
    if name == "dense.arff":
        options += ["--exclude", "remark,word" if method == "mrmr" else "number"]
    whole, streamed = both(tmp_path / name, *options)
    assert streamed == whole


@pytest.mark.parametrize("write", [npz, npz_by_columns, npz_truth])
def test_integers_and_booleans_give_the_same(write, tmp_path, both):
    write(tmp_path / "whole.npz", *made("whole"))
    for method in ("mrmr", "mim"):
        whole, streamed = both(tmp_path / "whole.npz", "-t", "target", "-k", 5, "-m", method)
        assert streamed == whole


@pytest.mark.parametrize(("method", "name"), pairs(sorted(METHODS), ["rows.npz", "data.svm"]))
def test_every_method_gives_the_same_selection_or_message(name, method, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 6)).astype(float)
    {**DENSE, **SPARSE}[name](tmp_path / name, X, (X[:, 0] > 0).astype(int))
    arguments = ["select", str(tmp_path / name), "-t", "target", "-m", method, "--quiet"]
    whole = CliRunner().invoke(app, arguments)
    monkeypatch.setattr(_input, "size_in_memory", lambda _: 1 << 60)
    streamed = CliRunner().invoke(app, arguments)
    assert (streamed.exit_code, streamed.output) == (whole.exit_code, whole.output)


@pytest.mark.parametrize("name", [*DENSE, *SPARSE, *OF_SCIPY])
def test_rows_do_not_come_into_memory(name, tmp_path, monkeypatch):
    every = {**DENSE, **SPARSE, **OF_SCIPY}
    every[name](tmp_path / name, *made("dense" if name in DENSE else "sparse"))
    monkeypatch.setattr(_input, "size_in_memory", lambda _: 1 << 60)
    source = InputOptions(target=f"x{P}" if name in OF_SCIPY else "target")
    data = read_data(tmp_path / name, source, Console(quiet=True), memory="1MiB", may_stay=True)
    assert isinstance(data.X, FileColumns if name in DENSE else MappedMatrix)
    assert data.is_large
    if name in DENSE:
        assert max(piece.nbytes for piece in data.X.read(list(data.X.kinds))) < 1 << 18


def csv(path, X, y):
    import pyarrow as pa
    from pyarrow import csv as text

    columns = dict(zip(names(X).tolist(), X.T, strict=True))
    word = np.array(["red", "dark blue", "green"])[(np.arange(N) * y) % 3]
    text.write_csv(pa.table({**columns, "word": word, "target": np.array(list("abc"))[y]}), path)


SAMPLED = {
    "data.csv": csv,
    "rows.npz": npz,
    "compressed.mat": mat_compressed,
    "dense.arff": arff,
    "data.svm": svm,
    "rows.h5ad": h5ad_rows,
}


@pytest.mark.parametrize("name", SAMPLED)
def test_a_sample_of_rows_is_the_same_wherever_they_are(name, tmp_path, monkeypatch):
    SAMPLED[name](tmp_path / name, *made("sparse" if name in SPARSE else "dense"))
    found = []
    for size in (0, 1 << 60):
        monkeypatch.setattr(_input, "size_in_memory", lambda _, size=size: size)
        arguments = [
            "select",
            str(tmp_path / name),
            "-t",
            "target",
            "-m",
            "mim",
            "-k",
            "5",
            "--json",
        ]
        done = CliRunner().invoke(app, [*arguments, "--sample", "150", "--memory", "1MiB"])
        assert done.exit_code == 0, done.output
        assert f"150 of {N} rows are used" in done.stderr
        found.append(json.loads(done.stdout))
        assert found[-1]["n_samples"] == 150
    assert found[0]["selected"] == found[1]["selected"]
    other = CliRunner().invoke(app, [*arguments, "--sample", "150", "--seed", "1"])
    assert json.loads(other.stdout)["selected"] != found[0]["selected"]
    every = CliRunner().invoke(app, [*arguments, "--sample", str(N)])
    assert json.loads(every.stdout)["n_samples"] == N


JUDGING = ["compare", "stability", "probe", "recommend", "select"]


@pytest.mark.parametrize(("command", "name"), pairs(JUDGING, ["data.csv", "data.svm"]))
def test_methods_are_evaluated_on_a_sample_of_a_large_table(command, name, tmp_path, monkeypatch):
    X, y = made("sparse" if name in SPARSE else "dense")
    SAMPLED[name](tmp_path / name, X[:, :10] if command == "select" else X, y)
    more = {"recommend": ["--budget", "0.3"], "select": ["-k", "auto"]}
    arguments = [command, str(tmp_path / name), "-t", "target", "--json", "--sample", "120"]
    arguments += more.get(command, ["-k", "2"])
    if command != "recommend" and name == "data.csv":
        arguments += ["--exclude", "word"]
    with monkeypatch.context() as patch:
        patch.setattr(_input, "size_in_memory", lambda _: 1 << 60)
        sampled = CliRunner().invoke(app, arguments)
    assert sampled.exit_code == 0, sampled.output
    if command != "recommend":  # the number of its fits depends on the clock
        whole = CliRunner().invoke(app, arguments)
        assert whole.exit_code == 0, whole.output
        assert messages_of(sampled) == messages_of(whole)


def messages_of(done):
    """Return the printed messages, without times, memory and the note of a large file."""
    without = r'"\w*(?:seconds|bytes)\w*": [^,\n]*|.*its rows stay in the file.*\n'
    return re.sub(without, "", done.stdout)


def test_a_sample_of_one_row_is_rejected(tmp_path):
    csv(tmp_path / "data.csv", *made("dense"))
    done = CliRunner().invoke(
        app, ["select", str(tmp_path / "data.csv"), "-t", "target", "--sample", "1"]
    )
    assert done.exit_code == 2
    assert "--sample must be at least 2, got 1" in done.stderr
