"""How good a selection is: how stable it is, what it costs, and how sure one can be of it."""

from thresher.evaluate import cost, errors, stability
from thresher.evaluate.errors import error_bound

__all__ = ["cost", "error_bound", "errors", "stability"]
