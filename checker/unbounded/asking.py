"""Asking many questions: from the cache where the same was asked before, else here or in worker processes."""

from __future__ import annotations

import hashlib
import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from multiprocessing.connection import Connection
from pathlib import Path
from queue import Empty, SimpleQueue

import z3

from epochal.errors import EngineError

from ..host.cache import Cache
from ..solver.dispatch import Progress
from .ladder import Answer, Question, ask

ANSWERS = Cache("unbounded", "json", most=50_000)
WAYS = Cache("unbounded-ways", "json", most=50_000)
"""Which way had the answer to a question of this name, for when it is asked again in other words."""

MEANING_FILES = ("ladder.py", "pools.py", "z3_terms.py", "../parametric/terms.py", "../solver/interruptible.py")
"""The files whose text decides what a question means to the solver; part of every key."""

STARTED = """
import sys
sys.path[:] = sys.argv[2:]
from multiprocessing.connection import Connection
from epochal.checker.unbounded.worker import work
work(Connection(int(sys.argv[1])))
"""
"""What a worker process runs. Its arguments are one end of a socket, by number, and where modules are found."""

WAITING = 0.05
"""Seconds for which an answer is waited for at a time."""

Named = tuple[str, Question]
"""A question, with a name that it keeps when its protocol changes."""


class Asking:
    """Asks questions and keeps count for the progress."""

    def __init__(
        self, workers: int, cached: bool, unit: int, progress: Callable[[Progress], None] | None = None
    ) -> None:
        self.workers, self.cached, self.unit, self.progress = workers, cached, unit, progress
        self.from_cache = 0
        self._started = time.monotonic()
        self._done = self._asked = 0
        self._meaning = _meaning()

    def __call__(self, questions: Sequence[Named], steep: bool) -> list[Answer]:
        """The answers, in the order of the questions."""
        self._asked += len(questions)
        found: dict[int, Answer] = {}
        keys = [self._key(question, steep) for _, question in questions]
        for number, key in enumerate(keys if self.cached else ()):
            if (known := _decoded(ANSWERS.read(key))) is not None:
                found[number] = replace(known, seconds=0.0)
                self.from_cache += 1
                self._told()
        left = [number for number in range(len(questions)) if number not in found]
        hints = {number: self._hint(questions[number][0]) for number in left}
        for number, answer in self._engine([(n, questions[n][1], hints[n]) for n in left], steep):
            found[number] = answer
            self._told()
            if self.cached:
                ANSWERS.write(keys[number], json.dumps(asdict(answer)).encode())
                if answer.proved:
                    WAYS.write(_digest(questions[number][0]), json.dumps(answer.rung).encode())
        return [found[number] for number in range(len(questions))]

    def tell(self, compiling: bool = False) -> None:
        """Report the progress."""
        if self.progress is not None:
            seconds = time.monotonic() - self._started
            self.progress(Progress(self._done, self._asked, self.from_cache, 0, seconds, compiling=compiling))

    def _told(self) -> None:
        self._done += 1
        self.tell()

    def _key(self, question: Question, steep: bool) -> str:
        return _digest(question.digest, self.unit, steep, self._meaning)

    def _hint(self, name: str) -> str:
        content = WAYS.read(_digest(name)) if self.cached else None
        return "" if content is None else str(json.loads(content))

    def _engine(self, questions: list[tuple[int, Question, str]], steep: bool) -> Iterator[tuple[int, Answer]]:
        count = min(self.workers, len(questions))
        if count <= 1:
            for number, question, hint in questions:
                yield number, ask(question, self.unit, steep, hint)
        else:
            yield from _in_processes(count, questions, self.unit, steep)


def _in_processes(
    count: int, questions: list[tuple[int, Question, str]], unit: int, steep: bool
) -> Iterator[tuple[int, Answer]]:
    """The answers of so many processes, in the order in which they come. They end with this one."""
    todo, answers = SimpleQueue[tuple[int, Question, str]](), SimpleQueue[tuple[int, Answer] | BaseException]()
    for one in questions:
        todo.put(one)
    with _deaf_to_interrupts():
        processes = [_Worker() for _ in range(count)]
    try:
        for process in processes:
            threading.Thread(target=_keep_busy, args=(process, todo, answers, unit, steep), daemon=True).start()
        for _ in questions:
            answer = _next(answers)
            if isinstance(answer, BaseException):
                raise EngineError("a worker process has died", "Use --workers 1.") from answer
            yield answer
    finally:
        for process in processes:
            process.close()


class _Worker:
    """A process that answers questions. It ends when this one does, however that comes about."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair()
        path = [entry for entry in sys.path if isinstance(entry, str)]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", STARTED, str(theirs.fileno()), *path],
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        self.connection = Connection(ours.detach())

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        self.connection.close()


def _keep_busy(
    worker: _Worker,
    todo: SimpleQueue[tuple[int, Question, str]],
    answers: SimpleQueue[tuple[int, Answer] | BaseException],
    unit: int,
    steep: bool,
) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        while True:
            number, question, hint = todo.get_nowait()
            worker.connection.send((question, unit, steep, hint))
            answers.put((number, worker.connection.recv()))
    except Empty:
        return
    except BaseException as error:  # told where the answer is waited for
        answers.put(error)


def _next(answers: SimpleQueue[tuple[int, Answer] | BaseException]) -> tuple[int, Answer] | BaseException:
    while True:
        try:
            return answers.get(timeout=WAITING)
        except Empty:
            continue


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that are started here never get Ctrl-C, which is for the one that started them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _decoded(content: bytes | None) -> Answer | None:
    return None if content is None else Answer(**json.loads(content))


def _digest(*content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=20).hexdigest()


def _meaning() -> str:
    """A digest of the code that turns questions into answers, and of the solver."""
    here = Path(__file__).parent
    return _digest(z3.get_full_version(), *((here / name).read_bytes() for name in MEANING_FILES))
