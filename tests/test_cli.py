"""The command line: what the commands give."""

import contextlib
import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from typer.testing import CliRunner

import thresher
from tests.examples import some
from thresher import MIM, MRMR, Ensemble
from thresher._registry import SELECTORS
from thresher.cli import _options
from thresher.cli._app import app


def write(path, X, y, names, target="target"):
    rows = [
        ",".join(map(repr, [*row, value]))
        for row, value in zip(X.tolist(), y.tolist(), strict=True)
    ]
    path.write_text("\n".join([",".join([*names, target]), *rows]))
    return str(path)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer()


@pytest.fixture
def file(tmp_path, cancer):
    return write(tmp_path / "cancer.csv", cancer.data, cancer.target, cancer.feature_names)


def invoke(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def test_select_shows_names_numbers_and_reasons(file):
    result = invoke("select", file, "-t", "target", "-k", 3)
    assert result.exit_code == 0
    assert "3 of 30 features from 569 samples of cancer.csv" in result.stdout
    assert "worst concave points" in result.stdout
    assert "mean redundancy" in result.stdout


def test_json_equals_the_result_in_python(file, cancer):
    found = json.loads(invoke("select", file, "-t", "target", "-k", 5, "--json").stdout)
    selector = MRMR(5).fit(cancer.data, cancer.target)
    names = cancer.feature_names[selector.selected_].tolist()
    assert [row["name"] for row in found["selected"]] == names
    scores = selector.scores_[selector.selected_].tolist()
    assert [row["score"] for row in found["selected"]] == scores
    assert (found["n_samples"], found["n_features"], found["target"]) == (569, 30, "target")


def test_a_saved_selection_can_be_loaded_in_python(file, cancer, tmp_path):
    out = tmp_path / "selected.json"
    result = invoke("select", file, "-t", "target", "--ensemble", 5, "-k", 4, "-o", out, "-q")
    loaded = Ensemble.from_json(out.read_text())
    expected = Ensemble(MRMR(4), 5, random_state=0).fit(cancer.data, cancer.target)
    np.testing.assert_array_equal(loaded.selected_, expected.selected_)
    np.testing.assert_array_equal(loaded.votes_, expected.votes_)
    names = cancer.feature_names[expected.selected_].tolist()
    assert result.stdout.splitlines() == names
    assert loaded.feature_names_in_[loaded.selected_].tolist() == names
    assert json.loads(out.read_text())["run"]["stability"] == loaded.stability_


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_list_of_features_is_written(ending, file, tmp_path):
    import pyarrow.csv
    import pyarrow.parquet

    out = tmp_path / f"selected.{ending}"
    names = invoke("select", file, "-t", "target", "-k", 3, "-o", out, "-q").stdout.splitlines()
    read = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
    table = read(out)
    assert table["name"].to_pylist() == names
    assert table["step"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("ending", ["csv", "parquet", "json"])
def test_text_that_a_spreadsheet_would_execute_is_harmless_in_a_written_list(ending, tmp_path):
    import pyarrow.csv
    import pyarrow.parquet

    formulas = ["=cmd|' /C calc'!A0", "+1", "-x", "@SUM(1)", "\uff1d1+1", "\xa0=1"]
    names = [*formulas, "plain", "a=b"]
    path, out = tmp_path / "t.csv", tmp_path / f"o.{ending}"
    X = np.random.default_rng(0).random((40, len(names)))
    write(path, X, X[:, 0] > 0.5, [f'"{name}"' for name in names])
    invoke("select", path, "-t", "target", "-m", "mim", "-k", 8, "-o", out)
    if ending == "json":
        assert MIM.from_json(out.read_text()).feature_names_in_.tolist() == names
        return
    read = pyarrow.csv.read_csv if ending == "csv" else pyarrow.parquet.read_table
    harmless = [f"'{name}" for name in formulas] if ending == "csv" else formulas
    assert sorted(read(out)["name"].to_pylist()) == sorted([*harmless, "plain", "a=b"])


def test_keep_and_exclude_take_names_with_commas(tmp_path, cancer):
    names = ["a, b", *cancer.feature_names[1:]]
    path = tmp_path / "c.csv"
    write(path, cancer.data, cancer.target, ['"a, b"', *cancer.feature_names[1:]])
    options = ("--keep", '"a, b"', "--exclude", "worst radius,worst area", "-k", 4, "-q")
    found = invoke("select", path, "-t", "target", *options).stdout.splitlines()
    selector = MRMR(4, keep=[0], exclude=[20, 23]).fit(cancer.data, cancer.target)
    assert found == [names[i] for i in selector.selected_]


def test_k_auto_is_left_to_a_method_that_stops_by_itself(file, cancer):
    result = invoke("select", file, "-t", "target", "-m", "fcbf", "-k", "auto", "-q")
    selector = thresher.FCBF().fit(cancer.data, cancer.target)
    assert result.stdout.splitlines() == cancer.feature_names[selector.selected_].tolist()


def test_k_auto_is_found_by_cross_validation(tmp_path):
    X, y = load_iris(return_X_y=True)
    path = write(tmp_path / "i.csv", X, y, "abcd")
    found = json.loads(invoke("select", path, "-t", "target", "-k", "auto", "--json").stdout)
    (feature,) = found["selected"]
    assert feature["name"] in "cd"
    assert any("-k auto: 1 feature, the fewest" in note for note in found["notes"])


def test_a_numeric_target_is_taken_as_numbers(tmp_path):
    X, y = load_diabetes(return_X_y=True)
    path = write(tmp_path / "d.csv", X, y, [f"f{i}" for i in range(10)])
    found = invoke("select", path, "-t", "target", "-k", 3, "-q").stdout.split()
    assert found == [f"f{i}" for i in MRMR(3).fit(X, y).selected_]
    scores = json.loads(
        invoke("compare", path, "-t", "target", "-m", "mrmr,gso", "-k", 3, "--json").stdout
    )
    assert {row["estimator"] for row in scores} == {"ridge"}
    assert all(0 < row["score"] < 1 for row in scores)


def test_methods_lists_every_selector_with_advice():
    rows = json.loads(invoke("methods", "--json").stdout)
    assert [row["method"] for row in rows] == [
        name.lower() for name, entry in SELECTORS.items() if not entry.wraps
    ]
    assert all(len(row["why"]) > 20 for row in rows)
    by_name = {row["method"]: row for row in rows}
    assert by_name["mrmr"]["ensemble"] == "one pass"
    assert by_name["cwc"]["k"] == "itself"
    assert by_name["univariate"]["k"] == "given or by p-value"
    assert by_name["univariate"]["missing"] == "category (discrete measures), drop_rows"
    assert by_name["laplacianscore"]["target"] == "none"
    assert "mrmr" in invoke("methods").stdout


@pytest.mark.parametrize("method", sorted(_options.METHODS))
def test_every_method_selects(method, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 6)).astype(float)
    path = write(tmp_path / "d.csv", X, (X[:, 0] > 0).astype(int), list("abcdef"))
    result = invoke("select", path, "-t", "target", "-m", method, "--json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["selected"]


def test_unsupervised_methods_need_no_labels(tmp_path, cancer):
    path = write(tmp_path / "c.csv", cancer.data, cancer.target, cancer.feature_names)
    result = invoke("select", path, "-m", "rfs", "-k", 3, "--quiet")
    assert len(result.stdout.splitlines()) == 3


def test_stability_is_reported_for_methods_and_ensembles(file, tmp_path):
    out = tmp_path / "s.csv"
    common = ("stability", file, "-t", "target", "-k", "2,5", "--repeats", 1)
    rows = json.loads(invoke(*common, "-m", "mrmr,mim", "--json", "-o", out).stdout)
    assert [(row["method"], row["k"]) for row in rows] == [
        ("mrmr", 2), ("mrmr", 5), ("mim", 2), ("mim", 5),
    ]  # fmt: skip
    assert all(-1 <= row["stability"] <= 1 for row in rows)
    assert out.read_text().startswith('"method","k","stability","sd"')
    ensemble = json.loads(invoke(*common, "--ensemble", 5, "--json").stdout)
    assert len(ensemble) == 2


def test_probe_compares_with_plain_relevance(file):
    result = invoke(
        "probe", file, "-t", "target", "-m", "mrmr,gso", "-k", 5, "--repeats", 2, "--json"
    )
    rows = json.loads(result.stdout)
    assert [row["selector"] for row in rows] == ["mrmr", "gso", "relevance only"]


def test_compare_scores_methods_by_estimators(file, tmp_path):
    out = tmp_path / "table.parquet"
    result = invoke(
        "compare", file, "-t", "target", "-m", "mrmr,univariate", "-k", "2,4",
        "--estimator", "bayes,logistic", "--folds", 3, "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(out)
    assert table.num_rows == 2 * 2 * 2
    assert min(table["score"].to_pylist()) > 0.8
    assert "selection inside the folds" in result.stdout
    wrong = invoke("compare", file, "-t", "target", "--estimator", "ridge")
    assert wrong.exit_code == 2
    assert "--estimator for classes must be one of logistic" in wrong.stderr


def test_tables_with_text_can_be_evaluated(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["colour,size,noise,y"]
    for _ in range(60):
        colour, size = rng.choice(["red", "blue"]), rng.integers(0, 3)
        lines.append(
            f"{colour},{size},{rng.random():.3f},{'pq'[int(colour == 'red' or size == 2)]}"
        )
    path = tmp_path / "t.csv"
    path.write_text("\n".join(lines))
    rows = json.loads(
        invoke("compare", path, "-t", "y", "-m", "mrmr,jmi", "-k", "1,2", "--json").stdout
    )
    assert max(row["score"] for row in rows) > 0.8
    stable = invoke("stability", path, "-t", "y", "-k", "2", "--repeats", 1, "--json")
    assert json.loads(stable.stdout)[0]["stability"] > 0.5
    assert invoke("probe", path, "-t", "y", "-k", "2", "--repeats", 1).exit_code == 0
    assert invoke("select", path, "-t", "y", "-k", "auto", "-q").stdout.split()[0] == "colour"


@pytest.mark.parametrize("ending", ["csv", "parquet", "npz"])
def test_a_generated_data_set_can_be_read(ending, tmp_path):
    path = tmp_path / f"xor.{ending}"
    assert "parity" in invoke("datasets", "make_xor", "-o", path, "--seed", 3).stdout
    made = thresher.datasets.make_xor(random_state=3)
    found = invoke("select", path, "-t", "target", "-m", "cwc", "-q").stdout.split()
    assert sorted(found) == sorted(made.feature_names[i] for i in made.truth)


def test_datasets_lists_generators_and_public_data():
    rows = json.loads(invoke("datasets", "--json").stdout)
    names = {row["name"] for row in rows}
    assert {name for name in thresher.datasets.__all__ if name.startswith("make_")} <= names
    assert {"sonar", "dorothea"} <= names
    assert invoke("datasets", "make_nothing").exit_code == 2
    assert invoke("datasets", "make_xor").exit_code == 2


@pytest.mark.parametrize(
    "command",
    ["", *(command.callback.__name__ for command in app.registered_commands)],
)
def test_help_has_examples_that_parse(command):
    result = invoke(*([command] if command else []), "--help")
    assert result.exit_code == 0
    known = {command.callback.__name__ for command in app.registered_commands}
    lines = [
        line.split() for line in result.stdout.splitlines() if line.strip().startswith("thresher ")
    ]
    assert command in ("methods",) or lines
    for words in lines:
        assert words[1] in known
        for word in words[2:]:
            if word.startswith("--"):
                assert word in invoke(words[1], "--help").stdout


def test_the_demo_ends_in_a_report_and_needs_no_pandas(tmp_path, monkeypatch):
    (tmp_path / "pandas.py").write_text("raise ImportError('there is no pandas here')")
    environment = {
        **os.environ,
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
    }
    command = [sys.executable, "-m", "thresher", "demo"]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "worst concave points" in done.stdout
    assert "plain ranking" in done.stdout
    page = (tmp_path / "thresher-demo.html").read_text("utf-8")
    assert "How many features" in page
    assert "Redundant features" in page
    monkeypatch.chdir(tmp_path)
    assert invoke("demo").exit_code == 2  # the page is there already


def test_wrong_usage_ends_with_two():
    assert invoke("select").exit_code == 2
    assert invoke("nothing").exit_code == 2
    assert invoke("select", "x.csv", "--nothing").exit_code == 2
    assert invoke("--version").stdout == f"thresher {thresher.__version__}\n"


def test_help_loads_nothing_heavy():
    code = (
        "import sys; sys.argv = ['thresher', 'select', '--help']\n"
        "from thresher.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'rich', 'thresher._core'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_help_starts_quickly():
    resource = pytest.importorskip("resource", reason="needs the times of processes")

    def seconds():
        before = used()
        subprocess.run(
            [sys.executable, "-m", "thresher", "--help"], check=True, capture_output=True
        )
        return used() - before

    def used():
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return children.ru_utime + children.ru_stime

    # Processor time, which a busy machine does not stretch.
    assert min(seconds() for _ in range(3)) < 0.3


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_progress_bars_disappear_when_the_work_is_done(file):
    master, terminal = os.openpty()
    command = [sys.executable, "-m", "thresher", "select", file, "-t", "target", "-k", "3"]
    environment = {**os.environ, "TERM": "xterm"}
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=terminal, env=environment, check=True)
    os.close(terminal)
    seen = b""
    with contextlib.suppress(OSError):  # the end of a terminal
        while block := os.read(master, 65536):
            seen += block
    os.close(master)
    assert b"reading cancer.csv" in seen
    assert seen.rindex(b"reading") < seen.index(b"[MRMR]")
    assert seen.count(b"\x1b[?25l") == seen.count(b"\x1b[?25h") > 0  # the cursor is back


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
@pytest.mark.parametrize("columns", some([60, 200]))
def test_methods_fits_terminals_of_any_width(columns):
    master, terminal = os.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    command = [sys.executable, "-m", "thresher", "methods"]
    with subprocess.Popen(command, stdout=terminal, env=environment) as running:
        os.close(terminal)
        seen = b""
        with contextlib.suppress(OSError):  # the end of a terminal
            while block := os.read(master, 65536):
                seen += block
    os.close(master)
    assert running.returncode == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).splitlines()
    assert max(map(len, lines)) <= columns
    assert len(lines) < 6 * len(_options.METHODS)
    assert "like mrmr, but with joint information of feature pairs;" in " ".join(
        " ".join(lines).split()
    )


def test_without_typer_the_extra_is_named(tmp_path):
    (tmp_path / "typer.py").write_text("raise ImportError")
    result = subprocess.run(
        [sys.executable, "-m", "thresher"],
        env={"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 1
    assert "pip install 'thresher[cli]'" in result.stderr
