"""Processes of Python beside this one: how they are started, and what they must not hear."""

from __future__ import annotations

import signal
import sys

from .undisturbed import Undisturbed

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
