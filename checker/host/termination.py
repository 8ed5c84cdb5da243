"""SIGTERM as a request to finish: a CI system that cancels a job still gets the report of what is known.

A terminal that is closed (SIGHUP) is the same, unless the command is to outlive it (nohup).
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType

SOON = 0.01
"""Seconds after which a signal is sent again that came while an object was deleted."""


@contextlib.contextmanager
def stopping(stopped: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, the first such signal tells `stopped` and interrupts the work as Ctrl-C does; later ones do
    nothing.

    Outside the main thread, where Python allows no handlers, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        if _in_finalizer(frame):
            again = threading.Timer(SOON, os.kill, [os.getpid(), number])
            again.daemon = True
            again.start()
            return
        signal.signal(number, signal.SIG_IGN)
        stopped(signal.Signals(number).name)
        raise KeyboardInterrupt

    heeded = [number for number in _requests() if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handle) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_finalizer(frame: FrameType | None) -> bool:
    """Whether Python is deleting an object: it would swallow what is raised now."""
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_globals.get("__name__") == "weakref":
            return True
        frame = frame.f_back
    return False


def _requests() -> list[signal.Signals]:
    return [signal.SIGTERM, signal.SIGHUP] if hasattr(signal, "SIGHUP") else [signal.SIGTERM]
