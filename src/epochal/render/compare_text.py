"""The report of a comparison for people. Everything in it comes from the one `Comparison`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epochal.checker.command_lines import bounds_as_options
from epochal.checker.difference.compare import Comparison
from epochal.checker.difference.difference import SCOPES, ActionDifference, Answer, Explored
from epochal.checker.host.numbers import counted, timed
from epochal.checker.trace.explain import explain, told_as
from epochal.checker.trace.trace import Trace
from epochal.render.compare_json import Example
from epochal.render.compare_verdicts import Judged, render_verdicts
from epochal.render.page import Page, Row, Style
from epochal.spec.language.configurable import remarks_on
from epochal.spec.language.views import told_lines

SAID: dict[Answer, tuple[str, Style]] = {
    "same": ("-", ""),
    "differs": ("own", "bad"),
    "unknown": ("?", "warn"),
    "not asked": ("", ""),
}
LEGEND = "own: steps that the other does not take   - none   ? not known"


def headline(result: Comparison) -> str:
    """The verdict in one sentence."""
    if result.verdict == "unknown":
        return "it is open whether they behave the same"
    if result.verdict == "differs":
        return "their behaviour differs"
    if result.answers("typed") == {"same"}:
        return "the same steps in every typed state at these bounds"
    return (
        "the same steps in every reachable state at these bounds; they differ in states that no run reaches here, and "
        "larger bounds may reach them"
    )


def render_comparison(
    page: Page,
    result: Comparison,
    references: tuple[str, str],
    told: Sequence[Example],
    replayed: tuple[str, ...],
    files: list[str],
    judged: Judged | None = None,
) -> None:
    """The actions in both directions, an example for each difference, what holds in each, and what was looked at."""
    first, second = references
    tone: dict[Answer, Style] = {"same": "good", "differs": "bad"}
    page.line(f"{first} and {second}: {headline(result)}", tone.get(result.verdict, "warn"))
    page.line(f"bounds: {bounds_as_options(result.first.bounds.as_dict()) or 'none'}", indent=2)
    for reference, protocol in zip(references, (result.first, result.second), strict=True):
        for remark in remarks_on(protocol):
            page.line(f"{reference}: {remark}", "warn", indent=2)
    _directions(page, result, references)
    for example in told:
        _example(page, example, references)
    if judged is not None:
        render_verdicts(page, judged, references)
    page.title("Comparison")
    where = f"by Z3; {counted(len(result.lemmas), 'common lemma')}"
    times = f"{timed(result.wall_seconds)}, of which solver {timed(result.solver_seconds)} of processor time"
    page.table(
        [
            ("typed states", where),
            *((f"reachable in {name}", _explored(e)) for name, e in zip(references, result.explored, strict=True)),
            ("initial states", _initial(result)),
            ("constraint", result.constraint),
            ("time", times),
            *((("examples", f"replayed in: {', '.join(replayed)}"),) if replayed else ()),
        ]
    )
    page.title("Not compared")
    left = "- the lemmas of the two" if judged is not None else "- the properties and lemmas of the two (--judge)"
    page.lines(("- larger bounds", left), indent=2)
    page.written(files)


def _directions(page: Page, result: Comparison, references: tuple[str, str]) -> None:
    scopes = [s for s in SCOPES if s != "lemmas" or result.lemmas]
    heads = {"typed": "TYPED STATES", "lemmas": "WHERE LEMMAS HOLD", "reachable": "REACHABLE"}
    for own, left, right in (
        (result.lost, *references),
        (result.gained, references[1], references[0]),
    ):
        page.title(f"Steps of {left} that {right} does not take")
        rows: list[Row] = [(_name(one), *(SAID[one.answers[scope].answer] for scope in scopes)) for one in own]
        page.table(rows, header=("ACTION", *(heads[scope] for scope in scopes)))
    page.line(LEGEND, "faint", indent=2)


def _name(one: ActionDifference) -> str:
    if one.counterpart is None:
        return f"{one.action} (only here)"
    return one.action if one.counterpart == one.action else f"{one.action} (there {one.counterpart})"


def _example(page: Page, example: Example, references: tuple[str, str]) -> None:
    """One step: the state before it, what it changes, and why the other protocol does not take it."""
    trace, protocol = example.trace, example.trace.protocol
    reference = references[example.name.startswith("gained")]
    label = trace.steps[-1].instance.label
    page.title(f"{label}, a step of {reference} only")
    last = Trace(protocol, trace.states[-2], trace.steps[-1:])
    step = explain(replace(last, facts=trace.facts))[0]
    reached = f"Reached by {reference} in a run of {counted(len(trace.steps), 'state')}"
    page.line(f"0. {reached if example.scope == 'reachable' else trace.start}", indent=2)
    page.lines((f"{head}: {text}" for head, text in told_lines(protocol, trace.states[-2]).items()), indent=7)
    page.line(f"1. {told_as(step.label, step.sentence)}  [{step.where}]", indent=2)
    page.lines([str(told) for told in step.told] or ["(nothing changes)"], indent=7)
    page.line(example.reason, "bad", indent=2)
    guard = example.refused.guard
    if guard is not None:
        page.line(f"{guard.text}  [{guard.where}]", indent=4)
    page.lines((f"{c.path}: {c.before} here, {c.after} there" for c in example.changes), indent=4)


def _explored(one: Explored) -> str:
    if one.cut is None:
        return "nothing to search for: no typed state has such a step"
    return f"{counted(one.states, 'distinct state')}, {one.cut or 'all there are'}"


def _initial(result: Comparison) -> str:
    first, second = result.initial_only
    return f"{first} only in the first, {second} only in the second" if first or second else "the same"
