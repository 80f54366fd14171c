"""Where rows come from: arrays, sparse matrices, dataframes; and the target that goes with them."""

from thresher._checks import resolve_threads
from thresher.sources._chunks import RowChunks
from thresher.sources._columns import Columns
from thresher.sources._far import Far
from thresher.sources._frames import is_frame, take_columns
from thresher.sources._table import Table, feature_blocks, to_feature_major
from thresher.sources._target import MOST_DISCRETE_VALUES, Target, read_target
from thresher.sources._training import Training, indexable, read_table, read_training, unmasked
from thresher.sources._weights import read_weights

__all__ = [
    "MOST_DISCRETE_VALUES",
    "Columns",
    "Far",
    "RowChunks",
    "Table",
    "Target",
    "Training",
    "feature_blocks",
    "indexable",
    "is_frame",
    "read_table",
    "read_target",
    "read_training",
    "read_weights",
    "resolve_threads",
    "take_columns",
    "to_feature_major",
    "unmasked",
]
