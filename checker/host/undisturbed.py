"""Handlers of signals that raise, and what they must not tear apart.

A handler runs between any two steps of Python. One that raises may therefore end a `with` while it begins or ends:
a thread is left running, a handler is never put back. What must begin and end whole derives from Undisturbed, and
every handler that raises asks `deferred` first.
"""

from __future__ import annotations

import _thread
import os
import signal
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Self

SOON = 0.01
"""Seconds after which a signal is sent again."""


class Undisturbed:
    """A context that begins and ends whole: a signal that comes meanwhile is heard a moment later."""

    def begin(self) -> None:
        """What is done before the body."""

    def end(self) -> None:
        """What is done after the body, or after a beginning that failed half-way."""

    def __enter__(self) -> Self:
        try:
            self.begin()
        except BaseException:
            self.end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()


_WHOLE = {Undisturbed.__enter__.__code__, Undisturbed.__exit__.__code__}


def beginning_or_ending(frame: FrameType | None) -> bool:
    """Whether what the main thread was doing is the beginning or the end of something that must be whole."""
    return any(one.f_code in _WHOLE for one in _outwards(frame))


def deferred(number: int, frame: FrameType | None) -> bool:
    """Whether the handler of a signal has to leave it for later: what it raised would tear something apart, or Python
    is deleting an object and would swallow it. The signal is sent again in a moment.
    """
    later = beginning_or_ending(frame) or _in_finalizer(frame)
    if later:  # by a thread that takes no lock: this one may hold it
        _thread.start_new_thread(_send, (number,))
    return later


def _in_finalizer(frame: FrameType | None) -> bool:
    return any(
        one.f_code.co_name == "__del__" or one.f_globals.get("__name__") == "weakref" for one in _outwards(frame)
    )


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _send(number: int) -> None:
    time.sleep(SOON)
    os.kill(os.getpid(), number)


Handler = Callable[[int, FrameType | None], object] | int | None
"""What signal.getsignal gives: None is a handler that Python has not installed."""


def put_back(before: dict[signal.Signals, Handler]) -> None:
    """Install the handlers that were there before, each once."""
    while before:
        number = next(iter(before))
        handler = before[number]
        signal.signal(number, signal.SIG_DFL if handler is None else handler)
        del before[number]
