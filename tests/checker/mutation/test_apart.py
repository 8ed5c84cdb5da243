"""What a process of its own cannot tell of a mutant, the process that asks tells, as if there were no other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any

import pytest

from epochal.checker.mutation import result as module
from epochal.checker.mutation.mutants import Mutant, mutants_of
from epochal.checker.mutation.result import (
    Judge,
    MutantAnswering,
    Original,
    Outcome,
    Premises,
    Told,
    checked_in_workers,
)
from epochal.checker.search import native as breadth_first
from epochal.checker.search.result import Options
from epochal.checker.workers.pool import WorkerLost, one_by_one
from epochal.spec.loading import load

LOSING = "tests.checker.workers.losing_worker"


pytestmark = pytest.mark.xdist_group("mutants apart")


@pytest.fixture(scope="module")
def asked() -> tuple[Judge, list[Mutant], list[Outcome]]:
    """A protocol that was searched, some of its mutants, and what one process says of them."""
    protocol = load("async-isr", replicas=2, max_offset=1, max_version=1)
    original = Original.of(breadth_first.check(protocol, Options(all_violations=True)))
    judge = Judge(original, breadth_first.check, Options(workers=1))
    mutants = list(mutants_of(protocol))[:3]
    return judge, mutants, list(judge.outcomes(mutants))


def in_order(found: Iterator[tuple[int, Outcome]]) -> list[Outcome]:
    """The outcomes by their places."""
    return [outcome for _, outcome in sorted(found, key=lambda one: one[0])]


def test_what_a_share_of_the_memory_is_too_small_for(
    asked: tuple[Judge, list[Mutant], list[Outcome]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, mutants, alone = asked
    monkeypatch.setattr(module, "memory_limit", lambda: 2)
    told: list[Told | None] = []

    class Heard(MutantAnswering):
        def answer(self, id: str, /) -> Told | None:
            told.append(super().answer(id))
            return told[-1]

    monkeypatch.setattr(module, "apart", lambda *_: nullcontext(partial(one_by_one, Heard)))
    assert in_order(checked_in_workers(judge, mutants, "async-isr", 2)) == alone
    assert told and None in told


def test_a_budget_of_memory_that_somebody_has_set_is_no_share(
    asked: tuple[Judge, list[Mutant], list[Outcome]],
) -> None:
    """Nobody searches again within the same memory."""
    judge, mutants, _ = asked
    known = {name: value for name, value in vars(judge.original).items() if name != "protocol"}
    bounds = judge.original.protocol.bounds.as_dict()
    found = MutantAnswering(Premises("async-isr", bounds, known, Options(workers=1, max_memory=1)))
    (told,) = (one for one in (found.answer(mutant.id) for mutant in mutants[:1]))
    assert told is not None and told["verdict"] == "open" and "memory budget" in told["message"]


def test_processes_that_die_end_nothing(
    asked: tuple[Judge, list[Mutant], list[Outcome]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, mutants, alone = asked
    monkeypatch.setattr("epochal.checker.workers.pool.WORKER", LOSING)
    monkeypatch.setenv("EPOCHAL_TEST_WORKER", "dies")
    assert in_order(checked_in_workers(judge, mutants, "async-isr", 2)) == alone


def test_a_process_that_never_starts_ends_nothing(
    asked: tuple[Judge, list[Mutant], list[Outcome]], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, mutants, alone = asked

    def engine(premises: Any, questions: Sequence[tuple[int, str]]) -> Iterator[tuple[int, Told | None]]:
        yield from list(one_by_one(MutantAnswering, premises, questions))[:1]
        raise WorkerLost

    monkeypatch.setattr(module, "apart", lambda *_: nullcontext(engine))
    assert in_order(checked_in_workers(judge, mutants, "async-isr", 2)) == alone


def test_ctrl_c_ends_what_this_process_judges(asked: tuple[Judge, list[Mutant], list[Outcome]]) -> None:
    judge, mutants, _ = asked

    class Stopped(Judge):
        def outcomes(self, mutants: Any) -> Iterator[Outcome]:
            return iter(())

    with pytest.raises(KeyboardInterrupt):
        module._judged_here(Stopped(judge.original, judge.search, judge.options), mutants[0])
