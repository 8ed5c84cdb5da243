"""Identifiers are known wherever a protocol names them: in a variable, or in one rule alone."""

from __future__ import annotations

from typing import Any

import pytest

import epochal
from epochal.checker.parametric.compared import Comparison
from epochal.exit_codes import ExitCode
from tests.zoo.rows import Row, made, rows

Plain: type[Any] = made(
    globals(),
    "Protocol",
    """
    KindBounds < Bounds: How many nodes there are.
        nodes: int = bound(2, least=1, most=4, help="nodes")
    B = KindBounds
    Node = Annotated[Identifier, Identifiers("p", B.nodes)]
    Plain: A number that stays small. What names nodes does so in one place.
        bounds: KindBounds
        x: Annotated[int, Integers(0, 2)]
        action go: A step.
            self.x = 1
        lemma below: Never two.
            return self.x < 2
        invariant small: Never two.
            return self.x != 2
    """,
)


KINDS = rows(
    globals(),
    "Plain",
    """
    Entry < Struct: A record.
        by: Node
        to: Node | None
    InGuard():
        require(all(a == b for a in self.each(Node) for b in self.each(Node) if a == b))
        self.x = 0
    InEffect():
        self.x = 1 if any(a != b for a in self.each(Node) for b in self.each(Node)) else 0
    InHelper:
        def alone(self) -> bool:
            return all(a == b for a in self.each(Node) for b in self.each(Node))
        invariant helped
            return self.x != 2 or self.alone() != self.alone()
    InLemma:
        lemma for_each
            return all(self.x < 2 for _ in self.each(Node))
    InInvariant:
        invariant for_each
            return all(self.x < 2 for _ in self.each(Node))
    InLocalSet:
        invariant for_each
            everybody = Set(n for n in self.each(Node))
            return 0 <= len(everybody) <= self.bounds.nodes and self.x < 2
    InParameter:
        action chosen(n: Node, others: Set[Node], perhaps: Node | None)
            require(n in others and perhaps != n)
            self.x = 0
    InRecord:
        log: Annotated[Log[Entry], Capacity(2)]
        action write(n: Node)
            require(len(self.log) < 2)
            self.log.append(Entry(by=n, to=None))
        invariant to_nobody
            return all(self.log[i].to is None or self.log[i].by == self.log[i].to for i in range(len(self.log)))
    InKey:
        seen: Ghost[Map[Node, bool]]
        action see
            for n in self.each(Node):
                self.seen[n] = True
    """,
    "    action stay({})\n",
)


@pytest.mark.parametrize("row", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("nodes", [1, 3])
def test_the_two_readings_agree(row: Row, nodes: int) -> None:
    protocol = row.kind(nodes=nodes)
    comparison = Comparison(protocol)
    for codes in comparison.states(10):
        for member in protocol.members("action"):
            assert not list(comparison.action(member, codes))
        for member in (*protocol.members("lemma"), *protocol.members("invariant")):
            assert not list(comparison.predicate(member, codes))
    assert comparison.done.leaves


@pytest.mark.parametrize("row", KINDS.values(), ids=KINDS)
def test_it_is_proved_for_every_choice_of_the_bounds(
    row: Row, tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    result = epochal.prove(row.kind(), properties=["small"], unbounded=True, workers=1)
    assert result.exit_code == ExitCode.HOLDS, str(result)


def test_how_many_there_are_is_a_fact_of_every_proof(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of those that one rule alone names: it takes counting to know that a set has no more."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    result = epochal.prove(KINDS["InLocalSet"].kind(), properties=["for_each"], unbounded=True, workers=1)
    assert result.exit_code == ExitCode.HOLDS, str(result)
