"""Progress of a running search, on stderr: a live line, a line now and then, one JSON object a line, or nothing."""

from __future__ import annotations

import contextlib
import json
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TextIO, TypeVar

from epochal.checker.base.numbers import counted, rated, sized, timed

from .page import plain_wanted

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress as SearchProgress
    from epochal.checker.solver.dispatch import Progress as ProofProgress


# -- estimate ---------------------------------------------------------------------------------------------------------
# About how long something will still take, where that can be said honestly; nothing where it cannot.
#
# Of so many things that are alike (runs, mutants, questions) as many take as long as those before. A search is another
# matter: nobody knows how large a state space is while it grows. Once far fewer states come in than are explored, it
# ends soon: were it to go on as now, the queue would empty within a time that can be said. New states usually become
# fewer still, so this is rather too long than too short.

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


Now = TypeVar("Now")
"""A snapshot."""

Report = Callable[[Any], None]

PLAIN_EVERY = 2.0
LIVE_AFTER = 0.5


def _whole(now: Any) -> dict[str, Any]:
    """A snapshot as a JSON object: all that it has."""
    return {**vars(now), "seconds": round(now.seconds, 3)}


@dataclass(frozen=True)
class Telling(Generic[Now]):
    """How a snapshot of something that runs is told: on one line, and as a JSON object.

    A snapshot has `seconds`, on the clock, since it began. `far` says how far it is, where what is left can be
    estimated by that; None where nobody knows.
    """

    in_words: Callable[[Now], str]
    document: Callable[[Now], dict[str, Any]] = _whole
    far: Callable[[Now], Counted | Queued | None] = lambda _: None


def _of_search(depth: str, queue: str) -> Telling[SearchProgress]:
    """The progress of a search. Two figures have names: depth and queue, or runs made and left of a simulation."""

    def in_words(now: SearchProgress) -> str:
        if now.doing:
            return f"{now.doing}, {sized(now.memory_bytes)}, {timed(now.seconds)}"
        return (
            f"{counted(now.states, 'state')}, {rated(now.rate)} a second on the clock, {depth.replace('_', ' ')} "
            f"{now.depth:,}, {queue.replace('_', ' ')} {now.queue:,}, {sized(now.memory_bytes)}, {timed(now.seconds)}"
            f"{f'; {now.beside}' if now.beside else ''}"
        )

    def as_object(now: SearchProgress) -> dict[str, Any]:
        if now.doing:
            return {"doing": now.doing, "seconds": round(now.seconds, 3), "memory_bytes": now.memory_bytes}
        return {
            "states": now.states,
            "generated": now.generated,
            depth: now.depth,
            queue: now.queue,
            "rate": round(now.rate, 1),
            "seconds": round(now.seconds, 3),
            "memory_bytes": now.memory_bytes,
            **({"beside": now.beside} if now.beside else {}),
        }

    def far(now: SearchProgress) -> Counted | Queued | None:
        if now.doing:
            return None
        return Queued(now.states, now.queue) if queue == "queue" else Counted(now.depth, now.depth + now.queue)

    return Telling(in_words, as_object, far)


def _proof_in_words(now: ProofProgress) -> str:
    if now.compiling:
        return f"compiling the specification and its lemmas, {timed(now.seconds)}"
    if now.states:
        return f"{counted(now.states, 'state')} searched for first states of counterexamples, {timed(now.seconds)}"
    failed = f", {counted(now.failed, 'obligation')} failed" if now.failed else ""
    cached = f" ({now.cached:,} from the cache)" if now.cached else ""
    return f"{now.done:,} of {counted(now.asked, 'question')} answered{cached}{failed}, {timed(now.seconds)}"


def _proof(now: ProofProgress) -> dict[str, Any]:
    return {
        "answered": now.done,
        "questions": now.asked,
        "from_cache": now.cached,
        "failed": now.failed,
        "states": now.states,
        "compiling": now.compiling,
        "seconds": round(now.seconds, 3),
    }


SEARCH = _of_search("depth", "queue")
SIMULATION = _of_search("runs", "runs_left")
PROOF = Telling[Any](
    _proof_in_words, _proof, lambda now: None if now.compiling or now.states else Counted(now.done, now.asked)
)
"""Of a proof: action instances and properties that have been asked about."""


@contextlib.contextmanager
def shown_progress(kind: str, stream: TextIO, telling: Telling[Any] = SEARCH) -> Iterator[Report | None]:
    """What something that runs should call with its progress, for `--progress auto|plain|json|none`."""
    if kind == "none":
        yield None
    elif kind == "json":
        yield lambda now: _json(telling.document(now), stream)
    elif kind == "plain" or plain_wanted(stream):
        yield PlainProgress(stream, telling)
    else:
        live = LiveProgress(stream, telling)
        try:
            yield live
        finally:
            live.close()


def _json(document: dict[str, Any], stream: TextIO) -> None:
    stream.write(json.dumps(document) + "\n")
    stream.flush()


class PlainProgress:
    """A line every two seconds of the search; none if it ends sooner."""

    def __init__(self, stream: TextIO, telling: Telling[Any] = SEARCH) -> None:
        self.stream = stream
        self.telling = telling
        self._next = PLAIN_EVERY

    def __call__(self, now: Any) -> None:
        if now.seconds < self._next - PLAIN_EVERY:  # a search has begun, and counts its own seconds
            self._next = PLAIN_EVERY
        if now.seconds >= self._next:
            self._next = now.seconds + PLAIN_EVERY
            self.stream.write(self.telling.in_words(now) + "\n")
            self.stream.flush()


class LiveProgress:
    """One line on a terminal that is rewritten in place, and gone at the end. A short search never shows it.

    It says about how long it will still take where that can be said; lines that are kept do not.
    """

    def __init__(self, stream: TextIO, telling: Telling[Any] = SEARCH) -> None:
        self.stream = stream
        self.telling = telling
        self._estimate = Estimate()
        self._close: Callable[[], None] | None = None
        self._update: Callable[[str], None] | None = None

    def __call__(self, now: Any) -> None:
        left = self._estimate.left(now, self.telling.far(now))
        if now.seconds < LIVE_AFTER:
            return
        if self._update is None:
            self._open()
        if self._update is not None:
            said = "" if left is None else f"{about(left)}: "  # first, where a narrow terminal shows it
            self._update(f"{said}{self.telling.in_words(now)}")

    def _open(self) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        live = Live(console=Console(file=self.stream), auto_refresh=False, transient=True)
        live.start()
        self._close = live.stop
        line = partial(Text, style="dim", no_wrap=True, overflow="ellipsis")
        self._update = lambda text: live.update(line(text), refresh=True)

    def close(self) -> None:
        """Remove the line."""
        if self._close is not None:
            self._close()
