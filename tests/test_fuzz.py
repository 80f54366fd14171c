"""All estimators on random inputs with faults: a result or one clear error, and results that do not depend on how.

``THRESHER_FUZZ_EXAMPLES`` says how many inputs a test tries; ``make fuzz`` tries new ones for hours.
"""

from __future__ import annotations

import inspect
import os
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import thresher
from thresher import (
    CFS,
    CIFE,
    FCBF,
    GSO,
    JMI,
    LCC,
    MRMR,
    NMIFS,
    RFS,
    RRFS,
    SPEC,
    Chain,
    CMIFilter,
    Ensemble,
    FisherScore,
    GivenBins,
    LaplacianScore,
    ReliefF,
    ThresherWarning,
    Univariate,
)

EXAMPLES = int(os.environ.get("THRESHER_FUZZ_EXAMPLES", "40"))
bounded = settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))

# Estimators that take seconds on a few rows for any input.
SLOW = {"SALCC", "LVF", "QBB", "Focus", "ABB"}
ESTIMATORS = [
    *(
        estimator
        for name, estimator in ((name, getattr(thresher, name)) for name in thresher.__all__)
        if inspect.isclass(estimator)
        and hasattr(estimator, "fit")
        and name not in SLOW | {"Chain", "Ensemble"}
    ),
]


@dataclass
class Case:
    """One input."""

    X: np.ndarray
    y: np.ndarray
    rng: np.random.Generator
    container: str = "array"
    options: dict[str, Any] = field(default_factory=dict)


VALUES = {
    "codes": lambda rng, shape: rng.integers(0, 3, shape).astype(float),
    "many codes": lambda rng, shape: rng.integers(-40, 40, shape).astype(float),
    "numbers": lambda rng, shape: rng.normal(size=shape),
    "tiny": lambda rng, shape: rng.normal(size=shape) * 1e-200,
    "huge": lambda rng, shape: rng.normal(size=shape) * 1e200,
    "largest": lambda rng, shape: rng.choice([-1.7e308, 0.0, 1.7e308], shape),
    "offset": lambda rng, shape: rng.normal(size=shape) + 1e12,
    "sparse": lambda rng, shape: rng.integers(0, 4, shape) * (rng.random(shape) < 0.2) * 1.0,
}
FAULTS = ("none", "none", "NaN", "infinity", "constant", "duplicate", "all NaN", "constant X")
TARGETS = ("two", "three", "strings", "many", "number", "constant", "NaN", "bool")
CONTAINERS = (
    *(
        "C",
        "F",
        "strided",
        "reversed",
        "read-only",
        "big-endian",
        "float32",
        "float16",
        "int8",
        "int64",
        "bool",
    ),
    *(
        "list",
        "object",
        "csr",
        "csc",
        "coo",
        "bsr",
        "dia",
        "csr array",
        "pandas",
        "polars",
        "pyarrow",
        "category",
    ),
)
WEIGHTS = (
    "none",
    "none",
    "whole",
    "zeros",
    "fractions",
    "huge",
    "tiny",
    "negative",
    "NaN",
    "short",
)


@st.composite
def cases(draw, faults=FAULTS, targets=TARGETS, containers=CONTAINERS, weights=WEIGHTS):
    """Draw an input from few small numbers, so that it shrinks well."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 40)), draw(st.integers(1, 9))
    X = VALUES[draw(st.sampled_from(sorted(VALUES)))](rng, shape)
    y = _target(draw(st.sampled_from(targets)), rng, shape[0])
    _spoil(X, draw(st.sampled_from(faults)), rng)
    case = Case(X, y, rng, draw(st.sampled_from(containers)))
    weight = _weights(draw(st.sampled_from(weights)), rng, shape[0])
    if weight is not None:
        case.options["sample_weight"] = weight
    return case


def _spoil(X, fault, rng):
    row, column = rng.integers(0, X.shape[0]), rng.integers(0, X.shape[1])
    if fault == "NaN":
        X[row, column] = np.nan
    elif fault == "infinity":
        X[row, column] = rng.choice([np.inf, -np.inf])
    elif fault == "constant":
        X[:, column] = X[row, column]
    elif fault == "duplicate":
        X[:, column] = X[:, 0]
    elif fault == "all NaN":
        X[:, column] = np.nan
    elif fault == "constant X":
        X[:] = 3.0


def _target(kind, rng, n):
    if kind in ("two", "three", "bool", "strings"):
        codes = rng.integers(0, 3 if kind == "three" else 2, n)
        if kind == "bool":
            return codes.astype(bool)
        return np.array(["no", "yes"])[codes] if kind == "strings" else codes
    if kind == "many":
        return np.arange(n)
    y = rng.normal(size=n) if kind != "constant" else np.ones(n)
    if kind == "NaN":
        y[0] = np.nan
    return y


def _weights(kind, rng, n):
    whole = rng.integers(1, 4, n)
    return {
        "none": None,
        "whole": whole,
        "zeros": whole - 1,
        "fractions": whole / 3,
        "huge": whole * 2.0**62,
        "tiny": whole * 1e-300,
        "negative": -whole,
        "NaN": np.full(n, np.nan),
        "short": whole[1:],
    }[kind]


def contained(X, container):
    """Return X in a container that a user might pass."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if container in ("float32", "float16", "int8", "int64", "bool", "object"):
            return X.astype(container)
        if container == "big-endian":
            return X.astype(">f8")
    if container in ("pandas", "category"):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
        return frame.astype({"c0": "category"}) if container == "category" else frame
    if container in ("polars", "pyarrow"):
        library = pytest.importorskip(container)
        columns = {f"c{i}": X[:, i] for i in range(X.shape[1])}
        return library.DataFrame(columns) if container == "polars" else library.table(columns)
    if container in ("csr", "csc", "coo", "bsr", "dia"):
        return sparse.coo_matrix(X).asformat(container)
    copied = np.ascontiguousarray(X)
    copied.flags.writeable = container != "read-only"
    return {
        "F": np.asfortranarray(X),
        "strided": np.repeat(X, 2, axis=0)[::2],
        "reversed": np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
        "list": X.tolist(),
        "csr array": sparse.csr_array(X),
    }.get(container, copied)


