"""`epochal.guarantees`: what Kafka guarantees under which faults, each answer decided by a search."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from epochal.checker.base.numbers import counted
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.documents import document
from epochal.checker.search.result import Progress
from epochal.checker.trace.output_folder import opened
from epochal.checker.trace.trace import Trace
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.guarantees.cases import Asked
from epochal.kafka.guarantees.decided import Decided, Guarantee, GuaranteeOptions, exit_code
from epochal.kafka.guarantees.recovery import Recovery
from epochal.kafka.guarantees.tables import Column, Table, acknowledges, decided_table, same_answers, write_runs
from epochal.report import kafka_documents as documents
from epochal.report.page import Page, Row, Style
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.columns import DESIGNED, between, usual_choices
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import GENERATIONS
from epochal.spec.kraft.guarantees import (
    BOUNDS,
    BUDGETS,
    FAULTS,
    QUESTIONS,
    Fault,
    faults_for,
    in_words,
    matrix,
    own_fault,
)
from epochal.spec.kraft.settings import Acks
from epochal.spec.kraft.state import KraftBounds
from epochal.spec.language import Protocol, SettingValue
from epochal.spec.language.configurable import SEPARATOR, beside, configuration_of, quoted, without_settings
from epochal.spec.loading import instantiate, load

from .options import name_of, required
from .result import Result, question

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
        return document(documents.Guarantees, self, properties=QUESTIONS)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the table, or a row for each combination of settings."""
        if self.layout == "matrix":
            render_matrix(page, self.tables, self.bounds, self.faults, list(files), self.missing)
            return
        faults = self.changed if self.layout == "changes" and not self.missing else self.faults
        shown = Shown(self.tables, faults, self.bounds, self.missing, len(self.faults) - len(faults), self.stories)
        render_guarantees(page, shown, list(files))

    def write_runs(self, folder: str | Path) -> list[str]:
        """Write every run to a folder, as ITF and as a story; the paths of the ITF files."""
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
    refuse_budgets(given)
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


def refuse_budgets(given: Mapping[str, object]) -> None:
    """Raise UsageError for a bound that is the budget of a fault."""
    for name in given:
        if name in BUDGETS:
            raise UsageError(f"each fault has a budget of its own: give faults='{name}={given[name]}' for another")


def _differing(faults: tuple[Fault, ...], columns: Sequence[Column], named: bool) -> tuple[Fault, ...]:
    """The faults without those that are another one under these settings: unclean election is on already, say.

    Raises UsageError for such a fault if somebody has named it.
    """
    there = {fault.id for column in columns for fault in faults_for(column.settings)}
    for fault in faults if named else ():
        if fault.settings and fault.id not in there:
            same = next(one.id for one in FAULTS if not one.settings and one.budget == fault.budget)
            raise UsageError(f"the fault {fault.id} is {same} under these settings: they have what it adds already")
    return tuple(fault for fault in faults if not fault.settings or fault.id in there)


def _asked(protocol: Protocol) -> Asked:
    """The protocol without its settings. Raises UsageError if it is not kraft."""
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
    declared: Mapping[str, Any] = type(protocol.bounds).declared()
    own = declared.keys() - KraftBounds.declared().keys()
    return {
        name: value
        for name, value in protocol.bounds.as_dict().items()
        if name in BOUNDS or name in own or (name not in BUDGETS and value != declared[name].default)
    }


# -- guarantees cells -------------------------------------------------------------------------------------------------
# What stands in the cells of the tables of guarantees.

NO_TICKET = "no ticket known"

Cell = tuple[str, Style]

NOT_ASKED: Cell = ("", "faint")


def answered(answer: Guarantee) -> Cell:
    """An answer: `yes`, or `NO, 13 states: N1`."""
    if answer.verdict == "violated":
        return f"NO, {counted(answer.length or 0, 'state')}{_because(answer.behind)}", "bad"
    words: dict[str, Cell] = {
        "holds": ("yes", "good"),
        "open": ("open", "warn"),
        "nothing": ("nothing acknowledged", "faint"),
    }
    return words[answer.verdict]


def _because(behind: tuple[str, ...]) -> str:
    """What is behind it: the ticket where it was reported, or the number of a finding that has none."""
    return f": {', '.join(map(called, behind))}" if behind else ""


