"""`for` loops that change the state: the body is run once, for an arbitrary element, and changes all places at once.

That is what Python does if no round of the loop can see or undo what another one did: every leaf that the body changes
is changed at the element itself, and read in the body there only. In a loop over a range it may be at a fixed distance
from the element instead, and read where no earlier round has changed it: a shift. This is checked; any other loop is
refused, but for one that appends (`growing`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .growing import append_all, appended
from .leaves import Accesses, Leaf
from .run import Run
from .sources import Each, Generator, Range, Reversed, elements
from .terms import Term, add, and_, constant, ite, substitute
from .values import Unusable

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
