"""The report as text; tests/test_report_browser.py tests it in a browser."""

import base64
import hashlib
import html
import json
import re
import shlex
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

import thresher
from tests.hostile_names import NAMES
from thresher import CWC, GBC, MRMR, Chain, Ensemble, Univariate
from thresher.cli._app import app
from thresher.evaluate import select_k
from thresher.report import gather_facts, render_report, save_report


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def data_of(page):
    (block,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    return json.loads(block)


def test_it_reports_what_was_selected_and_why(cancer):
    X, y = cancer
    selector = MRMR(5).fit(X, y)
    page = render_report(
        selector, X, y, source="cancer.csv", target="diagnosis", notes=["mind this"]
    )
    assert "5 of 30 features from 569 samples of cancer.csv, target diagnosis." in page
    rows = data_of(page)["rows"]
    assert [row["name"] for row in rows[:5]] == X.columns[selector.selected_].tolist()
    assert rows[0]["reason"] == selector.reason(int(selector.selected_[0]))
    assert len(rows) == 30
    assert "mind this" in page
    assert "target: 2 classes (0: 212, 1: 357)." in page
    assert thresher.__version__ in page


def test_the_code_on_the_page_repeats_the_selection(cancer):
    X, y = cancer
    search = GBC(GaussianNB(), population=2, max_cycles=1, cv=2, random_state=0)
    for selector in (MRMR(4, relevance="f"), Ensemble(MRMR(3), 5), Univariate(2), search):
        page = render_report(selector.fit(X, y))
        (code,) = re.findall(r"<pre>(.*?)</pre>", page, re.S)
        names = {"X": X, "y": y}
        exec(html.unescape(code), names)
        np.testing.assert_array_equal(names["selector"].selected_, selector.selected_)


def test_the_same_selection_gives_the_same_page(cancer):
    X, y = cancer
    pages = {render_report(MRMR(5, n_jobs=1).fit(X, y), X, y) for _ in range(2)}
    assert len(pages) == 1


def test_the_map_shows_which_features_are_redundant(cancer):
    X, y = cancer
    facts = gather_facts(MRMR(5).fit(X, y), X, y)
    found = facts["map"]
    order = [X.columns[i] for i in found["features"]]
    values = np.array(found["values"])
    expected = np.corrcoef(X[order].to_numpy().T) ** 2
    np.testing.assert_allclose(values, expected, atol=6e-4)  # three digits are kept
    position = [order.index(name) for name in ("worst radius", "worst perimeter")]
    assert abs(position[0] - position[1]) <= 2
    assert gather_facts(MRMR(5).fit(X, y)).get("map") is None


def test_tables_with_text_and_missing_values_have_a_map():
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 80)
    X = pd.DataFrame(
        {"colour": colour, "copy": colour, "size": rng.normal(size=80), "n": rng.integers(0, 3, 80)}
    )
    X.loc[3, "size"] = np.nan
    y = (colour == "red").astype(int)
    facts = gather_facts(MRMR(2, missing="pairwise", relevance="mi").fit(X, y), X, y)
    names = [X.columns[i] for i in facts["map"]["features"]]
    i, j = names.index("colour"), names.index("copy")
    assert facts["map"]["values"][i][j] == 1.0
    assert facts["map"]["measure"] == "symmetrical uncertainty"


def test_score_against_the_number_of_features_is_drawn_when_given(cancer):
    X, y = cancer
    selector = MRMR(5).fit(X, y)
    assert "How many features" not in render_report(selector)
    number = select_k(MRMR(), X, y, GaussianNB(), k=[1, 2, 5], random_state=0)
    page = render_report(selector, number=number)
    assert "How many features" in page
    assert page.count("<circle") == 3
    assert number.k != 4
    assert f"Selected: {number.k}." in render_report(MRMR(number.k).fit(X, y), number=number)
    other = render_report(MRMR(4).fit(X, y), number=number)
    assert f"The curve suggests {number.k}; 4 were selected." in other


