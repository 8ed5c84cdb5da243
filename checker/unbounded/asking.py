"""Asking many questions: from the cache where the same was asked before, else of an engine."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace

from ..host.cache import Cache, Key
from ..identity.engine import key
from ..solver.dispatch import Progress
from ..tasks.answering import Engine
from .ladder import Answer, Effort, Question

ANSWERS = Cache("unbounded", "json", most=50_000)


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

    def _remembered(self, keys: Sequence[Key | None]) -> dict[int, Answer]:
        """The answers that the cache has, by number."""
        known = ((number, _decoded(ANSWERS.read(at))) for number, at in enumerate(keys if self.cached else ()))
        return {number: replace(answer, seconds=0.0) for number, answer in known if answer is not None}

    def tell(self, compiling: bool = False) -> None:
        """Report the progress."""
        if self.progress is not None:
            seconds = time.monotonic() - self._started
            self.progress(Progress(self._done, self._asked, self.from_cache, 0, seconds, compiling=compiling))

    def _told(self) -> None:
        self._done += 1
        self.tell()

    def _key(self, question: Question, steep: bool) -> Key | None:
        return key("unbounded proofs", question.digest, self.unit, steep)


def _decoded(content: bytes | None) -> Answer | None:
    return None if content is None else Answer(**json.loads(content))
