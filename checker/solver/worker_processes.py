"""Questions answered by this process and by others beside it.

Z3 holds a lock in each process, so threads would wait for each other. This process answers as well, in a thread: so the
thread that waits for answers can always tell of progress, and heeds Ctrl-C at once.

The others run a command of their own, `worker.py`. The processes of `multiprocessing` would run the main module of the
user again: a script without `if __name__ == "__main__"`, or what stands in no file at all.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
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


WORKER = "epochal.checker.solver.worker"
"""The module that another process runs."""

_STARTED = (
    "import runpy, sys; module, connection, *sys.path = sys.argv[1:]; sys.argv[1:] = [connection]; "
    "runpy.run_module(module, run_name='__main__')"
)
"""How it starts: with the modules that this process would find, and nothing of its main module."""


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
        ours, theirs = socket.socketpair()
        with _deaf_to_interrupts(), theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", _STARTED, WORKER, str(theirs.fileno()), *_import_path()],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self._connection = Connection(ours.detach())

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
        self._process.kill()
        self._process.wait()
        self._connection.close()


def _import_path() -> list[str]:
    """Where this process finds modules. Python passes over what is no text, which an argument could not be."""
    return [entry for entry in sys.path if isinstance(entry, str)]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started here never get Ctrl-C, which is for the one that started them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
