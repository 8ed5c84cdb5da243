"""A tiny protocol about what a window of past values needs of the parametric reading: shifts, and loops that append."""

from __future__ import annotations

from dataclasses import dataclass

from tests.zoo.rows import rows


@dataclass(frozen=True)
class Choices:
    """Constants that rules read."""

    strict: bool = True


PROTOCOLS = rows(
    globals(),
    "Protocol",
    """
    WindowBounds < Bounds: Small, and different from each other.
        nodes: int = bound(2, least=1, most=4, help="nodes")
        ages: int = bound(3, least=1, most=4, help="how far back the window goes")
        room: int = bound(2, least=1, most=4, help="entries of a log")
        def most(self) -> int:
            # A number that a rule asks the bounds for.
            return self.ages + self.room
    B = WindowBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Age = Annotated[int, Integers(0, B.ages)]
    Total = Annotated[int, Integers(0, B.ages + B.room)]
    Change < Struct: What is remembered of a change.
        by: Node | None
        members: Set[Node]
    Windows: A window of changes, in which the newest is at 0, and a log of what was taken from another.
        bounds: WindowBounds
        choices = Choices()
        window: Map[Age, Change]
        source: Annotated[Log[Node], Capacity(B.room)]
        copied: Annotated[Log[Node], Capacity(B.room)]
        seen: Set[Age]
        total: Total
        def initial(self, first: Node, others: Set[Node]) -> None:
            # Somebody has made the first change.
            self.window[0].by = first
            self.window[0].members = others
        action change(by: Node | None, members: Set[Node]): What was changed moves on by one, the oldest is forgotten.
            require(by is not None or members.isdisjoint(self.window[0].members))
            for age in reversed(range(self.bounds.ages)):
                self.window[age + 1] = self.window[age]
            self.window[0].by = by
            if by is not None and by not in members:
                members = members | {by}
            self.window[0].members = members
        action go_back: The other way round.
            for age in range(self.bounds.ages):
                self.window[age] = self.window[age + 1]
            require(self.choices.strict and self.total < self.bounds.most())
            self.total += 1
        action write(by: Node): A full log is no step.
            require(len(self.source) < self.bounds.room)
            self.source.append(by)
        action copy(end: Age): What is missing up to an end; it fails where there is nothing.
            for offset in range(len(self.copied), end):
                self.copied.append(self.source[offset])
        action see(least: Age): A set of numbers out of a domain.
            self.seen |= Set(age for age in self.each(Age) if age >= least and self.window[age].by is not None)
        action forget(age: Age | None): One, or none.
            self.seen = Set(one for one in self.seen if age is None or one != age)
        lemma seen_is_changed: A set of numbers, gone through, and asked for a member.
            return all(self.window[age].by is not None for age in self.seen) and (
                0 in self.seen or len(self.seen) < 2
            )
        lemma copies_agree: Two logs.
            return len(self.copied) <= len(self.source) and all(
                self.copied[offset] == self.source[offset] for offset in range(len(self.copied))
            )
    """,
)
Windows = PROTOCOLS["Windows"].kind
