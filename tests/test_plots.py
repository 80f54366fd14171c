"""Plots draw what they are given."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from thresher import plots  # noqa: E402
from thresher.evaluate.stability import StabilityCurve, StabilityGrid  # noqa: E402


@pytest.fixture(autouse=True)
def _close():
    yield
    matplotlib.pyplot.close("all")


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


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=r"thresher\[plots\]"):
        plots.plot_stability(a_curve("MRMR"))


def test_nothing_to_draw_is_an_error():
    with pytest.raises(ValueError, match="at least one curve"):
        plots.plot_stability([])
