"""Which counters are budgets, and searches that stop, go on, or are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.dominance.budgets import ANYHOW, FALLS, RANK_BITS, RISES, Directions, budgets_of
from epochal.checker.ir.graph import Graph
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native, reference_engine
from epochal.checker.search.checkpoint import CheckpointError
from epochal.checker.search.engines import ClusterChoice, search_of
from epochal.checker.search.result import Options
from epochal.checker.semantics.properties import all_properties
from epochal.checker.symmetry.canonical import Naming
from epochal.checker.tables.kept_run import RunRefused
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.registry import registered
from tests.zoo.rows import rows

TABLE = rows(
    globals(),
    "Protocol",
    """
    Small = Annotated[int, Integers(0, 2)]
    OneBounds < Bounds: How many.
        nodes: int = bound(2, least=1, most=3, help="nodes")
    B = OneBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Counted: spent
        place: Annotated[int, Integers(0, 4)]
        spent: Small
        action(fair="weak") walk
            require(self.place < 4)
            self.place += 1
        action fail
            require(self.spent < 2)
            self.spent += 1
            self.place = 0
        invariant far: It is violated.
            return self.place < 4
    CountsDown < Counted: spent
        def initial(self) -> None:
            # All of it is there.
            self.spent = 2
        action fail
            require(self.spent > 0)
            self.spent -= 1
            self.place = 0
    Refilled < Counted: spent
        action refill
            require(self.place == 2)
            self.spent = 0
    Refunded < Counted:
        action refund
            require(self.spent > 0)
            self.spent -= 1
    Forbidden < Counted:
        invariant never_twice: It reads what is spent, the more of it the worse.
            return self.spent < 2
    Allowed < Counted: spent
        invariant at_least: It reads what is spent, and less of it is worse.
            return self.spent >= 0 or self.place < 3
    Needed < Counted:
        reachable all_spent: A witness needs all of it.
            return self.spent == 2
    Copied < Counted: other
        other: Small
        action copy
            self.other = self.spent
    Unguarded < Counted:
        action fail
            self.spent += 1
            self.place = 0
    NeverLess < Counted: spent
        action_property grows: Its condition is on both states of a step, and always true.
            return new.spent >= self.spent
    NoStep < Counted:
        action_property once: The second one is no such step.
            return new.place > 0 or self.place == 0 or self.spent == 0
    Near < Counted: spent
        constraint near
            return self.spent + self.place < 5
    Apart < Counted:
        constraint apart
            return self.spent > 0 or self.place < 3
    Otherwise < Counted: spent
        action fail
            require(self.spent < 2 if self.place > 2 else self.spent < 1 and self.place > 0)
            self.spent += 1
            self.place = 0
    Promised < Counted: spent
        leads_to(fair=("walk",)) gives_up: Liveness properties are not asked about.
            return self.spent == 2, self.place == 4
    Kept < Refunded:
        leads_to(fair=("walk",)) gives_up: Without budgets every state is explored.
            return self.spent == 2, self.place == 4
    Each < Counted: used[n1], used[n2]
        bounds: OneBounds
        used: Map[Node, Small]
        action use(node: Node)
            require(self.used[node] < 2)
            self.used[node] += 1
            self.place = 0
        action fail
            require(self.place > 4)
    Ends < Counted: spent
        waiting: Annotated[Log[Small], Capacity(2)]
        action put(what: Small)
            require(len(self.waiting) < 2)
            self.waiting.append(what)
    """,
)


@pytest.mark.parametrize("name", TABLE)
def test_budgets(name: str) -> None:
    """Which leaves are budgets."""
    protocol = TABLE[name].kind()
    found = budgets_of(compile_protocol(protocol), all_properties(protocol))
    assert ", ".join(found.paths) == TABLE[name].expected
    every, fewer = (native.check(protocol, Options(all_violations=True, dominance=on)) for on in (False, True))
    assert [(p.verdict, p.length) for p in fewer.properties] == [(p.verdict, p.length) for p in every.properties]
    assert (fewer.distinct_states < every.distinct_states or name in ("Near", "Ends")) == bool(found.paths)


def test_what_is_asked_decides() -> None:
    """A property that reads a counter makes it none only if it is looked for."""
    protocol = TABLE["Forbidden"].kind()
    model, members = compile_protocol(protocol), all_properties(protocol)
    assert budgets_of(model, members).paths == ()
    assert budgets_of(model, [one for one in members if one.name == "far"]).paths == ("spent",)


def test_what_renaming_moves_is_none() -> None:
    """With symmetry a counter of each node is none: the representatives of two comparable states may not be."""
    protocol = TABLE["Each"].kind()
    model, members = compile_protocol(protocol), all_properties(protocol)
    assert budgets_of(model, members, Naming(protocol)).paths == ()
    every, fewer = (native.check(protocol, Options(symmetry=True, dominance=on)) for on in (False, True))
    assert every.state_digest == fewer.state_digest and fewer.dominance is not None and not fewer.dominance.left_out


def test_less_is_better_or_more() -> None:
    """A counter that falls is a budget, of which more is better."""
    found = [
        budgets_of(compile_protocol(one), all_properties(one)).found[0]
        for one in (TABLE["Counted"].kind(), TABLE["CountsDown"].kind())
    ]
    assert [one.counts_down for one in found] == [False, True]


def test_of_too_many_the_smallest_count() -> None:
    """The bits of all budgets are limited."""
    found = budgets_of(compile_protocol(wide := wide_protocol()), all_properties(wide))
    assert sum(one.field.bits for one in found.found) <= RANK_BITS < sum(range(3, 7))
    assert found.paths == ("a3", "a4", "a5")


def wide_protocol() -> Any:
    """Counters of 3, 4, 5 and 6 bits."""
    lines = [f"    a{bits}: Annotated[int, Integers(0, {2**bits - 1})]" for bits in range(3, 7)]
    for bits in range(3, 7):
        lines += [f"    action up{bits}", f"        require(self.a{bits} < 2)", f"        self.a{bits} += 1"]
    return rows(globals() | {"__file__": __file__}, "Protocol", "\n".join(["", "Wide:", *lines]))["Wide"].kind()


def test_directions() -> None:
    """What becomes of an expression where a leaf grows."""
    graph = Graph()
    x, y, truth = graph.field(0, "int", 3), graph.field(1, "int", 3), graph.field(2, "bool", 1)
    of = Directions(0, 4, 3)
    number = graph.integer
    expected = {
        x: RISES,
        y: 0,
        graph.sub(y, x): FALLS,
        graph.lt(x, number(2)): FALLS,
        graph.lt(y, x): RISES,
        graph.not_(graph.lt(x, y)): RISES,
        graph.eq(x, y): ANYHOW,
        graph.eq(x, number(0)): FALLS,
        graph.eq(x, number(3)): RISES,
        graph.eq(x, number(1)): ANYHOW,
        graph.mul(x, number(-2)): FALLS,
        graph.mod(x, 2): ANYHOW,
        graph.floordiv(x, 2): RISES,
        graph.ite(truth, x, number(1)): RISES,
        graph.ite(truth, x, graph.sub(y, x)): ANYHOW,
        graph.ite(graph.lt(x, y), number(1), y): ANYHOW,
        graph.max(x, y): RISES,
    }
    assert {one: of(one) for one in expected} == expected


# -- searches ---------------------------------------------------------------------------------------------------------


def test_equal_states_and_the_same_level() -> None:
    """A state does not dominate itself, and one that is found later on the same level dominates."""
    protocol = TABLE["Counted"].kind()
    result = native.check(protocol, Options(all_violations=True, dominance=True))
    assert result.dominance is not None
    assert (result.distinct_states, result.dominance.left_out, result.dominance.budgets) == (6, 1, ("spent",))
    assert (
        reference_engine.check(protocol, Options(all_violations=True, dominance=True)).state_digest
        == result.state_digest
    )


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_search_that_was_stopped_goes_on(workers: int, compact: bool, tmp_path: Path) -> None:
    """The resumed search equals the uninterrupted one; one without dominance is another search."""
    protocol = registered("kraft")(replication_factor=2)
    tuning = Tuning(share_from=0)
    wanted: dict[str, Any] = {"all_violations": True, "symmetry": True, "dominance": True, "workers": workers}
    wanted |= {"compact": True, "spill": tmp_path} if compact else {}
    whole = native.check(protocol, Options(**wanted), tuning=tuning)
    cut = native.check(protocol, Options(**wanted, max_states=6_000, checkpoint=tmp_path / "kept"), tuning=tuning)
    assert not cut.exhaustive
    resumed = native.check(protocol, Options(**wanted, resume=tmp_path / "kept"), tuning=tuning)
    assert resumed.resumed_from
    for one in ("distinct_states", "transitions", "state_digest", "step_digest", "actions", "dominance", "depth"):
        assert getattr(resumed, one) == getattr(whole, one)
    with pytest.raises(CheckpointError, match=r"with dominance used\..* instead of none"):
        native.check(protocol, replace(Options(**wanted), dominance=False, resume=tmp_path / "kept"), tuning=tuning)
    if not compact:
        with pytest.raises(RunRefused, match="with dominance"):
            epochal.export(tmp_path / "kept", out=tmp_path / "tables", protocol="kraft")


def test_fingerprints_are_looked_up_more_often() -> None:
    """The chance that a state was missed counts every way in which it may have been dominated."""
    protocol = TABLE["Counted"].kind()
    with_it, without = (
        replace(native.check(protocol, Options(dominance=on)), compact=True, distinct_states=1_000)
        for on in (True, False)
    )
    assert with_it.collision_probability == 7 * without.collision_probability


def test_liveness_and_ends_are_not_judged() -> None:
    """What is asked for by name and not judged is inconclusive."""
    protocol = TABLE["Promised"].kind()
    result = epochal.check(protocol, dominance=True, properties="gives_up")
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert result.search.liveness.reason.startswith("dominance")
    without_budgets = epochal.check(TABLE["Kept"].kind(), dominance=True, all_violations=True)
    assert without_budgets.search.liveness.judged and "no budgets were found" in str(without_budgets)
    result = epochal.check(TABLE["Near"].kind(), dominance=True, deadlock=True, all_violations=True)
    assert "dominance" in result.search.liveness.reason
    assert "not explored further" in str(result)


def test_spark_does_without() -> None:
    """It is refused, and no search goes on there by itself."""
    with pytest.raises(UsageError, match="dominance needs the native engine"):
        search_of("spark", ClusterChoice("spark", "local[1]"))(TABLE["Counted"].kind(), Options(dominance=True))
