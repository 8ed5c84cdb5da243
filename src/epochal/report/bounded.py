"""The report of a bounded search for people, and its progress. Everything comes from the one `BoundedResult`."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO

from epochal.checker.base.numbers import counted, timed
from epochal.checker.semantics.properties import all_properties
from epochal.checker.solver.bounded import BoundedProperty, BoundedResult
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode

from .check import KINDS, LESS, not_asked_for, repeated_in_words, scope_lines
from .page import Page, Row, Style

if TYPE_CHECKING:
    from epochal.checker.solver.bounded import LengthResult


SLOW = 1.0
WORDS = {
    "none": "none found",
    "violated": "VIOLATED",
    "reached": "reached",
    "unknown": "open",
}
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


def first_finding(result: BoundedResult) -> Trace | None:
    """The trace that the report tells: the first of the shortest violations, else a failing rule's or a witness."""
    for verdict in ("violated", "reached"):
        found = [p.trace for p in result.properties if p.verdict == verdict and p.trace is not None]
        if found:
            return min(found, key=lambda trace: trace.length)
        if verdict == "violated" and result.error is not None:
            return result.error.trace
    return None


def headline(result: BoundedResult) -> str:
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


def render_bounded(page: Page, result: BoundedResult, story: list[str], replayed: str, files: list[str]) -> None:
    """Verdicts, lengths with their times, actions, what it does not say, and the shortest finding as a story."""
    bad = result.exit_code in (ExitCode.VIOLATED, ExitCode.EVALUATION_FAILED)
    tone: Style = "good" if result.exit_code == ExitCode.HOLDS else "bad" if bad else "warn"
    page.line(f"{result.protocol.name}: {headline(result)}", tone)
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
    page.title("Bounded search")
    times = f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"
    page.table(
        [
            ("engine", "Z3, all runs of one length after the other"),
            ("from", result.start.text),
            ("limit", f"{result.rlimit:,} resource units for each question (--rlimit)"),
            ("time", times),
            *((("traces", replayed),) if replayed else ()),
            ("cross-check", repeated_in_words(result.cross_check)),
        ]
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
    for warning in (*result.vacuous, *result.warnings):
        page.line()
        page.line(f"Warning: {warning}.", "warn")
    if story:
        title = {ExitCode.VIOLATED: "Counterexample", ExitCode.EVALUATION_FAILED: "The run that leads to it"}
        page.title(title.get(result.exit_code, "Witness"))
        page.lines(story, indent=2)
    page.written(files)


def _property_row(one: BoundedProperty) -> Row:
    states = counted(one.steps + 1, "state")
    length = "" if one.steps < 0 else f"within {states}" if one.trace is None else states
    kind = KINDS[one.member.mark.kind]
    return ((WORDS[one.verdict], STYLES[one.verdict]), one.member.name, kind, length, one.member.sentence)


def _not_checked(result: BoundedResult) -> list[str]:
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
