"""Work in a thread of its own: the kernel that is loaded, Spark that starts, a level while budgets are watched."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

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

    def result(self) -> T:
        """What the work gives, or has raised, when it is over."""
        self.join()
        if self._failures:
            raise self._failures[0]
        return self._results[0]

    def join(self) -> None:
        """Wait for the end of the work, whatever comes of it."""
        self._thread.join()


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
