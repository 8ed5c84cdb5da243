"""Pages that are made from the code are as the code is."""

from __future__ import annotations

import pytest

import epochal
from docs.generator import protocols, words
from docs.generator.pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    assert PAGES[name]() == (DOCS / name).read_text(encoding="utf-8"), "run python -m docs.generator"


def test_every_word_of_the_language_is_told() -> None:
    assert words.missing() == set()


def test_every_protocol_has_a_family() -> None:
    assert protocols.missing() == set()


def test_every_name_of_the_door_is_told() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    told = [line.rpartition(".")[2] for line in text.splitlines() if line.startswith("::: ")]
    assert sorted(told) == sorted(epochal.__all__)
