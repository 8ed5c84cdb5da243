"""Readers and writers of one resource, in the order in which they have come.

Source: tlaplus/Examples, `ReadersWriters/MC`.
States:
    ReadersWriters(actors=3): 21527, depth 13
Awkward: the first entry of the queue is taken out by a comprehension over the others; the queue has a capacity.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Annotated

from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Log,
    Protocol,
    Set,
    Struct,
    action,
    bound,
    invariant,
    leads_to,
    reachable,
    require,
)


@dataclass(frozen=True)
class ActorBounds(Bounds):
    actors: int = bound(3, least=1, most=4, help="the number of actors")


Actor = Annotated[Identifier, Identifiers("p", ActorBounds.actors)]
Wish = enum.Enum("Wish", ["READ", "WRITE"])


class Waiting(Struct):
    """One place of the queue."""

    wish: Wish
    actor: Actor


class ReadersWriters(Protocol):
    """An actor queues for reading and for writing, once for each. Whoever is first is served if it can be.

    What happens again and again (`[]<>`) is a liveness property whose premise is always true. In place of the four of
    the original, `stops_again` says of reading and writing together that they end.
    """

    bounds: ActorBounds
    readers: Set[Actor]
    writers: Set[Actor]
    waiting: Annotated[Log[Waiting], Capacity(2 * ActorBounds.actors)]

    @action(by="actor", fair="weak", each=("actor", "wish"), says="{actor} queues: {wish}")
    def queue(self, actor: Actor, wish: Wish) -> None:
        place = Waiting(wish=wish, actor=actor)
        require(all(other != place for other in self.waiting))
        self.waiting.append(place)

    @action(fair="weak", each=(), says="the first of the queue is served")
    def serve(self) -> None:
        require(len(self.waiting) > 0 and self.writers == set())
        first = self.waiting[0]
        require(first.wish == Wish.READ or self.readers == set())
        if first.wish == Wish.READ:
            self.readers = self.readers | {first.actor}
        else:
            self.writers = self.writers | {first.actor}
        self.waiting = [self.waiting[i] for i in range(1, len(self.waiting))]

    @action(by="actor", fair="weak", each=(), says="{actor} is done")
    def stop(self, actor: Actor) -> None:
        require(actor in self.readers or actor in self.writers)
        if actor in self.readers:
            self.readers = self.readers - {actor}
        else:
            self.writers = self.writers - {actor}

    @invariant
    def safe(self) -> bool:
        """One writes alone, or any number read."""
        return len(self.writers) <= 1 and (self.writers == set() or self.readers == set())

    @reachable
    def all_read(self) -> bool:
        """All read together."""
        return len(self.readers) == self.bounds.actors

    @leads_to(fair=("queue", "serve", "stop"))
    def reads_again(self, actor: Actor) -> tuple[bool, bool]:
        """Each actor reads again and again."""
        return True, actor in self.readers

    @leads_to(fair=("queue", "serve", "stop"))
    def writes_again(self, actor: Actor) -> tuple[bool, bool]:
        """Each actor writes again and again."""
        return True, actor in self.writers

    @leads_to(fair=("queue", "serve", "stop"))
    def stops_again(self, actor: Actor) -> tuple[bool, bool]:
        """Nobody reads or writes for ever."""
        return actor in self.readers or actor in self.writers, actor not in self.readers and actor not in self.writers
