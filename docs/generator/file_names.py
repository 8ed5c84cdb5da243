"""A hook of MkDocs: the name of a file above its text. In the pages a comment has it, which the tests read."""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

NAMED = re.compile(r"^(?P<indent> *)<!-- file: (?P<name>\S+) -->\n(?P=indent)```(?P<language>\w+)$", re.MULTILINE)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Give each block that is a file its name as title."""
    return NAMED.sub(r'\g<indent>```\g<language> title="\g<name>"', markdown)
