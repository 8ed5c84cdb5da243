"""Progress of a running search, on stderr: a live line, a line now and then, one JSON object a line, or nothing."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TextIO

from .numbers import counted, rated, sized, timed
from .page import plain_wanted

if TYPE_CHECKING:
    from checker.search.result import Progress

Report = Callable[["Progress"], None]

PLAIN_EVERY = 2.0
LIVE_AFTER = 0.5


@dataclass(frozen=True)
class Wording:
    """What two figures of a progress are called: depth and queue of a search, runs made and left of a simulation."""

    depth: str
    queue: str


SEARCH = Wording("depth", "queue")
SIMULATION = Wording("runs", "runs_left")


@contextlib.contextmanager
def shown_progress(kind: str, stream: TextIO, wording: Wording = SEARCH) -> Iterator[Report | None]:
    """What a search should call with its progress, for `--progress auto|plain|json|none`."""
    if kind == "none":
        yield None
    elif kind == "json":
        yield lambda now: _json(now, stream, wording)
    elif kind == "plain" or plain_wanted(stream):
        yield PlainProgress(stream, wording)
    else:
        live = LiveProgress(stream, wording)
        try:
            yield live
        finally:
            live.close()


def in_words(now: Progress, wording: Wording = SEARCH) -> str:
    """The progress on one line."""
    depth, queue = wording.depth.replace("_", " "), wording.queue.replace("_", " ")
    return (
        f"{counted(now.states, 'state')}, {rated(now.rate)} a second, {depth} {now.depth:,}, {queue} {now.queue:,}, "
        f"{sized(now.memory_bytes)}, {timed(now.seconds)}"
    )


def _json(now: Progress, stream: TextIO, wording: Wording) -> None:
    document = {
        "states": now.states,
        "generated": now.generated,
        wording.depth: now.depth,
        wording.queue: now.queue,
        "rate": round(now.rate, 1),
        "seconds": round(now.seconds, 3),
        "memory_bytes": now.memory_bytes,
    }
    stream.write(json.dumps(document) + "\n")
    stream.flush()


class PlainProgress:
    """A line every two seconds of the search; none if it ends sooner."""

    def __init__(self, stream: TextIO, wording: Wording = SEARCH) -> None:
        self.stream = stream
        self.wording = wording
        self._next = PLAIN_EVERY

    def __call__(self, now: Progress) -> None:
        if now.seconds >= self._next:
            self._next = now.seconds + PLAIN_EVERY
            self.stream.write(in_words(now, self.wording) + "\n")
            self.stream.flush()


class LiveProgress:
    """One line on a terminal that is rewritten in place, and gone at the end. A short search never shows it."""

    def __init__(self, stream: TextIO, wording: Wording = SEARCH) -> None:
        self.stream = stream
        self.wording = wording
        self._close: Callable[[], None] | None = None
        self._update: Callable[[str], None] | None = None

    def __call__(self, now: Progress) -> None:
        if now.seconds < LIVE_AFTER:
            return
        if self._update is None:
            self._open()
        if self._update is not None:
            self._update(in_words(now, self.wording))

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
