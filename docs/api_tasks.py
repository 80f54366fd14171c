"""Write the API reference: public names, grouped by task."""

from __future__ import annotations

import importlib
from pathlib import Path

from thresher import _registry
from thresher._registry import SELECTORS


def _selectors(task: str, *others: str) -> tuple[str, str]:
    """Return the selectors of a task, and other names that belong to it."""
    names = [entry.name for entry in SELECTORS.values() if entry.task == task]
    return "thresher", " ".join([*names, *others])


# Task -> module and names. A test compares the groups with what the package exports.
TASKS = {
    _registry.NO_REPEATS: _selectors(_registry.NO_REPEATS),
    _registry.RANKING: _selectors(_registry.RANKING),
    _registry.NO_LABELS: _selectors(_registry.NO_LABELS, "difficulty_ratio"),
    _registry.TOGETHER: _selectors(_registry.TOGETHER),
    _registry.ESTIMATOR: _selectors(_registry.ESTIMATOR),
    _registry.STABLE: _selectors(_registry.STABLE),
    _registry.IN_A_ROW: _selectors(_registry.IN_A_ROW),
    "Select genes of single cells": ("thresher.pp", ""),
    "Select features on Spark": ("thresher.spark", ""),
    "Choose the number of features and the method": (
        "thresher.evaluate",
        "select_k recommend compare nested_score NumberOfFeatures Recommendation Comparison NestedScores",
    ),
    "Measure stability": ("thresher.evaluate.stability", ""),
    "Show redundancy": ("thresher.evaluate.redundancy", ""),
    "Bound or estimate errors": (
        "thresher.evaluate",
        "error_bound probe_select estimate_false_share probe_fdr ProbeBenchmark",
    ),
    "Test differences of methods over data sets": (
        "thresher.evaluate",
        "friedman wilcoxon_holm nemenyi bonferroni_dunn critical_difference wins",
    ),
    "Plot": ("thresher.plots", ""),
    "Write a report": ("thresher.report", ""),
    "Get data with known truth": ("thresher.datasets", ""),
    "Bin numeric features": (
        "thresher",
        "MeanSdBins EqualFrequencyBins EqualWidthBins MDLBins GivenBins",
    ),
    "Compute measures and sums": ("thresher.measures", ""),
    "Classes of results": (
        {
            "thresher.evaluate.comparison": "DataSet",
            "thresher.evaluate.errors": "ProbeSelection",
            "thresher.evaluate.false_share": "FalseShare",
            "thresher.evaluate.significance": "FriedmanTest PairwiseTests",
        },
        "",
    ),
    "Inspect costs, probes and versions": (
        {
            "thresher.evaluate.cost": "",
            "thresher.evaluate.probes": "count_false draw_probes",
            "thresher": "show_versions ThresherWarning",
        },
        "",
    ),
}

# Names of the measures that only selectors use.
INNER = {"ChosenRows", "Codes", "Measures", "PartSets", "SharedReplicates", "SummedReplicates"}
INNER |= {"MeasureName", "code_features", "code_target", "measures_of"}


def module_names(module: str) -> list[str]:
    """Return the public functions and classes of a module."""
    loaded = importlib.import_module(module)
    return [
        name for name in loaded.__all__ if callable(getattr(loaded, name)) and name not in INNER
    ]


def task_names() -> dict[str, dict[str, list[str]]]:
    """Return for each task the modules and their names."""
    tasks = {}
    for task, (modules, names) in TASKS.items():
        by_module = {modules: names} if isinstance(modules, str) else modules
        tasks[task] = {
            module: listed.split() or sorted(module_names(module))
            for module, listed in by_module.items()
        }
    return tasks


def write_api_pages() -> None:
    """Write the page of public names, grouped by task."""
    folder = Path(__file__).parent / "api"
    folder.mkdir(exist_ok=True)
    lines = ["API reference", "=" * 13, ""]
    for task, modules in task_names().items():
        lines += [task, "-" * len(task), ""]
        for module, names in modules.items():
            lines += [f".. currentmodule:: {module}", "", ".. autosummary::"]
            lines += ["   :toctree: generated", "   :nosignatures:", ""]
            lines += [f"   {name}" for name in names] + [""]
    page = folder / "index.rst"
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")
