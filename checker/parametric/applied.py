"""Which functions terms speak of: asked of the same terms for every question of a proof, so what is known is kept."""

from __future__ import annotations

from collections.abc import Iterable

from .terms import Term

_KNOWN: dict[Term, frozenset[str]] = {}


def applied(terms: Iterable[Term]) -> frozenset[str]:
    """The names of the functions in these terms, also of those under quantifiers."""
    return frozenset().union(*map(_applied, terms))


def _applied(term: Term) -> frozenset[str]:
    found = _KNOWN.get(term)
    if found is None:
        found = applied(term.args)
        if term.op == "app":
            found |= {term.value.name}
        _KNOWN[term] = found
    return found
