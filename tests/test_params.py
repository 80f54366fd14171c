"""Parameters are declared once: the constructor, the types and the checks come from the declaration."""

from __future__ import annotations

import inspect
import pickle
from typing import Any, Literal

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from thresher import CFS, GBC, JMI, LCC, MRMR, SVMRFE, Ensemble
from thresher._utils.params import (
    Boolean,
    FeatureCount,
    Interval,
    NoneOr,
    Options,
    ThreadCount,
    estimator,
    options_of,
    param,
    validate_params,
)
from thresher._utils.types import Auto
from thresher.measures import MeasureName

X = np.random.default_rng(0).normal(size=(40, 5))
Y = (X[:, 0] + X[:, 1] > 0).astype(int)


@estimator
class Base(BaseEstimator):
    n_jobs: int | None = param(ThreadCount(), default=None)


@estimator
class Example(Base):
    count: int | float = param(FeatureCount(), default=10, kw_only=False)
    way: Literal["up", "down"] = param(default="up")
    rule: Auto | Literal["first", "last"] | None = param(default=None)
    share_or_word: float | Auto = param(default="auto")
    share: float = param(Interval(0, 1, open_low=True), default=0.5)
    most: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    fast: bool = param(default=True)
    anything: Any = param(default=None)


class WithOwnConstructor(MRMR):
    """A class that a user may derive."""

    def __init__(self, size=3):
        super().__init__(size, relevance="mi")
        self.size = size


@pytest.mark.parametrize(
    ("constraint", "value", "message"),
    [
        (Options("up", "down"), "Up", "p must be one of 'up', 'down', got 'Up'; did you mean 'up'?"),
        (Interval(0), -1, "p must be a number of at least 0, got -1"),
        (Interval(0, 1, open_low=True), 0, "p must be a number above 0 and of at most 1, got 0"),
        (Interval(2, integer=True), 2.5, "p must be an integer of at least 2, got 2.5"),
        (Boolean(), 1, "p must be True or False, got 1"),
        (FeatureCount(), 0, "n_features_to_select must be at least 1, got 0"),
        (NoneOr(Interval(1)), 0, "p must be a number of at least 1, got 0"),
        (ThreadCount(), 0, "n_jobs must be None or an integer other than 0 (-1: all processors), got 0"),
        (MeasureName(), "pearso", "got 'pearso'; did you mean 'pearson'?"),
        (MeasureName(symmetric=True), "f", "'r2', 'association', got 'f'"),
    ],
)  # fmt: skip
def test_a_value_that_is_not_allowed_is_named_with_the_remedy(constraint, value, message):
    with pytest.raises(ValueError) as raised:
        constraint.check("p", value)
    assert message in str(raised.value)


def test_values_that_are_allowed_pass():
    FeatureCount().check("n", 0.5)
    FeatureCount(auto=True).check("n", "auto")
    NoneOr(Interval(1)).check("p", None)
    MeasureName(symmetric=True).check("p", "auto")
    validate_params(Example(0.3, way="down", share=1, most=5, fast=False, n_jobs=-1))


def test_the_constructor_takes_the_parameters_of_base_classes_too():
    assert str(inspect.signature(Example)).startswith("(count: 'int | float' = 10, *, n_jobs: ")
    made = Example(4, n_jobs=2)
    assert (made.count, made.n_jobs, made.way) == (4, 2, "up")
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments"):
        Example(4, "up")
    with pytest.raises(TypeError, match="unexpected keyword argument 'wax'"):
        Example(wax="up")


def test_equality_and_text_stay_those_of_scikit_learn():
    assert repr(Example(4)) == "Example(count=4)"
    assert Example() != Example()
    assert len({Example(), Example()}) == 2
    for made in (clone(Example(4)), pickle.loads(pickle.dumps(Example(4)))):
        assert made.get_params() == Example(4).get_params()


def test_the_first_parameter_that_is_wrong_is_reported():
    with pytest.raises(ValueError, match="n_jobs must be"):
        validate_params(Example(-1, n_jobs=0))
    with pytest.raises(ValueError, match="way must be one of"):
        validate_params(Example().set_params(way="left"))


def test_the_options_of_a_parameter_can_be_read_from_its_class():
    assert options_of(Example, "way") == ("up", "down")
    assert options_of(JMI(), "strategy") == ("lazy", "naive")


def test_a_derived_class_may_have_another_constructor():
    own = WithOwnConstructor(2).fit(X, Y)
    assert own.relevance_measure_ == "mi"
    assert len(own.selected_) == 2
    assert clone(own).get_params() == {"size": 2}
    with pytest.raises(ValueError, match="n_features_to_select must be at least 1"):
        WithOwnConstructor(0).fit(X, Y)


class Unread:
    """A table that must not be read."""

    def __array__(self, *args, **kwargs):
        raise AssertionError("rows were read")


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (MRMR(relevance="mo"), "relevance must be one of"),
        (MRMR(missing="drop"), "missing must be one of"),
        (MRMR(target="classes"), "target must be one of"),
        (MRMR(n_jobs=0), "n_jobs must be"),
        (CFS(5, search="best-first"), 'n_features_to_select must be "auto"'),
        (SVMRFE(step=1.5), "step must be an integer"),
        (Ensemble(MRMR(0)), "n_features_to_select must be at least 1"),
        (GBC(population=0), "population must be"),
        (LCC(delta=2), "delta must be"),
    ],
    ids=lambda value: repr(value) if isinstance(value, BaseEstimator) else "",
)
def test_parameters_are_checked_before_rows_are_read(selector, message):
    with pytest.raises(ValueError, match=message):
        selector.fit(Unread(), Y)


def test_the_type_of_a_parameter_is_its_check():
    validate_params(Example(rule="last", share_or_word=object()))
    for wrong, message in [
        ({"way": None}, "way must be one of 'up', 'down', got None"),
        ({"rule": "lost"}, "rule must be one of 'auto', 'first', 'last', got 'lost'"),
        ({"fast": 1}, "fast must be True or False, got 1"),
    ]:
        with pytest.raises(ValueError, match=message):
            validate_params(Example(**wrong))


def test_types_that_a_user_writes_are_not_read():
    class Derived(Example):
        way: Unknown = "up"  # noqa: F821

    validate_params(Derived())
    with pytest.raises(ValueError, match="way must be one of"):
        validate_params(Derived(way="left"))
