"""Numbers printed in chapters 4 and 5 of A. Pino Angulo's doctoral thesis, for two-stage searches.

Facts copied from its Tables 4.6 and 5.1 to 5.4, to be compared with ours. The data sets have short names there that
none of ours is known by; the rows of Table 5.1 have lost theirs.
"""

from __future__ import annotations

from typing import NamedTuple


class Bees(NamedTuple):
    """Tables 5.2 to 5.4: accuracy, seconds and genes of GBC and of GBC+."""

    accuracy: tuple[float, float]
    seconds: tuple[float, float]
    genes: tuple[int, int]


BEES = {
    "STJ": Bees((0.76, 0.94), (548, 8.52), (1, 22)),
    "BRE": Bees((0.94, 0.96), (50.3, 16.7), (7, 12)),
    "ECM": Bees((1.00, 1.00), (907, 31.1), (1, 2)),
    "HEP": Bees((1.00, 1.00), (87.6, 7.06), (9, 11)),
    "BUR": Bees((0.96, 0.98), (187, 51.8), (10, 14)),
    "DA1": Bees((0.99, 0.99), (196, 120), (6, 7)),
    "DA2": Bees((0.93, 0.97), (83.6, 35.5), (9, 13)),
    "DA3": Bees((0.97, 1.00), (88.3, 15.7), (7, 10)),
    "DA4": Bees((0.85, 0.98), (337, 101), (9, 20)),
    "DA5": Bees((0.98, 0.98), (155, 67.9), (10, 11)),
    "DA6": Bees((1.00, 1.00), (157, 106), (11, 12)),
    "ANT": Bees((0.87, 0.99), (244, 187), (7, 19)),
    "MOU": Bees((0.68, 0.99), (346, 42.6), (1, 27)),
    "OVA": Bees((0.96, 0.98), (331, 123), (6, 10)),
    "VAR": Bees((0.89, 0.99), (1704, 387), (13, 39)),
}

# Table 5.1: per cent of evaluations saved by the first and the second stopping rule, the table of scored sets, all.
SAVED = {
    "row 1": (79, None, 94, 81),
    "row 2": (75, None, 41, 85),
    "row 3": (64, None, 51, 84),
    "row 4": (64, None, 72, 88),
    "row 5": (60, None, 76, 73),
    "row 6": (63, 92, 93, 86),
    "average": (67, 92, 71, 83),
}

# The same for time.
TIME_SAVED = {
    "row 1": (41, None, 55, 44),
    "row 2": (73, None, 40, 85),
    "row 3": (62, None, 50, 84),
    "row 4": (52, None, 63, 73),
    "row 5": (27, None, 52, 52),
    "row 6": (26, 68, 61, 53),
    "average": (47, 68, 53, 65),
}

# Table 4.6: seconds of MRMR within GBC and of all of it, then of MRMR+ and all of it, and the same for MRMR-GA; data
# sets that have all.
FILTER_SECONDS = {
    "STJ": (31.1, 38.9, 7.45, 16.1, 84.3, 102, 13.5, 31.4),
    "BRE": (16.2, 22.9, 4.71, 9.64, 58.7, 72.8, 14.02, 28.5),
    "ECM": (31.1, 49.3, 19.7, 35.3, 32.9, 53.0, 17.81, 37.6),
    "HEP": (8.01, 29.4, 4.92, 21.6, 22.4, 52.1, 9.34, 36.8),
    "BUR": (23.3, 156, 4.87, 136, 21.4, 47.6, 5.31, 30.4),
    "LA2": (1290, 1341, 83.2, 148, 132, 194, 31.7, 90.4),
    "LA1": (2519, 2977, 91.6, 503, 139, 201, 25.4, 83.0),
    "OHS": (345, 432, 17.2, 103, 215, 267, 29.3, 83.3),
    "NEW": (3451, 4420, 82.7, 1029, 2437, 3012, 61.5, 686),
    "T31": (34.2, 64.3, 2.54, 29.7, 89.4, 145, 6.44, 63.2),
    "DA1": (934, 1271, 206, 541, 203, 298, 69.9, 167),
    "DA4": (318, 571, 51.1, 296, 221, 322, 86.4, 191),
    "DA5": (421, 929, 32.7, 541, 184, 271, 107, 203),
    "DA6": (1473, 2927, 219, 1782, 309, 438, 103, 229),
    "ANT": (3732, 5213, 291, 1697, 378, 522, 81.6, 221),
    "MOU": (1349, 2168, 154, 924, 382, 471, 39.3, 146),
    "OVA": (569, 921, 31.7, 390, 469, 635, 80.2, 240),
    "VAR": (2981, 3172, 149, 382, 671, 789, 109, 227),
}
