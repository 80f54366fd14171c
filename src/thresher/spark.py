"""Selectors as stages of `pyspark.ml`: an Estimator, its Model, and both in a ``Pipeline`` (extra ``spark``).

The rows stay with Spark; see :doc:`/scaling`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from sklearn.base import clone

from thresher._utils.types import Estimator as SklearnEstimator
from thresher.selectors import _json

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

try:
    from pyspark import keyword_only
    from pyspark.ml.base import Estimator, Model
    from pyspark.ml.param import Param, Params, TypeConverters
    from pyspark.ml.param.shared import (
        HasFeaturesCol,
        HasInputCols,
        HasLabelCol,
        HasOutputCol,
        HasWeightCol,
    )
    from pyspark.ml.util import (
        DefaultParamsReader,
        DefaultParamsWriter,
        MLReadable,
        MLReader,
        MLWritable,
        MLWriter,
    )
except ImportError as error:
    raise ImportError(
        "thresher.spark needs pyspark 4, which is not installed. Install it with: pip install 'thresher[spark]'"
    ) from error

__all__ = ["Selector", "SelectorModel"]


class _Columns(HasFeaturesCol, HasInputCols, HasLabelCol, HasOutputCol, HasWeightCol):
    """The parameters of an Estimator and its Model that name columns."""

    def _quoted_features(self) -> list[str]:
        is_wide = self.isSet(self.inputCols)
        return list(map(_quote, self.getInputCols() if is_wide else [self.getFeaturesCol()]))


class _Stored(MLReadable, MLWritable):
    """Saving and loading as JSON text next to the parameters. Loading runs no code from the file."""

    def write(self) -> _Writer:
        return _Writer(self)

    @classmethod
    def read(cls) -> _Reader:
        return _Reader(cls)


class Selector(Estimator, _Columns, _Stored):
    """Select features as a stage of `pyspark.ml`.

    Parameters
    ----------
    selector : estimator
        A selector of thresher whose measures are sums over rows, such as ``MRMR(10)``. It is cloned, not changed.
    featuresCol : str, default="features"
        A column of vectors or of arrays with all features.
    inputCols : list of str, default=None
        One column per feature, with numbers or strings, instead of `featuresCol`.
    labelCol : str, default="label"
        The target, for selectors that need one.
    outputCol : str, default=uid + "__output"
        The column of the selected features: vectors if `featuresCol` has vectors, else arrays. With `inputCols` it has
        vectors if `outputCol` is set; otherwise it is not added, and columns that were not selected are dropped.
    weightCol : str, default=None
        The column of the weights of the rows.

    See Also
    --------
    SelectorModel : The model that ``fit`` returns.

    Notes
    -----
    ``selector.fit(frame, y=labelCol)`` selects the same features, wherever the rows are.

    Examples
    --------
    >>> from pyspark.ml import Pipeline  # doctest: +SKIP
    >>> from thresher import MRMR
    >>> from thresher.spark import Selector
    >>> stage = Selector(selector=MRMR(10), featuresCol="features", outputCol="chosen")  # doctest: +SKIP
    >>> model = Pipeline(stages=[stage]).fit(frame)  # doctest: +SKIP
    >>> model.stages[0].selectedFeatures  # doctest: +SKIP
    [3, 5, 8]
    """

    selector: Param[SklearnEstimator] = Param(
        Params._dummy(), "selector", "a selector of thresher", typeConverter=TypeConverters.identity
    )

    @keyword_only
    def __init__(
        self,
        *,
        selector: SklearnEstimator = None,
        featuresCol: str = "features",
        inputCols: list[str] | None = None,
        labelCol: str = "label",
        outputCol: str | None = None,
        weightCol: str | None = None,
    ) -> None:
        super().__init__()
        self._set(**self._input_kwargs)

    @keyword_only
    def setParams(
        self,
        *,
        selector: SklearnEstimator = None,
        featuresCol: str = "features",
        inputCols: list[str] | None = None,
        labelCol: str = "label",
        outputCol: str | None = None,
        weightCol: str | None = None,
    ) -> Self:
        """Set parameters by name."""
        return self._set(**self._input_kwargs)  # type: ignore[no-any-return]

    def getSelector(self) -> SklearnEstimator:
        """Return the selector, which is not fitted."""
        if not self.isDefined(self.selector):
            raise ValueError("selector is not set. Pass one, such as Selector(selector=MRMR(10))")
        return self.getOrDefault(self.selector)

    def _fit(self, dataset: DataFrame) -> SelectorModel:
        selector = clone(self.getSelector())
        columns = self._quoted_features()
        named = {}
        label = self.getLabelCol()
        if label in dataset.columns or selector.__sklearn_tags__().target_tags.required:
            named["y"] = label
        if self.isDefined(self.weightCol):
            named["sample_weight"] = self.getWeightCol()
        frame = dataset.select(*columns, *(_quote(name) for name in named.values()))
        selector.fit(frame, **{"y": None, **named})
        model = SelectorModel(selector)
        model._resetUid(self.uid)
        return self._copyValues(model)  # type: ignore[no-any-return]


class SelectorModel(Model, _Columns, _Stored):
    """A fitted selection, returned by the ``fit`` of :class:`Selector`.

    Attributes
    ----------
    selector : estimator
        The fitted selector of thresher, with ``selected_`` in the order of selection, ``scores_`` and so on.
    selectedFeatures : list of int
        Indices of the selected features, ascending, in the order of `outputCol`.

    See Also
    --------
    Selector : The stage that is fitted.
    """

    def __init__(self, selector: SklearnEstimator = None) -> None:
        super().__init__()
        self.selector = selector

    @property
    def selectedFeatures(self) -> list[int]:
        return [int(feature) for feature in self.selector.get_support(indices=True)]

    def setOutputCol(self, value: str) -> Self:
        """Set the name of the column of the selected features."""
        return self._set(outputCol=value)  # type: ignore[no-any-return]

    def _transform(self, dataset: DataFrame) -> DataFrame:
        output = self.getOutputCol()
        if self.isSet(self.inputCols):
            return self._transform_columns(dataset, self.getInputCols(), output)
        features = self.getFeaturesCol()
        if dataset.schema[features].dataType.typeName() == "vectorudt":
            from pyspark.ml.feature import VectorSlicer

            slicer = VectorSlicer(
                inputCol=features, outputCol=output, indices=self.selectedFeatures
            )
            return slicer.transform(dataset)
        elements = ", ".join(f"{_quote(features)}[{i}]" for i in self.selectedFeatures)
        return dataset.selectExpr("*", f"array({elements}) as {_quote(output)}")

    def _transform_columns(self, dataset: DataFrame, names: list[str], output: str) -> DataFrame:
        chosen = [names[i] for i in self.selectedFeatures]
        if self.isSet(self.outputCol):
            from pyspark.ml.feature import VectorAssembler

            return VectorAssembler(
                inputCols=chosen, outputCol=output, handleInvalid="keep"
            ).transform(dataset)
        return dataset.drop(*(name for name in names if name not in chosen))


def _quote(name: str) -> str:
    """Return the name of a column in backquotes, as it may contain dots."""
    return "`" + name.replace("`", "``") + "`"


class _Writer(MLWriter):
    def __init__(self, instance: Selector | SelectorModel) -> None:
        super().__init__()
        self._instance = instance

    def saveImpl(self, path: str) -> None:
        instance = self._instance
        is_model = isinstance(instance, SelectorModel)
        selector = instance.selector if is_model else instance.getSelector()
        DefaultParamsWriter.saveMetadata(
            instance,
            path,
            self.sparkSession,
            extraMetadata={"selector": _json.dump(selector)},
            paramMap={
                param.name: value
                for param, value in instance._paramMap.items()
                if param.name != "selector"
            },
        )


class _Reader(MLReader[Params]):
    def __init__(self, kind: type[Selector | SelectorModel]) -> None:
        super().__init__()
        self._kind = kind

    def load(self, path: str) -> Selector | SelectorModel:
        name = f"{self._kind.__module__}.{self._kind.__name__}"
        metadata = DefaultParamsReader.loadMetadata(path, self.sparkSession, name)
        instance = self._kind(selector=_json.load(metadata["selector"]))
        instance._resetUid(metadata["uid"])
        DefaultParamsReader.getAndSetParams(instance, metadata)
        return instance
