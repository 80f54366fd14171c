"""Where rows come from: arrays, sparse matrices, dataframes; and the target that goes with them."""

from thresher._utils.checks import resolve_threads
from thresher.data.chunks import RowChunks
from thresher.data.column_groups import bytes_for_one_column
from thresher.data.files import FileTable, read_files, refuse_files
from thresher.data.frames import (
    dense_frame,
    is_frame,
    read_frame,
    sparse_frame,
    take,
    take_columns,
    to_native,
    with_shuffled_copies,
)
from thresher.data.schema import Columns, calling_columns
from thresher.data.table import (
    ColumnScan,
    Table,
    feature_blocks,
    powers_of_two,
    rescaled,
    to_feature_major,
)
from thresher.data.target import (
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
from thresher.data.training import (
    Far,
    InputRules,
    Training,
    check_far,
    checked_training,
    column_names,
    indexable,
    read_table,
    read_training,
    refuse_one_row,
    refuse_unusable_values,
    rows_and_columns,
    split_far,
    unmasked,
)
from thresher.data.weights import (
    are_counted,
    are_whole,
    check_weights,
    in_range,
    range_shift,
    read_weights,
    warn_of_few,
    weight_numbers,
)
