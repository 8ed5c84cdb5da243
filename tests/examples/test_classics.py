"""Specifications that are known from other languages have the published numbers of states here, in every engine.

The docstring of each file says the counts: they are those of the manifests of github.com/tlaplus/Examples, which TLC
has counted. Verdicts are those of these models, too; the lengths of shortest runs are this checker's own.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from classics.alternating_bit import AlternatingBit, Datum, Message
from classics.bcast_byz import BcastByzNoBcast
from classics.chameneos import Chameneos, Color, Creature
from classics.chang_roberts import ChangRoberts, State
from classics.chang_roberts import Node as RingNode
from classics.cigarette_smokers import CigaretteSmokers
from classics.coffee_can import CoffeeCan
from classics.dining_philosophers import DiningPhilosophers
from classics.echo import Echo
from classics.echo import Node as EchoNode
from classics.echo import Place as EchoPlace
from classics.ewd840 import Ewd840, Node
from classics.ewd998 import Ewd998
from classics.ewd998 import Node as SafrasNode
from classics.lamport_mutex import LamportMutex, Number
from classics.paxos import Acceptor, Ballot, Paxos, Value
from classics.paxos_commit import Acceptor as CommitAcceptor
from classics.paxos_commit import Ballot as CommitBallot
from classics.paxos_commit import Manager as CommitManager
from classics.paxos_commit import PaxosCommit, Vote
from classics.peterson import Peterson, Place, Process
from classics.prisoners import Prisoners
from classics.readers_writers import ReadersWriters, Wish
from classics.simple_allocator import Resource, SimpleAllocator
from classics.teaching_concurrency import Place as CirclePlace
from classics.teaching_concurrency import Process as CircleProcess
from classics.teaching_concurrency import Simple
from classics.tic_tac_toe import Mark, TicTacToe
from classics.tic_tac_toe import Place as Square
from classics.token_ring import TokenRing
from classics.two_phase import Decision, Manager, TCommit, TwoPhase
from classics.two_phase import State as ManagerState
from classics.voting import Acceptor as Voter
from classics.voting import Value as Candidate
from classics.voting import Voting

import epochal
from docs.generator.classics import Count, classics
from epochal.language import Protocol, Set, action, require

IN_PYTHON = 7_000
"""Up to so many states the specification is also run as it is."""

CLASSICS = classics()
COUNTS = [(classic, count) for classic in CLASSICS for count in classic.counts]

VIOLATED = {"DieHard": {"bomb_explodes"}}
"""What does not hold, and is not meant to."""

LENGTHS = {
    "Chameneos": {"all_fade": 13},
    "DieHard": {"bomb_explodes": 7},
    "Echo": {"all_are_done": 16},
    "InnerFIFO": {"queue_fills": 11},
    "LamportMutex": {"channels_fill": 11},
    "Paxos": {"chooses": 13},
    "PaxosCommit": {"all_commit": 10, "all_abort": 3},
    "ReadersWriters": {"all_read": 7},
    "TCommit": {"all_commit": 7, "all_abort": 4},
    "TicTacToe": {"x_wins": 6, "o_wins": 7, "stalemate": 10},
    "TwoPhase": {"all_commit": 11, "all_abort": 4},
    "Voting": {"some_value_is_chosen": 5},
}
"""The numbers of states of the shortest runs to what is reached or violated."""


GENERATED = {
    "ABCorrectness": (36, 8),
    "AlternatingBit": (1_392, 8),
    "Chameneos": (104_697, 81),
    "ChangRoberts": (227, 8),
    "CigaretteSmokers": (15, 3),
    "DiningPhilosophers": (336, 1),
    "Echo": (116, 1),
    "InnerFIFO": (9_660, 36),
    "LamportMutex": (2_729_079, 1),
    "Peterson": (77, 1),
    "Prisoners": (860, 4),
    "ReadersWriters": (59_674, 1),
    "Simple": (1_842, 1),
    "SimpleRegular": (1_454_776, 1),
    "TCommit": (94, 1),
    "TokenRing": (248_832, 46_656),
    "TwoPhase": (1_146, 1),
}
"""The numbers of states that TLC generates, by the same manifests, and of initial states among them: where each step of
the original is one step here, there are as many transitions as others."""

STUTTER = {"Echo", "Simple", "SimpleRegular"}
"""Those written in PlusCal which generate each state once more in which all processes are done."""


def called(value: object) -> str:
    """The name of a test: the protocol and its bounds."""
    return "-".join((value.protocol, *map(str, value.bounds.values()))) if isinstance(value, Count) else ""


def test_there_are_twenty_and_more() -> None:
    assert len(CLASSICS) >= 20 and len({classic.title for classic in CLASSICS}) == len(CLASSICS)


@pytest.mark.parametrize("count", [count for _, count in COUNTS], ids=called)
def test_states_are_counted_as_published(count: Count) -> None:
    """The count, the depth where it is known, every verdict, and the length of every run that is found."""
    judge(count, "native")


@pytest.mark.parametrize("count", [count for _, count in COUNTS if count.states <= IN_PYTHON], ids=called)
def test_python_says_the_same(count: Count) -> None:
    """The specification as Python reads it."""
    judge(count, "python")


def judge(count: Count, engine: str) -> None:
    """Hold a search against what is published."""
    classic = next(one for one, counted in COUNTS if counted is count)
    protocol = epochal.load(f"{classic.path}:{count.protocol}", **count.bounds)
    result = epochal.check(protocol, all_violations=True, engine=engine, workers=1)
    violated = VIOLATED.get(count.protocol, set())
    assert (result.states, result.exhaustive, result.violated) == (count.states, True, violated)
    assert count.depth in (None, result.depth)
    if count.protocol in GENERATED:
        generated, initial = GENERATED[count.protocol]
        again = result.search.terminal_states if count.protocol in STUTTER else 0
        assert result.search.transitions + initial + again == generated
    judged = {one.member.name: one for one in result.search.properties}
    promised = {one.member.name: one.verdict for one in result.search.liveness.promises}
    assert judged or promised
    assert {name for name, one in judged.items() if one.verdict != "holds"} == violated
    assert {name: one.length for name, one in judged.items() if one.length is not None} == LENGTHS.get(
        count.protocol, {}
    )
    assert set(promised.values()) <= {"holds"}


def test_a_docstring_of_another_form_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("docs.generator.classics.CLASSICS", tmp_path)
    text = CLASSICS[0].path.read_text(encoding="utf-8")
    (tmp_path / "odd.py").write_text(text.replace("Awkward: ", "Awkward is "))
    with pytest.raises(ValueError, match=r"odd.py: the docstring has no title, Source, States and Awkward"):
        classics()
    (tmp_path / "odd.py").write_text(re.sub(r"\): \d+", "): many", text))
    with pytest.raises(ValueError, match=r"odd.py: .* is no count of states"):
        classics()


class Overwritten(AlternatingBit):
    """The next value is sent before the last one is acknowledged."""

    @action(by="sender", says="{d} is sent")
    def send(self, d: Datum) -> None:
        self.sent, self.s_bit = d, 1 - self.s_bit
        self.messages.append(Message(bit=self.s_bit, datum=d))


class Solitary(Chameneos):
    """One can meet itself, and its meeting counts."""

    @action(by="c", says="{c} comes to the meeting place")
    def meet(self, c: Creature) -> None:
        require(self.color[c] != Color.FADED)
        if self.waiting == c:
            self.met[c] += 1
            self.meetings += 1
            self.waiting = None
        else:
            super().meet(c)


class Largest(ChangRoberts):
    """The largest name comes round."""

    @action(by="n", fair="weak", says="{n} handles the name {name}")
    def handle(self, n: RingNode, name: RingNode) -> None:
        require(n in self.begun and name in self.messages[n])
        self.messages[n] = self.messages[n] - {name}
        if self.state[n] == State.LOST or name > n:
            self.state[n] = State.LOST
            self.send_on(n, name)
        elif name == n:
            self.state[n] = State.WON


class Sharing(CigaretteSmokers):
    """Who has one of the offered ingredients smokes."""

    @action(fair="weak", says="somebody begins to smoke")
    def start(self) -> None:
        require(self.offer != set())
        for own in self.smoking:
            self.smoking[own] = own in self.offer
        self.offer = Set()


class Wasteful(CoffeeCan):
    """A white bean is put back."""

    @action(fair="weak", says="two white beans are taken, and one is put back")
    def pick_two_white(self) -> None:
        require(self.white >= 2)
        self.white -= 1


class Greedy(DiningPhilosophers):
    """Who holds both forks eats, though they are dirty and given away."""

    def can_eat(self, p: int) -> bool:
        return self.holder[p] == p and self.holder[self.right(p)] == p


class Early(Echo):
    """A node is done when it has heard of one neighbour."""

    @action(by="n", says="{n} has heard of a neighbour")
    def hear_all(self, n: EchoNode) -> None:
        require(self.place[n] == EchoPlace.N1 and self.received[n] > 0)
        self.place[n] = EchoPlace.N2


class Innocent(Ewd840):
    """Nobody who gives work upwards becomes black."""

    @action(by="node", to="other", says="{node} gives work to {other}")
    def send(self, node: Node, other: Node) -> None:
        require(self.active[node] and node != other)
        self.active[other] = True


class Spotless(Ewd998):
    """Nobody who receives work becomes black, nor is black at first."""

    @action(by="i", says="{i} receives work")
    def receive(self, i: SafrasNode) -> None:
        black = self.black
        super().receive(i)
        self.black = black


class Young(LamportMutex):
    """The younger request comes first."""

    def is_older(self, p: Number, q: Number) -> bool:
        own, other = self.requests[p][p], self.requests[p][q]
        return other == 0 or own > other or (own == other and p < q)


class Forgetful(Paxos):
    """A ballot proposes what it likes."""

    def allows(self, majority: Set[Acceptor], ballot: Ballot, value: Value) -> bool:
        return True


class Optimistic(PaxosCommit):
    """A ballot that knows of no vote proposes what is hoped for, and not what the votes say."""

    def allowed(self, r: CommitManager, ballot: CommitBallot, majority: Set[CommitAcceptor]) -> Vote:
        return Vote.PREPARED


class Impatient(Peterson):
    """Nobody waits for its turn."""

    @action(by="p", says="{p} enters")
    def enter(self, p: Process) -> None:
        self.moved(p, Place.WAIT, Place.INSIDE)


class Single(Prisoners):
    """The counter is content with one visit of each, and counts one that was never there."""

    def done(self) -> bool:
        return self.count == self.bounds.prisoners - 1


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
        self.waiting = self.waiting[1:]


class Generous(SimpleAllocator):
    """What somebody has is given away."""

    def is_free(self, resource: Resource) -> bool:
        return True


class Careless(Simple):
    """A process may read before it writes, and does not write then."""

    @action(by="i", says="{i} reads")
    def b(self, i: CircleProcess) -> None:
        require(self.place[i] != CirclePlace.DONE)
        self.y[i] = self.x[(i - 1) % self.bounds.processes]
        self.place[i] = CirclePlace.DONE


class Unending(TicTacToe):
    """The game goes on when somebody has won."""

    @action(by="mark", says="{mark} is put on {place}")
    def put(self, mark: Mark, place: Square) -> None:
        require(self.board[place] is None)
        require(self.count(Mark.X) == self.count(Mark.O) + (1 if mark == Mark.O else 0))
        self.board[place] = mark


class Hasty(TCommit):
    """Who has prepared commits, whatever the others do."""

    @action(by="r", says="{r} commits")
    def commit(self, r: Manager) -> None:
        require(self.states[r] == ManagerState.PREPARED)
        self.states[r] = ManagerState.COMMITTED


class Rash(TwoPhase):
    """The manager decides as it likes."""

    @action(by="manager", says="the manager decides: {decision}")
    def decide(self, decision: Decision) -> None:
        require(self.decided is None)
        self.decided = decision
        self.told = self.told | {decision}


class Trusting(Voting):
    """Every value is taken to be safe."""

    def shows_safe(self, quorum: Set[Voter], ballot: int, value: Candidate) -> bool:
        return True


@pytest.mark.parametrize(
    ("faulty", "broken"),
    [
        (Overwritten(), "is_correct"),
        (BcastByzNoBcast(faulty=2), "unforgeability"),
        (Solitary(meetings=2), "meetings_are_counted"),
        (Largest(), "the_smallest_wins"),
        (Sharing(), "at_most_one"),
        (Wasteful(beans=3), "white_beans_stay_even_or_odd"),
        (Greedy(philosophers=3), "neighbours_do_not_eat_together"),
        (Early(), "children_have_parents"),
        (Innocent(), "detection_is_right"),
        (Spotless(), "detection_is_right"),
        (Young(processes=2, max_clock=4), "one_at_a_time"),
        (Forgetful(), "one_is_chosen"),
        (Optimistic(), "one_is_chosen"),
        (Impatient(), "one_at_a_time"),
        (Single(), "counter_is_right"),
        (Rude(), "safe"),
        (Generous(), "one_client_has_it"),
        (Careless(), "one_has_read_one"),
        (Hasty(), "consistent"),
        (Unending(), "one_wins"),
        (TokenRing(values=3), "it_stabilizes"),
        (Rash(), "implements_t_commit"),
        (Trusting(), "one_is_chosen"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_without_a_rule(faulty: Protocol, broken: str) -> None:
    """What holds is said by a rule each: without it the search finds a run."""
    result = epochal.check(faulty, properties=[broken], workers=1)
    assert result.violated == {broken}


def test_what_nobody_was_told_nobody_accepts() -> None:
    """One of four lies, and a lie alone makes nobody echo: there are only the four initial states."""
    result = epochal.check(BcastByzNoBcast())
    assert (result.violated, result.states, result.exhaustive) == (set(), 4, True)
