"""`make reproduce`: finished experiments are not repeated, and all of them are on one page."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

run = pytest.importorskip("benchmarks.reproduction.run")
kept = pytest.importorskip("benchmarks.reproduction.kept")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "ROOT", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(run, "PAGE", tmp_path / "page.md")


def fake_runs(monkeypatch, text, code=0):
    calls = []

    def called(command, **_):
        calls.append(command)
        return SimpleNamespace(returncode=code, stdout=text, stderr="one\nlast words\n")

    monkeypatch.setattr(run.subprocess, "run", called)
    return calls


def test_every_experiment_is_a_module():
    names = [experiment.name for experiment in run.EXPERIMENTS]
    assert len(set(names)) == len(names)
    missing = [experiment.name for experiment in run.EXPERIMENTS if not run.is_there(experiment)]
    assert missing == []


def test_an_experiment_is_run_once(monkeypatch):
    experiment = run.EXPERIMENTS[0]
    calls = fake_runs(monkeypatch, "1 of 9\r9 of 9 done  \nours 5\n")
    run.run(experiment, quick=True)
    run.run(experiment, quick=True)
    assert len(calls) == 1
    assert calls[0][1:] == ["-m", f"benchmarks.reproduction.{experiment.name}", *experiment.quick]
    assert run.result_file(experiment, True).read_text() == "9 of 9 done\nours 5\n"
    run.run(experiment, quick=False)
    assert len(calls) == 2


def test_a_failure_is_reported_and_tried_again(monkeypatch, capsys):
    experiment = run.EXPERIMENTS[0]
    calls = fake_runs(monkeypatch, "", code=1)
    run.run(experiment, quick=True)
    run.run(experiment, quick=True)
    assert len(calls) == 2
    assert "failed: last words" in capsys.readouterr().out


def test_the_page_has_results_explanations_and_missing_experiments(monkeypatch):
    fake_runs(monkeypatch, "published 3 ours 3\n")
    experiment = run.EXPERIMENTS[0]
    run.run(experiment, quick=True)
    run.write_page(quick=False)
    page = run.PAGE.read_text("utf-8")
    assert f"## {experiment.title}\n\n{experiment.why}" in page
    assert "published 3 ours 3" in page
    assert 'ARGS="--quick"`:' in page  # the short form is named where the full one has not been run
    elsewhere = [other for other in run.EXPERIMENTS if other.page]
    assert all(f"[The tables](<{other.page}>)" in page for other in elsewhere)
    assert page.count("Not run yet") == len(run.EXPERIMENTS) - 1 - len(elsewhere)


def test_the_page_keeps_results_of_other_computers(monkeypatch):
    first, second = run.EXPERIMENTS[:2]
    fake_runs(monkeypatch, "published 3 ours 4\n")
    run.run(first, quick=False)
    run.write_page(quick=False)
    run.result_file(first, quick=False).unlink()  # another machine
    fake_runs(monkeypatch, "published 5 ours 5\n")
    run.run(second, quick=False)
    run.write_page(quick=False)
    page = run.PAGE.read_text("utf-8")
    assert f"`make reproduce-{first.name}`:\n\n```text\npublished 3 ours 4\n```\n" in page
    assert "published 5 ours 5" in page
    run.write_page(quick=False)
    assert run.PAGE.read_text("utf-8") == page


def test_a_stopped_experiment_resumes_with_the_parts_it_has(tmp_path, monkeypatch):
    monkeypatch.setattr(kept, "RESULTS", tmp_path)
    computed = []

    def compute(value):
        computed.append(value)
        return [value, float("nan")]

    first = kept.Parts("long")
    assert first.get("a", lambda: compute(1))[0] == 1
    again = kept.Parts("long")
    again.get("a", lambda: compute(1))
    again.get("b", lambda: compute(2))
    assert computed == [1, 2]
    assert kept.Parts("long", "-other").found == {}
    again.remove()
    assert kept.Parts("long").found == {}
