"""Where rows come from: arrays, sparse matrices, dataframes; and the target that goes with them."""

from thresher._utils.checks import resolve_threads
from thresher.data._chunks import RowChunks
from thresher.data._columns import Columns, calling_columns
from thresher.data._far import Far, check_far, column_names, split_far
from thresher.data._file_table import FileTable
from thresher.data._file_training import read_files, refuse_files
from thresher.data._frames import (
    dense_frame,
    is_frame,
    read_frame,
    sparse_frame,
    take,
    take_columns,
    to_native,
    with_shuffled_copies,
)
from thresher.data._rules import InputRules
from thresher.data._size import powers_of_two, rescaled
from thresher.data._slabs import bytes_for_one_column
from thresher.data._table import ColumnScan, Table, feature_blocks, to_feature_major
from thresher.data._target import (
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
from thresher.data._training import (
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
from thresher.data._weights import (
    are_counted,
    are_whole,
    check_weights,
    in_range,
    range_shift,
    read_weights,
    warn_of_few,
    weight_numbers,
)
