"""Sphinx configuration: ``make docs``."""

from __future__ import annotations

import importlib
from pathlib import Path

import thresher

project = "thresher"
author = "The thresher developers"
copyright = "The thresher developers"
release = version = thresher.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_title = f"thresher {version}"
html_static_path = ["_static"]
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
}
# Only the reference has pages below a page.
html_sidebars = {page.stem: [] for page in Path(__file__).parent.glob("*.md")}
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
suppress_warnings = ["myst.xref_missing"]  # links of README and CHANGELOG that leave the docs
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

LAYERS = {
    "selectors": "Selectors",
    "discretize": "Discretisers",
    "measures": "Measures",
    "sources": "Sources",
    "evaluate": "Evaluation",
    "plots": "Plots",
}


# Public modules whose names are not exported by the package itself.
MODULES = {
    "thresher.measures": "Measures as functions, and sums",
    "thresher.evaluate.stability": "Stability",
    "thresher.evaluate.cost": "Cost of ensembles",
    "thresher.evaluate.errors": "Bounds on errors",
    "thresher.evaluate.false_share": "An estimate of errors",
    "thresher.evaluate": "Comparisons, tests, recommendations",
    "thresher.evaluate.comparison": "What a comparison found",
    "thresher.evaluate.significance": "What tests found",
    "thresher.evaluate.probes": "False selections",
    "thresher.evaluate.redundancy": "Who is redundant with whom",
    "thresher.datasets": "Data with known truth",
    "thresher.plots": "Plots",
    "thresher.report": "Reports",
    "thresher.pp": "Single-cell data",
}


# What selectors use of the measures, and users do not.
INNER = {"ChosenRows", "Codes", "Measures", "PartSets", "SharedReplicates", "SummedReplicates"}
INNER |= {"check_measure", "code_features", "code_target"}


def module_names(module: str) -> list[str]:
    """The public functions and classes of a module."""
    loaded = importlib.import_module(module)
    return [
        name for name in loaded.__all__ if callable(getattr(loaded, name)) and name not in INNER
    ]


def write_api_pages() -> None:
    """A list of the public names of each layer, straight from what the package exports."""
    folder = Path(__file__).parent / "api"
    folder.mkdir(exist_ok=True)
    groups: dict[str, list[str]] = {}
    for name, module in thresher._EXPORTS.items():
        layer = LAYERS.get(module.split(".")[1], "Other")
        groups.setdefault(layer, []).append(name)
    lines = ["API reference", "=" * 13, ""]
    for title in [*LAYERS.values(), "Other"]:
        if title not in groups:
            continue
        lines += [title, "-" * len(title), "", ".. currentmodule:: thresher", ""]
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in sorted(groups[title])] + [""]
    for module, title in MODULES.items():
        lines += [title, "-" * len(title), "", f".. currentmodule:: {module}", ""]
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [f"   {name}" for name in sorted(module_names(module))] + [""]
    page = folder / "index.rst"
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


write_api_pages()
