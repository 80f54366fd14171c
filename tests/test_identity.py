"""The records that compare versions: equal for equal results, different for a single bit."""

from __future__ import annotations

import numpy as np

from tests.identity.cases import SELECTORS, Case, all_cases, few_cases
from tests.identity.commands import without_seconds
from tests.identity.data import TABLES
from tests.identity.digest import digest
from tests.identity.forms import FORMS
from tests.identity.record import compare, fit_case, read_record, write_record
from thresher import MRMR

CASES = [Case("MRMR()", "cancer", "as it is"), Case("GSO(5)", "categories", "as it is")]


def test_a_repeated_record_has_no_difference(tmp_path):
    first = dict(map(fit_case, CASES))
    write_record(first, str(tmp_path / "record"))
    assert compare(read_record(str(tmp_path / "record")), dict(map(fit_case, CASES))) == []
    assert "selected_" in first[str(CASES[0])]
    assert "contains categories" in first[str(CASES[1])]["error"]


def test_another_result_is_a_difference(monkeypatch):
    old = dict(map(fit_case, CASES[:1]))
    fit = MRMR.fit

    def fit_with_one_more_evaluation(self, *args, **kwargs):
        fit(self, *args, **kwargs).n_evaluations_ += 1
        return self

    monkeypatch.setattr(MRMR, "fit", fit_with_one_more_evaluation)
    lines = compare(old, dict(map(fit_case, CASES[:1])))
    assert lines[0] == f"{CASES[0]}: n_evaluations_, to_json"
    assert compare(old, {})[0].startswith("only in the old record")


def test_messages_can_be_left_out():
    old, new = (
        {"case": {"reasons": "a", "scores_": "b"}},
        {"case": {"reasons": "c", "scores_": "b"}},
    )
    assert compare(old, new)
    assert not compare(old, new, skip_messages=True)


def test_a_digest_shows_every_bit_and_the_type():
    x = np.array([0.1, 0.2])
    others = [
        x + 1e-17 * np.array([0, 5]),
        x.astype(np.float32),
        x[:, None],
        x.tolist(),
        -0.0,
        0.0,
        "0.0",
        None,
    ]
    assert len({digest(value) for value in [x, *others]}) == 1 + len(others)
    assert digest({"a": x}) == digest({"a": x.copy()})


def test_thousands_of_cases_are_recorded_and_hundreds_quickly():
    cases = all_cases(list(TABLES), [form for form in FORMS if form != "as it is"])
    assert 3000 < len(cases) < 4500
    assert 250 < len(few_cases(cases)) < 350
    assert {case.selector for case in cases} == set(SELECTORS)


def test_seconds_in_a_table_are_not_a_difference():
    table = "data  seconds  why\nwine  {}  it is{}better\n"
    assert without_seconds(table.format("0.5", " ")) == without_seconds(
        table.format("0.0123", "\n")
    )
    assert without_seconds(table.format("0.5", " ")) == "data seconds why wine it is better"
    assert without_seconds("two\nlines") == "two\nlines"
