"""What people call a known bug: its ticket first, and the number of this project after it."""

from __future__ import annotations

import pytest

from epochal.kafka.catalogue.catalogue import chosen
from epochal.kafka.explain.explained import explanations
from epochal.spec.bugs.catalogue import CATALOGUE, KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug, besides, called
from epochal.spec.bugs.not_modelled import NOT_MODELLED
from tests.each import for_each


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
