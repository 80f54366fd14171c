"""Wide data with known true features: gene expression, word counts, sparse bits of molecules."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils import Bunch

from thresher._utils.checks import check_number
from thresher._utils.types import Array, RandomState
from thresher.datasets._synthetic import bunch, draw


def make_microarray(
    n_samples: int = 100,
    n_features: int = 2000,
    *,
    n_blocks: int = 20,
    block_size: int = 20,
    n_informative_blocks: int = 5,
    correlation: float = 0.7,
    effect: float = 1.0,
    n_batches: int = 2,
    batch_effect: float = 1.0,
    confounding: float = 0.0,
    random_state: RandomState = None,
) -> Bunch:
    """Generate expression of genes in correlated blocks, in two classes and several batches.

    Genes of a block share a factor, so that any two of them have the correlation `correlation`. In informative blocks
    the factor is shifted in class 1. All other genes are independent. Each batch shifts a random half of all genes.

    Parameters
    ----------
    n_samples, n_features : int, default=100, 2000
    n_blocks, block_size : int, default=20, 20
    n_informative_blocks : int, default=5
        Blocks whose genes are true.
    correlation : float, default=0.7
        Within a block, within a class and a batch.
    effect : float, default=1.0
        Difference between the classes of the mean of a true gene, in standard deviations.
    n_batches : int, default=2
    batch_effect : float, default=1.0
        Standard deviation of the shifts.
    confounding : float, default=0.0
        Share of samples with a batch that depends on the class: class 0 is in the first half of the batches, class 1 in
        the second, so that shifted genes predict the class without any biology. Other samples are in any batch.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data``, ``target``, ``truth`` (the genes of informative blocks), ``feature_names``, ``DESCR``, ``blocks`` (the
        block of each gene, -1 for none), ``batch`` (of each sample).

    See Also
    --------
    make_text : Sparse counts of words.
    make_dorothea_like : Sparse bits of molecules.

    Examples
    --------
    >>> from thresher import MRMR
    >>> from thresher.datasets import make_microarray
    >>> made = make_microarray(random_state=0)
    >>> first = MRMR(5).fit(made.data, made.target).selected_
    >>> len(set(first.tolist()) & set(made.truth.tolist()))
    5
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_blocks", n_blocks, minimum=1, integer=True)
    check_number("block_size", block_size, minimum=1, integer=True)
    check_number(
        "n_informative_blocks", n_informative_blocks, minimum=1, maximum=n_blocks, integer=True
    )
    check_number("n_features", n_features, minimum=n_blocks * block_size, integer=True)
    check_number("correlation", correlation, minimum=0, maximum=1)
    check_number("effect", effect)
    check_number("n_batches", n_batches, minimum=1, integer=True)
    check_number("batch_effect", batch_effect, minimum=0)
    check_number("confounding", confounding, minimum=0, maximum=1)
    rng = draw(random_state, 5)
    y = rng.permutation(np.arange(n_samples) % 2)
    blocks = np.full(n_features, -1)
    blocks[: n_blocks * block_size] = np.repeat(np.arange(n_blocks), block_size)
    blocks = rng.permutation(blocks)
    informative = (blocks >= 0) & (blocks < n_informative_blocks)
    X = rng.standard_normal((n_samples, n_features))
    factors = rng.standard_normal((n_samples, n_blocks))
    member = blocks >= 0
    X[:, member] *= np.sqrt(1 - correlation)
    X[:, member] += np.sqrt(correlation) * factors[:, blocks[member]]
    X[:, informative] += effect * y[:, None]
    batch = _batches(rng, y, n_batches, confounding)
    shifts = batch_effect * rng.standard_normal((n_batches, n_features))
    X += (shifts * (rng.random((n_batches, n_features)) < 0.5))[batch]
    description = (
        f"{n_blocks} blocks of {block_size} correlated genes among {n_features}; {n_informative_blocks} blocks differ "
        f"between the classes; {n_batches} batches shift half of all genes each."
    )
    return bunch(X, y, np.flatnonzero(informative), description, blocks=blocks, batch=batch)


def _batches(rng: np.random.Generator, y: Array, n_batches: int, confounding: float) -> Array:
    batch = rng.permutation(np.arange(len(y)) % n_batches)
    half = n_batches // 2
    if half:
        bound = rng.random(len(y)) < confounding
        by_class = np.where(
            y == 0, rng.integers(0, half, len(y)), rng.integers(half, n_batches, len(y))
        )
        batch = np.where(bound, by_class, batch)
    return batch


