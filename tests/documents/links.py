"""The links of a site that is built: whether each leads to a file of it, and to an anchor of that file.

`python -m tests.documents.links build/site` says which do not, and ends with 1 if there are any.
"""

from __future__ import annotations

import html
import os.path
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

UNREAD = re.compile(r"<!--.*?-->|(<(script|style)\b[^>]*>).*?</\2>", re.DOTALL)
"""Comments, and what a script or a style says."""

TAG = re.compile(r"""<([a-zA-Z][\w-]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""(?<![\w-])(href|src|id|name)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")


class _Page:
    """What a page links to, and what in it can be linked to."""

    def __init__(self, content: str) -> None:
        self.links: set[str] = set()
        self.anchors: set[str] = set()
        for tag, attributes in TAG.findall(UNREAD.sub(r"\1", content)):
            for name, *values in ATTRIBUTE.findall(attributes):
                value = html.unescape("".join(values))
                if name in ("href", "src"):
                    self.links.add(value)
                elif value and (name == "id" or tag == "a"):
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
