"""Several protocols asked about the same faults: a column each, and what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from epochal.checker.base.files import write_atomically, writing
from epochal.checker.base.machine import memory_limit
from epochal.checker.search.budget import Deadline
from epochal.checker.search.result import Progress
from epochal.checker.trace.output_folder import OutputFolder, slug
from epochal.checker.trace.text import markdown
from epochal.checker.trace.trace import Trace
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import Answering, WorkerLost, usable_processes
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.guarantees import Fault, faults_for, guarded
from epochal.spec.kraft.reductions import void
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import configuration_of, reference_to, remarks_on
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered

from .cases import Answer, Asked, Case, is_undecided, keep
from .decided import Decided, GuaranteeOptions, Verdict, decided_faults, searched

# -- faults apart -----------------------------------------------------------------------------------------------------
# Faults that nothing is known of yet, searched side by side: each in a process of its own, on one processor.
#
# What its share of the memory is too small for, or what ends it, is left to the process that asks.

FEWEST = 2
"""How many searches are worth other processes."""

Question = tuple[str, dict[str, Any], dict[str, int]]
"""A registered protocol, its settings and the bounds of the search."""


class FaultAnswering(Answering[Question, Answer | None]):
    """Searches for what faults break, in a process of its own. Raises EpochalError if a rule cannot be evaluated."""

    def __init__(self, options: GuaranteeOptions) -> None:
        self._options = options

    def answer(self, question: Question, /) -> Answer | None:
        """What one search decides; None if there is too little memory for it."""
        name, settings, bounds = question
        kind = guarded(settings, cast("type[ConfigurableKraft]", registered(name)))
        try:
            result, answer, _ = searched(instantiate(kind, bounds), reference_to(name, kind), self._options)
        except MemoryError:
            return None
        return None if result.limit == "memory" else answer


def decided_in_workers(
    cases: Sequence[Case], options: GuaranteeOptions, progress: Callable[[Progress], None] | None
) -> tuple[dict[int, Answer], bool]:
    """The answers to cases that have to be searched, by their places, and whether Ctrl-C has ended that.

    There are none where processes are not worth it, or runs are wanted, which are of one process; and none of a case
    that a process could not answer, because its share of the memory was too small or it ended.
    """
    count = usable_processes(options.workers)
    if count < 2 or options.traces or not (options.cached and options.searches):
        return {}, False
    todo: list[tuple[int, Question]] = [
        (place, (case.asked.name, dict(configuration_of(case.kind)), dict(case.bounds)))
        for place, case in enumerate(cases)
        if case.asked.is_registered and is_undecided(case)
    ]
    if len(todo) < FEWEST:
        return {}, False
    alone = replace(options, workers=1, max_memory=options.max_memory or memory_limit() // count)
    answers: dict[int, Answer] = {}
    patience = Deadline(progress=progress)
    try:
        with (
            patience.watching(f"{len(todo)} faults, side by side"),
            apart(Where("local", count), FaultAnswering, len(todo), lambda _: None) as engine,
        ):
            for place, answer in engine(alone, todo):
                if answer is None:
                    continue
                answers[place] = answer
                keep(cases[place], answer)
                patience.doing = f"{len(answers)} of {len(todo)} faults decided, side by side"
    except WorkerLost:  # no process starts any more
        return answers, False
    except KeyboardInterrupt:
        return answers, True
    return answers, False


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
    """What is guaranteed by one protocol: every fault that was decided, in their order."""

    column: Column
    decided: tuple[Decided, ...]

    def under(self, fault: Fault) -> Decided | None:
        """What was decided for a fault; None if it was not asked for, or is part of all."""
        return next((one for one in self.decided if one.fault.id == fault.id), None)

    @property
    def traces(self) -> list[Trace]:
        """The runs that break a guarantee, if they were wanted."""
        return [trace for one in self.decided for trace in one.traces]

    @property
    def broken(self) -> int:
        """How many guarantees are broken."""
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
        return frozenset(id for one in self.decided for deeper in one.causes for id in deeper.behind) - self.shown


def acknowledges(table: Table, fault: Fault) -> bool:
    """Whether a protocol acknowledges anything under a fault, as far as it was decided; else nothing can be lost."""
    found = table.under(fault)
    return found is None or found.answers["acknowledged"].verdict != "nothing"


def same_answers(left: Decided | None, right: Decided | None) -> bool:
    """Whether two protocols guarantee the same under a fault, by runs of the same length, and come back alike."""
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
    options: GuaranteeOptions,
    told: Callable[[str], None],
    progress: Callable[[Progress], None] | None,
    stopped: bool = False,
) -> tuple[Table, int]:
    """What one protocol guarantees, and how many faults are not known because of Ctrl-C. It is `stopped` if that came
    before: then nothing is searched, and what is known already is told.
    """
    usual = {fault.id for fault in faults_for(column.settings)}
    wanted = [fault for fault in faults if fault.id in usual or not fault.settings]
    known = column.known(bounds)
    found = decided_faults(
        column.asked, wanted, column.settings, known, options, told, progress, decided_in_workers, stopped
    )
    decided = tuple(found)
    return Table(column, decided), len(wanted) - len(decided)


# -- guarantees folder ------------------------------------------------------------------------------------------------
# The runs that `epochal guarantees --out` writes: each as ITF, and as a story.


def write_runs(folder: OutputFolder, tables: Sequence[Table]) -> list[str]:
    """Write every counterexample; the paths of the ITF files, in the order of the tables."""
    written = []
    for table in tables:
        for one in table.decided:
            for trace in one.traces:
                path = folder.write_trace(slug(table.column.reference), f"{one.fault.id}-{trace.property_id}", trace)
                story = Path(str(path).removesuffix(".itf.json") + ".md")
                with writing(story):
                    write_atomically(story, markdown(trace, str(path)))
                written.append(str(path))
    return written
