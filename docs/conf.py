"""Sphinx configuration: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes

import thresher

sys.path.insert(0, str(Path(__file__).parent))
from api_tasks import write_api_pages
from decision_figure import write_decision_figure
from example_report import write_example_report
from selectors_table import write_selectors_table

project = "thresher"
author = "The thresher developers"
copyright = "The thresher developers"
release = version = thresher.__version__

extensions = [
    "mathml",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/GALLERY_HEADER.rst", "records"]
sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "plot_gallery": True,
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "capture_repr": (),  # examples print or draw what they show
    "write_computation_times": False,
    "remove_config_comments": True,
}
templates_path = ["_templates"]
html_theme = "pydata_sphinx_theme"
html_math_renderer = "mathml"
html_title = f"thresher {version}"
html_static_path = ["_static"]
html_extra_path = ["api/html"]
html_css_files = ["pages.css"]
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 4,
    "show_prev_next": False,
    # The table of all selectors needs the width.
    "secondary_sidebar_items": {"**": ["page-toc"], "methods": []},
}
html_context = {"default_mode": "auto"}
# Only the reference has pages below a page.
html_sidebars = {page.stem: [] for page in Path(__file__).parent.glob("*.md")}
myst_enable_extensions = ["dollarmath", "colon_fence"]
myst_heading_anchors = 3
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

linkcheck_timeout = 20


def setup(app: Any) -> None:
    app.connect("doctree-read", end_blocks_with_their_last_line)


def end_blocks_with_their_last_line(app: Any, document: nodes.document) -> None:
    """Remove the empty line at the end of code blocks, which doctest needs."""
    for block in document.findall(nodes.literal_block):
        text = block.astext().rstrip("\n")
        if text != block.astext():
            block.rawsource = text
            block.children = [nodes.Text(text)]


write_api_pages()
write_selectors_table()
write_decision_figure()
write_example_report()
