"""One symbolic run of a rule: its state as expressions, its guards, the path it is on, and where it may fail."""

from __future__ import annotations

import traceback
import typing
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any

from epochal.spec.language import EvaluationError, LanguageError, SourceLine
from epochal.spec.language.domains import Domain
from epochal.spec.language.protocol import Protocol

from ..ir.expression import Expression
from ..ir.graph import Graph, refuted
from ..ir.layout import leaf_expressions
from ..ir.model import Failure, Guard

# -- history ----------------------------------------------------------------------------------------------------------
# What has changed in a state while a rule is read: whether a value taken before is still what Python would see.


@dataclass(frozen=True)
class Change:
    """A change of the leaves `first` up to `end`, at a time of the history's clock.

    `whole` if a record, map or log was replaced there, which is nested in `depth` others, and not a part of it;
    `certain` if that happens on every path to where the run stands.
    """

    time: int
    first: int
    end: int
    depth: int
    whole: bool
    certain: bool

    def uncertain(self) -> Change:
        """The same, on some path only."""
        return replace(self, certain=False) if self.certain else self

    def replaces(self, first: int, end: int, depth: int) -> bool:
        """Whether what is made of these leaves was replaced with all that it is nested in from some depth on."""
        covers = self.first <= first and end <= self.end
        return self.whole and covers and (self.depth <= depth or (self.first, self.end) != (first, end))

    def touches(self, first: int, end: int) -> bool:
        """Whether any of these leaves was changed."""
        return self.first < end and first < self.end


class History:
    """The changes of one state, in the order of their times; `replaced` are those of whole records, maps and logs."""

    def __init__(self) -> None:
        self.clock = 0
        self.changes: list[Change] = []
        self.replaced: list[Change] = []

    def note(self, starts: Iterable[int], size: int, depth: int, whole: bool, certain: bool) -> None:
        """Something of this size and depth changes now, at one of these leaves."""
        self.clock += 1
        found = [Change(self.clock, at, at + size, depth, whole, certain) for at in starts]
        self.changes += found
        if whole:
            self.replaced += found

    def was_replaced(self, since: int, first: int, end: int, depth: int) -> bool:
        """Whether a value at these leaves may have been replaced since a time: what was read then left the state."""
        return any(change.time > since and change.replaces(first, end, depth) for change in self.replaced)

    def was_changed(self, since: int, first: int, end: int, depth: int) -> bool:
        """Whether a part of a value at these leaves may have changed since a time, while the value was in the state."""
        for change in self.changes:
            if change.time > since and change.touches(first, end):
                if not change.replaces(first, end, depth):
                    return True
                if change.certain:
                    return False
        return False

    def mark(self) -> tuple[int, int]:
        """How much has happened so far."""
        return len(self.changes), len(self.replaced)

    def taken_back(self, mark: tuple[int, int]) -> History:
        """Forget what has happened since a mark; it is returned."""
        later = History()
        later.changes, later.replaced = self.changes[mark[0] :], self.replaced[mark[1] :]
        del self.changes[mark[0] :], self.replaced[mark[1] :]
        return later

    def join(self, other: History, mark: tuple[int, int], certain: bool = False) -> None:
        """Take in what happened on another path since a mark: nothing of it is certain, if there are two paths."""
        both = [*other.changes, *self.changes[mark[0] :]]
        self.changes[mark[0] :] = both if certain else [one.uncertain() for one in both]
        self.replaced[mark[1] :] = [*other.replaced, *self.replaced[mark[1] :]]


UNCHANGED = ("a parameter cannot be changed in place", "Assign it to a variable of the state, and change that.")
"""Of values that Python refuses to change in these words."""

ROUND_LIMIT = 100_000
"""How often all loops of one rule may go round while it is compiled: many times what any rule needs."""


COMPUTATION = (ArithmeticError, LookupError, ValueError)
FAILED = (*COMPUTATION, EvaluationError)
COMPUTING = frozenset(
    {
        *("modulo", "product", "power", "shifted", "_enter", "_range", "contains", "item", "cut_out", "_sorted"),
        *("less", "less_equal", "greater", "greater_equal"),
    }
)
"""The functions of the compiler that compute with known values in Python's own way."""
HERE = str(Path(__file__).parent)


