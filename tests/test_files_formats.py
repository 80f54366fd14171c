"""``fit`` accepts every file that the command line accepts, with the result of the same rows in arrays."""

import json

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.base import clone
from typer.testing import CliRunner

from thresher import CFS, JMI, MIM, MRMR, Ensemble, ReliefF, Univariate
from thresher.cli._app import app
from thresher.cli._options import METHODS, method_class
from thresher.evaluate import redundancy_map

from .test_cli_streamed import DENSE, OF_SCIPY, SPARSE, P, made, npz_truth


def mat_4(path, X, y):
    io.savemat(path, {"X": X, "target": y, "number": y * 0.5}, format="4")


def mat_4_sparse(path, X, y):
    io.savemat(path, {"X": sparse.csc_matrix(X), "target": y, "number": y * 0.5}, format="4")


FILES = {**DENSE, **SPARSE, **OF_SCIPY, "4.mat": mat_4, "sparse 4.mat": mat_4_sparse}
# Formats that are written with single precision.
SINGLE = ("single.npz", "columns.h5ad")
OTHERS = {"dense.arff": ["word", "remark", "number"], "sparse.arff": ["number"]}
SELECTORS = [
    MRMR(6),
    MRMR(4, relevance="mi", keep=[1], exclude=[0]),
    JMI(5),
    CFS(),
    Univariate(5),
    Ensemble(MRMR(3), 3, random_state=0),
]


def written(folder, name):
    """Write a file; return it, its features and labels as arrays, and its name of the labels."""
    is_sparse = name in SPARSE or "sparse" in name
    X, y = made("sparse" if is_sparse else "dense")
    FILES[name](folder / name, X, y)
    X = X.astype(np.float32) if name in SINGLE else X
    y = y.astype(float) if "4.mat" in name else y  # the format has no other numbers
    target = f"x{P}" if name in OF_SCIPY else "target"
    return folder / name, sparse.csc_matrix(X) if is_sparse else X, y, target


def assert_same(found, expected):
    n = expected.n_features_in_
    assert found.selected_.tolist() == expected.selected_.tolist()
    for name in ("scores_", "relevance_", "redundancy_"):
        assert getattr(found, name)[:n].tobytes() == getattr(expected, name).tobytes()
    assert len(found.feature_names_in_) == found.n_features_in_


@pytest.mark.parametrize("name", FILES)
def test_every_format_gives_the_result_of_arrays(name, tmp_path):
    path, X, y, target = written(tmp_path, name)
    for selector in SELECTORS:
        others = OTHERS.get(name, [])
        excluded = getattr(selector, "exclude", None)
        of_file = clone(selector)
        if others and isinstance(selector, Ensemble):
            of_file = Ensemble(
                clone(selector.selector).set_params(exclude=others), 3, random_state=0
            )
        elif others:
            names = [f"feature {i}" for i in excluded or []]
            of_file.set_params(exclude=[*names, *others])
        assert_same(of_file.fit(path, target), clone(selector).fit(X, y))


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize("name", ["rows.npz", "data.svm"])
def test_every_selector_takes_the_file_or_explains_why_not(name, method, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 6)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    FILES[name](tmp_path / name, X, y)
    selector = method_class(method)()
    if "random_state" in selector.get_params():
        selector.set_params(random_state=0)
    given = sparse.csc_matrix(X) if name == "data.svm" else X
    try:
        expected = clone(selector).fit(given, y)
    except (ValueError, TypeError) as error:
        with pytest.raises(type(error)):
            selector.fit(tmp_path / name, "target")
    else:
        assert_same(selector.fit(tmp_path / name, "target"), expected)


