"""`epochal.bounded`: ask Z3 for a shortest violation within a number of steps, from any state that is wanted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from epochal.checker.base.installed import require_solver
from epochal.checker.base.numbers import counted, timed
from epochal.checker.crosscheck.cross_check import Amount
from epochal.checker.documents import document
from epochal.checker.search.confirm import Replayed, replay_all
from epochal.checker.search.result import Progress
from epochal.checker.semantics.properties import all_properties
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import KINDS, Page, Row, Style
from epochal.spec.language import Protocol
from epochal.spec.loading import Subject

from .check import LESS, not_asked_for, repeated_in_words, scope_lines
from .options import reference_of, required
from .result import Result, question

if TYPE_CHECKING:
    from epochal.checker.solver.bounded import BoundedProperty, LengthResult
    from epochal.checker.solver.bounded import BoundedResult as Bounded


@dataclass(frozen=True, repr=False)
class BoundedResult(Result):
    """What runs of a bounded number of steps can show. `bounded` has every figure."""

    bounded: Bounded
    reference: str
    replayed: Replayed

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each property, by its id."""
        return {one.member.name: one.verdict for one in self.bounded.properties}

    @property
    def violated(self) -> AbstractSet[str]:
        """The ids of the properties that some run of this length violates."""
        return frozenset(name for name, verdict in self.verdicts.items() if verdict == "violated")

    @property
    def findings(self) -> list[str]:
        """What is violated, with the length of its run."""
        return [
            f"{p.member.name} ({counted(p.steps + 1, 'state')})"
            for p in self.bounded.properties
            if p.verdict == "violated"
        ]

    @property
    def traces(self) -> list[Trace]:
        """The run for each property that has one, and to a rule that failed."""
        found = [one.trace for one in self.bounded.properties if one.trace is not None]
        return found if self.bounded.error is None else [*found, self.bounded.error.trace]

    @property
    def exit_code(self) -> ExitCode:
        return self.bounded.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended the search."""
        return self.bounded.interrupted

    @property
    def headline(self) -> str:
        return f"{self.bounded.protocol.name}: {headline(self.bounded)}"

    @property
    def counterexample(self) -> Trace | None:
        """The shortest run to the first finding; None without any."""
        result = self.bounded
        for verdict in ("violated", "reached"):
            found = [p.trace for p in result.properties if p.verdict == verdict and p.trace is not None]
            if found:
                return min(found, key=lambda trace: trace.length)
            if verdict == "violated" and result.error is not None:
                return result.error.trace
        return None

    def to_dict(self) -> documents.Bounded:
        """The result as plain data, with its traces as ITF."""
        return document(documents.Bounded, self.bounded, self)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        result, run = self.bounded, self.counterexample
        bad = result.exit_code in (ExitCode.VIOLATED, ExitCode.EVALUATION_FAILED)
        tone: Style = "good" if result.exit_code == ExitCode.HOLDS else "bad" if bad else "warn"
        page.line(self.headline, tone)
        page.lines(scope_lines(result.protocol), indent=2)
        page.title("Properties")
        page.table([_property_row(one) for one in result.properties])
        if result.error is not None:
            where = f" ({result.error.where})" if result.error.where else ""
            page.title("A rule could not be evaluated")
            page.line(f"{result.error.message}{where}", "bad", indent=2)
        page.title("Runs by length")
        page.table(
            [(str(one.steps + 1), timed(one.seconds), _said(one)) for one in result.lengths],
            header=("STATES", "SOLVER", "FOUND"),
            right=(0, 1),
        )
        page.facts(
            "Bounded search",
            ("engine", "Z3, all runs of one length after the other"),
            ("from", result.start.text),
            ("limit", f"{result.rlimit:,} resource units for each question (--rlimit)"),
            ("time", f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"),
            ("traces", self.replayed.sentence),
            ("cross-check", repeated_in_words(result.cross_check)),
        )
        if result.asked_actions:
            taken = result.first_taken
            page.title("Actions")
            page.table(
                [(a.name, str(taken.get(a.name, "-"))) for a in result.protocol.members("action")],
                header=("ACTION", "FIRST TAKEN AT STEP"),
                right=(1,),
            )
        page.title("Not checked")
        page.lines((f"- {line}" for line in _not_checked(result)), indent=2)
        page.warnings((*result.vacuous, *result.warnings))
        if run is not None:
            title = {ExitCode.VIOLATED: "Counterexample", ExitCode.EVALUATION_FAILED: "The run that leads to it"}
            page.title(title.get(result.exit_code, "Witness"))
            page.lines(str(run).splitlines(), indent=2)
        page.written(files)


@question
def bounded(
    protocol: Protocol,
    *,
    length: int = 10,
    properties: str | Iterable[str] | None = None,
    after: str | None = None,
    start: str | Iterable[str] = (),
    all_violations: bool = False,
    actions: bool = False,
    rlimit: int | None = None,
    budget: float | None = None,
    begun: float | None = None,
    cross_check: Amount = "some",
    progress: Callable[[LengthResult], None] | None = None,
    preparing: Callable[[Progress], None] | None = None,
    reference: str | None = None,
) -> BoundedResult:
    """Ask Z3 whether a run of at most `length` steps violates a property, shortest runs first.

    It begins in the initial states; or `after` a state of a trace, "file.itf.json:INDEX"; or in any state where every
    condition of `start` holds, the ids of properties or "file.py:function". With `actions` each action is asked
    whether some run takes it. `properties` are ids (None: all but what must be reachable). `budget` is in
    seconds from `begun` on (None: from now), for all of it.

    Raises UsageError for a start that does not exist, EngineError without Z3.
    """
    protocol = required(protocol, "bounded")
    require_solver()
    from epochal.checker.solver.bounded import RLIMIT, BoundedOptions, bounded_search, chosen_start

    name = reference or reference_of(protocol)
    options = BoundedOptions(
        length,
        None if properties is None else tuple(properties),
        all_violations,
        actions,
        RLIMIT if rlimit is None else rlimit,
        progress,
        cross_check,
        preparing,
        budget,
        begun,
    )
    found = bounded_search(protocol, options, chosen_start(Subject(name, protocol), after, tuple(start)))
    result = BoundedResult(
        found.with_facts({"protocol": name, "engine": "z3", "shortest": True}), name, Replayed((), "")
    )
    return BoundedResult(result.bounded, name, replay_all(protocol, result.traces))


SLOW = 1.0
WORDS = {"none": "none found", "violated": "VIOLATED", "reached": "reached", "unknown": "open"}
STYLES: dict[str, Style] = {"none": "good", "violated": "bad", "reached": "good", "unknown": "warn"}


def length_progress(kind: str, stream: TextIO) -> Callable[[LengthResult], None] | None:
    """What a bounded search calls after each length: lines for those that take long, or an object for each."""
    if kind == "none":
        return None

    def report(one: LengthResult) -> None:
        if kind == "json":
            text = json.dumps({"steps": one.steps, "verdict": one.verdict, "seconds": round(one.seconds, 3)})
        elif one.seconds >= SLOW:
            text = f"{counted(one.steps + 1, 'state')}: {_said(one)}, {timed(one.seconds)}"
        else:
            return
        stream.write(text + "\n")
        stream.flush()

    return report


def _said(one: LengthResult) -> str:
    shown = [name.removeprefix("action ") for name in one.shown]
    words = {"none": "nothing found", "found": ", ".join(shown), "unknown": "no answer", "running": "asking"}
    return words[one.verdict]


def headline(result: Bounded) -> str:
    """The verdict in one sentence."""
    violated = [p for p in result.properties if p.verdict == "violated"]
    begin = "" if result.start.way is None and not result.start.conditions else ", from where it was to begin"
    if violated:
        names = ", ".join(p.member.name for p in violated)
        return f"{names} violated in a run of {counted(min(p.steps for p in violated) + 1, 'state')}{begin}"
    if result.error is not None:
        return "a rule of the specification could not be evaluated"
    if result.interrupted:
        return f"inconclusive: interrupted at runs of {counted(result.lengths[-1].steps + 1, 'state')}"
    if result.cut:
        return f"inconclusive: {result.reason}"
    if result.reason:
        return f"inconclusive: the solver gave up on runs of {counted(result.lengths[-1].steps + 1, 'state')}"
    if result.out_of_place:
        return f"{', '.join(result.out_of_place)} happens, although it does not apply here (only_if)"
    if result.missing:
        return f"{', '.join(result.missing)} cannot be reached within {counted(result.length + 1, 'state')}{begin}"
    within = f"nothing is violated in runs of at most {counted(result.length + 1, 'state')}{begin}, within these bounds"
    return f"{within}, {LESS}" if result.exit_code == ExitCode.VACUOUS else within


def _property_row(one: BoundedProperty) -> Row:
    states = counted(one.steps + 1, "state")
    length = "" if one.steps < 0 else f"within {states}" if one.trace is None else states
    kind = KINDS[one.member.mark.kind]
    return ((WORDS[one.verdict], STYLES[one.verdict]), one.member.name, kind, length, one.member.sentence)


def _not_checked(result: Bounded) -> list[str]:
    found = [f"runs of more than {counted(max(result.complete_to, 0) + 1, 'state')}"]
    if result.start.way is not None or result.start.conditions:
        found.append("runs that begin elsewhere")
    if not result.start.reachable:
        found.append("whether the first state can be reached at all")
    if result.start.conditions:
        found.append("states where some rule cannot be evaluated, as unreachable ones may be: runs end before them")
    found.append("larger bounds")
    asked = {one.member.name for one in result.properties}
    others = [member.name for member in all_properties(result.protocol) if member.name not in asked]
    if others:
        found.append(not_asked_for(others))
    return [*found, "deadlock and liveness"]
