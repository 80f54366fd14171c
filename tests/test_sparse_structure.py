"""A sparse matrix with entries outside its shape is rejected wherever it enters, before compiled code follows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import thresher
from thresher import (
    MIM,
    RFS,
    Chain,
    Ensemble,
    ErrorControlled,
    FisherScore,
    LaplacianScore,
    evaluate,
)
from thresher.evaluate.stability import stability_curve
from thresher.io.sparse import check_sparse

ROOT = Path(__file__).resolve().parents[1]
FORMS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")


def matrix(form, n=40, p=6, kind="matrix"):
    rng = np.random.default_rng(0)
    X = np.where(rng.random((n, p)) < 0.4, rng.integers(1, 4, (n, p)), 0).astype(float)
    return getattr(sparse, f"{form}_{kind}")(X)


def edited(form, part, change):
    """Return a matrix of this form with one of its arrays changed."""
    X = matrix(form)
    values = getattr(X, part).copy()
    setattr(X, part, change(values))
    return X


def put(index, value):
    def change(values):
        values[index] = value
        return values

    return change


def as_float(values):
    return values.astype(float)


def shorter(values):
    return values[:-1]


def damaged():
    """Yield matrices that no reader may follow, each with its fault."""
    for form in ("csr", "csc", "bsr"):
        for index, value in ((5, 10**6), (-1, 10**9), (0, 1), (3, -7)):
            yield edited(form, "indptr", put(index, value)), "indptr must rise from 0"
        for index, value in ((0, 10**9), (-1, -1)):
            yield edited(form, "indices", put(index, value)), "indices must be at least 0 and below"
        yield edited(form, "indptr", shorter), "indptr has .* values, not"
        yield edited(form, "indices", shorter), "indices have .* values"
        yield edited(form, "indices", as_float), "indices must be int32 or int64"
        yield edited(form, "indptr", lambda values: values.astype("u4")), "indptr must be int32"
        yield edited(form, "indptr", lambda values: values[None]), "of one dimension"
    yield edited("bsr", "data", lambda values: values[:, 0]), "not three dimensions"
    yield edited("bsr", "data", lambda values: np.zeros((len(values), 7, 5))), "do not fill"
    for part, value in (("row", 40), ("row", -1), ("col", 6), ("col", 2**31 - 1)):
        yield edited("coo", part, put(3, value)), "must be at least 0 and below"
    yield edited("coo", "row", shorter), "have .* values"
    X = matrix("coo")
    if hasattr(X, "coords"):  # which keep their type if a row is set
        X.coords = X.row.astype(float), X.col
    else:  # SciPy before 1.13
        X.row = X.row.astype(float)
    yield X, "rows must be int32 or int64"
    yield edited("dia", "offsets", put(0, 2**31 - 1)), "outside its shape"
    yield edited("dia", "offsets", lambda values: values.astype(np.int64) + 2**32), "outside its"
    yield edited("dia", "offsets", shorter), "offsets have values"
    yield edited("lil", "rows", put(2, [10**6])), "indices"
    yield edited("lil", "rows", put(2, None)), "lists"
    yield edited("lil", "rows", shorter), "lists"
    X = matrix("lil")
    X.rows[0], X.data[0] = [-1], [1.0]
    yield X, "indices must be at least 0"
    X = matrix("dok")
    X._dict[(3, 10**6)] = 1.0
    yield X, "index|exceeds"


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [(40, 6), (1, 1), (0, 3), (3, 0)])
def test_sound_matrices_of_all_forms_pass(shape, form, kind):
    X = matrix(form, *shape, kind)
    assert check_sparse(X) is X
    if form in ("csr", "csc"):
        X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        check_sparse(X)


def test_capacity_for_more_entries_is_not_a_fault():
    X = matrix("csr")
    X.indices, X.data = np.append(X.indices, [-1, 99]), np.append(X.data, [1.0, 1.0])
    assert check_sparse(X) is X


@pytest.mark.parametrize("number", range(len(list(damaged()))))
def test_every_fault_is_named(number):
    X, words = list(damaged())[number]
    with pytest.raises(ValueError, match=words):
        check_sparse(X)


Y = np.arange(40) % 2


def partial_fit(X):
    MIM(2).partial_fit(matrix("csr"), Y).partial_fit(X, Y)


def forget(X):
    MIM(2).partial_fit(matrix("csr"), Y).forget(X, Y)


def dask_blocks(X):
    dask_array = pytest.importorskip("dask.array")
    delayed = pytest.importorskip("dask").delayed
    block = dask_array.from_delayed(delayed(lambda: X, pure=False)(), X.shape, float)
    MIM(2).fit(block, dask_array.from_array(Y, chunks=40))


def transform(X):
    MIM(2).fit(matrix("csr"), Y).transform(X)


def graph(X):
    square = matrix(X.format, 40, 40) if X.format == "csr" else X
    if X.format == "csr":
        square.indices[0] = 10**6
    LaplacianScore(2, graph=square).fit(np.random.default_rng(0).normal(size=(40, 3)))


def select_genes(X):
    anndata = pytest.importorskip("anndata")
    cells = anndata.AnnData(matrix("csr"))
    if X.format == "coo":  # which anndata rejects
        X = edited("csr", "indices", put(0, -1))
    cells.X = X
    thresher.pp.select_genes(cells, n_top_genes=2)


# All calls that accept a sparse matrix.
ENTRANCES = {
    "fit": lambda X: MIM(2).fit(X, Y),
    "fit without a target": lambda X: RFS(2).fit(X),
    "fit of an ensemble": lambda X: Ensemble(MIM(2), n_parts=3).fit(X, Y),
    "fit of bags": lambda X: Ensemble(FisherScore(2), kind="bagging", n_parts=3).fit(X, Y),
    "fit of a chain": lambda X: Chain([MIM(3), MIM(2)]).fit(X, Y),
    "ErrorControlled": lambda X: ErrorControlled(MIM(2)).fit(X, Y),
    "fit_chunks": lambda X: RFS(2).fit_chunks([X]),
    "partial_fit": partial_fit,
    "forget": forget,
    "Dask blocks": dask_blocks,
    "transform": transform,
    "inverse_transform": lambda X: MIM(6).fit(matrix("csr"), Y).inverse_transform(X),
    "graph": graph,
    "select_genes": select_genes,
    "anova_f": lambda X: thresher.measures.anova_f(X, Y),
    "stability_curve": lambda X: stability_curve(MIM(2), X, Y, k=[1], n_repeats=2),
    "redundancy_map": lambda X: evaluate.redundancy_map(MIM(3).fit(matrix("csr"), Y), X),
    "probe_fdr": lambda X: evaluate.probe_fdr(MIM(2), X, Y, n_repeats=2, n_steps=2),
    "estimate_false_share": lambda X: evaluate.estimate_false_share(MIM(2), X, Y),
    "compare": lambda X: evaluate.compare(
        {"a": MIM(2)}, {"d": (X, Y)}, {"e": LogisticRegression()}, k=[1]
    ),
    "nested_score": lambda X: evaluate.nested_score(MIM(2), X, Y, cv=2),
    "select_k": lambda X: evaluate.select_k(MIM(2), X, Y, LogisticRegression(), k=[1], cv=2),
    "recommend": lambda X: evaluate.recommend(X, Y),
}


def outcome_of(entrance, X):
    try:
        ENTRANCES[entrance](X)
    except pytest.skip.Exception:
        return "skipped"
    except Exception as error:
        return "rejected" if "not a valid sparse matrix" in str(error) else repr(error)
    return "accepted"


def all_outcomes():
    faults = [
        edited("csr", "indptr", put(5, 10**6)),
        edited("csc", "indices", put(0, 10**9)),
        edited("coo", "col", put(3, 2**31 - 1)),
    ]
    for entrance in ENTRANCES:
        for X in faults:
            print(entrance, X.format, end=": ", flush=True)
            print(outcome_of(entrance, X), flush=True)


def test_faults_are_found_wherever_a_matrix_enters():
    """Run in a separate process, which ends where one is not found."""
    command = [sys.executable, "-W", "ignore", "-c"]
    program = "from tests.test_sparse_structure import all_outcomes; all_outcomes()"
    done = subprocess.run([*command, program], cwd=ROOT, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    wrong = [line for line in lines if not line.endswith((": rejected", ": skipped"))]
    assert not wrong
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(lines) == 3 * len(ENTRANCES)
