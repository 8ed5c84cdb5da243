"""Names for what a step computes: the leaves after it, and the quantified conditions by which it decides.

A goal that speaks of the state after a step has the same form as one of the state before, however much the step does.
What the names mean are facts of their own, which the solver unfolds where it comes to a name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from ..parametric.applied import applied
from ..parametric.definition import anything, definition
from ..parametric.leaves import Leaf, LeafShape, View
from ..parametric.terms import (
    BOOL,
    Symbol,
    Term,
    apply,
    eq,
    implies,
    not_,
    rebuilt,
    variable,
)
from .pools import kind

CONDITION = "if "
"""How the names of conditions begin."""

KEPT = ("extreme", "count")
"""What binds its variables in a way of its own. It gets a name from `defined`."""


class Names:
    """Gives names, one for each condition, and keeps what they mean."""

    def __init__(self, narrow: Callable[[Term], Term], on: bool = True) -> None:
        self._narrow, self._on = narrow, on
        self._outside: dict[Term, Term] = {}
        self._conditions: dict[Term, Term] = {}
        self._meant: dict[str, tuple[Term, Term]] = {}
        """By name, the function at variables, and what it is there."""

    def __call__(self, term: Term) -> Term:
        """The term with a name for each quantified condition by which a value in it is chosen."""
        return self._named_in(self._narrow(term)) if self._on else term

    def _named_in(self, term: Term) -> Term:
        known = self._outside.get(term)
        if known is None:
            inside = self._named_in if term.op in ("and", "or", "not", "forall", "exists") else self._chosen
            kept = not term.args or term.op in KEPT
            known = self._outside[term] = term if kept else rebuilt(term, [*map(inside, term.args)])
        return known

    def _chosen(self, term: Term) -> Term:
        known = self._conditions.get(term)
        if known is None:
            kept = not term.args or term.op in KEPT
            known = term if kept else rebuilt(term, [*map(self._chosen, term.args)])
            if known.op in ("forall", "exists"):
                known = self._named(known)
            self._conditions[term] = known
        return known

    def _named(self, condition: Term) -> Term:
        free = sorted(condition.free, key=lambda one: one.value.name)
        name = apply(Symbol(f"{CONDITION}{condition.digest.hex()}"), free, BOOL)
        self._meant[name.value.name] = name, condition
        return name

    def after(self, action: str, view: View, changed: Iterable[str], shapes: Mapping[str, LeafShape]) -> View:
        """A state after a step whose leaves have names."""
        leaves = dict(view.leaves)
        for path in sorted(changed):
            shape = shapes[path]
            symbol = Symbol(f"{path} after {action}", shape.symbol.kind)
            names = [
                variable(f"{path}:{number}'", argument.sort, kind(argument.domain))
                for number, argument in enumerate(shape.arguments)
            ]
            head = apply(symbol, names, shape.sort)
            self._meant[symbol.name] = head, self._chosen(self._narrow(view.leaves[path](names)))
            leaves[path] = _called(symbol, shape.sort)
        return View(leaves, writable=False)

    def facts(self, terms: Iterable[Term]) -> list[Term]:
        """What the names in these terms mean, and those in that."""
        found: set[str] = set()
        todo = list(terms)
        while todo:
            names = applied(todo) & self._meant.keys() - found
            todo = [self._meant[name][1] for name in sorted(names)]
            found |= names
        return [fact for name in sorted(found) for fact in _said(*self._meant[name])]


def _said(name: Term, value: Term) -> Iterator[Term]:
    """That a name means something, for all values of the variables."""
    bounds = [anything(one) for one in name.args]
    if name.value.name.startswith(CONDITION):
        yield definition(bounds, name, implies(name, value))
        yield definition(bounds, name, implies(not_(name), not_(value)))
    else:
        yield definition(bounds, name, eq(name, value))


def _called(symbol: Symbol, sort: str) -> Leaf:
    return lambda arguments: apply(symbol, tuple(arguments), sort)
