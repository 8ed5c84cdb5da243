"""The Z3 terms mean what the expressions mean: operator by operator, and on every model of the classic family."""

from __future__ import annotations

import random
from typing import Annotated, ClassVar

import pytest
import z3
from hypothesis import given, settings
from hypothesis import strategies as st

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.ir.expression import Expression, Op, evaluate, reachable_nodes
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.layout import canonical, leaf_expressions
from epochal.checker.ir.model import CompiledInstance, Model
from epochal.checker.semantics.semantics import PythonSemantics
from epochal.checker.smt.terms import TERM, Terms, signed_bits
from epochal.spec.classic.async_isr import AsyncIsrBounds
from epochal.spec.classic.state import ClassicBounds
from epochal.spec.language import Bounds, Capacity, Integers, Log, Protocol, Set, Struct
from epochal.spec.language.protocol import evaluated
from epochal.spec.registry import registered
from tests.checker.compile.zoo import ZOO
from tests.checker.solver.reading import plain, random_run, values
from tests.families import CLASSIC, SPREAD


class Leaves(Protocol):
    """Leaves of every sort, some with a domain that is no power of two."""

    name: ClassVar[str] = "leaves"
    bounds: Bounds
    a: Annotated[int, Integers(0, 5)]
    b: Annotated[int, Integers(-3, 4)]
    c: Annotated[int, Integers(7, 7)]
    p: bool
    q: bool
    s: Set[Annotated[int, Integers(0, 4)]]
    t: Set[Annotated[int, Integers(0, 4)]]


LEAVES = Leaves()


def operators(graph: Graph) -> dict[str, Expression]:
    """An expression for each way to combine leaves, named after what it is meant to be."""
    a, b, c, p, q, s, t = leaf_expressions(graph, LEAVES)
    low = graph.offset(b, -3)
    wide = graph.sub(graph.mul(a, low), graph.integer(2))
    return {
        "const": graph.integer(-7),
        "true": graph.true,
        "mask": graph.mask(21),
        "field": a,
        "bool field": p,
        "single": c,
        "set field": s,
        "offset": low,
        "add": graph.add(a, low),
        "sub": graph.sub(low, a),
        "mul": graph.mul(a, low),
        "square": graph.mul(low, low),
        "floordiv": graph.floordiv(low, 2),
        "floordiv of a wide one": graph.floordiv(wide, 3),
        "floordiv by more": graph.floordiv(wide, 40),
        "mod": graph.mod(low, 3),
        "mod of a wide one": graph.mod(wide, 7),
        "mod by more": graph.mod(wide, 40),
        "min": graph.min(a, low),
        "max": graph.max(low, a),
        "eq": graph.eq(a, low),
        "eq of sets": graph.eq(s, t),
        "eq of booleans": graph.eq(p, q),
        "eq const": graph.eq(a, graph.integer(4)),
        "lt": graph.lt(low, a),
        "lt const": graph.lt(wide, graph.integer(-3)),
        "not": graph.not_(p),
        "and": graph.all_of([p, q, graph.lt(a, b)]),
        "or": graph.any_of([graph.not_(p), q, graph.lt(b, a)]),
        "ite": graph.ite(p, a, graph.offset(b, -6)),
        "ite of sets": graph.ite(q, s, graph.mask(6)),
        "member": graph.member(s, graph.integer(3)),
        "member at a place": graph.member(s, a),
        "singleton": graph.singleton(a),
        "union": graph.union(s, graph.singleton(a)),
        "intersection": graph.intersection(s, t),
        "difference": graph.difference(s, graph.intersection(t, graph.mask(7))),
        "const minus set": graph.difference(graph.mask(31), s),
        "cardinality": graph.cardinality(graph.union(s, t)),
        "bits": graph.offset(graph.bits(s), -9),
    }


def test_every_operator_has_a_row_and_a_case() -> None:
    """A new operator fails here until it has a term and a test."""
    assert set(TERM) == set(Op)
    used = {node.op for node in reachable_nodes(list(operators(Graph()).values()))}
    assert used == set(Op)


