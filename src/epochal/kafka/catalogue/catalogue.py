"""The catalogue of known bugs, searched: each entry without its rule, and with it at the same bounds."""

from __future__ import annotations

import dataclasses
import re
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from epochal.checker.base.machine import memory_limit
from epochal.checker.search.budget import Deadline
from epochal.checker.search.confirm import replay_all
from epochal.checker.search.engines import local_search
from epochal.checker.search.result import CheckResult, Options, PropertyResult, Verdict
from epochal.checker.symmetry.canonical import has_identifiers
from epochal.checker.trace.itf import dumps
from epochal.checker.trace.itf_reader import decode
from epochal.checker.trace.trace import Trace
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import Answering, usable_processes
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug, references_in
from epochal.spec.language import Protocol
from epochal.spec.language.errors import advice, nearest, of_the_same_number
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered

if TYPE_CHECKING:
    from epochal.checker.liveness.result import LivenessResult
    from epochal.checker.search.engines import Search
    from epochal.checker.search.result import Progress
    from epochal.spec.language import Member


NOTE_WIDTH = 110


@dataclass(frozen=True)
class ScenarioResult:
    """What the two searches of an entry found. `trace` is the shortest counterexample, `replayed` where it was."""

    scenario: KnownBug
    faulty: CheckResult
    sound: CheckResult
    trace: Trace | None
    replayed: str

    @property
    def found(self) -> bool:
        """Whether the expected violation was found."""
        return self.trace is not None

    @property
    def exit_code(self) -> int:
        """0 if both sides are as expected, or the code of what is wrong; the sound side first."""
        if (code := judged(self.sound).verdict) == "violated":
            return ExitCode.LIVENESS_VIOLATED if is_liveness(judged(self.sound).member) else ExitCode.VIOLATED
        for side in (self.sound, self.faulty):
            if side.error is not None:
                return ExitCode.EVALUATION_FAILED
            if side.engine_failed:
                return ExitCode.ENGINE_FAILURE
        if not self.found:
            decided = self.faulty.exhaustive and judged(self.faulty).verdict != "not judged"
            return ExitCode.EXPECTATION_MISSED if decided else ExitCode.INCONCLUSIVE
        return ExitCode.HOLDS if code == "holds" and self.sound.exhaustive else ExitCode.INCONCLUSIVE


@dataclass(frozen=True)
class CatalogueProgress:
    """How far a run through the catalogue is: entries done of all, the one in hand, and the states seen so far."""

    done: int
    entries: int
    id: str
    states: int
    seconds: float


def judged(side: CheckResult) -> PropertyResult | LivenessResult:
    """What one side says of the property of its entry, or of its liveness property: the only one that was asked for."""
    found: list[PropertyResult | LivenessResult] = [*side.properties, *side.liveness.promises]
    (one,) = found
    return one


def is_liveness(member: Member) -> bool:
    """Whether it says what must happen in the end."""
    return member.mark.kind == "leads_to"


def asking(bug: KnownBug, protocol: Protocol, options: Options) -> Options:
    """Options to search for the property of an entry. Of states that differ in names only one is searched.

    Not for liveness properties: a representative does not tell who waits.
    """
    name = bug.property_id
    promised = any(one.name == name for one in protocol.members("leads_to"))
    symmetry = bug.interchangeable and has_identifiers(protocol) and not promised
    return replace(options, properties=(name,), liveness=promised, symmetry=symmetry)


def chosen(keys: Iterable[str], entries: Iterable[KnownBug]) -> list[KnownBug]:
    """The entries that are asked for, in the catalogue's order; all of them if none is named.

    `s9` is S9 and its equals in other families (`S9 classic`), `kafka-7128` every entry of that ticket, `kip-320` of
    that KIP, and `3.5` what that version had. Raises UsageError for a key that no entry has.
    """
    every = list(entries)
    said = {key.lower(): key for key in keys}
    wanted = list(said)
    for key in sorted(wanted):
        if not any(_is_called(one, key) for one in every):
            raise UsageError(f"no entry of the catalogue is called {said[key]!r}. {_nearest(key, every)}")
    return [one for one in every if not wanted or any(_is_called(one, key) for key in wanted)]


def _is_called(one: KnownBug, key: str) -> bool:
    """Whether a key means an entry."""
    if re.fullmatch(r"[0-9]+(\.[0-9]+)+", key):
        return one.was_in(key)
    return key in _words(one)


def _words(one: KnownBug) -> tuple[str, ...]:
    """What an entry may be asked for by: its id, the id without the family, its tickets and KIPs."""
    return one.id.lower(), one.id.split()[0].lower(), *(name.lower() for name in one.references())


def _nearest(key: str, every: list[KnownBug]) -> str:
    from epochal.spec.bugs.not_modelled import NOT_MODELLED

    for other in NOT_MODELLED:
        if key in (other.id.lower(), *(name.lower() for name in references_in(other.source))):
            return f"{other.name} is in no model: {other.reason}."
    known = dict.fromkeys([*(one.id for one in every if one.id), *(name for one in every for name in one.references())])
    if re.search("[0-9]", key) is None:
        return advice(key, known, "entries, tickets and KIPs")
    near = nearest(key, of_the_same_number(key, known))
    return f"Did you mean {near}?" if near else "'epochal catalogue --list' has the numbers, tickets and KIPs that are."


