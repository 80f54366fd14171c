"""Regression with known truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from thresher._utils.checks import check_number
from thresher.datasets._bunch import bunch, draw

_COEFFICIENTS = (10.0, 100.0)
_CORRELATION = 0.9


def make_artificial1(
    n_samples: int = 1000,
    n_features: int = 100,
    *,
    n_informative: int = 10,
    noise: float = 0.1,
    random_state: Any = None,
) -> Any:
    """A linear target whose features are measured with noise: "Artificial 1" of Tsanas, Little and McSharry.

    Clean features are standard normal, the target is their sum with distinct coefficients between 10 and 100, and then
    noise is added to every feature, not to the target.

    Parameters
    ----------
    n_samples, n_features : int, default=1000, 100
    n_informative : int, default=10
        The first so many features are true.
    noise : float, default=0.1
        Standard deviation of what is added to each feature. The paper's "10 %" may also mean the variance.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target``, ``truth``, ``feature_names``, ``DESCR``, ``coefficients`` (of the true features).

    Examples
    --------
    >>> from thresher import GSO
    >>> from thresher.datasets import make_artificial1
    >>> made = make_artificial1(random_state=0)
    >>> sorted(GSO(10).fit(made.data, made.target).selected_.tolist()) == made.truth.tolist()
    True
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_features", n_features, minimum=1, integer=True)
    check_number("n_informative", n_informative, minimum=1, maximum=n_features, integer=True)
    check_number("noise", noise, minimum=0)
    rng = draw(random_state, 1)
    clean = rng.standard_normal((n_samples, n_features))
    coefficients = rng.uniform(*_COEFFICIENTS, n_informative)
    y = clean[:, :n_informative] @ coefficients
    X = clean + noise * rng.standard_normal(clean.shape)
    return bunch(
        X,
        y,
        np.arange(n_informative),
        f"y is a sum of the first {n_informative} of {n_features} normal features; every feature is measured with "
        f"noise of standard deviation {noise:g}.",
        coefficients=coefficients,
    )


def make_friedman_collinear(
    n_samples: int = 500,
    n_features: int = 50,
    *,
    n_copies: int = 2,
    random_state: Any = None,
) -> Any:
    """Friedman's function of five features, some of which have correlated copies.

    ``y = 10 sin(pi x0 x1) + 20 (x2 - 0.5)^2 + 10 x3 + 5 x4 + N(0, 1)``, features uniform on [0, 1]. Features 5, 6, ...
    are ``0.9 x0 + sqrt(0.19) u``, the same of x1, ..., with u uniform: their correlation with the original is 0.9.

    Parameters
    ----------
    n_samples, n_features : int, default=500, 50
    n_copies : int, default=2
        How many of the five have a copy (the degree of collinearity). Copies count as false.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target``, ``truth`` (0 to 4), ``feature_names``, ``DESCR``, ``copies`` (their positions).

    Notes
    -----
    The target depends on x2 symmetrically, so every correlation with it is 0: no selector made of correlations can
    find it, and at best one of its first five features is false.

    Examples
    --------
    >>> from thresher.datasets import make_friedman_collinear
    >>> made = make_friedman_collinear(n_copies=4, random_state=0)
    >>> made.truth.tolist(), made.copies.tolist()
    ([0, 1, 2, 3, 4], [5, 6, 7, 8])
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_copies", n_copies, minimum=0, maximum=5, integer=True)
    check_number("n_features", n_features, minimum=5 + n_copies, integer=True)
    rng = draw(random_state, 2)
    X = rng.random((n_samples, n_features))
    copies = np.arange(5, 5 + n_copies)
    X[:, copies] = _CORRELATION * X[:, :n_copies] + np.sqrt(1 - _CORRELATION**2) * X[:, copies]
    y = (
        10 * np.sin(np.pi * X[:, 0] * X[:, 1])
        + 20 * (X[:, 2] - 0.5) ** 2
        + 10 * X[:, 3]
        + 5 * X[:, 4]
        + rng.standard_normal(n_samples)
    )
    return bunch(
        X,
        y,
        np.arange(5),
        f"Friedman's function of features 0 to 4; features {copies.tolist()} are copies of the first ones with "
        f"correlation {_CORRELATION:g} and count as false.",
        copies=copies,
    )
