"""Protocols in which a run passes through a state where other rules fail: they are no reason to refuse the run."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from epochal.spec.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    Log,
    Map,
    Protocol,
    action,
    action_property,
    invariant,
    lemma,
    reachable,
    require,
)

Node = Annotated[Identifier, Identifiers("n", 2)]
Number = Annotated[int, Integers(0, 3)]


class Neighbours(Protocol):
    """Where the number is 2 a step leads to the violation, and another action cannot be evaluated."""

    name: ClassVar[str] = "neighbours"
    bounds: Bounds
    number: Number
    kept: Number
    log: Annotated[Log[Number], Capacity(1)]
    seen: Map[Node, bool]

    @action
    def grow(self, node: Node) -> None:
        """One more, seen by a node."""
        require(self.number < 3)
        self.number += 1
        self.seen[node] = True

    @action
    def note(self) -> None:
        """Keep the number in the log."""
        require(self.number == 0 and len(self.log) == 0)
        self.log.append(self.number)

    @action
    def read(self) -> None:
        """Fails where the log is empty."""
        require(self.number == 2)
        self.kept = self.log[0]

    @invariant
    def below_three(self) -> bool:
        """The number stays below three."""
        return self.number < 3

    @reachable
    def both_seen(self) -> bool:
        """Both nodes have seen a step."""
        return all(self.seen[n] for n in self.each(Node))


class FailingJudge(Neighbours):
    """Another property cannot be evaluated of the step that breaks one."""

    read = None  # type: ignore[assignment]  # none takes the action away

    @action_property
    def logged(self, new: Self) -> bool:
        """Fails where the number reaches three and the log is empty."""
        return new.number < 3 or new.log[0] == 0

    @action_property
    def stays_small(self, new: Self) -> bool:
        """The number stays below three."""
        return new.number < 3


class Supposed(Neighbours):
    """A lemma that a step breaks, from a state in which another rule fails."""

    @lemma
    def small(self) -> bool:
        """At most two."""
        return self.number <= 2