@pytest.mark.parametrize("name", sorted(operators(Graph())))
def test_operator(name: str) -> None:
    """The term has the value of the expression in random states, and can have no value outside its range."""
    dice = random.Random(name)
    node, terms = operators(Graph())[name], Terms(LEAVES)
    for _ in range(60):
        codes = tuple(dice.randrange(leaf.domain.size) for leaf in LEAVES.leaves)
        assert values(terms, [node], codes) == evaluate([node], codes)
    solver = z3.Solver(ctx=terms.context)
    solver.add(*terms.in_domain())
    if node.sort == "int":
        solver.add(z3.Or(terms(node) < node.low, terms(node) > node.high))
        assert solver.check() == z3.unsat


OPS: list[Op] = sorted(TERM, key=lambda op: op.value)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.value)
def test_a_wrong_row_is_noticed(op: Op, monkeypatch: pytest.MonkeyPatch) -> None:
    """With any one row replaced by a constant, some case fails: the cases above exercise every row."""
    monkeypatch.setitem(TERM, op, _wrong)
    terms, cases = Terms(LEAVES), list(operators(Graph()).values())
    states = [tuple(random.Random(i).randrange(leaf.domain.size) for leaf in LEAVES.leaves) for i in range(8)]
    assert any(values(terms, cases, codes) != evaluate(cases, codes) for codes in states)


def _wrong(terms: Terms, node: Expression) -> z3.ExprRef:
    if node.sort == "bool":
        return z3.BoolVal(node.is_const and not node.value, terms.context)
    width = signed_bits(node.low, node.high) if node.sort == "int" else max(node.high.bit_length(), 1)
    return terms.number(node.value + 1, width)


@given(st.integers(-300, 300), st.integers(-300, 300))
def test_widths_are_exact(x: int, y: int) -> None:
    low, high = min(x, y), max(x, y)
    bits = signed_bits(low, high)
    assert -(1 << bits - 1) <= low and high < 1 << bits - 1
    assert bits == 1 or not (-(1 << bits - 2) <= low and high < 1 << bits - 2)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_nested_arithmetic(data: st.DataObject) -> None:
    graph = Graph()
    a, b, *_ = leaf_expressions(graph, LEAVES)
    pool = [a, graph.offset(b, -3), graph.integer(data.draw(st.integers(-20, 20)))]
    for _ in range(data.draw(st.integers(1, 7))):
        x, y = data.draw(st.sampled_from(pool)), data.draw(st.sampled_from(pool))
        by = data.draw(st.integers(1, 9))
        makers = (
            lambda x=x, y=y: graph.add(x, y),
            lambda x=x, y=y: graph.sub(x, y),
            lambda x=x, y=y: graph.mul(x, y),
            lambda x=x, y=y: graph.min(x, y),
            lambda x=x, y=y: graph.max(x, y),
            lambda x=x, by=by: graph.floordiv(x, by) if not x.is_const else x,
            lambda x=x, by=by: graph.mod(x, by),
            lambda x=x, y=y: graph.ite(graph.lt(x, y), y, x),
        )
        pool.append(data.draw(st.sampled_from(makers))())
    codes = tuple(data.draw(st.integers(0, leaf.domain.size - 1)) for leaf in LEAVES.leaves)
    assert values(Terms(LEAVES), pool, codes) == evaluate(pool, codes)


@pytest.mark.parametrize("name", CLASSIC)
def test_registered_protocol(name: str) -> None:
    """Guards, updates and properties of the classic protocols, on states of a random run."""
    bounds = AsyncIsrBounds(2, 2, 2) if name.startswith("async-isr") else ClassicBounds(3, 2, 2, 2)
    protocol = registered(name)(bounds)
    model, terms = compile_protocol(protocol), Terms(protocol)
    nodes: dict[int, Expression] = {}
    for compiled in model.instances:
        for node in (compiled.enabled, *compiled.updates.values(), *(f.condition for f in compiled.failures)):
            nodes[node.id] = node
    for one in model.properties:
        if not one.of_steps:
            nodes[one.holds.id] = one.holds
    roots = list(nodes.values())
    made = [terms(node) for node in roots]
    shape = canonical(model.graph, protocol, leaf_expressions(model.graph, protocol))
    typed = [*terms.in_domain(), *(terms(part) for part in shape)]
    seen = sorted(set(random_run(protocol, seed=7, length=60)))
    for codes in random.Random(1).sample(seen, min(12, len(seen))):
        solver = z3.Solver(ctx=terms.context)
        solver.add(*typed, *terms.is_state(codes))
        assert solver.check() == z3.sat, "a reachable state is typed and canonical"
        found = solver.model()
        assert terms.codes(found) == codes
        read = [plain(node, found.eval(term, model_completion=True)) for node, term in zip(roots, made, strict=True)]
        assert read == evaluate(roots, codes)


