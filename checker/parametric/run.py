"""One run of a rule: the path to where it stands, the guards it has passed, and how it can fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NoReturn

from epochal.spec.language import SourceLine

from .domains import Domain, Names, Numbers, PathEnds, Untranslatable
from .leaves import View
from .terms import FALSE, INT, TRUE, Bound, Term, add, and_, constant, exists, forall, implies, kind_of, variable


@dataclass(frozen=True)
class Guard:
    """A condition that must hold for the step to be taken, and its line."""

    condition: Term
    where: SourceLine | None


@dataclass(frozen=True)
class Failure:
    """A condition under which evaluation fails, what is then said, and the line."""

    condition: Term
    message: str
    where: SourceLine | None


class Run:
    """A run of the rule called `name`, which names the variables that it binds.

    `path` holds, in order, the conditions under which the present place is reached and the variables that stand for
    arbitrary elements there. `operands` counts the operands and comprehensions around it, `loops` the loops.
    """

    def __init__(self, name: str, written: View | None) -> None:
        self.name, self.written = name, written
        self.where: SourceLine | None = None
        self.path: list[Term | tuple[Bound, ...]] = []
        self.guards: list[Guard] = []
        self.failures: list[Failure] = []
        self.operands = self.loops = self._fresh = 0

    def refuse(self, what: str, advice: str) -> NoReturn:
        """Refuse a construct, at the line being run."""
        raise Untranslatable(what, advice, self.where)

    @property
    def rounds(self) -> tuple[Term, ...]:
        """The variables that stand for arbitrary elements here: what is done here is done for each of them."""
        return tuple(bound.variable for frame in self.path if isinstance(frame, tuple) for bound in frame)

    # -- paths ----------------------------------------------------------------------------------------------------

    @contextmanager
    def under(self, *frames: Term | tuple[Bound, ...]) -> Iterator[None]:
        """Go on where a condition is true, or for an arbitrary value of variables.

        Where the path ends there, go on after it, unless it certainly came there.
        """
        depth = len(self.path)
        self.path += frames
        try:
            yield
        except PathEnds:
            if all(frame is TRUE for frame in frames):
                raise
        finally:
            del self.path[depth:]

    @contextmanager
    def operand(self, *frames: Term | tuple[Bound, ...]) -> Iterator[None]:
        """The same, for what may have no effect: whether and in which order Python comes to it depends on the state."""
        self.operands += 1
        try:
            with self.under(*frames):
                yield
        finally:
            self.operands -= 1

    def _closed(self, inner: Term, close: Callable[[Sequence[Bound], Term], Term], join: Callable[..., Term]) -> Term:
        for frame in reversed(self.path):
            inner = close(frame, inner) if isinstance(frame, tuple) else join(frame, inner)
        return inner

    def require(self, condition: Term, word: str) -> None:
        """Add a guard. Raises PathEnds if it is false in every state."""
        if self.operands or self.loops:
            self.refuse(f"{word} inside a loop or a comprehension", f"Write {word}(all(...)) as a statement before it.")
        self.guards.append(Guard(self._closed(condition, forall, implies), self.where))
        if condition is FALSE:
            raise PathEnds

    def fail_if(self, bad: Term, message: str) -> None:
        """Record that evaluation fails here if `bad` is true. Raises PathEnds if it always is."""
        if bad is FALSE:
            return
        condition = and_(*(guard.condition for guard in self.guards), self._closed(bad, exists, and_))
        if condition is not FALSE:
            self.failures.append(Failure(condition, message, self.where))
        if bad is TRUE:
            raise PathEnds

    # -- variables ------------------------------------------------------------------------------------------------

    def fresh(self, hint: str, sort: str, kind: str = "") -> Term:
        """A variable that nothing else is called."""
        self._fresh += 1
        return variable(f"{self.name}.{hint}.{self._fresh}", sort, kind)

    def within(self, hint: str, low: Term, high: Term) -> Bound:
        """A variable for an integer from `low` to below `high`."""
        kinds = {*kind_of(low).split("+"), *kind_of(high).split("+")} - {""}
        return Bound(self.fresh(hint, INT, "+".join(sorted(kinds))), low, high)

    def any_of(self, domain: Domain, hint: str) -> Bound | None:
        """A variable for any value of a domain of numbers or identifiers; None of another."""
        if isinstance(domain, Names):
            return Bound(self.fresh(hint, domain.sort))
        if isinstance(domain, Numbers):
            return self.within(hint, domain.low, add(domain.high, constant(1)))
        return None
