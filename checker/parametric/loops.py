"""`for` loops that change the state: the body is run once, for an arbitrary element, and changes all places at once.

That is what Python does if no round of the loop can see or undo what another one did: every leaf that the body changes
is changed at the element itself, and read in the body there only. In a loop over a range it may be at a fixed distance
from the element instead, and read where no earlier round has changed it: a shift. This is checked; any other loop is
refused, but for one that appends (`growing`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .domains import END, Access, Accesses, Domain, Leaf, Names, Numbers, Optional, Sets, View
from .terms import (
    BOOL,
    FALSE,
    INT,
    TRUE,
    Bound,
    Symbol,
    Term,
    add,
    and_,
    apply,
    constant,
    implies,
    ite,
    le,
    lt,
    sub,
    substitute,
)
from .values import (
    LogPlace,
    MapPlace,
    Members,
    Named,
    Number,
    Perhaps,
    Run,
    Unusable,
    Value,
    arbitrary,
    condition,
    leaves_under,
    taken,
)

# -- sources ----------------------------------------------------------------------------------------------------------
# What rules go through: keys, sets, ranges, logs and generators, each as one arbitrary element or as known ones.


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


# -- growing ----------------------------------------------------------------------------------------------------------
# `for` loops in which each round appends one entry to a log: the log after them, position by position.
#
# Before the round of a number its log has grown by one entry for each number before. The body is run once under that
# assumption, for an arbitrary number, and must leave the log longer by one: so the assumption holds in every round, by
# induction. What no round may see is what another one wrote: who reads the log itself, but for its end, is refused.

APPEND_INSTEAD = "Append one entry in every round, and change nothing else in the loop."


def appended(inside: Accesses, element: Term) -> dict[str, tuple[Term, ...]]:
    """The logs to which rounds over numbers append, each at arguments that are the same in all of them."""
    if element.sort != INT:
        return {}
    return {
        path.removesuffix(END): arguments
        for path, arguments in inside.written
        if path.endswith(END) and not any(element in argument.free for argument in arguments)
    }


def append_all(
    run: Run, source: Any, each: Each, body: Callable[[Any], None], logs: Mapping[str, tuple[Term, ...]]
) -> None:
    """Run a loop over numbers that appends to these logs."""
    view = run.written
    assert view is not None
    if isinstance(source, Members | Reversed):  # a set has no order that anything may rest on
        run.refuse("a loop that appends, and does not go upwards", "Go through a range, from the first to the last.")
    if each.present is not TRUE:
        run.refuse("a loop that appends in some of its rounds", "Go through a range, and append in every round.")
    loops = [_Growing(view, each, path, arguments) for path, arguments in logs.items()]
    before, outside, view.accesses = dict(view.leaves), view.accesses, Accesses()
    for one in loops:
        view.set(one.path + END, one.arguments, one.position)
    view.accesses = Accesses()
    with run.under(each.bounds, each.present):
        body(each.item)
    inside, view.accesses = view.accesses, outside
    after, view.leaves = view.leaves, before
    for access in inside.read:
        for one in loops:
            if one.owns(access[0]) and access != (one.path + END, one.arguments):
                run.refuse(f"a loop that appends to {one.path}, and reads what it has there", APPEND_INSTEAD)
    for access in inside.written:
        if not any(one.writes(access) for one in loops):
            run.refuse(f"a loop that appends, and changes {access[0]} elsewhere", APPEND_INSTEAD)
    for one in loops:
        if after[one.path + END](one.arguments) is not add(one.position, constant(1)):
            run.refuse(f"a loop whose rounds append to {one.path} more or less than one entry", APPEND_INSTEAD)
    outside.read += inside.read
    for one in loops:
        one.grow(after)


class _Growing:
    """A log that grows by one entry in each round, the first of which is that of the number `low`."""

    def __init__(self, view: View, each: Each, path: str, arguments: tuple[Term, ...]) -> None:
        (bound,) = each.bounds
        self.view, self.path, self.arguments = view, path, arguments
        self.element, self.low, self.high = bound.variable, bound.low, bound.high
        self.start = view.leaves[path + END](arguments)
        self.many = len(arguments)
        self.position = self.element if self.low is self.start else add(self.start, sub(self.element, self.low))

    def owns(self, path: str) -> bool:
        """Whether a leaf is one of the log's."""
        return path in leaves_under(self.view, self.path)

    def writes(self, access: Access) -> bool:
        """Whether this is what an append writes: an entry at the end of the log, or where it ends."""
        path, arguments = access
        if path == self.path + END:
            return arguments == self.arguments
        return self.owns(path) and arguments[: self.many + 1] == (*self.arguments, self.position)

    def grow(self, after: Mapping[str, Leaf]) -> None:
        """Change the state: `after` are the leaves after the round of an arbitrary number."""
        end = add(self.start, sub(self.high, self.low))
        for path in leaves_under(self.view, self.path):
            if path != self.path + END:
                self.view.set(path, self.arguments, self._entries(after[path], self.view.leaves[path], end))
        self.view.set(self.path + END, self.arguments, ite(le(self.low, self.high), end, self.start))

    def _entries(self, new: Leaf, old: Leaf, end: Term) -> Leaf:
        def leaf(left: Sequence[Term]) -> Term:
            offset, *deeper = left
            number = offset if self.low is self.start else add(self.low, sub(offset, self.start))
            made = substitute(new((*self.arguments, self.position, *deeper)), {self.element: number})
            grown = and_(le(self.start, offset), lt(offset, end))
            return ite(grown, made, old((*self.arguments, offset, *deeper)))

        return leaf


