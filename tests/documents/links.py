"""The links of a site that is built: whether each leads to a file of it, and to an anchor of that file.

`python -m tests.documents.links build/site` says which do not, and ends with 1 if there are any.
"""

from __future__ import annotations

import os.path
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page links to, and what in it can be linked to."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value is not None:
                self.links.add(value)
            elif value and (name == "id" or (name == "name" and tag == "a")):
                self.anchors.add(value)


def dead_links(site: Path) -> list[str]:
    """The links of all pages that lead nowhere, each after its page. What is on other sites is not asked."""
    pages = {path: _Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    return sorted(
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in page.links
        if not _leads(site, path, link, pages)
    )


def _leads(site: Path, path: Path, link: str, pages: dict[Path, _Page]) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    place = unquote(parts.path)
    base = site if place.startswith("/") else path.parent
    target = Path(os.path.normpath(base / place.lstrip("/"))) if place else path
    if target.is_dir():
        target = target / "index.html"
    if not target.is_relative_to(site) or not target.is_file():
        return False
    anchor = unquote(parts.fragment)
    return anchor in ("", "top") or target not in pages or anchor in pages[target].anchors


if __name__ == "__main__":
    dead = dead_links(Path(sys.argv[1]))
    for line in dead:
        print(line)
    sys.exit(bool(dead))
