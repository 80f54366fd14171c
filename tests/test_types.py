"""Type checkers see the real classes, the options of parameters, and mistakes."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator

import thresher
from thresher import CFS, RRFS
from thresher._registry import MODULES, PUBLIC
from thresher._utils import types as _types
from thresher.measures import KINDS, SIMILARITIES, TESTED, measures_of
from thresher.selectors.rfs import RELEVANCES

pytestmark = pytest.mark.xdist_group("types")

SOURCE = Path(thresher.__file__).parents[1]
USER_FILE = """\
import thresher
from typing import Any

from sklearn.feature_selection import SelectKBest  # type: ignore[import-untyped]

from thresher import GSO, JMI, LCC, MRMR, Chain, Ensemble, ErrorControlled, MDLBins, Univariate
from thresher.evaluate.stability import stability_curve

X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], [0, 1, 1, 0]
fitted: MRMR = MRMR(1, relevance="mi", redundancy="auto").fit(X, y)
again: MRMR = MRMR.from_json(fitted.to_json())
sentence: str = again.reason(0)
ensemble: Ensemble = Ensemble(MRMR(1), 2, kind="full", verbose=1).fit(X, y)
around: Ensemble = Ensemble(SelectKBest(k=1), kind="full").fit(X, y)


class Own:
    def fit(self, data: Any, target: Any = None) -> "Own":
        return self

    def get_support(self) -> list[bool]:
        return [True, False]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}


of_own: Ensemble = Ensemble(ErrorControlled(Own()), kind="bagging")
chosen: Univariate = Univariate("auto", correction=None).fit(X, y)
chain: Chain = Chain([chosen, fitted]).fit(X, y)
bins: MDLBins = MDLBins().fit(X, y)
table = fitted.table("polars")
weight: float = fitted.set_params(n_jobs=2).redundancy_weight
columns = fitted.set_output(transform="pandas").fit_transform(X, y), fitted.get_feature_names_out()
numbers = fitted.scores_ + fitted.relevance_ + fitted.redundancy_, fitted.bins_.rule, fitted.objective_
thresher.show_versions()
curve = stability_curve(fitted, X, y, k=[1]).table("dict")
"""
MISTAKES = [
    'MRMR(n_features="x")',
    'MRMR("x")',
    'MRMR(5, "mi")',
    'MRMR(redundancy="f")',
    'JMI(strategy="scan")',
    "GSO(discretize=None)",
    'LCC(delta_mode="rel")',
    "Chain()",
    "MDLBins(n_bins=3)",
    "LCC().fitt(X, y)",
    "MRMR().fitt()",
    "Ensemble().fitt()",
    'MRMR(relevance="pearsen")',
    'MRMR(missing="drop")',
    'MRMR(strategy="fast")',
    "MRMR().fit()",
    'MRMR().table("panda")',
    'Ensemble(kind="fats")',
    'Ensemble("mrmr")',
    "ErrorControlled(5)",
    'Univariate("autom")',
    "thresher.NoSuch",
    "thresher.MRMR.from_json(5)",
    "from thresher import NoSuch",
]


ESTIMATORS = [
    getattr(thresher, name)
    for name in PUBLIC
    if inspect.isclass(getattr(thresher, name))
    and issubclass(getattr(thresher, name), BaseEstimator)
]


def documented_attributes(estimator) -> list[str]:
    """Return the fitted attributes that the docstring names."""
    section = re.search(r"^Attributes\n-+\n(.*?)(\n\n|\Z)", inspect.getdoc(estimator), re.M | re.S)
    lines = re.findall(r"^(\w.*?) :", section[1], re.M) if section else []
    return [name.strip() for line in lines for name in line.split(",")]


def uses_of(estimator) -> str:
    """Return an expression with every public attribute and method."""
    methods = [
        name for name in dir(estimator) if name[0] != "_" and callable(getattr(estimator, name))
    ]
    made = f"thresher.{estimator.__name__}({'[]' if estimator is thresher.Chain else ''})"
    return ", ".join(f"{made}.{name}" for name in (*documented_attributes(estimator), *methods))


USER_FILE += "".join(f"all_of_{e.__name__}: list[Any] = [{uses_of(e)}]\n" for e in ESTIMATORS)


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """Return the errors of mypy in a user's file, by line."""
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("user")
    text = USER_FILE + "\n".join(MISTAKES) + "\n"
    (folder / "user.py").write_text(text)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    options = ["--no-error-summary", "--config-file=", f"--cache-dir={folder / 'cache'}", "user.py"]
    run = subprocess.run(
        [*command, *options],
        cwd=folder,
        env={**os.environ, **({} if SOURCE.name == "site-packages" else {"MYPYPATH": str(SOURCE)})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not run.stderr, run.stderr
    found: dict[int, str] = {}
    for line in run.stdout.splitlines():
        parsed = re.match(r"user\.py:(\d+): error: (.*)", line)
        if parsed:
            found.setdefault(int(parsed[1]), parsed[2])
    return found


def test_good_code_is_not_changed(complaints):
    pytest.importorskip("mypy")
    n_good = len(USER_FILE.splitlines())
    assert {line: text for line, text in complaints.items() if line <= n_good} == {}


@pytest.mark.parametrize("number", range(len(MISTAKES)), ids=lambda number: MISTAKES[number])
def test_mistakes_are_seen(number, complaints):
    assert len(USER_FILE.splitlines()) + number + 1 in complaints


def test_type_checkers_see_the_public_names():
    stub = ast.parse(Path(thresher.__file__).with_suffix(".pyi").read_text())
    seen = {
        alias.asname: (node.module, alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    expected = {name: (module, name) for name, module in PUBLIC.items()}
    expected |= {name: ("thresher", name) for name in MODULES}
    assert seen == expected, "run `make format`, which writes src/thresher/__init__.pyi"


def options_of(hint) -> set[str]:
    """Return the words in a type, those of unions together."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return set().union(*(options_of(part) for part in typing.get_args(hint)))


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_words_of_types_are_those_of_the_documentation(estimator):
    hints = typing.get_type_hints(estimator)
    text = inspect.getdoc(estimator)
    for name, braces in re.findall(r"^(\w+(?:, \w+)*) : \{([^}]*)\}", text, re.MULTILINE):
        documented = set(re.findall(r'"([^"]+)"', braces))
        for parameter in name.split(", "):
            if parameter in hints and hints[parameter] is not typing.Any:
                assert documented <= options_of(hints[parameter]), parameter
    for parameter, hint in hints.items():
        assert parameter.endswith("_") or hint is not str, (
            f"{parameter} of {estimator.__name__} takes any text"
        )


def test_types_list_all_measures():
    assert options_of(_types.Measure) == set(KINDS)
    symmetric = {name for name, kind in KINDS.items() if kind.is_symmetric}
    assert options_of(_types.PairMeasureName) == symmetric
    assert options_of(_types.Relevance) == set(RELEVANCES)
    assert options_of(_types.TestedMeasure) == set(TESTED)


@pytest.mark.parametrize(
    ("selector", "parameter", "others"),
    [(CFS, "measure", ()), (RRFS, "similarity", ("auto", *SIMILARITIES))],
)
def test_types_of_selectors_that_take_some_measures_name_these(selector, parameter, others):
    hints = typing.get_type_hints(selector)
    expected = {*measures_of(selector.__name__), *others}
    assert options_of(hints[parameter]) == expected, (
        f"change the type in {inspect.getfile(selector)}"
    )


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda cls: cls.__name__)
def test_fit_returns_the_estimator_itself(estimator):
    assert inspect.signature(estimator.fit).return_annotation == "Self"
