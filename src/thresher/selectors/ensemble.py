"""Ensembles of one selector on several samples of the rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import delayed
from scipy import sparse
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from thresher._utils.checks import check_choice, shown
from thresher._utils.long_calls import log, report, run_in_threads
from thresher._utils.params import Fitted, Interval, NoneOr, ThreadCount, estimator, param
from thresher._utils.types import (
    Array,
    DataLike,
    Estimator,
    FeatureNames,
    Floats,
    GroupsLike,
    Indices,
    Mask,
    TargetLike,
    Values,
)
from thresher.blocks import is_in_blocks, reject_blocks
from thresher.data import (
    TARGETS,
    FeatureRoles,
    Target,
    TrainingData,
    read_target,
    reject_files,
    reject_one_row,
    rows_and_columns,
    separate_columns,
    split_remote_options,
)
from thresher.discretize import GivenBins
from thresher.io.table import is_file_input
from thresher.measures import Bins, PartSets
from thresher.search.ensemble import (
    VOTE_KINDS,
    combine_votes,
    count_pairs_fast,
    count_pairs_plain,
    count_votes,
    mean_jaccard_of,
    membership,
    number_groups,
)
from thresher.selectors import _halves
from thresher.selectors._base import Selection, all_or_nothing, spread
from thresher.selectors._explain import Ballot
from thresher.selectors._filter import FilterSelector, StreamingMixin
from thresher.selectors._json import check_state
from thresher.selectors._replicates import (
    Plan,
    ReplicateResults,
    ReplicateSearch,
    check_replicates,
    plan_block_replicates,
    plan_replicates,
)
from thresher.selectors._target import with_target_of
from thresher.selectors._third_party import MetaSelector, excluded_by, fit_on_rows, order_of_choice

KINDS = ("fast", "inner", "full", "bagging", "halves")


@estimator
class Ensemble(StreamingMixin, MetaSelector):
    """Select stable features by a vote: many selections, each without one part of the rows.

    A few samples more or less can change a greedy selection. An ensemble selects on several replicates of the data and
    selects the features on which most of them agree. If the measures are sums over rows, one pass over the data serves
    all replicates, and the ensemble costs little more than one run.

    Parameters
    ----------
    selector : selector, default=None
        Selects on every replicate. None is ``MRMR()``.
    n_parts : int, default=20
        Number of parts of the rows, at least 2: replicate i is all rows but part i. With ``kind="halves"`` an even
        number, such as 40 for 50 pairs. With ``kind="bagging"`` the number of bootstrap samples.
    kind : {"fast", "inner", "full", "bagging", "halves"}, default="fast"
        ``"fast"``
            One search per replicate; sums per part and a cache of pairs shared by all of them.
        ``"full"``
            The same selection; each search computes its values separately.
        ``"inner"``
            One search, in which every measure is its mean over the replicates.
        ``"bagging"``
            One search per bootstrap sample.
        ``"halves"``
            One search on each of `n_pairs` random halves of the parts and on each of the other halves, with
            sums per part shared by all. Features with enough votes are selected. The expected number of
            falsely selected features has a bound.

        ``"fast"`` and ``"inner"`` require a selector whose measures are sums over rows: ``MRMR`` (not with
        ``"spearman"``), ``NMIFS``, ``CFS``, ``FCBF``, ``CMIFilter``, ``GSO`` and the criteria from
        ``MIM`` to ``ICAP``. The others support any selector, and refit it if it is not one of these.
    parts : {"round-robin", "contiguous", "shuffled", "stratified"}, default="round-robin"
        ``"round-robin"`` assigns row r to part ``r mod n_parts``. ``"contiguous"`` parts are runs of rows; in
        sorted data they can omit whole classes. ``"shuffled"`` is round-robin over a random order, and
        ``"stratified"`` over the rows sorted by class.
    vote : {"majority", "mean-rank"}, default="majority"
        ``"majority"`` sorts features by votes, then by the sum of positions. ``"mean-rank"`` sorts by the sum of
        positions over all replicates, then by votes; the position of a feature that was not chosen is one past the
        last. Ties go to the lowest index.
    n_pairs : int, default=50
        Number of pairs of halves of ``kind="halves"``, at least 2. More than 2.5 times `n_parts` bring no gain.
    cutoff : float or "auto", default=0.75
        With ``kind="halves"``, the share of the halves, above 1/2, that must have chosen a selected feature, rounded
        up to an integer number of halves. ``"auto"`` is the least share that satisfies `pfer`.
    pfer : float, default=None
        With ``kind="halves"``, the largest expected number of rarely chosen features among the selected ones.
    assumption : {"none", "unimodal", "r-concave"}, default="none"
        Assumption of the bound of ``kind="halves"``; see :func:`thresher.evaluate.error_bound`.
    random_state : int, RandomState or None, default=None
        Seed of ``parts="shuffled"``, ``kind="bagging"`` and ``kind="halves"``.
    n_jobs : int, default=None
        Number of threads; None uses that of the selector. The result does not depend on it.
    memory_limit : int, default=None
        Largest number of bytes of the shared cache of ``kind="fast"``. Beyond it values are computed again, which
        changes the time but not the result; the logger ``thresher`` reports it. Discrete features on a few hundred
        rows need no cache, because counting again is faster.
    verbose : int, default=0
        1 prints a line per replicate that is searched separately and two at the end; the logger ``thresher`` gets
        the same at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features by the vote, best first.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first; features not selected share the rank after the last.
    votes_ : ndarray of float of shape (n_features,)
        Share of the replicates that chose each feature.
    parts_ : list of ndarray of int
        The selection of each replicate in order of choice; for an Inner Ensemble, its only selection. Halves are in
        the order first half, other half, and so on.
    part_of_row_ : ndarray of int of shape (n_samples,), or None
        The part of every sample, -1 if it was not used; None for bootstrap samples and for rows in blocks.
    halves_ : ndarray of bool of shape (n_pairs, n_parts)
        With ``kind="halves"``: the parts of the first half of every usable pair.
    cutoff_, error_bound_, q_ : float
        With ``kind="halves"``: the share of votes that selects, the bound on the expected number of rarely
        chosen features selected, and the mean number of features chosen on a half.
    stability_ : float
        Mean Jaccard index of the selections in `parts_`. Replicates that omit one of 20 parts share nearly all rows,
        so the index is optimistic: ten of 1,000 features of pure noise, chosen by `MRMR` on 100 samples, have 0.47
        (mean of three data sets), but 0.08 on bootstrap samples (``kind="bagging"``).
    stability_note_ : str
        The meaning of `stability_` in this ensemble, to be quoted with it.
    n_evaluations_ : int
        Number of pairs of features computed; one pass for all replicates counts once. For a selector that does not
        use pairs, the sum of its evaluations over the replicates.
    n_pairs_standard_, n_pairs_fast_ : int or None
        Number of pairs, relevances included, that a full ensemble and the Fast Ensemble of Schowe and Morik
        would compute without lazy pruning; None for a selector that does not use pairs.
    scores_ : ndarray of float of shape (n_features,)
        Votes of the selected features, nan for others; for an Inner Ensemble, the scores of its search.
    support_, relevance_, redundancy_, trace_
        As in every selector; relevances are means over the replicates, if they are computed.
    target_kind_, n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ErrorControlled : Another selection with a bound on false features.
    thresher.evaluate.stability_curve : Stability for every number of features.
    thresher.evaluate.error_bound : The bound of ``kind="halves"``.

    Notes
    -----
    ``kind="fast"`` and ``kind="full"`` give bit-identical selections. Bins are learnt once, on all rows. Ties of
    computed scores and of votes go to the lowest position. A replicate whose target has one class is excluded with a
    warning. If the selector chooses the number of features, the ensemble selects the rounded mean of these numbers.
    Missing values are treated as by the selector. Cost of ``"fast"``: O(n_samples + n_parts) for each distinct pair
    that any replicate needs; memory ``8 * n_parts`` bytes for each of them. With few rows of discrete features, as in
    microarrays, every replicate counts its pairs instead. ``CMIFilter`` and ``GSO`` need sums given the chosen
    features, which replicates cannot share. They share the table, its bins and the relevances; each replicate gives
    the rows of its part the weight 0.

    ``kind="halves"`` guarantees: of the features that a half chooses with a probability of at most `q_` over
    the number of features, no more than `error_bound_` are selected on average. This requires independent samples,
    apart from groups passed as `groups`. It also requires that nothing depends on the target before the halves are
    drawn, so bins that use it raise an error. It does not mean that a selected feature has an effect on the target.

    ``sample_weight`` is passed on by metadata routing: enable it, and call
    ``selector.set_fit_request(sample_weight=True)``. Rows are assigned to parts independent of their weight;
    bootstrap multiplicities are multiplied by it.

    References
    ----------
    B. Schowe and K. Morik, "Fast-Ensembles of Minimum Redundancy Feature Selection".
    R. D. Shah and R. J. Samworth, "Variable selection with error control: another look at stability
    selection", 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import MRMR, Ensemble
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> ensemble = Ensemble(MRMR(n_features_to_select=3)).fit(X, y)
    >>> ensemble.get_feature_names_out().tolist()
    ['mean texture', 'worst radius', 'worst concave points']
    >>> round(ensemble.stability_, 2)
    1.0
    >>> halves = Ensemble(MRMR(3), 40, kind="halves", random_state=0).fit(X, y)
    >>> round(halves.error_bound_, 2)
    0.6
    """

    votes_ = Fitted[Floats]()
    parts_ = Fitted[list[Indices]]()
    stability_ = Fitted[float]()
    stability_note_ = Fitted[str]()
    part_of_row_ = Fitted[npt.NDArray[np.int32] | None]()
    n_pairs_standard_ = Fitted[int | None]()
    n_pairs_fast_ = Fitted[int | None]()
    bins_ = Fitted[Bins]()
    halves_ = Fitted[Mask]()
    cutoff_ = Fitted[float]()
    q_ = Fitted[float]()
    error_bound_ = Fitted[float]()

    n_parts: int = param(Interval(integer=True), default=20, kw_only=False)
    kind: Literal["fast", "inner", "full", "bagging", "halves"] = param(default="fast")
    parts: Literal["round-robin", "contiguous", "shuffled", "stratified"] = param(
        default="round-robin"
    )
    vote: Literal["majority", "mean-rank"] = param(default="majority")
    n_pairs: int = param(Interval(2, integer=True), default=50)
    cutoff: float | Literal["auto"] = param(default=0.75)
    pfer: float | None = param(NoneOr(Interval(0)), default=None)
    assumption: Literal["none", "unimodal", "r-concave"] = param(default="none")
    n_jobs: int | None = param(ThreadCount(), default=None)
    memory_limit: int | None = param(NoneOr(Interval(1, integer=True)), default=None)

    @all_or_nothing
    def fit(
        self, X: DataLike, y: TargetLike = None, *, groups: GroupsLike = None, **params: object
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or str, default=None
            As required by the selector; or the name of a column of the dataframe X.
        groups : array-like of shape (n_samples,), default=None
            Samples of one group belong together, such as those of one patient: they go to one part, and into
            bootstrap samples together. With metadata routing a selector that requests groups gets them, too.
        **params
            Passed to the selector's ``fit`` by metadata routing. If X is a path, also `memory_limit` and `scratch` of
            a table in files; see :doc:`/scaling`.

        Returns
        -------
        self : Ensemble
        """
        self._check_parameters()
        self._release_rows(X)
        remote, params = split_remote_options(params)
        if groups is not None and get_config()["enable_metadata_routing"]:
            params = {**params, "groups": groups}
        routed = self._routed(params)
        selector = clone(self._given_selector())
        if self.n_jobs is not None and "n_jobs" in selector.get_params(deep=False):
            selector.set_params(n_jobs=self.n_jobs)
        if self.kind == "halves":
            _halves.check_nothing_kept(selector)
        if isinstance(selector, FilterSelector):
            with selector._read(X, y, routed.get("sample_weight"), remote) as training:
                return self._fit_sums(selector, training, groups)
        if self.kind in ("fast", "inner"):
            raise ValueError(
                f'kind="{self.kind}" requires a selector whose measures are sums over rows, got '
                f'{type(selector).__name__}. Use kind="full" or kind="bagging"'
            )
        if not is_file_input(X) or is_in_blocks(X, remote.get("client")):
            reject_blocks(selector, X, remote)
        return self._refit(selector, X, y, groups, routed)

    @property
    def _reads_blocks(self) -> bool:  # type: ignore[override]
        uses_sums = self.kind in ("fast", "inner", "halves")
        return uses_sums and getattr(self._given_selector(), "_reads_blocks", False)

    def _stored_for(self) -> tuple[GivenBins | None, FeatureNames]:
        stored_for: tuple[GivenBins | None, FeatureNames] = self._given_selector()._stored_for()
        return stored_for

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.n_parts < 2 and self.kind != "halves":
            raise ValueError(
                f"n_parts must be at least 2, got {shown(self.n_parts)}. Fit the selector itself for a single selection"
            )
        if self.kind == "halves":
            _halves.check_halves(self)

    def _fit_sums(
        self, selector: FilterSelector, training: TrainingData, groups: GroupsLike
    ) -> Self:
        self._copy_names(selector)
        self._record_target(None if training.target is None else training.target.kind)
        criterion = selector.make_criterion(training)
        culprit = criterion.not_a_sum
        if culprit is not None and self.kind in ("fast", "inner", "halves"):
            remedy = 'Use kind="full" or kind="bagging"'
            if self.kind == "halves":
                remedy = 'Use "pearson", if necessary on ranks of the columns'
            raise ValueError(
                f'kind="{self.kind}" requires measures that are sums over rows, got "{culprit}". {remedy}'
            )
        if self.kind == "halves":
            _halves.check_bins(selector, criterion, training)
        wanted = selector.count_features(training.features)
        packed = None
        rows = training.local
        if rows is None:
            self.part_of_row_ = None
            training.report_as(self)
            plan = plan_block_replicates(self, training.n_rows, groups)
            packed = selector.make_measures(training, criterion, plan.parts)
            check_replicates(plan, training.labels, packed)
        else:
            plan = self._plan(rows.n_given, rows.target, groups, rows.rows)
        search = ReplicateSearch(
            training,
            criterion,
            wanted,
            selector,
            self.kind,
            plan,
            packed,
            self.memory_limit or 0,
            self._progress(len(plan.usable)),
        )
        results, measures = search.run()
        if results.full:
            log.warning(
                "Ensemble: the cache of pairs reached memory_limit=%d bytes; "
                "further values were computed again when needed",
                self.memory_limit,
            )
        self.bins_ = measures.bins
        self._clear_pass_counts()
        if hasattr(selector, "n_passes_"):
            self.n_passes_ = selector.n_passes_
        self._record_pass_counts(training)
        choosable = training.candidates
        if self.kind == "halves":
            each = np.atleast_2d(measures.candidates(*criterion.measures))
            choosable = np.asarray(each.any(axis=0))
        self._describe(training.features, results, wanted, plan, int(choosable.sum()))
        self.n_pairs_standard_ = self.n_pairs_fast_ = None
        if criterion.uses_pairs:
            p = int(np.sum(training.candidates))
            k = min(len(self.selected_) if wanted is None else wanted, p)
            self.n_pairs_standard_ = len(plan.usable) * count_pairs_plain(p, k)
            self.n_pairs_fast_ = count_pairs_fast(results.lists, p, k)
        return self

    def _plan(
        self, n_given: int, target: Target | None, groups: GroupsLike, rows: Array | None = None
    ) -> Plan:
        """Draw the replicates of the rows: all, or those at these positions."""
        used = np.arange(n_given) if rows is None else rows
        if groups is not None:
            groups = number_groups(groups, n_given)[used]
        plan = plan_replicates(self, len(used), target, groups)
        self.part_of_row_ = None
        if isinstance(plan.parts, PartSets):
            self.part_of_row_ = np.full(n_given, -1, dtype=np.int32)
            self.part_of_row_[used] = plan.parts.part
        return plan

    def _describe(
        self,
        columns: FeatureRoles,
        results: ReplicateResults,
        wanted: int | None,
        plan: Plan,
        n_choosable: int,
    ) -> None:
        """Count the votes and set all fitted attributes; `n_choosable` features vary."""
        p = columns.n_features
        lists = results.lists
        size = wanted
        if size is None:
            size = int(np.floor(np.mean([len(entries) for entries in lists]) + 0.5))
        shortfall, needed = "", 0
        if self.kind == "halves":
            assert plan.parts is not None
            result = _halves.select_by_halves(
                lists, p, n_choosable, self.cutoff, self.pfer, self.assumption
            )
            self.halves_ = plan.parts.keeps[plan.usable[::2]]
            self.cutoff_, self.q_ = result.cutoff, result.q
            self.error_bound_ = result.error_bound
            selected, wanted = result.selected, None
            needed = round(result.cutoff * len(lists))
            shortfall = f"none has the votes of a share of {result.cutoff:g} of the halves"
        else:
            selected = combine_votes(lists, p, size, self.vote)
        votes = count_votes(lists, p) / len(lists)
        self.votes_ = votes
        self.parts_ = [np.array(entries, dtype=np.intp) for entries in lists]
        self.stability_ = mean_jaccard_of(membership(lists))
        self.stability_note_ = self._about_stability(len(lists))
        inner = results.inner
        if inner is not None:
            inner.n_evaluations = results.n_evaluations
            self._finish(columns, inner, wanted)
            return
        selection = Selection(
            selected=selected,
            scores=spread(p, selected, votes[selected]),
            relevance=results.relevance,
            n_evaluations=results.n_evaluations,
            trace={"feature": selected, "votes": votes[selected]},
            explanation=Ballot(count_votes(lists, p), len(lists), needed),
            shortfall=shortfall,
        )
        self._finish(columns, selection, wanted)
        report(self, "stability %.2f: %s", self.stability_, self.stability_note_)

    def _progress(self, n_replicates: int) -> Callable[[int, int], None]:
        def done(number: int, n_selected: int) -> None:
            report(self, "replicate %d/%d: %d features", number, n_replicates, n_selected)

        return done

    def _about_stability(self, n_lists: int) -> str:
        """Return the meaning of `stability_`."""
        if n_lists == 1:
            return "one selection: nothing to compare"
        mean = f"mean Jaccard index of {n_lists} selections"
        if self.kind == "bagging":
            return f"{mean} on bootstrap samples"
        if self.kind == "halves":
            return f"{mean} on halves of the rows, which are disjoint in pairs and else share about a half"
        share = (n_lists - 2) / (n_lists - 1)
        return (
            f"{mean}, any two of which share about {share:.0%} of their rows: samples that overlap less agree less; "
            'see kind="bagging" or stability_curve'
        )

    def _refit(
        self, selector: Estimator, X: DataLike, y: TargetLike, groups: GroupsLike, params: Values
    ) -> Self:
        """Fit a clone of any selector on the rows of every replicate."""
        reject_files(X, selector)
        X, y, weights = separate_columns(X, y, params.get("sample_weight"))
        params = {**params, "sample_weight": weights} if "sample_weight" in params else params
        X = rows_and_columns(X)
        X = X.tocsr() if sparse.issparse(X) else X  # other formats cannot be indexed by rows
        validate_data(self, X, skip_check_array=True)
        n_rows, n_features = X.shape
        reject_one_row(n_rows)
        y = y if y is None or hasattr(y, "shape") else np.asarray(y)
        target = None
        if y is not None:
            kind = getattr(selector, "target", "auto")
            target = read_target(
                y,
                n_rows,
                kind=kind if kind in TARGETS else "auto",
                classes_only=bool(getattr(selector, "_classes_only", False)),
                owner=type(selector).__name__,
            )
        selector = with_target_of(selector, y)
        plan = self._plan(n_rows, target, groups)
        fits = (
            delayed(fit_on_rows)(clone(selector), X, y, plan.rows(i), params, n_rows)
            for i in plan.usable
        )
        fitted: list[Estimator] = []
        progress = self._progress(len(plan.usable))
        for one in run_in_threads(fits, self.n_jobs, return_as="generator"):
            fitted.append(one)
            progress(len(fitted), int(np.sum(one.get_support())))
        results = ReplicateResults(
            [order_of_choice(one).tolist() for one in fitted],
            None,
            sum(int(getattr(one, "n_evaluations_", 0)) for one in fitted),
        )
        n_choosable = n_features
        if self.kind == "halves":
            names = getattr(self, "feature_names_in_", None)
            n_choosable = _halves.count_choosable(X, excluded_by(selector)[1], names)
        excluded = getattr(fitted[0], "_excluded", np.zeros(n_features, dtype=bool))
        columns = FeatureRoles(None, ~excluded, np.empty(0, np.intp), excluded)
        self._describe(columns, results, None, plan, n_choosable)
        self._record_target(getattr(fitted[0], "target_kind_", None))
        self.n_pairs_standard_, self.n_pairs_fast_ = None, None
        return self

    def _check_state(self) -> None:
        super()._check_state()
        check_choice("kind", self.kind, KINDS)
        check_choice("vote", self.vote, VOTE_KINDS)
        check_state(self, ("votes_", "parts_", *(["cutoff_"] if self.kind == "halves" else [])))

    def _selected_at(self, k: int) -> list[int] | None:
        """Return the selection of `k` features, or None if that requires another fit."""
        if not getattr(self._given_selector(), "_nested", False):
            return None
        if self.kind == "inner":
            return [int(feature) for feature in self.selected_[:k]]
        lists = [entries[:k].tolist() for entries in self.parts_]
        if self.kind != "halves":
            return combine_votes(lists, self.n_features_in_, k, self.vote)
        if self.pfer is not None:  # the cutoff, or its validity, depends on k
            return None
        return _halves.keep_voted(lists, self.n_features_in_, round(self.cutoff_ * len(lists)))
