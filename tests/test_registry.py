"""One entry per selector and per measure; all lists of them are made from the entries."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from thresher._registry import RANKING, SELECTORS, Entry, by_name
from thresher.measures import DISPERSIONS, KINDS, SEPARATIONS, SIMILARITIES
from thresher.measures._names import MeasureKind
from thresher.measures._names import by_name as measures_by_name

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", ["MRMR", "Mrmr"])
def test_two_selectors_of_one_name_are_refused(name):
    with pytest.raises(ValueError, match=f"two selectors are named '{name}'"):
        by_name([*SELECTORS.values(), Entry(name, "selectors.own", RANKING)])


@pytest.mark.parametrize("name", ["su", "iqr", "mici", "fisher"])
def test_two_measures_of_one_name_are_refused(name):
    own = MeasureKind(name, "information quality ratio", is_discrete=True)
    with pytest.raises(ValueError, match=f"two measures are named '{name}'"):
        measures_by_name([*KINDS.values(), own], (*DISPERSIONS, *SEPARATIONS, *SIMILARITIES))


def test_information_needs_what_a_value_stands_for():
    with pytest.raises(ValueError, match="go together"):
        MeasureKind("iq", "information quality ratio", is_discrete=True, law="information")


def test_written_lists_are_those_of_the_registries():
    script = ROOT / "tools" / "write_lists.py"
    if not script.exists():
        pytest.skip("the source tree is not here")
    for path, text in runpy.run_path(str(script))["texts"]().items():
        assert path.read_text(encoding="utf-8") == text, f"run `make format`, which writes {path}"
