"""Files of every kind that the command line reads."""

import gzip
import json

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.datasets import dump_svmlight_file, load_iris
from typer.testing import CliRunner

from thresher import MRMR
from thresher.cli._app import app
from thresher.cli._input import read_data
from thresher.cli._options import InputOptions
from thresher.cli._output import Console

NAMES = ["sepal length", "sepal width", "petal length", "petal width"]
KINDS = np.array(["setosa", "versicolor", "virginica"])


@pytest.fixture
def iris():
    X, y = load_iris(return_X_y=True)
    return X, y


def table_of(X, labels, **more):
    import pyarrow as pa

    columns = {name: X[:, i] for i, name in enumerate(NAMES)}
    return pa.table({**columns, **more, "species": labels})


def write_text(path, X, labels, separator=","):
    lines = [separator.join([*NAMES, "species"])]
    lines += [
        separator.join([*map(repr, row), label])
        for row, label in zip(X.tolist(), labels, strict=True)
    ]
    path.write_text("\n".join(lines) + "\n")


def write_arff(path, X, labels):
    head = [f"@attribute '{name}' numeric" for name in NAMES]
    rows = [
        ",".join([*map(repr, row), label]) for row, label in zip(X.tolist(), labels, strict=True)
    ]
    path.write_text(
        "\n".join(
            ["@relation iris", *head, f"@attribute species {{{','.join(KINDS)}}}", "@data", *rows]
        )
    )


def write_sparse_arff(path, X, labels):
    head = [f"@attribute '{name}' numeric" for name in NAMES]
    codes = {label: i for i, label in enumerate(KINDS)}
    rows = [
        "{"
        + ",".join(
            [f"{i} {value!r}" for i, value in enumerate(row)]
            + ([f"4 {label}"] if codes[label] else [])
        )
        + "}"
        for row, label in zip(X.tolist(), labels, strict=True)
    ]
    path.write_text(
        "\n".join(
            ["@relation iris", *head, f"@attribute species {{{','.join(KINDS)}}}", "@data", *rows]
        )
    )


def write_h5ad(path, X, labels):
    import anndata
    import pandas as pd

    rows = [str(i) for i in range(len(X))]
    anndata.AnnData(
        sparse.csr_matrix(X),
        pd.DataFrame({"species": labels}, index=rows),
        pd.DataFrame(index=NAMES),
    ).write_h5ad(path)


def write_arrow(path, X, labels):
    import pyarrow as pa

    table = table_of(X, labels)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def write_stream(path, X, labels):
    import pyarrow as pa

    table = table_of(X, labels)
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)


def write_feather(path, X, labels):
    from pyarrow import feather

    feather.write_feather(table_of(X, labels), path)


def write_parquet(path, X, labels):
    from pyarrow import parquet

    parquet.write_table(table_of(X, labels), path)


def write_gzip(path, X, labels):
    plain = path.with_suffix("")
    write_text(plain, X, labels)
    path.write_bytes(gzip.compress(plain.read_bytes()))


NAMED = {
    "iris.csv": write_text,
    "semicolon.csv": lambda *a: write_text(*a, separator=";"),
    "iris.tsv": lambda *a: write_text(*a, separator="\t"),
    "iris.csv.gz": write_gzip,
    "iris.parquet": write_parquet,
    "IRIS.PARQUET": write_parquet,
    "iris.feather": write_feather,
    "IRIS.FEATHER": write_feather,
    "IRIS.TSV": lambda *a: write_text(*a, separator="\t"),
    "iris.arrow": write_arrow,
    "stream.arrow": write_stream,
    "iris.npz": lambda path, X, labels: np.savez(path, X=X, species=labels, feature_names=NAMES),
    "iris.mat": lambda path, X, labels: io.savemat(
        path,
        {
            "X": X,
            "species": np.array(labels, dtype=object)[:, None],
            "feature_names": np.array(NAMES, dtype=object),
        },
    ),
    "iris.arff": write_arff,
    "sparse.arff": write_sparse_arff,
    "iris.h5ad": write_h5ad,
}