def attempt(estimator, X, y, **options):
    """Return the selection and scores of a fit, or its error in one line; anything else is a failure."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            fitted = clone(estimator).fit(X, y, **options)
        except (ValueError, TypeError) as error:
            return str(error)
    others = [
        str(warning.message)
        for warning in caught
        if warning.category not in (ThresherWarning, ConvergenceWarning)
        and not str(warning.message).startswith("The number of unique classes")  # scikit-learn's
    ]
    assert not others
    if not hasattr(fitted, "selected_"):
        return fitted.cuts_ if hasattr(fitted, "cuts_") else fitted
    return fitted.selected_.tolist(), fitted.scores_.tobytes(), fitted.n_evaluations_


def takes_weights(estimator):
    return "sample_weight" in inspect.signature(estimator.fit).parameters


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda kind: kind.__name__)
@settings(parent=bounded, max_examples=max(EXAMPLES // 4, 1))
@given(
    case=cases(),
    n_features=st.sampled_from([None, 1, 3, 100, 0, -1, 0.5, "two"]),
    keep=st.integers(-2, 2),
)
def test_every_outcome_is_a_result_or_a_one_line_error(estimator, case, n_features, keep):
    made = estimator([[0.0, 1.5]] * case.X.shape[1]) if estimator is GivenBins else estimator()
    parameters = made.get_params(deep=False)
    if n_features is not None and "n_features_to_select" in parameters:
        made.set_params(n_features_to_select=n_features)
    if keep > 0 and "keep" in parameters:
        made.set_params(keep=[keep, 0], exclude=[1])
    if keep < 0 and "missing" in parameters:
        made.set_params(missing="category" if keep == -1 else "pairwise")
    options = case.options if takes_weights(made) else {}
    found = attempt(made, contained(case.X, case.container), case.y, **options)
    if isinstance(found, str):
        assert found
        assert "\n\n" not in found


SUMS = [
    MRMR(4),
    MRMR(4, relevance="mi", redundancy="mi"),
    MRMR(4, relevance="mi", redundancy="su", discretize="equal-frequency"),
    CFS(),
    FCBF(),
    JMI(4),
    CIFE(4),
    NMIFS(4),
    CMIFilter(),
    GSO(4),
]
OTHERS = [
    Univariate(4, measure="chi2"),
    FisherScore(),
    RFS(4),
    RRFS(4, similarity="mici"),
    ReliefF(n_neighbors=2),
    LaplacianScore(),
    SPEC(),
    LCC(),
    Chain([RFS(0.9), MRMR(2)]),
]
sound = {
    "faults": ("none", "constant", "duplicate"),
    "targets": ("two", "three"),
    "containers": ("C",),
}


@pytest.mark.slow
@bounded
@given(case=cases(**sound, weights=("none",)), selector=st.sampled_from(SUMS + OTHERS))
def test_threads_and_layout_do_not_show(case, selector):
    found = attempt(selector, case.X, case.y)
    for container in ("F", "strided", "reversed", "read-only", "list"):
        assert attempt(selector, contained(case.X, container), case.y) == found
    if "n_jobs" in selector.get_params(deep=False):
        assert attempt(clone(selector).set_params(n_jobs=3), case.X, case.y) == found


@pytest.mark.slow
@bounded
@given(case=cases(**sound), selector=st.sampled_from(SUMS[:4]))
def test_strategies_give_the_same_result(case, selector):
    names = ("lazy", "cached", "naive") if isinstance(selector, CFS) else ("lazy", "scan", "naive")
    found = [
        attempt(clone(selector).set_params(strategy=name), case.X, case.y, **case.options)
        for name in names
    ]
    assert found[0][:2] == found[1][:2] == found[2][:2]


@pytest.mark.slow
@bounded
@given(case=cases(**sound, weights=("none",)), selector=st.sampled_from(SUMS))
def test_a_fast_ensemble_is_a_full_one(case, selector):
    fast, full = (
        attempt(Ensemble(selector, 3, kind=kind), case.X, case.y) for kind in ("fast", "full")
    )
    assert fast[:2] == full[:2]


@pytest.mark.slow
@bounded
@given(case=cases(**sound, weights=("whole", "zeros")), selector=st.sampled_from(SUMS[1:8]))
def test_weights_are_repeats(case, selector):
    rows = np.repeat(np.arange(len(case.y)), case.options["sample_weight"])
    if len(rows) == 0:
        return
    weighted = attempt(selector, case.X, case.y, **case.options)
    repeated = attempt(selector, case.X[rows], case.y[rows])
    assert isinstance(weighted, str) == isinstance(repeated, str)
    if not isinstance(weighted, str):
        assert weighted[:2] == repeated[:2]


def results_of_hostile_inputs(n):
    """Return what the selectors give on n inputs."""
    found = []
    for seed in range(n):
        rng = np.random.default_rng(seed)
        shape = int(rng.integers(5, 90)), int(rng.integers(2, 40))
        X = VALUES[sorted(VALUES)[seed % len(VALUES)]](rng, shape)
        y = rng.integers(0, 2, shape[0])
        found.append(attempt((SUMS + OTHERS)[seed % len(SUMS + OTHERS)], X, y))
    return found
