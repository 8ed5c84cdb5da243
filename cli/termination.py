"""SIGTERM as a request to finish: a CI system that cancels a job still gets the report of what is known."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType


@contextlib.contextmanager
def stopping(stopped: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, the first SIGTERM tells `stopped` and interrupts the work as Ctrl-C does; later ones nothing.

    Outside the main thread, where Python allows no handlers, nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)
        stopped(signal.Signals(number).name)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