def make_text(
    n_samples: int = 1000,
    n_features: int = 5000,
    *,
    n_informative: int = 50,
    words_per_document: int = 100,
    ratio: float = 3.0,
    random_state: RandomState = None,
) -> Bunch:
    """Generate counts of words in documents of two topics, as a sparse matrix.

    Word frequencies follow Zipf's law, document lengths vary, and counts are Poisson. Half of the informative words are
    `ratio` times as frequent in class 1, the others in class 0.

    Parameters
    ----------
    n_samples, n_features : int, default=1000, 5000
        Documents and words.
    n_informative : int, default=50
        Number of true words, drawn from the more frequent half.
    words_per_document : int, default=100
        Mean length of a document.
    ratio : float, default=3.0
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data`` (CSR matrix of integers), ``target``, ``truth``, ``feature_names``, ``DESCR``.

    See Also
    --------
    make_microarray : Gene expression.
    make_dorothea_like : Sparse bits of molecules.

    Examples
    --------
    >>> from thresher.datasets import make_text
    >>> made = make_text(200, 1000, random_state=0)
    >>> made.data.shape, len(made.truth)
    ((200, 1000), 50)
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_features", n_features, minimum=2, integer=True)
    check_number("n_informative", n_informative, minimum=1, maximum=n_features // 2, integer=True)
    check_number("words_per_document", words_per_document, minimum=1, integer=True)
    check_number("ratio", ratio, exclusive_minimum=True, minimum=0)
    rng = draw(random_state, 6)
    y = rng.permutation(np.arange(n_samples) % 2)
    by_frequency = rng.permutation(n_features)
    share = np.empty(n_features)
    share[by_frequency] = 1.0 / np.arange(1, n_features + 1)
    truth = rng.choice(by_frequency[: n_features // 2], n_informative, replace=False)
    shares = np.array([share, share])
    for position, word in enumerate(truth):
        shares[position % 2, word] *= ratio
    shares /= shares.sum(axis=1, keepdims=True)
    lengths = rng.gamma(4.0, words_per_document / 4.0, n_samples)
    rows = [
        sparse.csr_matrix(rng.poisson(length * shares[label]).astype(np.int32))
        for length, label in zip(lengths, y, strict=True)
    ]
    X = sparse.vstack(rows, format="csr")
    description = (
        f"Counts of {n_features} words; {n_informative} of them are {ratio:g} times as frequent in one of two "
        "classes."
    )
    return bunch(X, y, truth, description)


def make_dorothea_like(
    n_samples: int = 800,
    n_features: int = 100_000,
    *,
    n_informative: int = 100,
    density: float = 0.009,
    positive: float = 0.1,
    strength: float = 0.5,
    random_state: RandomState = None,
) -> Bunch:
    """Generate sparse bits of molecules, few of which bind, similar to "Dorothea" of the NIPS 2003 challenge.

    Frequencies of the bits are log-uniform over two orders of magnitude. Half of the features are probes: random bits
    with the frequencies of real ones. An informative bit is also set in the share `strength` of binding molecules.

    Parameters
    ----------
    n_samples, n_features : int, default=800, 100000
    n_informative : int, default=100
        Number of true features, among those that are not probes.
    density : float, default=0.009
        Share of bits that are set.
    positive : float, default=0.1
        Share of molecules that bind.
    strength : float, default=0.5
        Share of binding molecules in which an informative bit is set.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    data : Bunch
        ``data`` (CSC matrix of 0 and 1), ``target`` (-1, 1), ``truth``, ``feature_names``, ``DESCR``, ``probes``
        (positions).

    See Also
    --------
    make_microarray : Gene expression.
    make_text : Sparse counts of words.

    Examples
    --------
    >>> from thresher import MIM
    >>> from thresher.datasets import make_dorothea_like
    >>> made = make_dorothea_like(n_features=10_000, random_state=0)
    >>> first = MIM(20).fit(made.data, made.target).selected_
    >>> len(set(first.tolist()) & set(made.truth.tolist()))
    20
    """
    check_number("n_samples", n_samples, minimum=2, integer=True)
    check_number("n_features", n_features, minimum=2, integer=True)
    check_number("n_informative", n_informative, minimum=1, maximum=n_features // 2, integer=True)
    check_number("density", density, minimum=0, maximum=0.2, exclusive_minimum=True)
    check_number("positive", positive, minimum=0, maximum=1, exclusive_minimum=True)
    check_number("strength", strength, minimum=0, maximum=1)
    rng = draw(random_state, 7)
    n_positive = min(max(1, round(positive * n_samples)), n_samples - 1)
    y = rng.permutation(np.where(np.arange(n_samples) < n_positive, 1, -1))
    n_probes = n_features // 2
    n_real = n_features - n_probes
    # The mean of a log-uniform law over [a, 100 a] is 99 a / log(100).
    share = density * np.log(100) / 99 * 100 ** rng.random((1, n_real))
    rates = np.repeat(share, 2, axis=0)  # of molecules that do not bind, and of those that do
    rates[1, :n_informative] += strength * (1 - rates[1, :n_informative])
    copied = rng.integers(0, n_real, n_probes)
    overall = rates[0] + (rates[1] - rates[0]) * n_positive / n_samples
    order = rng.permutation(n_features)
    rates = np.concatenate([rates, np.tile(overall[copied], (2, 1))], axis=1)[:, order]
    rows = [
        np.flatnonzero(rng.random(n_features, dtype=np.float32) < rates[label])
        for label in (y > 0).astype(int)
    ]
    ends = np.cumsum([0] + [len(row) for row in rows])
    columns = np.concatenate(rows).astype(np.int32)
    bits = np.ones(len(columns), dtype=np.int8)
    X = sparse.csr_matrix((bits, columns, ends.astype(np.int32)), shape=(n_samples, n_features))
    position = np.argsort(order)
    description = (
        f"{n_features} sparse bits of {n_samples} molecules, {n_positive} of which bind; {n_informative} bits are more "
        f"often set in those, {n_probes} are probes."
    )
    return bunch(
        X.tocsc(), y, position[:n_informative], description, probes=np.sort(position[n_real:])
    )