@pytest.mark.parametrize(
    "selector", [CWC(), Univariate(3), Ensemble(MRMR(3), 5), Chain([Univariate(9), MRMR(3)])]
)
def test_every_kind_of_selector_has_a_report(selector, cancer):
    X, y = cancer
    page = render_report(selector.fit(X, y), X, y)
    assert len(data_of(page)["rows"]) == 30
    assert "nan" not in re.findall(r'(?:x|y|width|height)="(nan)"', page)


def test_the_command_on_the_page_repeats_the_selection(tmp_path, cancer):
    X, y = cancer
    X.assign(y=y).to_csv(tmp_path / "c & d.csv", index=False)
    typed = ["select", "c & d.csv", "-t", "y", "-k", "3", "--exclude", "mean area", "-q"]
    page = tmp_path / "page.html"
    run = partial(subprocess.run, capture_output=True, text=True, check=True, cwd=tmp_path)
    start = [sys.executable, "-m", "thresher"]
    absolute = [str(tmp_path / word) if word.endswith(".csv") else word for word in typed]
    found = run([*start, *absolute, f"--report={page}"]).stdout
    (command,) = re.findall(r'<pre class="command">\$ (.*?)</pre>', page.read_text("utf-8"))
    program, *words = shlex.split(html.unescape(command))
    assert (program, words) == ("thresher", [*typed, "--report=page.html"])
    assert run([*start, *words, "--force"]).stdout == found
    assert "In a shell" not in render_report(MRMR(3).fit(X, y), X, y)


@pytest.mark.parametrize(
    "selector", [MRMR(2, target="numeric"), Ensemble(MRMR(2, target="numeric"))]
)
def test_the_target_is_described_as_it_was_taken(selector):
    X, y = load_diabetes(return_X_y=True)
    page = render_report(selector.fit(X, y.astype(int)), X, y.astype(int))
    assert "target: numeric, from 25 to 346." in page


def test_one_is_not_several():
    X = np.column_stack([np.ones(9), np.arange(9.0), np.arange(9.0) % 2])
    y = np.array(["a"] * 8 + ["b"])
    checks = gather_facts(MRMR(1, exclude=[2]).fit(X, y), X, y)["checks"]
    assert checks[0] == "1 feature is constant and never selected."
    assert checks[1] == "1 feature was excluded."
    assert "The smallest class has 1 sample;" in checks[-1]


def test_redundancy_known_for_the_first_steps_only_is_labelled_so():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 40)), np.arange(60) % 2
    page = render_report(Ensemble(MRMR(30), 5).fit(X, y), X, y)
    assert "redundancy of the first 24" in page
    assert "redundancy of the first" not in render_report(Ensemble(MRMR(9), 5).fit(X, y), X, y)


def test_a_numeric_target_and_no_names():
    X, y = load_diabetes(return_X_y=True)
    page = render_report(MRMR(3).fit(X, y), X, y)
    assert "target: numeric, from 25 to 346." in page
    assert data_of(page)["rows"][0]["name"].startswith("x")


def test_no_name_becomes_markup():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, len(NAMES))), columns=NAMES)
    y = np.array(['<img src=x onerror="pwned=1">', "</script>"])[X.iloc[:, 0] % 2]
    selector = Ensemble(MRMR(30), 5).fit(X, y)
    evil = NAMES[1]
    page = render_report(selector, X, y, title=evil, source=evil, target=evil, notes=NAMES)
    page.encode()  # no lone surrogate is left
    assert page.count("<script") == 2
    assert page.count("</script") == 2
    assert not re.search(
        r"<(img|iframe|object|embed|a|base|link|form|video|audio|math|template)\b", page
    )
    assert not re.search(
        r"<[^>]*\son[a-z]+\s*=", re.sub(r"<script.*?</script>", "", page, flags=re.S)
    )
    assert "\x00" not in page
    assert "\u202e" not in page
    assert "\u2028" not in page


