"""Answers that come while others are being looked at: none is lost. Spark is played by threads of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from epochal.checker.workers import on_spark
from epochal.checker.workers.worker import ANSWERS

QUESTIONS = [(number, number) for number in range(5)]


class Squares:
    """Answers with the square of a number."""

    def __init__(self, premises: None) -> None:
        pass

    def answer(self, question: int, /) -> int:
        """The square."""
        return question * question

    def interrupt(self) -> None:
        """Nothing takes long."""


class Context:
    """As much of a Spark context as is needed. After the first task the others wait until somebody has its answer."""

    def __init__(self) -> None:
        self.seen, self.done = threading.Event(), threading.Event()

    @property
    def sparkContext(self) -> Context:  # noqa: N802
        return self

    def setJobGroup(self, group: str, words: str, *, interruptOnCancel: bool) -> None:  # noqa: N802, N803
        pass

    def broadcast(self, value: bytes) -> Any:
        return SimpleNamespace(value=value, destroy=lambda: None)

    def accumulator(self, value: list[Any], how: Any) -> Any:
        held = SimpleNamespace(value=value)
        held.add = lambda more: setattr(held, "value", how.addInPlace(held.value, more))
        return held

    def parallelize(self, items: Sequence[Any], parts: int) -> Any:
        def foreach(task: Callable[[Any], None]) -> None:
            for item in items:
                task(item)
                self.seen.wait()
            self.done.set()

        return SimpleNamespace(foreach=foreach)


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Iterator[Context]:
    found = Context()
    monkeypatch.setenv(ANSWERS, "")
    monkeypatch.delenv(ANSWERS)  # what a task sets in an executor is not to stay here
    monkeypatch.setattr(on_spark, "check_installation", lambda: None)
    monkeypatch.setattr(on_spark, "open_session", lambda *_: found)
    yield found
    found.seen.set()


def test_answers_that_come_while_others_are_looked_at(context: Context) -> None:
    told = []
    for number, answer in on_spark.on_spark("local", Squares)(None, QUESTIONS):
        told.append((number, answer))
        context.seen.set()
        context.done.wait()
    assert told == [(number, number * number) for number, _ in QUESTIONS]
