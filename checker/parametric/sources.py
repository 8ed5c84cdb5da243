"""What rules go through: keys, sets, ranges, logs and generators, each as one arbitrary element or as known ones."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .domains import Domain, Names, Numbers, Optional, Sets
from .places import LogPlace, MapPlace, taken
from .run import Run
from .terms import BOOL, FALSE, TRUE, Bound, Symbol, Term, and_, apply, constant, implies
from .values import Members, Named, Number, Perhaps, Unusable, Value, arbitrary, condition


class Universe(Value):
    """All values of a domain: `self.each(D)`."""

    described = "all values of a domain"

    def __init__(self, run: Run, domain: Domain) -> None:
        super().__init__(run)
        self.domain = domain


class Range(Value):
    """The integers from `low` to below `high`, in this order."""

    described = "a range"

    def __init__(self, run: Run, low: Term, high: Term) -> None:
        super().__init__(run)
        self.low, self.high = low, high


class Reversed(Value):
    """The integers of a range from the last to the first. In Python an iterator, so that it is used once.

    It is no `Range`: what takes for granted that rounds go upwards never sees one.
    """

    described = "a range that is reversed"

    def __init__(self, run: Run, items: Range | range) -> None:
        super().__init__(run)
        self.items = items
        self._rounds = run.rounds
        self._used = False

    def use(self) -> Range | range:
        """The range. Refuses a second use, and one for each of several elements."""
        if self._used or self.run.rounds != self._rounds:
            self.run.refuse("a second use of reversed(...)", "Write it where it is used.")
        self._used = True
        return self.items


class Generator(Value):
    """A generator expression, which is evaluated when it is used: once, and before the state changes."""

    described = "a generator"

    def __init__(self, run: Run, source: Any, test: Any, element: Any, nested: bool) -> None:
        super().__init__(run)
        self.source, self.test, self.element, self.nested = source, test, element, nested
        self._clock = run.written.clock if run.written is not None else 0
        self._rounds = run.rounds
        self._used = False

    def use(self) -> None:
        """Refuse a second use, one for each of several elements, and one after the state has changed."""
        if self._used or self.run.rounds != self._rounds:
            self.run.refuse("a second use of a generator", "Write it where it is used.")
        if self.run.written is not None and self.run.written.clock != self._clock:
            self.run.refuse("a generator that is used after the state has changed", "Write it where it is used.")
        self._used = True


@dataclass(frozen=True)
class Each:
    """An element of a source for arbitrary values of variables, where a condition is true."""

    bounds: tuple[Bound, ...]
    present: Term
    item: Any


def elements(run: Run, source: Any) -> list[Each]:
    """What stands for the elements of anything but a generator: one that is arbitrary, or each that is known."""
    if isinstance(source, MapPlace):
        source.fresh()
        return _of_domain(run, source.domain.key)
    if isinstance(source, Universe):
        return _of_domain(run, source.domain)
    if isinstance(source, Members):
        if source.element is None:
            return []
        bound = source.any()
        one = bound.variable
        item = Named(run, one) if isinstance(source.element, Names) else Number(run, one)
        return [Each((bound,), source.has([one]), item)]
    if isinstance(source, Reversed):
        items = source.use()
        return elements(run, items if isinstance(items, Range) else tuple(reversed(items)))
    if isinstance(source, Range):
        bound = run.within("i", source.low, source.high)
        return [Each((bound,), TRUE, Number(run, bound.variable))]
    if isinstance(source, LogPlace):
        bound = run.within("i", constant(0), source.end)
        with run.under((bound,)):
            item = taken(run, source.entry(bound.variable))
        return [Each((bound,), TRUE, item)]
    if isinstance(source, Unusable):
        source.refuse()
    if isinstance(source, tuple | list | range) or (isinstance(source, type) and issubclass(source, enum.Enum)):
        return [Each((), TRUE, item) for item in source]
    shown = source.described if isinstance(source, Value) else f"a {type(source).__name__}"
    run.refuse(f"going through {shown}", "Go through keys of maps, sets, ranges, logs or self.each(...).")


def _of_domain(run: Run, domain: Domain) -> list[Each]:
    if isinstance(domain, Numbers) and domain.members is not None:
        return [Each((), TRUE, member) for member in domain.members]
    if isinstance(domain, Numbers | Names):
        value, bounds = arbitrary(run, domain, "x")
        return [Each(tuple(bounds), TRUE, value)]
    run.refuse("going through the values of such a domain", "Go through numbers, identifiers or an enumeration.")


def used(run: Run, source: Any, consume: Callable[[Any], Any]) -> list[tuple[tuple[Bound, ...], Term, Any]]:
    """What `consume` makes of each element, with the variables and the condition under which there is the element.

    Python may stop before the last element; here all are looked at, and what fails for one of them fails.
    """
    if not isinstance(source, Generator):
        found = []
        for each in elements(run, source):
            with run.operand(each.bounds, each.present):
                found.append((each.bounds, each.present, consume(each.item)))
        return found
    source.use()
    return list(_generated(run, source, consume))


def _generated(
    run: Run, source: Generator, consume: Callable[[Any], Any]
) -> Iterator[tuple[tuple[Bound, ...], Term, Any]]:
    inside = source.source
    if isinstance(inside, Generator):
        run.refuse("a generator over a generator", "Write one generator with two conditions.")
    for each in elements(run, inside):
        with run.operand(each.bounds, each.present):
            kept = TRUE if source.test is None else condition(run, source.test(each.item))
            if kept is FALSE:
                continue
            with run.operand(kept):
                value = source.element(each.item)
                if source.nested:
                    for bounds, present, result in used(run, value, consume):
                        yield (*each.bounds, *bounds), and_(each.present, kept, present), result
                else:
                    yield each.bounds, and_(each.present, kept), consume(value)


# -- parameters -------------------------------------------------------------------------------------------------------
# The parameters of actions, for every choice of the bounds: arbitrary values, also none and sets.


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
    """An arbitrary value of a domain. Raises Untranslatable for a record."""
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
