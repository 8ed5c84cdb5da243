"""Faults that nothing is known of yet, searched side by side: each in a process of its own, on one processor.

What its share of the memory is too small for, or what ends it, is left to the process that asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from epochal.checker.host.measure import memory_limit
from epochal.checker.search.patience import Patience
from epochal.checker.tasks.chosen_engine import Where, apart
from epochal.checker.tasks.worker_processes import WorkerLost, usable_processes
from epochal.kafka.cases import Case, is_undecided, keep
from epochal.kafka.guarantees import GuaranteeOptions, searched
from epochal.kafka.usual_answers import Answer
from epochal.spec.kraft.guarantees import guarded
from epochal.spec.language.configurable import configuration_of
from epochal.spec.language.reference import reference_to
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress
    from epochal.spec.kraft.configuration import ConfigurableKraft

FEWEST = 2
"""How many searches are worth other processes."""

Question = tuple[str, dict[str, Any], dict[str, int]]
"""A registered protocol, its settings and the bounds of the search."""


class FaultAnswering:
    """Searches for what faults break, in a process of its own. Raises EpochalError if a rule cannot be evaluated."""

    def __init__(self, wish: GuaranteeOptions) -> None:
        self._wish = wish

    def answer(self, question: Question, /) -> Answer | None:
        """What one search decides; None if there is too little memory for it."""
        name, settings, bounds = question
        kind = guarded(settings, cast("type[ConfigurableKraft]", registered(name)))
        try:
            result, answer, _ = searched(instantiate(kind, bounds), reference_to(name, kind), self._wish)
        except MemoryError:
            return None
        return None if result.limit == "memory" else answer

    def interrupt(self) -> None:
        """Nothing: a process of its own is ended."""


def decided_apart(
    cases: Sequence[Case], wish: GuaranteeOptions, progress: Callable[[Progress], None] | None
) -> tuple[dict[int, Answer], bool]:
    """The answers to cases that have to be searched, by their places, and whether Ctrl-C has ended that.

    There are none where processes are not worth it, or runs are wanted, which are of one process; and none of a case
    that a process could not answer, because its share of the memory was too small or it ended.
    """
    count = usable_processes(wish.workers)
    if count < 2 or wish.traces or not (wish.cached and wish.searches):
        return {}, False
    todo: list[tuple[int, Question]] = [
        (place, (case.asked.name, dict(configuration_of(case.kind)), dict(case.bounds)))
        for place, case in enumerate(cases)
        if case.asked.is_registered and is_undecided(case)
    ]
    if len(todo) < FEWEST:
        return {}, False
    alone = replace(wish, workers=1, max_memory=wish.max_memory or memory_limit() // count)
    answers: dict[int, Answer] = {}
    patience = Patience(progress=progress)
    try:
        with (
            patience.watching(f"{len(todo)} faults, side by side"),
            apart(Where("local", count), FaultAnswering, len(todo), lambda _: None) as engine,
        ):
            for place, answer in engine(alone, todo):
                if answer is None:
                    continue
                answers[place] = answer
                keep(cases[place], answer)
                patience.doing = f"{len(answers)} of {len(todo)} faults decided, side by side"
    except WorkerLost:  # no process starts any more
        return answers, False
    except KeyboardInterrupt:
        return answers, True
    return answers, False
