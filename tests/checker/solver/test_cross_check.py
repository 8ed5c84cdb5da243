"""The cross-check of Z3: what its terms say of states is repeated in Python while the answer is made."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest
import z3

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.crosscheck import cross_check
from epochal.checker.crosscheck.cross_check import SemanticsDisagree
from epochal.checker.ir import expression as meaning
from epochal.checker.ir.expression import Op
from epochal.checker.ir.graph import Graph
from epochal.checker.native.backend import NativeBackend
from epochal.checker.semantics.properties import all_properties
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.smt import terms
from epochal.checker.solver.bounded import BoundedOptions, bounded_search
from epochal.checker.solver.cross_check import as_rows, cross_checked
from epochal.checker.solver.induction import Induction, Stopwatch, prepared, prove, result_of
from epochal.checker.trace.replay import replay
from epochal.spec.classic.kip_320_proof import Kip320Proof
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import Protocol
from epochal.spec.registry import REGISTRY, registered
from tests.checker.search.models import classic
from tests.zoo.searched import FailingJudge, Neighbours, Supposed

SMALL = ClassicBounds(2, 1, 1, 1)


def proof() -> Kip320Proof:
    """A proof that takes seconds."""
    return Kip320Proof(SMALL)


BROKEN: dict[Op, Any] = {
    Op.MIN: terms._extreme(lambda a, b: a >= b),
    Op.LT: lambda t, n: z3.Not(terms._lt(t, n)),
    Op.EQ: lambda t, n: z3.BoolVal(False, t.context),
    Op.UNION: lambda t, n: t.at_width(n.args[0], terms.width_of(n)),
    Op.MEMBER: lambda t, n: z3.BoolVal(True, t.context),
}
"""Terms as Z3 should not have them."""


@pytest.mark.parametrize("op", BROKEN, ids=lambda op: op.name)
def test_a_broken_term_is_found(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(terms.TERM, op, BROKEN[op])
    with pytest.raises(SemanticsDisagree, match="the semantics disagree on") as found:
        bounded_search(classic("kip-320", 3, 2, 2, 1), BoundedOptions(2, cross_check=40))
    assert "z3: " in str(found.value) and "python: " in str(found.value)
    with pytest.raises(SemanticsDisagree, match="the semantics disagree on"):
        induction = Induction(prepared(Kip320Proof(ClassicBounds(3, 2, 2, 1)), ("leader_in_isr",)), 1_000)
        induction.cross_check = 40
        result_of(induction, [], Stopwatch())


@pytest.mark.parametrize("op", [Op.MIN, Op.LT, Op.EQ], ids=lambda op: op.name)
def test_a_broken_value_is_found(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    """`evaluate` says which properties a run shows, and which lemmas hold initially."""
    broken = {Op.MIN: lambda n, a, b: max(a, b), Op.LT: lambda n, a, b: int(a > b), Op.EQ: lambda n, a, b: int(a != b)}
    monkeypatch.setitem(meaning.MEANING, op, broken[op])
    with pytest.raises(SemanticsDisagree, match="the semantics disagree on"):
        bounded_search(classic("kip-320", 3, 2, 2, 1), BoundedOptions(2, cross_check=40))


def test_a_broken_graph_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Graph, "min", Graph.max)
    with pytest.raises(SemanticsDisagree, match="the semantics disagree on"):
        bounded_search(classic("kip-320", 3, 2, 2, 1), BoundedOptions(1))


def test_how_many(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = itertools.count()  # a state takes a twentieth of a second, however busy the machine is
    monkeypatch.setattr(cross_check, "time", SimpleNamespace(monotonic=lambda: next(ticks) / 20))
    some = bounded_search(classic("kip-320", 2, 1, 1, 1), BoundedOptions(2, cross_check=25))
    assert some.cross_check.states == 25 and some.cross_check.steps > 25
    off = bounded_search(classic("kip-320", 2, 1, 1, 1), BoundedOptions(1, cross_check="off"))
    assert off.cross_check.states == 0
    default = prove(proof(), ("leader_in_isr",))
    assert default.cross_check.states >= 8
    watch, induction = Stopwatch(), Induction(prepared(proof(), ("leader_in_isr",)), 1_000_000)
    induction.cross_check = 9
    assert result_of(induction, [], watch).cross_check.states == 9


@pytest.mark.parametrize("name", REGISTRY)
def test_terms_values_and_python_agree_on_every_protocol(name: str) -> None:
    """Also in states that are typed and not reachable."""
    protocol: Protocol = registered(name)()
    model = compile_protocol(protocol, lemmas=True)
    found = cross_checked(model, all_properties(protocol, lemmas=True), [], 6, 1.0, as_rows)
    assert found.states == 6


# -- rules that fail ---------------------------------------------------------------------------------------------------


def test_a_rule_that_fails_beside_a_violation_is_told_with_it() -> None:
    """The run to the rule that fails is as long as it was, and the one to the violation replays."""
    protocol = Neighbours()
    result = bounded_search(protocol, BoundedOptions(4, ("below_three",), all_violations=True))
    assert result.exit_code == 75 and result.error is not None
    found = bounded_search(FailingJudge(), BoundedOptions(3, ("below_three",)))
    (one,) = found.properties
    assert one.verdict == "violated" and one.trace is not None
    assert replay(one.trace, [PythonSemantics(one.trace.protocol), NativeBackend(one.trace.protocol)]).ok


def test_a_counterexample_to_induction_from_a_state_in_which_another_rule_fails() -> None:
    protocol = Supposed()
    result = prove(protocol, ())
    broken = [answer.trace for answer in result.failed if answer.obligation.kind == "preservation"]
    assert broken
    for trace in broken:
        assert trace is not None
        assert replay(trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok
        with pytest.raises(Exception, match="offset 0 is outside the log"):
            PythonSemantics(protocol).successors(trace.initial)
