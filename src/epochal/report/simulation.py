"""The result of a simulation, for people and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epochal.checker.base.numbers import counted, timed
from epochal.checker.command_lines import bounds_as_options, other_bounds
from epochal.checker.semantics.properties import nothing_declared
from epochal.checker.trace.trace import Trace
from epochal.exit_codes import ExitCode
from epochal.spec.language.configurable import quoted

from .check import LESS, property_row, repeated_in_words
from .page import Page

if TYPE_CHECKING:
    from epochal.checker.search.simulate import SimulationResult


def first_violation(result: SimulationResult) -> Trace | None:
    """The trace that the report tells: that of the first property violated, else that of the rule that failed."""
    found = [p.trace for p in result.properties if p.verdict == "violated" and p.trace is not None]
    if found:
        return found[0]
    return result.error.trace if result.error is not None else None


def shortened_in_words(result: SimulationResult) -> str:
    """What was done to the run that the report tells, and what that does not mean."""
    trace = first_violation(result)
    if trace is None or trace.facts["shortest"]:
        return ""
    found = trace.facts.get("shortened_from", trace.length)
    left_out = (
        f"It was found with {found} states; what it does not need was left out. " if found != trace.length else ""
    )
    return f"{left_out}No step of it can be left out; a run of other steps may be shorter."


def headline(result: SimulationResult) -> str:
    """The verdict in one sentence."""
    violated = [p.member.name for p in result.properties if p.verdict == "violated"]
    if violated:
        return f"{', '.join(violated)} violated"
    if result.error is not None:
        return "a rule of the specification could not be evaluated"
    if result.exit_code == ExitCode.VACUOUS:
        return f"nothing is violated in these runs, {LESS}"
    return "nothing is violated in these runs, which proves nothing about others"


def warnings_of(result: SimulationResult) -> list[str]:
    """What the reader should know although it is no violation."""
    missed = result.never_taken
    return [
        *nothing_declared(result.protocol),
        *([f"never taken in these runs: {', '.join(missed)}"] if missed else []),
    ]


def not_judged(result: SimulationResult) -> str:
    """Return what these runs say nothing about, and which command checks it."""
    optional = [one.name for one in result.protocol.members("leads_to") if one.mark.optional]
    unchecked = [name for name in result.not_judged if name not in optional]
    found = [
        *([f"liveness properties, which epochal check checks ({', '.join(unchecked)})"] if unchecked else []),
        *([f"optional liveness properties: epochal check --optional ({', '.join(optional)})"] if optional else []),
    ]
    return "; ".join(found)


def _why_ended(result: SimulationResult) -> list[str]:
    """Why no more runs were taken, where that is not that they were as many as asked for."""
    if result.ended_after_violation:
        return ["after a violation no more, unless --runs asks for them"]
    return [result.cut] if result.cut else []


def render_simulation(page: Page, result: SimulationResult, story: list[str], reference: str, replayed: str) -> None:
    """Verdicts, runs, coverage of the actions, and the first violation as a story."""
    bounds = bounds_as_options(result.protocol.bounds.as_dict())
    page.line(f"{result.protocol.name}: {headline(result)}", "good" if result.exit_code == 0 else "bad")
    page.line(f"bounds: {bounds or 'none'}", indent=2)
    page.title("Properties")
    page.table([property_row(one) for one in result.properties])
    if result.error is not None:
        where = f" ({result.error.where})" if result.error.where else ""
        page.title("A rule could not be evaluated")
        page.line(f"{result.error.message}{where}", "bad", indent=2)
    taken = f"{counted(result.runs, 'run')} of at most {counted(result.depth + 1, 'state')}; {result.steps:,} steps"
    page.title("Simulation")
    page.table(
        [
            ("engine", f"{result.engine}, seed {result.seed}"),
            ("runs", "; ".join([f"{taken} in all", *_why_ended(result)])),
            ("states", f"{result.distinct_states:,} distinct{', all that there are' if result.all_seen else ''}"),
            ("terminal states", f"{counted(result.terminal_states, 'run')} ended in a state without a next step"),
            ("left", f"{counted(result.left_constraint, 'run')} ended in a state outside the state constraint"),
            ("longest", f"a run of {counted(result.longest + 1, 'state')}"),
            ("time", timed(result.wall_seconds)),
            *((("traces", replayed),) if replayed else ()),
            *((("cross-check", repeated_in_words(result.cross_check)),) if result.cross_check is not None else ()),
        ]
    )
    if result.not_judged:
        page.title("Not checked")
        page.line(f"- {not_judged(result)}", indent=2)
    page.title("Actions")
    total = sum(steps for _, steps in result.actions)
    page.table(
        [(name, f"{steps:,}", f"{100 * steps / total if total else 0:.1f} %") for name, steps in result.actions],
        header=("ACTION", "STEPS", "SHARE"),
        right=(1, 2),
    )
    for warning in warnings_of(result):
        page.line()
        page.line(f"Warning: {warning}.", "warn")
    if story:
        page.title("Violation")
        page.lines(story, indent=2)
        if told := shortened_in_words(result):
            page.line(told, indent=2)
        asked = "".join(f" --property {one.member.asked_as}" for one in result.properties if one.verdict == "violated")
        again = f"epochal check {quoted(reference)} {other_bounds(result.protocol)}".rstrip()
        page.commands([f"{again}{asked}  # finds a shortest run"])
