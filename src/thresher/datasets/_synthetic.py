"""Small data sets with known truth, discrete and numeric."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sklearn.utils import Bunch, check_random_state

from thresher._utils.checks import check_number
from thresher._utils.random import Purpose, stream
from thresher._utils.types import DataLike, RandomState, TargetLike


def draw(random_state: RandomState, generator: int) -> np.random.Generator:
    """Return the random stream of a generator of data; equal seeds give equal data."""
    seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    return stream(seed, Purpose.DATA_SETS, generator)


def bunch(
    X: DataLike, y: TargetLike, truth: npt.ArrayLike, description: str, **more: object
) -> Bunch:
    """Return data with their true features, names and description."""
    names = [f"x{i}" for i in range(X.shape[1])]
    positions = np.sort(np.asarray(truth, dtype=np.intp))
    return Bunch(data=X, target=y, truth=positions, feature_names=names, DESCR=description, **more)


# Positions of the groups, and of the decoys with the group that each copies.
_GROUPS = ((8,), (3, 7), (10, 11, 12), (17, 18, 19), (0, 1, 2, 9))
_WEIGHTS = (0.8, 0.9, 1.2, 1.1, 1.6)
_DECOYS = ((14, 2), (28, 4), (13, 3))
_FLIPPED = 0.15


def make_tied(
    n_samples: int = 750, n_features: int = 100, *, random_state: RandomState = None
) -> Bunch:
    """Generate a discrete network in which 72 sets of five features contain all information about the target.

    Each of five groups of features has a hidden bit, which every member of the group determines. The four classes are
    the quartiles of a weighted sum of the five bits with noise. Any one feature of each group is enough:
    1 x 2 x 3 x 3 x 4 = 72 Markov boundaries. Three decoys copy a bit with 15 % errors. All features have levels 0 to
    3. The structure is that of "TIED" of Statnikov and Aliferis; its parameters are not public.

    Parameters
    ----------
    n_samples : int, default=750
    n_features : int, default=100
        At least 29; those outside the groups and the decoys are uniform noise.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target`` (0 to 3), ``truth`` (the 13 members), ``feature_names``, ``DESCR``, ``groups`` (five
        arrays of positions), ``decoys`` (positions).

    See Also
    --------
    make_xor : Bits that matter only together.

    Notes
    -----
    Given one member of each group, rank correlations with other members and with decoys are not zero. So selectors
    based on correlations select decoys for good reason. Count the groups among the first five features, too.

    Examples
    --------
    >>> from thresher import FCBF
    >>> from thresher.datasets import make_tied
    >>> made = make_tied(random_state=0)
    >>> first = FCBF().fit(made.data, made.target).selected_[:5]
    >>> sum(bool(set(group) & set(first.tolist())) for group in made.groups)
    5
    """
    check_number("n_samples", n_samples, minimum=4, integer=True)
    check_number("n_features", n_features, minimum=29, integer=True)
    rng = draw(random_state, 3)
    X = rng.integers(0, 4, (n_samples, n_features), dtype=np.int8)
    bits = rng.integers(0, 2, (n_samples, len(_GROUPS)), dtype=np.int8)
    for group, positions in enumerate(_GROUPS):
        for position in positions:
            X[:, position] = 2 * bits[:, group] + X[:, position] % 2
    for position, group in _DECOYS:
        wrong = rng.random(n_samples) < _FLIPPED
        X[:, position] = 2 * (bits[:, group] ^ wrong) + X[:, position] % 2
    score = bits @ np.array(_WEIGHTS) + rng.normal(0, 0.5, n_samples)
    y = np.searchsorted(np.quantile(score, [0.25, 0.5, 0.75]), score)
    description = (
        "Five hidden bits decide over four classes; every feature of a group determines its bit, so that 72 sets of "
        "five features are equally good."
    )
    groups = [np.array(positions) for positions in _GROUPS]
    decoys = np.array(sorted(position for position, _ in _DECOYS))
    return bunch(X, y, np.concatenate(_GROUPS), description, groups=groups, decoys=decoys)


def make_xor(
    n_samples: int = 500,
    n_features: int = 10,
    *,
    n_parity: int = 2,
    noise: float = 0.0,
    random_state: RandomState = None,
) -> Bunch:
    """Generate classes that are the parity of a few bits, each of which alone is uninformative.

    Rankings, and searches that start from the best single feature, find them only by chance. Methods that evaluate sets
    (`thresher.CWC`, `thresher.LCC`) find them if there are many samples compared with the 2^n_features possible
    patterns. Methods that use neighbours (`thresher.ReliefF`) find them among more features, too.

    Parameters
    ----------
    n_samples, n_features : int, default=500, 10
    n_parity : int, default=2
        Bits whose sum is even (class 0) or odd (class 1), at positions drawn at random.
    noise : float, default=0.0
        Share of samples with the wrong class.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data`` (0 and 1), ``target``, ``truth``, ``feature_names``, ``DESCR``.

    See Also
    --------
    make_tied : Discrete features with many equally good sets.

    Examples
    --------
    >>> from thresher import CWC
    >>> from thresher.datasets import make_xor
    >>> made = make_xor(random_state=0)
    >>> sorted(CWC().fit(made.data, made.target).selected_.tolist()) == made.truth.tolist()
    True
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_features", n_features, minimum=1, integer=True)
    check_number("n_parity", n_parity, minimum=1, maximum=n_features, integer=True)
    check_number("noise", noise, minimum=0, maximum=1)
    rng = draw(random_state, 4)
    X = rng.integers(0, 2, (n_samples, n_features), dtype=np.int8)
    truth = rng.choice(n_features, n_parity, replace=False)
    wrong = rng.random(n_samples) < noise
    y = (X[:, truth].sum(axis=1) % 2) ^ wrong
    description = f"The class is the parity of {n_parity} of {n_features} fair bits, wrong with probability {noise:g}."
    return bunch(X, y.astype(np.int64), truth, description)


