"""What a check asks Z3 beside its search: everything static if that is wanted, else only why an action is never taken.

Loading Z3 takes a tenth of a second and all questions about KIP-320 as long again, of a check that takes 0.7. So Z3 is
asked only where the search leaves a question open: is an action that no reachable state enables possible at all?
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from epochal.errors import EngineError

from ..host.z3_solver import require_solver

if TYPE_CHECKING:
    from ..search.result import CheckResult
    from .static_checks import StaticAnswer, StaticReport


@dataclass(frozen=True)
class StaticAnswers:
    """What was asked of Z3, as lines for people and as a part of the JSON document."""

    lines: tuple[str, ...]
    document: dict[str, Any]


def with_static_answers(result: CheckResult, everything: bool) -> tuple[CheckResult, StaticAnswers | None]:
    """The result with what Z3 says about the specification, and what was asked; None if there was nothing to ask.

    Raises EngineError if everything is to be asked and Z3 is missing.
    """
    unexplained = result.exhaustive and result.never_taken
    if result.model is None or not (everything or unexplained):
        return result, None
    try:
        require_solver()
        from .static_checks import Questions, StaticReport
    except EngineError as error:
        if everything:
            raise
        reason = f"whether {', '.join(result.never_taken)} could happen at all is not known: {error.message}"
        return replace(result, warnings=(*result.warnings, " ".join(reason.split()).rstrip("."))), None
    questions = Questions(result.model)
    if everything:
        report = questions.all()
    else:
        asked = f"whether any typed state enables {', '.join(result.never_taken)}, which the search never took"
        report = StaticReport(asked, tuple(questions.actions(result.never_taken)))
    found = report.diagnostics
    told = replace(
        result,
        vacuous=(*result.vacuous, *(str(one) for one in found)),
        dead_actions=(*result.dead_actions, *(one.dead_action for one in found if one.dead_action)),
    )
    return told, StaticAnswers(tuple(_lines(report)), _document(report))


def _lines(report: StaticReport) -> Iterator[str]:
    """What was asked, and each answer that says something."""
    yield f"asked: {report.asked} ({report.seconds:.2f} s)"
    failures = report.of("failure", "impossible", "possible", "unknown")
    if failures:
        impossible = len(report.of("failure", "impossible"))
        yield f"indices and domains left open by intervals: {len(failures)}, of which {impossible} proved impossible"
    for one in report.of("failure", "possible", "unknown"):
        yield f"checked at run time: {one.subject} [{one.where}]"
    actions = report.of("action", "possible", "impossible", "unknown")
    if actions:
        yield f"actions that some typed state enables: {len(report.of('action', 'possible'))} of {len(actions)}"
    for one in report.of("action", "impossible"):
        yield f"{one.subject}: no typed state enables it"
    properties = report.of("property", "open", "always", "never", "unknown")
    if properties:
        open_ones = len(report.of("property", "open"))
        yield f"properties that can be true and can be false: {open_ones} of {len(properties)}"
    for one in report.of("property", "always", "never"):
        yield f"{one.subject}: {one.verdict} true in typed states"
    for one in (*report.of("action", "unknown"), *report.of("property", "unknown")):
        yield f"{one.subject}: the solver gave up"


def _document(report: StaticReport) -> dict[str, Any]:
    return {
        "asked": report.asked,
        "answers": [_answer(one) for one in report.answers],
        "seconds": round(report.seconds, 6),
    }


def _answer(one: StaticAnswer) -> dict[str, Any]:
    source = None if one.where is None else str(one.where)
    return {"kind": one.kind, "subject": one.subject, "source": source, "verdict": one.verdict}
