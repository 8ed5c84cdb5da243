"""Random protocols with counters: a search with dominance says what a search of every state says, in both engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.dominance import budgets
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native, reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.language import LanguageError, Protocol
from tests.checker.dominance.comparison import refuse_differences
from tests.checker.dominance.programs import instance

PLAIN = Tuning(optimise_after=float("inf"), share_from=0)


@cache
def searched(seed: int) -> tuple[Protocol, CheckResult] | None:
    """A random protocol with the search of all its states; None for one that can never do one of its steps."""
    protocol = instance(seed)
    try:
        return protocol, reference_engine.check(protocol, Options(all_violations=True))
    except LanguageError:
        return None


def programs(seeds: range) -> Iterator[tuple[Protocol, CheckResult]]:
    """The random protocols of some seeds, each with the search of all its states."""
    return (found for found in map(searched, seeds) if found is not None)


def figures(result: CheckResult) -> tuple[object, ...]:
    """What must be the same in every engine."""
    counts = result.distinct_states, result.transitions, result.depth, result.terminal_states, result.left_constraint
    runs = [(one.trace and (one.trace.initial, one.trace.steps)) for one in result.properties]
    return counts, result.state_digest, result.step_digest, result.actions, result.dominance, result.exit_code, runs


def compare(seeds: range) -> tuple[int, int]:
    """Compare some programs; how many states were explored without dominance, and with it."""
    without = with_it = 0
    for protocol, every in programs(seeds):
        fewer = reference_engine.check(protocol, Options(all_violations=True, dominance=True))
        refuse_differences(every, fewer)
        if any(one.trace for one in every.properties):
            refuse_differences(*(reference_engine.check(protocol, Options(dominance=on)) for on in (False, True)))
        assert fewer.dominance is not None
        without += every.distinct_states
        with_it += fewer.distinct_states - fewer.dominance.left_out
    return without, with_it


@pytest.mark.parametrize("first", [0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000, 2_200, 2_400])
def test_the_same_is_said(first: int) -> None:
    """Verdicts, least lengths, rules that fail and actions that are never taken."""
    without, with_it = compare(range(first, first + (50 if first == 0 else 200)))
    assert with_it < without / 1.5


@pytest.mark.parametrize("seed", range(24))
def test_the_engines_agree(seed: int, tmp_path: Path) -> None:
    """One worker, three, files, and fingerprints: the same states, digests, runs and states left out."""
    found = searched(seed)
    if found is None:
        return
    protocol, _ = found
    options = Options(all_violations=True, dominance=True, cross_check="all")
    expected = figures(reference_engine.check(protocol, options))
    for asked in (
        replace(options, workers=1),
        replace(options, workers=3),
        replace(options, workers=2, spill=tmp_path),
        replace(options, compact=True, spill=tmp_path),
    ):
        assert figures(native.check(protocol, asked, tuning=PLAIN)) == expected, asked


def _nothing(*_: Any) -> list[Any]:
    return []


COUNTS_DOWN = budgets._Analysis.counts_down


def _the_other_way(self: budgets._Analysis, leaf: int) -> bool | None:
    found = COUNTS_DOWN(self, leaf)
    return None if found is None else not found


DEFECTS: dict[str, tuple[str, Callable[..., Any], int]] = {
    "what other leaves read": ("_read_by_others", lambda self: 0, 183),
    "own values that fall": ("_values", _nothing, 8),
    "guards": ("_enabling", _nothing, 32),
    "rules that fail": ("_failing", _nothing, 47),
    "properties": ("_of_property", _nothing, 1),
    "the constraint": ("_within", _nothing, 338),
    "the direction": ("counts_down", _the_other_way, 1),
}
"""A part of the analysis, what stands in its place, and the first program that shows it."""


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_condition_is_needed(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of an analysis without one of its conditions some program shows that it is wrong."""
    name, instead, seed = DEFECTS[defect]
    compare(range(seed, seed + 1))
    monkeypatch.setattr(budgets._Analysis, name, instead)
    with pytest.raises(AssertionError):
        compare(range(seed, seed + 1))
