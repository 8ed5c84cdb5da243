"""One name for one thing: terms that say the same but for the names of their variables become the same term.

A minimum that a guard speaks of, and the same minimum in a lemma, are then values of one function.
"""

from __future__ import annotations

from functools import cache

from .terms import BINDING, Term, rebuilt, substitute, subterms, variable

PLACE = "place "
"""How variables are called in the place of what a term depends on."""


def canonical(term: Term) -> tuple[Term, list[Term], list[Term]]:
    """A term with names of its own for all variables; which are free in it, and what they stand for."""
    plain = renamed(term)
    here = _in_order(plain)
    places = [variable(f"{PLACE}{n}", one.sort, one.value.kind) for n, one in enumerate(here)]
    return substitute(plain, dict(zip(here, places, strict=True))), places, here


def renamed(term: Term) -> Term:
    """The term with names of its own for bound variables; what is free in it stays as it is."""
    return _renamed(term, {})


def _renamed(term: Term, known: dict[Term, Term]) -> Term:
    """The term with bound variables that are called by how many others are bound in what they range over."""
    found = known.get(term)
    if found is None:
        found = rebuilt(term, [_renamed(arg, known) for arg in term.args]) if term.args else term
        if term.op in BINDING:
            bound, low, high, body = found.args
            name = variable(f"bound {_depth(body)}", bound.sort, bound.value.kind)
            found = rebuilt(found, [name, low, high, substitute(body, {bound: name})])
        known[term] = found
    return found


@cache
def _depth(term: Term) -> int:
    """How many variables are bound within each other in a term."""
    return max(map(_depth, term.args), default=0) + (term.op in BINDING)


def _in_order(term: Term) -> list[Term]:
    """The free variables, always in the same order."""
    return [one for one in subterms([term]) if one in term.free]
