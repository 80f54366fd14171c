"""Training data: what was passed to `fit`, read and checked, wherever the rows are."""

from thresher._utils.checks import resolve_threads
from thresher.data.chunks import RowChunks
from thresher.data.files import FileRows, bytes_for_one_column, read_files, reject_files
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
from thresher.data.table import (
    FeatureRoles,
    FileTable,
    Schema,
    Table,
    feature_blocks,
    named_columns,
    powers_of_two,
    rescaled,
    to_feature_major,
)
from thresher.data.target import (
    MOST_CLASSES,
    MOST_DISCRETE_VALUES,
    MOST_FLOAT_CLASSES,
    TARGETS,
    Target,
    TargetSummary,
    WeightKind,
    are_counted,
    are_whole,
    as_numbers,
    check_weights,
    distinct_labels,
    has_classes,
    in_range,
    one_dimensional,
    range_shift,
    read_target,
    read_weights,
    reject_missing_labels,
    warn_of_few,
    weight_numbers,
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
    reject_no_complete_row,
    reject_one_row,
    rows_and_columns,
    separate_columns,
    split_remote_options,
    unmasked,
)
