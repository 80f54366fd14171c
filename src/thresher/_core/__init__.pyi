from collections.abc import Callable
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

# --- system -------------------------------------------------------------------------------------

def isa_level() -> str: ...
def ascending(values: NDArray[np.float64]) -> NDArray[np.int64]: ...

class Stop:
    def __init__(self) -> None: ...
    def request(self) -> None: ...
    @property
    def requested(self) -> bool: ...

def exchange_stop(stop: Stop | None) -> Stop | None: ...
def has_stop() -> bool: ...
def stop_requested() -> bool: ...
def forget_calls() -> None: ...
def ascending(values: NDArray[numpy.float64]) -> NDArray[numpy.int64]: ...
def isa_level() -> str: ...

# --- pair measures ------------------------------------------------------------------------------

class PairMeasure:
    @property
    def n_features(self) -> int: ...
    @property
    def n_replicates(self) -> int: ...
    @property
    def is_symmetric(self) -> bool: ...
    def values(self, reference: int, features: NDArray[np.uint32]) -> NDArray[np.float64]: ...

class ReplicateCache:
    def __init__(
        self, base: PairMeasure, memory_limit: int = 0, own_replicates: bool = False
    ) -> None: ...
    @property
    def n_distinct(self) -> int: ...
    @property
    def n_computed(self) -> int: ...
    @property
    def full(self) -> bool: ...

class ReplicateView(PairMeasure):
    def __init__(self, cache: ReplicateCache, replicate: int) -> None: ...

class SummedReplicates(PairMeasure):
    def __init__(self, base: PairMeasure, replicates: list[int]) -> None: ...

# --- continuous features ------------------------------------------------------------------------

def feature_major(
    array: NDArray[Any], n_threads: int = 1, order: NDArray[np.uint32] | None = None
) -> NDArray[Any]: ...
def doubled_ranks(matrix: NDArray[Any], n_threads: int = 1) -> NDArray[Any]: ...

class NumericTable:
    def __init__(
        self,
        matrix: NDArray[Any],
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[np.float64] | None = None,
        n_threads: int = 1,
        missing: str = "error",
    ) -> None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_replicates(self) -> int: ...
    @property
    def mean(self) -> NDArray[np.float64]: ...
    @property
    def minimum(self) -> NDArray[np.float64]: ...
    @property
    def maximum(self) -> NDArray[np.float64]: ...
    @property
    def constant(self) -> NDArray[np.bool_]: ...
    @property
    def constant_parts(self) -> NDArray[np.bool_]: ...
    def relevance_of_classes(
        self, measure: str, classes: NDArray[np.int32], n_classes: int, n_threads: int = 1
    ) -> NDArray[np.float64]: ...
    def relevance_of_numbers(
        self, measure: str, values: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]: ...

class NumericPairMeasure(PairMeasure):
    def __init__(self, table: NumericTable, measure: str, n_threads: int = 1) -> None: ...

