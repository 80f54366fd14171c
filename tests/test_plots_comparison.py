"""Plots of comparisons draw the values that they are given."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")

from thresher import MRMR, ThresherWarning, Univariate, plots  # noqa: E402
from thresher.evaluate import bonferroni_dunn, compare, nemenyi, wilcoxon_holm  # noqa: E402


@pytest.fixture(scope="module")
def comparison():
    return compare(
        {"MRMR": MRMR(), "F": Univariate(), "MI": Univariate(measure="mi")},
        {"wine": load_wine(), "iris": load_iris(), "breast": load_breast_cancer()},
        {"NB": GaussianNB(), "3NN": KNeighborsClassifier(3)},
        k=[1, 3],
        cv=3,
        random_state=0,
        progress=False,
    )


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_critical_differences_show_ranks_cliques_and_the_reach():
    rng = np.random.default_rng(0)
    scores = dict(zip("abcde", (rng.normal(size=(20, 5)) + np.arange(5)).T, strict=True))
    tests = nemenyi(scores)
    ax = plots.plot_critical_difference(tests)
    for name, rank in zip(tests.methods, tests.mean_ranks, strict=True):
        assert f"{name}  {rank:.2f}" in texts(ax)
    bars = [line for line in ax.get_lines() if line.get_label() == "clique"]
    assert len(bars) == len(tests.cliques) > 1
    ranks = dict(zip(tests.methods, tests.mean_ranks, strict=True))
    for bar, clique in zip(bars, tests.cliques, strict=True):
        assert bar.get_xdata()[0] == pytest.approx(ranks[clique[0]] - 0.04)
        assert bar.get_xdata()[1] == pytest.approx(ranks[clique[-1]] + 0.04)
    reach = next(line for line in ax.get_lines() if line.get_label() == "CD")
    assert np.diff(reach.get_xdata())[0] == pytest.approx(tests.critical_difference)
    assert "20 data sets" in ax.get_title()
    against = plots.plot_critical_difference(bonferroni_dunn(scores, "c"), ax=ax)
    assert against is ax
    assert any(text.get_weight() == "bold" for text in ax.texts)
    plain = plots.plot_critical_difference(wilcoxon_holm(scores))
    assert not [line for line in plain.get_lines() if line.get_label() == "CD"]


def test_a_comparison_contains_its_wilcoxon_tests(comparison):
    assert "Wilcoxon, Holm" in plots.plot_critical_difference(comparison).get_title()


def test_scores_against_k_with_bands(comparison):
    ax = plots.plot_scores(comparison, data="wine", estimator="NB")
    table = comparison.table()
    rows = table[(table["data"] == "wine") & (table["estimator"] == "NB")]
    for line in ax.get_lines():
        expected = rows[rows["selector"] == line.get_label()]
        np.testing.assert_allclose(line.get_ydata(), expected["score"])
        assert line.get_xdata().tolist() == [1, 3]
    assert len(ax.collections) == 3
    band = ax.collections[0].get_paths()[0].vertices[:, 1]
    first = rows[rows["selector"] == "MRMR"]
    reach = first["score_sd"] / np.sqrt(3)
    assert band.max() == pytest.approx((first["score"] + reach).max())
    over_all = plots.plot_scores(comparison)
    assert over_all.get_title() == "mean over 3 data sets"
    mean = table[table["selector"] == "F"].groupby("k")["score"].mean()
    np.testing.assert_allclose(over_all.get_lines()[1].get_ydata(), mean)
    with pytest.raises(ValueError, match="did you mean 'wine'"):
        plots.plot_scores(comparison, data="vine")
    with pytest.raises(ValueError, match="estimator must be one of"):
        plots.plot_scores(comparison, estimator="forest")


class FailsOnWine(Univariate):
    def fit(self, X, y):
        if X.shape[1] == 13:
            raise RuntimeError("no wine")
        return super().fit(X, y)


def test_scores_are_means_over_data_sets_on_which_all_have_one():
    with pytest.warns(ThresherWarning, match="no wine"):
        comparison = compare(
            {"sober": FailsOnWine(), "F": Univariate()},
            {"wine": load_wine(), "iris": load_iris(), "breast": load_breast_cancer()},
            {"NB": GaussianNB()},
            k=[1, 3],
            cv=3,
            random_state=0,
            progress=False,
        )
    with pytest.warns(ThresherWarning, match="wine: not every selector has a score"):
        ax = plots.plot_scores(comparison)
    assert ax.get_title() == "mean over 2 data sets"
    sober, plain = (line.get_ydata() for line in ax.get_lines())
    assert np.isfinite(sober).all()
    np.testing.assert_array_equal(sober, plain)
    assert all(tick == round(tick) for tick in ax.get_xticks())
    with pytest.warns(ThresherWarning, match="sober has no score on wine"):
        ax = plots.plot_scores(comparison, data="wine")
    assert [line.get_label() for line in ax.get_lines()] == ["F"]


def test_a_failed_fold_does_not_count():
    class FailsOnce(GaussianNB):
        left = 1

        def fit(self, X, y):
            FailsOnce.left -= 1
            if FailsOnce.left == 0:
                raise RuntimeError("not today")
            return super().fit(X, y)

    with pytest.warns(ThresherWarning, match="not today"):
        comparison = compare(
            {"F": Univariate()}, {"wine": load_wine()}, {"NB": FailsOnce()}, k=[2], cv=3,
            random_state=0, progress=False,
        )  # fmt: skip
    ax = plots.plot_scores(comparison, data="wine")
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), comparison.table()["score"])


def test_an_empty_plot_is_an_error():
    with pytest.warns(ThresherWarning, match="no wine"):
        comparison = compare(
            {"sober": FailsOnWine()}, {"wine": load_wine()}, {"NB": GaussianNB()}, k=[2], cv=3,
            random_state=0, progress=False,
        )  # fmt: skip
    for data in (None, "wine"):
        with pytest.raises(ValueError, match=r"comparison has no data set .*\. Call errors\(\)"):
            plots.plot_scores(comparison, data=data)


def test_the_heatmap_shows_every_rank(comparison):
    ax = plots.plot_rank_heatmap(comparison, k=3)
    image = ax.images[0].get_array()
    assert image.shape == (3, 3)
    np.testing.assert_allclose(image.sum(axis=0), 6)
    assert (np.diff(image.mean(axis=1)) >= 0).all()
    assert [label.get_text() for label in ax.get_xticklabels()] == ["wine", "iris", "breast"]
    best = comparison.ranks(k=3, output="dict")
    first = ax.get_yticklabels()[0].get_text()
    assert first == f"{best['selector'][0]}  {best['mean_rank'][0]:.2f}"
