"""The value of a term in a finite state: what the parametric reading says where all is known.

Identifiers are numbers from 0, functions are tables. A term becomes nested Python functions, once; they are called with
the values of its variables and the state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from .terms import INT, Bound, Candidates, Term, bound_of, candidates_of

Values = dict[Term, Any]
Look = Callable[[str, tuple[Any, ...]], Any]
"""A state: the value of a function, by its name, at some arguments."""
Evaluator = Callable[[Values, Look], Any]


class Evaluators:
    """Makes terms that Python can compute. `sizes` has how many identifiers there are, by their sort, when asked."""

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self._made: dict[Term, Evaluator] = {}

    def __call__(self, term: Term) -> Evaluator:
        """The term as a function of the values of its free variables and of the state."""
        found = self._made.get(term)
        if found is None:
            found = self._made[term] = getattr(self, f"_{term.op}")(term)
        return found

    def _const(self, term: Term) -> Evaluator:
        value = term.value
        return lambda values, look: value

    def _var(self, term: Term) -> Evaluator:
        return lambda values, look: values[term]

    def _app(self, term: Term) -> Evaluator:
        name, args = term.value.name, [self(arg) for arg in term.args]
        return lambda values, look: look(name, tuple([arg(values, look) for arg in args]))

    def _not(self, term: Term) -> Evaluator:
        a = self(term.args[0])
        return lambda values, look: not a(values, look)

    def _and(self, term: Term) -> Evaluator:
        parts = [self(arg) for arg in term.args]
        return lambda values, look: all(part(values, look) for part in parts)

    def _or(self, term: Term) -> Evaluator:
        parts = [self(arg) for arg in term.args]
        return lambda values, look: any(part(values, look) for part in parts)

    def _ite(self, term: Term) -> Evaluator:
        c, a, b = map(self, term.args)
        return lambda values, look: a(values, look) if c(values, look) else b(values, look)

    def _eq(self, term: Term) -> Evaluator:
        a, b = map(self, term.args)
        return lambda values, look: a(values, look) == b(values, look)

    def _le(self, term: Term) -> Evaluator:
        a, b = map(self, term.args)
        return lambda values, look: a(values, look) <= b(values, look)

    def _add(self, term: Term) -> Evaluator:
        a, b = map(self, term.args)
        return lambda values, look: a(values, look) + b(values, look)

    def _scale(self, term: Term) -> Evaluator:
        a, factor = self(term.args[0]), term.value
        return lambda values, look: factor * a(values, look)

    def _forall(self, term: Term) -> Evaluator:
        through, body = self._through(bound_of(term)), self(term.args[3])
        return lambda values, look: all(body(inside, look) for inside in through(values, look))

    def _exists(self, term: Term) -> Evaluator:
        through, body = self._through(bound_of(term)), self(term.args[3])
        return lambda values, look: any(body(inside, look) for inside in through(values, look))

    def _count(self, term: Term) -> Evaluator:
        through, body = self._through(bound_of(term)), self(term.args[3])
        return lambda values, look: sum(bool(body(inside, look)) for inside in through(values, look))

    def _extreme(self, term: Term) -> Evaluator:
        pick, default = max if term.value else min, self(term.args[-1])
        sources = [self._numbers(one) for one in candidates_of(term)]

        def chosen(values: Values, look: Look) -> Any:
            found = [number for source in sources for number in source(values, look)]
            return pick(found) if found else default(values, look)

        return chosen

    def _numbers(self, one: Candidates) -> Callable[[Values, Look], Iterator[Any]]:
        steps = [self._through(bound) for bound in one.bounds]
        condition, number = self(one.condition), self(one.number)

        def numbers(values: Values, look: Look, depth: int = 0) -> Iterator[Any]:
            if depth < len(steps):
                for inside in steps[depth](values, look):
                    yield from numbers(inside, look, depth + 1)
            elif condition(values, look):
                yield number(values, look)

        return numbers

    def _through(self, bound: Bound) -> Callable[[Values, Look], Iterator[Values]]:
        """The values of the variables around, with each value of this one."""
        variable = bound.variable
        if variable.sort != INT:
            every = range(self.sizes[variable.sort])
            return lambda values, look: ({**values, variable: one} for one in every)
        low, high = self(bound.low), self(bound.high)
        return lambda values, look: ({**values, variable: one} for one in range(low(values, look), high(values, look)))
