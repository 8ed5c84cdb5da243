"""Proofs for every choice of the bounds: what is true is proved, what is wrong has a counterexample within bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import pytest

import epochal
from epochal.checker.base.z3_solver import found_solver
from epochal.checker.unbounded.ladder import Climber, Effort
from epochal.checker.unbounded.obligations import UnboundedPlan
from epochal.checker.unbounded.proof import UnboundedProof, unbounded_proof
from epochal.checker.workers.chosen_engine import Where
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Protocol,
    Set,
    action,
    bound,
    invariant,
    lemma,
    require,
)
from epochal.spec.classic.kip_320_proof import Kip279Proof, Kip320Proof
from epochal.spec.language import LanguageError
from tests.checker.unbounded.mutants import CONTROLS


@dataclass(frozen=True)
class LockBounds(Bounds):
    """Clients and tickets."""

    clients: int = bound(2, least=1, most=4, help="clients")
    tickets: int = bound(2, least=1, most=4, help="tickets")


B = LockBounds
Client = Annotated[Identifier, Identifiers("c", B.clients)]
Ticket = Annotated[int, Integers(0, B.tickets)]


class Lock(Protocol):
    """Clients draw tickets in turn, and who has the one that is served may enter."""

    name = "lock"
    bounds: LockBounds
    queue: Annotated[Log[Client], Capacity(B.tickets)]
    served: Ticket
    inside: Set[Client]

    @action
    def draw(self, c: Client) -> None:
        """A ticket is an offset of the queue."""
        require(len(self.queue) < self.bounds.tickets)
        self.queue.append(c)

    @action
    def enter(self, c: Client) -> None:
        """Its turn has come."""
        require(self.served < len(self.queue) and self.queue[self.served] == c)
        self.inside |= {c}

    @action
    def leave(self, c: Client) -> None:
        """The next is served."""
        require(c in self.inside)
        self.inside -= {c}
        self.served += 1

    @lemma
    def who_is_inside_is_served(self) -> bool:
        """The one whose ticket it is."""
        return all(self.served < len(self.queue) and self.queue[self.served] == c for c in self.inside)

    @invariant
    def alone(self) -> bool:
        """Nobody is inside with another."""
        return all(a == b for a in self.inside for b in self.inside)


class Impatient(Lock):
    """Who has any ticket enters."""

    def enter(self, c: Client) -> None:
        """Whether or not its turn has come."""
        require(any(self.queue[i] == c for i in range(len(self.queue)) if i >= self.served))
        self.inside |= {c}


class TooFar(Lock):
    """A ticket that may be none of the queue's is looked at."""

    def enter(self, c: Client) -> None:
        """It fails at the end of the queue."""
        require(self.queue[self.served] == c)
        self.inside |= {c}


class Idle(Lock):
    """With an action that never happens."""

    @action
    def steal(self, c: Client) -> None:
        """Two inside."""
        require(any(a != b for a in self.inside for b in self.inside))
        self.inside = Set({c})


class Weak(Lock):
    """Nothing is said of who is inside, so that the invariant does not follow."""

    def who_is_inside_is_served(self) -> bool:
        """Too little."""
        return self.served <= len(self.queue)


class BadStart(Lock):
    """A lemma that is false at first, whatever the bounds."""

    def initial(self) -> None:
        """Everybody is inside."""
        self.inside = Set(c for c in self.each(Client))


class LooksTooFar(Lock):
    """A lemma that says what holds, and looks at a ticket that may be none of the queue's."""

    def who_is_inside_is_served(self) -> bool:
        """It cannot be evaluated where somebody is inside whose ticket is not drawn."""
        return all(self.queue[self.served] == c for c in self.inside)


class AsksTheLast(Lock):
    """An invariant that is true wherever it can be evaluated."""

    @invariant
    def last_is_last(self) -> bool:
        """There is no last in an empty queue."""
        return self.queue.last == self.queue.last


class FailsAtOtherBounds(Lock):
    """The initial state cannot be evaluated with three tickets: a guard that comes later does not prevent it."""

    def initial(self) -> None:
        """It fails before it is excluded."""
        if self.bounds.tickets > 2:
            self.served = self.bounds.tickets + 1
        require(self.bounds.tickets <= 2)


