"""Entries of the catalogue searched side by side, each in a process of its own on one processor.

What comes back is plain data, and traces as their files have them: the results are those of one process. Promises, and
what was not searched to its end, are left to the process that asks, which says why.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from epochal.checker.engines import local_search
from epochal.checker.host.measure import memory_limit
from epochal.checker.search.patience import Patience
from epochal.checker.search.result import CheckResult, Options, PropertyResult, Verdict
from epochal.checker.tasks.chosen_engine import Where, apart
from epochal.checker.tasks.worker_processes import usable_processes
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.trace import Trace
from epochal.kafka.catalogue import CatalogueProgress, ScenarioResult, is_promise, noted, run, sides
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.language import Protocol

FEWEST = 4
"""How many entries are worth other processes."""

NOT_PLAIN = ("protocol", "properties", "model", "error", "liveness", "cluster")
"""What a side does not say in plain data; of properties it has one."""


@dataclass(frozen=True)
class Side:
    """One search of an entry: the facts of its result, and of its property the id, verdict and trace (ITF)."""

    facts: dict[str, Any]
    property: str
    verdict: Verdict
    trace: str | None


@dataclass(frozen=True)
class Found:
    """Both searches of an entry, and where the trace was replayed."""

    faulty: Side
    sound: Side
    replayed: str


class EntryAnswering:
    """Searches entries by their names, in a process of its own."""

    def __init__(self, options: Options) -> None:
        self._options = options

    def answer(self, name: str, /) -> Found | None:
        """What both searches of an entry found; None if one was not made to its end."""
        entry = next(one for one in CATALOGUE if one.name == name)
        for result in run([entry], local_search("native"), self._options, None):
            if all(one.exhaustive or one.properties[0].trace for one in (result.faulty, result.sound)):
                return Found(_side(result.faulty), _side(result.sound), result.replayed)
        return None

    def interrupt(self) -> None:
        """Nothing: a process of its own is ended."""


def searched_apart(
    wanted: Sequence[KnownBug], options: Options, report: Callable[[CatalogueProgress], None] | None
) -> Iterator[tuple[int, ScenarioResult]]:
    """Entries with their places, as they are searched: none where processes are not worth it."""
    count = usable_processes(options.workers)
    todo = [(place, one.name) for place, one in enumerate(wanted) if not _promised(one)]
    if count < 2 or len(todo) < FEWEST:
        return
    began, done, states = time.monotonic(), 0, 0
    patience = Patience(progress=None if report is None else lambda _: tell(""))

    def tell(id: str) -> None:
        if report is not None:
            report(CatalogueProgress(done, len(wanted), id, states, time.monotonic() - began))

    alone = replace(options, workers=1, max_memory=options.max_memory or memory_limit() // count, progress=None)
    with (
        patience.watching("searching entries side by side"),
        apart(Where("local", count), EntryAnswering, len(todo), lambda _: None) as engine,
    ):
        for place, found in engine(alone, todo):
            if found is not None:
                result = _result(wanted[place], found)
                done, states = done + 1, states + result.faulty.distinct_states + result.sound.distinct_states
                yield place, result
            tell(wanted[place].id)


def _promised(entry: KnownBug) -> bool:
    faulty, _ = sides(entry)
    return any(is_promise(one) for one in faulty.members("leads_to") if one.name == entry.property_id)


def _side(result: CheckResult) -> Side:
    (found,) = result.properties
    names = [field.name for field in dataclasses.fields(CheckResult) if field.name not in NOT_PLAIN]
    trace = None if found.trace is None else dumps(found.trace)
    return Side({name: getattr(result, name) for name in names}, found.member.name, found.verdict, trace)


def _searched(protocol: Protocol, side: Side) -> CheckResult:
    (member,) = (
        one
        for kind in ("invariant", "action_property", "reachable")
        for one in protocol.members(kind)
        if one.name == side.property
    )
    trace = None if side.trace is None else _trace(protocol, side.trace)
    return CheckResult(protocol=protocol, properties=(PropertyResult(member, side.verdict, trace),), **side.facts)


def _trace(protocol: Protocol, text: str) -> Trace:
    return decode(text, lambda _: type(protocol))


def _result(entry: KnownBug, found: Found) -> ScenarioResult:
    """The result that the process has had."""
    faulty, sound = (
        _searched(protocol, side) for protocol, side in zip(sides(entry), (found.faulty, found.sound), strict=True)
    )
    (shown,) = faulty.properties
    if shown.trace is None or shown.verdict != "violated":
        return ScenarioResult(entry, faulty, sound, None, "")
    return ScenarioResult(entry, faulty, sound, noted(entry, shown.trace), found.replayed)
