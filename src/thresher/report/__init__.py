"""HTML reports of selections; they need jinja2 (the extra ``report``)."""

from __future__ import annotations

from thresher.report._page import gather_facts, render_report, save_report

__all__ = ["gather_facts", "render_report", "save_report"]
