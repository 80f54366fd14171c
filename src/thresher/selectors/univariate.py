"""One measure per feature, with p-values and control of the false discovery rate."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, Self, Unpack

import numpy as np

from thresher import _core
from thresher._utils.checks import warn
from thresher._utils.params import (
    FeatureCount,
    Fitted,
    Interval,
    Options,
    ThreadCount,
    estimator,
    param,
)
from thresher._utils.types import (
    Auto,
    BinRule,
    DataLike,
    Floats,
    Mask,
    Names,
    RandomState,
    TargetKind,
    TargetLike,
    TestedMeasure,
    WeightsLike,
)
from thresher.blocks import make_measures
from thresher.data import RemoteOptions, TrainingData
from thresher.measures import BY_CLASS, KINDS, TESTED, Bins, Measures, are_discrete
from thresher.measures.column_tests import analytic_pvalues, evidence, test_names
from thresher.measures.columns import class_values
from thresher.measures.permutation import permutation_pvalues
from thresher.search.ensemble import draw_seed
from thresher.selectors._base import CommonParameters, CountOrAuto, MissingDiscrete, all_or_nothing
from thresher.selectors._filter import StreamingMixin
from thresher.selectors._ranking import Ranking, rank_by_score

# The bins of discretize="auto".
BINS = "equal-frequency"
# With this many samples of the rarest class for each level of a feature, the tail of a table's statistic is close
# enough to that of the chi-squared distribution.
ENOUGH_PER_LEVEL = 100


@estimator
class Univariate(StreamingMixin, CommonParameters, Ranking):
    """Rank features by one measure with the target, or select those with small p-values.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=10
        Number of features, fraction of the features that are not excluded, or ``"auto"``: those whose corrected
        p-value is at most `alpha`.
    measure : str, default="auto"
        Measure of a feature and the target.
        Discrete: ``"mi"``, ``"su"``, ``"nmi"``, ``"chi2"``. Numeric, with a target of classes or numbers: ``"r2"``,
        ``"f"``. Numeric, with a target of numbers or two classes: ``"pearson"``, ``"spearman"``. Of every column:
        ``"association"``.

        ``"f"``: one-way F, or F of the linear regression on a numeric target. ``"r2"``: the share of variance that
        either explains. ``"mi"``: plug-in mutual information in bits. ``"su"``: symmetrical uncertainty. ``"chi2"``:
        Pearson's chi-squared of the contingency table (not scikit-learn's ``chi2`` of raw counts). ``"pearson"`` and
        ``"spearman"``: absolute correlation of values or ranks.

        ``"auto"`` is ``"f"`` if all columns are numeric (Booleans count as 0 and 1). If some are categorical, each
        column gets the test of its type: F for numeric columns; for categorical ones ``"chi2"`` with classes, and the
        one-way F of the target over their levels with a numeric target. Values of different tests are not comparable,
        so the scores are then ``-log10`` of the p-values.
    alpha : float, default=0.05
        Significance level for ``"auto"``.
    correction : {"bh", "by", "bonferroni", None}, default="bh"
        Benjamini-Hochberg, Benjamini-Yekutieli (any dependence), Bonferroni, or none.
    pvalues : {"auto", "analytic", "permutation"}, default="auto"
        From the distribution of the statistic, or from permuted targets. ``"auto"`` is ``"permutation"`` for measures
        of discrete features if the rarest class has fewer than 100 samples for each level of a feature. The
        distribution is then inaccurate, and for information too optimistic: on data without any signal, tests at a
        level of 20 % then select something on up to half of the data sets. P-values are always analytic with
        `sample_weight`, for rows in blocks, and where ``measure="auto"`` tests categories.
    n_permutations : int, default=100
        Number of permutations, at least 20.
    random_state : int, RandomState or None, default=None
        Random seed of the permutations.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete, for discrete measures: equal frequency, 8 bins.
    keep, exclude : list of str or int, default=None
        Forced-in features and features never to select, by name or position.
    missing : {"error", "category", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category (discrete measures only), or their samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: large values are good.
    scores_ : ndarray of float of shape (n_features,)
        The measure of every feature, or ``-log10`` of its p-value (see `measure`).
    pvalues_ : ndarray of float of shape (n_features,)
        Analytic: the F distribution; t for correlations; chi-squared with (levels - 1)(classes - 1) degrees of freedom
        for ``"chi2"`` and for ``2 n ln 2 I`` (measures of information). From permutations: the share of relevances of
        all features with permuted targets that are at least as large, itself included, on one scale for all features
        (the share of variance explained; for discrete measures the analytic p-value). 1 for constant features.
    pvalue_method_ : str
        ``"analytic"`` or ``"permutation"``.
    corrected_pvalues_ : ndarray of float of shape (n_features,)
        P-values corrected for the number of candidates.
    tests_ : ndarray of str of shape (n_features,)
        The test of each column: the measure, or ``"anova"`` for the one-way F of the target over levels.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `MRMR`; ``ranking_`` ranks all features.

    See Also
    --------
    ErrorControlled : Adds a bound on false selections to another selector.
    MRMR : Also avoids redundant features.

    Notes
    -----
    Ties go to the lowest column index. ``"f"`` and ``"pearson"`` do not make sparse X dense. P-values of binned
    features treat the bins as fixed; the chi-squared distribution is an approximation for small counts. Time
    O(n_samples) per feature.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import Univariate
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = Univariate("auto", alpha=0.01).fit(X, y)
    >>> len(selector.selected_), selector.reason("mean symmetry")
    (25, 'selected at step 22, score 69.53')
    """

    _reads_blocks = True

    bins_ = Fitted[Bins]()
    tests_ = Fitted[Names]()
    pvalue_method_ = Fitted[str]()
    pvalues_ = Fitted[Floats]()
    corrected_pvalues_ = Fitted[Floats]()

    n_features_to_select: CountOrAuto = param(FeatureCount(auto=True), default=10, kw_only=False)
    measure: Auto | TestedMeasure = param(Options("auto", *TESTED), default="auto")
    alpha: float = param(Interval(0, 1, open_low=True), default=0.05)
    correction: Literal["bh", "by", "bonferroni"] | None = param(default="bh")
    pvalues: Literal["auto", "analytic", "permutation"] = param(default="auto")
    n_permutations: int = param(Interval(20, integer=True), default=100)
    random_state: RandomState = param(default=None)
    target: TargetKind = param(default="auto")
    discretize: BinRule = param(default="auto")
    missing: MissingDiscrete = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @all_or_nothing
    def fit(
        self,
        X: DataLike,
        y: TargetLike = None,
        sample_weight: WeightsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Score and select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes or numbers; or the name of a column of the dataframe X.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts exactly like the same sample passed twice; 0 drops the sample.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : Univariate
        """
        self._release_rows(X)
        with self._read(X, y, sample_weight, remote) as training:
            n_select = self._count_or_auto(training.features)
            by_types = self.measure == "auto" and bool(training.schema.is_category.any())
            scores, candidates = (self._by_types if by_types else self._by_measure)(training)
        self._record_pass_counts(training)
        self.corrected_pvalues_ = np.ones(training.n_features)
        corrected = correct_pvalues(self.pvalues_[candidates], self.correction)
        self.corrected_pvalues_[candidates] = corrected
        order = rank_by_score(scores, candidates, training.kept)
        chosen = order[:n_select]
        explanation = self._ranked()
        if n_select is None:
            explanation.pvalues, explanation.alpha = self.corrected_pvalues_, float(self.alpha)
            good = candidates & (self.corrected_pvalues_ <= self.alpha)
            good[training.kept] = True
            chosen = order[good[order]]
        return self._finish_ranking(
            replace(training.features, candidates=candidates),
            scores,
            n_select,
            order=order,
            chosen=chosen,
            explanation=explanation,
            shortfall=f"no corrected p-value is at most alpha={self.alpha:g}",
        )

    def _packing_rule(self) -> str | None:
        return BINS if are_discrete(self.measure) else None

    def _by_measure(self, training: TrainingData) -> tuple[Floats, Mask]:
        """Measure all columns by one measure; return the scores and the candidates."""
        measure = "f" if self.measure == "auto" else self.measure
        if not (KINDS[measure].is_discrete or KINDS[measure].is_mixed):
            _reject_missing_category(training, training.schema.has_missing, f'measure="{measure}"')
        measures = make_measures(training, (measure,), self.discretize, BINS)
        scores = _relevances(training, measures, measure)
        candidates = measures.candidates(measure)
        self.bins_ = measures.bins
        self.tests_ = np.full(training.n_features, measure, dtype=object)
        self.pvalue_method_ = self._pvalue_method(training, measures, measure, candidates)
        if self.pvalue_method_ == "permutation":
            assert training.local is not None
            self.pvalues_ = permutation_pvalues(
                training.local,
                measures,
                measure,
                candidates,
                n_permutations=self.n_permutations,
                seed=draw_seed(self.random_state),
            )
        else:
            self.pvalues_ = analytic_pvalues(training, measures, measure, scores)
            self.pvalues_[~candidates] = 1.0
        return scores, candidates

    def _by_types(self, training: TrainingData) -> tuple[Floats, Mask]:
        """Test each column by its type; return the scores and the candidates."""
        schema = training.schema
        first = schema.label(int(np.argmax(schema.is_category)))
        if training.local is None:
            raise ValueError(
                f'column {first} contains categories, which measure="auto" does not test for rows in blocks. '
                'Use measure="mi" or "chi2"'
            )
        if self.pvalues == "permutation":
            raise ValueError(
                f'pvalues="permutation" compares all features by one measure, but column {first} contains categories, '
                'which measure="auto" tests differently from numbers. Use pvalues="analytic" or measure="mi"'
            )
        _reject_missing_category(
            training, schema.has_missing & ~schema.is_category, "numeric columns"
        )
        scores = evidence(training.local)
        self.bins_ = Bins("none", np.zeros(training.n_features, dtype=bool))
        self.tests_ = test_names(training)
        self.pvalue_method_ = "analytic"
        self.pvalues_ = 10.0**-scores
        return scores, training.candidates

    def _pvalue_method(
        self, training: TrainingData, measures: Measures, measure: str, candidates: Mask
    ) -> str:
        if self.pvalues == "permutation" and training.local is None:
            raise ValueError(
                'pvalues="permutation" needs all rows at once, but X is in blocks. Use pvalues="analytic"'
            )
        is_weighted = training.weight_kind != "none"
        if self.pvalues == "permutation" and is_weighted:
            raise ValueError(
                'pvalues="permutation" needs samples of equal weight; with sample_weight use pvalues="analytic"'
            )
        if self.pvalues != "auto":
            return self.pvalues
        if is_weighted or not KINDS[measure].is_discrete:
            return "analytic"
        most_levels = measures.levels[candidates].max(initial=1)
        class_sizes = measures.rows_of_classes.sum(axis=0)
        if class_sizes[class_sizes > 0].min() >= ENOUGH_PER_LEVEL * most_levels:
            return "analytic"
        if training.local is not None:
            return "permutation"
        warn(
            "p-values of rows in blocks are analytic, and too small here: the rarest class has fewer than "
            f"{ENOUGH_PER_LEVEL} samples for each level of a feature. Use fewer bins or rows in memory"
        )
        return "analytic"


def _reject_missing_category(training: TrainingData, has_missing: Mask, method: str) -> None:
    if training.missing == "category" and has_missing.any():
        raise ValueError(
            f'missing="category" is not for {method}, but column '
            f"{training.schema.label(int(np.argmax(has_missing)))} of X contains NaN. "
            'Fill the values in, or use measure="mi", "su" or "chi2"'
        )


def _relevances(training: TrainingData, measures: Measures, measure: str) -> Floats:
    labels = training.labels
    is_correlation = not (KINDS[measure].is_discrete or KINDS[measure].by_class)
    if is_correlation and labels.is_nominal and labels.n_classes > 2:
        raise ValueError(
            f'measure="{measure}" needs a numeric target, but y has {labels.n_classes} classes. '
            'Use "f" or "mi", or set target="numeric" if the class labels are quantities'
        )
    rows = training.local
    is_plain = rows is not None and rows.weights is None and not rows.table.is_sparse
    schema = training.schema
    is_plain = is_plain and not (schema.has_missing.any() or schema.is_category.any())
    if measure in BY_CLASS and labels.is_nominal and rows is not None and is_plain:
        # This reads rows in their layout; nothing else needs the columns.
        return class_values(rows.table, rows.labels, measure)
    return measures.relevance(measure)


def correct_pvalues(values: Floats, correction: str | None) -> Floats:
    """Correct p-values for multiple testing.

    Parameters
    ----------
    values : ndarray of float
        P-values, one per feature.
    correction : {"bh", "by", "bonferroni", None}
        Benjamini-Hochberg, Benjamini-Yekutieli, Bonferroni, or none.

    Returns
    -------
    corrected : ndarray of float
        The procedure rejects the hypotheses with a corrected value of at most q at level q.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.selectors.univariate import correct_pvalues
    >>> correct_pvalues(np.array([0.01, 0.02, 0.03, 0.5]), "bh").tolist()
    [0.04, 0.04, 0.04, 0.5]
    """
    m = len(values)
    if correction is None or m == 0:
        return values.copy()
    if correction == "bonferroni":
        return np.minimum(values * m, 1.0)
    factor = float(m)
    if correction == "by":
        factor *= float(np.sum(1.0 / np.arange(1, m + 1)))
    order = _core.ascending(values)
    scaled = values[order] * factor / np.arange(1, m + 1)
    corrected = np.empty(m)
    corrected[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return corrected
