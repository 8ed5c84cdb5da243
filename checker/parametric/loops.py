"""`for` loops that change the state: the body is run once, for an arbitrary element, and changes all places at once.

That is what Python does if no round of the loop can see or undo what another one did: every leaf that the body changes
is changed at the element itself, and read in the body there only. This is checked; any other loop is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .growing import append_all, appended
from .leaves import Access, Accesses, Leaf
from .run import Run
from .sources import Each, Generator, elements
from .terms import Bound, Term, and_, ite, substitute
from .values import Unusable

INSTEAD = "Change in the loop only what is the element's own, or write a comprehension."


def loop(
    run: Run, source: Any, body: Callable[[Any], None], get: Callable[[], Any], put: Callable[[Any], None]
) -> None:
    """Run a loop."""
    if isinstance(source, Generator):
        run.refuse("a for loop over a generator", "Go through its source, with an if in the body.")
    for each in elements(run, source):
        if each.bounds:
            _pointwise(run, each, body, get, put)
        else:
            body(each.item)


def _pointwise(
    run: Run, each: Each, body: Callable[[Any], None], get: Callable[[], Any], put: Callable[[Any], None]
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
            append_all(run, each, body, logs)
            inside, before = Accesses(), {}
        where = _positions(run, inside, bound.variable)
        outside.read += inside.read
        outside.written += inside.written
        for path, position in where.items():
            view.leaves[path] = _at_each(bound, each.present, position, view.leaves[path], before[path])
        view.clock += 1
    run.loops -= 1
    put(tuple([unset] * many))


def _positions(run: Run, inside: Accesses, element: Term) -> dict[str, int]:
    """For each leaf that is written, which of its arguments is the element. Refuses what rounds have in common."""
    found: dict[str, int] = {}
    for path, arguments in inside.written:
        position = next((i for i, argument in enumerate(arguments) if argument is element), None)
        if position is None or found.setdefault(path, position) != position:
            run.refuse(f"a loop that changes {path} elsewhere than at the element it is at", INSTEAD)
    for path, arguments in inside.read:
        if path in found and not _is_at((path, arguments), found[path], element):
            run.refuse(f"a loop that reads {path} elsewhere than at the element it is at, and changes it", INSTEAD)
    return found


def _is_at(access: Access, position: int, element: Term) -> bool:
    return len(access[1]) > position and access[1][position] is element


def _at_each(bound: Bound, present: Term, position: int, new: Leaf, old: Leaf) -> Leaf:
    """A leaf after the loop: what the round of the element at that position makes of it, if there is such a round."""
    element = bound.variable

    def leaf(arguments: Sequence[Term]) -> Term:
        at = arguments[position]
        changed = new([*arguments[:position], element, *arguments[position + 1 :]])
        here = and_(bound.inside, present)
        return ite(substitute(here, {element: at}), substitute(changed, {element: at}), old(arguments))

    return leaf
