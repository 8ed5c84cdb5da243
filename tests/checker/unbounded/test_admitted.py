"""What the bounds of every protocol are like: where a domain would have no value, there is no protocol."""

from __future__ import annotations

from typing import Any

import pytest

import epochal
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.registry import registered
from tests.zoo.rows import made

Led: type[Any] = made(
    globals(),
    "Protocol",
    """
    FromNothing < Bounds: Each may be 0.
        room: int = bound(2, least=0, most=4, help="entries")
        low: int = bound(1, least=0, most=4, help="the least number")
        high: int = bound(2, least=0, most=4, help="the greatest number")
        nodes: int = bound(2, least=0, most=4, help="nodes")
    B = FromNothing
    Number = Annotated[int, Integers(B.low, B.high)]
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Far = Annotated[int, Integers(3, B.room)]
    Led: A log that has an entry from the beginning, and a number that is set to either end of its domain.
        bounds: FromNothing
        log: Annotated[Log[Node], Capacity(B.room)]
        number: Number
        leader: Node
        def initial(self) -> None:
            # It fails where there is no room.
            self.log.append(self.leader)
        action grow: A number in its domain, if that has any.
            self.number = self.bounds.high
        action shrink: Likewise.
            self.number = self.bounds.low
        lemma begun: There is an entry.
            return len(self.log) >= 1
        invariant has_one: There is an entry.
            return len(self.log) >= 1
    """,
)


NamedInARule: type[Any] = made(
    globals(),
    "Led",
    """
    NamedInARule: A domain without values that no run comes to is no reason to refuse a protocol.
        action far: It goes through what there is, if it is called where there is any.
            require(self.bounds.room >= 3)
            self.number = self.bounds.high if all(k >= 3 for k in self.each(Far)) else self.bounds.low
    """,
)


def test_what_follows_from_the_domains_of_the_state() -> None:
    reading = ParametricSemantics(Led)
    told = {str(fact) for fact in reading.admitted}
    assert told == {"(1 <= #room)", "(#low <= #high)", "(1 <= #nodes)"}


def test_a_proof_may_use_it_and_says_so(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    result = epochal.prove(Led(), unbounded=True, workers=1)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    least = "room >= 0, low >= 0, high >= 0, nodes >= 0"
    for fact in ("1 <= room", "low <= high", "1 <= nodes"):
        assert fact in str(result) and fact in result.certificate()
    assert least in str(result)


@pytest.mark.parametrize("wrong", [{"room": 0}, {"low": 3}, {"nodes": 0}])
def test_there_is_no_protocol_elsewhere(wrong: dict[str, int]) -> None:
    with pytest.raises(EpochalError):
        epochal.check(Led(**wrong))


def test_of_a_domain_that_a_rule_names_nothing_follows() -> None:
    """Its own line is read when a run comes to it, if ever."""
    reading = ParametricSemantics(NamedInARule)
    for member in NamedInARule.members("action"):
        reading.action(member)
    assert set(reading.admitted) == set(ParametricSemantics(Led).admitted)


@pytest.mark.parametrize("name", ["kip-320-proof", "quorum-proof", "quorum-commit-proof", "kraft-proof"])
def test_of_what_is_registered_the_least_bounds_say_it_all(name: str) -> None:
    assert not ParametricSemantics(registered(name)).admitted


OnlyNamed: type[Any] = made(
    globals(),
    "Protocol",
    """
    Few < Bounds: One node may be alone.
        nodes: int = bound(2, least=1, most=4, help="nodes")
    Lonely = Annotated[Identifier, Identifiers("p", Few.nodes)]
    OnlyNamed: Its identifiers are in no variable and no parameter: only a rule goes through them.
        bounds: Few
        x: Annotated[int, Integers(0, 1)]
        action go: Possible where there is one node.
            require(all(a == b for a in self.each(Lonely) for b in self.each(Lonely)))
            self.x = 1
        lemma zero: False of one node.
            return self.x == 0
        invariant stays: The same.
            return self.x == 0
    """,
)


@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_counterexamples_are_looked_for_where_the_bounds_are_least(nodes: int) -> None:
    """What is so of two and of three nodes, and wrong of one, is refuted whatever the bounds of the protocol are."""
    found = epochal.prove(OnlyNamed(nodes=nodes), unbounded=True, workers=1)
    assert found.exit_code == ExitCode.NOT_PROVED
    (cell,) = [cell for cell in found.proof.cells if cell.verdict == "counterexample"]
    assert cell.counterexample is not None and cell.counterexample.bounds == {"nodes": 1}
