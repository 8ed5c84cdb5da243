"""What rules go through: keys, sets, ranges, logs, lists and generators, as what TLA+ quantifies over.

An element is one that a variable stands for, in a set, or one that is known; each under a condition.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import terms
from .kinds import NOTHING, Kind, Limits
from .terms import FALSE, TRUE, Term
from .values import (
    LogValue,
    MapValue,
    Run,
    SetValue,
    Sum,
    Unset,
    Value,
    condition,
    hint_for,
    joined_all,
    kind_of,
    lifted,
    number,
    of_term,
    taken,
)


class Range:
    """The integers from `low` to below `high`."""

    def __init__(self, run: Run, low: Term, high: Term) -> None:
        self.run, self.low, self.high = run, low, high

    @property
    def term(self) -> Term:
        """The set of them."""
        return terms.interval(self.low, terms.add(self.high, terms.integer(-1)))


@dataclass(frozen=True)
class Universe:
    """All values of a domain: `self.each(D)`."""

    kind: Kind


class Generator:
    """A generator expression, which is evaluated when it is used; of a log it takes the entries when it is made."""

    def __init__(self, run: Run, source: Any, test: Any, element: Any, nested: bool) -> None:
        self.source = taken(run, source)
        self.test, self.element, self.nested = test, element, nested


@dataclass(frozen=True)
class Pieces:
    """A list or an iterator whose length depends on the state: its elements in order."""

    each: tuple[Each, ...]

    def __add__(self, other: object) -> Pieces:
        return Pieces((*self.each, *_listed(other))) if isinstance(other, LISTS) else NotImplemented

    def __radd__(self, other: object) -> Pieces:
        return Pieces((*_listed(other), *self.each)) if isinstance(other, LISTS) else NotImplemented


@dataclass(frozen=True)
class LoopLevel:
    """A variable that stands for an element of a set, and a condition; no variable if the element is known.

    `order` is how the elements come: `up` or `down` for numbers, a sequence for identifiers, None where unknown.
    """

    variable: Term | None
    domain: Term
    condition: Term
    order: Any = None


@dataclass(frozen=True)
class Each:
    """The elements of a source that some variables stand for."""

    levels: tuple[LoopLevel, ...]
    item: Any


def _known(value: Pieces | list[Any]) -> list[Each]:
    return list(value.each) if isinstance(value, Pieces) else [Each((), one) for one in value]


LISTS = (Pieces, LogValue, list)
"""What can be added to a list."""


def _listed(value: Any) -> list[Each]:
    return elements(value.run, value) if isinstance(value, LogValue) else _known(value)


def _variable(run: Run, hint: str, domain: Term, order: Any) -> tuple[Term, LoopLevel]:
    variable = terms.bound(hint)
    if order in ("up", "down"):
        run.domains.limits_of[variable] = Limits(run.domains)(domain)
    return variable, LoopLevel(variable, domain, TRUE, order)


def _of_domain(run: Run, kind: Kind, hint: str = "") -> Each:
    if kind.domain is None:
        run.refuse("going through a domain that TLA+ does not name")
    variable, level = _variable(run, hint or hint_for(kind), kind.domain.term, _order(run, kind))
    return Each((level,), of_term(run, kind, variable))


def _order(run: Run, kind: Kind) -> Any:
    """How the values of a kind are ordered by their domain."""
    return {"int": "up", "id": kind, "enum": kind, "bool": kind}.get(kind.family)


def elements(run: Run, source: Any, backwards: bool = False, hint: str = "") -> list[Each]:
    """The elements of anything but a generator; `hint` is how the rule calls them."""
    up = "down" if backwards else "up"
    if isinstance(source, Unset):
        source.refuse()
    if isinstance(source, Pieces):
        return list(source.each)
    if isinstance(source, MapValue):
        return [_of_domain(run, source.keys_of, hint)]
    if isinstance(source, Universe):
        return [_of_domain(run, source.kind, hint)]
    if isinstance(source, SetValue):
        if source.kind.element == NOTHING:
            return []
        element = source.kind.element
        variable, level = _variable(run, hint or hint_for(element), source.term, _order(run, element))
        return [Each((level,), of_term(run, element, variable))]
    if isinstance(source, Range):
        variable, level = _variable(run, hint or "i", source.term, up)
        return [Each((level,), number(run, variable))]
    if isinstance(source, Sum):
        source.refuse()
    if isinstance(source, LogValue):
        if source.kind.element == NOTHING:
            return []
        term = source.term
        if term.op == "seq":
            known = [of_term(run, source.kind.element, one) for one in term.args]
            return [Each((), one) for one in (reversed(known) if backwards else known)]
        variable, level = _variable(run, "i", terms.made("domain", (term,)), up)
        return [Each((level,), of_term(run, source.kind.element, terms.read(term, [("[]", variable)])))]
    if isinstance(source, type) and issubclass(source, enum.Enum):
        return [Each((), one) for one in source]
    if isinstance(source, Value | type):
        run.refuse(f"going through {getattr(source, 'kind', source)}")
    return [Each((), one) for one in source]


def used(run: Run, source: Any, consume: Callable[[Any], Any]) -> list[Each]:
    """What `consume` makes of each element."""
    if not isinstance(source, Generator):
        return [Each(each.levels, consume(each.item)) for each in elements(run, source)]
    return list(_generated(run, source, consume))


def _generated(run: Run, source: Generator, consume: Callable[[Any], Any]) -> Iterator[Each]:
    inside = source.source
    if isinstance(inside, Generator):
        around = used(run, inside, lambda one: one)
    else:
        around = elements(run, inside, hint=_called(source.element))
    for each in around:
        kept = TRUE if source.test is None else condition(run, source.test(each.item))
        if kept is FALSE:
            continue
        levels = each.levels
        if kept is not TRUE:
            levels = (*levels[:-1], _with(levels[-1], kept)) if levels else (LoopLevel(None, TRUE, kept),)
        value = source.element(each.item)
        if not source.nested:
            yield Each(levels, consume(value))
            continue
        for inner in used(run, value, consume):
            yield Each((*levels, *inner.levels), inner.item)


def _called(element: Any) -> str:
    """How a comprehension calls its elements; "" if it takes them apart."""
    name: str = element.__code__.co_varnames[0]
    return name if name.isidentifier() and name.isascii() and not name.startswith("_") else ""


def _with(level: LoopLevel, kept: Term) -> LoopLevel:
    return LoopLevel(level.variable, level.domain, terms.and_(level.condition, kept), level.order)


# -- what is made of all elements -------------------------------------------------------------------------------------


def every(found: list[Each]) -> Term:
    """That all elements, which are conditions, are true."""
    return terms.and_(*(_quantified("forall", each, terms.implies) for each in found))


def some(found: list[Each]) -> Term:
    """That one of them is true."""
    return terms.or_(*(_quantified("exists", each, terms.and_) for each in found))


def _quantified(op: str, each: Each, with_condition: Callable[[Term, Term], Term]) -> Term:
    body: Term = each.item
    for level in reversed(each.levels):
        body = with_condition(level.condition, body)
        if level.variable is not None:
            body = terms.quantified(op, level.variable, level.domain, body)
    return body


def there(found: list[Each]) -> Term:
    """That there is an element at all."""
    return some([Each(each.levels, TRUE) for each in found])


def as_set(found: list[Each]) -> Term:
    """The set of all elements, which are terms."""
    whole = terms.EMPTY
    for each in found:
        whole = terms.union(whole, _set(each.levels, each.item))
    return whole


def _set(levels: tuple[LoopLevel, ...], item: Term) -> Term:
    if not levels:
        return terms.set_of([item])
    level, rest = levels[0], levels[1:]
    inner = _set(rest, item)
    if level.variable is None:
        return terms.ite(level.condition, inner, terms.EMPTY)
    domain = terms.filtered(level.variable, level.domain, level.condition)
    if not rest:
        return terms.mapped(level.variable, domain, item)
    return terms.union_of(terms.mapped(level.variable, domain, inner))


def total(found: list[Each]) -> Term:
    """The sum of all elements, which are numbers."""
    whole = terms.integer(0)
    for each in found:
        whole = terms.add(whole, _total(each.levels, each.item))
    return whole


def _total(levels: tuple[LoopLevel, ...], item: Term) -> Term:
    if not levels:
        return item
    level, rest = levels[0], levels[1:]
    inner = _total(rest, item)
    if level.variable is None:
        return terms.ite(level.condition, inner, terms.integer(0))
    domain = terms.filtered(level.variable, level.domain, level.condition)
    if inner.op == "int":
        return terms.arithmetic("mul", terms.call("Cardinality", domain), inner)
    return terms.call("Sum", terms.function(level.variable, domain, inner))


def first(run: Run, found: list[Each], otherwise: Any, join: Callable[[Term, Any, Any], Any]) -> Any:
    """The first element, else something else."""
    result = otherwise
    for each in reversed(found):
        result = _first(run, each.levels, each.item, result, join)
    return result


def _first(
    run: Run, levels: tuple[LoopLevel, ...], item: Any, otherwise: Any, join: Callable[[Term, Any, Any], Any]
) -> Any:
    if not levels:
        return item
    level, rest = levels[0], levels[1:]
    if level.variable is None:
        return join(level.condition, _first(run, rest, item, otherwise, join), otherwise)
    inside = there([Each(rest, item)])
    suitable = terms.filtered(level.variable, level.domain, terms.and_(level.condition, inside))
    exists = terms.not_(terms.eq(suitable, terms.EMPTY))
    exists = terms.quantified("exists", level.variable, level.domain, terms.and_(level.condition, inside))
    chosen = least(run, suitable, level.order)
    picked = terms.bound(level.variable.value.hint)
    inner = _substituted(run, _first(run, rest, item, otherwise, join), level.variable, picked)
    return join(exists, _let(run, picked, chosen, inner), otherwise)


def least(run: Run, of: Term, order: Any) -> Term:
    """The element of a set that comes first."""
    if order in ("up", "down"):
        return terms.call("Min" if order == "up" else "Max", of)
    if isinstance(order, Kind):
        sequence, index = order_of(run, order), terms.bound("i")
        inside = terms.filtered(
            index, terms.made("domain", (sequence,)), terms.member(terms.made("index", (sequence, index)), of)
        )
        return terms.made("index", (sequence, terms.call("Min", inside)))
    run.refuse("the first of values whose order TLA+ does not have", "Choose by numbers or identifiers.")


def order_of(run: Run, kind: Kind) -> Term:
    """The values of a kind in the order of their domain."""
    if kind.family == "id":
        return run.domains.order(kind.of)
    if kind.family == "enum":
        return terms.sequence([lifted(run, one) for one in kind.of])
    return terms.sequence([terms.FALSE, TRUE])


def _substituted(run: Run, value: Any, old: Term, new: Term) -> Any:
    return _changed(run, value, lambda term: terms.substitute(term, {old: new}))


def _let(run: Run, variable: Term, chosen: Term, value: Any) -> Any:
    return _changed(run, value, lambda term: terms.let(variable, chosen, term))


def _changed(run: Run, value: Any, change: Callable[[Term], Term]) -> Any:
    if isinstance(value, tuple):
        return tuple(_changed(run, one, change) for one in value)
    return of_term(run, value.kind, change(taken(run, value).term)) if isinstance(value, Value) else value


def as_sequence(run: Run, found: list[Each]) -> LogValue:
    """All elements, which are values, in their order."""
    kind = joined_all(run, [kind_of(run, each.item) for each in found])
    whole = terms.sequence(())
    for each in found:
        part = _sequence(run, each.levels, lifted(run, each.item, kind if kind != NOTHING else None))
        whole = terms.concat(whole, part)
    return LogValue(run, Kind("log", None, (kind,)), whole)


def _sequence(run: Run, levels: tuple[LoopLevel, ...], item: Term) -> Term:
    if not levels:
        return terms.sequence([item])
    level, rest = levels[0], levels[1:]
    if level.variable is None:
        return terms.ite(level.condition, _sequence(run, rest, item), terms.sequence(()))
    if rest:
        run.refuse("a list made in two nested loops over the state", "Make a set, or say it with any and all.")
    if level.domain.op == "domain" and level.order == "up" and level.condition is TRUE:
        (log,) = level.domain.args
        if item is terms.read(log, [("[]", level.variable)]):
            return log
    whole = in_order(run, level)
    if level.condition is not TRUE:
        whole = terms.made("select", (level.variable, whole, level.condition))
    if item is level.variable:
        return whole
    at = terms.bound("i")
    index = terms.made("index", (whole, at))
    return terms.function(at, terms.made("domain", (whole,)), terms.substitute(item, {level.variable: index}))


def in_order(run: Run, level: LoopLevel) -> Term:
    """The sequence of the elements of a level's set."""
    if level.domain.op == "domain":
        length = terms.length(level.domain.args[0])
        low, high = terms.integer(1), length
    elif level.domain.op == "range":
        low, high = level.domain.args
    elif isinstance(level.order, Kind):
        sequence = order_of(run, level.order)
        variable = terms.bound("x")
        return terms.made("select", (variable, sequence, terms.member(variable, level.domain)))
    elif level.order == "up":
        return terms.call("Sorted", level.domain)
    else:
        run.refuse("a list of values whose order TLA+ does not have")
    at = terms.bound("i")
    count = terms.add(terms.sub(high, low), terms.integer(1))
    start = (
        terms.sub(terms.add(high, terms.integer(1)), at)
        if level.order == "down"
        else terms.add(terms.sub(low, terms.integer(1)), at)
    )
    return terms.function(at, terms.interval(terms.integer(1), count), start)


