"""Spark started beside the search: the driver takes the first levels itself meanwhile, and does not wait for Java."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Starting(Generic[T]):
    """Something that takes seconds to start, and is started in another thread."""

    def __init__(self, start: Callable[[], T]) -> None:
        self._begin, self._made, self._failures = start, list[T](), list[BaseException]()
        self._thread = threading.Thread(target=self._run, name="start of Spark", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._made.append(self._begin())
        except BaseException as error:  # raised where it is waited for
            self._failures.append(error)

    @property
    def over(self) -> bool:
        """Whether it has started, or failed to."""
        return not self._thread.is_alive()

    def wait(self) -> T:
        """What was started. Raises what its start has raised."""
        self._thread.join()
        if self._failures:
            raise self._failures[0]
        return self._made[0]
