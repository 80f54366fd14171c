"""The words that parameters take, for those who check types."""

from __future__ import annotations

from typing import Literal

TargetKind = Literal["auto", "nominal", "numeric"]
Missing = Literal["error", "category", "pairwise", "drop_rows"]
Auto = Literal["auto"]
Measure = Literal["mi", "su", "nmi", "chi2", "f", "r2", "pearson", "spearman", "cosine"]
DeltaMode = Literal["absolute", "relative"]
Infeasible = Literal["clip", "raise"]
Risk = Literal["bayes", "binary", "pairs", "entropy"]
PairMeasureName = Literal["mi", "su", "nmi", "chi2", "r2", "pearson", "spearman", "cosine"]
Relevance = (
    Literal["variance", "mad", "mean-median", "iqr", "am/gm", "amgm", "fir", "fisher"] | Measure
)
