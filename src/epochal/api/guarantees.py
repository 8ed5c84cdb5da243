"""`epochal.guarantees`: what Kafka guarantees under which faults, each answer decided by a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from epochal.checker.base.numbers import counted
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.guarantees.cases import Asked
from epochal.kafka.guarantees.decided import GuaranteeOptions, exit_code
from epochal.kafka.guarantees.tables import Column, Table, decided_table, same_answers

from .options import name_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace
    from epochal.report.documents import kafka as documents
    from epochal.report.page import Page
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.kraft.guarantees import Fault
    from epochal.spec.language import Protocol, SettingValue


Layout = Literal["columns", "changes", "matrix"]
"""How tables are shown: beside each other, the same but only where they differ, or a line each."""


@dataclass(frozen=True, repr=False)
class Guarantees(Result):
    """What is guaranteed: a table for each protocol, shown in a `layout`. `missing` faults were not reached."""

    tables: tuple[Table, ...]
    bounds: dict[str, int]
    faults: tuple[Fault, ...]
    layout: Layout
    missing: int = 0
    stories: bool = False

    @property
    def exit_code(self) -> ExitCode:
        """0 when every question is decided, whatever the answer; 30 if a budget or Ctrl-C left one open."""
        if self.interrupted:
            return ExitCode.INCONCLUSIVE
        return ExitCode.of(exit_code([one for table in self.tables for one in table.decided], self.missing))

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the run."""
        return self.missing > 0 or any(table.interrupted for table in self.tables)

    @property
    def outcome(self) -> str:
        """Code 0 says that everything is decided, not that everything is kept."""
        return "every query is decided" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """What is broken by which fault, with the states of the shortest run."""
        several = len(self.tables) > 1
        return [
            f"{f'{table.column.title}: ' if several else ''}{one.fault.id}: {asked} NO "
            f"({counted(promise.length or 0, 'state')})"
            for table in self.tables
            for one in table.decided
            for asked, promise in one.answers.items()
            if promise.verdict == "violated"
        ] + [
            f"{f'{table.column.title}: ' if several else ''}{one.fault.id}: {name.replace('_', ' ')} may stay away "
            f"({counted(found.length or 0, 'state')})"
            for table in self.tables
            for one in table.decided
            for name, found in one.back.items()
            if found.verdict == "never"
        ]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        said = (
            f"{table.column.reference}: {counted(table.broken, 'guarantee')} broken"
            + (f", {table.open} not decided" if table.open else "")
            for table in self.tables
        )
        return "; ".join(said) or "nothing to decide"

    @property
    def changed(self) -> tuple[Fault, ...]:
        """The faults under which the first protocol and the last guarantee different things."""
        first, last = self.tables[0], self.tables[-1]
        return tuple(fault for fault in self.faults if not same_answers(first.under(fault), last.under(fault)))

    @property
    def counterexample(self) -> Trace | None:
        """The first run that breaks a guarantee, if runs were asked for."""
        return next((trace for table in self.tables for trace in table.traces), None)

    def to_dict(self) -> documents.Guarantees:
        """The tables as plain data."""
        from epochal.checker.documents import document
        from epochal.report.documents import kafka
        from epochal.spec.kraft.guarantees import QUESTIONS

        return document(kafka.Guarantees, self, properties=QUESTIONS)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the table, or a row for each combination of settings."""
        from epochal.report.guarantees import Shown, render_guarantees, render_matrix

        if self.layout == "matrix":
            render_matrix(page, self.tables, self.bounds, self.faults, list(files), self.missing)
            return
        faults = self.changed if self.layout == "changes" and not self.missing else self.faults
        shown = Shown(self.tables, faults, self.bounds, self.missing, len(self.faults) - len(faults), self.stories)
        render_guarantees(page, shown, list(files))

    def write_runs(self, folder: str | Path) -> list[str]:
        """Write every run to a folder, as ITF and as a story; the paths of the ITF files."""
        from epochal.checker.trace.output_folder import opened
        from epochal.kafka.guarantees.tables import write_runs

        return write_runs(opened(folder), self.tables)


@question
def guarantees(
    protocol: Protocol | None = None,
    *,
    faults: str | Iterable[str] = (),
    versions: Sequence[str] = (),
    against: Protocol | str | None = None,
    varied: bool = False,
    budget: float | None = None,
    begun: float | None = None,
    workers: int | None = None,
    runs: bool = False,
    stories: bool = False,
    causes: bool = False,
    recovery: bool = False,
    cached: bool = True,
    progress: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **given: object,
) -> Guarantees:
    """Say what Kafka guarantees under which faults: `guarantees(kafka="3.9", acks="1")`.

    `given` are Kafka's own settings, and bounds if others are wanted than those of `epochal guarantees`; or all of them
    stand in a `protocol`: `epochal.load("kraft", kafka="3.9", replication_factor=2)`, which may be of a class that
    derives from `ConfigurableKraft` (epochal.spec.kraft.configuration), such as a change to Kafka.

    Beside each other stand a release as it was shipped (the newest if none is named) and the rules it was designed
    with; or two `versions`; or the protocol that it is held `against` (or its name), and it. That one has the same
    settings where it has none of its own, and where answers to fetches may be lost in one of the two they may in both.
    With `varied` the usual combinations of settings are decided instead.

    `faults` are ids (none: all), or budgets such as "crashes=2,lossy_crashes=1". `budget` is in seconds, for the whole
    run, since `begun` (None: now); `runs` asks for the run that breaks each guarantee, replayed in both semantics, and
    `stories` tells each in the report. With `causes` what is behind a broken guarantee is closed and the fault decided
    again, until it holds or nothing known is behind it. With `recovery` it is decided, too, what comes back after a
    fault: a leader, writes with acks=all, the whole ISR; with nobody who restarts a broker, and with. The usual
    settings are decided already, and other answers are kept by the content of the program; without `cached` all are
    searched again.

    Raises UsageError for another protocol, an unknown fault, or settings beside a protocol, which has its own;
    BoundsError for a setting or bound that kraft does not have.
    """
    from epochal.spec.kraft.guarantees import BOUNDS, BUDGETS, FAULTS, own_fault
    from epochal.spec.loading import instantiate, load

    for name in given:
        if name in BUDGETS:
            raise UsageError(f"each fault has a budget of its own: give faults='{name}={given[name]}' for another")
    if protocol is None:
        protocol = load("kraft", **{**BOUNDS, **given})
    elif given:
        names = ", ".join(given)
        raise UsageError(f"the protocol has its settings and bounds already: give {names} to epochal.load")
    if varied and recovery:
        raise UsageError("the matrix has a cell for what is kept: ask for one line of it what comes back")
    ids = {fault.id: fault for fault in FAULTS}
    chosen = {fault.id: fault for fault in (ids.get(one) or own_fault(one) for one in faults)}
    shown = tuple(fault for fault in ids.values() if not chosen or fault.id in chosen)
    shown += tuple(fault for id, fault in chosen.items() if id not in ids)
    asked = _asked(required(protocol, "guarantees"))
    other = load(against) if isinstance(against, str) else against
    other = None if other is None else required(other, "guarantees")
    columns = _columns(asked, protocol, tuple(versions), other, varied)
    shown = _differing(shown, columns, bool(chosen))
    options = GuaranteeOptions(
        budget,
        workers,
        traces=runs or stories,
        cached=cached,
        begun=time.monotonic() if begun is None else begun,
        causes=causes,
        back=recovery,
    )
    bounds = _shared_bounds(protocol)
    for column in columns:
        instantiate(
            column.kind, column.known(protocol.bounds.as_dict())
        )  # what Kafka does not know is refused before anything is searched
    tables: list[Table] = []
    missing, stopped = 0, False
    for column in columns:
        if len(columns) > 1 and not stopped:
            tell(column.reference)
        table, left = decided_table(column, shown, bounds, options, tell, progress, stopped)
        tables.append(table)
        missing += left
        stopped = stopped or left > 0 or table.interrupted
    layout: Layout = "matrix" if varied else "changes" if against is not None else "columns"
    return Guarantees(tuple(tables), bounds, shown, layout, missing, stories)


def _differing(faults: tuple[Fault, ...], columns: Sequence[Column], named: bool) -> tuple[Fault, ...]:
    """The faults without those that are another one under these settings: unclean election is on already, say.

    Raises UsageError for such a fault if somebody has named it.
    """
    from epochal.spec.kraft.guarantees import FAULTS, faults_for

    there = {fault.id for column in columns for fault in faults_for(column.settings)}
    for fault in faults if named else ():
        if fault.settings and fault.id not in there:
            same = next(one.id for one in FAULTS if not one.settings and one.budget == fault.budget)
            raise UsageError(f"the fault {fault.id} is {same} under these settings: they have what it adds already")
    return tuple(fault for fault in faults if not fault.settings or fault.id in there)


def _asked(protocol: Protocol) -> Asked:
    """The protocol without its settings. Raises UsageError if it is not kraft."""
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.language.configurable import without_settings

    if not isinstance(protocol, ConfigurableKraft):
        raise UsageError(
            f"{protocol.name} is not kraft: guarantees are decided for kraft and what derives from ConfigurableKraft",
            "It stands in epochal.spec.kraft.configuration.",
        )
    return Asked(cast("type[ConfigurableKraft]", without_settings(type(protocol))), name_of(protocol))


def _columns(
    asked: Asked, protocol: Protocol, versions: tuple[str, ...], against: Protocol | None, varied: bool
) -> list[Column]:
    """What is asked about, in the order of the table. Raises UsageError for two ways to say it at once."""
    from epochal.spec.kraft.columns import between, usual_choices
    from epochal.spec.kraft.guarantees import matrix
    from epochal.spec.language.configurable import beside, configuration_of

    if sum((bool(versions), against is not None, varied)) > 1:
        raise UsageError("two versions, a protocol to compare with, and the matrix are three questions: ask one")
    said: Mapping[str, SettingValue] = configuration_of(protocol)
    if varied:
        return [Column(asked.reference(settings), asked, settings) for settings in matrix(said)]
    if against is not None:
        other = _asked(against)
        kinds = asked.configured(said), other.configured({**said, **configuration_of(against)})
        pairs = ((other, beside(kinds[1], kinds[0])), (asked, beside(kinds[0], kinds[1])))
        return [Column(one.reference(configuration_of(kind)), one, configuration_of(kind)) for one, kind in pairs]
    if versions:
        return [Column(choice.title, asked, choice.settings) for choice in between(versions, said)]
    if not (asked.is_registered and asked.name == "kraft"):
        return [Column(asked.reference(said), asked, said)]
    return [Column(choice.title, asked, choice.settings) for choice in usual_choices(said)]


def _shared_bounds(protocol: Protocol) -> dict[str, int]:
    """The bounds that every fault shares: those of the table, others that are not the defaults or that kraft lacks."""
    from epochal.spec.kraft.guarantees import BOUNDS, BUDGETS
    from epochal.spec.kraft.state import KraftBounds

    declared: Mapping[str, Any] = type(protocol.bounds).declared()
    own = declared.keys() - KraftBounds.declared().keys()
    return {
        name: value
        for name, value in protocol.bounds.as_dict().items()
        if name in BOUNDS or name in own or (name not in BUDGETS and value != declared[name].default)
    }