@pytest.mark.parametrize("name", NAMED)
def test_every_kind_of_file_gives_the_same_selection(name, tmp_path, iris):
    X, y = iris
    path = tmp_path / name
    NAMED[name](path, X, KINDS[y].tolist())
    result = CliRunner().invoke(app, ["select", str(path), "-t", "species", "-k", "3", "--quiet"])
    assert result.exit_code == 0, result.output
    expected = MRMR(3).fit(X, y).selected_
    assert result.stdout.splitlines() == [NAMES[i] for i in expected]


@pytest.mark.parametrize("name", ["iris.svm", "iris.libsvm", "iris.svmlight"])
def test_labels_of_svmlight_need_no_target(name, tmp_path, iris):
    dump_svmlight_file(*iris, str(tmp_path / name))
    result = CliRunner().invoke(app, ["select", str(tmp_path / name), "-k", "3", "--quiet"])
    assert result.stdout.splitlines() == [f"x{i}" for i in MRMR(3).fit(*iris).selected_]


def test_a_sparse_matrix_of_scipy_stays_sparse(tmp_path, iris):
    X, y = iris
    sparse.save_npz(tmp_path / "s.npz", sparse.csr_matrix(np.column_stack([X, y])))
    data = read_data(tmp_path / "s.npz", InputOptions("x4"), Console())
    assert sparse.issparse(data.X)
    np.testing.assert_array_equal(data.y, y)
    assert data.names == ["x0", "x1", "x2", "x3"]


