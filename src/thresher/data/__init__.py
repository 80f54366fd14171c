"""Training data: what was passed to `fit`, read and checked, wherever the rows are."""

from thresher._utils.checks import resolve_threads
from thresher.data.chunks import RowChunks
from thresher.data.column_groups import bytes_for_one_column
from thresher.data.files import FileRows, read_files, refuse_files
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
from thresher.data.schema import MOST_DISCRETE_VALUES, FeatureRoles, Schema, calling_columns
from thresher.data.table import (
    FileTable,
    Table,
    feature_blocks,
    powers_of_two,
    rescaled,
    to_feature_major,
)
from thresher.data.target import (
    TARGETS,
    Target,
    TargetSummary,
    as_numbers,
    distinct_labels,
    holds_classes,
    one_dimensional,
    read_target,
    refuse_missing_labels,
)
from thresher.data.training import (
    InputRules,
    LocalData,
    RemoteOptions,
    TrainingData,
    check_remote_options,
    check_training,
    column_names,
    indexable,
    read_table,
    read_training,
    reader_named,
    refuse_one_row,
    rows_and_columns,
    split_remote_options,
    unmasked,
)
from thresher.data.weights import (
    WeightKind,
    are_counted,
    are_whole,
    check_weights,
    in_range,
    range_shift,
    read_weights,
    warn_of_few,
    weight_numbers,
)
