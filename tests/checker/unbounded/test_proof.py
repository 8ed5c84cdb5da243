"""Proofs for every choice of the bounds: what is true is proved, what is wrong has a counterexample within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

import epochal
from epochal.checker.base.installed import found_solver
from epochal.checker.unbounded.ladder import Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import UnboundedProof, unbounded_proof
from epochal.checker.workers.chosen_engine import Where
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.language import Protocol
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.language import LanguageError
from tests.checker.unbounded.mutants import CONTROLS
from tests.zoo.rows import Row, made, rows

Lock: type[Any] = made(
    globals(),
    "Protocol",
    """
    LockBounds < Bounds: Clients and tickets.
        clients: int = bound(2, least=1, most=4, help="clients")
        tickets: int = bound(2, least=1, most=4, help="tickets")
    B = LockBounds
    Client = Annotated[Identifier, Identifiers("c", B.clients)]
    Ticket = Annotated[int, Integers(0, B.tickets)]
    Lock: Clients draw tickets in turn, and who has the one that is served may enter.
        name = "lock"
        bounds: LockBounds
        queue: Annotated[Log[Client], Capacity(B.tickets)]
        served: Ticket
        inside: Set[Client]
        action draw(c: Client): A ticket is an offset of the queue.
            require(len(self.queue) < self.bounds.tickets)
            self.queue.append(c)
        action enter(c: Client): Its turn has come.
            require(self.served < len(self.queue) and self.queue[self.served] == c)
            self.inside |= {c}
        action leave(c: Client): The next is served.
            require(c in self.inside)
            self.inside -= {c}
            self.served += 1
        lemma who_is_inside_is_served: The one whose ticket it is.
            return all(self.served < len(self.queue) and self.queue[self.served] == c for c in self.inside)
        invariant alone: Nobody is inside with another.
            return all(a == b for a in self.inside for b in self.inside)
    """,
)
LockBounds: type[Any] = Lock.bounds_type()


WRONG = rows(
    globals(),
    "Lock",
    """
    Impatient: enter preserves who_is_inside_is_served
        # Who has any ticket enters.
        def enter(self, c: Client) -> None:
            require(any(self.queue[i] == c for i in range(len(self.queue)) if i >= self.served))
            self.inside |= {c}
    TooFar: enter can be evaluated
        # A ticket that may be none of the queue's is looked at.
        def enter(self, c: Client) -> None:
            require(self.queue[self.served] == c)
            self.inside |= {c}
    Weak: leave can be evaluated; leave preserves who_is_inside_is_served; the lemmas imply alone
        # Nothing is said of who is inside, so that the invariant does not follow.
        def who_is_inside_is_served(self) -> bool:
            return self.served <= len(self.queue)
    BadStart: who_is_inside_is_served holds initially
        # A lemma that is false at first, whatever the bounds.
        def initial(self) -> None:
            self.inside = Set(c for c in self.each(Client))
    """,
)
NOT_EVALUATED = rows(
    globals(),
    "Lock",
    """
    LooksTooFar: who_is_inside_is_served can be evaluated
        # A lemma that says what holds, and looks at a ticket that may be none of the queue's.
        def who_is_inside_is_served(self) -> bool:
            return all(self.queue[self.served] == c for c in self.inside)
    AsksTheLast: the lemmas imply last_is_last
        # An invariant that is true wherever it can be evaluated.
        invariant last_is_last
            return self.queue.last == self.queue.last
    """,
)
OTHERS = rows(
    globals(),
    "Lock",
    """
    Idle:
        # With an action that never happens.
        action steal(c: Client)
            require(any(a != b for a in self.inside for b in self.inside))
            self.inside = Set({c})
    FailsAtOtherBounds: types hold initially
        # The initial state cannot be evaluated with three tickets: a guard that comes later does not prevent it.
        def initial(self) -> None:
            if self.bounds.tickets > 2:
                self.served = self.bounds.tickets + 1
            require(self.bounds.tickets <= 2)
    NamedLikeAColumn:
        # A lemma that is called as a column is that every table has.
        lemma evaluation
            return self.served >= 0
    NamedLikeARow:
        # An action that is called as a row is that every table has.
        action lemmas
            pass
    Counting:
        action count
            require(sum(1 for c in self.inside) > 1)
    NeverBegins:
        # No state is its first.
        def initial(self) -> None:
            require(len(self.inside) > 0)
    """,
)


def prove(kind: type[Protocol], **given: Any) -> UnboundedProof:
    """Prove everything."""
    names = [member.name for member in kind.members("invariant")]
    return unbounded_proof(kind(kind.bounds_type()()), names, cached=False, **given)


def labels(cells: Sequence[object]) -> list[str]:
    """The labels of cells."""
    return [str(cell.obligation.label) for cell in cells]  # type: ignore[attr-defined]  # they are cells


def test_a_lock_is_proved() -> None:
    result = prove(Lock)
    assert result.exit_code == ExitCode.HOLDS
    assert {cell.verdict for cell in result.cells} == {"proved"}
    assert set(result.witnesses.seen) == {"draw", "enter", "leave"}
    assert result.compared > 500


@pytest.mark.parametrize("row", WRONG.values(), ids=WRONG)
def test_what_is_wrong_has_a_counterexample_within_bounds(row: Row) -> None:
    result = prove(row.kind)
    assert labels(result.of("counterexample")) == row.expected.split("; ")
    assert not result.of("unknown")
    assert result.exit_code == ExitCode.NOT_PROVED
    assert all(cell.counterexample is not None for cell in result.of("counterexample"))


@pytest.mark.parametrize("row", NOT_EVALUATED.values(), ids=NOT_EVALUATED)
def test_what_cannot_be_evaluated_is_not_proved(row: Row) -> None:
    result = prove(row.kind)
    assert row.expected in labels([*result.of("counterexample"), *result.of("unknown")])
    assert result.exit_code in (ExitCode.NOT_PROVED, ExitCode.SOLVER_UNKNOWN)


def test_a_guard_does_not_excuse_a_failure_before_it() -> None:
    row = OTHERS["FailsAtOtherBounds"]
    result = prove(row.kind)
    assert labels(result.of("unknown")) == [row.expected]
    assert result.exit_code == ExitCode.SOLVER_UNKNOWN


@pytest.mark.parametrize(("kind", "proved"), [(Lock, True), (WRONG["Weak"].kind, False)])
def test_what_an_action_leaves_is_asked_beside_what_it_writes(kind: type[Protocol], proved: bool) -> None:
    """Were writes not checked, a number outside of its domain would still be found in the state after the step."""
    plan = UnboundedPlan(kind, ())
    plan.actions = [replace(action, failures=()) for action in plan.actions]
    (cell,) = (one for one in plan.obligations() if one.place == ("leave", "evaluation"))
    climber = Climber(Effort(20_000, "steep"))
    assert cell.questions and all(climber.answer(one).proved for one in cell.questions) == proved


@pytest.mark.parametrize("name", ["NamedLikeAColumn", "NamedLikeARow"])
def test_no_two_cells_have_the_same_place(name: str) -> None:
    with pytest.raises(LanguageError, match="a proof has a row or column called"):
        prove(OTHERS[name].kind)


def test_an_action_that_never_happens_is_told() -> None:
    result = prove(OTHERS["Idle"].kind)
    (told,) = result.vacuous
    assert told.endswith(": Steal never happens: no state where the lemmas hold enables it")
    assert result.unseen == ("steal",)
    assert result.exit_code == ExitCode.VACUOUS


def test_without_effort_nothing_is_known() -> None:
    result = prove(Lock, rlimit=1)
    assert result.exit_code == ExitCode.SOLVER_UNKNOWN
    assert not result.of("counterexample")


def test_the_front_door(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    result = epochal.prove(Lock(LockBounds()), unbounded=True, workers=1)
    assert result.proved
    assert "every choice of the bounds" in result.headline
    assert "not idle: 3 of 3 actions" in str(result)
    assert result.to_dict()["unbounded"]
    again = epochal.prove(Lock(LockBounds()), unbounded=True, workers=1)
    assert again.proof.from_cache > 0
    assert again.proof.solver_seconds == 0
    assert [cell.verdict for cell in again.proof.cells] == [cell.verdict for cell in result.proof.cells]


def test_a_changed_action_asks_again_what_it_touches(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    names = ["alone"]
    whole = unbounded_proof(Lock(LockBounds()), names)
    assert whole.from_cache == 0
    changed = unbounded_proof(WRONG["TooFar"].kind(LockBounds()), names)
    asked = {cell.obligation.row for cell in changed.cells if cell.seconds}
    assert asked == {"enter"}
    assert unbounded_proof(Lock(LockBounds()), names).solver_seconds == 0


def test_a_proof_is_certified() -> None:
    """What it says, assumes and took; the same proof is the same page, however it was found."""
    lock = Lock(LockBounds())
    result = epochal.prove(lock, unbounded=True, workers=1, cached=False)
    page = result.certificate()
    assert page.startswith("# Certificate: lock\n\n**alone proved, for any number of steps and every choice")
    assert f"| solver | Z3 {found_solver().version}, at most 16,000,000 resource units a question |" in page
    assert "* bounds are whole numbers (clients >= 1, tickets >= 1), and otherwise any" in page
    assert "| enter | + | + |" in page
    assert re.search(r"\| enter \| who_is_inside_is_served \| proved \| \d+ \| [\d,]+ \| self 1 \|", page)
    assert "## Open" not in page
    assert epochal.prove(lock, unbounded=True, workers=2, cached=False).certificate() == page
    wrong = epochal.prove(WRONG["Impatient"].kind(LockBounds()), unbounded=True, workers=1, cached=False).certificate()
    assert wrong.startswith("# No proof: ")
    assert "* enter preserves who_is_inside_is_served: counterexample of " in wrong


def test_a_counterexample_is_shown_and_replayed() -> None:
    result = epochal.prove(WRONG["Impatient"].kind(LockBounds()), unbounded=True, workers=1, cached=False)
    assert not result.proved
    assert result.counterexample is not None
    assert "python" in result.replayed.readings
    assert "Counterexample to induction, within bounds" in str(result)
    cell = next(cell for cell in result.to_dict()["matrix"] if cell["verdict"] == "counterexample")
    assert cell["trace"]
    assert cell["at"] == {"clients": 2, "tickets": 2}


@pytest.mark.parametrize("given", [{"minimize": True}, {"candidates": "x"}, {"max_states": 3}])
def test_what_is_of_bounds_alone_is_refused(given: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        epochal.prove(Lock(LockBounds()), unbounded=True, **given)  # type: ignore[call-overload]  # tried out


@pytest.mark.parametrize("unbounded", [False, True])
def test_what_cannot_begin_is_refused(unbounded: bool) -> None:
    with pytest.raises(LanguageError, match="NeverBegins has no initial state"):
        epochal.prove(OTHERS["NeverBegins"].kind(LockBounds()), unbounded=unbounded)  # type: ignore[call-overload]  # both


def test_a_rule_without_a_reading_is_refused() -> None:
    with pytest.raises(LanguageError, match="sum has no first-order semantics for every choice of the bounds"):
        prove(OTHERS["Counting"].kind)


@pytest.mark.long
def test_worker_processes_say_the_same() -> None:
    alone, together = prove(Lock), prove(Lock, where=Where(workers=2))
    assert [cell.verdict for cell in alone.cells] == [cell.verdict for cell in together.cells]


@pytest.mark.long
def test_kip_320_is_proved_for_every_choice_of_the_bounds() -> None:
    result = prove(Kip320Proof)
    assert result.exit_code == ExitCode.HOLDS
    assert len(result.cells) == 222


LEFT_OPEN = {"TruncateToHwProof": ["become_follower preserves follower_holds_a_prefix"]}
"""Cells that have no counterexample within bounds, and that Z3 does not prove."""


def bounded_cells(kind: type[Protocol], replicas: int) -> set[str]:
    """What the bounded prover finds wrong, as labels of cells."""
    from epochal.checker.solver.induction import matrix
    from epochal.checker.solver.induction import prove as prove_within

    result = prove_within(kind(kind.bounds_type()().with_values({"replicas": replicas})), ("strong_isr",))
    found = set()
    for cell in matrix(result):
        if cell.verdict == "counterexample":
            implied = cell.row == "implication"
            plain = (
                f"{cell.row} can be evaluated" if cell.column == "evaluation" else f"{cell.row} preserves {cell.column}"
            )
            found.add(f"the lemmas imply {cell.column}" if implied else plain)
    return found


@pytest.mark.long
@pytest.mark.parametrize("kind", [Kip279Proof, *CONTROLS], ids=lambda kind: kind.__name__)
def test_controls_fail_where_the_bounded_prover_says(kind: type[Protocol]) -> None:
    """Nothing is proved that has a counterexample, and nothing is left open that has none."""
    result = unbounded_proof(kind(kind.bounds_type()()), ("strong_isr",), cached=False)
    assert result.exit_code == ExitCode.NOT_PROVED
    assert labels(result.of("unknown")) == LEFT_OPEN.get(kind.__name__, [])
    assert set(labels(result.of("counterexample"))) == bounded_cells(kind, 3)