class NamedLikeAColumn(Lock):
    """A lemma that is called as a column is that every table has."""

    @lemma
    def evaluation(self) -> bool:
        """It says little."""
        return self.served >= 0


class NamedLikeARow(Lock):
    """An action that is called as a row is that every table has."""

    @action
    def lemmas(self) -> None:
        """It does nothing."""


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


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (Impatient, ["enter preserves who_is_inside_is_served"]),
        (TooFar, ["enter can be evaluated"]),
        (Weak, ["leave can be evaluated", "leave preserves who_is_inside_is_served", "the lemmas imply alone"]),
        (BadStart, ["who_is_inside_is_served holds initially"]),
    ],
)
def test_what_is_wrong_has_a_counterexample_within_bounds(kind: type[Protocol], wrong: list[str]) -> None:
    result = prove(kind)
    assert labels(result.of("counterexample")) == wrong
    assert not result.of("unknown")
    assert result.exit_code == ExitCode.NOT_PROVED
    assert all(cell.counterexample is not None for cell in result.of("counterexample"))


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (LooksTooFar, "who_is_inside_is_served can be evaluated"),
        (AsksTheLast, "the lemmas imply last_is_last"),
    ],
)
def test_what_cannot_be_evaluated_is_not_proved(kind: type[Protocol], wrong: str) -> None:
    result = prove(kind)
    assert wrong in labels([*result.of("counterexample"), *result.of("unknown")])
    assert result.exit_code in (ExitCode.NOT_PROVED, ExitCode.SOLVER_UNKNOWN)


def test_a_guard_does_not_excuse_a_failure_before_it() -> None:
    result = prove(FailsAtOtherBounds)
    assert labels(result.of("unknown")) == ["types hold initially"]
    assert result.exit_code == ExitCode.SOLVER_UNKNOWN


@pytest.mark.parametrize(("kind", "proved"), [(Lock, True), (Weak, False)])
def test_what_an_action_leaves_is_asked_beside_what_it_writes(kind: type[Protocol], proved: bool) -> None:
    """Were writes not checked, a number outside of its domain would still be found in the state after the step."""
    plan = UnboundedPlan(kind, ())
    plan.actions = [replace(action, failures=()) for action in plan.actions]
    (cell,) = (one for one in plan.obligations() if one.place == ("leave", "evaluation"))
    climber = Climber(Effort(20_000, steep=True))
    assert cell.questions and all(climber.answer(one).proved for one in cell.questions) == proved


@pytest.mark.parametrize("kind", [NamedLikeAColumn, NamedLikeARow])
def test_no_two_cells_have_the_same_place(kind: type[Protocol]) -> None:
    with pytest.raises(LanguageError, match="a proof has a row or column called"):
        prove(kind)


def test_an_action_that_never_happens_is_told() -> None:
    result = prove(Idle)
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
    changed = unbounded_proof(TooFar(LockBounds()), names)
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
    wrong = epochal.prove(Impatient(LockBounds()), unbounded=True, workers=1, cached=False).certificate()
    assert wrong.startswith("# No proof: ")
    assert "* enter preserves who_is_inside_is_served: counterexample of " in wrong


def test_a_counterexample_is_shown_and_replayed() -> None:
    result = epochal.prove(Impatient(LockBounds()), unbounded=True, workers=1, cached=False)
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


class NeverBegins(Lock):
    """No state is its first."""

    def initial(self) -> None:
        """Nobody is inside, and somebody is."""
        require(len(self.inside) > 0)


@pytest.mark.parametrize("unbounded", [False, True])
def test_what_cannot_begin_is_refused(unbounded: bool) -> None:
    with pytest.raises(LanguageError, match="NeverBegins has no initial state"):
        epochal.prove(NeverBegins(LockBounds()), unbounded=unbounded)  # type: ignore[call-overload]  # both


def test_a_rule_without_a_reading_is_refused() -> None:
    class Counting(Lock):
        @action
        def count(self) -> None:
            require(sum(1 for c in self.inside) > 1)

    with pytest.raises(LanguageError, match="sum has no first-order semantics for every choice of the bounds"):
        prove(Counting)


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
