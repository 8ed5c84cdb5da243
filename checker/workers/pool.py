"""Who answers many questions, each apart from the others: here, in processes beside this one, or on a cluster.

What is asked differs: obligations of a proof, searches of a sweep, mutants. How questions are handed out does not.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar

from epochal.errors import EngineError

from ..base.machine import processors
from ..base.processes import deaf_to_interrupts, python_running
from .worker import ANSWERS, SOLVES, answers_for_another

PATIENCE = 0.05
"""Seconds between attempts to interrupt who answers: Z3 forgets an interruption that comes before it begins."""

P = TypeVar("P")
Q = TypeVar("Q")
A = TypeVar("A")
Asked_contra = TypeVar("Asked_contra", contravariant=True)
Answer_co = TypeVar("Answer_co", covariant=True)


class Answering(Protocol, Generic[Asked_contra, Answer_co]):
    """Answers questions about the same premises. Another thread may interrupt it, and then it is of no use any more."""

    def answer(self, question: Asked_contra, /) -> Answer_co:
        """The answer to a question."""

    def interrupt(self) -> None:
        """Let no question be answered any more: `answer` raises Interrupted. To be repeated until it has."""
        return  # where other processes alone answer: these are ended


class Interrupted(Exception):
    """There will be no answer, because somebody called `interrupt`."""


Make = Callable[[P], Answering[Q, A]]
"""What makes of premises who answers questions about them: a class of some module, so that other processes find it."""

Engine = Callable[[P, Sequence[tuple[int, Q]]], Iterator[tuple[int, A]]]
"""Answers numbered questions, and gives each answer as soon as it is there, with the number."""


def one_by_one(make: Make[P, Q, A], premises: P, questions: Iterable[tuple[int, Q]]) -> Iterator[tuple[int, A]]:
    """The engine that answers one question after the other, in this process."""
    who = make(premises)
    for number, question in questions:
        yield number, who.answer(question)


# -- worker processes -------------------------------------------------------------------------------------------------
# Questions answered by this process and by others beside it, whoever answers them.
#
# Z3 holds a lock in each process, and so does Python where it compiles: threads would wait for each other. This process
# answers as well, in a thread: the one that waits for answers can always tell of progress, and heeds Ctrl-C at once.
#
# The others run a command of their own, `worker.py`. The processes of `multiprocessing` would run the main module of
# the user again: a script without `if __name__ == "__main__"`, or what stands in no file at all.

QUESTIONS_EACH = 4
"""How many questions make another process worth its start."""


WORKER = "epochal.checker.workers.worker"
"""The module that another process runs."""


class WorkerLost(EngineError):
    """A worker process ended before it answered, for want of memory, say."""

    def __init__(self) -> None:
        super().__init__(
            "a worker process ended before it had an answer.",
            "It may have had too little memory: try one worker, or smaller bounds.",
        )


def usable_processors() -> int:
    """How many processors this process may use; one if it answers for another, which has others on the rest."""
    return 1 if answers_for_another() else processors()


def usable_processes(wanted: int | None) -> int:
    """How many processes may answer side by side: as many as are `wanted`, None: one for each processor.

    It is one in a process that answers for another, whatever is wanted.
    """
    return 1 if answers_for_another() else wanted or usable_processors()


class Workers(Generic[P, Q, A]):
    """The engine that keeps `count` processes busy, this one among them unless `here` is false; `make` makes who
    answers in each.

    Questions are handed out in the `order` that is made of them, and so many `each` are worth another process. The
    first of the others starts at once, so that it is ready when the specification has been compiled, and loads Z3 if it
    `solves`. What a process could not answer because it ended is answered by `lost`, and another one takes its place;
    without `lost` WorkerLost is raised. To be used in a `with` statement, and not again after an error.
    """

    def __init__(
        self,
        count: int,
        make: Make[P, Q, A],
        order: Callable[[Sequence[tuple[int, Q]]], Iterable[tuple[int, Q]]] = list,
        *,
        here: bool = True,
        each: int = QUESTIONS_EACH,
        solves: bool = True,
        lost: Callable[[Q], A] | None = None,
    ) -> None:
        self._count, self._make, self._order, self._each = count, make, order, each
        self._lost, self._solves = lost, solves
        self._here, self._answers = _Here(make), here
        self._others = [_Other(make, solves)] if count > here else []

    def __call__(self, premises: P, questions: Sequence[tuple[int, Q]]) -> Iterator[tuple[int, A]]:
        """The answers, in the order in which they come. Raises WorkerLost if a process dies."""
        here = [self._here] if self._answers else []
        while len(self._others) < min(self._count, len(questions) // self._each) - len(here):
            self._others.append(_Other(self._make, self._solves))
        todo = deque(self._order(questions))
        replies = SimpleQueue[tuple[int, A] | BaseException]()
        for hand in (*here, *self._others):
            work = (hand, premises, todo, replies, self._lost)
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


def _next(replies: SimpleQueue[tuple[int, A] | BaseException]) -> tuple[int, A] | BaseException:
    """The next reply. Where Z3 has handled signals before, Ctrl-C no longer ends a wait, so it is a short one."""
    while True:
        with suppress(Empty):
            return replies.get(timeout=PATIENCE)


def _keep_busy(
    hand: _Here[P, Q, A] | _Other[P, Q, A],
    premises: P,
    todo: deque[tuple[int, Q]],
    replies: SimpleQueue[tuple[int, A] | BaseException],
    lost: Callable[[Q], A] | None,
) -> None:
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
                try:
                    found = hand.answer(premises, question)
                except WorkerLost:
                    if lost is None:
                        raise
                    found = lost(question)
                    hand.begin_again()
                replies.put((number, found))
    except BaseException as error:
        replies.put(error)


class _Here(Generic[P, Q, A]):
    """This process, for one thread at a time: the one that holds the lock."""

    def __init__(self, make: Make[P, Q, A]) -> None:
        self.lock = threading.Lock()
        self._make = make
        self._about: tuple[P, Answering[Q, A]] | None = None
        self._closed = False

    def wait(self) -> None:
        """Wait until it could begin with a question."""
        if self._closed:
            raise Interrupted

    def begin_again(self) -> None:
        """Nothing: what runs here is not lost without this process."""

    def answer(self, premises: P, question: Q) -> A:
        """The answer to a question."""
        if self._about is None or self._about[0] is not premises:
            self._about = premises, self._make(premises)
        return self._about[1].answer(question)

    def close(self) -> None:
        """Stop what it is at work on."""
        self._closed = True
        while not self.lock.acquire(timeout=PATIENCE):
            if self._about is not None:
                self._about[1].interrupt()
        self.lock.release()


class _Other(Generic[P, Q, A]):
    """Another process, likewise. It ends when this one does, however that comes about."""

    def __init__(self, make: Make[P, Q, A], solves: bool) -> None:
        self.lock = threading.Lock()
        self._make, self._solves = make, solves
        self._changing = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._ready = False
        self._premises: P | None = None
        ours, theirs = socket.socketpair()
        with deaf_to_interrupts(), theirs:
            self._process = subprocess.Popen(
                python_running(WORKER, str(theirs.fileno()), *([SOLVES] if self._solves else [])),
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, ANSWERS: str(os.getpid())},
            )
        self._connection = Connection(ours.detach())

    def begin_again(self) -> None:
        """Be another process, in the place of one that has ended. Raises WorkerLost if nobody wants it any more."""
        with self._changing:
            if self._closed:
                raise WorkerLost
            self._end()
            self._start()
        self.wait()

    def wait(self) -> None:
        """Wait until it could begin with a question."""
        if not self._ready:
            self._received()
            self._ready = True

    def answer(self, premises: P, question: Q) -> A:
        """The answer to a question."""
        try:
            self._connection.send((None if premises is self._premises else (self._make, premises), question))
        except OSError as error:
            raise WorkerLost from error
        self._premises = premises
        found = self._received()
        if isinstance(found, BaseException):
            raise found
        answer: A = found
        return answer

    def _received(self) -> Any:
        try:
            return self._connection.recv()
        except (EOFError, OSError) as error:
            raise WorkerLost from error

    def close(self) -> None:
        """End the process."""
        with self._changing:
            self._closed = True
            self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        self._connection.close()
