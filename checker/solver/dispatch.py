"""Asking many questions: from the cache where the same was asked before, else by an engine, in any order.

An engine answers questions as it likes, here, in worker processes or on a cluster; the replies are the same.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..base.cache import Cache
from ..identity.engine import key
from ..workers.pool import Engine as EngineOf
from ..workers.pool import one_by_one
from .answer import EVERY, SPENT, Assumptions, Query, Solver, SolverResult

Numbered = tuple[int, Query]
Engine = EngineOf[Assumptions, Query, tuple[SolverResult, ...]]
"""Answers the questions of a proof within bounds."""

PROOFS = Cache("proofs", "json", most=20_000)


@dataclass(frozen=True)
class Reply:
    """The answers to one question, and whether they are from the cache."""

    found: tuple[SolverResult, ...]
    cached: bool


@dataclass(frozen=True)
class Progress:
    """A snapshot of a running proof: questions answered and asked, obligations that failed, wall seconds.

    `states` is 0 until the search for first states of counterexamples begins, and then how many it has seen.
    `compiling` is true before the first question, while the questions are still being made.
    """

    done: int
    asked: int
    cached: int
    failed: int
    seconds: float
    states: int = 0
    compiling: bool = False


class QueryRunner:
    """Asks questions and keeps count for the progress. `cached` is false if the cache is not to be used.

    While the specification is compiled, that is told every so many seconds.
    """

    def __init__(
        self, engine: Engine, cached: bool, progress: Callable[[Progress], None] | None = None, every: float = EVERY
    ) -> None:
        self.engine, self.cached, self.progress, self._every = engine, cached, progress, every
        self._started = time.monotonic()
        self._done = self._asked = self._from_cache = self._failed = 0

    def __call__(self, premises: Assumptions, questions: Sequence[Query]) -> list[Reply]:
        """The replies, in the order of the questions."""
        self._asked += len(questions)
        replies: dict[int, Reply] = {}
        keys = [key("proofs", question.key(premises)) for question in questions] if self.cached else []
        for number, at in enumerate(keys):
            known = _decoded(PROOFS.read(at))
            if known is not None:
                replies[number] = self._counted(Reply(known, cached=True))
        left = [(number, question) for number, question in enumerate(questions) if number not in replies]
        for number, found in self.engine(premises, left) if left else ():
            replies[number] = self._counted(Reply(found, cached=False))
            # a spent limit is an answer that the same question has again, a lack of memory is none
            if self.cached and all(one.verdict != "unknown" or one.reason == SPENT for one in found):
                PROOFS.write(keys[number], _encoded(found))
        if self.cached and left:
            PROOFS.forget_oldest()
        return [replies[number] for number in range(len(questions))]

    def tell(self, states: int = 0, compiling: bool = False) -> None:
        """Report the progress; `states` have been searched for first states."""
        if self.progress is not None:
            seconds = time.monotonic() - self._started
            now = Progress(self._done, self._asked, self._from_cache, self._failed, seconds, states, compiling)
            self.progress(now)

    @contextmanager
    def compiling(self) -> Iterator[None]:
        """While this lasts, report now and then that the specification is being compiled."""
        done = threading.Event()

        def tell() -> None:
            while not done.wait(self._every):
                self.tell(compiling=True)

        thread = threading.Thread(target=tell, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _counted(self, reply: Reply) -> Reply:
        self._done += 1
        self._from_cache += reply.cached
        self._failed += sum(one.verdict == "counterexample" for one in reply.found)
        self.tell()
        return reply


def in_this_process(
    premises: Assumptions, questions: Iterable[Numbered]
) -> Iterator[tuple[int, tuple[SolverResult, ...]]]:
    """The engine that answers one question after the other."""
    yield from one_by_one(Solver, premises, questions)


def largest_first(questions: Iterable[Numbered]) -> list[Numbered]:
    """Questions in an order that leaves no long one for the end, when only one worker would be busy."""
    return sorted(questions, key=lambda one: -len(one[1].rows) * (1 + len(one[1].preserved)))


def _encoded(found: tuple[SolverResult, ...]) -> bytes:
    return json.dumps([[f.verdict, f.seconds, f.codes, f.reason, f.core] for f in found]).encode()


def _decoded(content: bytes | None) -> tuple[SolverResult, ...] | None:
    if content is None:
        return None
    return tuple(
        SolverResult(verdict, seconds, None if codes is None else tuple(codes), reason, tuple(core))
        for verdict, seconds, codes, reason, core in json.loads(content)
    )
