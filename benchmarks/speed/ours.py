"""The questions as calls of thresher, as a user would write them."""

from __future__ import annotations


def mrmr_mi_difference(problem):
    from thresher import MRMR

    selector = MRMR(
        problem.k,
        relevance="mi",
        redundancy="mi",
        objective="difference",
        n_jobs=problem.n_threads,
    )
    return lambda: selector.fit(problem.X, problem.y).selected_


def mrmr_default(problem):
    from thresher import MRMR

    selector = MRMR(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def mrmr_f_pearson_quotient(problem):
    from thresher import MRMR

    selector = MRMR(
        problem.k,
        relevance="f",
        redundancy="pearson",
        objective="quotient",
        n_jobs=problem.n_threads,
    )
    return lambda: selector.fit(problem.X, problem.y).selected_


def cfs_forward(problem):
    from thresher import CFS

    selector = CFS(n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def cfs_best_first(problem):
    from thresher import CFS

    selector = CFS(search="best-first", n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def fcbf(problem):
    from thresher import FCBF

    selector = FCBF(n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def rrct_paper(problem):
    from thresher import RRCT

    selector = RRCT(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def rrct_2022(problem):
    from thresher import RRCT

    selector = RRCT(problem.k, redundancy="spearman", normalize=False, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def jmi(problem):
    from thresher import JMI

    selector = JMI(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def cmim(problem):
    from thresher import CMIM

    selector = CMIM(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def disr(problem):
    from thresher import DISR

    selector = DISR(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def cmi_filter(problem):
    from thresher import CMIFilter

    selector = CMIFilter(n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def mi_with_target(problem):
    from thresher import MRMR

    # The relevances of all features are computed for any selection.
    selector = MRMR(1, relevance="mi", redundancy="mi", n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).relevance_


def equal_frequency_bins(problem):
    from thresher.discretize import EqualFrequencyBins

    bins = EqualFrequencyBins(n_bins=problem.k, n_jobs=problem.n_threads)
    return lambda: bins.fit_transform(problem.X)[:, :50].astype(float)


def mdl_bins(problem):
    from thresher.discretize import MDLBins

    bins = MDLBins(n_jobs=problem.n_threads)

    def run():
        bins.fit_transform(problem.X, problem.y)
        return bins.n_bins_.astype(float)

    return run


def relieff(problem):
    from thresher import ReliefF

    selector = ReliefF(problem.k, n_neighbors=10, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def multisurf(problem):
    from thresher import MultiSURF

    selector = MultiSURF(problem.k, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def svm_rfe(problem):
    from thresher import SVMRFE

    selector = SVMRFE(problem.k)
    return lambda: selector.fit(problem.X, problem.y).selected_


def svm_rfe_in_twenties(problem):
    from thresher import SVMRFE

    selector = SVMRFE(problem.k, step=20)
    return lambda: selector.fit(problem.X, problem.y).selected_


def s3f(problem):
    from thresher import S3F

    selector = S3F(n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).selected_


def sfslw(problem):
    from thresher import SFSLW

    selector = SFSLW(problem.k)
    return lambda: selector.fit(problem.X, problem.y).selected_


def laplacian_score(problem):
    from thresher import LaplacianScore

    selector = LaplacianScore(problem.k, n_neighbors=5, n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X).selected_


def f_of_columns(problem):
    from thresher.measures import anova_f

    return lambda: anova_f(problem.X, problem.y, n_jobs=problem.n_threads)


def best_by_f(problem):
    from thresher import Univariate

    selector = Univariate(problem.k, measure="f", n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X, problem.y).scores_


def rrfs(problem):
    from thresher import RRFS

    selector = RRFS(n_jobs=problem.n_threads)
    return lambda: selector.fit(problem.X).selected_