class RankPairMeasure(PairMeasure):
    def __init__(
        self,
        matrix: NDArray[Any],
        n_threads: int = 1,
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def n_rows(self) -> int: ...
    def relevance_spearman(self, values: NDArray[np.float64]) -> NDArray[np.float64]: ...

# --- discretisers -------------------------------------------------------------------------------

def cuts_equal_frequency(
    matrix: NDArray[Any],
    n_bins: int,
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def cuts_equal_width(
    matrix: NDArray[Any],
    n_bins: int,
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def cuts_mean_sd(
    matrix: NDArray[Any],
    t: float = 1.0,
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def cuts_mdl(
    matrix: NDArray[Any],
    classes: NDArray[np.int32],
    n_classes: int,
    weka_count: bool = False,
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def cuts_sparse(
    values: NDArray[Any],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    n_rows: int,
    wanted: NDArray[np.uint8],
    rule: str,
    setting: float,
    classes: NDArray[np.int32] | None = None,
    n_classes: int = 1,
    weights: NDArray[np.float64] | None = None,
    n_threads: int = 1,
) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def apply_cuts_sparse(
    values: NDArray[Any],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    n_rows: int,
    wanted: NDArray[np.uint8],
    cuts: NDArray[np.float64],
    offsets: NDArray[np.int64],
    n_threads: int = 1,
) -> NDArray[Any]: ...
def apply_cuts(
    matrix: NDArray[Any],
    cuts: NDArray[np.float64],
    offsets: NDArray[np.int64],
    n_threads: int = 1,
) -> NDArray[np.uint8]: ...

# --- searches -----------------------------------------------------------------------------------

class ForwardSearch:
    def extend(self, n_more: int | None = None) -> None: ...
    def result(self) -> dict[str, Any]: ...
    @property
    def exhausted(self) -> bool: ...

def greedy_forward(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> ForwardSearch: ...
def cfs_forward(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    *,
    n_select: int | None = None,
    strategy: str = "lazy",
    unit: float = 1.0,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> ForwardSearch: ...
def cfs_best_first(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    *,
    max_stale: int = 5,
    min_gain: float = 1e-5,
    zero_to_one: bool = False,
    locally_predictive: bool = False,
    unit: float = 1.0,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
) -> dict[str, Any]: ...
def fcbf(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    threshold: float = 0.0,
    *,
    n_select: int | None = None,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> ForwardSearch: ...
def greedy_accumulate(
    term: PairMeasure,
    relevance: NDArray[np.float64],
    n_select: int,
    *,
    accumulation: str,
    strategy: str = "lazy",
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> ForwardSearch: ...
def greedy_ensemble(
    measure: PairMeasure,
    relevance: NDArray[np.float64],
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    replicates: NDArray[np.uint32] | None = None,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    memory_limit: int = 0,
    always_share: bool = False,
) -> dict[str, Any]: ...
def order_by_relevance(
    relevance: NDArray[np.float64], candidates: NDArray[np.uint8] | None = None
) -> NDArray[np.uint32]: ...

# --- forward selection on numbers and on partitions of rows ---------------------------------------

def rrct(
    ranks: NDArray[Any],
    values: NDArray[Any],
    target: NDArray[np.float64],
    n_select: int,
    *,
    information: bool,
    complementarity: bool,
    magnitude_rule: bool,
    redundancy_scale: float,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
    n_threads: int = 1,
) -> ForwardSearch: ...
def gso(
    columns: NDArray[np.floating[Any]],
    target: NDArray[np.float64],
    n_select: int,
    *,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    weights: NDArray[np.float64] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
    n_threads: int = 1,
) -> ForwardSearch: ...
def cmi_walk(
    table: CodedTable,
    classes: NDArray[np.int32],
    n_classes: int,
    relevance: NDArray[np.float64],
    *,
    n_select: int | None = None,
    take_last: bool = True,
    weights: NDArray[np.int64] | None = None,
    candidates: NDArray[np.uint8] | None = None,
    kept: NDArray[np.uint32] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> ForwardSearch: ...

# --- sparse columns -----------------------------------------------------------------------------

class SparseTable:
    def __init__(
        self,
        starts: NDArray[np.int64],
        rows: NDArray[np.int32],
        values: NDArray[np.float64],
        n_rows: int,
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    @property
    def n_features(self) -> int: ...
    @property
    def constant_parts(self) -> NDArray[np.bool_]: ...
    def relevance_of_classes(
        self, measure: str, classes: NDArray[np.int32], n_classes: int, n_threads: int = 1
    ) -> NDArray[np.float64]: ...
    def relevance_of_numbers(
        self, measure: str, values: NDArray[np.float64], n_threads: int = 1
    ) -> NDArray[np.float64]: ...

class SparsePairMeasure(PairMeasure):
    def __init__(self, table: SparseTable, measure: str, n_threads: int = 1) -> None: ...

# --- sums as values -----------------------------------------------------------------------------

class PairSums:
    def __init__(
        self,
        a: NDArray[np.float64],
        b: NDArray[np.float64],
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    def __add__(self, arg: PairSums, /) -> PairSums: ...
    def __sub__(self, arg: PairSums, /) -> PairSums: ...
    def value(self, arg: str, /) -> float: ...
    def __getstate__(self) -> list[float]: ...

class ClassSums:
    def __init__(
        self,
        values: NDArray[np.float64],
        classes: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64] | None = None,
    ) -> None: ...
    def __add__(self, arg: ClassSums, /) -> ClassSums: ...
    def __sub__(self, arg: ClassSums, /) -> ClassSums: ...
    def value(self, arg: str, /) -> float: ...
    def __getstate__(self) -> list[float]: ...

# --- discrete features --------------------------------------------------------------------------

def scan_columns(array: NDArray[Any], n_threads: int = 1) -> dict[str, Any]: ...
def scan_sparse(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    n_rows: int,
    n_columns: int,
    is_csc: bool,
    n_threads: int = 1,
) -> dict[str, Any]: ...
def sparse_places_rise(
    indptr: NDArray[Any],
    indices: NDArray[Any],
    data: NDArray[Any],
    n_rows: int,
    n_columns: int,
    is_csc: bool,
) -> bool: ...
def value_of_counts(counts: NDArray[np.int64], measure: str) -> float: ...
def value_of_weighted_counts(counts: NDArray[np.float64], measure: str) -> float: ...

class TooManyLevels(ValueError):
    column: int

class CodedTable:
    @staticmethod
    def from_dense(
        array: NDArray[Any],
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[Any] | None = None,
        n_threads: int = 1,
        missing: str = "error",
    ) -> CodedTable: ...
    @staticmethod
    def from_codes(
        codes: NDArray[np.uint8],
        levels: NDArray[np.int32],
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[Any] | None = None,
        n_threads: int = 1,
        missing_code: int = -1,
    ) -> CodedTable: ...
    @staticmethod
    def from_sparse(
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        n_rows: int,
        n_columns: int,
        is_csc: bool,
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[Any] | None = None,
        n_threads: int = 1,
        missing: str = "error",
        dense_bytes: int = 33554432,
    ) -> CodedTable: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_features(self) -> int: ...
    @property
    def n_parts(self) -> int: ...
    @property
    def levels(self) -> NDArray[np.int32]: ...
    @property
    def constant(self) -> NDArray[np.bool_]: ...
    @property
    def constant_parts(self) -> NDArray[np.bool_]: ...
    def take(self, rows: NDArray[np.intp], n_threads: int = 1) -> CodedTable: ...
    def codes(self, feature: int) -> NDArray[np.uint8]: ...
    def matrix(
        self, features: NDArray[np.uint32] | None = None, n_threads: int = 1
    ) -> NDArray[np.uint8]: ...
    def relevance(
        self,
        y_codes: NDArray[np.int32],
        n_classes: int,
        measure: str = "mi",
        n_threads: int = 1,
    ) -> NDArray[np.float64]: ...
    def save(self, path: str | PathLike[str]) -> None: ...
    @staticmethod
    def open(path: str | PathLike[str]) -> CodedTable: ...
    def dump(self) -> bytes: ...
    @staticmethod
    def load(buffer: Any, what: str = "buffer") -> CodedTable: ...
    def __getstate__(self) -> bytes: ...
    def __setstate__(self, state: bytes, /) -> None: ...

class SlabBuilder:
    def __init__(
        self,
        n_rows: int,
        n_features: int,
        parts: NDArray[np.int32] | None = None,
        sets: NDArray[np.uint8] | None = None,
        weights: NDArray[Any] | None = None,
        missing: str = "pairwise",
        dense_bytes: int = 33554432,
    ) -> None: ...
    @property
    def n_bytes(self) -> int: ...
    def append(
        self,
        codes: NDArray[np.uint8],
        levels: NDArray[np.int32],
        missing_code: int = -1,
        n_threads: int = 1,
        write: Callable[[memoryview], object] | None = None,
    ) -> None: ...
    def append_sparse(
        self,
        indptr: NDArray[Any],
        indices: NDArray[Any],
        data: NDArray[Any],
        n_columns: int,
        n_threads: int = 1,
        write: Callable[[memoryview], object] | None = None,
    ) -> None: ...
    def finish(self, written: Any = None) -> CodedTable: ...

class DiscretePairMeasure(PairMeasure):
    def __init__(self, table: CodedTable, measure: str = "mi", n_threads: int = 1) -> None: ...

class ThreeWayMeasure(PairMeasure):
    def __init__(
        self,
        table: CodedTable,
        y_codes: NDArray[np.int32],
        n_classes: int,
        term: str,
        n_threads: int = 1,
    ) -> None: ...

class DeliveredMeasure(PairMeasure):
    @property
    def n_rounds(self) -> int: ...
    @property
    def n_pairs(self) -> int: ...

class CountedPairs(DeliveredMeasure):
    def __init__(
        self,
        ask: Callable[[NDArray[np.uint32], NDArray[np.uint32]], NDArray[np.int64]],
        levels: NDArray[np.int32],
        margins: NDArray[np.int64],
        n_rows: int,
        *,
        measure: str = "mi",
        sets: NDArray[np.uint8] | None = None,
        incomplete: NDArray[np.uint8] | None = None,
        round_size: int | None = None,
    ) -> None: ...

class CountedTriples(DeliveredMeasure):
    def __init__(
        self,
        ask: Callable[[NDArray[np.uint32], NDArray[np.uint32]], NDArray[np.int64]],
        levels: NDArray[np.int32],
        margins: NDArray[np.int64],
        n_rows: int,
        n_classes: int,
        *,
        term: str,
        sets: NDArray[np.uint8] | None = None,
        incomplete: NDArray[np.uint8] | None = None,
        round_size: int | None = None,
    ) -> None: ...

def count_request(
    block: CodedTable,
    references: NDArray[np.uint32],
    features: NDArray[np.uint32],
    incomplete: NDArray[np.uint8] | None = None,
    n_threads: int = 1,
) -> NDArray[np.int64]: ...

class SummedPairs(DeliveredMeasure):
    def __init__(
        self,
        ask: Callable[[NDArray[np.uint32], NDArray[np.uint32]], NDArray[np.float64]],
        sums: NDArray[np.float64],
        centres: NDArray[np.float64],
        minimum: NDArray[np.float64],
        maximum: NDArray[np.float64],
        *,
        measure: str = "pearson",
        sets: NDArray[np.uint8] | None = None,
        round_size: int | None = None,
    ) -> None: ...

def exact_centres(
    minimum: NDArray[np.float64], maximum: NDArray[np.float64], mean: NDArray[np.float64]
) -> NDArray[np.float64]: ...
def column_sums(
    block: NumericTable, centres: NDArray[np.float64], n_threads: int = 1
) -> NDArray[np.float64]: ...
def product_sums(
    block: NumericTable,
    references: NDArray[np.uint32],
    features: NDArray[np.uint32],
    centres: NDArray[np.float64],
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def add_sums(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]: ...

# --- dispersion, separation and similarity of columns --------------------------------------------

def dispersion(
    columns: NDArray[Any], measure: str, skip_missing: bool = False, n_threads: int = 1
) -> NDArray[np.float64]: ...
def dispersion_sparse(
    values: NDArray[Any],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    n_rows: int,
    measure: str,
    skip_missing: bool = False,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def separation(
    columns: NDArray[Any],
    measure: str,
    classes: NDArray[np.int32],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def separation_rows(
    rows: NDArray[Any],
    measure: str,
    classes: NDArray[np.int32],
    n_classes: int,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def redundancy_walk(
    similarity: PairMeasure,
    order: NDArray[np.uint32],
    relevance: NDArray[np.float64],
    *,
    max_kept: int,
    max_similarity: float,
    against_all: bool = False,
    stop_mass: float = -1.0,
    n_kept_before: int = 0,
    n_threads: int = 1,
) -> dict[str, Any]: ...

class FeatureClusters:
    def __init__(
        self,
        measure: PairMeasure,
        features: NDArray[np.uint32],
        relevance: NDArray[np.float64],
        memory: int,
        n_threads: int = 1,
    ) -> None: ...
    def far_apart(self, count: int) -> NDArray[np.uint32]: ...
    def cluster(self, starts: NDArray[np.uint32], max_rounds: int) -> dict[str, Any]: ...
    def similarities(self, place: int) -> NDArray[np.float64]: ...
    @property
    def n_evaluations(self) -> int: ...

# --- neighbours of rows --------------------------------------------------------------------------

def relief_weights(
    columns: NDArray[Any],
    nominal: NDArray[np.uint8],
    classes: NDArray[np.int32],
    n_classes: int,
    rows: NDArray[np.uint32],
    kind: str,
    n_neighbours: int,
    n_threads: int = 1,
    target: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]: ...
def nearest_graph(
    columns: NDArray[Any], n_neighbours: int, n_threads: int = 1
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]: ...
def recursive_elimination(
    columns: NDArray[np.float64],
    signs: NDArray[np.float64],
    used: NDArray[np.uint32],
    never: NDArray[np.uint8],
    counts: NDArray[np.uint32],
    penalty: float,
    tolerance: float,
    n_threads: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[NDArray[np.uint32], NDArray[np.float64], int]: ...
def tell_pairs(
    own: NDArray[np.float64],
    others: NDArray[np.float64],
    squares: NDArray[np.float64],
    classes: NDArray[np.int32],
    n_classes: int,
    gamma: float,
    penalty: float = 1.0,
    tolerance: float = 1e-3,
) -> NDArray[np.float64]: ...
def exponentials(values: NDArray[np.float64]) -> NDArray[np.float64]: ...
def graph_scores(
    columns: NDArray[Any],
    first: NDArray[np.uint32],
    second: NDArray[np.uint32],
    weight: NDArray[np.float64],
    degree: NDArray[np.float64],
    centred: bool,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...
def graph_scores_sparse(
    values: NDArray[Any],
    rows: NDArray[np.int32],
    starts: NDArray[np.int64],
    n_rows: int,
    first: NDArray[np.uint32],
    second: NDArray[np.uint32],
    weight: NDArray[np.float64],
    degree: NDArray[np.float64],
    centred: bool,
    n_threads: int = 1,
) -> NDArray[np.float64]: ...

# --- consistency --------------------------------------------------------------------------------

class TooManyEvaluations(RuntimeError): ...

class Consistency:
    def __init__(
        self,
        codes: CodedTable | NDArray[np.uint8],
        classes: NDArray[np.int32],
        n_classes: int,
        weights: NDArray[np.float64] | None,
        order: NDArray[np.uint32],
        kept: NDArray[np.uint32],
        relevance: NDArray[np.float64],
        measure: str = "bayes",
        tolerance: float = 0.0,
    ) -> None: ...
    @property
    def full_risk(self) -> float: ...
    @property
    def empty_risk(self) -> float: ...
    @property
    def border(self) -> int: ...
    def risk(self, features: NDArray[np.uint32]) -> float: ...
    def leave_one_out(self, features: NDArray[np.uint32]) -> tuple[float, NDArray[np.float64]]: ...
    def sweep(self, rule: str, bound: float) -> tuple[NDArray[np.uint32], float, int]: ...
    def eliminate(
        self,
        strategy: str,
        bound: float,
        alpha: float = 0.0,
        window: float = 0.0,
        expansion: float = 0.0,
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64], int]: ...
    def search(
        self, method: str, bound: float, max_evaluations: int, among: NDArray[np.uint32]
    ) -> tuple[NDArray[np.uint32], int, bool]: ...
    def cover(self, bound: float, tolerance: float = 0.0) -> tuple[NDArray[np.uint32], int]: ...
    def blocks(self) -> NDArray[np.int32]: ...
