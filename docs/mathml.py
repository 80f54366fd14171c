"""Write formulas as MathML when the pages are built: they need no script and no network."""

from __future__ import annotations

from typing import Any

from docutils.nodes import SkipNode
from docutils.utils.math import latex2mathml
from sphinx.errors import ExtensionError


def _convert(tex: str, is_block: bool) -> str:
    try:
        return latex2mathml.tex2mathml(tex, as_block=is_block)
    except Exception as error:  # any error of its parser
        raise ExtensionError(
            f"the formula {tex!r} cannot be converted to MathML: {error}"
        ) from error


def _write_inline(writer: Any, node: Any) -> None:
    writer.body.append(f'<span class="math">{_convert(node.astext(), False)}</span>')
    raise SkipNode


def _write_block(writer: Any, node: Any) -> None:
    writer.body.append(f'<div class="math">{_convert(node.astext(), True)}</div>\n')
    raise SkipNode


def setup(app: Any) -> dict[str, Any]:
    app.add_html_math_renderer("mathml", (_write_inline, None), (_write_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
