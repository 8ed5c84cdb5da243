"""The catalogue of known bugs, searched: each without its rule, and with it."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.documents import document
from epochal.checker.search.engines import search_of
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.trace.text import story
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue import (
    CatalogueProgress,
    ScenarioResult,
    chosen,
    exit_code_of,
    judged,
    run,
    searched_in_workers,
)
from epochal.report import kafka_documents as documents
from epochal.report.page import Page, Style
from epochal.report.progress import Telling
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.not_modelled import NOT_MODELLED, NotModelled

from .result import Result, question


@dataclass(frozen=True, repr=False)
class CatalogueResult(Result):
    """Entries of the catalogue, and what their searches found. Without searches the entries are listed.

    `others` are known bugs that no protocol here can show. Fewer `results` than entries means that a budget was spent.
    """

    entries: tuple[KnownBug, ...]
    others: tuple[NotModelled, ...]
    results: tuple[ScenarioResult, ...] | None = None

    @property
    def left(self) -> int:
        """How many entries were to be searched and were not."""
        return 0 if self.results is None else len(self.entries) - len(self.results)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the run before every entry was searched."""
        return self.left > 0

    @property
    def exit_code(self) -> ExitCode:
        """12 for a rule that does not help, 21 for a bug that is not found, 30 if a budget is spent."""
        return ExitCode.of(exit_code_of(self.results or (), self.left))

    @property
    def headline(self) -> str:
        return f"{len(self.entries)} entries" if self.results is None else headline(self.results)

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run of the first bug that was found."""
        return next((one.trace for one in self.results or () if one.trace is not None), None)

    def to_dict(self) -> documents.Catalogue:
        """The entries and results as plain data.

        `length` is the number of states of the shortest counterexample; states are representatives up to the names of
        interchangeable brokers. `trace` is that run as an ITF object, or null.
        """
        found = {one.scenario.id: one for one in self.results or ()}
        return document(
            documents.Catalogue,
            entries=[_entry(one, found.get(one.id)) for one in self.entries],
            not_searched=[vars(one) for one in self.others],
            interrupted=self.left,
            exit_code=exit_code_of(self.results or (), self.left),
        )

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the list; or the table of results; or, of a single entry, its story."""
        if self.results is None:
            render_entries(page, self.entries, self.others)
        elif len(self.entries) == len(self.results) == 1:
            render_scenario(page, self.results[0], files[-1] if files else None)
        else:
            render_catalogue(page, self.results, self.others, self.left)


@question
def catalogue(
    *keys: str,
    listed: bool = False,
    engine: str = "auto",
    workers: int | None = None,
    budget: float | None = None,
    max_memory: int | None = None,
    progress: Callable[[CatalogueProgress], None] | None = None,
) -> CatalogueResult:
    """Search known bugs of Kafka's replication, each within the same bounds without its rule and with it.

    `keys` are numbers of the catalogue, tickets, KIPs or Kafka versions (none: all). `listed` searches nothing.
    `budget` is in seconds, for all of it. Raises UsageError for a key that no entry has.
    """
    begun = time.monotonic()
    entries, others = tuple(chosen(keys, CATALOGUE)), () if keys else NOT_MODELLED
    if listed:
        return CatalogueResult(entries, others)
    options = Options(budget=budget, max_memory=max_memory, workers=workers, begun=begun)
    search, found = search_of(engine), dict[int, ScenarioResult]()
    try:
        if engine in ("auto", "native"):
            for place, one in searched_in_workers(entries, options, progress):
                found[place] = one
    except KeyboardInterrupt:
        return CatalogueResult(entries, others, tuple(found[place] for place in sorted(found)))
    left = [place for place in range(len(entries)) if place not in found]
    for one, place in zip(run([entries[place] for place in left], search, options, progress), left, strict=False):
        found[place] = one
    return CatalogueResult(entries, others, tuple(found[place] for place in sorted(found)))


COLUMNS = ("BUG", "KAFKA", "ALSO", "PROTOCOL", "PROPERTY")


TELLING = Telling[CatalogueProgress](
    lambda now: (
        f"{now.done} of {counted(now.entries, 'entry', 'entries')}, {now.id}: {counted(now.states, 'state')}, "
        f"{timed(now.seconds)}"
    )
)
"""The progress of a run through the catalogue."""


def render_entries(page: Page, entries: Sequence[KnownBug], others: Sequence[NotModelled]) -> None:
    """The catalogue without searching anything."""
    page.table([(*_named(one), one.title) for one in entries], header=(*COLUMNS, "WHAT HAPPENS"))
    render_not_searched(page, others)


def render_not_searched(page: Page, others: Sequence[NotModelled]) -> None:
    """What is known and in no model, with the reason."""
    if others:
        page.title("Known, and in no model")
        page.table([(one.name, one.also, f"{one.title}: {one.reason}") for one in others])


