"""Small tools that the whole package uses; they know nothing of features or selectors."""
