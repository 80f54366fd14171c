"""What the docstrings of the information criteria have in common."""

from __future__ import annotations

from inspect import cleandoc
from typing import TypeVar

Criterion = TypeVar("Criterion", bound=type)

# It goes before the examples.
_COMMON_DOC = """\
    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers, which are cut like a feature.
    discretize : str, transformer or None, default="auto"
        How features that are not discrete are binned: ``"mean-sd"`` (three levels, the default),
        ``"equal-frequency"``, ``"equal-width"``, ``"mdl"``, or a transformer of `thresher.discretize`.
        None takes every column as codes. `bins_` tells what was done.
    strategy : {"lazy", "naive"}, default="lazy"
        ``"lazy"`` leaves out terms that cannot matter, where the criterion gives a bound (JMIM, CMIM,
        ICAP); the answer is the same.
    keep, exclude : list of str or int, default=None
        Features to start from, and features never to choose, by name or position.
    missing : {"error", "category", "drop_rows"}, default="error"
        Missing values are refused, are a level of their own, or leave out their samples.
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of choice.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first chosen; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Score when chosen, in bits, nan if never chosen; that of the first feature is I(f;C).
    relevance_ : ndarray of float of shape (n_features,)
        I(f;C) in bits.
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the criterion does not have it apart.
    n_evaluations_ : int
        Terms of two features and the target that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    bins_ : Bins
        Which features were binned, by which rule, at which cuts.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    The first feature is the one with the largest I(f;C). Information is plug-in, from counts, in bits.
    Of equal computed scores that of the lowest position wins. Constant features, also those constant after
    binning, are never chosen unless named in `keep`. Time: O(n_samples) per feature for the relevances
    and per term, at most ``n_features_to_select * n_features`` of them; memory: one packed copy of the data and
    a few numbers per feature.

"""


def documented(criterion: Criterion) -> Criterion:
    """Put what all criteria have in common before the examples of the docstring."""
    if criterion.__doc__:  # there is none where Python leaves docstrings out
        # Python indents docstrings as they are written, up to 3.12, or not at all.
        summary, heading, examples = cleandoc(criterion.__doc__).partition("Examples\n")
        criterion.__doc__ = f"{summary}{cleandoc(_COMMON_DOC)}\n\n{heading}{examples}\n"
    return criterion
