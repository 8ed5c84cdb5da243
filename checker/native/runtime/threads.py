"""Threads that do the same job at the same time. Machine code called through ctypes releases the interpreter lock."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait


class Threads:
    """So many threads, the caller's among them.

    `helper_seconds` is the processor time that the other threads have used. `abandon` is called when a job does not
    start or end properly on one thread, so that the others need not wait for it.
    """

    def __init__(self, size: int, abandon: Callable[[], None]) -> None:
        self.size = size
        self.helper_seconds = 0.0
        self._abandon = abandon
        self._others = ThreadPoolExecutor(size - 1, thread_name_prefix="worker") if size > 1 else None

    def run(self, job: Callable[[int], None]) -> None:
        """Do a job for every number below the size, all at the same time, until the last is done, even if one fails."""
        if self._others is None:
            job(0)
            return
        futures: list[Future[float]] = []
        try:
            futures += [self._others.submit(_timed, job, number) for number in range(1, self.size)]
            job(0)
            for future in futures:
                self.helper_seconds += future.result()
        except BaseException:
            self._abandon()
            wait(futures)
            raise

    def close(self) -> None:
        """End the threads."""
        if self._others is not None:
            self._others.shutdown()


def _timed(job: Callable[[int], None], number: int) -> float:
    started = time.thread_time()
    job(number)
    return time.thread_time() - started
