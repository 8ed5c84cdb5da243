"""Budgets of a search: wall time, number of states, memory. A spent budget stops the search, and the result says so.

States in files (`--spill`) do not count as memory: the system writes them back when it needs the room.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from types import FrameType

from ..base.machine import Stopwatch, memory_limit, private_memory, resident_memory
from ..base.processes import Handler, Undisturbed, beginning_or_ending, deferred, put_back
from .result import INTERRUPTED, Options, Progress, StopReason

# -- patience ---------------------------------------------------------------------------------------------------------
# Deadline: the time and memory that a command may take before its search begins.
#
# Loading a specification, compiling it and making its first states run code of the user, or go through what the user
# asks for; either may take for ever. A thread looks on: it reports the progress, and once a budget is spent it
# interrupts the main thread by a signal, which ends Python code wherever it is, also `time.sleep`. One call of a
# function that is written in C is not interrupted, by Ctrl-C neither.

TICK = 0.1
"""Seconds between two looks."""

TOLD_AFTER = 2.0
"""Seconds after which the progress is told at all."""

LAST_RESORT = 5.0
"""After so many seconds the process ends, if the code that was interrupted takes no notice (`except: pass`)."""

COMPILING = "compiling the specification"
REPEATING = "repeating states in the Python semantics"

INTERRUPTED_CODE, SPENT_CODE = 130, 30
"""The exit codes of such an end."""


class BudgetExceeded(KeyboardInterrupt):
    """A budget is spent. Like Ctrl-C it passes handlers of Exception; the reason says which budget, and on what."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def why_stopped(error: KeyboardInterrupt) -> StopReason:
    """Why a search was interrupted."""
    return error.reason if isinstance(error, BudgetExceeded) else INTERRUPTED