def _of_rule(error: BaseException) -> bool:
    """Whether Python's own computing failed for a rule, and not the compiler."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return frame.name in COMPUTING or not frame.filename.startswith(HERE)


@dataclass(frozen=True)
class Stop:
    """A `bounded` that was met: what is known where it stands, and its condition."""

    known: tuple[Expression, ...]
    condition: Expression


class PathEnds(Exception):
    """In every state, the path being run ends here: a guard on it is false, or its evaluation fails."""


class View:
    """A state as expressions, one for the code of each leaf, and what has changed in it so far.

    Two views may share leaves and history, of which one can be written.
    """

    def __init__(self, leaves: list[Expression], writable: bool, history: History | None = None) -> None:
        self.leaves = leaves
        self.writable = writable
        self.history = history if history is not None else History()

    def copy(self) -> list[Expression]:
        """The leaves as they are now."""
        return list(self.leaves)

    def read_only(self) -> View:
        """The same state, which cannot be written through what is returned."""
        return View(self.leaves, False, self.history)


class Fixed(View):
    """Values beside the state, of which nobody changes any."""

    def __init__(self, leaves: list[Expression]) -> None:
        super().__init__(leaves, writable=False)


class Place:
    """Where a value lies in a view: its first leaf, or several alternatives of which one condition is true.

    `depth` tells in how many values of the state it is nested. A place never changes.
    """

    __slots__ = ("alternatives", "depth", "domain", "view")

    def __init__(
        self, view: View, domain: Domain, alternatives: tuple[tuple[Expression, int], ...], depth: int = 0
    ) -> None:
        self.view = view
        self.domain = domain
        self.alternatives = alternatives
        self.depth = depth

    def child(self, domain: Domain, offset: int) -> Place:
        """The place of a part that begins `offset` leaves further on."""
        if len(self.alternatives) == 1:
            condition, at = self.alternatives[0]
            return Place(self.view, domain, ((condition, at + offset),), self.depth + 1)
        return Place(self.view, domain, tuple((c, at + offset) for c, at in self.alternatives), self.depth + 1)

    def note_change(self, whole: bool) -> None:
        """Note that what lies here is being changed: as a whole, or a part of it."""
        starts = [at for _, at in self.alternatives]
        self.view.history.note(starts, self.domain.leaf_count, self.depth, whole, len(starts) == 1)

    def was_replaced(self, since: int) -> bool:
        """Whether what lay here at a time of the view's clock may have been replaced as a whole."""
        history, size = self.view.history, self.domain.leaf_count
        return any(history.was_replaced(since, at, at + size, self.depth) for _, at in self.alternatives)

    def was_changed(self, since: int) -> bool:
        """Whether a part of what lay here at a time of the view's clock may have changed before it was replaced."""
        history, size = self.view.history, self.domain.leaf_count
        return any(history.was_changed(since, at, at + size, self.depth) for _, at in self.alternatives)