# -- what is known of the elements ------------------------------------------------------------------------------------


def unrolled(run: Run, each: Each) -> list[tuple[Term, Any]]:
    """Each element that there can be, with the condition that it is there, in order."""
    found = [(TRUE, each.item)]
    for level in each.levels:
        following = []
        for present, item in found:
            if level.variable is None:
                following.append((terms.and_(present, level.condition), item))
                continue
            for value in _possible(run, level):
                by = {level.variable: value}
                inside = (
                    TRUE if level.domain.op == "name" and level.order != "up" else terms.member(value, level.domain)
                )
                if level.domain.op in ("range", "domain"):
                    inside = _between(value, level.domain)
                kept = terms.substitute(terms.and_(inside, level.condition), by)
                following.append((terms.and_(present, kept), _changed(run, item, partial(terms.substitute, by=by))))
        found = [(present, item) for present, item in following if present is not FALSE]
    return found


def _between(value: Term, domain: Term) -> Term:
    if domain.op == "domain":
        return terms.compare("le", value, terms.length(domain.args[0]))
    low, high = domain.args
    return terms.and_(terms.compare("le", low, value), terms.compare("le", value, high))


def _possible(run: Run, level: LoopLevel) -> list[Term]:
    """The values that a variable may have within the bounds."""
    if isinstance(level.order, Kind):
        named = [one for one in run.domains.constants.values() if level.domain is terms.name(one.name)]
        if named:
            return [terms.name(member) for member in named[0].members]
        return list(order_of(run, level.order).args)
    if level.order in ("up", "down"):
        low, high = possible_range(run, level.domain)
        values = [terms.integer(value) for value in range(low, high + 1)]
        return values if level.order == "up" else values[::-1]
    run.refuse("a loop over values whose order TLA+ does not have")


def possible_range(run: Run, domain: Term) -> tuple[int, int]:
    """Limits of the numbers of a set within the bounds, which the module then assumes."""
    low, high = Limits(run.domains)(domain)
    if low is None or high is None:
        run.refuse(
            "a loop over numbers whose limits are not known", "Go through a range between variables, or a domain."
        )
    run.domains.assumed.update(run.domains.bounds.values())
    return low, high
