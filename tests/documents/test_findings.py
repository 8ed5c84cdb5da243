"""The findings: what goes wrong is said first, in Kafka's words, and the number of this project after it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from epochal.kafka.lockstep.fixes import NOT_IN_THE_MODEL
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from tests.documents.harness import ROOT

INDEX = ROOT / "docs" / "kafka" / "findings.md"
PAGES = sorted(INDEX.with_suffix("").glob("*.md"))
NUMBER = re.compile(r"\b(?:[A-Z]|SG)[0-9]+[a-z]?\b")
ROW = re.compile(
    r"^\| \[(?P<title>[^]]+)\]\((?P<link>findings/[a-z0-9]+\.md)\) \| [^|]+ \| (?P<number>[^ ]+) \|$", re.MULTILINE
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_called_by_what_goes_wrong(page: Path) -> None:
    title = page.read_text(encoding="utf-8").splitlines()[0]
    said, _, number = title.rpartition(" ")
    assert NUMBER.fullmatch(number[1:-1]) and number[1:-1].lower() == page.stem
    assert said.startswith("# ") and not NUMBER.search(said)


def test_the_index_has_every_page_once() -> None:
    rows = [row.groupdict() for row in ROW.finditer(INDEX.read_text(encoding="utf-8"))]
    assert sorted(row["link"] for row in rows) == [f"findings/{page.name}" for page in PAGES]
    for row in rows:
        assert row["link"] == f"findings/{row['number'].lower()}.md"
        assert not NUMBER.search(row["title"])


KNOWN = {bug.id for bug in KNOWN_BUGS}


def test_the_findings_are_entries_of_the_catalogue() -> None:
    """Those that no model has are no entries, and their pages say so."""
    others = [page for page in PAGES if page.stem not in {one.lower() for one in KNOWN}]
    assert {page.stem for page in others} == {one.lower() for one in NOT_IN_THE_MODEL}
    assert all("It is not in the model." in page.read_text(encoding="utf-8") for page in others)
    assert "Q12 and Q13 are not in the model" in " ".join(INDEX.read_text(encoding="utf-8").split())


def test_no_note_of_the_index_begins_with_a_number() -> None:
    notes = re.findall(r"^\* \*\*(.*?)\*\*", INDEX.read_text(encoding="utf-8"), re.MULTILINE)
    assert notes
    assert not [note for note in notes if NUMBER.match(note)]


FIELDS = ("Title: ", "Affects Version/s: ", "Component/s: ", "Steps", "Expected: ", "Actual: ", "Test (", "Fix: ")


ON_YOUR_MACHINE = [page for page in PAGES if "\n## On your machine\n" in page.read_text(encoding="utf-8")]


def test_most_pages_have_commands() -> None:
    """Those that Kafka's classes show by a run of their own, or brokers alone: nothing is uploaded in the lockstep."""
    assert {page.stem for page in PAGES} - {page.stem for page in ON_YOUR_MACHINE} <= {"q11", "t1"}


@pytest.mark.parametrize("page", ON_YOUR_MACHINE, ids=lambda page: page.stem)
def test_a_page_ends_with_the_commands_and_a_text_for_kafkas_tracker(page: Path) -> None:
    """Two commands at least, whose traces are here; the text has every field in its order, and none of our numbers."""
    _, mine, tracker = re.split(r"^## (?:On your machine|For Kafka's tracker)$", page.read_text(), flags=re.MULTILINE)
    commands_shown = re.findall(r"^\$ epochal lockstep run (\S+) --kafka", mine, re.MULTILINE)
    assert len(commands_shown) >= 2
    assert all((ROOT / name).is_file() or name.startswith("h8/") for name in commands_shown)
    (text,) = re.findall(r"^```text\n(.*?)^```$", tracker, re.MULTILINE | re.DOTALL)
    lines = text.splitlines()
    places = [next(at for at, line in enumerate(lines) if line.startswith(field)) for field in FIELDS]
    assert places == sorted(places)
    assert not {*NUMBER.findall(text)} & {*KNOWN, *NOT_IN_THE_MODEL}
