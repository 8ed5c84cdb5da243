"""What the catalogue tells of a bug is what happens in its run: the brokers and records of a story are there."""

from __future__ import annotations

import json
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.trace.explain import ExplainedStep, explain
from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.output_folder import trace_name
from epochal.checker.trace.trace import Trace
from epochal.kafka.catalogue import chosen
from epochal.kafka.explain import explanations
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug, besides, called
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from tests.each import for_each

FOLDER = Path(__file__).resolve().parents[2] / "counterexamples"
TOLD = [bug for bug in KNOWN_BUGS if bug.story]
NAME = re.compile(r"\b[bvr][0-9]\b")
HELD = re.compile(r"\b(b[0-9])\b(?:(?!\bb[0-9]\b|\br[0-9]\b|\bwithout\b|\black)[^.,;:])*?\b(r[0-9])\b")
"""A broker and a record in one clause, as in `b1 appends r0`: the broker has the record at some time."""


def run_of(bug: KnownBug) -> Trace:
    """The shortest run that shows a bug, as the folder of counterexamples has it."""
    others = "".join(f"-{name}-{value}" for name, value in bug.other_bounds)
    file = FOLDER / trace_name(bug.without_rule, bug.property_id + others)
    assert file.exists(), f"no run of {bug.id}: run epochal counterexamples"
    return TraceReader((), ()).read(file)


def words(steps: list[ExplainedStep]) -> str:
    """All that is told of a run."""
    return "\n".join(f"{step.sentence}\n" + "\n".join(map(str, step.told)) for step in steps)


def held(steps: list[ExplainedStep]) -> Iterator[tuple[str, str]]:
    """Which broker has which record in its log, at some time of a run."""
    for told in (told for step in steps for told in step.told):
        log = re.search(r"(?:^|; )log ([^,;]*)", told.text)
        yield from ((told.lane, record) for record in re.findall(r"\b(r[0-9])@", log[1] if log else ""))


@for_each("bug", TOLD)
def test_a_story_is_that_of_its_run(bug: KnownBug) -> None:
    steps = explain(run_of(bug))
    assert set(NAME.findall(bug.story)) <= set(NAME.findall(words(steps)))
    assert set(HELD.findall(bug.story)) <= set(held(steps))


def test_some_stories_name_brokers_and_records() -> None:
    assert sum(bool(NAME.search(bug.story)) for bug in TOLD) > 20
    assert sum(bool(HELD.search(bug.story)) for bug in TOLD) >= 10


# What people call a known bug: its ticket first, and the number of this project after it.


@pytest.mark.parametrize(
    ("id", "tickets", "name", "also"),
    [
        ("S10", ("KAFKA-18991",), "KAFKA-18991 (S10)", ""),
        ("S3", ("KIP-279", "KAFKA-6361"), "KAFKA-6361 (S3)", "KIP-279"),
        ("S11", ("KIP-497",), "KIP-497 (S11)", ""),
        (
            "N1",
            ("Replica.resetReplicaState; no ticket known", "KAFKA-2721"),
            "Replica.resetReplicaState (N1)",
            "no ticket known (related: KAFKA-2721)",
        ),
        ("N2", ("KIP-966; no ticket known",), "KIP-966 (N2)", "no ticket known"),
        ("KAFKA-15665", ("KAFKA-15665",), "KAFKA-15665", ""),
        ("", ("KIP-595",), "KIP-595", ""),
        ("S26c", (), "S26c", ""),
    ],
)
def test_the_ticket_comes_first(id: str, tickets: tuple[str, ...], name: str, also: str) -> None:
    assert (called(id, tickets), besides(tickets)) == (name, also)


def test_no_source_is_lost() -> None:
    told = [(bug.source, f"{bug.name}; {bug.also}") for bug in KNOWN_BUGS]
    told += [(bug.source, f"{bug.name}; {bug.also}") for bug in NOT_MODELLED]
    for source, words in told:
        assert all(part in words for ticket in source.split(", ") for part in ticket.split("; ") if part != "-")


@for_each("bug", CATALOGUE)
def test_entries_are_found_by_number_and_by_ticket(bug: KnownBug) -> None:
    for key in (bug.id, *bug.references()):
        assert bug in chosen([key], CATALOGUE)


