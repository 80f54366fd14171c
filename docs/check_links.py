"""Check that local links of the built pages have targets, and that no page loads from another site.

Run ``python docs/check_links.py FOLDER``.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The anchors of a page, and its links."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("id", "name"):
                self.anchors.add(value)
            elif value and name in ("href", "src"):
                self.links.add(value)
                if name == "src" or (tag == "link" and ("rel", "stylesheet") in attributes):
                    self.loads.add(value)


def broken_links(folder: Path) -> list[str]:
    """Return one line for each broken local link below `folder`, and for each file loaded from another site."""
    paths = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): Page(path) for path in paths}
    broken = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    broken.append(f"{path.name}: {link} is loaded from another site")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists():
                broken.append(f"{path.name}: {link} does not exist")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                broken.append(f"{path.name}: {link}: no such anchor")
    return broken


if __name__ == "__main__":
    problems = broken_links(Path(sys.argv[1]))
    sys.exit("\n".join(problems) or 0)
