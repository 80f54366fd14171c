"""Input that cannot be used ends in a one-line error and exit code 2, and nothing is written."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import io, sparse
from sklearn.datasets import dump_svmlight_file
from typer.testing import CliRunner

from tests.examples import some
from tests.limits import largest_file
from thresher import MIM, MRMR
from thresher.cli import _input, _output
from thresher.cli._app import app
from thresher.data import named_columns

GOOD = "a,b,y\n" + "\n".join(f"{i % 3},{i % 2},{'pq'[i % 2]}" for i in range(12)) + "\n"


COMMANDS = ("select", "stability", "probe", "compare", "recommend")
BUT_RECOMMEND = COMMANDS[:-1]


def run(folder, content, *options, name="data.csv", target="y", command="select"):
    """Return the error of a run on a file of this content, after checking that nothing else happened."""
    path = folder / name
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = sorted(folder.rglob("*"))
    result = CliRunner().invoke(app, [command, str(path), "-t", target, *map(str, options)])
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert sorted(folder.rglob("*")) == before
    (line,) = result.stderr.strip().splitlines()
    assert line.startswith("thresher: ")
    assert len(line) < 400
    return line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_missing_file_names_the_nearest(command, tmp_path):
    (tmp_path / "data.csv").write_text(GOOD)
    message = run(tmp_path, None, name="dat.csv", command=command)
    assert "there is no file" in message
    assert "did you mean data.csv?" in message


@pytest.mark.parametrize("command", COMMANDS)
def test_a_wrong_target_names_the_nearest(command, tmp_path):
    content = GOOD.replace("y", "species", 1)
    assert "did you mean species?" in run(tmp_path, content, target="specis", command=command)
    message = run(tmp_path, content, target="zzz", command=command)
    assert "--target zzz: there is no such column" in message


def test_the_nearest_name_may_be_in_capitals(tmp_path):
    assert "did you mean Y?" in run(tmp_path, GOOD.replace("y", "Y", 1))


ARFF = "@relation r\n@attribute a numeric\n@attribute y {p,q}\n@data\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (ARFF, "has no rows, only the names of 2 columns"),
        (ARFF + "1,p\n2\n", "line 6: 2"),
        (ARFF + "1,p\n2,r\n", "Data value r not found in nominal declaration, at line 6"),
        ((ARFF + "1,p\n").replace("@attribute a", "@attribute é").encode("latin-1"), "not UTF-8"),
        (ARFF.replace("attribute a", "attribute y"), "this name is already in use"),
    ],
)
def test_bad_content_of_arff_is_named(content, message, tmp_path):
    assert message in run(tmp_path, content, name="d.arff")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_a_column_of_a_matrix_without_values_is_named(is_sparse, command, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[:, 1] = np.nan
    X[3, 2] = np.nan
    if is_sparse:
        matrix = np.column_stack([X, np.arange(20) % 2])
        sparse.save_npz(tmp_path / "m.npz", sparse.csr_matrix(matrix))
    else:
        np.savez(tmp_path / "m.npz", X=X, x3=np.arange(20) % 2)
    message = run(tmp_path, None, name="m.npz", target="x3", command=command)
    assert "column x1 contains only missing values" in message


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"X": np.zeros((0, 3)), "y": []}, "has no rows"),
        ({"X": np.array([["u", "v"], ["u", "w"]]), "y": [0, 1]}, "X contains <U1, not numbers"),
        ({"a": np.eye(3), "b": np.eye(3)}, "must have one array of rows and columns"),
        ({"X": np.eye(3), "y": [1, 1, 1]}, "y has one class (1)"),
        ({"X": np.eye(2), "y": [0, 1], "names": ["a", "a"]}, "are both named a"),
        ({"X": np.eye(2), "y": [0, 1], "names": ["a" * 10_000, "b"]}, "has 10000 characters"),
    ],
)
def test_bad_arrays_are_named(arrays, message, tmp_path):
    np.savez(tmp_path / "m.npz", **arrays)
    assert message in run(tmp_path, None, name="m.npz")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "it is empty"),
        (b"a,b,y\n", "has no rows"),
        (b"a,b,y\n1,2,p\n1,2\n", "row 3 has 2 values, but the header has 3"),
        (b"a,b,y\n1,2,p\n1,2,q,4\n", "row 3 has 4 values, but the header has 3"),
        (b"a,a,y\n1,2,p\n3,4,q\n", "columns 1 and 2 are both named a"),
        (b"a,b,y\n1,2,p\n3,4,p\n", "--target y: y has one class (p)"),
        (b"a,b,y\n,2,p\n,4,q\n", "column a contains only missing values"),
        (b"a,b,y\n1,\xff\xfe,p\n3,\xe9,q\n", "column b is not UTF-8 text"),
        (b"a,\xff\xfe,y\n1,2,p\n3,4,q\n", "names of the columns are not UTF-8"),
        ("a,b,y\n1,2,p\n3,4,q\n".encode("utf-16"), "it is UTF-16 text. Convert it to UTF-8"),
        (b"y\np\nq\n", "no column except the target y"),
        (b"a,y\n" + 9 * b"1,p\n1,q\n", "no column of X varies"),
        (b"a,y\n1,p\n2,\n", "--target y: y contains NaN or None"),
        (b"a,y\n" + 9 * b"2020-01-01,p\n2020-01-02,q\n", "column a has dates, times or durations. Convert"),
        (b"a,b,c,y\n,,2,p\n,,4,q\n", "columns a, b contain only missing values"),
        (("n" * 10_000 + ",y\n1,p\n2,q\n").encode(), "has 10000 characters"),
    ],
)  # fmt: skip
def test_bad_content_is_named(content, message, command, tmp_path):
    assert message in run(tmp_path, content, "--out", tmp_path / "out.json", command=command)


@pytest.mark.parametrize("command", BUT_RECOMMEND)
def test_missing_values_are_named_with_the_option_that_takes_them(command, tmp_path):
    message = run(tmp_path, GOOD.replace("2,0,p\n", ",0,p\n", 1), command=command)
    assert "column 'a' of X contains NaN in 1 of" in message
    assert message.endswith("or set --missing")


@pytest.mark.parametrize("command", COMMANDS)
def test_columns_of_a_matrix_are_named_too(command, tmp_path):
    X = np.random.default_rng(0).normal(size=(20, 2))
    X[3, 1] = np.inf
    np.savez(tmp_path / "m.npz", X=X, y=np.arange(20) % 2, feature_names=["a", "gene 7"])
    message = run(tmp_path, None, name="m.npz", command=command)
    assert "column 'gene 7' of X contains infinity (inf) in 1 of" in message


def test_columns_of_another_matrix_are_not_called_by_those_names():
    X, y = np.arange(900).reshape(300, 3), np.arange(300) % 2
    with named_columns(["alpha", "beta", "gamma"]):
        with pytest.raises(ValueError, match="column 'alpha' has more than 256 levels"):
            MIM(1, discretize=None).fit(X, y)
        with pytest.raises(ValueError, match="column 0 has more than 256 levels"):
            MIM(1, discretize=None).fit(np.c_[X[:, ::-1], X], y)


def test_a_bug_keeps_its_traceback_and_exit_code_1(tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text(GOOD)
    monkeypatch.setattr("thresher.cli._select.selected_rows", lambda _: {}["nothing"])
    result = CliRunner().invoke(app, ["select", str(tmp_path / "data.csv"), "-t", "y"])
    assert result.exit_code == 1
    assert isinstance(result.exception, KeyError)


def test_a_target_of_ten_thousand_characters_is_cut(tmp_path):
    assert "..." in run(tmp_path, GOOD, target="y" * 10_000)


def test_names_cannot_send_escape_sequences_to_the_terminal(tmp_path):
    message = run(tmp_path, "\x1b]0;evil\x07,\x1b]0;evil\x07,y\n1,2,p\n3,4,q\n")
    assert "\x1b" not in message
    assert "\x07" not in message


@pytest.mark.parametrize(
    "name",
    ["d.parquet", "d.arrow", "d.feather", "d.npz", "d.mat", "d.arff", "d.svm", "d.h5ad", "d.csv.gz"],
)  # fmt: skip
def test_files_whose_content_differs_from_their_suffix(name, tmp_path):
    message = run(tmp_path, b"\x00\x01 this is nothing \xff" * 50, name=name)
    assert f"{name}" in message
    run(tmp_path, b"", name=name)


def test_unknown_endings_list_the_known_ones(tmp_path):
    assert ".parquet" in run(tmp_path, GOOD, name="data.xlsx")
    assert "only text may be compressed" in run(tmp_path, GOOD, name="data.parquet.gz")


def test_a_folder_is_rejected(tmp_path):
    (tmp_path / "data.csv").mkdir()
    assert "is a folder" in run(tmp_path, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("-k", "0"), "-k must be at least 1"),
        (("-k", "many"), "-k must be an integer"),
        (("-k", "1,2"), "-k must be one number or auto, got '1,2'"),
        (("-k", "3", "-m", "cwc"), "-k cannot be used with cwc"),
        (("-m", "mrrm"), "did you mean mrmr?"),
        (("--keep", "aa"), "--keep aa: there is no such column"),
        (("--exclude", "zz"), "--exclude zz: there is no such column"),
        (("--exclude", "y"), "--exclude y: the column is the target"),
        (("--exclude", "a,b"), "no column except the target y"),
        (("--seed", "-1"), "--seed must be at least 0"),
        (("--out", "selected.xml"), "must end in .json, .csv or .parquet"),
    ],
)
def test_bad_options_are_named(options, message, tmp_path):
    assert message in run(tmp_path, GOOD, *options)


WRONG_OPTIONS = {
    ("--ensemble", "1"): (BUT_RECOMMEND, "--ensemble must be at least 2, got 1"),
    ("--missing", "no"): (BUT_RECOMMEND, "--missing must be one of error, category, pairwise"),
    ("--target-kind", "no"): (COMMANDS, "--target-kind must be one of nominal, numeric, got 'no'"),
    ("--jobs", "0"): (COMMANDS, "--jobs must be an integer other than 0 (-1: all processors)"),
}


@pytest.mark.parametrize(
    ("command", "options", "message"),
    [
        (c, options, message)
        for options, (commands, message) in WRONG_OPTIONS.items()
        for c in commands
    ],
)
def test_every_command_rejects_bad_options_by_name(command, options, message, tmp_path):
    assert message in run(tmp_path, GOOD, *options, "--out", tmp_path / "o.csv", command=command)


def test_notes_name_options_not_parameters(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n" + "".join(f"{i},{i % 100}\n" for i in range(1000)))
    result = CliRunner().invoke(app, ["select", str(path), "-t", "y"])
    assert "If y is a quantity, set --target-kind numeric" in result.stderr
    path.write_text(GOOD)
    result = CliRunner().invoke(app, ["select", str(path), "-t", "y", "-k", "1", "--ensemble", "3"])
    assert result.stdout.rstrip().endswith("see `thresher stability`")


def test_a_file_is_never_written_over_without_force(tmp_path):
    out = tmp_path / "out.json"
    out.write_text("mine")
    assert "exists. Use --force" in run(tmp_path, GOOD, "--out", out)
    assert out.read_text() == "mine"
    arguments = [
        "select",
        str(tmp_path / "data.csv"),
        "-t",
        "y",
        "-k",
        "1",
        "-o",
        str(out),
        "--force",
    ]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert out.read_text().startswith("{")


def test_a_file_that_appears_during_the_work_is_not_written_over(tmp_path):
    out = tmp_path / "out.json"
    out.write_text("mine")  # after the check, as it were
    with pytest.raises(FileExistsError, match=r"out\.json was not written: it exists already"):
        _output.write_all({out: b"ours"}, force=False)
    assert out.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("command", COMMANDS)
def test_an_output_folder_must_exist_and_be_writable(command, tmp_path, monkeypatch):
    def write_to(*parts):
        return run(tmp_path, GOOD, "--out", tmp_path.joinpath(*parts), command=command)

    assert "there is no folder" in write_to("no", "out.json")
    assert "there is no folder" in write_to("data.csv", "out.json")
    (tmp_path / "folder.json").mkdir()
    assert "is a folder" in write_to("folder.json")
    monkeypatch.setattr(_output.os, "access", lambda _, mode: mode == os.R_OK)
    assert "no permission for the folder" in write_to("out.json")


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is of Linux")
def test_a_folder_that_fails_only_when_written_to(tmp_path):
    assert "/proc/out.json" in run(tmp_path, GOOD, "-k", 1, "--out", "/proc/out.json")


def test_a_full_disk_leaves_nothing_behind(tmp_path):
    wide = np.random.default_rng(0).integers(0, 2, (20, 2000))
    rows = ["\n" + ",".join([*map(str, row), "pq"[row[0]]]) for row in wide]
    content = ",".join(f"x{i}" for i in range(2000)) + ",y" + "".join(rows)
    path = tmp_path / "data.csv"
    path.write_text(content)
    with largest_file(10_000):
        message = run(tmp_path, None, "--out", tmp_path / "out.json")
    assert "out.json was not written: File too large" in message


@pytest.mark.parametrize("name", ["d.csv", "d.npz", "d.mat", "d.svm"])
def test_a_full_disk_for_temporary_files_is_reported(name, tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    X, y, path = rng.random((500, 40)), np.arange(500) % 2, tmp_path / name
    if name == "d.csv":
        head = ",".join([*(f"x{i}" for i in range(40)), "target"])
        np.savetxt(path, np.column_stack([X, y]), "%.3f", ",", header=head, comments="")
    elif name == "d.npz":
        np.savez(path, X=X, target=y)
    elif name == "d.mat":
        io.savemat(path, {"X": X, "target": y})
    else:
        dump_svmlight_file(X, y, str(path))
    monkeypatch.setattr(_input, "size_in_memory", lambda _: 1 << 60)
    with largest_file(10_000):
        result = CliRunner().invoke(app, ["select", str(path), "-t", "target", "--memory", "1MiB"])
    assert result.exit_code == 2
    message = result.stderr.splitlines()[-1]
    assert message.startswith("thresher: no space for temporary files in")
    assert message.endswith("Set TMPDIR to a folder with more space, or set a larger --memory")


@pytest.mark.parametrize(
    "arguments",
    [
        ("select", "data.csv", "-t", "y", "-k", "1", "-o", "out.json", "--report", "page.html"),
        ("stability", "data.csv", "-t", "y", "-k", "1", "--repeats", "1", "-o", "out.csv"),
        ("report", "saved.json", "-o", "page.html"),
        ("datasets", "make_xor", "-o", "xor.csv"),
    ],
)
def test_no_space_is_a_one_line_error(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(GOOD)
    (tmp_path / "saved.json").write_text(MRMR(1).fit([[0.0], [1.0]], [0, 1]).to_json())
    before = sorted(tmp_path.iterdir())

    def no_space(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "was not written: the disk is full" in result.stderr
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize("arguments", some([("--help",), ("methods",)]))
def test_no_space_for_the_output_is_a_one_line_error(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "thresher", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert (done.returncode, done.stderr) == (2, "thresher: the disk is full\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full is of Linux")
@pytest.mark.parametrize("command", some(["select", "stability"]))
def test_a_result_that_cannot_be_shown_is_not_written(command, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n" + "1,2,p\n2,1,q\n3,5,p\n1,1,q\n" * 5)
    arguments = [command, str(path), "-t", "y", "-k", "1", "-o", str(tmp_path / "out.json")]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "thresher", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 2
    assert done.stderr.endswith("thresher: the disk is full\n")
    assert list(tmp_path.iterdir()) == [path]


def test_a_closed_pipe_is_not_an_error(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,b,y\n" + "1,2,p\n2,1,q\n3,5,p\n1,1,q\n" * 5)
    arguments = ["select", str(path), "-t", "y", "-k", "1", "-o", str(tmp_path / "out.json")]
    for more in (arguments, ["methods"]):
        end, other = os.pipe()
        os.close(end)
        done = subprocess.run(
            [sys.executable, "-m", "thresher", *more],
            stdout=other,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(other)
        assert (done.returncode, "Error" in done.stderr) == (0, False)
    assert (tmp_path / "out.json").exists()


def test_neither_of_two_files_is_left_if_one_fails(tmp_path, monkeypatch):
    link = os.link

    def fail_second(temporary, path):
        if path.name == "b.json":
            raise OSError(28, "No space left on device")
        link(temporary, path)

    monkeypatch.setattr(os, "link", fail_second)
    monkeypatch.setattr(os, "replace", fail_second)
    with pytest.raises(OSError, match=r"b\.json was not written: the disk is full"):
        _output.write_all({tmp_path / "a.json": b"1", tmp_path / "b.json": b"2"}, force=False)
    assert list(tmp_path.iterdir()) == []


def test_the_interpreter_is_not_finalized_under_threads_of_parsers(tmp_path):
    program = (
        "import atexit, sys; from thresher.cli import main; atexit.register(print, 'taken down'); "
        f"sys.argv[1:] = ['select', {str(tmp_path / 'none.csv')!r}, '--target', 'y']; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "there is no file" in done.stderr
