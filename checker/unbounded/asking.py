"""Asking many questions: from the cache where the same was asked before, else of an engine."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import z3

from ..host.cache import Cache
from ..solver.dispatch import Progress
from ..tasks.answering import Engine
from .ladder import Answer, Effort, Question

ANSWERS = Cache("unbounded", "json", most=50_000)
MEANING_FILES = (
    "ladder.py",
    "pools.py",
    "sizes.py",
    "z3_terms.py",
    "../parametric/terms.py",
    "../solver/interruptible.py",
)
"""The files whose text decides what a question means to the solver; part of every key."""


class Asking:
    """Asks questions of an engine and keeps count for the progress. `unit` is in resource units."""

    def __init__(
        self,
        engine: Engine[Effort, Question, Answer],
        cached: bool,
        unit: int,
        progress: Callable[[Progress], None] | None = None,
    ) -> None:
        self._engine, self.cached, self.unit, self.progress = engine, cached, unit, progress
        self.from_cache = 0
        self._started = time.monotonic()
        self._done = self._asked = 0
        self._meaning = _meaning()

    def __call__(self, questions: Sequence[Question], steep: bool) -> list[Answer]:
        """The answers, in the order of the questions."""
        self._asked += len(questions)
        keys = [self._key(question, steep) for question in questions]
        found = self._remembered(keys)
        for _ in found:
            self.from_cache += 1
            self._told()
        left = [number for number in range(len(questions)) if number not in found]
        asked = [(number, questions[number]) for number in left]
        for number, answer in self._engine(Effort(self.unit, steep), asked) if asked else ():
            found[number] = answer
            self._told()
            if self.cached:
                ANSWERS.write(keys[number], json.dumps(asdict(answer)).encode())
        if self.cached and left:
            ANSWERS.forget_oldest()
        return [found[number] for number in range(len(questions))]

    def remembers(self, questions: Sequence[Question], steep: bool) -> bool:
        """Whether all of these were answered with yes before."""
        known = self._remembered([self._key(question, steep) for question in questions])
        return len(known) == len(questions) and all(answer.proved for answer in known.values())

    def _remembered(self, keys: Sequence[str]) -> dict[int, Answer]:
        """The answers that the cache has, by number."""
        known = ((number, _decoded(ANSWERS.read(key))) for number, key in enumerate(keys if self.cached else ()))
        return {number: replace(answer, seconds=0.0) for number, answer in known if answer is not None}

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


def _decoded(content: bytes | None) -> Answer | None:
    return None if content is None else Answer(**json.loads(content))


def _digest(*content: object) -> str:
    return hashlib.blake2b(repr(content).encode(), digest_size=20).hexdigest()


def _meaning() -> str:
    """A digest of the code that turns questions into answers, and of the solver."""
    here = Path(__file__).parent
    return _digest(z3.get_full_version(), *((here / name).read_bytes() for name in MEANING_FILES))
