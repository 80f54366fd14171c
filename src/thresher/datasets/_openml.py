"""The public data sets of the papers, from OpenML."""

from __future__ import annotations

import warnings
from os import PathLike
from typing import NamedTuple

from sklearn.datasets import fetch_openml
from sklearn.utils import Bunch

from thresher._utils.checks import check_bool, check_choice
from thresher._utils.tables import Output, as_table
from thresher._utils.types import Frame, Values

_ENSEMBLES = "Schowe and Morik (2010)"
_RRCT = "Tsanas, Little and McSharry (2010)"
_RRFS = "Ferreira and Figueiredo (2012)"
_CMI = "Lee and Kim"
_CONSISTENCY = "Pino Angulo (2019)"


class _Entry(NamedTuple):
    """A data set by its name on OpenML, with the shape it must have."""

    name: str
    n_samples: int
    n_features: int
    papers: str


_ENTRIES = {
    entry.name: entry
    for entry in (
        _Entry("sonar", 208, 60, _ENSEMBLES),
        _Entry("ionosphere", 351, 34, f"{_ENSEMBLES}, {_RRFS}"),
        _Entry("optdigits", 5620, 64, f"{_ENSEMBLES}, {_CONSISTENCY}"),
        _Entry("hepatitis", 155, 19, f"{_RRCT}, {_RRFS}"),
        _Entry("wdbc", 569, 30, _RRCT),
        _Entry("parkinsons", 195, 22, _RRCT),
        _Entry("heart-statlog", 270, 13, _RRCT),
        _Entry("boston", 506, 13, _RRCT),
        _Entry("fri_c2_500_50", 500, 50, _RRCT),
        _Entry("fri_c4_500_50", 500, 50, _RRCT),
        _Entry("fri_c2_1000_50", 1000, 50, _RRCT),
        _Entry("fri_c4_1000_50", 1000, 50, _RRCT),
        _Entry("arcene", 200, 10000, _CONSISTENCY),
        _Entry("dexter", 600, 20000, _RRFS),
        _Entry("dorothea", 1150, 100000, _RRFS),
        _Entry("madelon", 2600, 500, _CMI),
        _Entry("semeion", 1593, 256, _CONSISTENCY),
        _Entry("pendigits", 10992, 16, _CONSISTENCY),
        _Entry("kr-vs-kp", 3196, 36, _CONSISTENCY),
        _Entry("mushroom", 8124, 22, _CONSISTENCY),
        _Entry("nursery", 12960, 8, _CONSISTENCY),
        _Entry("waveform-5000", 5000, 40, _CONSISTENCY),
        _Entry("segment", 2310, 19, _CONSISTENCY),
        _Entry("dermatology", 366, 34, _CONSISTENCY),
        _Entry("arrhythmia", 452, 279, _CONSISTENCY),
        _Entry("leukemia", 72, 7129, f"{_RRFS}, {_CMI}, {_CONSISTENCY}"),
    )
}


def list_paper_data(output: Output = "pandas") -> Frame:
    """List the data sets that `fetch_paper_data` can download.

    Parameters
    ----------
    output : {"pandas", "polars", "dict"}, default="pandas"

    Returns
    -------
    table : DataFrame or dict
        ``name``, ``n_samples``, ``n_features``, ``papers``.

    See Also
    --------
    fetch_paper_data : Download one of them.

    Examples
    --------
    >>> list_paper_data("dict")["name"][:3]
    ['sonar', 'ionosphere', 'optdigits']
    """
    entries = _ENTRIES.values()
    columns = {field: [getattr(entry, field) for entry in entries] for field in _Entry._fields}
    return as_table(columns, output)


def fetch_paper_data(
    name: str,
    *,
    data_home: str | PathLike[str] | None = None,
    cache: bool = True,
    as_frame: bool = False,
) -> Bunch:
    """Download a public data set of the papers from openml.org.

    Parameters
    ----------
    name : str
        A name in `list_paper_data`.
    data_home : path, default=None
        Folder of downloads; None: the folder of scikit-learn.
    cache : bool, default=True
        Store the download, and use a stored one.
    as_frame : bool, default=False
        Return ``data`` and ``target`` of pandas, which data sets with categories require.

    Returns
    -------
    data : Bunch
        The result of `sklearn.datasets.fetch_openml`, with ``data``, ``target``, ``feature_names`` and ``DESCR``. The
        true features are unknown.

    See Also
    --------
    list_paper_data : The available data sets.

    Notes
    -----
    Only this function downloads anything. A download with another shape than in the papers is rejected.
    """
    entry = _ENTRIES[check_choice("name", name, tuple(_ENTRIES))]
    check_bool("as_frame", as_frame)
    # Sparse files cannot be dataframes; "auto" lets scikit-learn decide.
    frame = "auto" if as_frame else False
    settings: Values = {"data_home": data_home, "cache": cache, "as_frame": frame, "parser": "auto"}
    try:
        with warnings.catch_warnings():
            # There is one warning per attempt; the error below contains the reason.
            warnings.filterwarnings("ignore", "A network error occurred")
            data = fetch_openml(entry.name, version=1, **settings)
    except OSError as error:
        raise ConnectionError(
            f"{entry.name} could not be fetched from openml.org ({error}). Connect to the internet, "
            "or set data_home to a folder with the data"
        ) from error
    if data.data.shape != (entry.n_samples, entry.n_features):
        raise ValueError(
            f"openml.org sent {entry.name} with shape {data.data.shape}, "
            f"not {(entry.n_samples, entry.n_features)}; it is no longer the data set of the papers"
        )
    return data
