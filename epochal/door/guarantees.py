"""`epochal.guarantees`: what Kafka promises under which faults, each answer decided by a search."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from epochal.checker.host.numbers import counted
from epochal.door.keywords import flag
from epochal.door.names import name_of
from epochal.door.options import required
from epochal.door.question import question
from epochal.door.result import Result
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.guarantees import Asked, Decided, GuaranteeOptions, decided_faults, exit_code

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace
    from epochal.render.documents import kafka as documents
    from epochal.render.page import Page
    from epochal.spec.kraft.guarantees import Fault
    from epochal.spec.language import Protocol

Table = tuple[str, Mapping[str, Any], Sequence[Decided]]
"""How the settings are called, the settings, and every fault with its answers."""


@dataclass(frozen=True, repr=False)
class Guarantees(Result):
    """What is promised, a table for each combination of settings. `missing` faults were not reached."""

    asked: Asked
    tables: tuple[Table, ...]
    bounds: dict[str, int]
    faults: tuple[Fault, ...]
    varied: bool
    missing: int = 0

    @property
    def exit_code(self) -> ExitCode:
        """0 when every question is decided, whatever the answer; 30 if a budget left one open."""
        return ExitCode.of(exit_code([one for _, _, decided in self.tables for one in decided], self.missing))

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the run."""
        return any(one.interrupted for _, _, decided in self.tables for one in decided)

    @property
    def outcome(self) -> str:
        """Code 0 says that everything is decided, not that everything is kept."""
        return "every question is decided" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """What is broken by which fault, with the states of the shortest run."""
        return [
            f"{one.fault.id}: {asked} NO ({counted(promise.length or 0, 'state')})"
            for _, _, decided in self.tables
            for one in decided
            for asked, promise in one.answers.items()
            if promise.verdict == "violated"
        ]

    @property
    def headline(self) -> str:
        """The answer in one line."""
        broken = sum(a.verdict == "violated" for _, _, d in self.tables for one in d for a in one.answers.values())
        return f"{self.tables[0][0]}: {broken} promises are broken by some fault" if self.tables else "nothing asked"

    @property
    def counterexample(self) -> Trace | None:
        """The first run that breaks a promise, if runs were asked for."""
        return next((trace for _, _, decided in self.tables for one in decided for trace in one.traces), None)

    def to_dict(self) -> documents.Guarantees:
        """The tables as plain data."""
        from epochal.render.guarantees_json import guarantees_document
        from epochal.spec.bugs.open_holes import open_holes

        kinds = {reference: self.asked.configured(settings) for reference, settings, _ in self.tables}
        holes = {reference: [bug.id for bug in open_holes(kind.settings)] for reference, kind in kinds.items()}
        return guarantees_document(list(self.tables), self.bounds, self.exit_code, holes)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write the table, or a row for each combination of settings."""
        from epochal.render.guarantees_text import render_guarantees, render_matrix
        from epochal.spec.kraft.guarantees import FAULTS

        if self.varied:
            rows = [(reference, decided) for reference, _, decided in self.tables]
            render_matrix(page, rows, self.bounds, self.faults, list(files))
            return
        reference, settings, decided = self.tables[0]
        chosen = [] if len(self.faults) == len(FAULTS) else [fault.id for fault in self.faults]
        render_guarantees(
            page, self.asked.configured(settings), reference, self.bounds, decided, self.missing, list(files), chosen
        )

    def write_runs(self, folder: str | Path) -> list[str]:
        """Write every run to a folder, as ITF and as a story; the paths of the ITF files."""
        from epochal.checker.trace.output_folder import opened
        from epochal.kafka.guarantees_folder import write_runs

        return write_runs(opened(folder), self.tables)


@question(runs=flag)
def guarantees(
    protocol: Protocol | None = None,
    *,
    faults: str | Iterable[str] = (),
    varied: bool = False,
    budget: float | None = None,
    begun: float | None = None,
    workers: int | None = None,
    runs: bool = False,
    cached: bool = True,
    progress: Callable[[Progress], None] | None = None,
    tell: Callable[[str], None] = lambda _: None,
    **given: object,
) -> Guarantees:
    """Say what Kafka promises under which faults: `guarantees(kafka="3.9", acks="1")`.

    `given` are Kafka's own settings, and bounds if others are wanted than those of `epochal guarantees`; or all of them
    stand in a `protocol`: `epochal.load("kraft", kafka="3.9", replication_factor=2)`, which may be of a class that
    derives from `ConfigurableKraft` (epochal.spec.kraft.configuration), such as a change to Kafka. `faults` are
    ids (none: all). With `varied` the usual combinations of settings are decided, else these alone. `budget` is in
    seconds, for the whole run, since `begun` (None: now); `runs` asks for the run that breaks each promise, replayed in
    both readings. Answers are kept by the content of the program; without `cached` all are searched again.

    Raises UsageError for another protocol, an unknown fault, or settings beside a protocol, which has its own;
    BoundsError for a setting or bound that kraft does not have.
    """
    from epochal.spec.door import load
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.kraft.guarantees import BOUNDS, BUDGETS, FAULTS, faults_for, matrix
    from epochal.spec.language.configurable import configuration_of, without_settings

    if protocol is None:
        protocol = load("kraft", **{**BOUNDS, **given})
    elif given:
        names = ", ".join(given)
        raise UsageError(f"the protocol has its settings and bounds already: give {names} to epochal.load")
    protocol = required(protocol, "guarantees")
    if not isinstance(protocol, ConfigurableKraft):
        raise UsageError(
            f"{protocol.name} is not kraft: guarantees are decided for kraft and what derives from ConfigurableKraft",
            "It stands in epochal.spec.kraft.configuration.",
        )
    plain = cast("type[ConfigurableKraft]", without_settings(type(protocol)))
    asked = Asked(plain, name_of(protocol))
    chosen, known = tuple(faults), {fault.id for fault in FAULTS}
    for id in chosen:
        if id not in known:
            raise UsageError(f"there is no fault {id!r}: {', '.join(sorted(known))}")
    said = configuration_of(protocol)
    declared = type(protocol.bounds).declared()
    bounds = {
        name: value
        for name, value in protocol.bounds.as_dict().items()
        if name in BOUNDS or (name not in BUDGETS and value != declared[name].default)
    }
    wish = GuaranteeOptions(
        budget, workers, traces=runs, cached=cached, begun=time.monotonic() if begun is None else begun
    )
    shown = tuple(fault for fault in FAULTS if not chosen or fault.id in chosen)
    tables: list[Table] = []
    missing = 0
    for settings in matrix(said) if varied else [said]:
        reference = asked.reference(settings)
        if varied:
            tell(reference)
        wanted = [fault for fault in faults_for(settings) if fault in shown]
        decided = list(decided_faults(asked, wanted, settings, bounds, wish, tell, progress))
        tables.append((reference, settings, decided))
        missing = len(wanted) - len(decided)
        if missing:
            break
    return Guarantees(asked, tuple(tables), bounds, shown, varied, missing)