_COEFFICIENTS = (10.0, 100.0)
_CORRELATION = 0.9


def make_artificial1(
    n_samples: int = 1000,
    n_features: int = 100,
    *,
    n_informative: int = 10,
    noise: float = 0.1,
    random_state: RandomState = None,
) -> Bunch:
    """Generate a linear target with noisy features: "Artificial 1" of Tsanas, Little and McSharry.

    Clean features are standard normal. The target is their sum with distinct coefficients between 10 and 100. Then
    noise is added to every feature, not to the target.

    Parameters
    ----------
    n_samples, n_features : int, default=1000, 100
    n_informative : int, default=10
        Number of true features, which are the first ones.
    noise : float, default=0.1
        Standard deviation of the noise of each feature. The "10 %" of the paper may also mean the variance.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target``, ``truth``, ``feature_names``, ``DESCR``, ``coefficients`` (of the true features).

    See Also
    --------
    make_friedman_collinear : A nonlinear target with correlated features.

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
    description = (
        f"y is a sum of the first {n_informative} of {n_features} normal features; every feature is measured with "
        f"noise of standard deviation {noise:g}."
    )
    return bunch(X, y, np.arange(n_informative), description, coefficients=coefficients)


def make_friedman_collinear(
    n_samples: int = 500,
    n_features: int = 50,
    *,
    n_copies: int = 2,
    random_state: RandomState = None,
) -> Bunch:
    """Generate Friedman's function of five features, some of which have correlated copies.

    ``y = 10 sin(pi x0 x1) + 20 (x2 - 0.5)^2 + 10 x3 + 5 x4 + N(0, 1)``, features uniform on [0, 1]. Features 5, 6, ...
    are ``0.9 x0 + sqrt(0.19) u``, likewise for x1, ..., with u uniform: their correlation with the original is 0.9.

    Parameters
    ----------
    n_samples, n_features : int, default=500, 50
    n_copies : int, default=2
        Number of the five features with a copy (the degree of collinearity). Copies count as false.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target``, ``truth`` (0 to 4), ``feature_names``, ``DESCR``, ``copies`` (their positions).

    See Also
    --------
    make_artificial1 : A linear target with noisy features.

    Notes
    -----
    The target depends on x2 symmetrically, so their correlation is 0. A selector based on correlations cannot find x2,
    and at best one of its first five features is false.

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
    description = (
        f"Friedman's function of features 0 to 4; features {copies.tolist()} are copies of the first ones with "
        f"correlation {_CORRELATION:g} and count as false."
    )
    return bunch(X, y, np.arange(5), description, copies=copies)
