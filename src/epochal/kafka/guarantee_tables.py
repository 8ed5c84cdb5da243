"""Several protocols asked about the same faults: a column each, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.kafka.cases import Asked
from epochal.kafka.faults_apart import decided_apart
from epochal.kafka.guarantees import Decided, GuaranteeOptions, Verdict, decided_faults
from epochal.spec.bugs.open_holes import open_holes
from epochal.spec.kraft.guarantees import faults_for
from epochal.spec.kraft.reductions import void
from epochal.spec.language.configurable import remarks_on

if TYPE_CHECKING:
    from epochal.checker.search.result import Progress
    from epochal.checker.trace.trace import Trace
    from epochal.spec.bugs.known_bug import KnownBug
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.kraft.guarantees import Fault
    from epochal.spec.language import SettingValue


@dataclass(frozen=True)
class Column:
    """One protocol, and what it is called in a table."""

    title: str
    asked: Asked
    settings: Mapping[str, SettingValue]

    @property
    def kind(self) -> type[ConfigurableKraft]:
        """The protocol of these settings."""
        return self.asked.configured(self.settings)

    @property
    def reference(self) -> str:
        """How the command line names it."""
        return self.asked.reference(self.settings)

    def known(self, bounds: Mapping[str, int]) -> dict[str, int]:
        """Of the bounds of a table those that it has: a protocol that is held against it may have more."""
        declared = self.kind.bounds_type().declared()
        return {name: value for name, value in bounds.items() if name in declared}


@dataclass(frozen=True)
class Table:
    """What is promised by one protocol: every fault that was decided, in their order."""

    column: Column
    decided: tuple[Decided, ...]

    def under(self, fault: Fault) -> Decided | None:
        """What was decided for a fault; None if it was not asked for, or is part of all."""
        return next((one for one in self.decided if one.fault.id == fault.id), None)

    @property
    def traces(self) -> list[Trace]:
        """The runs that break a promise, if they were wanted."""
        return [trace for one in self.decided for trace in one.traces]

    @property
    def broken(self) -> int:
        """How many promises are broken."""
        return self._counted("violated")

    @property
    def open(self) -> int:
        """How many nobody has decided."""
        return self._counted("open")

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has come before all was asked that was wanted of this one."""
        return any(one.interrupted for one in self.decided)

    def _counted(self, verdict: Verdict) -> int:
        return sum(promise.verdict == verdict for one in self.decided for promise in one.answers.values())

    @property
    def holes(self) -> tuple[KnownBug, ...]:
        """The known bugs whose rule this protocol lacks."""
        return open_holes(self.column.kind.settings)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What rules of its own make of the steps that the protocol joins."""
        return remarks_on(self.column.kind)

    @property
    def cannot_tell(self) -> bool:
        """Whether some run may be beyond what its searches see, because of its own rules."""
        return any(not one.reduction.taken_back for one in void(self.column.kind))

    @property
    def shown(self) -> frozenset[str]:
        """The ids of those that a run here needs."""
        return frozenset(id for one in self.decided for id in one.behind)

    @property
    def hidden(self) -> frozenset[str]:
        """The ids of those that a run needs once others are closed, as far as that was asked."""
        return frozenset(id for one in self.decided for deeper in one.beneath for id in deeper.behind) - self.shown


def acknowledges(table: Table, fault: Fault) -> bool:
    """Whether a protocol acknowledges anything under a fault, as far as it was decided; else nothing can be lost."""
    found = table.under(fault)
    return found is None or found.answers["acknowledged"].verdict != "nothing"


def same_answers(left: Decided | None, right: Decided | None) -> bool:
    """Whether two protocols promise the same under a fault, by runs of the same length, and come back alike."""
    if left is None or right is None:
        return left is right
    return (left.writes, left.back) == (right.writes, right.back) and all(
        (promise.verdict, promise.length) == (right.answers[asked].verdict, right.answers[asked].length)
        for asked, promise in left.answers.items()
    )


def decided_table(
    column: Column,
    faults: Sequence[Fault],
    bounds: Mapping[str, int],
    wish: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
    stopped: bool = False,
) -> tuple[Table, int]:
    """What one protocol promises, and how many faults are not known because of Ctrl-C. It is `stopped` if that came
    before: then nothing is searched, and what is known already is told.
    """
    usual = {fault.id for fault in faults_for(column.settings)}
    wanted = [fault for fault in faults if fault.id in usual or not fault.settings]
    known = column.known(bounds)
    found = decided_faults(column.asked, wanted, column.settings, known, wish, told, progress, decided_apart, stopped)
    decided = tuple(found)
    return Table(column, decided), len(wanted) - len(decided)
