"""A counter that several workers increment: two that read the same number lose an increment, unless they lock."""

from dataclasses import dataclass
from typing import Annotated

import epochal
from epochal.language import Bounds, Identifier, Identifiers, Integers, Map, Protocol, action, bound, invariant, require


@dataclass(frozen=True)
class CounterBounds(Bounds):
    workers: int = bound(3, least=1, most=5, help="the number of workers")


Worker = Annotated[Identifier, Identifiers("w", CounterBounds.workers)]
Number = Annotated[int, Integers(0, CounterBounds.workers)]


class Counter(Protocol):
    """Workers read, and later write what they have read plus one."""

    bounds: CounterBounds
    counter: Number
    read: Map[Worker, Number | None]
    done: Map[Worker, bool]

    @action(by="worker", says="{worker} reads the counter")
    def look(self, worker: Worker) -> None:
        require(self.read[worker] is None and not self.done[worker])
        self.read[worker] = self.counter

    @action(by="worker", says="{worker} writes")
    def write(self, worker: Worker) -> None:
        seen = self.read[worker]
        require(seen is not None)
        self.counter = seen + 1  # type: ignore[operator]  # the guard excludes none
        self.read[worker] = None
        self.done[worker] = True

    @invariant
    def nothing_is_lost(self) -> bool:
        """The counter is the number of workers that are done."""
        return self.counter == sum(1 for w in self.done if self.done[w])


class Locked(Counter):
    """The same with a lock: a worker begins only while no other has begun."""

    @action(by="worker", says="{worker} takes the lock and reads the counter")
    def look(self, worker: Worker) -> None:
        require(all(self.read[w] is None for w in self.read))
        super().look(worker)


racy = epochal.check(Counter(workers=2), all_violations=True)
assert (racy.violated, racy.states) == ({"nothing_is_lost"}, 12), racy
print(racy.counterexample)
locked = epochal.check(Locked(workers=2))
assert (locked.violated, locked.states) == (set(), 8), locked