def render_catalogue(
    page: Page, results: Sequence[ScenarioResult], others: Sequence[NotModelled], left: int = 0
) -> None:
    """The table of all results, and what is not searched. `left` counts the entries that an interruption left out."""
    if left:
        page.line(f"interrupted: {counted(left, 'entry', 'entries')} not searched", "warn")
    if not results:
        return
    page.line(headline(results), "good" if exit_code_of(results) == ExitCode.HOLDS else "bad")
    page.line()
    header = ("BUG", "WITHOUT ITS RULE", "WITH IT", *COLUMNS[1:], "WHAT HAPPENS")
    page.table(
        [
            (one.scenario.name, _without(one), _with(one), *_named(one.scenario)[1:], one.scenario.title)
            for one in results
        ],
        header=header,
    )
    render_not_searched(page, others)
    spent = sum(one.faulty.cpu_seconds + one.sound.cpu_seconds for one in results)
    states = sum(one.faulty.distinct_states + one.sound.distinct_states for one in results)
    page.line()
    page.line(
        f"{counted(states, 'state')} (of those that differ in the names of brokers only, one), {timed(spent)} of "
        "processors. Every run was replayed step by step.",
        "faint",
    )


def render_scenario(page: Page, result: ScenarioResult, file: str | None) -> None:
    """One entry: the verdicts, and the story of its counterexample."""
    one = result.scenario
    page.line(f"{one.name}: {one.title}", "title")
    page.line(f"{one.seen_in()}.", indent=2)
    page.line(f"What it teaches: {one.lesson}", indent=2)
    bounds = bounds_as_options(result.faulty.protocol.bounds.as_dict())
    page.table(
        [
            (f"without its rule, {one.without_rule}", f"{one.property_id}:", _without(result)),
            (f"with it, {one.with_rule}", f"{one.property_id}:", _with(result)),
        ]
    )
    page.line(f"bounds: {bounds}", indent=2)
    unexpected = judged(result.sound).trace
    if unexpected is not None and judged(result.sound).verdict == "violated":
        page.title("Counterexample although the rule is there")
        page.lines(story(unexpected), indent=2)
    if result.trace is None:
        return
    page.title("Counterexample")
    page.lines(story(result.trace), indent=2)
    page.line()
    page.line(result.replayed, "faint", indent=2)
    shown = [f"epochal catalogue {shlex.quote(one.id)} --out found  # the run as a page"] if file is None else []
    page.commands([f"epochal show {one.without_rule}", *shown])


def headline(results: Sequence[ScenarioResult]) -> str:
    """The verdict in one sentence."""
    total = counted(len(results), "entry", "entries")
    undecided = [one.scenario.name for one in results if one.exit_code == ExitCode.INCONCLUSIVE]
    wrong = [one.scenario.name for one in results if one.exit_code not in (ExitCode.HOLDS, ExitCode.INCONCLUSIVE)]
    told = [f"{len(wrong)} of {total} not as expected: {', '.join(wrong)}"] if wrong else []
    if undecided:
        told.append(f"{len(undecided)} of {total} not decided, as a search was cut: {', '.join(undecided)}")
    if told:
        return "; ".join(told)
    return f"{total}: each is violated without its rule, and holds with it in every state within the same bounds"


def _named(one: KnownBug) -> tuple[str, ...]:
    return one.name, one.versions, one.also, one.without_rule, one.property_id


def _without(result: ScenarioResult) -> tuple[str, Style]:
    if result.trace is not None:
        return f"violated, {counted(result.trace.length, 'state')}", "good"
    return _unexpected(result.faulty, "NOT VIOLATED")


def _with(result: ScenarioResult) -> tuple[str, Style]:
    found = judged(result.sound)
    if found.verdict == "holds" and result.sound.exhaustive:
        return f"holds, {counted(result.sound.distinct_states, 'state')}, depth {result.sound.depth}", "good"
    if found.verdict == "violated":
        return f"VIOLATED, {counted(found.length or 0, 'state')}", "bad"
    return _unexpected(result.sound, "OPEN")


def _unexpected(side: CheckResult, word: str) -> tuple[str, Style]:
    """Why a side has no verdict, or not the one that it should have."""
    if side.error is not None:
        return f"RULE FAILED: {side.error.message}", "bad"
    if side.cut:
        return f"OPEN: {side.cut}", "warn"
    return word, "bad"


def _entry(one: KnownBug, result: ScenarioResult | None) -> documents.CatalogueEntry:
    """One entry, with what was found if it was searched."""
    if result is None:
        return document(documents.CatalogueEntry, one)
    return document(
        documents.CatalogueEntry,
        one,
        bounds=result.faulty.protocol.bounds,
        as_expected=result.exit_code == 0,
        faulty=document(documents.Side, result.faulty, judged(result.faulty)),
        sound=document(documents.Side, result.sound, judged(result.sound)),
        trace=result.trace,
    )
