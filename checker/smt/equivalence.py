"""Deciding with Z3 whether two expressions agree in every state, where their nodes are not the same."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from epochal.spec.language import Protocol

from ..ir.expression import Expression
from ..ir.graph import Graph
from ..ir.layout import canonical
from .terms import Terms

RLIMIT = 20_000_000
"""Z3's measure of work for one question, some seconds: the same answer on every machine."""


class Z3Decider:
    """Questions about all typed states of a protocol in canonical form, reachable or not."""

    def __init__(self, graph: Graph, protocol: Protocol, leaves: Sequence[Expression]) -> None:
        self._graph = graph
        self._terms = Terms(protocol)
        self._solver = z3.Solver(ctx=self._terms.context)
        self._solver.set("rlimit", RLIMIT)
        self._solver.add(*self._terms.in_domain(), *map(self._terms, canonical(graph, protocol, leaves)))

    def agree(self, a: Expression, b: Expression, where: Expression) -> bool:
        """Whether two expressions have the same value in every state where a condition holds; False if unknown."""
        if a.sort == "bool":
            differ = z3.Xor(self._terms(a), self._terms(b))
        else:
            differ = z3.Not(self._terms(self._graph.eq(a, b)))
        self._solver.push()
        self._solver.add(self._terms(where), differ)
        answer = self._solver.check()
        self._solver.pop()
        return bool(answer == z3.unsat)
