"""Evaluation of selections: stability, scores, error bounds, comparisons and cost."""

from thresher.evaluate import cost, errors, false_share, nested, probes, significance, stability
from thresher.evaluate._recommend import Recommendation, recommend
from thresher.evaluate.comparison import Comparison, compare
from thresher.evaluate.errors import error_bound, probe_select
from thresher.evaluate.false_share import estimate_false_share
from thresher.evaluate.nested import NestedScores, nested_score
from thresher.evaluate.number import NumberOfFeatures, select_k
from thresher.evaluate.probes import ProbeBenchmark, probe_fdr
from thresher.evaluate.redundancy import RedundancyMap, redundancy_map
from thresher.evaluate.significance import (
    bonferroni_dunn,
    critical_difference,
    friedman,
    nemenyi,
    wilcoxon_holm,
    wins,
)

__all__ = [
    "Comparison",
    "NestedScores",
    "NumberOfFeatures",
    "ProbeBenchmark",
    "Recommendation",
    "RedundancyMap",
    "bonferroni_dunn",
    "compare",
    "cost",
    "critical_difference",
    "error_bound",
    "errors",
    "estimate_false_share",
    "false_share",
    "friedman",
    "nemenyi",
    "nested",
    "nested_score",
    "probe_fdr",
    "probe_select",
    "probes",
    "recommend",
    "redundancy_map",
    "select_k",
    "significance",
    "stability",
    "wilcoxon_holm",
    "wins",
]
