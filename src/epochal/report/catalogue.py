"""The catalogue for people: one line an entry, and the story of a single one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.documents import document
from epochal.checker.search.result import CheckResult
from epochal.checker.trace.text import story
from epochal.exit_codes import ExitCode
from epochal.kafka.catalogue.catalogue import CatalogueProgress, ScenarioResult, exit_code_of, judged
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.not_modelled import NotModelled

from .documents import kafka
from .page import Page, Style

COLUMNS = ("BUG", "KAFKA", "ALSO", "PROTOCOL", "PROPERTY")


class CatalogueTelling:
    """The progress of a run through the catalogue."""

    def in_words(self, now: CatalogueProgress) -> str:
        """The progress on one line."""
        return (
            f"{now.done} of {counted(now.entries, 'entry', 'entries')}, {now.id}: {counted(now.states, 'state')}, "
            f"{timed(now.seconds)}"
        )

    def document(self, now: CatalogueProgress) -> dict[str, int | float | str]:
        """The progress as an object."""
        return {**vars(now), "seconds": round(now.seconds, 3)}

    def far(self, now: CatalogueProgress) -> None:
        """Not said: one entry has a thousand times the states of another."""


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


# -- scenario json ----------------------------------------------------------------------------------------------------
# The result of a run through the catalogue as one JSON object.


def catalogue_document(
    entries: Sequence[KnownBug], results: Sequence[ScenarioResult], others: Sequence[NotModelled], left: int = 0
) -> kafka.Catalogue:
    """The document. Without results, `entries` are listed as they are; `left` counts those not searched in time.

    `length` is the number of states of the shortest counterexample; states are representatives up to the names of
    interchangeable brokers. `trace` is that run as an ITF object, or null.
    """
    found = {one.scenario.id: one for one in results}
    return document(
        kafka.Catalogue,
        entries=[_entry(one, found.get(one.id)) for one in entries],
        not_searched=[vars(one) for one in others],
        interrupted=left,
        exit_code=exit_code_of(results, left),
    )


def _entry(one: KnownBug, result: ScenarioResult | None) -> kafka.CatalogueEntry:
    """One entry, with what was found if it was searched."""
    if result is None:
        return document(kafka.CatalogueEntry, one)
    return document(
        kafka.CatalogueEntry,
        one,
        bounds=result.faulty.protocol.bounds,
        as_expected=result.exit_code == 0,
        faulty=document(kafka.Side, result.faulty, judged(result.faulty)),
        sound=document(kafka.Side, result.sound, judged(result.sound)),
        trace=result.trace,
    )