def called(id: str) -> str:
    """A known bug by its ticket, with its number where others have that ticket; by its number if no ticket is known."""
    ticket = _tickets().get(id)
    if ticket is None:
        return id
    return ticket if list(_tickets().values()).count(ticket) == 1 else f"{ticket} ({id})"


@functools.cache
def _tickets() -> dict[str, str]:
    """The first ticket of every known bug that has one."""
    known = (bug for bug in CATALOGUE if NO_TICKET not in bug.source)
    return {bug.id: ticket for bug in known if (ticket := next(iter(bug.references()), None))}


def kept(one: Decided | None, logs: bool) -> Cell:
    """Whether records stay, acknowledged or read, and whether `logs` match, in one cell."""
    if one is None:
        return NOT_ASKED
    asked = {name: promise for name, promise in one.answers.items() if name != "logs" or logs}
    said = {name: answered(promise) for name, promise in asked.items() if promise.verdict != "nothing"}
    style: Style = next((style for style in ("bad", "warn") if any(cell[1] == style for cell in said.values())), "good")
    if len(said) == len(asked) and len(set(said.values())) == 1:
        return next(iter(said.values()))[0], style
    told: dict[str, list[str]] = {}
    for name, (text, _) in said.items():
        told.setdefault(text, []).append(name)
    parts = [f"{' and '.join(names)} {text}" for text, names in told.items()]
    return "; ".join(parts if len(said) == len(asked) else [*parts, "nothing acknowledged"]), style


def writes(possible: bool | None) -> Cell:
    """Whether writes go on."""
    return ("-", "faint") if possible is None else ("yes", "good") if possible else ("no", "warn")


# -- guarantees beneath -----------------------------------------------------------------------------------------------
# What breaks a guarantee next: the same fault again, once what was behind the shortest run is closed.


def render_causes(page: Page, tables: Sequence[Table], logs: bool) -> None:
    """A row for every search that closed something; nothing if none was made."""
    rows: list[Row] = [
        (f"{table.column.title}: {one.fault.title}", ", ".join(called(id) for id in deeper.closed), kept(deeper, logs))
        for table in tables
        for one in table.decided
        for deeper in one.causes
    ]
    if not rows:
        return
    page.line()
    page.line("Causes of each NO: the same fault, with what was behind it closed, until nothing known is behind it:")
    page.table(rows, header=("FAULT", "CLOSED", "THEN"))


# -- guarantees recovery ----------------------------------------------------------------------------------------------
# What comes back by itself after each fault: a leader, writes with acks=all, the whole ISR.

HEADS = {"leader": "A LEADER", "writes": "WRITES, ACKS=ALL", "whole_isr": "THE WHOLE ISR"}
RECOVERY_LEGEND = (
    "yes: in every fair run, whether or not a broker that is down is ever started again",
    "after a restart (n): if every broker that is down is started again; n states lead to where it waits for that",
    "NO, n states: it may stay away for ever, even so",
    "writes, acks=all: the ISR is as large as min.insync.replicas. Nothing fails besides the fault, a broker that is",
    "down is fenced some time, and what runs goes on: metadata are replayed, followers fetch, proposals are answered.",
)


def render_recovery(page: Page, tables: Sequence[Table]) -> None:
    """A table for each protocol; nothing if nobody has asked."""
    asked = [table for table in tables if any(one.back for one in table.decided)]
    if not asked:
        return
    for table in asked:
        page.title(f"What comes back by itself: {table.column.title}")
        rows: list[Row] = [
            (one.fault.title, *(_cell(one.back[name]) for name in HEADS)) for one in table.decided if one.back
        ]
        page.table(rows, header=("FAULT", *HEADS.values()))
    page.line()
    page.lines(RECOVERY_LEGEND, indent=2)
    for table in asked:
        for one in table.decided:
            for why in {found.why: None for found in one.back.values() if found.why}:
                page.line(f"Open: {one.fault.title}: {why}.", "warn")


def _cell(found: Recovery) -> Cell:
    if found.verdict == "after a restart":
        return f"after a restart ({found.length})", "warn"
    if found.verdict == "never":
        return f"NO, {counted(found.length or 0, 'state')}", "bad"
    return ("yes", "good") if found.verdict == "alone" else ("open", "warn")


