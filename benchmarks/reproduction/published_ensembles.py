"""Numbers printed by B. Schowe and K. Morik, "Fast-Ensembles of Minimum Redundancy Feature
Selection".

Facts copied from the paper's Tables 1 to 5, to be compared with ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.folders import DATA_FOLDER

SIZES = (10, 20, 30, 40, 50)

# The paper's wins / ties / losses over all data sets, learners and k.
TOTALS = {
    ("fast", "plain"): (884, 52, 634),
    ("inner", "plain"): (785, 55, 730),
    ("fast", "inner"): (849, 50, 671),
}


@dataclass(frozen=True)
class Published:
    """One data set of the paper.

    ``fast`` contains the pairs computed by the Fast Ensemble for k = 10, 20, ... by number of parts,
    ``pvalues`` those of the stability test at k = 10 and 20, ``best`` how often Fast / Inner /
    Plain gave the best accuracy, by learner.
    """

    title: str
    file: str
    nominal: bool
    fast: dict[int, tuple[int, ...]]
    pvalues: tuple[float, float]
    best: dict[str, tuple[int, int, int]]

    def sizes(self) -> tuple[int, ...]:
        """Return the numbers of features that its counts refer to."""
        return SIZES[: len(self.fast[5])]

    def load(self) -> tuple[Any, Any]:
        """Return ``X, y``; exit with a message if the optional data folder is not there."""
        path = DATA_FOLDER / f"{self.file}.npz"
        if not path.exists():
            raise SystemExit(
                f"{path} is missing. Put the data sets of the scikit-feature repository and of UCI "
                "there as .npz files with X and y (or name their folder in THRESHER_DATA)."
            )
        with np.load(path, allow_pickle=False) as file:
            return file["X"], file["y"]


PUBLISHED = [
    Published(
        "LUNG",
        "lung_small",
        nominal=True,
        fast={
            5: (12505, 20844, 26410, 29322, 32472),
            10: (16929, 24055, 29539, 31239, 33274),
            20: (22099, 27550, 30820, 32269, 33669),
        },
        pvalues=(4.1e-07, 4e-14),
        best={
            "5NN": (23, 11, 15),
            "NB": (21, 16, 12),
            "RF": (16, 15, 19),
        },
    ),
    Published(
        "COLON",
        "colon",
        nominal=True,
        fast={
            5: (61535, 104622, 145299, 183629, 221559),
            10: (98775, 129855, 156840, 193149, 232860),
            20: (114347, 137585, 166430, 198849, 234740),
        },
        pvalues=(1.4e-09, 1.1e-06),
        best={
            "5NN": (23, 14, 13),
            "NB": (16, 20, 10),
            "RF": (8, 22, 18),
        },
    ),
    Published(
        "LEUKEMIA",
        "leukemia",
        nominal=True,
        fast={
            5: (267957, 464475, 667185, 834309, 952340),
            10: (471479, 681134, 876000, 1007784, 1125390),
            20: (590394, 827357, 987000, 1111569, 1242707),
        },
        pvalues=(2.6e-11, 1.9e-15),
        best={
            "5NN": (17, 21, 11),
            "NB": (20, 11, 19),
            "RF": (21, 19, 7),
        },
    ),
    Published(
        "LYMPHOMA",
        "lymphoma",
        nominal=True,
        fast={
            5: (176198, 354398, 526680, 677766, 800598),
            10: (314973, 623705, 865436, 1065723, 1218735),
            20: (565565, 1024385, 1296456, 1487010, 1631750),
        },
        pvalues=(1.2e-10, 4.4e-14),
        best={
            "5NN": (32, 6, 11),
            "NB": (43, 5, 2),
            "RF": (44, 2, 2),
        },
    ),
    Published(
        "NCI60",
        "nci9",
        nominal=True,
        fast={
            5: (416713, 860452, 1244592, 1598497, 1960542),
            10: (754533, 1369093, 1884442, 2292727, 2651998),
            20: (1177483, 2226388, 2802838, 3272563, 3515832),
        },
        pvalues=(2.4e-14, 0.0),
        best={
            "5NN": (20, 17, 10),
            "NB": (31, 8, 9),
            "RF": (17, 22, 9),
        },
    ),
    Published(
        "SONAR",
        "sonar",
        nominal=False,
        fast={
            5: (927, 1235, 1577, 1694, 1815),
            10: (1010, 1235, 1577, 1710, 1815),
            20: (884, 1269, 1577, 1725, 1815),
        },
        pvalues=(0.0085, 0.0025),
        best={
            "5NN": (18, 13, 19),
            "NB": (14, 22, 13),
            "RF": (23, 15, 11),
            "SVM": (18, 19, 12),
            "LR": (15, 22, 12),
        },
    ),
    Published(
        "IONOSPHERE",
        "ionosphere",
        nominal=False,
        fast={
            5: (405, 567, 594),
            10: (424, 550, 595),
            20: (424, 540, 595),
        },
        pvalues=(0.022, 0.19951),
        best={
            "5NN": (18, 4, 11),
            "NB": (17, 7, 10),
            "RF": (19, 4, 10),
            "SVM": (20, 11, 2),
            "LR": (18, 9, 6),
        },
    ),
    Published(
        "MUSK",
        "musk",
        nominal=False,
        fast={
            5: (3991, 5346, 6235, 7866, 8710),
            10: (3991, 5346, 6235, 7756, 8505),
            20: (4131, 5083, 6111, 7756, 8505),
        },
        pvalues=(3.1e-06, 1.4e-08),
        best={
            "5NN": (4, 17, 29),
            "NB": (2, 27, 21),
            "RF": (14, 6, 7),
            "SVM": (21, 13, 16),
            "LR": (18, 9, 20),
        },
    ),
    Published(
        "H.W. DIGITS",
        "optdigits",
        nominal=False,
        fast={
            5: (649, 1300, 1552, 1827, 2025),
            10: (702, 1260, 1584, 1827, 2052),
            20: (702, 1260, 1584, 1827, 2052),
        },
        pvalues=(0.082, 0.0058),
        best={
            "5NN": (37, 7, 6),
            "NB": (27, 8, 14),
            "RF": (17, 19, 14),
        },
    ),
]
