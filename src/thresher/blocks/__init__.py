"""Rows in blocks that stay where they are: other processes, other machines, or yesterday's."""

from thresher.blocks.engine import WHOLE_COLUMNS, RowBlock, split_columns
from thresher.blocks.local import ListEngine, TallFiles
from thresher.blocks.measures import FarMeasures
from thresher.blocks.open import is_far, make_measures, open_engine
from thresher.blocks.row_store import KeptRows
from thresher.blocks.training import FarTraining, read_far_training
