"""SIGTERM as a request to finish: a CI system that cancels a job still gets the report of what is known.

A terminal that is closed (SIGHUP) is the same, unless the command is to outlive it (nohup).
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType

from .undisturbed import Handler, Undisturbed, deferred, put_back


class stopping(Undisturbed):  # noqa: N801  (read as a word: with stopping(...))
    """While this lasts, the first such signal tells `stopped` and interrupts the work as Ctrl-C does; later ones do
    nothing.

    Outside the main thread, where Python allows no handlers, nothing is changed.
    """

    def __init__(self, stopped: Callable[[str], None]) -> None:
        self._stopped = stopped
        self._before: dict[signal.Signals, Handler] = {}

    def begin(self) -> None:
        if threading.current_thread() is threading.main_thread():
            for number in _requests():
                handler = signal.getsignal(number)
                if handler is not signal.SIG_IGN:
                    self._before[number] = handler
                    signal.signal(number, self._handle)

    def end(self) -> None:
        put_back(self._before)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if deferred(number, frame):
            return
        signal.signal(number, signal.SIG_IGN)
        self._stopped(signal.Signals(number).name)
        raise KeyboardInterrupt


def _requests() -> list[signal.Signals]:
    return [signal.SIGTERM, signal.SIGHUP] if hasattr(signal, "SIGHUP") else [signal.SIGTERM]
