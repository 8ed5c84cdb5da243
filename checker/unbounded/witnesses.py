"""What is known to exist has a name: `for all x there is a y` is said of a function of x, its witness.

A formula with witnesses can be true wherever the one without is, with other values for these functions, which occur
nowhere else. So what refutes the former refutes the latter. Two solvers that are asked about the same witnesses can
speak of the same terms.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..parametric.terms import Bound, Symbol, Term, and_, apply, bound_of, implies, not_, rebuilt, substitute

WITNESS = "witness "
"""How the names of witnesses begin."""


class Witnessed:
    """Gives witnesses to what exists outside of conditions, by the formula in which it does."""

    def __init__(self) -> None:
        self._known: dict[Term, Term] = {}
        self.meant: dict[str, tuple[tuple[Term, ...], Bound, Term]] = {}
        """Of each witness its variables, and what is bound and true of it where there is such a thing."""

    def __call__(self, formula: Term) -> Term:
        """A formula that is satisfiable where this one is."""
        found = self._known.get(formula)
        if found is None:
            self._names = (f"{WITNESS}{formula.digest.hex()} {n}" for n in itertools.count())
            found = self._known[formula] = self._within(formula, True, ())
        return found

    def _within(self, term: Term, holds: bool, outer: tuple[Term, ...]) -> Term:
        """The same, of a part that holds or does not, under universal quantifiers."""
        if term.op == "not":
            return not_(self._within(term.args[0], not holds, outer))
        if term.op in ("and", "or"):
            return rebuilt(term, [self._within(arg, holds, outer) for arg in term.args])
        if term.op not in ("forall", "exists"):
            return term
        bound, body = bound_of(term), term.args[3]
        if (term.op == "forall") != holds:
            free = tuple(one for one in outer if one in term.free)
            witness = apply(Symbol(next(self._names), bound.variable.value.kind), free, bound.variable.sort)
            self.meant[witness.value.name] = free, bound, body if term.op == "exists" else not_(body)
            inside, body = (substitute(one, {bound.variable: witness}) for one in (bound.inside, body))
            body = self._within(body, holds, outer)
            return and_(inside, body) if term.op == "exists" else implies(inside, body)
        within = (*outer, bound.variable)
        if body.op == "pair":
            head, fact = body.args
            body = rebuilt(body, [head, self._within(fact, holds, within)])
        else:
            body = self._within(body, holds, within)
        return rebuilt(term, [*term.args[:3], body])


def witnessed(hypotheses: Sequence[Term], goal: Sequence[Term]) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """The same question, in which what exists has witnesses."""
    named = Witnessed()
    return tuple(map(named, hypotheses)), tuple(not_(named(not_(part))) for part in goal)