@pytest.mark.parametrize("name", ["rows.npz", "compressed.mat", "data.svm", "rows.h5ad"])
def test_the_library_and_the_command_line_select_the_same(name, tmp_path):
    path, *_, target = written(tmp_path, name)
    arguments = ["select", str(path), "-t", target, "-m", "mrmr", "-k", "5", "--json"]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    found = MRMR(5).fit(str(path), y=target)
    rows = json.loads(done.stdout)["selected"]
    assert [row["name"] for row in rows] == found.feature_names_in_[found.selected_].tolist()
    assert [row["score"] for row in rows] == found.scores_[found.selected_].tolist()
    assert [row["reason"] for row in rows] == [found.reason(i) for i in found.selected_]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_weights_may_be_an_array_of_the_file(is_sparse, tmp_path):
    X, y = made("sparse" if is_sparse else "dense")
    weights = np.arange(len(y)) % 4
    given = sparse.csc_matrix(X) if is_sparse else X
    io.savemat(tmp_path / "w.mat", {"X": given, "label": y, "weight": weights})
    for selector in (MRMR(4), MIM(4)):
        expected = clone(selector).fit(given, y, weights)
        assert_same(selector.fit(tmp_path / "w.mat", "label", "weight"), expected)
        assert_same(selector.fit(tmp_path / "w.mat", y, weights), expected)


def test_the_target_may_be_a_column_of_the_matrix(tmp_path):
    X, y = made("sparse")
    matrix = sparse.csr_matrix(np.column_stack([X, y]))
    sparse.save_npz(tmp_path / "m.npz", matrix.tocoo())
    expected = MRMR(4).fit(sparse.csc_matrix(X), y)
    assert_same(MRMR(4).fit(tmp_path / "m.npz", f"x{P}"), expected)
    np.savez(
        tmp_path / "d.npz", X=matrix.toarray(), feature_names=[*map("f{}".format, range(P)), "y"]
    )
    found = MRMR(4).fit(tmp_path / "d.npz", "y")
    assert_same(found, MRMR(4).fit(X, y.astype(float)))
    assert found.feature_names_in_.tolist() == [f"f{i}" for i in range(P)]


@pytest.mark.parametrize("missing", ["category", "drop_rows"])
@pytest.mark.parametrize("name", ["rows.npz", "4.mat", "7.3.mat", "dense.h5ad", "rows.h5ad"])
def test_missing_values_are_treated_as_in_arrays(name, missing, tmp_path):
    X, y = made("gaps")
    X[:, 6:] = np.nan_to_num(X[:, 6:])
    FILES[name](tmp_path / name, X, y)
    given = sparse.csc_matrix(X) if name in SPARSE else X
    expected = MIM(4, missing=missing).fit(given, y)
    assert_same(MIM(4, missing=missing).fit(tmp_path / name, "target"), expected)
    with pytest.raises(ValueError, match=r"'.*'( of X contains | \()NaN in"):
        MIM(4).fit(tmp_path / name, "target")


def test_booleans_and_large_integers_are_those_of_arrays(tmp_path):
    X, y = made("whole")
    npz_truth(tmp_path / "truth.npz", X, y)
    assert_same(MIM(4).fit(tmp_path / "truth.npz", "target"), MIM(4).fit(X > 0.5, y))
    DENSE["rows.npz"](tmp_path / "whole.npz", X.astype(np.int64), y)
    expected = MRMR(4).fit(X.astype(np.int64), y)
    assert_same(MRMR(4).fit(tmp_path / "whole.npz", "target"), expected)
    sparse.save_npz(
        tmp_path / "large.npz", sparse.csr_matrix(np.column_stack([X.astype(np.int64), y]))
    )
    with pytest.raises(ValueError, match=r"integers beyond 2.53.*Pass the matrix itself as X"):
        MRMR(4).fit(tmp_path / "large.npz", f"x{P}")