def sides(scenario: KnownBug) -> tuple[Protocol, Protocol]:
    """The protocol without the rule, and with it, at the bounds of the entry."""
    bounds = dict(scenario.other_bounds)
    return instantiate(registered(scenario.without_rule), bounds), instantiate(registered(scenario.with_rule), bounds)


def run(
    wanted: list[KnownBug],
    search: Search,
    options: Options,
    report: Callable[[CatalogueProgress], None] | None,
) -> Iterator[ScenarioResult]:
    """Search both sides of each entry. Traces are replayed in every semantics before anybody sees them.

    Ends before an entry whose search the user has interrupted.
    """
    began, states = time.monotonic(), 0

    def tell(done: int, id: str, more: int) -> None:
        if report is not None:
            report(CatalogueProgress(done, len(wanted), id, states + more, time.monotonic() - began))

    for done, scenario in enumerate(wanted):

        def inside(now: Progress, done: int = done, id: str = scenario.id) -> None:
            tell(done, id, now.states)

        tell(done, scenario.id, 0)
        results = []
        for protocol in sides(scenario):
            asked = asking(scenario, protocol, replace(options, progress=inside))
            results.append(search(protocol, asked))
            if results[-1].interrupted:
                return
            states += results[-1].distinct_states
        yield _result(scenario, *results)
    if wanted:
        tell(len(wanted), wanted[-1].id, 0)


def _result(scenario: KnownBug, faulty: CheckResult, sound: CheckResult) -> ScenarioResult:
    """The two searches as one result, with the trace as people are to see it."""
    found = judged(faulty)
    if found.trace is None or found.verdict != "violated":
        return ScenarioResult(scenario, faulty, sound, None, "")
    trace = noted(scenario, found.trace)
    replayed = replay_all(faulty.protocol, [trace], faulty.model)
    return ScenarioResult(scenario, faulty, sound, trace, replayed.sentence)


def noted(scenario: KnownBug, trace: Trace) -> Trace:
    """A trace that says which entry of the catalogue it shows; the story is that of its first property alone."""
    about = f"{scenario.name}: {scenario.title}. {scenario.seen_in()}."
    story = scenario.story if trace.property_id == scenario.property_id else ""
    note = "\n".join([about, *textwrap.wrap(story, NOTE_WIDTH)])
    return replace(trace, note=note, facts={**trace.facts, "protocol": scenario.without_rule, "shortest": True})


def exit_code_of(results: Iterable[ScenarioResult], left: int = 0) -> int:
    """The code of the most severe finding: a sound side that is violated, a bug that is not found, a cut.

    `left` counts the entries that were asked for and not searched.
    """
    found = {one.exit_code for one in results}
    order = (
        ExitCode.VIOLATED,
        ExitCode.LIVENESS_VIOLATED,
        ExitCode.EVALUATION_FAILED,
        ExitCode.ENGINE_FAILURE,
        ExitCode.EXPECTATION_MISSED,
    )
    for code in order:
        if code in found:
            return code
    return ExitCode.INCONCLUSIVE if left or ExitCode.INCONCLUSIVE in found else ExitCode.HOLDS


# -- catalogue apart --------------------------------------------------------------------------------------------------
# Entries of the catalogue searched side by side, each in a process of its own on one processor.
#
# What comes back is plain data, and traces as their files have them: the results are those of one process. Liveness
# properties, and what was not searched to its end, are left to the process that asks, which says why.

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


class EntryAnswering(Answering[str, Found | None]):
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


def searched_in_workers(
    wanted: Sequence[KnownBug], options: Options, report: Callable[[CatalogueProgress], None] | None
) -> Iterator[tuple[int, ScenarioResult]]:
    """Entries with their places, as they are searched: none where processes are not worth it."""
    count = usable_processes(options.workers)
    todo = [(place, one.name) for place, one in enumerate(wanted) if not _promised(one)]
    if count < 2 or len(todo) < FEWEST:
        return
    began, done, states = time.monotonic(), 0, 0
    patience = Deadline(progress=None if report is None else lambda _: tell(""))

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
                result = _result_apart(wanted[place], found)
                done, states = done + 1, states + result.faulty.distinct_states + result.sound.distinct_states
                yield place, result
            tell(wanted[place].id)


def _promised(entry: KnownBug) -> bool:
    faulty, _ = sides(entry)
    return any(is_liveness(one) for one in faulty.members("leads_to") if one.name == entry.property_id)


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


def _result_apart(entry: KnownBug, found: Found) -> ScenarioResult:
    """The result that the process has had."""
    faulty, sound = (
        _searched(protocol, side) for protocol, side in zip(sides(entry), (found.faulty, found.sound), strict=True)
    )
    (shown,) = faulty.properties
    if shown.trace is None or shown.verdict != "violated":
        return ScenarioResult(entry, faulty, sound, None, "")
    return ScenarioResult(entry, faulty, sound, noted(entry, shown.trace), found.replayed)