WRITES = ("WRITES WITH 1 DOWN", "2 DOWN")
LEGEND = {
    "acknowledged": "acknowledged records stay: whoever leads has every record whose producer got a success response",
    "read": "read records stay: whoever leads has every record that a consumer could read, below a high watermark",
    "logs": "logs match: below both high watermarks any two replicas hold the same records, at every moment",
}
OF_WRITES = (
    "writes with 1 down: a write can succeed while a broker is down that does not have the record",
    "-: the fault takes fewer brokers down than that, or there are no others, or the search ended too early to tell",
)


@dataclass(frozen=True)
class Shown:
    """What a report shows: the tables, and of them these faults; `missing` were not reached, `same` are left out."""

    tables: tuple[Table, ...]
    faults: tuple[Fault, ...]
    bounds: dict[str, int]
    missing: int
    same: int
    stories: bool

    @property
    def logs(self) -> bool:
        """Whether logs are long enough to differ."""
        return self.bounds["records"] > 1


def render_guarantees(page: Page, shown: Shown, files: Sequence[str]) -> None:
    """What was asked, the table, what it means, what is behind each NO, and where to go on."""
    columns = [table.column for table in shown.tables]
    replicas = shown.bounds["replication_factor"]
    page.line(f"{_titles(columns)}, replication factor {replicas}: what is guaranteed, and what breaks it", "title")
    page.lines(_settings(columns, replicas), indent=2)
    page.line()
    if shown.faults:
        _table(page, shown)
        _nothing_acknowledged(page, shown)
    if shown.same:
        every = "this fault" if shown.same == 1 else f"all {shown.same} faults"
        same = counted(shown.same, "other fault") if shown.faults else every
        if any(table.cannot_tell for table in shown.tables):
            page.line(f"Under {same} these searches find no difference; what they cannot tell stands below.", "warn")
        else:
            page.line(f"Under {same} they guarantee the same.", "good")
    page.line()
    remarks = [f"{table.column.title}: {remark}." for table in shown.tables for remark in table.remarks]
    for remark in remarks:
        page.line(remark, "warn")
    if remarks:
        page.line()
    _legend(page, shown)
    render_causes(page, shown.tables, shown.logs)
    render_recovery(page, shown.tables)
    _holes(page, shown)
    for table in shown.tables:
        for one in table.decided:
            if one.cut:
                page.line(f"Open: {one.fault.title}: {one.cut}.", "warn")
    if shown.missing:
        page.line(f"Open: {counted(shown.missing, 'fault')} not searched: interrupted.", "warn")
    elif any(table.interrupted for table in shown.tables):
        page.line("Interrupted: nothing more was searched.", "warn")
    if shown.stories:
        _stories(page, shown)
    page.written(files)
    _next(page, shown, bool(files))


def _titles(columns: Sequence[Column]) -> str:
    """`Kafka 4.4, compared with its design`; of one protocol, how the command names it."""
    if len(columns) == 1:
        return columns[0].reference
    said = [column.title for column in columns if column.title != DESIGNED]
    return " and ".join(said) if len(said) == len(columns) else f"{' and '.join(said)}, compared with its design"


def _settings(columns: Sequence[Column], replicas: int) -> list[str]:
    """The settings that decide, as Kafka calls them; where columns differ, each by its title."""
    said = [dict(in_words(column.kind, replicas)) for column in columns]
    lines = []
    for name, value in said[0].items():
        if all(one[name] == value for one in said):
            lines.append(f"{name}: {value}")
        else:
            each = (f"{one[name]} ({column.title})" for column, one in zip(columns, said, strict=True))
            lines.append(f"{name}: {', '.join(each)}")
    return lines


def _table(page: Page, shown: Shown) -> None:
    """One protocol in full, or a column for each."""
    if len(shown.tables) == 1:
        (table,) = shown.tables
        asked = ["acknowledged", "read", *(["logs"] if shown.logs else [])]
        names = {"acknowledged": "ACKNOWLEDGED STAYS", "read": "READ STAYS", "logs": "LOGS MATCH"}
        header = ("FAULT", *(names[one] for one in asked), *WRITES, "STATES")
        found = (table.under(fault) for fault in shown.faults)
        page.table([_in_full(one, asked) for one in found if one], header=header, right=(len(header) - 1,))
        return
    header = ("FAULT", *(table.column.title.upper() for table in shown.tables), *WRITES)
    page.table([_beside(fault, shown) for fault in shown.faults], header=header)


