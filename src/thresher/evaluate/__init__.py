"""How good a selection is: how stable it is, and what it costs."""

from thresher.evaluate import cost, stability

__all__ = ["cost", "stability"]
