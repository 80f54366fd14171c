"""How good a selection is: how stable it is, what it costs, and how sure one can be of it."""

from thresher.evaluate import cost, errors, false_share, stability
from thresher.evaluate.errors import error_bound, probe_select
from thresher.evaluate.false_share import estimate_false_share

__all__ = [
    "cost",
    "error_bound",
    "errors",
    "estimate_false_share",
    "false_share",
    "probe_select",
    "stability",
]
