"""Progress of a running search, on stderr: a live line, a line now and then, one JSON object a line, or nothing."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from epochal.checker.host.numbers import counted, rated, sized, timed
from epochal.render.estimate import Counted, Estimate, Queued, about
from epochal.render.page import plain_wanted

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress as SearchProgress
    from epochal.checker.solver.dispatch import Progress as ProofProgress

Report = Callable[[Any], None]

PLAIN_EVERY = 2.0
LIVE_AFTER = 0.5


class Telling(Protocol):
    """How a snapshot of something that runs is told. A snapshot has `seconds`, on the clock, since it began."""

    def in_words(self, now: Any) -> str:
        """On one line."""

    def document(self, now: Any) -> dict[str, Any]:
        """As a JSON object."""

    def far(self, now: Any) -> Counted | Queued | None:
        """How far it is, where what is left can be estimated by that."""


@dataclass(frozen=True)
class SearchTelling:
    """What two figures of a search are called: depth and queue, or runs made and left of a simulation."""

    depth: str
    queue: str

    def in_words(self, now: SearchProgress) -> str:
        """The progress on one line."""
        if now.doing:
            return f"{now.doing}, {sized(now.memory_bytes)}, {timed(now.seconds)}"
        depth, queue = self.depth.replace("_", " "), self.queue.replace("_", " ")
        return (
            f"{counted(now.states, 'state')}, {rated(now.rate)} a second on the clock, {depth} {now.depth:,}, "
            f"{queue} {now.queue:,}, {sized(now.memory_bytes)}, {timed(now.seconds)}"
            f"{f'; {now.beside}' if now.beside else ''}"
        )

    def document(self, now: SearchProgress) -> dict[str, Any]:
        """The progress as an object."""
        if now.doing:
            return {"doing": now.doing, "seconds": round(now.seconds, 3), "memory_bytes": now.memory_bytes}
        return {
            "states": now.states,
            "generated": now.generated,
            self.depth: now.depth,
            self.queue: now.queue,
            "rate": round(now.rate, 1),
            "seconds": round(now.seconds, 3),
            "memory_bytes": now.memory_bytes,
            **({"beside": now.beside} if now.beside else {}),
        }

    def far(self, now: SearchProgress) -> Counted | Queued | None:
        """The states found and in the queue, or the runs made and left."""
        if now.doing:
            return None
        return Queued(now.states, now.queue) if self.queue == "queue" else Counted(now.depth, now.depth + now.queue)


class ProofTelling:
    """The progress of a proof: action instances and properties that have been asked about."""

    def in_words(self, now: ProofProgress) -> str:
        """The progress on one line."""
        if now.compiling:
            return f"compiling the specification and its lemmas, {timed(now.seconds)}"
        if now.states:
            return f"{counted(now.states, 'state')} searched for first states of counterexamples, {timed(now.seconds)}"
        failed = f", {counted(now.failed, 'obligation')} failed" if now.failed else ""
        cached = f" ({now.cached:,} from the cache)" if now.cached else ""
        return f"{now.done:,} of {counted(now.asked, 'question')} answered{cached}{failed}, {timed(now.seconds)}"

    def document(self, now: ProofProgress) -> dict[str, Any]:
        """The progress as an object."""
        return {
            "answered": now.done,
            "questions": now.asked,
            "from_cache": now.cached,
            "failed": now.failed,
            "states": now.states,
            "compiling": now.compiling,
            "seconds": round(now.seconds, 3),
        }

    def far(self, now: ProofProgress) -> Counted | None:
        """The questions answered and asked."""
        return None if now.compiling or now.states else Counted(now.done, now.asked)


SEARCH = SearchTelling("depth", "queue")
SIMULATION = SearchTelling("runs", "runs_left")
PROOF = ProofTelling()


@contextlib.contextmanager
def shown_progress(kind: str, stream: TextIO, telling: Telling = SEARCH) -> Iterator[Report | None]:
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

    def __init__(self, stream: TextIO, telling: Telling = SEARCH) -> None:
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

    def __init__(self, stream: TextIO, telling: Telling = SEARCH) -> None:
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
