"""What a fitted selector found out, one row per feature."""

from __future__ import annotations

from typing import Any

import numpy as np


def feature_table(selector: Any) -> dict[str, Any]:
    """The columns of `BaseSelector.table`."""
    p = selector.n_features_in_
    given = getattr(selector, "feature_names_in_", None)
    names = [f"x{feature}" for feature in range(p)] if given is None else given.tolist()
    account = selector._account()
    reasons = [account(feature) for feature in range(p)]
    partners = [None if reason.partner is None else names[reason.partner] for reason in reasons]
    unknown = np.full(p, np.nan)
    return {
        "name": np.array(names, dtype=object),
        "selected": selector.support_.copy(),
        "rank": selector.ranking_.copy(),
        "score": selector.scores_.copy(),
        "relevance": selector.relevance_.copy(),
        "redundancy": selector.redundancy_.copy(),
        "votes": np.array(getattr(selector, "votes_", unknown)),
        "pvalue": np.array(getattr(selector, "pvalues_", unknown)),
        "partner": np.array(partners, dtype=object),
        "reason": np.array([reason.sentence(given) for reason in reasons], dtype=object),
    }
