"""How moments are looked at: in depth, and in breadth from a little before where that comes no further.

In depth the likely comes first, and a run is found with few detours. But a wrong turn may show only some lines later,
and then all that may be between is tried before it is taken back. So where nothing more is explained for a while,
moments are looked at level by level, from some lines before the furthest: on each level as many as explain the same
number of lines, those first to which the fewest unlikely turns lead. What comes a few lines past the furthest is where
the look in depth goes on. Nothing is left out by that: what was still to be tried is tried when that has led nowhere.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from .moment import Moment, Step

PATIENCE = 1_000
"""After so many moments by which no more is explained, moments are looked at in breadth."""

BACK, WIDTH = 12, 16
"""So many lines before the furthest that begins, with so many moments a level; twice as many each time in vain."""

PAST, KEPT = 8, 8
"""So many lines past the furthest it ends, and so many moments are kept then."""


class Way(NamedTuple):
    """The steps to a moment, the last of them first, and how many decisions were taken before these."""

    before: Way | None
    steps: tuple[Step, ...]
    decisions: int = 0

    def told(self) -> tuple[Step, ...]:
        """The steps in their order."""
        return tuple(step for way in self._from_the_start() for step in way.steps)

    def decided(self) -> tuple[int, ...]:
        """How many decisions were taken before each step."""
        return tuple(way.decisions for way in self._from_the_start() for _ in way.steps)

    def _from_the_start(self) -> list[Way]:
        found: list[Way] = []
        way: Way | None = self
        while way is not None:
            found.append(way)
            way = way.before
        return found[::-1]


class Arrived(NamedTuple):
    """A moment, and the way to it."""

    moment: Moment
    way: Way

    def then(self, steps: tuple[Step, ...], after: Moment) -> Arrived:
        """The moment after these steps."""
        return Arrived(after, Way(self.way, steps, self.moment.decisions))


class Explored(NamedTuple):
    """The end of it: whether the whole is explained, or all moments were looked at; where, and how many there were."""

    whole: bool
    exhausted: bool
    furthest: Arrived
    moments: int


class Space(Protocol):
    """The moments that there are."""

    def successors(self, moment: Moment) -> Iterator[tuple[tuple[Step, ...], Moment]]:
        """What may come next, with the steps to it, the likely first."""
        ...

    def is_hopeless(self, moment: Moment) -> bool:
        """Whether nothing that explains everything comes of it."""
        ...

    def is_whole(self, moment: Moment) -> bool:
        """Whether everything is explained."""
        ...


class Exploration:
    """Looks for a moment that explains everything. `reached` hears, now and then, how many lines are explained."""

    def __init__(self, space: Space, most: int, reached: Callable[[int], None]) -> None:
        self.space, self.most, self.reached = space, most, reached
        self.seen: set[Moment] = set()
        self.looked = 0
        """How many moments were looked at in breadth."""

    @property
    def moments(self) -> int:
        """How many moments were looked at."""
        return len(self.seen) + self.looked

    def from_moment(self, start: Moment) -> Explored:
        """Look from a moment on, until `most` moments were looked at."""
        furthest = Arrived(start, Way(None, ()))
        self.seen = {start}
        path = [(furthest, self.space.successors(start))]
        since, back, width = 0, BACK, WIDTH
        while path:
            here, following = path[-1]
            if self.space.is_whole(here.moment):
                return Explored(True, False, here, self.moments)
            steps, after = next(following, ((), None))
            if after is None:
                path.pop()
                continue
            if after in self.seen or self.space.is_hopeless(after):
                continue
            if self.moments >= self.most:
                return Explored(False, False, furthest, self.moments)
            self.seen.add(after)
            self.reached(furthest.moment.explained)
            path.append((here.then(steps, after), self.space.successors(after)))
            if after.explained > furthest.moment.explained:
                furthest = path[-1][0]
                since, back, width = len(self.seen), BACK, WIDTH
            elif len(self.seen) - since >= PATIENCE and self.looked <= len(self.seen):
                begin = _lines_before([one for one, _ in path], furthest.moment.explained - back)
                arrived = self.in_breadth(begin, furthest.moment.explained + PAST, width)
                since, back, width = len(self.seen), 2 * back, 2 * width
                for one in reversed(arrived):
                    if one.moment not in self.seen:
                        self.seen.add(one.moment)
                        path.append((one, self.space.successors(one.moment)))
                        furthest = max(furthest, one, key=lambda at: at.moment.explained)
                if arrived:
                    back, width = BACK, WIDTH
        return Explored(False, True, furthest, self.moments)

    def in_breadth(self, begin: Arrived, until: int, width: int) -> list[Arrived]:
        """Look level by level, until so many lines are explained; those to which the fewest unlikely turns lead."""
        seen = {begin.moment}
        levels: dict[int, list[tuple[int, int, Arrived]]] = {begin.moment.explained: [(0, 0, begin)]}
        while levels:
            level = min(levels)
            if level >= until:
                best = sorted(one for some in levels.values() for one in some)
                return [one for *_, one in best[:KEPT]]
            queue = levels.pop(level)
            heapq.heapify(queue)
            for _ in range(width):
                if not queue:
                    break
                turns, _, here = heapq.heappop(queue)
                if self.space.is_whole(here.moment):
                    return [here]
                for number, (steps, after) in enumerate(self.space.successors(here.moment)):
                    if after in seen or self.space.is_hopeless(after):
                        continue
                    if self.moments >= self.most:
                        return []
                    seen.add(after)
                    self.looked += 1
                    self.reached(level)
                    # No two have the same number, so that no moments are compared.
                    item = turns + (number > 0), self.looked, here.then(steps, after)
                    if after.explained == level:
                        heapq.heappush(queue, item)
                    else:
                        levels.setdefault(after.explained, []).append(item)
        return []


def _lines_before(path: list[Arrived], explained: int) -> Arrived:
    """The last on a path that explains no more than so many lines, or the first."""
    found = path[0]
    for one in path:
        if one.moment.explained > explained:
            break
        found = one
    return found
