"""The commands that evaluate methods, on a realistic file with ids, dates and empty columns."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

from thresher.cli._app import app


@pytest.fixture
def visits(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["patient,date,empty,age,sex,pressure,died"]
    for i in range(120):
        age, sex = rng.integers(20, 90), rng.choice(["f", "m"])
        died = "yes" if age + rng.normal(0, 10) > 60 else "no"
        lines.append(
            f"{i // 2},2020-{1 + i % 12:02}-03,,{age},{sex},{rng.normal(120, 9):.1f},{died}"
        )
    path = tmp_path / "visits.csv"
    path.write_text("\n".join(lines))
    return path


def invoke(command, path, *options):
    arguments = [command, str(path), "-t", "died", "--json", *map(str, options)]
    result = CliRunner().invoke(app, arguments, catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


OUT = ("--exclude", "patient,date,empty")


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("select", ()),
        ("select", ("-m", "cwc")),  # which has no parameter for it
        ("stability", ("-k", "2", "--repeats", 1)),
        ("probe", ("-k", 2, "--repeats", 1)),
        ("compare", ("-m", "mrmr,lcc", "-k", 2, "--folds", 3)),
        ("recommend", ("-k", 1, "--budget", 0.01)),
    ],
)
def test_columns_that_are_not_features_are_left_out(command, options, visits):
    code, _, message = invoke(command, visits, *options)
    assert code == 2
    assert "column empty contains only missing values" in message
    assert message.rstrip().endswith("Remove it, or use --exclude empty")
    code, _, message = invoke(command, visits, *options, "--exclude", "empty,patient")
    assert code == 0, message
    assert "column date has dates, times or durations: left out" in message
    code, shown, message = invoke(command, visits, *options, *OUT)
    assert code == 0, message
    assert "patient" not in shown
    json.loads(shown)


@pytest.mark.parametrize("command", ["stability", "compare"])
def test_default_sizes_are_limited_by_the_number_of_features(command, visits):
    fast = ("--repeats", 1) if command == "stability" else ("--folds", 3, "-m", "mrmr")
    code, shown, message = invoke(command, visits, *OUT, *fast)
    assert code == 0, message
    assert [row["k"] for row in json.loads(shown)] == [1, 2, 3]


def test_recommend_ranks_methods_by_their_features(visits, tmp_path):
    out = tmp_path / "table.csv"
    options = ("-k", 1, "--budget", 0.5, "--estimator", "bayes", "--out", out)
    code, shown, message = invoke("recommend", visits, *OUT, *options)
    assert code == 0, message
    rows = json.loads(shown)
    assert len({row["selector"] for row in rows}) == len(rows) > 1
    assert rows[0]["score"] > 0.8
    assert out.read_text().splitlines()[0].startswith('"rank","selector","score"')
    arguments = ["recommend", str(visits), "-t", "died", *OUT, "-k", "1", "--budget", "0.01"]
    result = CliRunner().invoke(app, arguments)
    assert "winner" in result.stdout
    assert "120 samples, 3 features" in result.stderr
    wrong = CliRunner().invoke(app, [*arguments, "--estimator", "ridge"])
    assert wrong.exit_code == 2
    assert "--estimator for classes must be one of" in wrong.stderr


def test_recommend_reads_integers_by_the_target_kind(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 30, (60, 3))
    path = tmp_path / "d.csv"
    path.write_text("a,b,c,died\n" + "\n".join(f"{a},{b},{c},{a + b}" for a, b, c in X))
    code, _, message = invoke("recommend", path, "--target-kind", "numeric", "--budget", 0.01)
    assert code == 0, message
    assert "numeric target" in message
