"""How the target is read, and that the selectors report it."""

from __future__ import annotations

import datetime
import inspect
import json
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from typer.testing import CliRunner

import thresher
from tests.blocks_of_rows import in_blocks
from tests.examples import examples
from tests.naive.target import kind_of
from thresher import (
    CFS,
    FCBF,
    GSO,
    JMI,
    MIM,
    MRMR,
    RFS,
    RRCT,
    Chain,
    Ensemble,
    ErrorControlled,
    FisherScore,
    LaplacianScore,
    LassoPath,
    ReliefF,
    Univariate,
)
from thresher._registry import PUBLIC
from thresher._utils.checks import ThresherWarning
from thresher.cli._app import app
from thresher.evaluate import compare, nested_score, probe_fdr, recommend
from thresher.evaluate.stability import stability_curve
from thresher.report import gather_facts
from thresher.selectors._base import BaseSelector
from thresher.selectors._target import kind_of_all_rows, with_target_of

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 5))
FRAME = pd.DataFrame(X, columns=list("abcde"))
CLASSES = np.arange(120) % 3


def fitted(y, weights=None, selector=None):
    return (selector or MRMR(2)).fit(X[: len(y)], y, *(() if weights is None else (weights,)))


@st.composite
def targets(draw):
    """Draw values and perhaps weights, near the limits of the rules."""
    n_values = draw(st.sampled_from([1, 2, 3, 4, 10, 19, 20, 21, 22]))
    n_rows = draw(st.sampled_from([1, 2, 4, 5, 6])) * n_values + draw(st.integers(-1, 1))
    n_rows = max(n_rows, n_values, 2)
    codes = np.arange(n_rows) % n_values
    codes = codes[draw(st.permutations(range(n_rows)))]
    form = draw(st.sampled_from(["int", "uint8", "float", "half", "text", "bool", "object"]))
    values = {
        "int": codes - 1,
        "uint8": codes.astype(np.uint8),
        "float": codes * 3.0,
        "half": codes / 2,
        "text": np.array([f"level {code}" for code in codes], dtype=object),
        "bool": codes % 2 == 0,
        "object": codes.astype(object),
    }[form]
    kind = draw(st.sampled_from(["none", "whole", "real"]))
    weights = None
    if kind == "whole":
        weights = np.array(draw(st.lists(st.integers(0, 3), min_size=n_rows, max_size=n_rows)))
    elif kind == "real":
        weights = np.array(
            draw(st.lists(st.sampled_from([0.0, 0.5, 1.5]), min_size=n_rows, max_size=n_rows))
        )
    return values, weights


