"""Statements of the documentation about all selectors, and the targets of its links."""

from __future__ import annotations

import inspect
import re
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import thresher
from tests.selectors import quick
from thresher import Ensemble
from thresher._registry import CODES, NUMBERS, PUBLIC, SELECTORS
from thresher.cli._options import METHODS, describe_methods
from thresher.selectors._base import BaseSelector

DOCS = Path(__file__).resolve().parents[1] / "docs"
if not DOCS.exists():
    pytest.skip("the source tree is not here", allow_module_level=True)
sys.path.insert(0, str(DOCS))
import api_tasks  # noqa: E402
import decision_figure  # noqa: E402
import selectors_table  # noqa: E402

FACTS = {METHODS[facts["method"]]: facts for facts in describe_methods()}


def data():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    return X, y


def build(name, **parameters):
    known = inspect.signature(getattr(thresher, name)).parameters
    if "n_features_to_select" in known:
        parameters.setdefault("n_features_to_select", 3)
    if "random_state" in known:
        parameters["random_state"] = 0
    return quick(name, **parameters)


def works(selector, X, *y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            selector.fit(X, *y)
        except (ValueError, TypeError):
            return False
    return True


@pytest.mark.parametrize("name", FACTS)
def test_the_table_shows_which_selectors_take_sparse_data(name):
    X, y = data()
    assert works(build(name), sparse.csr_matrix(X), y) == FACTS[name]["sparse"]


@pytest.mark.parametrize("name", FACTS)
def test_the_table_lists_the_treatments_of_missing_values(name):
    X, y = data()
    X[::7, 2] = np.nan
    offered = FACTS[name]["missing"]
    codes = {"measure": "mi", "pvalues": "analytic"} if name == "Univariate" else {}
    assert not works(build(name), X, y)
    takes = "missing" in inspect.signature(getattr(thresher, name)).parameters
    for option in ("category", "pairwise", "drop_rows", "expected"):
        taken = takes and works(build(name, missing=option, **codes), X, y)
        assert taken == (option in offered), option


@pytest.mark.parametrize("name", FACTS)
def test_the_table_lists_the_kinds_of_targets(name):
    X, _ = data()
    numbers = X @ np.arange(1.0, 7.0) + np.linspace(0, 0.5, 60)
    target = FACTS[name]["target"]
    assert works(build(name), X) == (target == "none")
    if target != "none":
        estimator = {"estimator": _ridge()} if name in {"GBC", "MRMRGA"} else {}
        assert works(build(name, **estimator), X, numbers) == (target == "classes, numbers")


def _ridge():
    from sklearn.linear_model import Ridge

    return Ridge()


@pytest.mark.parametrize("name", FACTS)
def test_the_table_lists_the_kinds_of_features(name):
    rng = np.random.default_rng(0)
    numbers = pd.DataFrame(rng.standard_normal((80, 6)), columns=list("abcdef"))
    y = (numbers["a"] + numbers["b"] > 0).to_numpy().astype(int)
    selector = build(name)
    assert works(selector, numbers, y)
    bins = getattr(selector, "bins_", None)
    kind = SELECTORS[name].data
    assert (bins is not None and bins.is_binned.any()) == (kind == CODES)
    mixed = numbers.assign(g=np.where(rng.random(80) < 0.5, "u", "v"))
    assert works(build(name), mixed, y) == (kind != NUMBERS)


@pytest.mark.parametrize("name", FACTS)
def test_the_table_shows_which_selectors_stop_by_themselves(name):
    X, y = data()
    row = next(row for row in selectors_table.rows() if f".{name}`" in row["selector"])
    if "n_features_to_select" not in inspect.signature(getattr(thresher, name)).parameters:
        assert row["automatic k"] == "yes"
        return
    stops = works(build(name, n_features_to_select="auto"), X, y)
    assert stops == (row["automatic k"] != "no")


@pytest.mark.parametrize("name", FACTS)
def test_the_table_shows_which_ensembles_share_a_pass(name):
    X, y = data()
    fast = works(Ensemble(build(name), 3, kind="fast"), X, y)
    assert fast == (FACTS[name]["ensemble"] == "one pass")
    assert works(Ensemble(build(name), 3, kind="full"), X, y)


def test_every_selector_has_a_row_and_a_cost():
    public = {name: getattr(thresher, name) for name in PUBLIC}
    classes = {n for n, c in public.items() if inspect.isclass(c) and issubclass(c, BaseSelector)}
    assert set(SELECTORS) == classes
    assert set(FACTS) | {"Chain", "Ensemble", "ErrorControlled"} == classes
    assert all(SELECTORS[name].cost and SELECTORS[name].advice for name in FACTS)


def test_the_reference_has_every_public_name_once():
    listed = [
        (module, name)
        for modules in api_tasks.task_names().values()
        for module, names in modules.items()
        for name in names
    ]
    assert len(set(listed)) == len(listed)
    names = {name for _, name in listed}
    assert set(PUBLIC) <= names
    for module in ("evaluate", "plots", "datasets", "pp", "report"):
        assert set(api_tasks.module_names(f"thresher.{module}")) <= names


def test_the_decision_figure_names_things_that_exist():
    names = ", ".join([step[2] for step in decision_figure.STEPS] + [decision_figure.LAST[0]])
    for name in re.findall(r"[A-Z]\w+", names):
        assert hasattr(thresher, name), name


@pytest.mark.parametrize("page", ["coming_from.md", "mrmr.md", "leakage.md", "methods.md"])
def test_selectors_named_with_parameters_can_be_fitted(page):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (60, 24)).astype(float)
    y = (X[:, 0] + X[:, 1] > 2).astype(int)
    names = {name: getattr(thresher, name) for name in PUBLIC}
    names |= {"β": 0.5}
    code = re.findall(r"`([A-Z]\w+\([^`]*\))`", (DOCS / page).read_text(encoding="utf-8"))
    ours = [call for call in code if call.partition("(")[0] in names and "..." not in call]
    assert ours
    for call in ours:
        assert works(eval(call, names), X, y), call


def test_links_within_the_pages_lead_somewhere():
    built = {DOCS / "gallery" / "index.rst"}
    examples = DOCS.parent / "examples" / "gallery"
    for page in [*DOCS.glob("*.md"), DOCS.parent / "README.md"]:
        text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]*)?\)", text):
            if "://" in link:
                continue
            target = (page.parent / link).resolve()
            if "gallery" in target.parts:
                example = re.search(r"plot_\w+?(?=_\d{3}\.png$|\.rst$)", target.name)
                assert target in built or (examples / f"{example[0]}.py").exists(), (
                    page.name,
                    link,
                )
            else:
                assert target.exists(), (page.name, link)
