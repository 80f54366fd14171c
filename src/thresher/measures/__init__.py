"""Measures: association between two features, or a feature and the target, from sums over rows."""

from thresher.measures._codes import (
    Bins,
    Codes,
    PartSets,
    code_features,
    column_group_coder,
    columns_to_bin,
    too_many_levels,
)
from thresher.measures._local import ChosenRows, LocalMeasures, reject_classes
from thresher.measures._names import (
    BY_CLASS,
    DISPERSIONS,
    KINDS,
    SEPARATIONS,
    SIMILARITIES,
    TESTED,
    MeasureName,
    are_discrete,
    measures_of,
)
from thresher.measures._protocol import Measures, SearchMeasures
from thresher.measures._replicates import SharedReplicates, SummedReplicates
from thresher.measures.columns import anova_f
from thresher.measures.functions import (
    association,
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

# The public names; the other imports are for the rest of the package.
__all__ = [
    "Bins",
    "ClassMoments",
    "PairCounts",
    "PairMoments",
    "anova_f",
    "association",
    "chi_squared",
    "class_r_squared",
    "cosine",
    "f_statistic",
    "mutual_information",
    "normalized_mutual_information",
    "pearson",
    "r_squared",
    "spearman",
    "symmetrical_uncertainty",
]
