"""Rows in blocks, processed in place: in other processes, on other machines, or stored by earlier calls."""

from thresher.blocks.engine import WHOLE_COLUMNS, ListEngine, RowBlock, split_columns
from thresher.blocks.open import (
    is_in_blocks,
    make_measures,
    open_engine,
    open_training_data,
    reject_blocks,
)
from thresher.blocks.row_store import StoredRows
