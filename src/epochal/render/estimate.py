"""About how long something will still take, where that can be said honestly; nothing where it cannot.

Of so many things that are alike (runs, mutants, questions) as many take as long as those before. A search is another
matter: nobody knows how large a state space is while it grows. Once far fewer states come in than are explored, it
ends soon: were it to go on as now, the queue would empty within a time that can be said. New states usually become
fewer still, so this is rather too long than too short.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any, Final, Protocol

SOME: Final = 5
"""How many things must be done before it is said how long the others take."""

SHARE: Final = 0.1
"""And which part of all."""

SHRINKS: Final = 0.9
"""A search ends soon if it finds fewer new states than this for each state that it explores."""

LEAST_WINDOW: Final = 1.0
"""Over how many seconds that is looked at, at least; and over a tenth of the time so far."""


@dataclass(frozen=True)
class Counted:
    """So many things of so many are done."""

    done: int
    asked: int


@dataclass(frozen=True)
class Queued:
    """So many states were found, and so many of them wait to be explored."""

    states: int
    queue: int


class Snapshot(Protocol):
    """What is known at a moment."""

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""


class Estimate:
    """What is left, from one snapshot to the next of one thing that runs."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, Counted | Queued]] = deque()

    def left(self, now: Snapshot | Any, far: Counted | Queued | None) -> float | None:
        """The seconds that it will still take, None if that cannot be said. `far` says how far it is."""
        if far is None or (
            self._seen and (now.seconds < self._seen[-1][0] or type(far) is not type(self._seen[-1][1]))
        ):
            self._seen.clear()  # something else has begun
        if far is None:
            return None
        self._seen.append((now.seconds, far))
        if isinstance(far, Queued):
            window = max(LEAST_WINDOW, now.seconds / 10)
            while len(self._seen) > 2 and self._seen[1][0] <= now.seconds - window:
                self._seen.popleft()
            return self._emptied(far, window)
        while len(self._seen) > 2:  # the first is kept, which has what was known from before
            del self._seen[1]
        return self._counted(far)

    def _counted(self, far: Counted) -> float | None:
        began, first = self._seen[0]
        assert isinstance(first, Counted)
        done = far.done - first.done
        if done < SOME or done < SHARE * (far.asked - first.done) or far.done >= far.asked:
            return None
        return (self._seen[-1][0] - began) / done * (far.asked - far.done)

    def _emptied(self, far: Queued, window: float) -> float | None:
        began, first = self._seen[0]
        assert isinstance(first, Queued)
        seconds = self._seen[-1][0] - began
        new = far.states - first.states
        explored = new - (far.queue - first.queue)
        if seconds < window or explored <= 0 or new >= SHRINKS * explored:
            return None
        return far.queue / (1 - new / explored) * seconds / explored


def about(seconds: float) -> str:
    """`about 40 s left`, and no more exactly than is known."""
    if seconds < 5:
        return "a few seconds left"
    if seconds < 55:
        return f"about {5 * -int(-seconds // 5)} s left"
    minutes = -int(-seconds // 60)
    return f"about {minutes} min left" if minutes < 90 else f"about {round(seconds / 3600)} h left"
