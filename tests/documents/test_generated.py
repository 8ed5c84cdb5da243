"""Pages that are made from the code are as the code is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import epochal
from docs.generator import classics, evidence, protocols, trusted, words
from docs.generator.pages import DOCS, PAGES
from docs.generator.trusted import ROOT
from epochal.spec.bugs.catalogue import CATALOGUE


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    assert PAGES[name]() == (DOCS / name).read_text(encoding="utf-8"), "run python -m docs.generator"


def test_the_table_of_evidence_is_up_to_date_and_has_no_empty_cell() -> None:
    text = evidence.REPRODUCED.read_text(encoding="utf-8")
    assert evidence.with_evidence(text) == text, "run python -m docs.generator"
    made = text[text.index(evidence.BEGIN) : text.index(evidence.END)]
    rows = [line.strip("| ").split(" | ") for line in made.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + len(evidence.open_holes(evidence.answers())) and {len(row) for row in rows} == {7}
    words = {re.sub(r"[*]| \([a-z]\)", "", cell) for row in rows[2:] for cell in row[1:]}
    assert words <= {"brokers", "brokers, classes", "classes", "closed", "model only", "not brought about"}
    letters = set(re.findall(r"(?:only|about) \(([a-z])\)", made))
    assert letters == set(re.findall(r"^\* \(([a-z])\) ", made, re.MULTILINE))


def test_the_home_page_keeps_the_kinds_of_evidence_apart() -> None:
    """Each open hole once, by the strongest evidence, and those that nobody is known to have reported by themselves."""
    text = evidence.HOME.read_text(encoding="utf-8")
    assert evidence.with_found(text) == text, "run python -m docs.generator"
    made = text[text.index(evidence.BEGIN) : text.index(evidence.END)]
    rows = [line.strip("| ").split(" | ") for line in made.splitlines() if line.startswith("| ")][2:]
    named = [[re.findall(r"\[([^]]+)\]\(", cell) for cell in row[1:]] for row in rows]
    holes = {bug.id: bug for bug in evidence.open_holes(evidence.answers())}
    assert sorted(id for row in named for cell in row for id in cell) == sorted(holes)
    brokers, classes, model = ({*new, *known} for new, known in named)
    assert all(holes[id].shown_on for id in brokers) and not any(holes[id].shown_on for id in classes | model)
    assert all("no ticket known" in holes[id].seen_in() for new, _ in named for id in new)
    assert not any("no ticket known" in holes[id].seen_in() for _, known in named for id in known)


def test_the_lines_that_a_proof_trusts_are_counted() -> None:
    """Of files that are there, each counted once; and what answers a question is made of no other file of its room."""
    text = trusted.TRUST.read_text(encoding="utf-8")
    assert trusted.with_trusted(text) == text, "run python -m docs.generator"
    files = [one for paths in (*trusted.TRUSTED.values(), *trusted.UNTRUSTED.values()) for one in paths]
    rooms = [path for room in ("checker/unbounded", "checker/parametric") for path in (ROOT / room).glob("*.py")]
    assert len(files) == len(set(files))
    assert {str(one.relative_to(ROOT)) for one in rooms if one.name != "__init__.py"} <= set(files)


def test_the_table_of_classics_is_up_to_date() -> None:
    text = classics.PAGE.read_text(encoding="utf-8")
    assert classics.with_classics(text) == text, "run python -m docs.generator"


def test_lines_of_code(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""Two\nlines."""\n\n# a remark\nx = """\n"""  # and\n\ndef f():\n    "Says."\n')
    assert trusted.lines_of_code(tmp_path) == trusted.lines_of_code(tmp_path / "a.py") == 3


def test_a_cell_says_the_strongest_that_is_known() -> None:
    bug = next(bug for bug in CATALOGUE if bug.id == "H3")  # of 4.0 to 4.2, shown on brokers of 4.2.2 and not of 4.0.0
    reason = "not mapped: no step of the harness"
    assert evidence.cell(bug, "4.2.2", {"H3": "shown"}) == ("brokers, classes", "")
    assert evidence.cell(bug, "4.2.2", {"H3": reason}) == ("brokers", "")
    assert evidence.cell(bug, "4.0.0", {"H3": "shown"}) == ("classes", "")
    assert evidence.cell(bug, "4.0.0", {"H3": "closed"}) == ("not brought about", evidence.BY_ANOTHER_RULE)
    assert evidence.cell(bug, "4.0.0", {"H3": reason})[0] == "model only"
    assert "none of its steps" in evidence.cell(bug, "4.0.0", {})[1]
    assert (
        evidence.cell(bug, "4.4.0", {"H3": "closed"}) == evidence.cell(bug, "4.4.0", {"H3": reason}) == ("closed", "")
    )


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
