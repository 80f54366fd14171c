"""Every local link of the built pages leads to a file and a place in it, and no page loads anything from elsewhere:
``python docs/check_links.py FOLDER``.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """The places of a page, and where it leads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.places: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if value and name in ("id", "name"):
                self.places.add(value)
            elif value and name in ("href", "src"):
                self.links.add(value)
                if name == "src" or (tag == "link" and ("rel", "stylesheet") in attributes):
                    self.loads.add(value)


def broken_links(folder: Path) -> list[str]:
    """A sentence for each local link of the pages below `folder` that leads nowhere, and for what is not local."""
    paths = (path for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts)
    pages = {path.resolve(): Page(path) for path in paths}
    broken = []
    for path, page in pages.items():
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.loads and parts.scheme != "data":
                    broken.append(f"{path.name}: {link} is loaded from elsewhere")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            place = unquote(parts.fragment)
            if not target.exists():
                broken.append(f"{path.name}: {link} does not exist")
            elif place and target in pages and place not in pages[target].places:
                broken.append(f"{path.name}: {link}: no such place")
    return broken


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    sys.exit("\n".join(found) or 0)
