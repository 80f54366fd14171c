"""Filters over blocks of rows select the same features as from all rows at once."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from thresher import RFS, RRFS, ThresherWarning


def make(seed=0, n=60, p=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6)) @ rng.normal(size=(6, p)) + 0.3 * rng.normal(size=(n, p))
    return X * rng.uniform(0.1, 3, p) + 0.5, rng.integers(0, 2, n)


SELECTORS = [
    RFS(),
    RFS(7, relevance="iqr"),
    RFS(5, relevance="mi"),
    RRFS(similarity="pearson"),
    RRFS(9, relevance="fisher", similarity="mici"),
    RRFS(relevance="mad", similarity="su", max_similarity=0.4),
    RRFS(relevance="variance", max_similarity=0.5, stop_mass=0.5),
    RRFS(8, relevance="variance", similarity="pearson", keep=[3, 11], exclude=[0]),
    RRFS(30, scan="top", similarity="pearson"),
]


@pytest.mark.parametrize("memory", [1, 60 * 8 * 3, 60 * 8 * 7, 1 << 28])
@pytest.mark.parametrize("selector", SELECTORS, ids=repr)
def test_blocks_give_the_selection_of_all_rows(selector, memory):
    X, y = make()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ThresherWarning)
        whole = selector.fit(X, y)
        expected = {
            name: np.array(getattr(whole, name))
            for name in ["selected_", "ranking_", "scores_", "relevance_", "n_evaluations_"]
        }
        reasons = [whole.reason(f) for f in range(X.shape[1])]
        for blocks in [np.array_split(X, 7), [sparse.csr_matrix(b) for b in np.array_split(X, 3)]]:
            chunked = selector.fit_chunks(blocks, y, memory=memory)
            for name, value in expected.items():
                np.testing.assert_allclose(getattr(chunked, name), value, rtol=1e-11, err_msg=name)
            assert [chunked.reason(f) for f in range(X.shape[1])] == reasons


def test_frames_keep_their_names_and_functions_are_called_again():
    X, _ = make()
    frame = pd.DataFrame(X, columns=[f"gene{i}" for i in range(40)])
    calls = []

    def read():
        calls.append(1)
        return (frame[start : start + 17] for start in range(0, 60, 17))

    fitted = RRFS(similarity="pearson").fit_chunks(read, memory=60 * 8 * 10)
    whole = RRFS(similarity="pearson").fit(frame)
    assert fitted.get_feature_names_out().tolist() == whole.get_feature_names_out().tolist()
    assert len(calls) > 4


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ((block for block in [np.eye(3)]), r"read more than once.*got generator"),
        ([], r"no block"),
        ([np.eye(3), np.eye(4)], r"same columns.*3 features, one after row 3 has 4"),
        ([np.eye(3), sparse.eye_array(3).tocsr()], r"all be dense or all sparse"),
        ([np.array([[1.0, np.nan], [2.0, 3.0]])], r"column '1' of X contains NaN"),
        ([pd.DataFrame({"a": ["x", "y"]})], r"column 'a' of a chunk contains categories"),
    ],
)
def test_bad_chunks_get_a_one_line_error(chunks, words):
    with pytest.raises(ValueError, match=words):
        RFS(1).fit_chunks(chunks)


def test_comparing_with_all_needs_everything():
    with pytest.raises(ValueError, match='against="all" needs every selected column'):
        RRFS(against="all").fit_chunks([make()[0]])


def test_a_feature_is_not_kept_and_excluded():
    with pytest.raises(ValueError, match="keep and exclude both contain the feature 1"):
        RFS(2, keep=[1], exclude=[1]).fit_chunks([make()[0]])