def outcome(fit):
    """Return the kind that a fit reports, or its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return fit().target_kind_
    except (ValueError, NotFittedError, AttributeError) as error:
        return "identifier" if "identifier" in str(error.__cause__ or error) else "error"


@examples(150)
@given(data=targets(), cut=st.floats(0, 1))
def test_the_rules_hold_for_arrays_blocks_and_added_rows(data, cut):
    y, weights = data
    rows = RNG.normal(size=(len(y), 3))
    if weights is not None and not (weights > 0).any():
        return
    expected = kind_of(y.tolist(), None if weights is None else weights.tolist())
    at = int(cut * len(y))
    own = () if weights is None else (weights,)

    def added():
        selector = MRMR(1)
        for some in (slice(0, at), slice(at, None)):
            if len(y[some]):
                selector.partial_fit(rows[some], y[some], *(w[some] for w in own))
        if not hasattr(selector, "selected_"):
            selector.get_support()  # raises the cause
        return selector

    results = {
        "memory": outcome(lambda: MRMR(1).fit(rows, y, *own)),
        "blocks": outcome(lambda: MRMR(1).fit(in_blocks(rows, y, weights, [at]))),
        "added": outcome(added),
    }
    if expected == "identifier" or "error" not in results.values():
        assert set(results.values()) == {expected}, results
    else:  # one class, or a single row
        assert set(results.values()) == {"error"}, results


def test_integers_are_classes_from_five_rows_a_value_on():
    assert fitted(np.arange(120) % 24).target_kind_ == "nominal"
    assert fitted(np.arange(119) % 24).target_kind_ == "numeric"
    assert fitted(np.arange(100) % 20).target_kind_ == "nominal"


def test_whole_floats_are_classes_up_to_twenty_values():
    assert fitted((np.arange(105) % 21).astype(float)).target_kind_ == "numeric"
    assert fitted(np.arange(105) % 21).target_kind_ == "nominal"
    assert fitted((np.arange(100) % 20).astype(np.float32)).target_kind_ == "nominal"
    assert fitted((np.arange(99) % 20).astype(float)).target_kind_ == "numeric"


def test_whole_floats_select_like_integers():
    for selector in (MRMR(3), JMI(3), CFS(), GSO(3), ReliefF(3), Univariate(3)):
        whole = fitted(CLASSES, selector=selector).scores_
        floats = fitted(CLASSES.astype(float), selector=selector).scores_
        np.testing.assert_array_equal(whole, floats)


def test_few_rows_of_two_values_are_classes():
    for y in ([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], [-1, 1, 1, -1]):
        assert fitted(np.array(y)).target_kind_ == "nominal"
    assert fitted(np.array([0.25, 0.75, 0.75, 0.25])).target_kind_ == "numeric"


def test_categories_of_numbers_are_classes():
    y = pd.Series(np.arange(120) % 40, dtype="category")
    kinds = [
        fitted(y),
        fitted(y.array),
        fitted(pa.chunked_array([pa.array((np.arange(120) % 40).tolist()).dictionary_encode()])),
        fitted(pl.Series([f"{i % 40}" for i in range(120)], dtype=pl.Categorical)),
        MRMR(2).fit(in_blocks(X, y, ends=[50])),
        MRMR(2).partial_fit(X, y),
        MRMR(2).fit(FRAME.assign(label=y), "label"),
        MRMR(2).partial_fit(X, y, classes=range(40)),
        MRMR(2).partial_fit(X, y).forget(X[:40], y[:40]),
        FisherScore(2).fit(X, y),
    ]
    assert {selector.target_kind_ for selector in kinds} == {"nominal"}
    for selector in kinds[4:6]:
        np.testing.assert_array_equal(selector.scores_, kinds[0].scores_)
    assert fitted(y, selector=MRMR(2, target="numeric")).target_kind_ == "numeric"
    with pytest.raises(ValueError, match="NaN or None"):
        fitted(y.where(y != 3))


def test_one_warning_names_the_numeric_target_above_twenty_integers():
    with pytest.warns(ThresherWarning, match=r'24 distinct integers.*target="numeric"') as record:
        fitted(np.arange(120) % 24)
    assert len(record) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fitted(np.arange(120) % 20)
        fitted(np.arange(120) % 24, selector=MRMR(2, target="nominal"))
        fitted(np.array([f"level {i % 24}" for i in range(120)]))


def test_named_kinds_decide():
    many, few = np.arange(120), CLASSES
    assert fitted(many, selector=MRMR(2, target="nominal")).target_kind_ == "nominal"
    assert fitted(few, selector=MRMR(2, target="numeric")).target_kind_ == "numeric"
    texts = np.array([f"id {i}" for i in range(120)])
    assert fitted(texts, selector=MRMR(2, target="nominal")).target_kind_ == "nominal"


def test_rows_of_weight_zero_and_dropped_rows_do_not_count():
    y = np.r_[np.arange(60) % 12, np.full(60, 100)]
    weights = np.r_[np.ones(60), np.zeros(60)]
    assert fitted(np.arange(60) % 12).target_kind_ == "nominal"
    assert fitted(y, weights).target_kind_ == "nominal"
    noisy = np.r_[np.arange(60) % 12, np.linspace(0.1, 0.9, 60)]
    assert fitted(noisy, weights).target_kind_ == "nominal"
    assert fitted(noisy).target_kind_ == "numeric"
    holes = X.copy()
    holes[60:, 0] = np.nan
    with pytest.warns(ThresherWarning, match="left out 60"):
        assert MRMR(2, missing="drop_rows").fit(holes, noisy).target_kind_ == "nominal"


def test_a_weight_of_two_counts_as_two_rows():
    y = np.arange(60) % 20  # three rows a value, or six
    assert fitted(y).target_kind_ == "numeric"
    weights = np.full(60, 2)
    heavy, twice = fitted(y, weights), MRMR(2).fit(np.r_[X[:60], X[:60]], np.r_[y, y])
    assert heavy.target_kind_ == twice.target_kind_ == "nominal"
    np.testing.assert_array_equal(heavy.scores_, twice.scores_)


DATES = {
    "datetime64": np.arange(120).astype("M8[D]"),
    "timedelta64": np.arange(120).astype("m8[s]"),
    "dates": np.array([datetime.date(2020, 1, 1)] * 120, dtype=object),
    "a date among text": np.array(["a"] * 119 + [datetime.datetime(2020, 1, 1)], dtype=object),
    "pandas": pd.Series(pd.date_range("2020-01-01", periods=120)),
    "with a zone": pd.Series(pd.date_range("2020-01-01", periods=120, tz="UTC")),
    "periods": pd.Series(pd.period_range("2020-01-01", periods=120)),
    "timedelta": pd.Series(pd.to_timedelta(np.arange(120), unit="s")),
    "polars": pl.Series(np.arange(120).astype("M8[ms]")),
    "polars dates": pl.Series([datetime.date(2020, 1, 1)] * 120),
    "durations": pl.Series([datetime.timedelta(1)] * 120),
    "arrow": pa.chunked_array([pa.array(np.arange(120).astype("M8[s]"))]),
    "arrow times": pa.chunked_array([pa.array([datetime.time(1)] * 120)]),
}
KINDS = ("auto", "nominal", "numeric")


@pytest.mark.parametrize("name", DATES)
def test_dates_are_rejected(name):
    for kind in KINDS:
        with pytest.raises(ValueError, match=r"dates or times .* Convert them to numbers"):
            fitted(DATES[name], selector=MRMR(2, target=kind))


def test_dates_are_rejected_by_every_door(tmp_path):
    y = pd.Series(pd.date_range("2020-01-01", periods=120))
    words = "y contains dates or times"
    frame = FRAME.assign(when=y)
    frame.to_parquet(tmp_path / "dates.parquet")
    doors = [
        lambda: MRMR(2).fit(frame, "when"),
        lambda: MRMR(2).fit(tmp_path / "dates.parquet", "when"),
        lambda: MRMR(2).partial_fit(X, y),
        lambda: MRMR(2).fit(in_blocks(X, y.to_numpy(), ends=[50])),
        lambda: Ensemble(MRMR(2), 3).fit(X, y),
        lambda: Ensemble(FisherScore(2), 3, kind="bagging").fit(X, y),
        lambda: Chain([MRMR(3), MRMR(2)]).fit(X, y),
        lambda: ErrorControlled(MRMR(2)).fit(X, y),
        lambda: FisherScore(2).fit(X, y),
        lambda: recommend(X, y, 1),
    ]
    for door in doors:
        with pytest.raises(ValueError, match=words):
            door()
    result = CliRunner().invoke(app, ["select", str(tmp_path / "dates.parquet"), "-t", "when"])
    assert result.exit_code != 0
    assert "dates or times" in result.stderr


def test_structured_arrays_are_rejected():
    survival = np.zeros(120, dtype=[("event", bool), ("time", float)])
    structs = pl.Series([{"event": True, "time": 1.0}] * 120)
    for y in (survival, survival.view(np.recarray), structs):
        for selector in (MRMR(2), FisherScore(2), Ensemble(MRMR(2), 3)):
            with pytest.raises(ValueError, match=r"fields event, time.*Pass one of them"):
                selector.fit(X, y)


def test_identifiers_are_rejected_by_every_door(tmp_path):
    y = np.array([f"patient {i}" for i in range(120)], dtype=object)
    frame = FRAME.assign(id=y)
    frame.to_csv(tmp_path / "ids.csv", index=False)
    doors = [
        lambda: fitted(y),
        lambda: fitted(pd.Series(y, dtype="category")),
        lambda: MRMR(2).fit(frame, "id"),
        lambda: MRMR(2).fit(tmp_path / "ids.csv", "id"),
        lambda: MRMR(2).partial_fit(X, y).get_support(),
        lambda: MRMR(2).fit(in_blocks(X, y, ends=[50])),
        lambda: FisherScore(2).fit(X, y),
        lambda: Ensemble(MRMR(2), 3).fit(X, y),
    ]
    for door in doors:
        with pytest.raises(
            (ValueError, NotFittedError), match="120 different labels in 120 samples"
        ):
            door()


def test_identifiers_begin_below_two_rows_a_value():
    y = np.array([f"family {i % 60}" for i in range(120)])
    assert fitted(y).target_kind_ == "nominal"
    with pytest.raises(ValueError, match="60 different labels in 119 samples"):
        fitted(y[:119])
    assert fitted(np.array([f"{i}" for i in range(20)])).target_kind_ == "nominal"


SUPERVISED = [
    name
    for name in PUBLIC
    if inspect.isclass(getattr(thresher, name))
    and issubclass(getattr(thresher, name), BaseSelector)
    and name not in ("Chain", "Ensemble", "ErrorControlled")
]


@pytest.mark.parametrize("name", SUPERVISED)
def test_every_supervised_selector_has_the_kind_and_saves_it(name):
    cls = getattr(thresher, name)
    selector = cls()
    small = {"population": 4, "max_cycles": 1, "n_iter": 5}
    selector.set_params(**{k: v for k, v in small.items() if k in selector.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selector.fit(np.abs(X), CLASSES % 2)
    if not selector._needs_target:
        assert not hasattr(selector, "target_kind_")
        return
    assert selector.target_kind_ == "nominal"
    assert cls.from_json(selector.to_json()).target_kind_ == "nominal"
    assert "target_kind_" in (cls.__doc__ or "") or "See `" in (cls.__doc__ or "")


def test_a_damaged_kind_is_not_loaded():
    text = fitted(CLASSES).to_json().replace('"nominal"', '"ordinal"')
    with pytest.raises(ValueError, match="target_kind_"):
        MRMR.from_json(text)


def test_the_kind_follows_the_last_fit():
    selector = RFS(2, relevance="fisher").fit(X, CLASSES)
    assert selector.target_kind_ == "nominal"
    selector.set_params(relevance="variance").fit(X, CLASSES)
    assert not hasattr(selector, "target_kind_")
    assert not hasattr(LaplacianScore(2).fit(X), "target_kind_")


@pytest.mark.parametrize(
    "selector",
    [
        Ensemble(MRMR(2), 4),
        Ensemble(MRMR(2), 4, kind="inner"),
        Ensemble(ReliefF(2), 4, kind="bagging", random_state=0),
        Ensemble(MRMR(2), 4, kind="halves", random_state=0),
        Chain([MRMR(3), ReliefF(2)]),
        Chain([MRMR(3), LaplacianScore(2)]),
        ErrorControlled(MRMR(2), fdr=0.9),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_selectors_around_others_have_the_kind(selector):
    assert selector.fit(X, X[:, 0] + X[:, 1]).target_kind_ == "numeric"
    assert selector.fit(X, np.argmax(X[:, :3], axis=1)).target_kind_ == "nominal"
    assert type(selector).from_json(selector.to_json()).target_kind_ == "nominal"


def test_selectors_of_classes_keep_their_errors():
    with pytest.raises(ValueError, match=r"continuous.*Use MRMR"):
        FisherScore(2).fit(X, X[:, 0])
    with pytest.raises(ValueError, match=r"30 distinct numbers in 120.*pass them as strings"):
        FisherScore(2).fit(X, np.arange(120) % 30)
    assert FisherScore(2).fit(X[:40], np.arange(40) % 10).target_kind_ == "nominal"


# Parts of the rows.


def test_some_rows_are_read_like_all_of_them():
    y = np.arange(120) % 24  # five rows a value: a part has fewer
    assert kind_of_all_rows(y) == "nominal"
    assert kind_of_all_rows(y % 2) is None
    assert kind_of_all_rows(y.astype(str)) is None
    assert kind_of_all_rows(X[:, 0]) == kind_of_all_rows(np.arange(120)) == "numeric"
    assert with_target_of(MRMR(2), y).target == "nominal"
    assert with_target_of(MRMR(2, target="numeric"), y).target == "numeric"
    assert with_target_of(Ensemble(), y).selector.target == "nominal"
    inside = with_target_of(make_pipeline(Chain([MRMR(3), ReliefF(2)]), Ridge()), y)
    assert [s.target for s in inside[0].selectors] == ["nominal", "nominal"]
    assert isinstance(with_target_of(SelectKBest(), y), SelectKBest)


@pytest.mark.filterwarnings("ignore")
def test_ensembles_and_evaluations_decide_from_all_rows(monkeypatch):
    y = np.arange(120) % 24
    seen = []
    record = BaseSelector._record_target

    def recorded(self, kind):
        seen.append(kind)
        record(self, kind)

    monkeypatch.setattr(BaseSelector, "_record_target", recorded)
    runs = [
        lambda: Ensemble(ReliefF(2), 3, kind="full").fit(X, y),
        lambda: Ensemble(ReliefF(2), 3, kind="bagging", random_state=0).fit(X, y),
        lambda: nested_score(MRMR(2), X, y, estimator=Ridge(), cv=3),
        lambda: stability_curve(MRMR(2), X, y, k=[1], n_repeats=1, n_splits=3, random_state=0),
        lambda: compare({"MRMR": MRMR(2)}, {"data": (X, y)}, {"": Ridge()}, k=[2], cv=3),
        lambda: probe_fdr(MRMR(2), X, y, n_repeats=1, n_steps=2, random_state=0),
    ]
    for run in runs:
        seen.clear()
        run()
        assert seen
        assert set(seen) == {"nominal"}


@pytest.mark.filterwarnings("ignore")
def test_recommend_takes_the_kind():
    y = np.arange(120) % 4
    by_rule = recommend(X, y, 1, k=2, random_state=0)
    assert any("4 classes" in sentence for sentence in by_rule.findings)
    as_numbers = recommend(X, y, 1, k=2, target="numeric", random_state=0)
    assert any("numeric target" in sentence for sentence in as_numbers.findings)
    assert "target='numeric'" in as_numbers.code or "SVR" in as_numbers.code


# Columns by name.


def tables():
    frame = FRAME.assign(label=CLASSES, weight=np.arange(120) % 3 + 1)
    return [frame, pl.from_pandas(frame), pa.Table.from_pandas(frame, preserve_index=False)]


@pytest.mark.parametrize("position", range(3))
@pytest.mark.filterwarnings("ignore")
def test_target_and_weights_are_columns_of_a_table(position, tmp_path):
    table = tables()[position]
    tables()[0].to_parquet(tmp_path / "table.parquet")
    plain = MRMR(3).fit(FRAME, CLASSES, np.arange(120) % 3 + 1)
    named = [
        MRMR(3).fit(table, y="label", sample_weight="weight"),
        MRMR(3).partial_fit(table, y="label", sample_weight="weight"),
        MRMR(3).fit(tmp_path / "table.parquet", y="label", sample_weight="weight"),
    ]
    for selector in named:
        assert selector.selected_.tolist() == plain.selected_.tolist()
        np.testing.assert_array_equal(selector.scores_, plain.scores_)
        assert selector.n_features_in_ == 5
        assert selector.feature_names_in_.tolist() == list("abcde")
        assert selector.transform(FRAME).shape == (120, 3)
        with pytest.raises(ValueError, match="label"):
            selector.transform(table)


@pytest.mark.parametrize("position", range(3))
@pytest.mark.parametrize(
    "selector",
    [
        Univariate(2),
        FisherScore(2),
        ReliefF(2),
        GSO(2),
        RRCT(2),
        LassoPath(2),
        FCBF(),
        LaplacianScore(2),
        Ensemble(MRMR(2), 4),
        Ensemble(ReliefF(2), 4, kind="bagging", random_state=0),
        Chain([MIM(3), ReliefF(2)]),
        ErrorControlled(MRMR(2), fdr=0.9),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore")
def test_every_selector_takes_the_target_by_name(selector, position):
    columns = list("abcde")
    table = tables()[position]
    names = [*columns, "label"]
    table = table.select(names) if position else table[names]
    expected = selector.fit(FRAME, CLASSES).support_.tolist()
    selector.fit(table, y="label")
    assert selector.support_.tolist() == expected
    assert selector.feature_names_in_.tolist() == columns


def test_names_without_columns_are_one_sentence():
    frame = tables()[0]
    for selector in (MRMR(2), FisherScore(2), Ensemble(MRMR(2), 3), Chain([MRMR(2)])):
        with pytest.raises(ValueError, match=r"y='label' names a column, but X \(ndarray\)"):
            selector.fit(X, "label")
        with pytest.raises(ValueError, match="did you mean 'label'"):
            selector.fit(frame, "lable")
    with pytest.raises(ValueError, match="y='label' names a column"):
        MRMR(2).partial_fit(X, "label")
    with pytest.raises(ValueError, match="sample_weight='weight' names a column"):
        MRMR(2).fit(X, CLASSES, "weight")
    with pytest.raises(ValueError, match="both name"):
        MRMR(2).fit(frame, "label", "label")
    with pytest.raises(ValueError, match="no column except"):
        MRMR(2).fit(frame[["label"]], "label")


def test_anndata_is_refused_with_the_remedy():
    cells = pytest.importorskip("anndata").AnnData(X)
    words = r"adata\.to_df\(\).*thresher\.pp\.select_genes"
    for selector in (MRMR(2), FisherScore(2), Ensemble(MRMR(2), 3), Chain([MRMR(2)]), RFS(2)):
        with pytest.raises(ValueError, match=words):
            selector.fit(cells, CLASSES)
    with pytest.raises(ValueError, match=words):
        MRMR(2).partial_fit(cells, CLASSES)
    selector = MRMR(2).fit(cells.to_df(), CLASSES)
    with pytest.raises(ValueError, match=words):
        selector.transform(cells)


# Classes that may come.


def test_the_kind_of_added_rows_follows_from_all_of_them():
    selector = MRMR(2).partial_fit(X[:12], CLASSES[:12])
    assert selector.target_kind_ == "numeric"
    selector.partial_fit(X[12:], CLASSES[12:])
    assert selector.target_kind_ == "nominal"
    np.testing.assert_array_equal(selector.scores_, fitted(CLASSES).scores_)


def test_named_classes_make_the_target_nominal():
    for selector in (MRMR(2), Ensemble(MRMR(2), 3), MIM(2)):
        selector.partial_fit(X[:12], CLASSES[:12].astype(float), classes=[0, 1, 2, 3])
        assert selector.target_kind_ == "nominal"
        selector.partial_fit(X[12:], CLASSES[12:].astype(float), classes=np.array([3, 2, 1, 0]))
        expected = type(selector)(**selector.get_params(deep=False)).fit(X, CLASSES)
        assert selector.selected_.tolist() == expected.selected_.tolist()


def test_other_labels_are_an_error_and_add_nothing():
    selector = MRMR(2).partial_fit(X[:60], CLASSES[:60], classes=[0, 1, 2])
    before = selector.scores_.tolist()
    with pytest.raises(ValueError, match="label 7, which is not in classes"):
        selector.partial_fit(X[:2], [1, 7])
    np.testing.assert_array_equal(selector.scores_, before)
    with pytest.raises(ValueError, match="classes differ"):
        selector.partial_fit(X[60:], CLASSES[60:], classes=[0, 1])
    selector.partial_fit(X[60:], CLASSES[60:])
    np.testing.assert_array_equal(selector.scores_, fitted(CLASSES).scores_)
    selector.fit(X, CLASSES).partial_fit(X[:60], CLASSES[:60], classes=[0, 1, 2, 7])
    assert selector.target_kind_ == "nominal"


def test_classes_that_do_not_fit_are_one_sentence():
    with pytest.raises(ValueError, match='classes are passed, but target="numeric"'):
        MRMR(2, target="numeric").partial_fit(X, CLASSES, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="at least 2 labels"):
        MRMR(2).partial_fit(X, CLASSES, classes=[0])
    with pytest.raises(ValueError, match="does not use y"):
        RFS(2, relevance="variance").partial_fit(X, CLASSES, classes=[0, 1, 2])
    with pytest.raises(ValueError, match="classes differ"):
        MRMR(2).partial_fit(X, CLASSES).partial_fit(X, CLASSES, classes=[0, 1, 2])
    texts = np.array(["no", "yes"] * 60)
    assert MRMR(2).partial_fit(X, texts, classes=["yes", "no"]).target_kind_ == "nominal"


# Display.


def test_the_report_shows_the_kind():
    selector = fitted(CLASSES)
    assert (
        "target: 3 classes (0: 40, 1: 40, 2: 40)." in gather_facts(selector, X, CLASSES)["checks"]
    )
    assert "target: classes." in gather_facts(selector)["checks"]
    numbers = fitted(np.arange(120))
    assert "target: numeric, from 0 to 119." in gather_facts(numbers, X, np.arange(120))["checks"]


def test_the_commands_show_the_kind(tmp_path):
    path = tmp_path / "table.csv"
    FRAME.assign(label=CLASSES.astype(float), size=X[:, 0]).to_csv(path, index=False)
    commands = [
        (["select", "-k", "2"], "label", "target: 3 classes"),
        (["select", "-k", "2"], "size", "target: numeric"),
        (["select", "-k", "2", "--target-kind", "numeric"], "label", "target: numeric"),
        (["stability", "-m", "mim", "-k", "2", "--repeats", "1"], "label", "target: 3 classes"),
        (["probe", "-m", "mim", "--repeats", "2"], "label", "target: 3 classes"),
        (["compare", "-m", "mim,mrmr", "-k", "2", "--folds", "2"], "label", "target: 3 classes"),
    ]
    for (command, *more), target, line in commands:
        result = CliRunner().invoke(app, [command, str(path), "-t", target, *more])
        assert result.exit_code == 0, result.output
        assert result.stdout.splitlines().count(line) == 1, result.stdout
    result = CliRunner().invoke(app, ["select", str(path), "-t", "label", "-k", "2", "--json"])
    assert json.loads(result.stdout)["target_kind"] == "nominal"
