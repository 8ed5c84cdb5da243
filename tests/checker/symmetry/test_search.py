"""Searches with symmetry: representatives are orbits, verdicts are those of the whole, traces are runs."""

from __future__ import annotations

import itertools
from functools import cache
from typing import Any

import pytest

from epochal.checker.native.backend import NativeBackend
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.symmetry.canonical import Codes, Naming, Reduction
from epochal.checker.trace.replay import replay
from epochal.checker.trace.trace import Trace
from epochal.spec.language import LanguageError, Protocol
from tests import families
from tests.checker.search.models import classic
from tests.checker.symmetry.test_invariance import Nameless
from tests.checker.symmetry.zoo import Everywhere, ZooBounds
from tests.spec.classic.known_answers import KNOWN_ANSWERS, KnownAnswer
from tests.spec.classic.test_known_answers import protocol_at
from tests.zoo.rows import made

REDUCED = Options(all_violations=True, symmetry=True)
EVERYTHING = Options(all_violations=True)


def orbits(protocol: Protocol) -> tuple[int, list[int]]:
    """By brute force in the Python reading: the number of reachable states, and the size of each orbit of them."""
    reading, naming = PythonSemantics(protocol), Naming(protocol)
    todo: list[Codes] = protocol.initial_states()
    seen = set(todo)
    while todo:
        for _, after in reading.successors(todo.pop()):
            if after not in seen and reading.within_constraint(after):
                seen.add(after)
                todo.append(after)
    left, sizes = set(seen), []
    while left:
        orbit = {naming.renamed(next(iter(left)), names) for names in naming.renamings}
        assert orbit <= left
        left -= orbit
        sizes.append(len(orbit))
    return len(seen), sizes


@pytest.mark.parametrize(
    "protocol",
    [
        classic("kip-320", 2, 2, 2, 1),
        classic("kip-320", 3, 1, 1, 0),
        classic("truncate-to-hw", 2, 2, 2, 1),
        classic("kip-101", 2, 1, 1, 2),
        classic("kip-320", 4, 1, 1, 0),
    ],
    ids=lambda p: f"{p.name}-{'/'.join(str(size) for _, size in p.bounds.items())}",
)
def test_representatives_are_orbits(protocol: Protocol) -> None:
    """As many representatives as orbits, whose sizes sum up to all states; both engines agree to the digest."""
    states, sizes = orbits(protocol)
    native, python = breadth_first.check(protocol, REDUCED), reference_engine.check(protocol, REDUCED)
    whole = breadth_first.check(protocol, EVERYTHING)
    assert (whole.distinct_states, native.distinct_states) == (states, len(sizes)) and sum(sizes) == states
    assert native.distinct_states < states
    assert figures(native) == figures(python)
    assert verdicts(native) == verdicts(python) == verdicts(whole)


def figures(result: CheckResult) -> tuple[object, ...]:
    """Everything that both engines count."""
    actions = [(a.name, a.steps, a.new_states) for a in result.actions]
    digests = (result.state_digest, result.step_digest)
    return (result.distinct_states, result.transitions, result.depth, result.terminal_states, digests, actions)


def verdicts(result: CheckResult) -> list[tuple[str, str, int | None]]:
    """Verdicts and lengths of traces."""
    return [(p.member.name, p.verdict, p.length) for p in result.properties]


def traces(result: CheckResult) -> list[Trace]:
    """All traces of a result."""
    return [p.trace for p in result.properties if p.trace is not None]


@cache
def reduced(name: str, bounds: tuple[int, ...]) -> CheckResult:
    """A complete search with symmetry, once for all tests."""
    return breadth_first.check(protocol_at(name, bounds), REDUCED)


CLASSIC = [known for known in KNOWN_ANSWERS if known.protocol != "async-isr"]


@pytest.mark.parametrize("known", CLASSIC, ids=lambda k: f"{k.protocol}-{'/'.join(map(str, k.bounds))}")
def test_verdicts_are_those_of_the_whole_state_space(known: KnownAnswer) -> None:
    """All classic models and mutants: depth, verdicts and lengths are the published ones; every trace replays."""
    result = reduced(known.protocol, known.bounds)
    assert result.exhaustive and result.interchangeable == (f"b1..b{known.bounds[0]}",)
    assert result.depth == known.depth
    factor = known.distinct_states / result.distinct_states
    assert factor > (1.9 if known.bounds[0] == 2 else 5)
    violated = {p.member.name: p.length for p in result.properties if p.verdict == "violated"}
    assert violated == known.violated
    protocol = result.protocol
    readings = [PythonSemantics(protocol), NativeBackend(protocol, result.model)]
    whole = breadth_first.check(protocol, EVERYTHING)
    assert verdicts(result) == verdicts(whole)
    for trace in traces(result):
        assert replay(trace, readings).ok


def test_published_number_of_representatives() -> None:
    """KIP-320 at 3/2/2/1."""
    assert reduced("kip-320", (3, 2, 2, 1)).distinct_states == 6_713


def test_without_symmetry_nothing_is_said() -> None:
    assert breadth_first.check(classic("kip-320", 2, 1, 1, 0), EVERYTHING).interchangeable == ()


@pytest.mark.parametrize(
    "name", [n for n in families.CLASSIC if not n.startswith("async-isr") and n != "kip-279-proof"]
)
def test_default_bounds_first_violation(name: str) -> None:
    """At the default bounds the same property falls at the same depth, and the run that is printed is one."""
    with_symmetry = breadth_first.check(protocol_at(name, (3, 2, 2, 2)), Options(symmetry=True))
    without = breadth_first.check(protocol_at(name, (3, 2, 2, 2)), Options())
    found = {p.member.name: p.length for p in with_symmetry.properties if p.verdict == "violated"}
    assert found == {p.member.name: p.length for p in without.properties if p.verdict == "violated"}
    for trace in traces(with_symmetry):
        assert replay(trace, [PythonSemantics(with_symmetry.protocol)]).ok


