"""Pages that are made from the code are as the code is."""

from __future__ import annotations

import subprocess
import sys

import pytest

import epochal
from docs.generator import protocols, words
from docs.generator.pages import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    assert PAGES[name]() == (DOCS / name).read_text(encoding="utf-8"), "run python -m docs.generator"


def test_to_make_the_page_of_commands_changes_no_command() -> None:
    """In a process of its own: a command keeps what it was asked for first, its help option among it."""
    code = (
        "from docs.generator.commands import commands; commands()\n"
        "from epochal.cli.main import main\n"
        "import sys; sys.exit(main(['-h']) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=DOCS.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: ")


def test_every_word_of_the_language_is_told() -> None:
    assert words.missing() == set()


def test_every_protocol_has_a_family() -> None:
    assert protocols.missing() == set()


def test_every_name_of_the_door_is_told() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    told = [line.rpartition(".")[2] for line in text.splitlines() if line.startswith("::: ")]
    assert sorted(told) == sorted(epochal.__all__)
