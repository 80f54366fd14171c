"""The selectors that are plausible for some data, and pipelines that accept its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder

from thresher._utils.checks import is_missing, readable
from thresher._utils.types import Array, DataLike, Estimator, Floats, TargetLike, Values
from thresher.data import is_frame, read_table, read_target, reader_named
from thresher.selectors.cfs import CFS
from thresher.selectors.consistency import CWC
from thresher.selectors.criteria import CMIM, JMI, MIM
from thresher.selectors.ensemble import Ensemble
from thresher.selectors.gso import GSO
from thresher.selectors.lasso import LassoPath
from thresher.selectors.mrmr import MRMR
from thresher.selectors.relief import ReliefF
from thresher.selectors.rrct import RRCT
from thresher.selectors.univariate import Univariate

Positions = npt.NDArray[np.intp]
# A column of X and a permutation of the rows.
Copy = tuple[int, Positions]


def widen(
    X: DataLike, features: Positions, copies: Sequence[Copy], more: Floats | None, order: Positions
) -> DataLike:
    """Return columns of X, permuted copies of some and more numeric columns, in this order, in the type of X.

    `more` has one row per row of X.
    """
    if is_frame(X):
        return _widen_frame(X, features, copies, more, order)
    if sparse.issparse(X):
        return _widen_sparse(X, features, copies, more)[:, order]
    dense = np.asarray(X)
    parts = [dense[:, features], *(dense[rows, i] for i, rows in copies)]
    if more is not None:
        parts.append(more)
    return np.column_stack(parts)[:, order]


def _widen_frame(
    X: DataLike, features: Positions, copies: Sequence[Copy], more: Floats | None, order: Positions
) -> DataLike:
    frame = nw.maybe_reset_index(nw.from_native(X, eager_only=True))
    columns = [frame[:, int(i)] for i in features]
    for j, (i, rows) in enumerate(copies):
        shuffled = nw.maybe_reset_index(frame[:, int(i)][rows.tolist()])
        columns.append(shuffled.alias(f"artificial {j} {frame.columns[i]}"))
    if more is not None:
        kind = nw.get_native_namespace(frame)
        columns += [
            nw.new_series(f"artificial {len(copies) + j}", values, backend=kind)
            for j, values in enumerate(np.ascontiguousarray(more.T))
        ]
    whole = nw.concat([columns[i].to_frame() for i in order], how="horizontal")
    return whole.to_native()


def _widen_sparse(
    X: DataLike, features: Positions, copies: Sequence[Copy], more: Floats | None
) -> DataLike:
    by_column = X.tocsc()
    parts = [by_column[:, features]]
    if copies:
        copied = by_column[:, [i for i, _ in copies]]
        for j, (_, rows) in enumerate(copies):
            stored = slice(copied.indptr[j], copied.indptr[j + 1])
            copied.indices[stored] = np.argsort(rows)[copied.indices[stored]]
        copied.has_sorted_indices = False
        copied.sort_indices()
        parts.append(copied)
    if more is not None:
        parts.append(sparse.csc_matrix(more))
    return sparse.hstack(parts, format="csc")


def encode_before(*steps: Estimator) -> Pipeline:
    """Return a pipeline that encodes categories as columns of 0 and 1 before these steps.

    It accepts every table that selectors accept, on every supported version of scikit-learn.
    """
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    columns = ColumnTransformer([("categories", encoder, _texts)], remainder="passthrough")
    return make_pipeline(FunctionTransformer(_as_array), columns, *steps)


def types_with_missing(X: DataLike) -> dict[str, str]:
    """Return the types that columns of a pandas frame need because scikit-learn does not accept ``pandas.NA``."""
    if not nw.dependencies.is_pandas_dataframe(X):
        return {}
    frame = nw.from_native(X, eager_only=True)
    return {
        name: "float64" if kind.is_numeric() or kind == nw.Boolean else "category"
        for name, kind in frame.schema.items()
        if not isinstance(X[name].dtype, np.dtype) and kind != nw.Categorical and X[name].hasnans
    }


def _as_array(X: DataLike) -> Array:
    """Return a table as a matrix, a frame as one of floats and texts with NaN where a value is missing."""
    if not is_frame(X):
        return X.toarray() if sparse.issparse(X) else np.asarray(X)
    frame = nw.from_native(X, eager_only=True)
    array = np.empty(frame.shape, dtype=object)
    for i, (column, kind) in enumerate(
        zip(frame.iter_columns(), frame.schema.values(), strict=True)
    ):
        is_number = kind.is_numeric() or kind == nw.Boolean
        array[:, i] = [
            np.nan if is_missing(value) else float(value) if is_number else str(value)
            for value in column.to_list()
        ]
    return array


def _texts(array: Array) -> list[int]:
    """Return the positions of the columns that contain text."""
    if array.dtype.kind != "O":
        return []
    return [i for i, column in enumerate(array.T) if any(isinstance(v, str) for v in column)]


# Approximate number of products of a neighbour search in one second.
_PRODUCTS_PER_SECOND = 2e8

_BASELINE = "one value per feature: the baseline"


@dataclass(frozen=True)
class Profile:
    """The facts of the data that decide which selectors are plausible."""

    n_samples: int
    n_features: int
    is_sparse: bool
    has_categories: bool
    has_missing: bool
    is_discrete: bool
    n_classes: int
    smallest_class: int

    @property
    def is_classification(self) -> bool:
        return self.n_classes > 0

    @property
    def is_dense_numbers(self) -> bool:
        return not (self.is_sparse or self.has_categories or self.has_missing)

    @property
    def missing(self) -> Values:
        """The parameters with which selectors that count accept missing values."""
        return {"missing": "category"} if self.has_missing else {}

    @property
    def sentences(self) -> list[str]:
        kind = "sparse numbers" if self.is_sparse else "numbers"
        if self.is_discrete:
            kind = "few integers per feature" + (", sparse" if self.is_sparse else "")
        if self.has_categories:
            kind = "categories among the features"
        target = "numeric target"
        if self.is_classification:
            target = f"{self.n_classes} classes, {self.smallest_class} samples in the smallest"
        if self.has_missing:
            kind += ", some values missing"
        sentences = [f"{self.n_samples} samples, {self.n_features} features, {kind}; {target}"]
        if self.n_features > 2 * self.n_samples:
            sentences.append("more features than samples: expect many equally good sets")
        return sentences


def look_at(X: DataLike, y: TargetLike, target: str = "auto") -> Profile:
    """Return the profile of the data; reject data that no selector can use."""
    table = read_table(reader_named("recommend"), X)
    table.schema.reject_unusable(allow_missing=True)
    labels = read_target(y, table.n_rows, kind=target, owner="recommend")
    values = labels.values if labels.classes is None else labels.classes
    if len(values) < 2 or labels.lowest == labels.highest:
        raise ValueError(
            f"y has only the value {readable(values[0])}. Pass at least two classes or numbers"
        )
    smallest = 0
    if labels.codes is not None:
        counts = np.bincount(labels.codes)
        smallest = int(counts.min())
        if smallest < 2:
            rare = readable(values[np.argmin(counts)])
            raise ValueError(
                f'the class {rare} has a single sample. Remove it, or set target="numeric" if y is a quantity'
            )
    has_categories = bool(table.is_category.any())
    return Profile(
        n_samples=table.n_rows,
        n_features=table.n_features,
        is_sparse=table.is_sparse,
        has_categories=has_categories,
        has_missing=bool(table.schema.has_missing.any()),
        is_discrete=bool(table.schema.is_discrete.all()) and not has_categories,
        n_classes=labels.n_classes,
        smallest_class=smallest,
    )


@dataclass(frozen=True)
class Candidate:
    """A selector, and why it is plausible for the data."""

    name: str
    selector: Estimator
    why: str
    finds_interactions: bool = False


def candidates(profile: Profile, k: int, budget_s: float) -> tuple[list[Candidate], list[str]]:
    """Return the plausible selectors, most plausible first, and those left out with the reason."""
    n, p = profile.n_samples, profile.n_features
    left_out: list[str] = []
    plausible = _for_classes(profile, k) if profile.is_classification else _for_numbers(profile, k)
    if profile.is_classification and n < 300 and p > n:
        plausible.append(
            Candidate(
                "Ensemble",
                Ensemble(MRMR(k, **profile.missing), n_parts=10),
                f"only {n} samples: votes over parts of them make the selection more stable",
            )
        )
    products = float(n) * n * p
    if profile.is_sparse:
        left_out.append("ReliefF: needs dense data")
    elif products > _PRODUCTS_PER_SECOND * budget_s / 10:
        left_out.append(
            f"ReliefF: {products:.2g} products of a neighbour search take too long for the budget"
        )
    else:
        relief = ReliefF(k, missing="expected") if profile.has_missing else ReliefF(k)
        why = "compares neighbours: finds features that matter only in combination"
        plausible.append(Candidate("ReliefF", relief, why, finds_interactions=True))
    return plausible, left_out


def _ranking(profile: Profile, k: int) -> Candidate:
    """Return the ranking of single features: by F if the data allow it, else by mutual information."""
    if profile.has_missing or (profile.is_classification and not profile.is_dense_numbers):
        return Candidate("MIM", MIM(k, **profile.missing), f"ranks by information, {_BASELINE}")
    measure = "F" if profile.is_classification else "F of the regression"
    return Candidate("Univariate", Univariate(k), f"ranks by {measure}, {_BASELINE}")


def _for_classes(profile: Profile, k: int) -> list[Candidate]:
    missing = profile.missing
    return [
        _ranking(profile, k),
        Candidate("MRMR", MRMR(k, **missing), "relevant and not redundant; the default of this package"),
        Candidate("JMI", JMI(k, **missing), "joint information of feature pairs; best for discrete features")
        if profile.is_discrete or profile.has_categories or profile.has_missing
        else Candidate("CFS", CFS(k), "features correlated with the class, but little with each other"),
        Candidate("CMIM", CMIM(k, **missing), "information that a feature adds to each selected one"),
        Candidate("CWC", CWC(**missing), "a smallest set that separates all classes: finds interactions", True),
    ]  # fmt: skip


def _for_numbers(profile: Profile, k: int) -> list[Candidate]:
    mrmr = Candidate("MRMR", MRMR(k, **profile.missing), "relevant and not redundant")
    plausible = [_ranking(profile, k), mrmr]
    if not profile.is_dense_numbers:
        return plausible
    return [
        *plausible,
        Candidate("RRCT", RRCT(k), "correlations of ranks, and complementarity of features"),
        Candidate("GSO", GSO(k), "correlation with the target, given the selected features"),
        Candidate("LassoPath", LassoPath(k), "the order in which features enter the lasso path"),
    ]
