"""Questions answered by this process and by others beside it.

Z3 holds a lock in each process, so threads would wait for each other. This process answers as well, in a thread: so the
thread that waits for answers can always tell of progress, and heeds Ctrl-C at once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from epochal.errors import EngineError

from .answer import Interrupted, Solver
from .dispatch import Numbered, largest_first
from .interruptible import PATIENCE

if TYPE_CHECKING:
    from .queries import Assumptions, Query, SolverResult

QUESTIONS_EACH = 4
"""How many questions make another process worth its start."""


class WorkerLost(EngineError):
    """A worker process ended before it answered, for want of memory, say."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process of the proof ended before it had an answer.",
            "It may have had too little memory: try one worker, or smaller bounds.",
        )


def usable_processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers:
    """The engine that keeps `count` processes busy, this one among them.

    The first of the others starts at once, so that it is ready when the specification has been compiled. To be used in
    a `with` statement, and not again after an error.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._here = _Here()
        self._others = [_Other()] if count > 1 else []

    def __call__(
        self, premises: Assumptions, questions: Sequence[Numbered]
    ) -> Iterator[tuple[int, tuple[SolverResult, ...]]]:
        """The answers, in the order in which they come. Raises WorkerLost if a process dies."""
        while len(self._others) < min(self._count, len(questions) // QUESTIONS_EACH) - 1:
            self._others.append(_Other())
        todo = deque(largest_first(questions))
        replies = SimpleQueue[_Reply]()
        for hand in (self._here, *self._others):
            work = (hand, premises, todo, replies)
            threading.Thread(target=_keep_busy, args=work, name="worker", daemon=True).start()
        try:
            for _ in questions:
                reply = _next(replies)
                if isinstance(reply, BaseException):
                    raise reply
                yield reply
        finally:
            todo.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the processes, and what this process is at work on."""
        for other in self._others:
            other.close()
        self._here.close()


_Reply = tuple[int, "tuple[SolverResult, ...]"] | BaseException


def _next(replies: SimpleQueue[_Reply]) -> _Reply:
    """The next reply. Where Z3 has handled signals before, Ctrl-C no longer ends a wait, so it is a short one."""
    while True:
        with suppress(Empty):
            return replies.get(timeout=PATIENCE)


class _Hand(Protocol):
    """Who answers questions, for one thread at a time: the one that holds the lock."""

    lock: threading.Lock

    def wait(self) -> None:
        """Wait until it could begin with a question."""

    def answer(self, premises: Assumptions, question: Query) -> tuple[SolverResult, ...]:
        """The answers to a question."""


def _keep_busy(hand: _Hand, premises: Assumptions, todo: deque[Numbered], replies: SimpleQueue[_Reply]) -> None:
    """Let a hand answer questions until none is left. What goes wrong is a reply, too."""
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # for the thread that waits for replies, not for Z3
    try:
        with hand.lock:
            hand.wait()
            while todo:
                try:
                    number, question = todo.popleft()
                except IndexError:  # another thread took the last one
                    return
                replies.put((number, hand.answer(premises, question)))
    except BaseException as error:
        replies.put(error)


class _Here:
    """This process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._solver: Solver | None = None
        self._closed = False

    def wait(self) -> None:
        if self._closed:
            raise Interrupted

    def answer(self, premises: Assumptions, question: Query) -> tuple[SolverResult, ...]:
        if self._solver is None or self._solver.premises is not premises:
            self._solver = Solver(premises)
        return self._solver.answer(question)

    def close(self) -> None:
        """Stop what it is at work on."""
        self._closed = True
        while not self.lock.acquire(timeout=PATIENCE):
            if self._solver is not None:
                self._solver.interrupt()
        self.lock.release()


class _Other:
    """Another process. It ends when this one does, however that comes about."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self._ready = False
        self._premises: Assumptions | None = None
        spawning = multiprocessing.get_context("spawn")
        self._connection, theirs = spawning.Pipe()
        self._process = spawning.Process(target=_work, args=(theirs,), daemon=True)
        with _deaf_to_interrupts():
            self._process.start()
        theirs.close()

    def wait(self) -> None:
        if not self._ready:
            self._received()
            self._ready = True

    def answer(self, premises: Assumptions, question: Query) -> tuple[SolverResult, ...]:
        try:
            self._connection.send((None if premises is self._premises else premises, question))
        except OSError as error:
            raise WorkerLost from error
        self._premises = premises
        found = self._received()
        if isinstance(found, BaseException):
            raise found
        return found

    def _received(self) -> tuple[SolverResult, ...] | BaseException:
        try:
            found: tuple[SolverResult, ...] | BaseException = self._connection.recv()
        except (EOFError, OSError) as error:
            raise WorkerLost from error
        return found

    def close(self) -> None:
        """End the process."""
        self._process.terminate()
        self._process.join()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started here never get Ctrl-C, which is for the one that started them."""
    resource_tracker.ensure_running()  # it would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(connection: Connection) -> None:
    """In another process: answer what is asked. It says at first, with an empty answer, that it has started."""
    threading.Thread(target=_end_with_parent, daemon=True).start()
    connection.send(())
    solver: Solver | None = None
    while True:
        try:
            premises, question = connection.recv()
        except EOFError:
            return
        try:
            if premises is not None:
                solver = Solver(premises)
            assert solver is not None, "the first question comes with its premises"
            found: tuple[SolverResult, ...] | Exception = solver.answer(question)
        except Exception as error:  # told where the answer is waited for
            found = error
        connection.send(found)


def _end_with_parent() -> None:
    """Z3 may be at work for minutes on what nobody waits for any more."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
