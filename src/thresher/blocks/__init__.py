"""Rows in blocks that stay where they are: other processes, other machines, or yesterday's."""

from thresher.blocks._kept import KeptRows
from thresher.blocks._list import ListEngine
from thresher.blocks._measures import FarMeasures
from thresher.blocks._open import is_far, make_measures, open_engine
from thresher.blocks._protocol import WHOLE_COLUMNS, RowBlock
from thresher.blocks._split import split_columns
from thresher.blocks._tall_files import TallFiles
from thresher.blocks._training import FarTraining, read_far_training