def _nothing_acknowledged(page: Page, shown: Shown) -> None:
    """Which protocol never acknowledges a record, though it waits for replicas, and which does under the same fault."""
    for table in shown.tables:
        silent = [fault for fault in shown.faults if not acknowledges(table, fault)]
        if not silent or table.column.kind.settings.acks == Acks.NONE:
            continue
        others = [other for other in shown.tables if any(acknowledges(other, fault) for fault in silent)]
        where = f" where {' and '.join(other.column.title for other in others)} does" if others else ""
        page.line(
            f"{table.column.title} never acknowledges a record{where}: {'; '.join(f.title for f in silent)}.", "bad"
        )
        page.line("So nothing that it acknowledged can be lost, and that is no guarantee.", indent=2)


def _in_full(one: Decided, asked: Sequence[str]) -> Row:
    answers = (answered(one.answers[name]) for name in asked)
    return (one.fault.title, *answers, *(writes(possible) for possible in one.writes), f"{one.states:,}")


def _beside(fault: Fault, shown: Shown) -> Row:
    found = [table.under(fault) for table in shown.tables]
    cells = (kept(one, shown.logs) for one in found)
    there = [one for one in found if one is not None]
    return (fault.title, *cells, *(_writes([one.writes[down] for one in there]) for down in range(len(WRITES))))


def _writes(possible: Sequence[bool | None]) -> Cell:
    """Whether writes go on; of each protocol, if they differ."""
    said = [writes(one) for one in possible]
    if len(set(said)) <= 1:
        return said[0] if said else ("", "faint")
    return ", ".join(text for text, _ in said), "warn"


def _legend(page: Page, shown: Shown) -> None:
    """What the words of the table mean, and how far it goes."""
    asked = [text for name, text in LEGEND.items() if name != "logs" or shown.logs]
    if len(shown.tables) > 1:
        page.line("yes: all of the following; NO: none of it, or what is named", indent=2)
    page.lines((*asked, *OF_WRITES), indent=2)
    page.line("NO, n states: X, Y: a shortest run has n states; closing X, or Y, stops that run (see below)", indent=2)
    if any(table.column.title == DESIGNED for table in shown.tables):
        page.line(f"{DESIGNED}: the rules as their KIPs describe them, without the holes of releases", indent=2)
    if not shown.logs:
        page.line("Logs of one record cannot differ for long enough: ask with --records 2 whether logs match.", "warn")
    page.line()
    page.line(
        f"Each fault is a search of every state, up to the names of brokers, within {bounds_as_options(shown.bounds)},",
        indent=2,
    )
    moved = shown.bounds.get("reassignments", 0) > 0
    page.lines(
        (
            "with as many faults of its kind as it says, delays, restarts, and elections of a preferred leader. "
            f"{'Replicas are' if moved else 'Nobody'}",
            f"{'reassigned, and nobody' if moved else 'reassigns replicas or'} changes a setting meanwhile. "
            "Larger bounds were not checked.",
        ),
        indent=2,
    )


def _holes(page: Page, shown: Shown) -> None:
    """What of the catalogue these settings have open, ticket first, and whether a run above is made of it."""
    if not any(table.broken for table in shown.tables):
        return
    holes: dict[str, KnownBug] = {bug.id: bug for table in shown.tables for bug in table.holes}
    if not holes:
        return
    needed = frozenset().union(*(table.shown for table in shown.tables))
    hidden = frozenset().union(*(table.hidden for table in shown.tables))
    page.line()
    page.line("Known holes of these settings ('epochal catalogue ID' tells each):")
    rows: list[Row] = [
        (bug.name, bug.title, bug.also, _needed(id in needed, id in hidden)) for id, bug in holes.items()
    ]
    page.table(rows)


def _needed(above: bool, causes: bool) -> str:
    """Whether a run is made of a known bug."""
    if above:
        return "a run above needs it"
    return "a run needs it once others are closed" if causes else "no run above needs it"


