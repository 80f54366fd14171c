"""What a selection may promise: bounds on the features it should not have selected."""

from thresher.search.error_bounds import error_bound

__all__ = ["error_bound"]
