"""The API reference: public names, grouped by what a reader wants to do."""

from __future__ import annotations

import importlib
from pathlib import Path

# What a reader wants to do -> module and names; a test holds the groups to what the package exports.
TASKS = {
    "Choose features that do not repeat each other": (
        "thresher",
        "MRMR NMIFS CFS FCBF JMI JMIM CMIM DISR CIFE ICAP CMIFilter RRCT GSO LassoPath S3F",
    ),
    "Rank features one by one": (
        "thresher",
        "Univariate MIM FisherScore ReliefF Relief MultiSURF SVMRFE SFSLW",
    ),
    "Choose without labels": ("thresher", "RFS RRFS LaplacianScore SPEC difficulty_ratio"),
    "Find features that matter only together": (
        "thresher",
        "LCC CWC INTERACT SDCC ASDCC SWCFS SALCC Focus ABB SetCover LVF QBB",
    ),
    "Find the set on which an estimator does best": ("thresher", "GBC MRMRGA"),
    "Make a selection stable, or sure": ("thresher", "Ensemble ErrorControlled"),
    "Put selectors in a row": ("thresher", "Chain"),
    "Choose genes of single cells": ("thresher.pp", ""),
    "Choose where Spark has the rows": ("thresher.spark", ""),
    "How many features, which method, what score": (
        "thresher.evaluate",
        "select_k recommend compare nested_score NumberOfFeatures Recommendation Comparison NestedScores",
    ),
    "How stable is it?": ("thresher.evaluate.stability", ""),
    "Who is redundant with whom?": ("thresher.evaluate.redundancy", ""),
    "How sure can I be?": (
        "thresher.evaluate",
        "error_bound probe_select estimate_false_share probe_fdr ProbeBenchmark",
    ),
    "Are methods different? Tests over data sets": (
        "thresher.evaluate",
        "friedman wilcoxon_holm nemenyi bonferroni_dunn critical_difference wins",
    ),
    "Draw": ("thresher.plots", ""),
    "Report on a selection": ("thresher.report", ""),
    "Get data with known truth": ("thresher.datasets", ""),
    "Bin numbers": ("thresher", "MeanSdBins EqualFrequencyBins EqualWidthBins MDLBins GivenBins"),
    "Measure association; sums that add": ("thresher.measures", ""),
    "What results hold": (
        {
            "thresher.evaluate.comparison": "DataSet",
            "thresher.evaluate.errors": "ProbeSelection",
            "thresher.evaluate.false_share": "FalseShare",
            "thresher.evaluate.significance": "FriedmanTest PairwiseTests",
        },
        "",
    ),
    "Look under the hood": (
        {
            "thresher.evaluate.cost": "",
            "thresher.evaluate.probes": "count_false draw_probes",
            "thresher": "show_versions ThresherWarning",
        },
        "",
    ),
}

# What selectors use of the measures, and users do not.
INNER = {"ChosenRows", "Codes", "Measures", "PartSets", "SharedReplicates", "SummedReplicates"}
INNER |= {"MeasureName", "code_features", "code_target"}


def module_names(module: str) -> list[str]:
    """The public functions and classes of a module."""
    loaded = importlib.import_module(module)
    return [
        name for name in loaded.__all__ if callable(getattr(loaded, name)) and name not in INNER
    ]


def task_names() -> dict[str, dict[str, list[str]]]:
    """For each task the modules and their names."""
    tasks = {}
    for task, (modules, names) in TASKS.items():
        by_module = {modules: names} if isinstance(modules, str) else modules
        tasks[task] = {
            module: listed.split() or sorted(module_names(module))
            for module, listed in by_module.items()
        }
    return tasks


def write_api_pages() -> None:
    """The public names, grouped by task."""
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
