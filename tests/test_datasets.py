"""Data with known truth: the generators match their description, and methods find the true features."""

from __future__ import annotations

import warnings
from urllib.error import URLError

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import _openml as sklearn_openml
from sklearn.utils import Bunch

from thresher import CWC, FCBF, GSO, INTERACT, LCC, MIM, MRMR, RRCT, LassoPath, ReliefF, Univariate
from thresher import datasets as given
from thresher.datasets import _openml

GENERATORS = {
    "artificial1": lambda seed: given.make_artificial1(200, 30, random_state=seed),
    "friedman": lambda seed: given.make_friedman_collinear(200, random_state=seed),
    "tied": lambda seed: given.make_tied(300, 40, random_state=seed),
    "xor": lambda seed: given.make_xor(random_state=seed),
    "microarray": lambda seed: given.make_microarray(40, 500, random_state=seed),
    "text": lambda seed: given.make_text(100, 300, random_state=seed),
    "dorothea": lambda seed: given.make_dorothea_like(100, 2000, random_state=seed),
}


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def found(selector, made):
    """Count the true features among the first selected ones, as many as there are true ones."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = selector.fit(made.data, made.target).selected_[: len(made.truth)]
    return len(set(chosen.tolist()) & set(made.truth.tolist()))


@pytest.mark.parametrize("make", GENERATORS.values(), ids=GENERATORS)
def test_every_generator_gives_a_bunch_that_depends_on_the_seed_alone(make):
    first, again, other = make(3), make(3), make(4)
    assert isinstance(first, Bunch)
    n, p = first.data.shape
    assert len(first.target) == n
    assert len(first.feature_names) == p
    assert len(first.DESCR) > 20
    assert np.all(np.diff(first.truth) > 0)
    assert 0 <= first.truth[0] <= first.truth[-1] < p
    np.testing.assert_array_equal(dense(first.data), dense(again.data))
    np.testing.assert_array_equal(first.target, again.target)
    assert (dense(first.data) != dense(other.data)).any()


def test_artificial1_is_a_sum_of_features_seen_through_noise():
    made = given.make_artificial1(5000, 20, noise=0.1, random_state=0)
    left = made.target - made.data[:, :10] @ made.coefficients
    # What is left is the noise of the ten features times their coefficients.
    assert left.std() == pytest.approx(0.1 * np.linalg.norm(made.coefficients), rel=0.05)
    assert made.data.std() == pytest.approx(np.sqrt(1.01), rel=0.01)
    assert ((made.coefficients > 10) & (made.coefficients < 100)).all()
    clean = given.make_artificial1(50, 20, noise=0.0, random_state=0)
    np.testing.assert_allclose(clean.data[:, :10] @ clean.coefficients, clean.target)


@pytest.mark.parametrize("seed", range(3))
def test_artificial1_is_found_by_correlations(seed):
    made = given.make_artificial1(random_state=seed)
    for selector in (LassoPath(10), RRCT(10), GSO(10)):
        assert found(selector, made) == 10


def test_friedman_is_the_formula_and_copies_correlate():
    made = given.make_friedman_collinear(20_000, 12, n_copies=3, random_state=0)
    x = made.data[:, :5]
    clean = [
        10 * np.sin(np.pi * a * b) + 20 * (c - 0.5) ** 2 + 10 * d + 5 * e for a, b, c, d, e in x
    ]
    left = made.target - clean
    assert abs(left.mean()) < 0.03
    assert left.std() == pytest.approx(1, abs=0.02)
    correlation = np.corrcoef(made.data.T)
    for original, copy in enumerate(made.copies):
        assert correlation[original, copy] == pytest.approx(0.9, abs=0.01)
    assert abs(np.corrcoef(made.data[:, 2], made.target)[0, 1]) < 0.03
    assert np.abs(correlation[8:, :8]).max() < 0.05


def test_tied_members_carry_the_bit_of_their_group_and_decoys_most_of_it():
    made = given.make_tied(20_000, 40, random_state=0)
    bits = made.data // 2
    hidden = [bits[:, group[0]] for group in made.groups]
    for group, bit in zip(made.groups, hidden, strict=True):
        for member in group:
            np.testing.assert_array_equal(bits[:, member], bit)
    assert [len(group) for group in made.groups] == [1, 2, 3, 3, 4]
    assert made.decoys.tolist() == [13, 14, 28]
    for decoy, group in ((14, 2), (28, 4), (13, 3)):
        assert (bits[:, decoy] == hidden[group]).mean() == pytest.approx(0.85, abs=0.01)
    assert np.bincount(made.target).tolist() == [5000] * 4
    assert set(np.unique(made.data)) == {0, 1, 2, 3}
    score = np.column_stack(hidden) @ [0.8, 0.9, 1.2, 1.1, 1.6]
    assert np.corrcoef(score, made.target)[0, 1] > 0.8


@pytest.mark.parametrize("seed", range(3))
def test_one_of_each_tied_group_is_found(seed):
    made = given.make_tied(random_state=seed)
    first = set(FCBF().fit(made.data, made.target).selected_[:5].tolist())
    assert all(first & set(group.tolist()) for group in made.groups)


def test_parity_is_found_by_methods_of_sets_and_neighbours_and_missed_by_rankings():
    made = [given.make_xor(random_state=seed) for seed in range(6)]
    for selector in (CWC(), LCC(), INTERACT(), ReliefF(2)):
        assert all(found(selector, one) == 2 for one in made)
    wide = [given.make_xor(n_features=100, random_state=seed) for seed in range(6)]
    assert all(found(ReliefF(2), one) == 2 for one in wide)
    for selector in (Univariate(2), MRMR(2), MIM(2)):
        assert sum(found(selector, one) for one in wide) <= 1


def test_parity_is_parity_but_for_the_noise():
    made = given.make_xor(4000, 8, n_parity=3, noise=0.2, random_state=1)
    parity = made.data[:, made.truth].sum(axis=1) % 2
    assert (parity != made.target).mean() == pytest.approx(0.2, abs=0.02)


def test_genes_of_a_block_correlate_and_informative_blocks_differ():
    made = given.make_microarray(
        4000, 60, n_blocks=4, block_size=10, n_informative_blocks=2, n_batches=1, batch_effect=0.0, random_state=0
    )  # fmt: skip
    within = made.data - made.target[:, None] * (np.isin(np.arange(60), made.truth))
    correlation = np.corrcoef(within.T)
    same = (made.blocks[:, None] == made.blocks) & (made.blocks >= 0) & ~np.eye(60, dtype=bool)
    assert correlation[same].mean() == pytest.approx(0.7, abs=0.02)
    assert np.abs(correlation[~same & ~np.eye(60, dtype=bool)]).max() < 0.1
    gap = made.data[made.target == 1].mean(axis=0) - made.data[made.target == 0].mean(axis=0)
    true = np.isin(np.arange(60), made.truth)
    np.testing.assert_allclose(gap, true.astype(float), atol=0.12)
    assert len(made.truth) == 20


def test_confounded_batches_mislead():
    settings = {"n_samples": 200, "batch_effect": 2.0, "random_state": 0}
    clean, mixed = (
        given.make_microarray(**settings),
        given.make_microarray(**settings, confounding=1),
    )
    np.testing.assert_array_equal(mixed.batch, mixed.target)
    assert found(Univariate(100), clean) > 80
    assert found(Univariate(100), mixed) < 40


def test_texts_are_sparse_counts_with_the_requested_ratio():
    made = given.make_text(3000, 100, n_informative=10, ratio=4.0, random_state=0)
    assert sparse.issparse(made.data)
    assert made.data.dtype.kind == "i"
    assert made.data.sum(axis=1).mean() == pytest.approx(100, rel=0.05)
    rate = [np.asarray(made.data[made.target == c].mean(axis=0)).ravel() for c in (0, 1)]
    ratio = np.log2(rate[1] / rate[0])
    centred = np.abs(ratio - np.median(ratio))
    assert set(np.argsort(-centred)[:10]) == set(made.truth)
    assert np.median(centred[made.truth]) == pytest.approx(2, abs=0.3)
    assert found(MIM(10), made) >= 9


def test_dorothea_like_has_its_density_its_classes_and_its_probes():
    made = given.make_dorothea_like(400, 20_000, n_informative=50, random_state=0)
    assert made.data.format == "csc"
    assert made.data.nnz / (400 * 20_000) == pytest.approx(0.009, rel=0.1)
    assert set(made.data.data) == {1}
    assert np.bincount(made.target + 1).tolist() == [360, 0, 40]
    assert len(made.probes) == 10_000
    assert not set(made.probes) & set(made.truth)
    positive = np.asarray(made.data[made.target == 1].mean(axis=0)).ravel()
    assert positive[made.truth].mean() == pytest.approx(0.5, abs=0.05)
    assert found(MIM(50), made) >= 45


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: given.make_artificial1(1),
            "n_samples must be an integer of at least 2, got 1",
        ),
        (lambda: given.make_artificial1(10, 5), "n_informative must be .* at most 5, got 10"),
        (lambda: given.make_friedman_collinear(10, 6), "n_features must be .* at least 7, got 6"),
        (lambda: given.make_tied(100, 20), "n_features must be .* at least 29, got 20"),
        (lambda: given.make_xor(10, 3, n_parity=4), "n_parity must be .* at most 3, got 4"),
        (lambda: given.make_xor(noise=1.5), "noise must be a number .* at most 1, got 1.5"),
        (lambda: given.make_microarray(10, 100), "n_features must be .* at least 400, got 100"),
        (lambda: given.make_text(10, 10), "n_informative must be .* at most 5, got 50"),
        (lambda: given.make_dorothea_like(density=0), "density must be a number above 0"),
        (lambda: given.fetch_paper_data("sonars"), "did you mean 'sonar'"),
    ],
)
def test_impossible_data_are_rejected_in_one_line(call, words):
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", ["sonar", "dorothea"])
def test_offline_is_a_one_line_error(monkeypatch, tmp_path, name):
    requested = []

    def offline(request, *_, **__):
        requested.append(request.full_url)
        raise URLError("Name or service not known")

    monkeypatch.setattr(sklearn_openml, "urlopen", offline)
    monkeypatch.setattr(sklearn_openml.time, "sleep", lambda _: None)
    words = rf"^{name} could not be fetched from openml.org \(.*Name or service not known.*\)\. .*data_home"
    with pytest.raises(ConnectionError, match=words):
        given.fetch_paper_data(name, data_home=tmp_path)
    assert len(requested) > 1  # a line that stutters is given another try
    assert all("openml.org" in url for url in requested)
    assert f"data_name/{name}/" in requested[0]


def test_downloads_are_requested_by_name_and_their_shape_is_checked(monkeypatch):
    requested = {}

    def fetch(name, **settings):
        requested.update(settings, name=name)
        return Bunch(data=np.zeros((208, columns)), target=np.zeros(208))

    monkeypatch.setattr(_openml, "fetch_openml", fetch)
    columns = 60
    assert given.fetch_paper_data("sonar", data_home="x").data.shape == (208, 60)
    assert (requested["name"], requested["version"], requested["data_home"]) == ("sonar", 1, "x")
    columns = 59
    with pytest.raises(ValueError, match="no longer the data set"):
        given.fetch_paper_data("sonar")
    assert "dorothea" in given.list_paper_data("dict")["name"]
