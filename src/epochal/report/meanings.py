"""What words mean, for people and as a document: the meanings that `epochal explain` prints."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.documents import document
from epochal.kafka.explain import Explanation

from .kafka_documents import Explain
from .page import Page


def render_meanings(page: Page, meanings: Sequence[Explanation]) -> None:
    """Each meaning below its heading, and the commands that show more."""
    for number, one in enumerate(meanings):
        if number:
            page.line()
        page.line(one.heading, "title")
        page.lines(one.said, indent=2)
        for text in one.commands:
            page.verbatim(text, "faint")


def meanings_document(meanings: Sequence[Explanation]) -> Explain:
    """The same as one JSON object."""
    return document(Explain, exit_code=0, meanings=[vars(one) for one in meanings])
