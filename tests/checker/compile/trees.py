"""Random expressions, built through the graph's constructors and evaluated without any simplification."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from hypothesis import strategies as st

from epochal.checker.ir.expression import Expression, Sort
from epochal.checker.ir.graph import Graph

Tree = tuple[Any, ...]
Codes = tuple[int, ...]

LEAVES: tuple[tuple[Sort, int], ...] = (("int", 3), ("int", 4), ("bool", 1), ("set", 7), ("set", 3), ("bool", 1))
"""Sort and greatest code of the leaves of a state."""

ALL_STATES = list(itertools.product(*(range(high + 1) for _, high in LEAVES)))
SHIFTS = {0: -2, 1: 0}
"""What is added to the code of an integer leaf, as the domain does."""


def of_sort(sort: Sort) -> list[int]:
    """The leaves of a sort."""
    return [i for i, (s, _) in enumerate(LEAVES) if s == sort]


def _integers(inner: Callable[[Sort], st.SearchStrategy[Tree]]) -> st.SearchStrategy[Tree]:
    number, truth, members = inner("int"), inner("bool"), inner("set")
    return st.one_of(
        st.tuples(st.sampled_from(["add", "sub", "mul", "min", "max"]), number, number),
        st.tuples(st.sampled_from(["floordiv", "mod"]), number, st.integers(1, 4)),
        st.tuples(st.just("ite"), truth, number, number),
        st.tuples(st.just("cardinality"), members),
        st.tuples(st.just("bits"), members),
        st.tuples(st.just("as_integer"), truth),
    )


def _truths(inner: Callable[[Sort], st.SearchStrategy[Tree]]) -> st.SearchStrategy[Tree]:
    number, truth, members = inner("int"), inner("bool"), inner("set")
    return st.one_of(
        st.tuples(st.sampled_from(["eq", "lt", "le"]), number, number),
        st.tuples(st.just("eq"), truth, truth),
        st.tuples(st.sampled_from(["eq", "subset"]), members, members),
        st.tuples(st.sampled_from(["and_", "or_", "implies"]), truth, truth),
        st.tuples(st.sampled_from(["all_of", "any_of"]), st.lists(truth, max_size=4)),
        st.tuples(st.just("not_"), truth),
        st.tuples(st.just("member"), members, number),
        st.tuples(st.just("ite"), truth, truth, truth),
    )


def _sets(inner: Callable[[Sort], st.SearchStrategy[Tree]]) -> st.SearchStrategy[Tree]:
    number, truth, members = inner("int"), inner("bool"), inner("set")
    return st.one_of(
        st.tuples(st.sampled_from(["union", "intersection", "difference"]), members, members),
        st.tuples(st.just("singleton"), st.tuples(st.just("mod"), number, st.integers(2, 4))),
        st.tuples(st.just("ite"), truth, members, members),
    )


def _leaf(sort: Sort) -> st.SearchStrategy[Tree]:
    field = st.tuples(st.just("field"), st.sampled_from(of_sort(sort)))
    constant = {"int": st.integers(-3, 5), "bool": st.integers(0, 1), "set": st.integers(0, 7)}[sort]
    return field | field | st.tuples(st.just("const"), st.just(sort), constant)


def trees(sort: Sort, depth: int = 4) -> st.SearchStrategy[Tree]:
    """Trees of a sort."""
    if depth == 0:
        return _leaf(sort)
    made = {"int": _integers, "bool": _truths, "set": _sets}[sort](lambda s: st.deferred(lambda: trees(s, depth - 1)))
    return made | made | _leaf(sort)


def built(graph: Graph, tree: Tree) -> Expression:
    """The expression of a tree."""
    kind, *rest = tree
    if kind == "const":
        sort, value = rest
        return {"int": graph.integer, "bool": lambda v: graph.boolean(bool(v)), "set": graph.mask}[sort](value)
    if kind == "field":
        sort, high = LEAVES[rest[0]]
        return (
            graph.offset(graph.field(rest[0], sort, high), SHIFTS.get(rest[0], 0))
            if sort == "int"
            else graph.field(rest[0], sort, high)
        )
    make: Callable[..., Expression] = getattr(graph, kind)
    if kind in ("all_of", "any_of"):
        return make([built(graph, part) for part in rest[0]])
    return make(*(built(graph, part) if isinstance(part, tuple) else part for part in rest))


MEANING: dict[str, Callable[..., int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "min": min,
    "max": max,
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "cardinality": lambda a: bin(a).count("1"),
    "bits": lambda a: a,
    "as_integer": lambda a: a,
    "eq": lambda a, b: int(a == b),
    "lt": lambda a, b: int(a < b),
    "le": lambda a, b: int(a <= b),
    "subset": lambda a, b: int(a & b == a),
    "and_": lambda a, b: int(a and b),
    "or_": lambda a, b: int(a or b),
    "implies": lambda a, b: int(not a or b),
    "all_of": lambda parts: int(all(parts)),
    "any_of": lambda parts: int(any(parts)),
    "not_": lambda a: int(not a),
    "member": lambda a, b: int(b >= 0 and a >> b & 1),
    "union": lambda a, b: a | b,
    "intersection": lambda a, b: a & b,
    "difference": lambda a, b: a & ~b,
    "singleton": lambda a: 1 << a,
    "ite": lambda c, a, b: a if c else b,
}


def meant(tree: Tree, codes: Codes) -> int:
    """The value of a tree in a state."""
    kind, *rest = tree
    if kind == "const":
        return int(rest[1])
    if kind == "field":
        return codes[rest[0]] + SHIFTS.get(rest[0], 0)
    if kind in ("all_of", "any_of"):
        return MEANING[kind]([meant(part, codes) for part in rest[0]])
    return int(MEANING[kind](*(meant(part, codes) if isinstance(part, tuple) else part for part in rest)))


def states(step: int = 37) -> Iterator[Codes]:
    """Some states, the same ones every time."""
    return itertools.islice(ALL_STATES, 0, None, step)
