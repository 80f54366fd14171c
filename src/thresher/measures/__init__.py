"""Measures: association between two features, or a feature and the target, from sums over rows."""

from thresher.measures._codes import (
    Bins,
    Codes,
    code_features,
    code_target,
    columns_to_bin,
    slab_coder,
    too_many_levels,
)
from thresher.measures._local import ChosenRows, LocalMeasures, refuse_classes
from thresher.measures._names import (
    BY_CLASS,
    DISPERSIONS,
    KINDS,
    REDUNDANCIES,
    RELEVANCES,
    SEPARATIONS,
    SIMILARITIES,
    TESTED,
    MeasureName,
    are_discrete,
    measures_of,
)
from thresher.measures._parts import PartSets
from thresher.measures._protocol import Measures, SearchMeasures
from thresher.measures._replicates import SharedReplicates, SummedReplicates
from thresher.measures.columns import anova_f
from thresher.measures.functions import (
    chi_squared,
    class_r_squared,
    cosine,
    f_statistic,
    mutual_information,
    normalized_mutual_information,
    pearson,
    r_squared,
    spearman,
    symmetrical_uncertainty,
)
from thresher.measures.sums import ClassMoments, PairCounts, PairMoments

__all__ = [
    "BY_CLASS",
    "DISPERSIONS",
    "KINDS",
    "REDUNDANCIES",
    "RELEVANCES",
    "SEPARATIONS",
    "SIMILARITIES",
    "TESTED",
    "Bins",
    "ChosenRows",
    "ClassMoments",
    "Codes",
    "LocalMeasures",
    "MeasureName",
    "Measures",
    "PairCounts",
    "PairMoments",
    "PartSets",
    "SearchMeasures",
    "SharedReplicates",
    "SummedReplicates",
    "anova_f",
    "are_discrete",
    "chi_squared",
    "class_r_squared",
    "code_features",
    "code_target",
    "columns_to_bin",
    "cosine",
    "f_statistic",
    "measures_of",
    "mutual_information",
    "normalized_mutual_information",
    "pearson",
    "r_squared",
    "refuse_classes",
    "slab_coder",
    "spearman",
    "symmetrical_uncertainty",
    "too_many_levels",
]
