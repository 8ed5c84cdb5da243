"""A hook of MkDocs: names for those who hear a page, where the theme has none."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

SEARCH = 'data-md-component="search" role="dialog"'


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Name the dialog of the search."""
    return output.replace(SEARCH, f'{SEARCH} aria-label="Search"')
