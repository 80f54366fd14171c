"""Where rows come from: arrays, sparse matrices, dataframes; and the target that goes with them."""

from thresher._checks import resolve_threads
from thresher.sources._chunks import RowChunks
from thresher.sources._columns import Columns, calling_columns
from thresher.sources._far import Far, check_far, column_names, split_far
from thresher.sources._file_table import FileTable
from thresher.sources._file_training import read_files, refuse_files
from thresher.sources._frames import (
    dense_frame,
    is_frame,
    read_frame,
    sparse_frame,
    take,
    take_columns,
    to_native,
    with_shuffled_copies,
)
from thresher.sources._rules import InputRules
from thresher.sources._size import powers_of_two, rescaled
from thresher.sources._slabs import bytes_for_one_column
from thresher.sources._table import ColumnScan, Table, feature_blocks, to_feature_major
from thresher.sources._target import (
    MOST_DISCRETE_VALUES,
    TARGETS,
    Target,
    as_numbers,
    distinct_labels,
    holds_classes,
    one_dimensional,
    read_target,
    refuse_missing_labels,
)
from thresher.sources._training import (
    Training,
    checked_training,
    indexable,
    read_table,
    read_training,
    refuse_one_row,
    refuse_unusable_values,
    rows_and_columns,
    unmasked,
)
from thresher.sources._weights import (
    are_counted,
    are_whole,
    check_weights,
    in_range,
    range_shift,
    read_weights,
    warn_of_few,
    weight_numbers,
)
