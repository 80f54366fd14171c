"""One entry per selector and per measure; all lists of them are generated from the entries."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from thresher import MRMR
from thresher._registry import RANKING, SELECTORS, Entry, by_name
from thresher.measures import DISPERSIONS, KINDS, SEPARATIONS, SIMILARITIES
from thresher.measures._names import MeasureKind
from thresher.measures._names import by_name as measures_by_name

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["MRMR", "Mrmr"])
def test_two_selectors_of_one_name_are_rejected(name):
    with pytest.raises(ValueError, match=f"two selectors are named '{name}'"):
        by_name([*SELECTORS.values(), Entry(name, "selectors.own", RANKING)])


@pytest.mark.parametrize("name", ["su", "iqr", "mici", "fisher"])
def test_two_measures_of_one_name_are_rejected(name):
    own = MeasureKind(name, "information quality ratio", is_discrete=True)
    with pytest.raises(ValueError, match=f"two measures are named '{name}'"):
        measures_by_name([*KINDS.values(), own], (*DISPERSIONS, *SEPARATIONS, *SIMILARITIES))


def test_information_needs_a_value_that_means_missing():
    with pytest.raises(ValueError, match="go together"):
        MeasureKind("iq", "information quality ratio", is_discrete=True, law="information")


def test_written_lists_are_those_of_the_registries():
    script = ROOT / "tools" / "write_lists.py"
    if not script.exists():
        pytest.skip("the source tree is not here")
    for path, text in runpy.run_path(str(script))["texts"]().items():
        assert path.read_text(encoding="utf-8") == text, f"run `make format`, which writes {path}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", KINDS)
def test_values_are_those_of_the_entry(name):
    kind = KINDS[name]
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (200, 30)).astype(float)
    y = rng.integers(0, 2, 200)
    X[:, 0], X[:, 1] = y, 1.0  # the target itself, and a constant
    target = "nominal" if kind.is_discrete or kind.by_class else "numeric"
    values = MRMR(2, relevance=name, target=target).fit(X, y).relevance_
    assert (values >= 0).all()
    assert values.max() <= kind.maximum
    if kind.maximum == 1:
        assert values[0] == 1
    assert values[1] == 0 or name == "cosine"  # a constant is a direction, too
    bits = kind.significant_bits
    shift = np.full(len(values), 40) if bits is None else bits - np.frexp(values)[1]
    on_grid = np.ldexp(values, shift)
    np.testing.assert_array_equal(on_grid, np.rint(on_grid))
    if kind.is_symmetric:
        assert MRMR(2, redundancy=name, target=target).fit(X, y).redundancy_measure_ == name
    else:
        with pytest.raises(ValueError, match="redundancy must be one of"):
            MRMR(2, redundancy=name).fit(X, y)
