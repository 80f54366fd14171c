"""Saved selectors: what is restored, and what a hostile text cannot do."""

from __future__ import annotations

import contextlib
import copy
import json
import random
import tracemalloc
import warnings

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.datasets import load_iris

import thresher
from tests.examples import some
from thresher import (
    FCBF,
    GBC,
    JMI,
    LCC,
    MRMR,
    RRFS,
    S3F,
    Chain,
    Ensemble,
    ErrorControlled,
    LaplacianScore,
    LassoPath,
    Univariate,
)
from thresher.selectors._base import BaseSelector

X, Y = load_iris(return_X_y=True, as_frame=True)
SELECTORS = [
    MRMR(2),
    JMI(2),
    FCBF(),
    LCC(),
    RRFS(2),
    S3F(),
    Univariate("auto"),
    LassoPath(2),
    GBC(population=2, max_cycles=1, random_state=0),
    Ensemble(MRMR(2), 3),
    Chain([Univariate(3), MRMR(2)]),
    ErrorControlled(MRMR(2), 0.9, pvalues="analytic"),
    ErrorControlled(FCBF(), 0.9, method="compete", random_state=0),
    Ensemble(MRMR(2), kind="halves", n_pairs=4, cutoff=0.6, random_state=0),
    Ensemble(ErrorControlled(MRMR(2), 0.9, pvalues="analytic"), 3, kind="full"),
    LaplacianScore(2),
]


@pytest.fixture(scope="module")
def texts():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [clone(selector).fit(X, Y).to_json() for selector in SELECTORS]


def use(selector):
    """Return everything that a user may request from a loaded selector."""
    selector.get_support(indices=True)
    selector.get_feature_names_out()
    for feature in range(selector.n_features_in_):
        selector.reason(feature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # X has no names here
        selector.transform(X.to_numpy())
    selector.inverse_transform(np.zeros((1, selector.support_.sum())))
    selector.table()
    selector._selected_at(1)
    selector._repr_html_()
    repr(selector)
    type(selector).from_json(selector.to_json())


def test_the_version_that_wrote_it_is_in_the_text(texts):
    for text in texts:
        assert json.loads(text)["version"] == thresher.__version__
    other = json.loads(texts[0])
    other["thresher"], other["version"] = 4, "9.9.9"
    with pytest.raises(ValueError, match=r"format 4, written by thresher '9\.9\.9'"):
        MRMR.from_json(json.dumps(other))


def paths_in(document, path=()):
    """Yield the path of every value in a document."""
    yield path
    items = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from paths_in(value, (*path, key))
        else:
            yield (*path, key)


HOSTILE = [
    None,
    True,
    -1,
    10**9,
    10**30,
    0.5,
    "",
    "fit",
    [],
    [[]],
    {},
    {"float": "1e999"},
    {"array": [1, 2], "dtype": "<i8", "shape": [2]},
    {"array": [99], "dtype": "<i8", "shape": [1]},
    {"array": [], "dtype": "<f8", "shape": [0, 10**15]},
    {"array": ["x"], "dtype": "<U1000000000", "shape": [1]},
    {"array": [0], "dtype": "V1000000000", "shape": [1]},
    {"object": "MRMR", "parameters": {"dict": []}, "state": {"dict": []}},
    {"record": "Nearest", "state": {"dict": []}},
]


def at(document, path):
    for key in path:
        document = document[key]
    return document


def planted(document, path, value):
    changed = copy.deepcopy(document)
    if not path:
        return value
    at(changed, path[:-1])[path[-1]] = value
    return changed


def test_any_value_replaced_by_another_is_rejected_or_harmless(texts):
    draw = random.Random(0)
    n_refused = 0
    for text in texts:
        document = json.loads(text)
        paths = list(paths_in(document))
        for _ in range(70):
            path = draw.choice(paths)
            changed = json.dumps(planted(document, path, draw.choice(HOSTILE)))
            try:
                loaded = BaseSelector.from_json(changed)
            except ValueError as error:
                assert str(error).startswith("the text ")  # noqa: PT017
                n_refused += 1
            else:
                use(loaded)
    assert n_refused > 500


def fields(document):
    """Yield the path of every parameter and fitted attribute, with those of selectors inside."""
    for path in paths_in(document):
        if len(path) > 2 and path[-2] == "dict" and path[-3] in ("parameters", "state"):
            yield path


@pytest.mark.parametrize("number", some(range(len(SELECTORS))))
def test_any_field_left_out_or_replaced_is_rejected_or_harmless(number, texts):
    document, draw = json.loads(texts[number]), random.Random(number)
    for path in fields(document):
        name = at(document, path)[0]
        changes = [planted(document, path, [name, value]) for value in draw.sample(HOSTILE, 2)]
        without = copy.deepcopy(document)
        del at(without, path[:-1])[path[-1]]
        for changed in [without, *changes]:
            try:
                loaded = BaseSelector.from_json(json.dumps(changed))
            except ValueError as error:
                assert str(error).startswith("the text ")  # noqa: PT017
            else:
                use(loaded)


@pytest.mark.parametrize("hostile", [v for v in HOSTILE if v is not True], ids=repr)
@pytest.mark.parametrize(
    "attribute",
    ["selected_", "support_", "ranking_", "n_features_in_", "_explanation", "_kept", "relevance_"],
)
def test_the_source_of_every_method_is_checked(attribute, hostile, texts):
    document = json.loads(texts[0])
    state = document["selector"]["state"]["dict"]
    index = next(i for i, (key, _) in enumerate(state) if key == attribute)
    state[index][1] = hostile
    try:
        loaded = MRMR.from_json(json.dumps(document))
    except ValueError:
        return
    # The two features that were chosen, or an order of them, are all that passes here.
    assert attribute in ("selected_", "_kept")
    use(loaded)


@pytest.mark.parametrize(
    "key", ["fit", "transform", "reason", "__class__", "_account", "_steps", "n_jobs", "a b", 5]
)
def test_a_text_cannot_hide_methods_or_add_parameters(key, texts):
    for text in (texts[0], texts[-1]):
        document = json.loads(text)
        document["selector"]["state"]["dict"].append([key, 1])
        loaded = None
        try:
            loaded = BaseSelector.from_json(json.dumps(document))
        except ValueError:
            continue
        assert key == "_steps"
        use(loaded)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"thresher": 3, "selector": ' + "[" * 900 + "]" * 900 + "}",
        '{"thresher": 3, "selector": ' + '{"tuple": [' * 400 + "]}" * 400 + "}",
        '{"thresher": 3}',
        '{"thresher": 3, "selector": {"object": ["MRMR"]}}',
        '{"thresher": 3, "selector": {"object": "ThresherWarning"}}',
        '{"thresher": 3, "selector": {"object": "MRMR", "parameters": {"dict": [["n", 1]]}, "state": {"dict": []}}}',
        '{"thresher": 3, "selector": {"record": "os"}}',
        '{"thresher": NaN}',
        "1" * 10_000,
        "",
        "\ud800",
    ],
)
def test_depth_sizes_and_nonsense_give_one_value_error(text):
    with pytest.raises(ValueError, match="the text "):
        MRMR.from_json(text)


