"""Known answers from elsewhere: each example has as many states as TLC counts in the original, in every engine.

Counts are those of the manifests of github.com/tlaplus/Examples (EWD840 with four nodes: that of its model
`EWD840_json`; Paxos: `MCPaxosTiny`). Verdicts are those of their models; lengths of shortest runs are this checker's
own.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import epochal
from epochal.language import Protocol, Set, action, require

from .allocator import Resource, SimpleAllocator
from .commit import Acceptor as CommitAcceptor
from .commit import Ballot as CommitBallot
from .commit import Manager, PaxosCommit, State, TCommit, TwoPhase, Vote
from .die_hard import DieHard
from .mutual_exclusion import LamportMutex, Number, Peterson, Place, Process
from .paxos import Acceptor, Ballot, Paxos, Value
from .prisoners import Prisoners
from .readers_writers import ReadersWriters, Wish
from .termination import Ewd840, Node

IN_PYTHON = 4_000
"""Up to so many states the specification is also run as it is."""


@dataclass(frozen=True)
class Known:
    """The states, what holds, what must happen in the end and does, and the lengths of runs to what is found."""

    protocol: type[Protocol]
    states: int
    holds: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    found: dict[str, int] = field(default_factory=dict)
    violated: frozenset[str] = frozenset()


ZOO = (
    Known(DieHard, 16, found={"bomb_explodes": 7}, violated=frozenset({"bomb_explodes"})),
    Known(TCommit, 34, ("consistent",), found={"all_commit": 7, "all_abort": 4}),
    Known(Peterson, 42, ("one_at_a_time", "wishes_are_told", "who_is_inside_has_priority")),
    Known(Prisoners, 214, ("counter_is_right", "counted"), ("counter_says_so",)),
    Known(TwoPhase, 288, ("consistent",), found={"all_commit": 11, "all_abort": 4}),
    Known(SimpleAllocator, 400, ("one_client_has_it",), ("clients_return", "clients_obtain", "satisfied_again")),
    Known(Ewd840, 1_566, ("detection_is_right", "dijkstras"), ("rest_is_detected",)),
    Known(Paxos, 3_921, ("one_is_chosen", "votes_are_remembered"), found={"chooses": 13}),
    Known(ReadersWriters, 21_527, ("safe",), ("reads_again", "writes_again", "stops_again"), {"all_read": 7}),
    Known(LamportMutex, 724_274, ("one_at_a_time", "channels_are_short"), found={"channels_fill": 11}),
    Known(PaxosCommit, 1_321_761, ("consistent", "one_is_chosen"), found={"all_commit": 10, "all_abort": 3}),
)


def called(known: Known) -> str:
    """The name of a test."""
    return known.protocol.__name__


@pytest.mark.parametrize("known", ZOO, ids=called)
def test_states_are_counted_as_by_tlc(known: Known) -> None:
    """The count, every verdict, and the length of every run that is found."""
    judge(known, "native")


@pytest.mark.parametrize("known", [known for known in ZOO if known.states <= IN_PYTHON], ids=called)
def test_python_says_the_same(known: Known) -> None:
    """The specification as Python reads it."""
    judge(known, "python")


def judge(known: Known, engine: str) -> None:
    """Hold a search against what is known."""
    result = epochal.check(known.protocol(), all_violations=True, engine=engine, workers=1)
    assert (result.states, result.exhaustive, result.violated) == (known.states, True, known.violated)
    judged = {one.member.name: one for one in result.search.properties}
    assert set(judged) == {*known.holds, *known.found}
    assert all(judged[name].verdict == "holds" for name in known.holds)
    assert {name: one.length for name, one in judged.items() if one.length is not None} == known.found
    promises = {one.member.name: one.verdict for one in result.search.liveness.promises}
    assert promises == dict.fromkeys(known.kept, "holds")


class Hasty(TCommit):
    """Who has prepared commits, whatever the others do."""

    @action(by="r", says="{r} commits")
    def commit(self, r: Manager) -> None:
        require(self.states[r] == State.PREPARED)
        self.states[r] = State.COMMITTED


class Impatient(Peterson):
    """Nobody waits for its turn."""

    @action(by="p", says="{p} enters")
    def enter(self, p: Process) -> None:
        self.moved(p, Place.WAIT, Place.INSIDE)


class Innocent(Ewd840):
    """Nobody who gives work upwards becomes black."""

    @action(by="node", to="other", says="{node} gives work to {other}")
    def send(self, node: Node, other: Node) -> None:
        require(node in self.active and node != other)
        self.active = self.active | {other}


class Single(Prisoners):
    """The counter is content with one visit of each, and counts one that was never there."""

    def done(self) -> bool:
        return self.count == self.bounds.prisoners - 1


class Forgetful(Paxos):
    """A ballot proposes what it likes."""

    def allows(self, majority: Set[Acceptor], ballot: Ballot, value: Value) -> bool:
        return True


class Rude(ReadersWriters):
    """Writers do not wait for readers."""

    @action(fair="weak", each=(), says="the first of the queue is served")
    def serve(self) -> None:
        require(len(self.waiting) > 0 and self.writers == set())
        first = self.waiting[0]
        if first.wish == Wish.READ:
            self.readers = self.readers | {first.actor}
        else:
            self.writers = self.writers | {first.actor}
        self.waiting = [self.waiting[i] for i in range(1, len(self.waiting))]


class Generous(SimpleAllocator):
    """What somebody has is given away."""

    def is_free(self, resource: Resource) -> bool:
        return True


class Young(LamportMutex):
    """The younger request comes first."""

    def is_older(self, p: Number, q: Number) -> bool:
        own, other = self.requests[p][p], self.requests[p][q]
        return other == 0 or own > other or (own == other and p < q)


class Optimistic(PaxosCommit):
    """A ballot that knows of no vote proposes what is hoped for, and not what the votes say."""

    def allowed(self, r: Manager, ballot: CommitBallot, majority: Set[CommitAcceptor]) -> Vote:
        return Vote.PREPARED


@pytest.mark.parametrize(
    ("faulty", "broken"),
    [
        (Hasty(), "consistent"),
        (Impatient(), "one_at_a_time"),
        (Innocent(), "detection_is_right"),
        (Single(), "counter_is_right"),
        (Forgetful(), "one_is_chosen"),
        (Rude(), "safe"),
        (Generous(), "one_client_has_it"),
        (Young(processes=2, max_clock=4), "one_at_a_time"),
        (Optimistic(), "one_is_chosen"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_without_a_rule(faulty: Protocol, broken: str) -> None:
    """What holds is said by a rule each: without it the search finds a run."""
    result = epochal.check(faulty, properties=[broken], workers=1)
    assert result.violated == {broken}
