"""Quantifiers over what can be one thing only: `all r with r == leader` is about the leader, and needs no quantifier.

forall x: x != t or P(x)        is        t is no value of x, or P(t)
exists x: x == t and P(x)       is        t is a value of x, and P(t)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..parametric.terms import Bound, Term, and_, bound_of, exists, forall, not_, or_, rebuilt, substitute


class Narrowed:
    """Does away with such quantifiers, wherever they are in a term."""

    def __init__(self, on: bool = True) -> None:
        self._on = on
        self._known: dict[Term, Term] = {}

    def __call__(self, term: Term) -> Term:
        """A term that means the same."""
        found = self._known.get(term) if self._on else term
        if found is None:
            found = term if not term.args else rebuilt(term, [*map(self, term.args)])
            if found.op in ("forall", "exists") and found.value is None:
                found = _without(found)
            self._known[term] = found
        return found


def _without(term: Term) -> Term:
    """The term without those of its outermost quantifiers that can be done without."""
    bounds, body = [bound_of(term)], term.args[3]
    while body.op == term.op and body.value is None:
        bounds.append(bound_of(body))
        body = body.args[3]
    universal, kept = term.op == "forall", list[Bound]()
    while bounds:
        bound, *later = bounds
        value = _only(bound, [one.variable for one in later], not_(body) if universal else body)
        if value is None:
            kept.append(bound)
            bounds = later
            continue
        put = {bound.variable: value}
        inside = substitute(bound.inside, put)
        body = substitute(body, put)
        body = or_(not_(inside), body) if universal else and_(inside, body)
        bounds = [Bound(one.variable, substitute(one.low, put), substitute(one.high, put)) for one in later]
    return (forall if universal else exists)(kept, body)


def _only(bound: Bound, later: Sequence[Term], condition: Term) -> Term | None:
    """What a variable must be for a condition to be true, in terms of what is bound before it."""
    for part in _parts(condition):
        if part.op == "eq" and bound.variable in part.args:
            a, b = part.args
            other = b if a is bound.variable else a
            if bound.variable not in other.free and other.free.isdisjoint(later):
                return other
    return None


def _parts(condition: Term) -> Iterator[Term]:
    """The parts that must all be true for it to be true."""
    if condition.op == "and":
        for one in condition.args:
            yield from _parts(one)
    elif condition.op == "not" and condition.args[0].op == "or":
        for one in condition.args[0].args:
            yield from _parts(not_(one))
    else:
        yield condition