@pytest.mark.parametrize("protocol", [*ZOO, *(registered(name) for name in SPREAD)], ids=lambda p: p.__name__)
def test_terms_say_what_the_interpreter_does(protocol: type[Protocol]) -> None:
    """Guards, effects and properties, of states and of steps, against Python's own reading of the same text."""
    specification = protocol()
    model, terms = compile_protocol(specification, lemmas=True), Terms(specification)
    reading = PythonSemantics(specification)
    seen = [codes for codes in sorted(set(random_run(specification, 11, 40))) if reading.within_constraint(codes)]
    for codes in random.Random(5).sample(seen, min(6, len(seen))):
        taken = {instance.number: after for instance, after in specification.successors(codes)}
        state = specification.at(codes)
        asked = [one.enabled for one in model.instances]
        asked += [one.holds for one in model.properties if not one.of_steps]
        read = values(terms, asked, codes)
        enabled, holds = read[: len(model.instances)], read[len(model.instances) :]
        assert enabled == [int(one.instance.number in taken) for one in model.instances]
        judged = [one.member for one in model.properties if not one.of_steps]
        assert holds == [int(bool(evaluated(member.function, state))) for member in judged]
        for compiled in model.instances:
            if compiled.instance.number in taken:
                _compare_step(terms, model, compiled, codes, taken[compiled.instance.number])


def _compare_step(
    terms: Terms, model: Model, compiled: CompiledInstance, codes: tuple[int, ...], after: tuple[int, ...]
) -> None:
    """The new value of every leaf, and every property of the step."""
    expected = {leaf: code for leaf, code in enumerate(after) if leaf in compiled.updates}
    read = values(terms, list(compiled.updates.values()), codes)
    assert dict(zip(compiled.updates, read, strict=True)) == expected
    assert all(after[leaf] == code for leaf, code in enumerate(codes) if leaf not in compiled.updates)
    state, new = model.protocol.at(codes), model.protocol.at(after)
    for one in model.properties:
        if one.of_steps:
            shown = values(terms, [one.on_step[compiled.instance.number]], codes)
            assert shown == [int(bool(evaluated(one.member.function, state, new)))], one.member.name


class Entry(Struct):
    """What the log below holds."""

    n: Annotated[int, Integers(0, 1)]
    flag: bool


class Canonical(Protocol):
    """Two values that have unused leaves."""

    name: ClassVar[str] = "canonical"
    bounds: Bounds
    log: Annotated[Log[Entry], Capacity(2)]
    record: Entry | None


def test_canonical_states_are_those_that_python_has() -> None:
    """Of all codes of the leaves, exactly those are canonical that Python gives back unchanged."""
    protocol, graph = Canonical(), Graph()
    parts = canonical(graph, protocol, leaf_expressions(graph, protocol))
    terms, count = Terms(protocol), 0
    sizes = [leaf.domain.size for leaf in protocol.leaves]
    for number in range(3 * 2**7):
        codes, rest = [], number
        for size in sizes:
            rest, code = divmod(rest, size)
            codes.append(code)
        expected = protocol.at(codes).codes() == tuple(codes)
        assert all(evaluate(parts, codes)) == expected
        count += expected
    solver = z3.Solver(ctx=terms.context)
    solver.add(*terms.in_domain(), *(terms(part) for part in parts))
    found = 0
    while solver.check() == z3.sat:
        found += 1
        solver.add(z3.Not(z3.And(terms.is_state(terms.codes(solver.model())))))
    assert found == count == (1 + 4 + 16) * (1 + 4)
