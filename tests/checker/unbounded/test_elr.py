"""ELR for every choice of the bounds: what is proved of it so far, and that nothing is which is wrong within bounds."""

from __future__ import annotations

import pytest

from epochal.checker.parametric.rules import ParametricSemantics
from epochal.checker.unbounded.ladder import STEEPEST, Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import GROUND_RLIMIT
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.configuration import with_more, with_settings, with_steps
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.kraft.tolerated import KraftTolerated
from epochal.spec.language import Protocol
from epochal.spec.registry import registered
from tests.checker.parametric.test_reading import compare

MANY = {"": frozenset[str]()}
"""Nothing is known of which lemmas are used, but that there are many."""


def proved(kind: type[Protocol], row: str, columns: set[str]) -> set[str]:
    """Those of some cells that the lower part of the ladder proves, with the small lemmas for likely ones."""
    plan = UnboundedPlan(kind, [], many=True)
    plan.learn(MANY)
    cells = [one for one in plan.obligations() if one.row == row and one.column in columns]
    climber = Climber(Effort(GROUND_RLIMIT // STEEPEST, "lower"))
    return {one.column for one in cells if all(climber.answer(question).proved for question in one.questions)}


def of_bug(id: str) -> type[Protocol]:
    """The protocol of a known bug, with the lemmas, and no more crashes than ELR tolerates."""
    bug = next(one for one in BUGS if one.id == id)
    return with_settings(with_steps(with_more(KraftTolerated, *bug.steps), bug.faulty), bug.faulty, f"elr-{id}")


@pytest.mark.parametrize("kind", [KraftTolerated, of_bug("N1"), of_bug("S15")], ids=lambda kind: kind.name)
def test_every_rule_has_a_reading(kind: type[Protocol]) -> None:
    reading = ParametricSemantics(kind)
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
def test_what_is_proved_of_a_crash_stays_proved() -> None:
    """Cells that need little more than themselves."""
    cells = {
        "commits_have_an_epoch",
        "below_hw_is_committed",
        "leaders_hold_what_is_committed",
        "elr_is_beside_the_isr",
        "crashes_are_counted",
        "somebody_can_be_elected",
    }
    assert proved(KraftTolerated, "crash", cells) == cells


@pytest.mark.long
def test_what_n1_breaks_is_not_proved() -> None:
    """It has a counterexample within bounds."""
    assert proved(of_bug("N1"), "replay_metadata", {"known_followers_have_reached_the_epoch"}) == set()