INSTEAD = "Change in the loop only what is the element's own, or write a comprehension."


@dataclass(frozen=True)
class Position:
    """Where the rounds of a loop change a leaf: in which of its arguments, and how far from the element."""

    argument: int
    distance: int


def loop(
    run: Run, source: Any, body: Callable[[Any], None], get: Callable[[], Any], put: Callable[[Any], None]
) -> None:
    """Run a loop."""
    if isinstance(source, Generator):
        run.refuse("a for loop over a generator", "Go through its source, with an if in the body.")
    for each in elements(run, source):
        if each.bounds:
            _pointwise(run, source, each, body, get, put)
        else:
            body(each.item)


def _pointwise(
    run: Run, source: Any, each: Each, body: Callable[[Any], None], get: Callable[[], Any], put: Callable[[Any], None]
) -> None:
    view, (bound,) = run.written, each.bounds
    unset = Unusable(run, "a variable that a loop over the state assigns", "Use min, max, any or a comprehension.")
    many = len(get())
    put(tuple([unset] * many))
    run.loops += 1
    if view is None:
        with run.under(each.bounds, each.present):
            body(each.item)
    else:
        before, outside, view.accesses = dict(view.leaves), view.accesses, Accesses()
        failures = len(run.failures)
        with run.under(each.bounds, each.present):
            body(each.item)
        inside, view.accesses = view.accesses, outside
        if logs := appended(inside, bound.variable):
            view.leaves = dict(before)
            del run.failures[failures:]
            put(tuple([unset] * many))
            append_all(run, source, each, body, logs)
            inside, before = Accesses(), {}
        where = _positions(run, inside, bound.variable, source)
        outside.read += inside.read
        outside.written += inside.written
        for path, position in where.items():
            view.leaves[path] = _at_each(each, position, view.leaves[path], before[path])
        view.clock += 1
    run.loops -= 1
    put(tuple([unset] * many))


def _positions(run: Run, inside: Accesses, element: Term, source: Any) -> dict[str, Position]:
    """For each leaf that is written, where it is relative to the element. Refuses what rounds have in common."""
    found: dict[str, Position] = {}
    for path, arguments in inside.written:
        position = _position(arguments, element)
        shifted = position is not None and position.distance and not isinstance(source, Range | Reversed)
        if position is None or shifted or found.setdefault(path, position) != position:
            run.refuse(f"a loop that changes {path} elsewhere than at the element it is at", INSTEAD)
    for path, arguments in inside.read:
        if path in found and not _is_untouched(arguments, found[path], element, source):
            run.refuse(f"a loop that reads {path} elsewhere than at the element it is at, and changes it", INSTEAD)
    return found


def _position(arguments: Sequence[Term], element: Term) -> Position | None:
    """The first argument that is the element, or a fixed distance from it."""
    for number, argument in enumerate(arguments):
        distance = _distance(argument, element)
        if distance is not None:
            return Position(number, distance)
    return None


def _distance(term: Term, element: Term) -> int | None:
    if term is element:
        return 0
    if term.op == "add" and term.args[0] is element and term.args[1].op == "const":
        return int(term.args[1].value)
    return None


def _is_untouched(arguments: Sequence[Term], written: Position, element: Term, source: Any) -> bool:
    """Whether what is read is the element's own, or in a range what no earlier round has changed."""
    if len(arguments) <= written.argument:
        return False
    distance = _distance(arguments[written.argument], element)
    if distance is None:
        return False
    if isinstance(source, Range):
        return distance >= written.distance
    if isinstance(source, Reversed):
        return distance <= written.distance
    return distance == written.distance


def _at_each(each: Each, position: Position, new: Leaf, old: Leaf) -> Leaf:
    """A leaf after the loop: what the round of the element that changes it there makes of it, if there is such one."""
    (bound,) = each.bounds
    element, number, distance = bound.variable, position.argument, constant(position.distance)

    def leaf(arguments: Sequence[Term]) -> Term:
        here = arguments[number]
        place = add(element, distance) if position.distance else element
        mine = add(here, constant(-position.distance)) if position.distance else here
        changed = new([*arguments[:number], place, *arguments[number + 1 :]])
        inside = and_(bound.inside, each.present)
        return ite(substitute(inside, {element: mine}), substitute(changed, {element: mine}), old(arguments))

    return leaf