class Pairs(typing.Protocol):
    """What two values give together in one run: `values.pairs` has the rules, and values reach them through the run."""

    def equal(self, a: Any, b: Any) -> Expression:
        """Whether two values are equal."""

    def join(self, condition: Expression, a: Any, b: Any) -> Any:
        """The value that is `a` where the condition is true and `b` elsewhere."""

    def settled(self, value: Any) -> Any:
        """A set over the smallest universe that certainly holds its elements."""

    def union(self, a: Any, b: Any) -> Any:
        """Members of either set."""

    def intersection(self, a: Any, b: Any) -> Any:
        """Members of both sets."""

    def difference(self, a: Any, b: Any) -> Any:
        """Members of the first set that are not in the second."""

    def subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first set is in the second."""

    def proper_subset(self, a: Any, b: Any) -> Expression:
        """Whether every member of the first set is in the second, which has more."""

    def disjoint(self, a: Any, b: Any) -> Expression:
        """Whether two sets have no common member."""


class Execution:
    """The symbolic run of one rule of a protocol.

    `path` holds the conditions of the branches being run; `guards` the `require`s met so far; `failures` the conditions
    under which evaluation fails that could not be refuted by intervals; `stops` the `bounded`s. `writing` says that the
    rule may change the state: it is an action, or the initial one. `pairs` makes what decides what two values give
    together.
    """

    def __init__(self, graph: Graph, protocol: Protocol, pairs: Callable[[Execution], Pairs]) -> None:
        self.graph = graph
        self.protocol = protocol
        self.pairs = pairs(self)
        self.path: list[Expression] = []
        self.guards: list[Guard] = []
        self.failures: list[Failure] = []
        self.stops: list[Stop] = []
        self.assumed: list[Expression] = []
        self.operands = 0
        self.writing = False
        self._rounds = 0

    @property
    def where(self) -> SourceLine | None:
        """The line being run."""
        return self.graph.table.where

    # -- control --------------------------------------------------------------------------------------------------

    def under(self, condition: Expression) -> AbstractContextManager[None]:
        """Run what follows on the path where `condition` is true. If that path ends, go on after it.

        Other exceptions leave `path` as it was where they were raised.
        """
        return _Under(self, condition)

    def failed(self, error: Exception) -> None:
        """Python failed to compute with known values here, and so fails in every run that comes here: the path ends."""
        if isinstance(error, EvaluationError):  # of a map or a log that is a parameter
            self.fail_if(self.graph.true, error.message)
        if not _of_rule(error):
            raise error
        self.fail_if(self.graph.true, f"{type(error).__name__}: {error}")

    def operand(self, condition: Expression) -> AbstractContextManager[None]:
        """Evaluate an operand or an element of a comprehension, which happens only where `condition` is true.

        It may not have effects: whether Python comes to it depends on the state.
        """
        return _Operand(self, condition)

    def one_round(self) -> None:
        """Count a round of a loop. Raises LanguageError if loops of this rule have gone round too often to end."""
        self._rounds += 1
        if self._rounds > ROUND_LIMIT:
            raise self.error(
                f"the loops of this rule go round more than {ROUND_LIMIT:,} times, if they end at all",
                "Write a for loop over a finite domain or a range.",
            )

    def require(self, condition: Expression, word: str = "require") -> None:
        """Add a guard, which matters only on the present path. Raises PathEnds if it is false in every state."""
        if self.operands:
            raise self.error(
                f"{word} stands inside an operand or a comprehension", f"Write {word}(...) as a statement of its own."
            )
        if word == "bounded" and condition is not self.graph.true:
            self.stops.append(Stop(self.known(), condition))
        on_path = self.graph.implies(self.graph.all_of(self.path), condition)
        if on_path is not self.graph.true:
            self.guards.append(Guard(on_path, self.where))
        if condition is self.graph.false:
            raise PathEnds

    def present(self) -> Expression:
        """What is known where the run stands: guards passed, branches taken, failures that did not happen."""
        return self.graph.all_of(self.known())

    def known(self) -> tuple[Expression, ...]:
        """The same, one by one."""
        return (*(g.condition for g in self.guards), *self.path, *self.assumed)

    def fail_if(self, bad: Expression, message: str) -> None:
        """Record that evaluation fails here if `bad` is true, unless that is impossible.

        Raises PathEnds if it fails in every state.
        """
        if bad is self.graph.false:
            return
        if bad is not self.graph.true and self.path and refuted(self.graph.and_(self.path[-1], bad)):
            return
        condition = self.graph.and_(self.present(), bad)
        possible = not refuted(condition)
        if possible:
            self.failures.append(Failure(condition, message, self.where))
        if bad is self.graph.true:
            raise PathEnds
        if possible:
            on_path = self.graph.implies(self.graph.all_of(self.path), self.graph.not_(bad))
            self.assumed.append(on_path)

    def error(self, message: str, advice: str) -> LanguageError:
        """A LanguageError at the line being run: what is wrong, and what to write instead."""
        return LanguageError(message, self.where, advice)

    # -- state ----------------------------------------------------------------------------------------------------

    def read_leaf(self, place: Place, offset: int = 0) -> Expression:
        """The code of one leaf of a place."""
        *others, (_, last) = place.alternatives
        value = place.view.leaves[last + offset]
        for condition, at in reversed(others):
            value = self.graph.ite(condition, place.view.leaves[at + offset], value)
        return value

    def write_leaf(self, place: Place, offset: int, code: Expression) -> None:
        """Set the code of one leaf of a place."""
        if not place.view.writable:
            if isinstance(place.view, Fixed):
                raise self.error(*UNCHANGED)
            if self.writing:
                raise self.error("a state that seen_as gave is changed", "Let a step of it do that, by attempt(...).")
            raise self.error(
                "a property changes the state", "Only actions may assign; properties return true or false."
            )
        if self.operands:
            raise self.error(
                "the state is changed inside an operand or a comprehension",
                "Assign in a statement of its own, under an if or in a for loop.",
            )
        for condition, at in place.alternatives:
            old = place.view.leaves[at + offset]
            place.view.leaves[at + offset] = self.graph.ite(condition, code, old)


class _Under:
    """The path where a condition is true. A class, since rules go down tens of thousands of paths: see `under`."""

    __slots__ = ("condition", "depth", "execution")

    def __init__(self, execution: Execution, condition: Expression) -> None:
        self.execution, self.condition = execution, condition

    def __enter__(self) -> None:
        path = self.execution.path
        self.depth = len(path)
        path.append(self.condition)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        execution = self.execution
        if error is not None:
            everywhere = self.condition is execution.graph.true
            if isinstance(error, FAILED):
                try:
                    execution.failed(error)
                except PathEnds:
                    if everywhere:
                        raise
            elif everywhere or not isinstance(error, PathEnds):
                return False
        del execution.path[self.depth :]
        return True


class _Operand(_Under):
    """The path of an operand: see `operand`."""

    __slots__ = ()

    def __enter__(self) -> None:
        self.execution.operands += 1
        super().__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        try:
            return super().__exit__(kind, error, trace)
        finally:
            self.execution.operands -= 1


def field_view(graph: Graph, protocol: Protocol, first: int = 0) -> View:
    """The view of an arbitrary typed state: every leaf is a field, numbered from `first`."""
    return View(leaf_expressions(graph, protocol, first), writable=False)