def test_identifiers_everywhere() -> None:
    """Two kinds of identifiers, in every place: orbits, engines, verdicts and traces of the zoo."""
    protocol = Everywhere(ZooBounds(2, 2))
    states, sizes = orbits(protocol)
    native, python = breadth_first.check(protocol, REDUCED), reference_engine.check(protocol, REDUCED)
    whole = breadth_first.check(protocol, EVERYTHING)
    assert (whole.distinct_states, native.distinct_states) == (states, len(sizes))
    assert figures(native) == figures(python)
    assert native.left_constraint == python.left_constraint > 0
    assert verdicts(native) == verdicts(python) == verdicts(whole)
    assert {p.verdict for p in native.properties} == {"holds", "violated"}
    for trace in (*traces(native), *traces(python)):
        assert replay(trace, [PythonSemantics(protocol)]).ok


Tokens: type[Any] = made(
    globals(),
    "Protocol",
    """
    TokenBounds < Bounds: How many nodes.
        nodes: int = bound(3, least=1, most=5, help="the number of nodes")
    Node = Annotated[Identifier, Identifiers("n", TokenBounds.nodes)]
    Small = Annotated[int, Integers(0, 3)]
    Tokens: Nodes pass a token on; findings of every kind, each about particular nodes.
        bounds: TokenBounds
        holder: Node
        visited: Set[Node]
        passes: Map[Node, Small]
        def initial(self, first: Node) -> None:
            # Any node holds the token first.
            self.holder = first
        action give(node: Node, other: Node): The holder passes the token on.
            require(self.holder == node)
            require(other != node)
            self.holder = other
            self.visited = self.visited | {node}
            self.passes[node] += 1
        action rest(node: Node): A node that has not had the token says so.
            require(node not in self.visited and node != self.holder)
            self.visited = self.visited | {node}
        constraint few: Nobody passes it three times.
            return all(self.passes[n] < 3 for n in self.passes)
        invariant not_everybody: Some node has not been visited.
            return len(self.visited) < len(self.passes)
        invariant twice_at_most: Nobody passes it three times: shown outside the constraint.
            return all(self.passes[n] < 3 for n in self.passes)
        action_property no_return: The token never goes to a node that has passed it on.
            return new.holder == self.holder or new.holder not in self.visited
        reachable rested_holder(new: Self): A node that said that it did not have the token gets it.
            return any(new.holder == n and self.passes[n] == 0 and n in self.visited for n in self.passes)
    """,
)


Overflow: type[Any] = made(
    globals(),
    "Tokens",
    """
    Overflow: No constraint: the fourth pass of a node lies outside its domain.
        few = None
    """,
)


@pytest.mark.parametrize("nodes", [2, 3, 4])
def test_findings_of_steps_and_outside_the_constraint(nodes: int) -> None:
    """Violations by steps and beyond the constraint are told as runs of the protocol, of the same length."""
    protocol = Tokens(nodes=nodes)
    native, python = breadth_first.check(protocol, REDUCED), reference_engine.check(protocol, REDUCED)
    whole = breadth_first.check(protocol, EVERYTHING)
    assert verdicts(native) == verdicts(python) == verdicts(whole)
    assert figures(native) == figures(python)
    found = {p.member.name for p in native.properties if p.verdict == "violated"}
    assert {"not_everybody", "twice_at_most", "no_return"} <= found
    for trace in (*traces(native), *traces(python)):
        assert replay(trace, [PythonSemantics(protocol), NativeBackend(protocol)]).ok


def test_a_rule_that_fails() -> None:
    protocol = Overflow(nodes=3)
    options = Options(all_violations=True, symmetry=True)
    lengths = []
    for search, chosen in itertools.product((breadth_first.check, reference_engine.check), (options, EVERYTHING)):
        error = search(protocol, chosen).error
        assert error is not None
        assert replay(error.trace, [PythonSemantics(protocol)]).ok
        lengths.append(error.trace.length)
    assert len(set(lengths)) == 1


def test_counterexample_is_the_least_concrete_run() -> None:
    """Each step is the first instance that leads on to the next orbit, from the first initial state of its orbit."""
    protocol = Tokens(nodes=3)
    result = breadth_first.check(protocol, REDUCED)
    trace = next(p.trace for p in result.properties if p.member.name == "not_everybody")
    assert trace is not None and result.model is not None
    form = Reduction(result.model, [p.member.name for p in result.properties]).form
    assert trace.initial == protocol.initial_states()[0]
    for before, step in zip(trace.states, trace.steps, strict=False):
        lower = [after for i, after in protocol.successors(before) if i.number < step.instance.number]
        assert form(step.codes) not in map(form, lower)


def test_protocols_without_identifiers_are_refused() -> None:
    with pytest.raises(LanguageError, match="nothing in it can be interchanged"):
        breadth_first.check(Nameless(), REDUCED)


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers(workers: int) -> None:
    """Representatives are owned by workers as states are: figures and traces do not depend on their number."""
    protocol = classic("kip-101", 3, 1, 1, 1)
    alone = breadth_first.check(protocol, Options(all_violations=True, symmetry=True, workers=1))
    options = Options(all_violations=True, symmetry=True, workers=workers)
    result = breadth_first.check(protocol, options, tuning=Tuning(share_from=0))
    assert result.workers == workers
    assert figures(result) == figures(alone)
    assert [(t.initial, t.steps) for t in traces(result)] == [(t.initial, t.steps) for t in traces(alone)]
