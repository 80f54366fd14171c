"""The words and things that parameters take, for those who check types."""

from __future__ import annotations

from typing import Any, Literal, Protocol

TargetKind = Literal["auto", "nominal", "numeric"]
Missing = Literal["error", "category", "pairwise", "drop_rows"]
Auto = Literal["auto"]
DeltaMode = Literal["absolute", "relative"]
Infeasible = Literal["clip", "raise"]
Risk = Literal["bayes", "binary", "pairs", "entropy"]
# Names of measures, written by `make format` from measures/_names.py.
Measure = Literal["mi", "su", "nmi", "chi2", "pearson", "spearman", "cosine", "r2", "f"]
PairMeasureName = Literal["mi", "su", "nmi", "chi2", "pearson", "spearman", "cosine", "r2"]
TestedMeasure = Literal["mi", "su", "nmi", "chi2", "pearson", "spearman", "r2", "f"]
OtherRelevance = Literal["variance", "mad", "mean-median", "iqr", "am/gm", "amgm", "fir", "fisher"]

Relevance = OtherRelevance | Measure


class Selector(Protocol):
    """A selector, ours or another's, as those around it know it."""

    def fit(self, X: Any, y: Any, /) -> Any: ...

    def get_support(self) -> Any: ...

    def get_params(self, deep: bool = ...) -> Any: ...
