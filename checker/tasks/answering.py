"""Who answers many questions, each apart from the others: here, in processes beside this one, or on a cluster.

What is asked differs: obligations of a proof, searches of a sweep, mutants. How questions are handed out does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, Protocol, TypeVar

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
