"""The check that a specification treats its identifiers alike: what passes, and what is refused, and how."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import Expression
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.checker.smt.terms import Z3Decider
from epochal.checker.symmetry.canonical import Naming, Reduction, has_identifiers
from epochal.spec.language import LanguageError, Protocol
from epochal.spec.registry import registered
from tests.checker.symmetry.zoo import Everywhere, ZooBounds
from tests.families import SPREAD
from tests.zoo.rows import Row, made, rows


def reduce(protocol: Protocol, properties: tuple[str, ...] | None = None) -> Reduction:
    """The check, for all properties or for these."""
    model = compile_protocol(protocol)
    return Reduction(model, properties or [one.member.name for one in model.properties])


Ring: type[Any] = made(
    globals(),
    "Protocol",
    """
    Node = Annotated[Identifier, Identifiers("n", 3)]
    Small = Annotated[int, Integers(0, 3)]
    Ring: Nodes are up or down, and one of them holds a token: everything is symmetric.
        up: Set[Node]
        holder: Node | None
        jobs: Map[Node, Small]
        log: Annotated[Log[Node], Capacity(2)]
        action start(node: Node): A node starts.
            self.up = self.up | {node}
        action hold(node: Node): A node takes the token.
            require(node in self.up)
            self.holder = node
        invariant holder_is_up: Whoever holds the token is up.
            return self.holder is None or self.holder in self.up
    """,
)


UNSYMMETRICAL = rows(
    globals(),
    "Ring",
    """
    GuardByNumber: n1 and n2 are not symmetric: Release() is not Release() with the two exchanged: it has another guard
        # A step that n2 alone enables.
        action release
            require(len(self.up) > 0)
            require(self.holder == self.member(Node, 1))  # here
            self.holder = None
    FirstOfAll: n1 and n2 are not symmetric: Hold(n2) is possible in some state, Hold(n1) in none
        # The first node never takes the token.
        action hold(node: Node)  # here
            require(node != self.member(Node, 0))
            self.holder = node
    InitialByNumber: n1 and n2 are not symmetric: exchanged, they give other initial states
        # n1 holds the token at first.
        def initial(self) -> None:  # here
            self.holder = self.member(Node, 0)
    LowestNumber: it gives holder another value
        # The lowest number wins an election.
        action elect  # here
            require(len(self.up) > 0)
            self.holder = next(n for n in self.up)
    LastWins: it gives holder another value
        # Whoever comes last in the order of the names.
        action elect  # here
            for n in self.jobs:
                if n in self.up:
                    self.holder = n
    ValueByNumber: Work(n1) is not Work(n2) with the two exchanged: it gives jobs[n2] another value
        # What is stored depends on the number of a node.
        action work(node: Node)  # here
            self.jobs[node] = node.index
    OtherEntry: it gives jobs[n1] another value
        # A node writes to an entry that is always the same.
        action work(node: Node)  # here
            require(node in self.up)
            self.jobs[self.member(Node, 0)] = 1
    InvariantByNumber: n2 and n3 are not symmetric: third_is_down changes when they are exchanged
        # A property about n3.
        invariant third_is_down  # here
            return self.member(Node, 2) not in self.up
    StepByNumber: first_stays is another for Hold(
        # A property of steps about n1.
        action_property first_stays  # here
            return self.holder != self.member(Node, 0) or new.holder == self.member(Node, 0)
    ReachableByNumber: first_holds changes when they are exchanged
        # Something about n1 must be possible.
        reachable first_holds  # here
            return self.holder == self.member(Node, 0)
    ConstraintByNumber: first_is_down changes when they are exchanged
        # A constraint about n1.
        constraint first_is_down  # here
            return self.member(Node, 0) not in self.up
    FailsFirstOfAll: idle_and_noted cannot be evaluated in other states when they are exchanged, because it looks at
        # An invariant that is false for one node before it looks at the next, where it cannot be evaluated.
        invariant idle_and_noted  # here
            return all(self.jobs[node] == 0 and self.log.last in self.up for node in self.jobs)
    FailsByNumber: Charge(n1) is not Charge(n2) with the two exchanged: it can be carried out in other states
        # A step that cannot be evaluated if n1 holds the token.
        action charge(node: Node)  # here
            require(node in self.up)
            self.jobs[node] = 2 * self.jobs[node] if node == self.member(Node, 0) else min(3, 2 * self.jobs[node])
    LogByNumber: Note(n1) is not Note(n2) with the two exchanged: it gives log[0] another value
        # What is written to a log depends on the number of a node.
        action note(node: Node)  # here
            require(len(self.log) < 2)
            self.log.append(self.member(Node, 0) if node == self.member(Node, 1) else node)
    """,
)


@pytest.mark.parametrize("row", UNSYMMETRICAL.values(), ids=UNSYMMETRICAL)
def test_refused_with_line_and_reason(row: Row) -> None:
    with pytest.raises(LanguageError) as refused:
        reduce(row.kind())
    assert row.expected in refused.value.message
    assert refused.value.where is not None
    assert {refused.value.where.line: "here"} == row.marks
    assert (f"self.member, used in {row.file}:" in str(refused.value)) == ("self.member" in row.text)
    assert "without symmetry" in refused.value.advice


@pytest.mark.parametrize("search", [breadth_first.check, reference_engine.check], ids=["native", "python"])
def test_both_engines_refuse(search: Callable[..., object]) -> None:
    with pytest.raises(LanguageError, match="not symmetric"):
        search(UNSYMMETRICAL["GuardByNumber"].kind(), Options(symmetry=True))
    search(UNSYMMETRICAL["GuardByNumber"].kind(), Options())


def test_properties_that_are_not_judged_may_do_what_they_like() -> None:
    protocol = UNSYMMETRICAL["InvariantByNumber"].kind()
    reduce(protocol, ("holder_is_up",))
    result = breadth_first.check(protocol, Options(properties=("holder_is_up",), symmetry=True))
    assert result.exhaustive and result.interchangeable == ("n1..n3",)


Ordered: type[Any] = made(
    globals(),
    "Ring",
    """
    Ordered:
        action hold(node: Node): The lower takes the token.
            require(self.holder is not None and node < self.holder)
            self.holder = node
    """,
)


def test_order_of_identifiers_is_refused_in_any_case() -> None:
    with pytest.raises(LanguageError):
        compile_protocol(Ordered())


INTERCHANGEABLE = {"quorum": ("v1..v3", "b1"), "zookeeper": ("b1..b3",), "kraft": ("b1..b3",)}


@pytest.mark.parametrize("name", SPREAD)
def test_registered_protocols(name: str) -> None:
    """Kafka's replicas are symmetric wherever no leader is fixed."""
    protocol = registered(name)()
    model = compile_protocol(protocol, bool(protocol.members("lemma")))
    properties = [one.member.name for one in model.properties]
    if name.startswith("async-isr"):
        with pytest.raises(LanguageError, match="b1 and b2 are not symmetric"):
            Reduction(model, properties)
    else:
        assert Reduction(model, properties).interchangeable == INTERCHANGEABLE.get(name, ("b1..b3",))


def test_classic_protocols_need_no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their rules are literally the same nodes after an exchange."""
    monkeypatch.setattr(Z3Decider, "agree", lambda *_: pytest.fail("Z3 was asked"))
    reduce(registered("kip-320")())


def test_the_solver_decides_where_nodes_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums, minima and slots of logs are symmetric, but come out as other nodes: Z3 sees that they are equal."""
    asked: list[bool] = []
    agree = Z3Decider.agree

    def counted(self: Z3Decider, a: Expression, b: Expression, where: Expression) -> bool:
        asked.append(agree(self, a, b, where))
        return asked[-1]

    monkeypatch.setattr(Z3Decider, "agree", counted)
    assert reduce(Everywhere(ZooBounds(3, 2))).interchangeable == ("n1..n3", "c1..c2")
    assert asked and all(asked)


ODD = rows(
    globals(),
    "Protocol",
    """
    Nameless: No identifiers at all.
        x: Small
        action up: Counts.
            require(self.x < 3)
            self.x += 1
    TwoSizes: n1 and n2 are special: they are a domain of their own.
        all: Map[Node, Small]
        few: Annotated[Identifier, Identifiers("n", 2)]
    TooMany: More names than there are permutations to try.
        all: Map[Annotated[Identifier, Identifiers("n", 9)], bool]
    """,
)
Nameless, TwoSizes, TooMany = (row.kind for row in ODD.values())


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (Nameless, "Nameless has no identifiers, so nothing in it can be interchanged"),
        (TwoSizes, "which tells the identifiers in both from the others"),
        (TooMany, "can be renamed in 362,880 ways; at most 40,320 are tried"),
    ],
)
def test_identifiers_that_cannot_be_interchanged(kind: type[Protocol], message: str) -> None:
    with pytest.raises(LanguageError, match=message):
        Naming(kind())


def test_whether_there_is_anything_to_interchange() -> None:
    """Identifiers in the state count; without any a search has to do without symmetry."""
    assert not has_identifiers(Nameless())
    assert has_identifiers(TwoSizes())
