"""ELR for every choice of the bounds: what is proved of it so far, and that nothing is which is wrong within bounds."""

from __future__ import annotations

import pytest

from epochal.checker.parametric.rules import ParametricReading
from epochal.checker.unbounded.asking import Asking
from epochal.checker.unbounded.ladder import STEEPEST
from epochal.checker.unbounded.likely import used_within_bounds
from epochal.checker.unbounded.obligations import Plan
from epochal.checker.unbounded.proof import RLIMIT
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.configuration import with_more, with_settings, with_steps
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.kraft.tolerated import KraftTolerated
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from tests.checker.parametric.test_reading import compare

HINTS = KraftBounds(replication_factor=2, records=2, max_epoch=2, metadata_lag=2, crashes=1, fencings=1)
"""Where the prover within bounds says which lemmas it uses."""

OPEN: dict[str, set[str]] = {}
"""What is not proved of these rows with little effort. The list becomes shorter when the solver is helped."""


def left_open(kind: type[Protocol], rows: dict[str, set[str] | None]) -> dict[str, set[str]]:
    """The cells of some rows that the lower part of the ladder does not prove; None: all columns of the row."""
    names = [member.name for member in kind.members("invariant")]
    used = used_within_bounds(KraftTolerated(HINTS), names, True, lambda: None)
    asking, found = Asking(1, True, RLIMIT // STEEPEST), dict[str, set[str]]()
    for one in Plan(kind, names, used).obligations():
        if one.row in rows and one.column in (rows[one.row] or {one.column}):
            asked = [(f"{one.label} {number}", question) for number, question in enumerate(one.questions)]
            if not all(answer.proved for answer in asking(asked, steep=False)):
                found.setdefault(one.row, set()).add(one.column)
    return found


def of_bug(id: str) -> type[Protocol]:
    """The protocol of a known bug, with the lemmas, and no more crashes than ELR tolerates."""
    bug = next(one for one in BUGS if one.id == id)
    assert isinstance(bug.faulty, Settings)
    return with_settings(with_steps(with_more(KraftTolerated, *bug.steps), bug.faulty), bug.faulty, f"elr-{id}")


@pytest.mark.parametrize("kind", [KraftTolerated, of_bug("N1"), of_bug("S15")], ids=lambda kind: kind.name)
def test_every_rule_has_a_reading(kind: type[Protocol]) -> None:
    reading = ParametricReading(kind)
    reading.initial()
    for member in kind.members("action"):
        reading.action(member)
    for member in (*kind.members("lemma"), *kind.members("invariant")):
        reading.predicate(member)


def test_the_reading_is_what_python_does() -> None:
    bounds = KraftBounds(replication_factor=2, records=2, metadata_lag=2)
    made, found, refused = compare(KraftTolerated(bounds), 2)
    assert not found, found[0]
    assert not refused
    assert made.done.careful == 0
    assert registered("kraft-tolerated") is KraftTolerated


@pytest.mark.long
def test_what_is_proved_stays_proved() -> None:
    """A crash, the beginning, and what the lemmas imply."""
    assert left_open(KraftTolerated, {"initially": None, "crash": None, "implication": None}) == OPEN


@pytest.mark.long
def test_what_n1_breaks_is_not_proved() -> None:
    """The four cells that have a counterexample within bounds."""
    wrong = {
        "electable_hold_what_is_committed",
        "electable_hold_what_may_be_committed",
        "known_followers_have_reached_the_epoch",
        "known_followers_hold_what_is_known",
    }
    assert left_open(of_bug("N1"), {"replay_metadata": wrong}) == {"replay_metadata": wrong}
