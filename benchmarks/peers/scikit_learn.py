"""scikit-learn: mutual information of discrete columns with a class, F, quantile bins, recursive elimination."""

from __future__ import annotations

REQUIRES = ["scikit-learn"]
NOTES = {
    **dict.fromkeys(["f_of_columns", "best_by_f"], "float32 is added up in float32 there"),
    **dict.fromkeys(
        ["svm_rfe", "svm_rfe_in_twenties"], "SVMs solved to 1e-3 there, to 1e-6 in thresher"
    ),
}


def mi_with_target(problem):
    import numpy as np
    from sklearn.feature_selection import mutual_info_classif

    nats_per_bit = np.log(2)
    return lambda: mutual_info_classif(problem.X, problem.y, discrete_features=True) / nats_per_bit


def equal_frequency_bins(problem):
    from sklearn.preprocessing import KBinsDiscretizer

    bins = KBinsDiscretizer(
        problem.k,
        encode="ordinal",
        strategy="quantile",
        quantile_method="averaged_inverted_cdf",
        subsample=None,
    )
    return lambda: bins.fit_transform(problem.X)[:, :50]


def f_of_columns(problem):
    from sklearn.feature_selection import f_classif

    return lambda: f_classif(problem.X, problem.y)[0]


def best_by_f(problem):
    from sklearn.feature_selection import SelectKBest, f_classif

    selector = SelectKBest(f_classif, k=problem.k)
    return lambda: selector.fit(problem.X, problem.y).scores_


def svm_rfe(problem, step=1):
    import numpy as np
    from sklearn.feature_selection import RFE
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import SVC

    search = RFE(SVC(kernel="linear"), n_features_to_select=problem.k, step=step)

    def run():
        columns = StandardScaler().fit_transform(problem.X)
        return np.flatnonzero(search.fit(columns, problem.y).support_)

    return run


def svm_rfe_in_twenties(problem):
    return svm_rfe(problem, step=20)
