"""Minima, maxima and sizes of sets as functions of which only their definitions are known.

A minimum of finitely many numbers exists, so a function with its value exists, and everything that is said of it here
is true of that function at all arguments. What is said of a number of members is in `sizes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ..parametric.applied import applied
from ..parametric.canonical import canonical
from ..parametric.definition import anything, definition
from ..parametric.terms import (
    INT,
    Symbol,
    Term,
    and_,
    apply,
    candidates_of,
    eq,
    exists,
    forall,
    implies,
    kind_of,
    le,
    not_,
    or_,
    rebuilt,
    substitute,
    subterms,
)
from .sizes import About, Sized, alone, compared, is_size, sized


class Definitions:
    """Puts functions in the place of minima and the like, one for each, and keeps what they are defined by.

    `known` has how many identifiers of a sort there are. With `heads` a definition is of use where its function comes
    up (`definition`), and not wherever something is tried.
    """

    def __init__(self, known: Mapping[str, Term] | None = None, heads: bool = False) -> None:
        self._known, self._heads = known if known is not None else {}, heads
        self._found: dict[Term, Term] = {}
        self._facts: dict[str, tuple[Term, ...]] = {}
        self._sets: dict[str, Sized] = {}
        self._counted: dict[str, tuple[tuple[Term, ...], list[Term]]] = {}
        """Of each minimum, the sizes that decide that it is one of the numbers."""

    def __call__(self, term: Term) -> Term:
        """The term without minima, maxima and counts."""
        known = self._found.get(term)
        if known is None:
            known = term if not term.args else rebuilt(term, [self(arg) for arg in term.args])
            if known.op in ("extreme", "count"):
                known = self._defined(known)
            self._found[term] = known
        return known

    def facts(self, terms: Iterable[Term]) -> list[Term]:
        """What the functions in these terms are defined by, and those in that."""
        return [fact for name, facts in sorted(self._used(terms).items()) for fact in facts]

    def compared(self, terms: Sequence[Term], about: About) -> list[Term]:
        """What sizes in these terms are to each other, for a question about such terms.

        With `heads` those only that the question has outside of quantifiers: of many lemmas the others make thousands.
        """
        used = self._used(terms)
        sets = [self._sets[name] for name in sorted(self._sets.keys() & used.keys())]
        if not sets:
            return []
        others = [fact for name, facts in used.items() if name not in self._sets for fact in facts]
        spread = {one for one in subterms([*terms, *others]) if is_size(one)} - set(about.ground)
        about = about.with_sizes(self._of_minima(about.leaves))
        return compared(sets, about, () if self._heads else spread, self._known)

    def _of_minima(self, terms: Iterable[Term]) -> list[Term]:
        """The sizes on which minima among these terms depend."""
        found: dict[Term, None] = {}
        for term in terms:
            places, counted = self._counted.get(term.value.name, ((), [])) if term.op == "app" else ((), [])
            found |= dict.fromkeys(substitute(one, dict(zip(places, term.args, strict=True))) for one in counted)
        return [term for term in found if not any(arg.op == "var" and "bound " in arg.value.name for arg in term.args)]

    def _used(self, terms: Iterable[Term]) -> dict[str, tuple[Term, ...]]:
        """The functions in these terms, and those by which they are defined, with their definitions."""
        found: dict[str, tuple[Term, ...]] = {}
        todo = list(terms)
        while todo:
            names = applied(todo) & self._facts.keys() - found.keys()
            todo = [fact for name in sorted(names) for fact in self._facts[name]]
            found |= {name: self._facts[name] for name in names}
        return found

    def _defined(self, term: Term) -> Term:
        if term.op == "count":
            one, places = sized(term)
            self._sets[one.symbol.name] = one
            self._facts[one.symbol.name] = self._anywhere(one.places, one.size, alone(one, self._known))
            return apply(one.symbol, places, INT)
        plain, free, here = canonical(term)
        symbol = Symbol(f"{term.op} {plain.digest.hex()}", kind_of(term))
        value = apply(symbol, free, INT)
        facts = _extreme(plain, value)
        self._counted[symbol.name] = (tuple(free), [one for one in subterms(_reached(plain, value)) if is_size(one)])
        self._facts[symbol.name] = self._anywhere(free, value, facts)
        return apply(symbol, here, INT)

    def _anywhere(self, free: Sequence[Term], value: Term, facts: Iterable[Term]) -> tuple[Term, ...]:
        """What is so of a function at these variables, for all their values."""
        bounds = [anything(one) for one in free]
        return tuple(definition(bounds, value, fact) if self._heads else forall(bounds, fact) for fact in facts)


def _extreme(term: Term, value: Term) -> list[Term]:
    """It is one of the numbers and none is beyond it; where there is none, it is the default."""
    candidates = candidates_of(term)
    beyond = le if not term.value else lambda a, b: le(b, a)
    some = or_(*(one.some for one in candidates))
    reached = or_(*_reached(term, value))
    first = [forall(one.bounds, implies(one.condition, beyond(value, one.number))) for one in candidates]
    return [implies(some, reached), *first, implies(not_(some), eq(value, term.args[-1]))]


def _reached(term: Term, value: Term) -> list[Term]:
    """For each kind of candidates, that it is one of them; of numbers themselves, that it is such a number."""
    found = []
    for one in candidates_of(term):
        if len(one.bounds) == 1 and one.bounds[0].variable is one.number:
            itself = {one.number: value}
            found.append(and_(substitute(one.bounds[0].inside, itself), substitute(one.condition, itself)))
        else:
            found.append(exists(one.bounds, and_(one.condition, eq(value, one.number))))
    return found