def test_the_policy_names_our_script_and_style_alone(cancer):
    page = render_report(MRMR(3).fit(*cancer))
    policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page).group(1))
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    for kind, text in (
        ("script", re.search(r"<script>(.*?)</script>", page, re.S).group(1)),
        ("style", re.search(r"<style>(.*?)</style>", page, re.S).group(1)),
    ):
        mark = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{mark}'" in policy
    assert 'style="' not in page
    assert "http://" not in page
    assert "https://" not in page


def test_a_hundred_thousand_features_stay_below_two_megabytes():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (20, 100_000), dtype=np.int8)
    selector = MRMR(20).fit(X, X[:, 7])
    # The worst names: long, and every character needs escaping.
    selector.feature_names_in_ = np.array(
        [f"{i}" + "<&>" * 60 for i in range(100_000)], dtype=object
    )
    page = render_report(selector, X, X[:, 7])
    assert len(page.encode()) < 2_000_000
    assert "of 100,000 features: those selected" in page
    assert data_of(page)["rows"][0]["step"] == 1


def test_a_file_is_overwritten_only_on_request(cancer, tmp_path):
    selector = MRMR(3).fit(*cancer)
    path = save_report(selector, tmp_path / "r.html", *cancer)
    with pytest.raises(FileExistsError):
        save_report(selector, path)
    save_report(selector, path, overwrite=True)
    assert path.read_text("utf-8").startswith("<!DOCTYPE html>")


@pytest.fixture
def table(tmp_path, cancer):
    X, y = cancer
    path = tmp_path / "cancer.csv"
    X.assign(diagnosis=np.where(y, "benign", "malignant")).to_csv(path, index=False)
    return path


def test_the_command_writes_the_same_report_at_once_and_from_a_saved_selection(table, tmp_path):
    page, saved, later = tmp_path / "r.html", tmp_path / "s.json", tmp_path / "later.html"
    options = [
        "-t",
        "diagnosis",
        "-k",
        "4",
        "--ensemble",
        "5",
        "--report",
        page,
        "--out",
        saved,
        "-q",
    ]
    run = CliRunner().invoke(app, ["select", *map(str, [table, *options])])
    assert run.exit_code == 0, run.output
    run = CliRunner().invoke(app, ["report", str(saved), "-o", str(later)])
    assert run.exit_code == 0, run.output
    assert page.read_text("utf-8") == later.read_text("utf-8")
    assert "4 of 30 features from 569 samples of cancer.csv, target diagnosis." in page.read_text(
        "utf-8"
    )
    assert "Redundant features" in page.read_text("utf-8")
    again = CliRunner().invoke(app, ["report", str(saved), "-o", str(later)])
    assert again.exit_code == 2
    assert "exists. Use --force" in again.stderr


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"thresher": 2}', '{"thresher": 2, "selector": {"object": "show_versions"}}'],
)
def test_a_file_that_is_not_a_saved_selection_is_rejected(content, tmp_path):
    (tmp_path / "s.json").write_text(content)
    run = CliRunner().invoke(
        app, ["report", str(tmp_path / "s.json"), "-o", str(tmp_path / "r.html")]
    )
    assert run.exit_code == 2
    assert len(run.stderr.splitlines()) == 1
    assert not (tmp_path / "r.html").exists()


@pytest.mark.parametrize(
    "facts",
    [
        {"map": {"features": [999], "values": [[1]], "measure": "x"}},
        {"map": 3},
        {"number": {"k": 1, "sizes": [1], "mean": ["<script>"], "error": [0]}},
        [1],
        {"n_samples": "<script>pwned=1</script>"},
    ],
)
def test_facts_that_were_tampered_with_do_no_harm(facts, cancer, tmp_path):
    document = json.loads(MRMR(3).fit(*cancer).to_json())
    document["run"] = {"facts": facts}
    (tmp_path / "s.json").write_text(json.dumps(document))
    run = CliRunner().invoke(
        app, ["report", str(tmp_path / "s.json"), "-o", str(tmp_path / "r.html")]
    )
    assert run.exit_code == 2, run.output
    assert not (tmp_path / "r.html").exists()
