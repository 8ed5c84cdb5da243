"""`for` loops in which each round appends one entry to a log: the log after them, position by position.

Before the round of a number its log has grown by one entry for each number before. The body is run once under that
assumption, for an arbitrary number, and must leave the log longer by one: so the assumption holds in every round, by
induction. What no round may see is what another one wrote: who reads the log itself, but for its end, is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .leaves import END, Access, Accesses, Leaf, View
from .places import leaves_under
from .run import Run
from .sources import Each, Reversed
from .terms import INT, TRUE, Term, add, and_, constant, ite, le, lt, sub, substitute
from .values import Members

INSTEAD = "Append one entry in every round, and change nothing else in the loop."


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
                run.refuse(f"a loop that appends to {one.path}, and reads what it has there", INSTEAD)
    for access in inside.written:
        if not any(one.writes(access) for one in loops):
            run.refuse(f"a loop that appends, and changes {access[0]} elsewhere", INSTEAD)
    for one in loops:
        if after[one.path + END](one.arguments) is not add(one.position, constant(1)):
            run.refuse(f"a loop whose rounds append to {one.path} more or less than one entry", INSTEAD)
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
