"""Loops that append: over a range that begins at the end of a log, one entry to it in each round.

The round of an offset finds the log ending there, writes the entry at the offset, and leaves it ending after it. So all
entries are defined at once, and after the loop the log ends where the range does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .leaves import END, Accesses, Leaf, View
from .run import Run
from .sources import Range
from .terms import Bound, Term, add, and_, constant, eq, ite, lt

INSTEAD = "Append one entry in each round of for offset in range(len(log), ...), with no condition."


@dataclass(frozen=True)
class Appended:
    """A log to which each round appends: the leaf of its end, at these arguments."""

    path: str
    arguments: tuple[Term, ...]

    def end_after(self, run: Run, bound: Bound, before: Leaf, inside: Leaf) -> Leaf:
        """Its end after the loop. Refuses a body that does anything else to it than to append once."""
        if inside(self.arguments) is not add(bound.variable, constant(1)):
            run.refuse(f"a loop that appends to {self.path.removesuffix(END)} in another way", INSTEAD)

        def leaf(arguments: Sequence[Term]) -> Term:
            old = before(arguments)
            here = and_(*(eq(a, b) for a, b in zip(arguments, self.arguments, strict=True)))
            return ite(and_(here, lt(bound.low, bound.high)), bound.high, old)

        return leaf


def appended(
    run: Run, source: object, element: Term, inside: Accesses, before: Mapping[str, Leaf], after: Mapping[str, Leaf]
) -> list[Appended]:
    """The logs that a round appends to, which are no log of its element alone. Refuses what cannot be read."""
    found: dict[str, Appended] = {}
    for path, arguments in inside.written:
        if path.endswith(END) and not any(element in argument.free for argument in arguments):
            one = Appended(path, arguments)
            begins = isinstance(source, Range) and not source.descending and source.low is before[path](arguments)
            once = after[path](arguments) is add(before[path](arguments), constant(1))
            if not begins or not once or found.setdefault(path, one) != one:
                run.refuse(f"a loop that changes the end of {path.removesuffix(END)}", INSTEAD)
    return list(found.values())


def at_the_end(view: View, logs: Sequence[Appended], element: Term) -> None:
    """Let each log end at the element, as the round of the element finds it."""
    for log in logs:
        view.leaves[log.path] = _ending(log, view.leaves[log.path], element)


def _ending(log: Appended, before: Leaf, element: Term) -> Leaf:
    def leaf(arguments: Sequence[Term]) -> Term:
        here = and_(*(eq(a, b) for a, b in zip(arguments, log.arguments, strict=True)))
        return ite(here, element, before(arguments))

    return leaf
