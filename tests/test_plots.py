"""Plots draw the values that they are given."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")

from thresher import GBC, MRMR, Ensemble, ErrorControlled, plots  # noqa: E402
from thresher.evaluate import error_bound  # noqa: E402
from thresher.evaluate.stability import StabilityCurve, StabilityGrid  # noqa: E402


def a_curve(name, shift=0.0, index="jaccard", n_k=20):
    k = np.arange(1, n_k + 1)
    rng = np.random.default_rng(0)
    values = 0.2 + shift + 0.02 * k + rng.normal(0, 0.02, (10, n_k))
    return StabilityCurve(k, values, index, name, 0, 10)


def test_one_line_per_curve_with_its_mean_and_name():
    curves = [a_curve("MRMR"), a_curve("Fast Ensemble", 0.2)]
    ax = plots.plot_stability(curves)
    assert [line.get_label() for line in ax.get_lines()] == ["MRMR", "Fast Ensemble"]
    np.testing.assert_array_equal(ax.get_lines()[1].get_ydata(), curves[1].mean)
    assert ax.get_ylabel() == "mean Jaccard index"
    assert len(ax.collections) == 2
    assert plots.plot_stability(curves[0], ax=ax, spread=False) is ax
    assert len(ax.collections) == 2


def test_the_map_shows_every_cell():
    grid = StabilityGrid(
        np.array([2, 5, 20]),
        np.arange(1, 31),
        np.random.default_rng(0).random((3, 30)),
        "jaccard",
        "x",
    )
    ax = plots.plot_stability_grid(grid)
    np.testing.assert_array_equal(ax.images[0].get_array(), grid.values)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["2", "5", "20"]


def test_votes_show_selected_features_first():
    ensemble = SimpleNamespace(votes_=np.array([0.2, 1.0, 0.0, 0.6, 0.6]), selected_=[1, 3])
    ax = plots.plot_votes(ensemble)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x1", "x3", "x4", "x0"]
    assert [bar.get_width() for bar in ax.patches] == [1.0, 0.6, 0.6, 0.2]
    ax = plots.plot_votes(ensemble, n_features=2, names=["a", "b", "c", "d", "e"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "d"]


def with_signal(p=30):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, p)), rng.integers(0, 2, 100)
    X[:, :6] += 1.2 * y[:, None]
    return X, y


def test_votes_over_halves_show_cutoff_and_bound():
    X, y = with_signal()
    ensemble = Ensemble(MRMR(5), 10, kind="halves", n_pairs=5, random_state=0).fit(X, y)
    ax = plots.plot_votes(ensemble)
    assert list(ax.get_lines()[0].get_xdata()) == [0.8, 0.8]
    bound = error_bound(30, 5, 0.75, n_pairs=5)
    assert ax.get_title() == f"cutoff 0.8: at most {bound:.2g} rarely chosen features expected"
    assert "halves" in ax.get_xlabel()
    assert not plots.plot_votes(Ensemble(MRMR(5), 10).fit(X, y)).get_title()


def test_the_gate_shows_sorted_p_values_and_its_line():
    X, y = with_signal()
    fitted = ErrorControlled(MRMR(3), 0.1, pvalues="analytic").fit(X, y)
    ax = plots.plot_gate(fitted, n_features=12)
    lines = {line.get_label(): line for line in ax.get_lines()}
    shown = [lines[name] for name in ("chosen by the search", "passed", "not significant")]
    ranks = np.concatenate([line.get_xdata() for line in shown])
    pvalues = np.concatenate([line.get_ydata() for line in shown])
    assert sorted(ranks) == list(range(1, 13))
    np.testing.assert_array_equal(pvalues[np.argsort(ranks)], np.sort(fitted.pvalues_)[:12])
    assert [len(line.get_xdata()) for line in shown[:2]] == [3, fitted.gate_.sum() - 3]
    slope = lines["line of level 0.1"]
    assert list(slope.get_xdata()) == [0, 3]
    assert slope.get_ydata()[1] == fitted.gate_level_ == pytest.approx(0.1 * 3 / 30)
    by_number = ErrorControlled(MRMR(3), pfer=1, pvalues="analytic").fit(X, y)
    labels = [
        line.get_label() for line in plots.plot_gate(by_number, ax=ax).get_lines()[len(lines) :]
    ]
    assert not any(label.startswith("line") for label in labels)
    rivals = ErrorControlled(MRMR(3), 0.5, method="compete", random_state=0).fit(X, y)
    with pytest.raises(ValueError, match='method="compete" has no gate to plot'):
        plots.plot_gate(rivals)


def test_bounds_fall_with_the_cutoff_and_with_the_assumption():
    ax = plots.plot_error_bound(200, 10, n_pairs=10, cutoff=0.75)
    none, unimodal, concave = ax.get_lines()[:3]
    assert none.get_xdata()[[0, -1]].tolist() == [0.55, 1.0]
    assert none.get_ydata()[4] == error_bound(200, 10, 0.75, n_pairs=10) == 1
    assert none.get_label() == "no assumption: 1"
    assert (np.array(concave.get_ydata()) <= np.array(unimodal.get_ydata())).all()
    bounds = [error_bound(200, 10, c, n_pairs=10, assumption="r-concave") for c in none.get_xdata()]
    np.testing.assert_array_equal(concave.get_ydata(), bounds)
    assert plots.plot_error_bound(20, 2, n_pairs=2, ax=ax) is ax
    with pytest.raises(ValueError, match=r"q must be .* at most 20, got 21"):
        plots.plot_error_bound(20, 21)


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"thresher\[plots\]"):
        plots.plot_stability(a_curve("MRMR"))


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="at least one curve"):
        plots.plot_stability([])


def a_search():
    trace = {
        "cycle": np.arange(4),
        "best": np.array([0.7, 0.8, 0.8, 0.9]),
        "mean": np.array([-np.inf, 0.6, 0.7, 0.75]),
        "n_features": np.array([2, 3, 3, 1]),
    }
    search = GBC()
    search.trace_, search.stopped_by_ = trace, "max_cycles"
    search.sets_ = [np.array(s) for s in ([4], [1, 2, 3], [1, 2], [4, 5], [6])]
    search.set_scores_ = np.array([0.9, 0.95, 0.9, 0.85, 0.5])
    search.selected_ = np.array([1, 2, 3])
    return search


def test_the_fitness_of_a_search_shows_best_and_mean_and_changes_of_size():
    ax = plots.plot_fitness(a_search())
    best, mean = ax.get_lines()
    assert best.get_ydata().tolist() == [0.7, 0.8, 0.8, 0.9]
    assert np.isnan(mean.get_ydata()[0])
    assert [text.get_text() for text in ax.texts] == ["2", "3", "1"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["best", "mean"]
    with pytest.raises(ValueError, match="MRMR has no best and mean score per cycle"):
        plots.plot_fitness(MRMR(1).fit(np.eye(4), [0, 1, 0, 1]))


def test_counts_have_integer_ticks():
    search = a_search()
    search.trace_ = {name: values[:2] for name, values in search.trace_.items()}
    for ax in (plots.plot_fitness(search), plots.plot_front(a_search())):
        ax.figure.canvas.draw()
        ticks = ax.get_xticks()
        assert len(ticks) > 1
        np.testing.assert_array_equal(ticks, np.round(ticks))


def test_the_front_has_the_best_sets_that_no_smaller_one_equals():
    ax = plots.plot_front(a_search())
    front = ax.get_lines()[1]
    assert front.get_xdata().tolist() == [1, 3]
    assert front.get_ydata().tolist() == [0.9, 0.95]
    assert ax.collections[-1].get_offsets().tolist() == [[3, 0.95]]
    with pytest.raises(ValueError, match="MRMR has no scored sets to plot"):
        plots.plot_front(MRMR(1).fit(np.eye(4), [0, 1, 0, 1]))
