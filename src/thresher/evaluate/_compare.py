"""Selectors beside one another: on several data sets, with several estimators, for several numbers of features."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, nullcontext
from dataclasses import asdict
from typing import Any

import numpy as np
import sklearn
from joblib import Parallel, delayed

import thresher
from thresher._utils.arrays import as_numpy
from thresher._utils.checks import check_bool, readable, resolve_threads
from thresher._utils.progress import track
from thresher._utils.warnings import one_call, warn
from thresher.data import indexable
from thresher.evaluate._runs import (
    Cell,
    Fold,
    check_sizes,
    derive_seed,
    draw_folds,
    run_cell,
)
from thresher.evaluate._store import digest, digest_folds, open_store
from thresher.evaluate.comparison import Comparison, DataSet
from thresher.search.parts import draw_seed
from thresher.selectors._judge import check_scorer


@one_call()
def compare(
    selectors: Mapping[str, Any],
    data: Mapping[str, Any],
    estimators: Mapping[str, Any],
    k: Any = (5, 10, 20, 50),
    cv: Any = 5,
    scoring: Any = None,
    random_state: Any = None,
    store: Any = None,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Comparison:
    """Compare selectors by what estimators make of the features they choose, and by how stable the choice is.

    Features are selected on the training rows of each fold, and estimators fitted on these features are scored on
    the test rows. All selectors and all estimators see the same folds.

    Parameters
    ----------
    selectors : dict of str to selector
        Ours, scikit-learn's or others with ``fit`` and ``get_support``. Each is cloned and told the number of features
        by ``n_features_to_select``, ``k`` or ``max_features``. One without such a parameter is fitted as it is, and
        its first k features count.
    data : dict of str to (X, y) or Bunch
        Bunches have ``data`` and ``target``, as in scikit-learn, and perhaps ``truth``, the positions of the true
        features, as in `thresher.datasets`.
    estimators : dict of str to estimator
        All classifiers or all regressors.
    k : int or iterable of int, default=(5, 10, 20, 50)
        Numbers of features. Those beyond the features of a data set are left out there, with a warning.
    cv : int or splitter, default=5
        A number of folds, shuffled and with classes in equal shares, or a splitter of scikit-learn.
    scoring : str or callable, default=None
        A scorer of scikit-learn; None is the estimator's own ``score``.
    random_state : int, RandomState or None, default=None
        Draws the folds, and the seeds of selectors and estimators whose ``random_state`` is None.
    store : path, default=None
        A folder in which every finished cell is saved at once. The same call with the same folder goes on where
        it was stopped, even by ``kill -9``, and computes nothing again; a folder of another experiment is refused.
        While one comparison works with a folder, others wait.
    n_jobs : int, default=None
        Cells that run at the same time, in processes.
    progress : bool, default=True
        Show a progress bar (tqdm if installed).

    Returns
    -------
    comparison : Comparison
        ``table()`` and the tests of significance.

    Notes
    -----
    A cell is a selector on a fold of a data set, with all k and all estimators. Selectors whose runs are nested are
    fitted once for all k. What fails, a selector or an estimator, leaves its error in its cell (`Comparison.errors`);
    the rest goes on, and a warning at the end tells. Time and memory vary from run to run; all other results
    depend on the arguments alone if `random_state` is a number.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer, load_wine
    >>> from sklearn.feature_selection import SelectKBest
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import MRMR
    >>> comparison = compare(
    ...     {"MRMR": MRMR(), "F": SelectKBest()},
    ...     {"breast": load_breast_cancer(), "wine": load_wine()},
    ...     {"naive Bayes": GaussianNB()},
    ...     k=[2, 5],
    ...     random_state=0,
    ...     progress=False,
    ... )
    >>> comparison.table("dict")["selector"]
    ['MRMR', 'MRMR', 'F', 'F', 'MRMR', 'MRMR', 'F', 'F']
    """
    for name, given in (("selectors", selectors), ("data", data), ("estimators", estimators)):
        if not isinstance(given, Mapping) or not given:
            raise ValueError(f"{name} must be a dict of name to object, got {given!r:.60}")
        if not all(isinstance(key, str) for key in given):
            raise ValueError(f"{name} must have names as keys, got {next(iter(given))!r}")
    check_scorer(scoring)
    check_bool("progress", progress)
    resolve_threads(n_jobs)
    asked = check_sizes(k)
    seed = draw_seed(random_state)
    sets = [_read(name, entry, asked) for name, entry in data.items()]
    journal = None
    if store is not None:
        experiment = {
            "thresher": thresher.__version__,
            "sklearn": sklearn.__version__,
            **{f"data {own.name}": digest([digest(own.X), digest(own.y)]) for own in sets},
            **{f"selectors {name}": digest(own) for name, own in selectors.items()},
            **{f"estimators {name}": digest(own) for name, own in estimators.items()},
            "k": str(asked),
            "scoring": scoring if isinstance(scoring, str) else digest(scoring),
        }
        journal = open_store(store, experiment)
    with nullcontext() if journal is None else closing(journal):
        if journal is not None:
            seed = journal.settle("seed", seed, is_given=random_state is not None)
        folds = [
            _folds_of(entry, cv, estimators, derive_seed(seed, i)) for i, entry in enumerate(sets)
        ]
        places = [
            (d, s, f)
            for d in range(len(sets))
            for s in range(len(selectors))
            for f in range(len(folds[d]))
        ]
        cells: dict[tuple[int, int, int], Cell] = {}
        if journal is not None:
            for entry, some in zip(sets, folds, strict=True):
                journal.settle(f"folds {entry.name}", digest_folds(some))
            stored = {place: journal.get(str(place)) for place in places}
            cells = {place: Cell(**cell) for place, cell in stored.items() if cell is not None}
        jobs = (
            delayed(_run)(
                (d, s, f),
                list(selectors.values())[s],
                dict(estimators),
                scoring,
                sets[d].X,
                sets[d].y,
                folds[d][f],
                sets[d].sizes,
                derive_seed(seed, d, s, f),
            )
            for d, s, f in places
            if (d, s, f) not in cells
        )
        # One by one and as they finish, so that each cell is stored at once.
        parallel = Parallel(
            resolve_threads(n_jobs, len(places)), return_as="generator_unordered", batch_size=1
        )
        n_left = len(places) - len(cells)
        for place, cell in track(parallel(jobs), n_left, "compare", show=progress):
            cells[place] = cell
            if journal is not None:
                journal.append(str(place), asdict(cell))
    comparison = Comparison(
        tuple(selectors), tuple(sets), tuple(estimators), {place: cells[place] for place in places}
    )
    _tell_of_errors(comparison)
    return comparison


def _run(place: tuple[int, int, int], *cell: Any) -> tuple[tuple[int, int, int], Cell]:
    return place, run_cell(*cell)


def _read(name: str, entry: Any, asked: list[int]) -> DataSet:
    truth = None
    if isinstance(entry, Mapping) and {"data", "target"} <= set(entry):
        X, y, truth = entry["data"], entry["target"], entry.get("truth")
    elif isinstance(entry, tuple) and len(entry) == 2:
        X, y = entry
    else:
        raise ValueError(
            f"data[{name!r}] must be a pair (X, y) or a Bunch with data and target, got {entry!r:.60}"
        )
    X, y = indexable(X), as_numpy(y)
    if len(X.shape) != 2:
        raise ValueError(f"data[{name!r}]: X must have rows and columns, got shape {X.shape}")
    sizes = [size for size in asked if size <= X.shape[1]]
    if not sizes:
        raise ValueError(
            f"k must hold a number of at most {X.shape[1]}, the features of {name!r}, got {asked}"
        )
    if len(sizes) < len(asked):
        warn(
            f"{readable(name)} has {X.shape[1]} features: it is compared up to k={sizes[-1]}, not {asked[-1]}"
        )
    return DataSet(name, X, y, None if truth is None else np.asarray(truth), tuple(sizes))


def _folds_of(entry: DataSet, cv: Any, estimators: Mapping[str, Any], seed: int) -> list[Fold]:
    try:
        return draw_folds(cv, entry.X, entry.y, estimators, seed)
    except ValueError as error:
        raise ValueError(f"data[{entry.name!r}]: {error}") from error


def _tell_of_errors(comparison: Comparison) -> None:
    errors = comparison.errors("dict")
    if errors["error"]:
        first = {column: values[0] for column, values in errors.items()}
        who = first["estimator"] or first["selector"]
        warn(
            f"{len(errors['error'])} of {len(comparison.cells) * (1 + len(comparison.estimators))} fits and scores "
            f"failed and are missing, see errors(); the first: {readable(who)} on {readable(first['data'])}, "
            f"fold {first['fold']}: {first['error']}"
        )
