"""Mutants checked apart from each other, in processes of their own, and told as if one process had checked them in
turn.

A process loads the protocol by its name and makes the mutants again, so that nothing but names and answers travels. It
compares the compiled protocol with the one that was searched, before it says anything. What its share of the memory is
too small for, or what ends it, is checked by the process that asks, with all that there is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.language import Protocol
from epochal.spec.loading import load

from ..base.machine import memory_limit
from ..search import native as breadth_first
from ..search.findings import compiled_for
from ..search.result import CheckResult, Options
from ..workers.chosen_engine import Where, apart
from ..workers.pool import Answering, WorkerLost, usable_processes
from .mutants import Mutant, mutants_of
from .result import Judge, Original, Outcome, program_of

FEWEST = 8
"""How many mutants are worth other processes, each of which compiles the protocol itself."""

Told = dict[str, Any]
"""An outcome without its mutant: plain data."""


@dataclass(frozen=True)
class Premises:
    """What a process needs to check mutants: how the protocol is called, its bounds, facts of its search, options.

    `shares` says that the options' memory is a share of the machine's, and no budget that somebody has set.
    """

    reference: str
    bounds: Mapping[str, int]
    facts: Mapping[str, Any]
    options: Options
    shares: bool = False


class MutantAnswering(Answering[str, Told | None]):
    """Checks mutants by their ids. Raises EpochalError for a protocol that has changed since it was searched."""

    def __init__(self, premises: Premises) -> None:
        protocol = load(premises.reference, **premises.bounds)
        original = Original(protocol, **premises.facts)
        asked = replace(premises.options, all_violations=True)
        if program_of(compiled_for(protocol, asked, lambda _: None)) != original.program:
            raise EpochalError(f"{premises.reference} has changed while its mutants were checked", "Try them again.")
        self._judge = Judge(original, self._searched, premises.options)
        self._shares, self._short = premises.shares, False
        self._mutants = {mutant.id: mutant for mutant in mutants_of(protocol)}

    def answer(self, id: str, /) -> Told | None:
        """What becomes of a mutant, or that the time is spent; None if a share of the memory is too little to tell."""
        self._short = False
        try:
            outcome = next(self._judge.outcomes([self._mutants[id]]))
        except MemoryError:
            return None
        return None if outcome.verdict == "open" and self._short and self._shares else _told(outcome)

    def _searched(self, protocol: Protocol, options: Options) -> CheckResult:
        """A search, of which is remembered whether it had too little memory."""
        result = breadth_first.check(protocol, options)
        self._short = result.limit == "memory" or result.liveness.reason.startswith("memory")
        return result


def checked_in_workers(
    judge: Judge, mutants: Sequence[Mutant], reference: str, workers: int | None
) -> Iterator[tuple[int, Outcome]]:
    """Yield the index and the outcome of each mutant that `Judge.outcomes` tries, in the order of the answers.

    After Ctrl-C the remaining mutants are skipped. This process checks a mutant again if its worker process ended or
    had too little memory. Raises KeyboardInterrupt if this process is interrupted.
    """
    count = usable_processes(workers)
    memory = judge.options.max_memory or memory_limit() // count
    facts = {
        field.name: getattr(judge.original, field.name)
        for field in dataclasses.fields(Original)
        if field.name != "protocol"
    }
    bounds = judge.original.protocol.bounds.as_dict()
    alone = replace(judge.options, workers=1, max_memory=memory, progress=None)
    premises = Premises(reference, bounds, facts, alone, shares=judge.options.max_memory is None)
    places = {mutant.id: place for place, mutant in enumerate(mutants)}
    later = [place for place, one in enumerate(mutants) if places.get(one.shared, place) < place]
    first = [place for place in range(len(mutants)) if place not in set(later)]
    survived: set[str] = set()
    for wave in (first, later):
        asked = [(place, mutants[place].id) for place in wave if mutants[place].shared not in survived]
        for place, told in _answered(Where("local", count), premises, asked):
            outcome = Outcome(mutants[place], **told) if told is not None else _judged_here(judge, mutants[place])
            if outcome.verdict == "survived":
                survived.add(outcome.mutant.id)
            yield place, outcome


def _answered(where: Where, premises: Premises, asked: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Told | None]]:
    """The answers of processes as they come; then, when these have ended, None for each question without one."""
    if not asked:
        return
    left = {place for place, _ in asked}
    try:
        with apart(where, MutantAnswering, len(asked), lambda _: None) as engine:
            for place, told in engine(premises, asked):
                if told is not None:
                    left.remove(place)
                    yield place, told
    except WorkerLost:  # no process starts any more
        pass
    yield from ((place, None) for place in sorted(left))


def _judged_here(judge: Judge, mutant: Mutant) -> Outcome:
    """What becomes of a mutant, checked by this process alone."""
    for outcome in judge.outcomes([mutant]):
        return outcome
    raise KeyboardInterrupt


def _told(outcome: Outcome) -> Told:
    return {field.name: getattr(outcome, field.name) for field in dataclasses.fields(Outcome) if field.name != "mutant"}


@dataclass(frozen=True)
class MutantJudge:
    """A protocol that has been searched in this process, and its mutants by id."""

    judge: Judge
    mutants: Mapping[str, Mutant]

    def outcome_of(self, id: str) -> Outcome:
        """What becomes of a mutant."""
        return self.judge.outcome(self.mutants[id])


@lru_cache(maxsize=2)
def judge_of(
    protocol: Protocol,
    reference: str,
    options: tuple[tuple[str, Any], ...],
    max_memory: int | None = None,
) -> MutantJudge:
    """The check of a protocol's mutants; a few are kept, by the protocol itself.

    `options` are those of the searches, each within `max_memory`. Raises EpochalError if the protocol itself cannot be
    searched completely.
    """
    asked = Options(
        **{"all_violations": True, "liveness": True, "workers": 1, "max_memory": max_memory, **dict(options)}
    )
    original = breadth_first.check(protocol, asked)
    if original.error is not None or not original.exhaustive:
        why = original.cut if original.error is None else original.error.message
        cut = ExitCode.ENGINE_FAILURE if original.cut_by_machine else ExitCode.INCONCLUSIVE
        code = cut if original.error is None else ExitCode.EVALUATION_FAILED
        advice = "Correct the rule." if original.error is not None else "Use smaller bounds, or larger limits."
        raise EpochalError(f"{reference} itself cannot be searched completely: {why}", advice, exit_code=code)
    judge = Judge(Original.of(original), breadth_first.check, replace(asked, all_violations=False))
    return MutantJudge(judge, {mutant.id: mutant for mutant in mutants_of(protocol)})
