"""The selectors: scikit-learn estimators, thin; parameters in, a measure, an objective and a search out."""