def _stories(page: Page, shown: Shown) -> None:
    """Every run once, with what it breaks."""
    runs: dict[str, list[str]] = {}
    for table in shown.tables:
        for one in table.decided:
            for trace in one.traces:
                runs.setdefault(str(trace), []).append(f"{table.column.title}, {one.fault.title}")
    for story, broken in runs.items():
        page.line()
        page.line(f"Under: {'; '.join(dict.fromkeys(broken))}", "title")
        for line in story.splitlines():
            page.verbatim(line)


def _next(page: Page, shown: Shown, written: bool) -> None:
    """The run of the first NO, and all of them: of what is asked about, before that of what stands beside it."""
    against = len(shown.tables) > 1 and not shown.tables[-1].column.asked.is_registered
    for table in reversed(shown.tables) if against else shown.tables:
        broken = next((o for o in table.decided if any(a.verdict == "violated" for a in o.answers.values())), None)
        if broken is None or written:
            continue
        usual = frozenset(fault.id for fault in FAULTS)
        few = [] if usual <= {fault.id for fault in shown.faults} else [fault.id for fault in shown.faults]
        chosen = "".join(f" --fault {id}" for id in few)
        bounds = bounds_as_options({name: value for name, value in shown.bounds.items() if value != BOUNDS.get(name)})
        asked = f"epochal guarantees{_arguments(table.column.reference)}{chosen} {bounds}".rstrip()
        page.commands(
            [
                f"{asked} --fault {broken.fault.id} --story" if not few else f"{asked} --story",
                *([] if broken.causes or not broken.behind else [f"{asked} --causes"]),
                f"{asked} --out found",
            ]
        )
        return


def _arguments(reference: str) -> str:
    """A reference as the command takes it, which is about kraft as it was shipped unless it is told otherwise."""
    name, separator, settings = quoted(reference).partition(SEPARATOR)
    if name != "kraft":
        return f" {name}{separator}{settings}"
    designed = (
        "" if f"{separator}{settings} ".startswith(f"{SEPARATOR}kafka ") else f" --kafka {next(reversed(GENERATIONS))}"
    )
    return f"{designed}{separator}{settings}"


# -- guarantees matrix ------------------------------------------------------------------------------------------------
# Many choices of settings, a line each: what stays of what was acknowledged and read.


def render_matrix(
    page: Page,
    tables: Sequence[Table],
    bounds: dict[str, int],
    faults: Sequence[Fault],
    files: Sequence[str],
    missing: int,
) -> None:
    """One line a choice of settings, one column a fault. `missing` cells are not known because of Ctrl-C."""
    page.line(f"What is kept under which faults, within {bounds_as_options(bounds)}", "title")
    page.line()
    rows: list[Row] = []
    for table in tables:
        cells = (NOT_ASKED if (one := table.under(fault)) is None else _kept(one) for fault in faults)
        rows.append((_settings_of(table.column.reference), *cells))
    page.table(rows, header=("SETTINGS", *(fault.id.upper() for fault in faults)))
    page.line()
    page.lines((f"{fault.id}: {fault.title}" for fault in faults), indent=2)
    page.line(
        "kept: acknowledged records stay, and so does what a consumer could read; lost N: the shortest run has N",
        indent=2,
    )
    page.line("states. An empty cell is the same as one to its left: unclean election is on already, say.", indent=2)
    if missing:
        page.line(f"Open: {counted(missing, 'cell')} not searched: interrupted. They are empty, too.", "warn")
    page.written(files)


def _settings_of(reference: str) -> str:
    """The settings of a reference alone."""
    _, separator, settings = reference.partition(SEPARATOR)
    return f"{separator}{settings}".strip()


def _kept(one: Decided) -> Cell:
    acknowledged, read = one.answers["acknowledged"], one.answers["read"]
    if "open" in (acknowledged.verdict, read.verdict):
        return "open", "warn"
    if acknowledged.verdict == "nothing" and read.verdict == "holds":
        return "nothing acked", "warn"
    if acknowledged.verdict != "violated" and read.verdict != "violated":
        return "kept", "good"
    if acknowledged.verdict == read.verdict:
        return f"lost {min(acknowledged.length or 0, read.length or 0)}", "bad"
    what, answer = ("acked", acknowledged) if acknowledged.verdict == "violated" else ("read", read)
    return f"{what} lost {answer.length}", "bad"