def test_every_bug_teaches_something_and_all_editions_of_it_the_same() -> None:
    lessons: dict[str, str] = {}
    for bug in KNOWN_BUGS:
        assert lessons.setdefault(bug.id.partition(" ")[0] or bug.without_rule, bug.lesson) == bug.lesson
        assert bug.lesson.endswith(".") and bug.lesson.isprintable() and 30 < len(bug.lesson) < 250, bug.name
        assert bug.lesson.lower() != f"{bug.title}.".lower()


def test_a_lesson_is_told_wherever_the_bug_is() -> None:
    bug = next(one for one in CATALOGUE if one.id == "S10")
    (told,) = explanations("S10")
    assert told.said[-1] == f"What it teaches: {bug.lesson}"
    assert "that epoch again" in bug.lesson


# What running brokers have shown of the known bugs is said in one place, and is what they left behind.

ROOT = Path(__file__).resolve().parents[2]
NOT_YET = "no running Kafka has shown"


def said() -> set[tuple[str, str]]:
    """The bugs with the releases, as the catalogue has them."""
    return {(bug.id, release) for bug in CATALOGUE for release in bug.shown_on}


def test_the_catalogue_says_what_brokers_lost() -> None:
    """Each archive tells which acknowledged records no consumer could read, and what became of each transaction."""
    archives = sorted((ROOT / "tests/evidence").glob("reproduced-*.tar.xz"))
    found = {(about["reproduces"]["id"], about["kafka"]) for about in map(about_of, archives) if lost(about)}
    assert found == said() != set()


def lost(about: dict[str, Any]) -> bool:
    """Whether an acknowledged record was lost or skipped, a transaction committed in part, or a controller resigned."""
    if about["reproduces"]["verdict"] in ("resigns", "skipped"):
        return all(step["followed"] for step in about["reproduces"]["story"])
    seen = about["reproduces"].get("transactions", ())
    torn = any(len(set(transaction["visible"].values())) > 1 for transaction in seen)
    assert torn == (about["reproduces"]["verdict"] == "torn")
    return torn or bool(about["reproduces"]["lost"])


def about_of(archive: Path) -> dict[str, Any]:
    """What an archive says of itself."""
    with tarfile.open(archive) as opened:
        name = next(name for name in opened.getnames() if name.endswith("about.json"))
        content = opened.extractfile(name)
        assert content is not None
        told: dict[str, Any] = json.load(content)
        return told


def test_the_page_says_the_same() -> None:
    rows = re.findall(
        r"^\|[^|]*\| ([A-Z]+[0-9a-z]+) \| ([0-9., ]+) \| (?:lost|torn|resigns|skipped)",
        (ROOT / "docs/kafka/reproduced.md").read_text(),
        re.M,
    )
    assert {(id, release) for id, releases in rows for release in releases.split(", ")} == said()


def test_what_was_shown_is_told_wherever_a_bug_is() -> None:
    told = {bug.id: bug.seen_in() for bug in CATALOGUE}
    assert told["N1"].endswith(
        "no ticket known (related: KAFKA-2721); reproduced on Apache Kafka 3.9.2, 4.1.2, 4.2.1, 4.2.2, 4.3.1, 4.4.0"
    )
    assert told["S25"] == "Every Kafka; reproduced on Apache Kafka 3.9.2, 4.3.1, 4.4.0"
    assert "reproduced" not in told["S14"]


def test_no_story_and_no_finding_denies_it() -> None:
    for bug in CATALOGUE:
        assert not (bug.shown_on and NOT_YET in bug.story), bug.id
        finding = finding_of(bug)
        if finding.exists():
            told = " ".join(finding.read_text().split())
            assert (NOT_YET not in told) == bool(bug.shown_on), bug.id
            assert all(release in told for release in bug.shown_on), bug.id


def finding_of(bug: KnownBug) -> Path:
    """Its page, if it has one."""
    return ROOT / "docs/kafka/findings" / f"{bug.id.lower()}.md"


def test_the_index_of_findings_names_what_was_shown() -> None:
    """Of those with a page, and of the others that have no ticket."""
    text = " ".join((ROOT / "docs/kafka/findings.md").read_text().split())
    (shown,) = re.findall(r"Running brokers \[have shown\]\(reproduced.md\) (.*?); none of the others", text)
    own = {bug.id for bug in CATALOGUE if bug.shown_on and (finding_of(bug).exists() or bug.id[0] in "NHQWPX")}
    assert set(re.findall(r"\b(?:[A-Z]|SG)[0-9]+[a-z]?\b", shown)) == own