def test_an_object_in_a_text_column_is_rejected():
    for nothing in (None, 5, [], object()):
        with pytest.raises(ValueError, match="not a selection"):
            MRMR.from_json(nothing)


def test_a_short_text_allocates_little(texts):
    document = json.loads(texts[0])
    claims = [
        {"array": ["x"], "dtype": "<U1000000000", "shape": [1]},
        {"array": [], "dtype": "<f8", "shape": [0, 10**15]},
        {"array": [1], "dtype": "<f8", "shape": [10**12]},
        10**12,
    ]
    keys = [key for key, _ in document["selector"]["state"]["dict"]]
    tracemalloc.start()
    for claim in claims:
        for index in range(len(keys)):
            changed = copy.deepcopy(document)
            changed["selector"]["state"]["dict"][index][1] = claim
            with contextlib.suppress(ValueError):
                MRMR.from_json(json.dumps(changed))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6


def test_names_of_any_kind_survive(texts):
    strange = X.set_axis(["a\nb", "ü" * 300, "\u202e", "x"], axis=1)
    fitted = MRMR(2).fit(strange, Y)
    again = MRMR.from_json(fitted.to_json())
    assert again.get_feature_names_out().tolist() == fitted.get_feature_names_out().tolist()
    assert [again.reason(f) for f in range(4)] == [fitted.reason(f) for f in range(4)]
    np.testing.assert_array_equal(again.scores_, fitted.scores_)


def test_requests_of_metadata_survive():
    X, y = load_iris(return_X_y=True)
    weights = np.arange(len(y)) % 3
    with config_context(enable_metadata_routing=True):
        inner = MRMR(2).set_fit_request(sample_weight=True)
        fitted = Ensemble(inner, 3).fit(X, y, sample_weight=weights)
    again = Ensemble.from_json(fitted.to_json())
    assert again.selector.get_metadata_routing().fit.requests == {"sample_weight": True}
    with config_context(enable_metadata_routing=True):
        refitted = clone(again).fit(X, y, sample_weight=weights)
    np.testing.assert_array_equal(refitted.votes_, fitted.votes_)
    text = fitted.to_json()
    given = '["fit", {"dict": [["sample_weight", true]]}]'
    assert given in text
    for hostile in (
        '["fit", {"dict": [["X", true]]}]',
        '["reason", {"dict": [["a", 1]]}]',
        '["fit", 3]',
    ):
        with pytest.raises(ValueError, match="not a selection written by to_json"):
            Ensemble.from_json(text.replace(given, hostile))
