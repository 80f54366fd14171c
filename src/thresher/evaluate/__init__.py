"""How good a selection is: how stable it is, what it costs, and how sure one can be of it."""

from thresher.evaluate import cost, errors, stability
from thresher.evaluate.errors import error_bound, probe_select

__all__ = ["cost", "error_bound", "errors", "probe_select", "stability"]
