"""How good a selection is: how stable it is, what it costs, and how sure one can be of it."""

from thresher.evaluate import cost, errors, false_share, probes, significance, stability
from thresher.evaluate.compare import Comparison, compare
from thresher.evaluate.errors import error_bound, probe_select
from thresher.evaluate.false_share import estimate_false_share
from thresher.evaluate.number import NumberOfFeatures, select_k
from thresher.evaluate.probes import ProbeBenchmark, probe_fdr
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
    "NumberOfFeatures",
    "ProbeBenchmark",
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
    "probe_fdr",
    "probe_select",
    "probes",
    "select_k",
    "significance",
    "stability",
    "wilcoxon_holm",
    "wins",
]