class Deadline:
    """Budgets that count from `begun`, a moment of time.monotonic: none, from now.

    Calling it with what is being done raises BudgetExceeded if a budget is spent.
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
        """Tell that so many states were repeated in another semantics; the reason to end, if a budget is spent."""
        self.doing = f"{REPEATING}, {count:,} so far"
        now = time.monotonic()
        if self.progress is not None and now >= self._next and now - self.begun >= TOLD_AFTER:
            self._next = now + TICK
            self.progress(self.snapshot())
        self.doing = REPEATING
        spent = self.spent()
        return spent.text if spent else ""

    def check(self) -> None:
        """Raise BudgetExceeded if a budget is spent."""
        if spent := self.spent():
            raise BudgetExceeded(spent)

    def spent(self) -> StopReason | None:
        """Why to stop, None if no budget is spent."""
        during = f" while {self.doing}" if self.doing else ""
        if self.budget is not None and time.monotonic() - self.begun >= self.budget:
            return StopReason(f"the time budget of {self.budget:g} s is spent{during}", "time")
        if resident_memory() < self.most_memory:
            return None
        return _memory_spent(self.most_memory, self.max_memory is not None, during)

    def watching(self, doing: str) -> Watch:
        """While this lasts, report the progress, and interrupt what is being done once a budget is spent."""
        return Watch(self, doing)

    def snapshot(self) -> Progress:
        """The progress of what is being done."""
        from .result import Progress

        return Progress(0, 0, 0, 0, time.monotonic() - self.begun, resident_memory(), self.doing)


class Watch(Undisturbed):
    """A thread that looks on while something is done, and interrupts the main thread; in another one nothing does but
    a call of `patience`.

    Ctrl-C is heeded the second time also by code that handles every exception. Nothing is raised while a watch begins
    or ends: else the thread would go on, and its next signal would find no handler and end the process.
    """

    def __init__(self, patience: Deadline, doing: str) -> None:
        self._patience, self._doing = patience, doing
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="patience", daemon=True)
        self._main: int | None = None
        self._before: dict[signal.Signals, Handler] = {}
        self._pressed = self._again = 0

    def begin(self) -> None:
        self._patience.doing = self._doing
        if threading.current_thread() is threading.main_thread() and hasattr(signal, "pthread_kill"):
            self._main = threading.get_ident()
            interrupted = signal.getsignal(signal.SIGINT)
            if callable(interrupted):
                self._before[signal.SIGINT] = interrupted
                signal.signal(signal.SIGINT, self._interrupted)
            self._before[signal.SIGALRM] = signal.getsignal(signal.SIGALRM)
            signal.signal(signal.SIGALRM, self._spent)
        self._thread.start()

    def end(self) -> None:
        self._done.set()
        if self._thread.ident is not None:  # it was started
            self._thread.join()
        self._before = dict(reversed(self._before.items()))  # Ctrl-C last: until then nothing raises
        put_back(self._before)

    def _spent(self, number: int, frame: FrameType | None) -> None:
        before = self._before.get(signal.SIGALRM)
        if self._patience.spent() is None:  # somebody else's alarm
            if callable(before) and not deferred(number, frame):
                before(number, frame)
        elif not (self._done.is_set() or beginning_or_ending(frame) or _is_told()):  # else the next tick may tell it
            self._patience.check()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        if self._again:
            self._again -= 1
        else:
            self._pressed += 1
        if self._pressed > 1:
            _leave("interrupted", INTERRUPTED_CODE)
        if deferred(number, frame):
            self._again += 1
            return
        before = self._before[signal.SIGINT]
        assert callable(before)
        before(number, frame)

    def _watch(self) -> None:
        patience = self._patience
        last: float | None = None
        while not self._done.wait(TICK):
            if patience.progress is not None and time.monotonic() - patience.begun >= TOLD_AFTER:
                patience.progress(patience.snapshot())
            spent = patience.spent()
            if spent is None:
                continue
            if self._main is not None:
                signal.pthread_kill(self._main, signal.SIGALRM)
            last = time.monotonic() if last is None else last
            if time.monotonic() - last > LAST_RESORT:
                _leave(f"{spent}, and what is being run takes no notice", SPENT_CODE)


def _memory_spent(most: int, asked: bool, during: str = "") -> StopReason:
    size = f"{most >> 20:,} MiB"
    spent = f"the memory budget of {size} is spent" if asked else f"stopped at 90 % of this machine's memory ({size})"
    return StopReason(f"{spent}{during}", "memory")


def _is_told() -> bool:
    """Whether somebody is dealing with a spent budget: what cleans up or keeps an answer is not interrupted again."""
    error = sys.exception()
    while error is not None and not isinstance(error, BudgetExceeded):
        error = error.__context__
    return error is not None


def _leave(message: str, code: int) -> None:
    """End the process, whatever is being run."""
    with suppress(OSError):  # nobody may be listening
        os.write(2, f"epochal: {message}\n".encode(errors="backslashreplace"))
    os._exit(code)


PROGRESS_EVERY = 0.2


class Budget:
    """Watches a search from the outside: reports its progress and says when a budget is spent."""

    def __init__(self, options: Options, watch: Stopwatch, patience: Deadline) -> None:
        self.options = options
        self.watch = watch
        self.patience = patience
        self.memory = memory_limit() if options.max_memory is None else options.max_memory
        self.in_use = private_memory if options.spill is not None else resident_memory
        self._next_report = 0.0

    def snapshot(self, states: int, transitions: int, depth: int, queue: int) -> Progress:
        """The progress now."""
        return Progress(states, transitions, depth, queue, self.watch.wall_seconds(), self.in_use())

    def spent(self, now: Progress, beside: Callable[[], str] | None = None) -> StopReason | None:
        """Report the progress if it is time to; why the search must stop, None if it may go on.

        `beside` says what else there is to tell, and is called only then.
        """
        if self.options.progress is not None and now.seconds >= self._next_report:
            self._next_report = now.seconds + PROGRESS_EVERY
            self.options.progress(now if beside is None else replace(now, beside=beside()))
        if self.options.budget is not None and time.monotonic() - self.patience.begun >= self.options.budget:
            return StopReason(f"the time budget of {self.options.budget:g} s is spent", "time")
        if self.options.max_states is not None and now.states >= self.options.max_states:
            return StopReason(f"the budget of {self.options.max_states:,} states is spent", "states")
        return self.refuses(now.memory_bytes)

    def refuses(self, memory_bytes: int) -> StopReason | None:
        """Why the search may not use this much memory, None if it may."""
        if memory_bytes < self.memory:
            return None
        return _memory_spent(self.memory, self.options.max_memory is not None)
