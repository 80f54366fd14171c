"""Try a selector on arrays, frames, sparse data, files, blocks and pieces, in ensembles, in commands and as JSON.

`python -m tests.interfaces "CLASS [PARAMETER=VALUE ...]" ...` does so in a separate process, for a package that was
changed. `TOY:nmi` before the classes: the core takes the name TOY for "nmi".
"""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import clone

import thresher
from tests.blocks_of_rows import in_blocks
from tests.selectors import made_of_sums, quick, reads_blocks
from thresher import Ensemble, ErrorControlled, GivenBins
from thresher.measures import DISPERSIONS, KINDS

SIZES = {"fast": 4, "inner": 4, "full": 3, "bagging": 3}


def data() -> tuple[pd.DataFrame, Any]:
    """Return the features of three levels, the last one constant once it is binned by `cuts`, and two classes."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (120, 6)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.integers(0, 2, 120) > 2).astype(int)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["f"] = rng.integers(5, 8, 120).astype(float)
    return frame, y


def try_every_interface(selector: Any) -> None:
    """Fit the selector in every way; the selection has to be the same wherever the rows are."""
    X, y = data()
    uses = {getattr(selector, name, None) for name in ("relevance", "redundancy", "measure")}
    is_sum = not uses & {*DISPERSIONS, *(n for n, kind in KINDS.items() if not kind.is_sum)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _the_same_wherever_the_rows_are(selector, X, y, is_sum)
        _only_what_may_be_selected(selector, X, y)
        _ensembles(selector, X, y, is_sum)
        _error_control(selector, X, y)
        _texts(selector, X, y)
        _commands(type(selector).__name__.lower(), X, y)


def _the_same_wherever_the_rows_are(selector: Any, X: pd.DataFrame, y: Any, is_sum: bool) -> None:
    array = clone(selector).fit(X.to_numpy(), y)
    found = {"frame": clone(selector).fit(X, y)}
    if selector._takes_sparse and is_sum:
        found["sparse"] = clone(selector).fit(sparse.csr_matrix(X.to_numpy()), y)
    with tempfile.TemporaryDirectory() as folder:
        table = X.assign(label=y)
        table.to_parquet(Path(folder) / "rows.parquet")
        table.to_csv(Path(folder) / "rows.csv", index=False)
        for name in ("rows.parquet", "rows.csv"):
            found[name] = clone(selector).fit(str(Path(folder) / name), "label")
    if reads_blocks(selector) and is_sum:
        found["blocks"] = clone(selector).fit(in_blocks(X, y, ends=(50, 50, 51)))
        pieces = clone(selector)
        if hasattr(selector, "discretize"):
            cuts = GivenBins([[0.5, 1.5]] * 5 + [[5.5, 6.5]])
            pieces.set_params(discretize=cuts)
            array = clone(pieces).fit(X.to_numpy(), y)
            found = {"blocks": clone(pieces).fit(in_blocks(X, y, ends=(50, 50, 51)))}
        pieces.partial_fit(X[:70], y[:70]).partial_fit(X[60:], y[60:]).forget(X[60:70], y[60:70])
        found["pieces"] = pieces
    for door, other in found.items():
        assert other.selected_.tolist() == array.selected_.tolist(), door
        np.testing.assert_array_equal(other.relevance_, array.relevance_, err_msg=door)


def _only_what_may_be_selected(selector: Any, X: pd.DataFrame, y: Any) -> None:
    if "discretize" in selector.get_params() and _on_codes(selector):
        few = GivenBins([[0.5, 1.5]] * 5 + [[100.0]])  # the last column is constant in these bins
        binned = clone(selector).set_params(discretize=few).fit(X + 0.25, y)
        assert 5 not in binned.selected_
    assert X.columns[5] not in clone(selector).fit(X.assign(f=1.0), y).get_feature_names_out()
    if "keep" in selector.get_params():
        kept = clone(selector).set_params(keep=["e"], exclude=["a"]).fit(X, y)
        assert 4 in kept.selected_
        assert 0 not in kept.selected_


def _on_codes(selector: Any) -> bool:
    return made_of_sums(selector) and selector.uses_codes()


def _ensembles(selector: Any, X: pd.DataFrame, y: Any, is_sum: bool) -> None:
    lists = {}
    for kind, n_parts in SIZES.items():
        if kind in ("full", "bagging") or (made_of_sums(selector) and is_sum):
            ensemble = Ensemble(clone(selector), n_parts, kind=kind, random_state=0).fit(X, y)
            assert len(ensemble.selected_), kind
            lists[kind] = ensemble
    if "fast" in lists:
        full = Ensemble(clone(selector), SIZES["fast"], kind="full").fit(X, y)
        pairs = zip(lists["fast"].parts_, full.parts_, strict=True)
        assert all(one.tolist() == other.tolist() for one, other in pairs)
    if is_sum or not made_of_sums(selector):
        halves = Ensemble(clone(selector), kind="halves", n_pairs=4, cutoff=0.6, random_state=0)
        assert halves.fit(X, y).halves_.shape[0] == 4


def _error_control(selector: Any, X: pd.DataFrame, y: Any) -> None:
    for settings in ({"pvalues": "analytic"}, {"n_permutations": 20, "random_state": 0}):
        controlled = ErrorControlled(clone(selector), 0.5, **settings).fit(X, y)
        assert len(controlled.pvalues_) == X.shape[1]


def _texts(selector: Any, X: pd.DataFrame, y: Any) -> None:
    fitted = clone(selector).fit(X, y)
    again = type(selector).from_json(fitted.to_json())
    for other in (again, pickle.loads(pickle.dumps(fitted))):
        assert other.selected_.tolist() == fitted.selected_.tolist()
        assert [other.reason(f) for f in X] == [fitted.reason(f) for f in X]
    assert all(fitted.reason(f) for f in X)
    assert type(selector).__name__ in repr(fitted)
    assert len(fitted.table("dict")) > 0


def _commands(method: str, X: pd.DataFrame, y: Any) -> None:
    from thresher.cli import main

    def run(*words: str) -> Any:
        out = io.StringIO()
        arguments, sys.argv = sys.argv, ["thresher", *words]
        try:
            with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
                main()
        finally:
            sys.argv = arguments
        return json.loads(out.getvalue())

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.csv")
        X.assign(label=y).to_csv(path, index=False)
        assert run("select", path, "-t", "label", "-m", method, "--json")["selected"]
    assert method in [row["method"] for row in run("methods", "--json")]


def add_name_to_core(name: str, known: str) -> None:
    """Make the core take a new name for a measure that it knows.

    A measure is computed by the core, and a test compiles nothing. So this replaces the lines of C++ that the
    recipe requires; everything else is unchanged.
    """
    from thresher import _core

    def translated(function: Any) -> Any:
        def call(*values: Any, **named: Any) -> Any:
            values = tuple(known if isinstance(v, str) and v == name else v for v in values)
            named = {k: known if isinstance(v, str) and v == name else v for k, v in named.items()}
            return function(*values, **named)

        return call

    def takes_measure(function: Any) -> bool:
        return " measure: str" in getattr(function, "__nb_signature__", [[""]])[0][0]

    for own, member in list(vars(_core).items()):
        if not isinstance(member, type):
            if takes_measure(member):
                setattr(_core, own, translated(member))
            continue
        if takes_measure(member.__init__):
            setattr(_core, own, translated(member))  # no test checks its type
        for method, function in list(vars(member).items()):
            if method != "__init__" and takes_measure(function):
                setattr(member, method, translated(function))


if __name__ == "__main__":
    if ":" in sys.argv[1]:
        add_name_to_core(*sys.argv.pop(1).split(":"))
    for argument in sys.argv[1:]:
        name, *settings = argument.split()
        parameters = dict(setting.split("=") for setting in settings)
        known = getattr(thresher, name)._get_param_names()
        if "n_features_to_select" in known:
            parameters["n_features_to_select"] = 3
        try_every_interface(quick(name, **parameters))
    print("all interfaces")
