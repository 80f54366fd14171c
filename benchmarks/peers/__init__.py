"""One small adaptor per package.

An adaptor has a function per question that its package supports. Given a problem, the function converts the
data to the input of the package, which is not timed, and returns the call to time; that call returns
the result: indices of features in order of choice, or one value per feature.

``REQUIRES`` is what to install, ``ENVIRONMENT`` which of the peers' environments to install it in,
``PIP`` further options of pip, and ``DIFFERS`` says for which questions the package computes
something else: its time is shown, but it is not counted as a peer with the same result.
``NOTES`` explains smaller differences, which do not exclude it.
"""

PEERS = [
    "mrmrs",
    "mrmr_selection",
    "pymrmr",
    "skfeature",
    "fast_select",
    "feature_engine",
    "scikit_learn",
    "fastcan",
    "orange",
    "rrct",
    "fcbf",
]
