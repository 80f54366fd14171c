"""Gate, then search: `ErrorControlled` and `thresher.evaluate.probe_select`."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFromModel, SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from tests.naive import gate as naive
from thresher import CFS, GSO, JMI, MRMR, ErrorControlled, FisherScore, ThresherWarning, Univariate
from thresher.discretize import MDLBins
from thresher.evaluate import probe_select
from thresher.evaluate.curves import select_sizes
from thresher.selectors.error_controlled import filter_by_fdr


def data(seed=0, n=120, p=40, n_true=4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    y = (X[:, :n_true].sum(axis=1) + rng.normal(size=n) > 0).astype(int)
    return X, y


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("most", [1, 3, 30])
def test_the_gate_is_that_of_the_definition(seed, most):
    rng = np.random.default_rng(seed)
    pvalues = np.round(rng.random(30) ** 3, 3)
    k, level = naive.open_gate(pvalues.tolist(), 0.2, most)
    gate = filter_by_fdr(pvalues, 0.2, most)
    assert gate.n_features == k
    expected = [] if level is None else np.flatnonzero(pvalues <= level).tolist()
    assert np.flatnonzero(gate.passed).tolist() == expected


@pytest.mark.parametrize("seed", range(5))
def test_the_list_is_the_search_on_what_passed(seed):
    X, y = data(seed)
    found = ErrorControlled(MRMR(5), random_state=0).fit(X, y)
    pvalues = (
        Univariate(
            measure=MRMR(5).fit(X, y).relevance_measure_, pvalues="permutation", random_state=0
        )
        .fit(X, y)
        .pvalues_
    )
    assert found.pvalues_.tolist() == pvalues.tolist()
    k, level = naive.open_gate(pvalues.tolist(), 0.1, 5)
    passed = np.flatnonzero(pvalues <= level)
    assert np.flatnonzero(found.gate_).tolist() == passed.tolist()
    assert found.selected_.tolist() == passed[MRMR(k).fit(X[:, passed], y).selected_].tolist()


def test_with_many_requested_it_is_the_selection_of_benjamini_and_hochberg():
    X, y = data()
    wanted = Univariate("auto", alpha=0.1, measure="f").fit(X, y)
    found = ErrorControlled(FisherScore(40), pvalues=wanted.pvalues_).fit(X, y)
    assert sorted(found.selected_) == sorted(wanted.selected_)


def test_an_expected_number_needs_no_more_than_the_pvalues():
    X, y = data()
    found = ErrorControlled(MRMR(10), pfer=1, pvalues="analytic").fit(X, y)
    assert np.flatnonzero(found.gate_).tolist() == np.flatnonzero(found.pvalues_ <= 1 / 40).tolist()
    assert len(found.selected_) == min(10, int(found.gate_.sum()))


def test_any_dependence_divides_the_level():
    X, y = data()
    given = Univariate(measure="f").fit(X, y).pvalues_
    loose = ErrorControlled(MRMR(10), pvalues=given).fit(X, y)
    strict = ErrorControlled(MRMR(10), pvalues=given, dependence="any").fit(X, y)
    factor = sum(1 / k for k in range(1, 11))
    k, level = naive.open_gate(given.tolist(), 0.1 / factor, 10)
    assert len(strict.selected_) == k
    assert strict.gate_level_ == pytest.approx(level, rel=1e-12)
    assert len(strict.selected_) <= len(loose.selected_)


class CutsByTheTarget(KBinsDiscretizer):
    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags


@pytest.mark.parametrize(
    "rule",
    ["mdl", "mdl:weka", MDLBins(), CutsByTheTarget(encode="ordinal", strategy="uniform")],
)
def test_pvalues_never_come_from_bins_that_use_the_target(rule):
    X, y = data(1)
    found = ErrorControlled(MRMR(5, relevance="mi", discretize=rule), random_state=0).fit(X, y)
    plain = Univariate(
        measure="mi", discretize="equal-frequency", pvalues="permutation", random_state=0
    )
    np.testing.assert_array_equal(found.pvalues_, plain.fit(X, y).pvalues_)


def test_a_selector_that_stops_by_itself_chooses_no_more_than_its_gate_allows():
    X, y = data(n=300)
    found = ErrorControlled(CFS(), random_state=0).fit(X, y)
    chosen = found.selected_
    factor = sum(1 / k for k in range(1, 41))
    assert len(chosen)
    assert (found.pvalues_[chosen] <= 0.1 / factor * len(chosen) / 40).all()
    foreign = SelectFromModel(LogisticRegression())
    assert ErrorControlled(foreign, random_state=0).fit(X, y).pvalues_.shape == (40,)


def test_competing_with_permuted_copies_ends_at_their_cutoff():
    X, y = data(n=300, p=60, n_true=12)
    found = ErrorControlled(Univariate(40), fdr=0.2, method="compete", random_state=3).fit(X, y)
    inner = found.selector_
    assert inner.n_features_in_ == 120
    assert len(found.selected_) >= 5
    assert np.isnan(found.pvalues_).all()
    null = ErrorControlled(Univariate(40), fdr=0.2, method="compete", random_state=3)
    with pytest.warns(ThresherWarning, match="no feature was selected"):
        null.fit(np.random.default_rng(1).normal(size=X.shape), y)


@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
@pytest.mark.parametrize("seed", range(10))
def test_the_prefix_is_the_longest_that_fits(seed):
    X, y = data(seed, n=200, p=30, n_true=6)
    found = ErrorControlled(Univariate(30), fdr=0.3, method="compete", random_state=seed)
    found.fit(X, y)
    order = found.selector_.selected_
    columns = np.asarray(found.selector_.scores_)[order]
    own = Univariate(30, pvalues="analytic").fit(X, y).scores_
    is_probe = [not np.isin(value, own) for value in columns]
    length = naive.longest_prefix(is_probe, 30, 30, 0.3, 30)
    assert len(found.selected_) == length - sum(is_probe[:length])


def test_names_reasons_frames_sparse_and_pipelines():
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(40)])
    found = ErrorControlled(MRMR(3), random_state=0).fit(frame, y)
    assert found.get_feature_names_out().tolist() == [
        f"gene {i}" for i in np.flatnonzero(found.support_)
    ]
    assert found.reason(int(found.selected_[0])).startswith("selected at step 1, score")
    worst = int(np.argmax(found.pvalues_))
    assert found.reason(worst).startswith("not significant: p-value ")
    text = found.to_json()
    assert ErrorControlled.from_json(text).selected_.tolist() == found.selected_.tolist()
    thin = np.where(np.abs(X) > 0.5, X, 0)
    dense = ErrorControlled(MRMR(3), random_state=0).fit(thin, y)
    stored = ErrorControlled(MRMR(3), random_state=0).fit(sparse.csr_array(thin), y)
    assert stored.selected_.tolist() == dense.selected_.tolist()
    model = make_pipeline(ErrorControlled(JMI(5), fdr=0.2, random_state=0), LogisticRegression())
    assert cross_val_score(model, X, y).mean() > 0.6
    assert (
        ErrorControlled(SelectKBest(f_classif, k=3), random_state=0).fit(X, y).support_.sum() == 3
    )


def test_weights_are_routed_to_the_pvalues_and_to_the_search():
    X, y = data(seed=1)
    weights = np.random.default_rng(0).integers(0, 3, len(y))
    twice = np.repeat(np.arange(len(y)), weights)
    with sklearn.config_context(enable_metadata_routing=True):
        inner = MRMR(4).set_fit_request(sample_weight=True)
        for options in ({"pvalues": "analytic"}, {"method": "compete", "fdr": 0.5}):
            options = {"random_state": 0, **options}
            weighted = ErrorControlled(inner, **options).fit(X, y, sample_weight=weights)
            assert len(weighted.selected_)
            if "pvalues" in options:
                repeated = ErrorControlled(MRMR(4), **options).fit(X[twice], y[twice])
                assert weighted.selected_.tolist() == repeated.selected_.tolist()
                np.testing.assert_array_equal(weighted.pvalues_, repeated.pvalues_)
        with pytest.raises(ValueError, match='with sample_weight use pvalues="analytic"'):
            ErrorControlled(inner, random_state=0).fit(X, y, sample_weight=weights)
        step = ErrorControlled(inner, pvalues="analytic")
        model = make_pipeline(step, LogisticRegression().set_fit_request(sample_weight=True))
        model.fit(X, y, sample_weight=weights)
        assert (
            model[0].selected_.tolist() == step.fit(X, y, sample_weight=weights).selected_.tolist()
        )
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        ErrorControlled(MRMR(4)).fit(X, y, sample_weight=weights)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_it_is_a_transformer_like_any_other(make):
    X, y = data()
    frame = make({f"gene {i}": X[:, i] for i in range(40)})
    careful = ErrorControlled(MRMR(3), fdr=0.2, random_state=0)
    plain = careful.fit(X, y)
    named = clone(careful).fit(frame, y)
    assert named.selected_.tolist() == plain.selected_.tolist()
    names = [f"gene {i}" for i in np.flatnonzero(plain.support_)]
    assert named.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(np.asarray(named.transform(frame)), X[:, plain.support_])
    output = "pandas" if make is pd.DataFrame else "polars"
    assert list(named.set_output(transform=output).transform(frame).columns) == names
    model = make_pipeline(clone(careful), LogisticRegression())
    assert model.fit(frame, y)[:-1].get_feature_names_out().tolist() == names
    search = GridSearchCV(
        model,
        {
            "errorcontrolled__selector__n_features_to_select": [1, 4],
            "errorcontrolled__fdr": [0.1, 0.3],
        },
        cv=3,
    ).fit(frame, y)
    assert search.best_score_ > 0.6
    assert careful.table().loc[plain.selected_, "pvalue"].max() <= plain.gate_level_


def test_other_numbers_of_features_have_other_gates():
    X, y = data()
    careful = ErrorControlled(MRMR(10), random_state=0)
    lists = select_sizes(careful, X, y, [2, 10])
    for k, found in zip((2, 10), lists, strict=True):
        alone = ErrorControlled(MRMR(k), random_state=0).fit(X, y)
        assert found == alone.selected_.tolist()


def test_probe_select_reports_what_passed():
    X, y = data()
    found = probe_select(MRMR(3), X, y, random_state=0)
    fitted = ErrorControlled(MRMR(3), random_state=0).fit(X, y)
    assert found.selected.tolist() == fitted.selected_.tolist()
    assert found.gate.tolist() == np.flatnonzero(fitted.gate_).tolist()
    assert (found.n_selected, found.gate_level) == (3, fitted.gate_level_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"fdr": 0}, "fdr must be between 0 and 1, got 0"),
        ({"fdr": 1.0}, "fdr must be between 0 and 1, got 1.0"),
        ({"pfer": 0}, "pfer must be a number above 0"),
        ({"method": "knockoff"}, "method must be one of"),
        ({"pvalues": "exact"}, "pvalues must be one of"),
        ({"pvalues": [0.1, 0.2]}, "must contain 40 p-values, one per feature"),
        ({"pvalues": np.full(40, 1.5)}, r"pvalues must be in \[0, 1\], got 1.5 for feature 0"),
        ({"pvalues": np.full(40, np.nan)}, r"pvalues must be in \[0, 1\], got nan"),
        ({"n_permutations": 3}, "n_permutations must be an integer of at least 20"),
        ({"dependence": "none"}, "dependence must be one of"),
        ({"method": "compete", "pfer": 1}, 'pfer needs method="gate", got method="compete"'),
        ({"selector": MRMR(3, keep=[0])}, r"keep=\[0\] selects untested features"),
        ({"selector": "mrmr"}, r"selector must be a selector such as MRMR\(\), got 'mrmr'"),
        ({"selector": MRMR}, r"selector must be a selector such as MRMR\(\)"),
        ({"pvalues": ["small"] * 40}, "pvalues must be numbers, one for each feature"),
        ({"fdr": "low"}, "fdr must be a number, got 'low'"),
    ],
)
def test_bad_input_gets_a_one_line_error(parameters, message):
    X, y = data()
    with pytest.raises(ValueError, match=message):
        ErrorControlled(**{"selector": MRMR(3)} | parameters).fit(X, y)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::thresher.ThresherWarning")
def test_nulls_are_selected_as_seldom_as_promised():
    n_sets, n_selecting = 200, 0
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(80, 50)), rng.integers(0, 2, size=80)
        found = ErrorControlled(MRMR(5), 0.2, n_permutations=20, random_state=seed)
        n_selecting += len(found.fit(X, y).selected_) > 0
    assert n_selecting / n_sets <= 0.2 + 2 * (0.2 * 0.8 / n_sets) ** 0.5


def test_classes_are_gated_by_the_correlation_for_classes():
    X, y = data()
    y = y + (X[:, 0] > 1)
    found = ErrorControlled(GSO(2), 0.2, random_state=0).fit(X, y)
    assert found.relevance_name_ == "r2"
    ranking = Univariate(2, measure="r2").fit(X, y)
    np.testing.assert_array_equal(found.relevance_, ranking.scores_)