def test_text_is_a_category_and_an_identifier_is_left_out(tmp_path):
    (tmp_path / "t.csv").write_text(
        "id,colour,size,y\n"
        + "\n".join(f"p{i},{'red' if i % 2 else 'blue'},{i % 3},{i % 2}" for i in range(30))
    )
    result = CliRunner().invoke(
        app, ["select", str(tmp_path / "t.csv"), "-t", "y", "-k", "1", "--json"]
    )
    found = json.loads(result.stdout)
    assert [row["name"] for row in found["selected"]] == ["colour"]
    assert found["n_features"] == 2
    assert any("id has a different text in every row" in note for note in found["notes"])


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_decimal_commas_are_read_as_numbers(mark, tmp_path, iris, monkeypatch):
    X, y = iris
    point, comma = tmp_path / "point.csv", tmp_path / "comma.csv"
    write_text(point, X, KINDS[y])
    write_text(comma, X, KINDS[y], mark)
    comma.write_text(comma.read_text().replace(".", ","))

    def selected(path):
        arguments = ["select", str(path), "-t", "species", "-k", "3", "--json"]
        done = CliRunner().invoke(app, arguments, catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return json.loads(done.stdout)["selected"]

    expected = selected(point)
    assert selected(comma) == expected
    monkeypatch.setattr("thresher.cli._input.size_in_memory", lambda _: 1 << 60)
    assert selected(comma) == expected


@pytest.mark.parametrize("values", ["1,234;2,345", "1,5;2.5"])
def test_thousands_and_mixed_marks_stay_text(values, tmp_path):
    path = tmp_path / "marks.csv"
    rows = [f"{values};{'ab'[i % 2]}" for i in range(6)]
    path.write_text("\n".join(["p;q;y", *rows]))
    data = read_data(path, InputOptions(target="y"), Console(quiet=True))
    assert str(data.X.schema.field("p").type) == "string"


def test_a_first_column_without_a_name_contains_row_names(tmp_path):
    (tmp_path / "t.csv").write_text(",a,y\n" + "\n".join(f"{i},{i % 2},{i % 2}" for i in range(9)))
    console = Console()
    assert read_data(tmp_path / "t.csv", InputOptions("y"), console).names == ["a"]
    assert "no name" in console.notes[0]


def test_a_quoted_name_may_contain_separators_and_line_breaks(tmp_path):
    (tmp_path / "t.csv").write_text('"a,\nb",y\n' + "\n".join(f"{i % 2},{i % 2}" for i in range(9)))
    assert read_data(tmp_path / "t.csv", InputOptions("y"), Console()).names == ["a,\nb"]


def test_an_excluded_column_may_be_anything(tmp_path):
    (tmp_path / "t.csv").write_text(
        "when,empty,a,y\n" + "\n".join(f"2020-01-0{i},,{i % 2},{i % 2}" for i in range(1, 9))
    )
    result = CliRunner().invoke(
        app,
        ["select", str(tmp_path / "t.csv"), "-t", "y", "--exclude", "when,empty", "-q", "-k", "1"],
    )
    assert result.stdout.split() == ["a"], result.output


@pytest.mark.parametrize("name", ["iris.mat", "sparse.arff", "iris.npz"])
def test_labels_of_a_matrix_may_be_text(name, tmp_path, iris):
    X, y = iris
    NAMED[name](tmp_path / name, X, KINDS[y].tolist())
    data = read_data(tmp_path / name, InputOptions("species"), Console())
    assert data.y.tolist() == KINDS[y].tolist()
    arguments = ["compare", str(tmp_path / name), "-t", "species", "-m", "mrmr", "-k", "2"]
    result = CliRunner().invoke(app, [*arguments, "--folds", "2"])
    assert result.exit_code == 0, result.output


def test_a_sparse_arff_stays_sparse_with_its_categories_and_empty_rows(tmp_path):
    path = tmp_path / "s.arff"
    head = "@relation r\n@attribute a numeric\n@attribute b {no,yes}\n@attribute c {p,q,r}\n@data\n"
    path.write_text(head + "{0 1.5,2 q}\n{1 yes}\n{0 ?, 1 yes, 2 r}\n{2 q}\n{}\n{}\n")
    data = read_data(path, InputOptions("c"), Console())
    assert sparse.issparse(data.X)
    assert data.names == ["a", "b"]
    expected = [[1.5, 0], [0, 1], [np.nan, 1], [0, 0], [0, 0], [0, 0]]
    np.testing.assert_array_equal(data.X.toarray(), expected)
    assert data.y.tolist() == ["q", "p", "r", "q", "p", "p"]
    # Text is in no matrix.
    path.write_text(head.replace("numeric", "string") + "{0 x,2 q}\n{0 x,1 yes}\n{0 z}\n")
    table = read_data(path, InputOptions("c"), Console())
    assert table.X.column("a").to_pylist() == ["x", "x", "z"]


def test_many_categories_of_a_sparse_arff_are_noted_unless_they_are_the_target(tmp_path):
    path = tmp_path / "sparse.arff"
    head = "@relation r\n@attribute a {x,y,z}\n@attribute b {n,y}\n@attribute c numeric\n@attribute t {p,q,r}\n"
    rows = ["{0 y, 3 q}", "{1 y, 2 1.5}", "{0 z, 2 2, 3 r}", "{2 1}", "{0 y, 1 y, 3 q}", "{3 r}"]
    path.write_text(head + "@data\n" + "\n".join(rows) + "\n")
    console = Console(quiet=True)
    read_data(path, InputOptions(target="t"), console)
    assert [note.split(".")[0] for note in console.notes] == [
        "column a: categories of a sparse file are read as integer codes"
    ]
    console = Console(quiet=True)
    read_data(path, InputOptions(target="t", exclude="a"), console)
    assert console.notes == []


@pytest.mark.parametrize("n_columns", [1, 3])
def test_a_matrix_with_a_known_name_may_have_one_column(n_columns, tmp_path, iris):
    X, y = iris
    np.savez(tmp_path / "i.npz", X=X[:, :n_columns], y=y)
    assert read_data(tmp_path / "i.npz", InputOptions("y"), Console()).X.shape == (150, n_columns)


def test_notes_name_options_not_parameters(tmp_path):
    (tmp_path / "t.csv").write_text(
        "a,b,y\n" + "\n".join(f"{i % 3 or ''},{i % 2},{i % 2}" for i in range(12))
    )
    arguments = ["select", str(tmp_path / "t.csv"), "-t", "y", "-k", "1", "--missing", "drop_rows"]
    result = CliRunner().invoke(app, arguments)
    assert "--missing drop_rows left out 4 of 12 samples" in result.stderr
