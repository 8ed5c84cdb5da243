"""ELR for every choice of the bounds: what is proved of it so far, and that nothing is which is wrong within bounds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from epochal.checker.parametric.rules import ParametricSemantics
from epochal.checker.solver.induction import EVALUATION, IMPLICATION
from epochal.checker.unbounded import certificate
from epochal.checker.unbounded.ladder import STEEPEST, Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import GROUND_RLIMIT
from epochal.checker.unbounded.question import Question
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.configuration import with_more, with_settings, with_steps
from epochal.spec.kraft.state import KraftBounds, Status
from epochal.spec.kraft.tolerated import KraftTolerated
from epochal.spec.language import Identifier, Protocol
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


class FetchesAll(KraftTolerated):
    """A leader thinks that a follower has everything after one fetch."""

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        """Up to the leader's log end, which the follower may be far from."""
        super().accept_fetch(leader, follower)
        self.brokers[leader].followers[follower] = self.end(leader)


class CommitsAlone(KraftTolerated):
    """A leader commits what it has appended, whoever has fetched it."""

    def advance_high_watermark(self, leader: Identifier) -> None:
        """Up to its log end."""
        before = self.brokers[leader].hw
        if self.end(leader) > before:
            self.brokers[leader].hw = self.end(leader)
            self.remember_commit(leader, len(self.maximal_isr(leader)), before)


OUTLINES = certificate.known(KraftTolerated).outlines


def by_outlines(kind: type[Protocol], row: str, column: str) -> bool:
    """Whether a cell is proved from an outline that ships."""
    plan, climber = UnboundedPlan(kind, [], many=True), Climber(Effort(GROUND_RLIMIT // STEEPEST, "lower"))
    for outline in OUTLINES[row, column]:
        if row == IMPLICATION:
            asked = [one.implied(column, outline.before, few=True) for one in plan.readings]
        else:
            asked = [plan.outlined(row, column, outline)]
        if any(all(climber.answer(question).proved for question in one.questions) for one in asked):
            return True
    return False


def test_outlines_name_what_there_is() -> None:
    """Else they would be passed over without a word."""
    rows = {IMPLICATION, *(one.name for one in KraftTolerated.members("action"))}
    lemmas = {one.name for one in KraftTolerated.members("lemma")}
    claims = lemmas | {EVALUATION, *(one.name for one in KraftTolerated.members("invariant"))}
    assert OUTLINES
    for (row, column), outlines in OUTLINES.items():
        assert row in rows and column in claims
        assert all(lemmas.issuperset((*one.before, *one.after)) for one in outlines)


def test_a_fetch_tells_the_leader_the_truth() -> None:
    """Cells that their outlines prove in a second or two."""
    assert by_outlines(KraftTolerated, "fetch", "known_followers_hold_what_is_known")
    assert by_outlines(KraftTolerated, "fetch", "what_is_known_is_in_the_logs")


def test_what_cvc5_found_z3_proves_from_the_hints_that_ship() -> None:
    """Without cvc5: whoever may be elected holds what a leader commits when it appends."""
    place = "produce", "electable_hold_each_committed_record"
    plan = UnboundedPlan(KraftTolerated, [], many=True, hints=certificate.known(KraftTolerated).hints)
    (outline,) = OUTLINES[place]
    climber = Climber(Effort(GROUND_RLIMIT // STEEPEST, "hint"))
    questions = plan.outlined(*place, outline).questions
    assert questions
    assert all(climber.answer(question).proved for question in questions)


def by_hints(kind: type[Protocol], row: str, column: str) -> bool:
    """Whether a cell is proved from an outline and the hints that ship, without cvc5, and what has none at once."""
    plan = UnboundedPlan(kind, [], many=True, hints=certificate.known(KraftTolerated).hints)
    for outline in OUTLINES[row, column]:
        if row == IMPLICATION:
            asked = [one.implied(column, outline.before, few=True) for one in plan.readings]
        else:
            asked = [plan.outlined(row, column, outline)]
        for one in asked:
            if all(
                any(climber.answer(question).proved for climber in climbers(question)) for question in one.questions
            ):
                return True
    return False


def climbers(question: Question) -> Iterator[Climber]:
    """From its hint, if there is one, or else by the lower part of the ladder."""
    if question.hint is not None:
        yield Climber(Effort(GROUND_RLIMIT // STEEPEST, "hint"))
    yield Climber(Effort(GROUND_RLIMIT // STEEPEST, "lower"))


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("crash", "electable_hold_each_record_where_it_is_stuck"),
        ("crash", "future_leaders_hold_each_record_where_it_is_stuck"),
        (IMPLICATION, "future_leaders_hold_each_record_where_it_is_stuck"),
        (IMPLICATION, "electable_have_reached_the_epoch_where_it_is_stuck"),
    ],
)
def test_where_a_leader_is_stuck_its_successors_hold_what_it_commits(row: str, column: str) -> None:
    """The cells that are answered in a second or two."""
    assert by_hints(KraftTolerated, row, column)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("elect_preferred_leader", "leaders_count_later_ones_or_are_stuck"),
        ("elect_preferred_leader", "electable_hold_each_record_where_it_is_stuck"),
        ("fence", "electable_hold_each_record_where_it_is_stuck"),
        ("fence", "future_isrs_have_later_leaders_or_are_stuck"),
        ("handle_alter_partition", "later_epochs_start_beyond_where_it_is_stuck"),
        ("restart", "electable_that_are_not_counted_have_reached_the_epoch"),
        ("restart", EVALUATION),
        ("unfence", "leaders_count_the_electable_or_are_stuck"),
    ],
)
@pytest.mark.long
def test_the_controller_leaves_a_leader_that_is_stuck_to_its_successors(row: str, column: str) -> None:
    assert by_hints(KraftTolerated, row, column)


class ForgetsThatItLost(KraftTolerated):
    """A broker that crashes and loses records counts as intact."""

    def stop(self, broker: Identifier, status: Status) -> None:
        """As always, but nobody remembers."""
        super().stop(broker, status)
        self.lost_data -= {broker}


@pytest.mark.long
def test_what_few_lemmas_imply_is_read_as_of_few() -> None:
    assert by_outlines(KraftTolerated, IMPLICATION, "truncation_spares_what_is_known")


@pytest.mark.parametrize(
    ("kind", "row", "column"),
    [
        (FetchesAll, "fetch", "what_is_known_is_in_the_logs"),
        (CommitsAlone, "produce", "electable_hold_each_committed_record"),
        (ForgetsThatItLost, "crash", "electable_hold_each_record_where_it_is_stuck"),
    ],
)
@pytest.mark.long
def test_without_a_rule_the_outlines_prove_nothing_that_is_wrong(kind: type[Protocol], row: str, column: str) -> None:
    """What else the step breaks leans on this after the step, and so it stays open."""
    assert not by_outlines(kind, row, column)
