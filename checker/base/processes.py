"""Work beside the main thread: in other threads, in other processes, and what signals must not tear apart."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Generic, Self, TypeVar

# -- background -------------------------------------------------------------------------------------------------------
# Work in a thread of its own: the kernel that is loaded, Spark that starts, a level while budgets are watched.

POLL = 0.05
"""Seconds between two looks of who waits."""

T = TypeVar("T")


class Background(Generic[T]):
    """Some work, begun at once in another thread. What it gives, or raises, is had where it is waited for."""

    def __init__(self, name: str, work: Callable[[], T], daemon: bool = True) -> None:
        self._work, self._results, self._failures = work, list[T](), list[BaseException]()
        self._thread = threading.Thread(target=self._run, name=name, daemon=daemon)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._results.append(self._work())
        except BaseException as error:  # raised where it is waited for
            self._failures.append(error)

    @property
    def over(self) -> bool:
        """Whether the work is done, or has failed."""
        return not self._thread.is_alive()

    def wait(self, check: Callable[[], None]) -> T:
        """What the work gives, or has raised. `check` is called meanwhile, and may raise to wait no longer."""
        while not self.over:
            self._thread.join(POLL)
            if not self.over:
                check()
        return self.result()

    @property
    def failure(self) -> BaseException | None:
        """What the work has raised, if it has."""
        return next(iter(self._failures), None)

    def result(self) -> T:
        """What the work gives, or has raised, when it is over."""
        self.join()
        if self.failure is not None:
            raise self.failure
        return self._results[0]

    def join(self, seconds: float | None = None) -> None:
        """Wait for the end of the work, whatever comes of it, or for so many seconds at most."""
        self._thread.join(seconds)


def supervised(work: Callable[[], T], cancel: Callable[[], None], check: Callable[[], None]) -> T:
    """What some work gives, done in another thread; `check` is called meanwhile, and may raise to break it off."""
    doing = Background("level", work)
    try:
        return doing.wait(check)
    except BaseException:
        if not doing.over:
            cancel()
            doing.join()
        raise


# -- undisturbed ------------------------------------------------------------------------------------------------------
# Handlers of signals that raise, and what they must not tear apart. A handler runs between any two steps of Python. One
# that raises may therefore end a `with` while it begins or ends: a thread is left running, a handler is never put back.
# What must begin and end whole derives from Undisturbed, and every handler that raises asks `deferred` first.

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


_STARTED = (
    "import runpy, sys; module, count, *rest = sys.argv[1:]; sys.path[:] = rest[int(count):]; "
    "sys.argv[1:] = rest[:int(count)]; runpy.run_module(module, run_name='__main__')"
)


def python_running(module: str, *arguments: str) -> list[str]:
    """The command of a process that runs a module: with the modules that this process would find, and nothing of its
    main module, which may be a script of the user's.
    """
    path = [entry for entry in sys.path if isinstance(entry, str)]  # Python passes over what is no text
    return [sys.executable, "-P", "-c", _STARTED, module, str(len(arguments)), *arguments, *path]


class deaf_to_interrupts(Undisturbed):  # noqa: N801  (read as words: with deaf_to_interrupts())
    """Processes that are started here never get Ctrl-C, which is for the one that started them."""

    def __init__(self) -> None:
        self._before: set[signal.Signals | int] | None = None

    def begin(self) -> None:
        self._before = signal.pthread_sigmask(signal.SIG_BLOCK, set())  # known before anything is blocked
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})

    def end(self) -> None:
        if self._before is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, self._before)


# -- termination ------------------------------------------------------------------------------------------------------
# SIGTERM as a request to finish: a CI system that cancels a job still gets the report of what is known. A terminal that
# is closed (SIGHUP) is the same, unless the command is to outlive it (nohup).


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
