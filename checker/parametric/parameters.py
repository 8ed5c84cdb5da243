"""The parameters of actions, for every choice of the bounds: arbitrary values, also none and sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .domains import Domain, Optional, Sets
from .pairs import arbitrary
from .run import Run
from .terms import BOOL, Bound, Symbol, Term, and_, apply, implies
from .values import Members, Perhaps


@dataclass(frozen=True)
class Parameter:
    """What a parameter is made of: variables, the first of them whether it is there if it may be none, or a function.

    `symbol` is the function of a set, which says of each value whether it is a member.
    """

    domain: Domain
    bounds: tuple[Bound, ...]
    symbol: Symbol | None = None

    @property
    def typed(self) -> Term:
        """That its number lies in its domain, if there is one: where it is none, the domain may be empty."""
        inside = and_(*(bound.inside for bound in self.bounds))
        return implies(self.bounds[0].variable, inside) if isinstance(self.domain, Optional) else inside


def parameter(run: Run, domain: Domain, name: str) -> tuple[Any, Parameter]:
    """An arbitrary value of a domain. Raises NoReading for a record."""
    if isinstance(domain, Sets):
        symbol = Symbol(run.fresh(name, BOOL).value.name)

        def has(member: Sequence[Term]) -> Term:
            return apply(symbol, tuple(member), BOOL)

        return Members(run, domain.element, has), Parameter(domain, (), symbol)
    if isinstance(domain, Optional):
        there = run.fresh(f"{name}?", BOOL)
        element, bounds = arbitrary(run, domain.element, name)
        return Perhaps(run, there, element), Parameter(domain, (Bound(there), *bounds))
    value, bounds = arbitrary(run, domain, name)
    return value, Parameter(domain, tuple(bounds))
