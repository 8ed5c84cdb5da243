"""Patience: the time and memory that a command may take before its search begins.

Loading a specification, compiling it and making its first states run code of the user, or go through what the user
asks for; either may take for ever. A thread looks on: it reports the progress, and once a budget is spent it interrupts
the main thread by a signal, which ends Python code wherever it is, also `time.sleep`. One call of a function that is
written in C is not interrupted, by Ctrl-C neither.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from ..host.measure import memory_limit, resident_memory
from .stop import INTERRUPTED, StopReason

if TYPE_CHECKING:
    from .result import Progress

TICK = 0.1
"""Seconds between two looks."""

TOLD_AFTER = 2.0
"""Seconds after which the progress is told at all."""

LAST_RESORT = 5.0
"""After so many seconds the process ends, if the code that was interrupted takes no notice (`except: pass`)."""

COMPILING = "compiling the specification"
REPEATING = "repeating states in the Python reading"

INTERRUPTED_CODE, SPENT_CODE = 130, 30
"""The exit codes of such an end."""


class OutOfPatience(KeyboardInterrupt):
    """A budget is spent. Like Ctrl-C it passes handlers of Exception; the reason says which budget, and on what."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def why_stopped(error: KeyboardInterrupt) -> StopReason:
    """Why a search was interrupted."""
    return error.reason if isinstance(error, OutOfPatience) else INTERRUPTED


class Patience:
    """Budgets that count from `begun`, a moment of time.monotonic: none, from now.

    Calling it with what is being done raises OutOfPatience if a budget is spent.
    """

    def __init__(
        self,
        budget: float | None = None,
        max_memory: int | None = None,
        progress: Callable[[Progress], None] | None = None,
        begun: float | None = None,
    ) -> None:
        self.budget, self.max_memory, self.progress = budget, max_memory, progress
        self.begun = time.monotonic() if begun is None else begun
        self.most_memory = memory_limit() if max_memory is None else max_memory
        self.doing = ""
        self._next = 0.0

    def __call__(self, doing: str) -> None:
        self.doing = doing
        now = time.monotonic()
        if now >= self._next:
            self._next = now + TICK
            self.check()

    def repeating(self, count: int) -> str:
        """Tell that so many states were repeated in another reading; the reason to end, if a budget is spent."""
        self.doing = f"{REPEATING}, {count:,} so far"
        now = time.monotonic()
        if self.progress is not None and now >= self._next and now - self.begun >= TOLD_AFTER:
            self._next = now + TICK
            self.progress(self._snapshot())
        self.doing = REPEATING
        spent = self.spent()
        return spent.text if spent else ""

    def check(self) -> None:
        """Raise OutOfPatience if a budget is spent."""
        if spent := self.spent():
            raise OutOfPatience(spent)

    def spent(self) -> StopReason | None:
        """Why to stop, None if no budget is spent."""
        during = f" while {self.doing}" if self.doing else ""
        if self.budget is not None and time.monotonic() - self.begun >= self.budget:
            return StopReason(f"the time budget of {self.budget:g} s is spent{during}", "time")
        if resident_memory() < self.most_memory:
            return None
        size = f"{self.most_memory >> 20:,} MiB"
        if self.max_memory is None:
            return StopReason(f"nine tenths of this machine's memory ({size}) are not enough{during}", "memory")
        return StopReason(f"the memory budget of {size} is spent{during}", "memory")

    @contextmanager
    def watching(self, doing: str) -> Iterator[None]:
        """While this lasts, report the progress, and interrupt what is being done once a budget is spent."""
        self.doing = doing
        done = threading.Event()
        with _interruptible(self, done) as interrupt:
            watcher = threading.Thread(target=self._watch, args=(done, interrupt), name="patience", daemon=True)
            watcher.start()
            try:
                try:
                    yield
                finally:
                    done.set()
            finally:  # an interruption may have come before the line above; the next one would be a tick later
                done.set()
                watcher.join()

    def _watch(self, done: threading.Event, interrupt: Callable[[], None]) -> None:
        last: float | None = None
        while not done.wait(TICK):
            if self.progress is not None and time.monotonic() - self.begun >= TOLD_AFTER:
                self.progress(self._snapshot())
            spent = self.spent()
            if spent is None:
                continue
            interrupt()
            last = time.monotonic() if last is None else last
            if time.monotonic() - last > LAST_RESORT:
                _leave(f"{spent}, and what is being run takes no notice", SPENT_CODE)

    def _snapshot(self) -> Progress:
        from .result import Progress

        return Progress(0, 0, 0, 0, time.monotonic() - self.begun, resident_memory(), self.doing)


@contextmanager
def _interruptible(patience: Patience, done: threading.Event) -> Iterator[Callable[[], None]]:
    """What interrupts this thread, which must be the main one; elsewhere nothing does but a call of `patience`.

    Ctrl-C is heeded the second time also by code that handles every exception.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_kill"):
        yield lambda: None
        return
    main = threading.get_ident()

    def spent(number: int, frame: FrameType | None) -> None:
        if not done.is_set():
            patience.check()

    def pressed(number: int, frame: FrameType | None) -> None:
        if frame is not None and number in heard:
            _leave("interrupted", INTERRUPTED_CODE)
        heard.append(number)
        signal.default_int_handler(number, frame)

    heard: list[int] = []
    before = {signal.SIGALRM: signal.signal(signal.SIGALRM, spent)}
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        before[signal.SIGINT] = signal.signal(signal.SIGINT, pressed)
    try:
        yield lambda: signal.pthread_kill(main, signal.SIGALRM)
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _leave(message: str, code: int) -> None:
    """End the process, whatever is being run."""
    with suppress(OSError):  # nobody may be listening
        os.write(2, f"epochal: {message}\n".encode(errors="backslashreplace"))
    os._exit(code)
