"""Sphinx configuration: ``make docs``."""

from __future__ import annotations

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
html_sidebars = {"index": [], "installation": [], "design": [], "benchmarks": []}
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
    page = folder / "index.rst"
    text = "\n".join(lines)
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


write_api_pages()
