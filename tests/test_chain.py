"""Chains of selectors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.feature_selection import RFE, SelectFromModel, SelectKBest, VarianceThreshold
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests.blocks_of_rows import in_blocks
from thresher import MRMR, RFS, RRFS, Chain, ErrorControlled, FisherScore, ReliefF, Univariate


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def test_the_last_selector_chooses_among_the_features_of_the_first(cancer):
    X, y = cancer
    chain = Chain([FisherScore(12), MRMR(4)]).fit(X, y)
    first = FisherScore(12).fit(X, y)
    kept = np.flatnonzero(first.support_)
    second = MRMR(4).fit(X.iloc[:, kept], y)
    assert chain.selected_.tolist() == kept[second.selected_].tolist()
    assert chain.get_feature_names_out().tolist() == second.get_feature_names_out().tolist()
    assert chain.transform(X).shape == (569, 4)
    np.testing.assert_array_equal(chain.scores_[kept], second.scores_)
    assert sorted(np.bincount(chain.step_).tolist()) == [4, 8, 18]


def test_ranks_go_from_the_last_selector_to_the_first(cancer):
    X, y = cancer
    chain = Chain([FisherScore(12), FisherScore(4)]).fit(X, y)
    assert chain.ranking_.tolist() == FisherScore(4).fit(X, y).ranking_.tolist()


@pytest.mark.parametrize("form", [pd.DataFrame, pl.DataFrame])
def test_reasons_carry_names_through(cancer, form):
    X, y = cancer
    frame = form(X.to_dict("list"))
    chain = Chain([("cheap", RFS(20, relevance="fisher")), RRFS(3, relevance="fisher")])
    chain.fit(frame, y)
    assert chain.reason("mean smoothness").startswith("dropped by selector 1 (cheap): rank 21")
    assert chain.reason("worst concave points").startswith("selector 2 (rrfs): selected at step 1")
    assert "dropped by selector 2 (rrfs): too similar to" in chain.reason("mean perimeter")


def test_reasons_give_positions_in_the_original_data(cancer):
    X, y = cancer
    chain = Chain([FisherScore(12), RRFS(3, relevance="fisher", similarity="pearson")])
    chain.fit(X.to_numpy(), y)
    rivals = {
        chain.reason(f).split("feature ")[1].split(" ")[0]
        for f in range(30)
        if "similar" in chain.reason(f)
    }
    assert rivals
    assert {int(r) for r in rivals} <= set(chain.selected_.tolist())


@pytest.mark.parametrize(
    "last",
    [
        SelectKBest(k=3),
        SelectFromModel(LogisticRegression(max_iter=2000), max_features=3),
        RFE(LogisticRegression(max_iter=2000), n_features_to_select=3),
    ],
)
def test_selectors_of_scikit_learn_go_anywhere(cancer, last):
    X, y = cancer
    X = pd.DataFrame(StandardScaler().fit_transform(X), columns=X.columns)
    chain = Chain([VarianceThreshold(), Univariate(10), last]).fit(X, y)
    assert 1 <= len(chain.selected_) <= 3
    assert set(chain.get_feature_names_out()) <= set(
        Univariate(10).fit(X, y).get_feature_names_out()
    )
    assert chain.reason(int(chain.selected_[0])).startswith("selector 3")


def test_sparse_input_stays_sparse():
    X = sparse.random_array(
        (60, 200), density=0.1, random_state=np.random.default_rng(0), format="csr"
    )
    y = np.arange(60) % 2
    chain = Chain([RFS(50), FisherScore(5)]).fit(X, y)
    assert sparse.issparse(chain.transform(X))
    assert chain.transform(X).shape == (60, 5)


def test_parameters_of_steps_can_be_searched(cancer):
    X, y = cancer
    chain = Chain([FisherScore(10), ("pick", MRMR(2))])
    assert chain.get_params()["fisherscore__n_features_to_select"] == 10
    model = make_pipeline(StandardScaler(), chain, LogisticRegression(max_iter=500))
    search = GridSearchCV(model, {"chain__pick__n_features_to_select": [1, 6]}, cv=3).fit(X, y)
    assert search.best_params_ == {"chain__pick__n_features_to_select": 6}
    replaced = clone(chain).set_params(pick=ReliefF(1))
    assert isinstance(replaced.selectors[1][1], ReliefF)
    with pytest.raises(ValueError, match="Invalid parameter 'choose'"):
        chain.set_params(choose__k=3)


def test_weights_are_passed_on_by_metadata_routing(cancer):
    X, y = cancer
    weight = np.arange(len(y)) % 3
    with config_context(enable_metadata_routing=True):
        chain = Chain([FisherScore(12), MRMR(3).set_fit_request(sample_weight=True)])
        chain.fit(X, y, sample_weight=weight)
        kept = np.flatnonzero(FisherScore(12).fit(X, y).support_)
        wanted = MRMR(3).fit(X.iloc[:, kept], y, sample_weight=weight)
        piped = make_pipeline(clone(chain), "passthrough").fit(X, y, sample_weight=weight)
    assert chain.selected_.tolist() == kept[wanted.selected_].tolist()
    assert piped[0].selected_.tolist() == chain.selected_.tolist()
    with pytest.raises(ValueError, match="only with metadata routing"):
        Chain([MRMR(3)]).fit(X, y, sample_weight=weight)


@pytest.mark.parametrize(
    ("selectors", "words"),
    [
        ([], r"at least one selector"),
        (MRMR(), r"must be a list of selectors"),
        ([LogisticRegression()], r"fit and get_support.*SelectFromModel"),
        ([("a", MRMR()), ("a", RFS())], r"names of selectors must differ"),
        ([RRFS(3, relevance="iqr"), MRMR(1)], r"selector 1 \(rrfs\) selected no feature"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_bad_chains_get_a_one_line_error(selectors, words):
    X = np.zeros((20, 3))
    X[[0, 1, 2], [0, 1, 2]] = 1.0
    with pytest.raises(ValueError, match=words):
        Chain(selectors).fit(X, np.arange(20) % 2)


@pytest.mark.parametrize("selector", [Chain([MRMR(2)]), ErrorControlled(MRMR(2))])
def test_rows_in_blocks_are_rejected_in_one_line(selector):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match="needs all rows at once, but X is in blocks"):
        selector.fit(in_blocks(X, y, None, [0, 300]), y)