@pytest.mark.parametrize("name", ["rows.npz", "data.svm"])
def test_missing_columns_name_the_nearest(name, tmp_path):
    path, *_ = written(tmp_path, name)
    with pytest.raises(ValueError, match=r"y names the column 'targte'.*did you mean 'target'"):
        MRMR(2).fit(path, "targte")
    with pytest.raises(
        ValueError, match=r"sample_weight names the column 'targets'.*mean 'target'"
    ):
        MRMR(2).fit(path, "target", "targets")
    with pytest.raises(ValueError, match="x100"):
        MRMR(2, keep=["x100"]).fit(path, "target")
    selector = MRMR(2)
    with pytest.raises(ValueError, match="requires y"):
        selector.fit(path)
    assert not hasattr(selector, "n_features_in_")


def test_a_file_of_several_arrays_must_name_the_features(tmp_path):
    np.savez(tmp_path / "m.npz", a=np.eye(3), b=np.eye(3), y=[0, 1, 0])
    with pytest.raises(ValueError, match="must have one array of rows and columns, or one named X"):
        MRMR(1).fit(tmp_path / "m.npz", "y")
    np.savez(tmp_path / "m.npz", X=np.eye(3), y=[0, 1, 0], names=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"columns 1 and 3 are both named a\. Rename one"):
        MRMR(1).fit(tmp_path / "m.npz", "y")


def test_files_that_cannot_be_read_are_a_one_line_error(tmp_path):
    for name in ("d.npz", "d.mat", "d.arff", "d.svm", "d.h5ad", "d.svm.gz"):
        (tmp_path / name).write_bytes(b"\x00\x01 this is nothing \xff" * 50)
        with pytest.raises(ValueError, match=rf"{name} (cannot be read: |is not UTF-8)") as raised:
            MRMR(1).fit(tmp_path / name, "y")
        assert len(str(raised.value)) < 400
    (tmp_path / "d.xlsx").write_bytes(b"PK")
    with pytest.raises(ValueError, match=r"is not in a known format. Pass Parquet .*or \.h5ad"):
        MRMR(1).fit(tmp_path / "d.xlsx", "y")
    folder = tmp_path / "folder"
    folder.mkdir()
    DENSE["rows.npz"](folder / "a.npz", *made("dense"))
    with pytest.raises(ValueError, match="only Parquet, Arrow and text are read from folders"):
        MRMR(1).fit(folder, "target")


def test_a_selector_without_sparse_matrices_rejects_sparse_files(tmp_path):
    path, X, y, target = written(tmp_path, "data.svm")
    for given, labels in ((X, y), (path, target)):
        with pytest.raises(TypeError, match=r"ReliefF .* sparse X"):
            ReliefF(2).fit(given, labels)
    assert_same(MRMR(2).fit(path, target), MRMR(2).fit(X, y))


def test_many_rows_are_read_in_blocks(tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (100_000, 3)).astype(float), rng.integers(0, 2, 100_000)
    X[:, 1] += y
    np.savez(tmp_path / "tall.npz", X=X, y=y, w=y + 1)
    expected = MRMR(2, relevance="mi").fit(X, y, y + 1)
    for options in ({"memory_limit": 6_000_000}, {"checkpoint": tmp_path / "log"}):
        found = MRMR(2, relevance="mi").fit(tmp_path / "tall.npz", "y", "w", **options)
        assert_same(found, expected)
        assert found.n_rounds_ > 0


def test_a_sparse_file_does_not_support_a_checkpoint(tmp_path):
    path, *_, target = written(tmp_path, "data.svm")
    with pytest.raises(ValueError, match=r"checkpoint=.*Remove checkpoint"):
        MRMR(2).fit(path, target, checkpoint=tmp_path / "log")


@pytest.mark.parametrize("name", ["rows.npz", "data.svm", "4.mat"])
def test_redundant_features_of_a_file_are_those_of_arrays(name, tmp_path):
    path, X, _, target = written(tmp_path, name)
    selector = MRMR(4).fit(path, target)
    found, expected = redundancy_map(selector, path), redundancy_map(selector, X)
    assert found.values.tobytes() == expected.values.tobytes()
