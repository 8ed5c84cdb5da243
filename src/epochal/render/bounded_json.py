"""The result of a bounded search as one JSON object."""

from __future__ import annotations

from epochal.checker.solver.bounded_result import BoundedProperty, BoundedResult
from epochal.checker.trace.itf import encode
from epochal.checker.version import TOOL, tool_version
from epochal.render.check_json import error_document, repeated_document
from epochal.render.documents import solver
from epochal.spec.language.configurable import configuration_of


def bounded_document(result: BoundedResult, reference: str, replayed: tuple[str, ...]) -> solver.Bounded:
    """The document. `lengths` has an entry for each number of steps that was asked about; seconds are of the processor.

    The verdict of a property is "none" if no run of at most `length` steps shows it, else "violated", "reached" or
    "unknown"; `steps` is the length of the shortest run, or up to which length nothing was shown.
    """
    return {
        "tool": TOOL,
        "version": tool_version(),
        "protocol": result.protocol.name,
        "reference": reference,
        "configuration": configuration_of(result.protocol),
        "bounds": result.protocol.bounds.as_dict(),
        "engine": "z3",
        "rlimit": result.rlimit,
        "start": result.start.text,
        "start_is_reachable": result.start.reachable,
        "length": result.length,
        "complete_to": result.complete_to,
        "lengths": [
            {"steps": one.steps, "verdict": one.verdict, "shown": list(one.shown), "seconds": round(one.seconds, 6)}
            for one in result.lengths
        ],
        "properties": [_property(one) for one in result.properties],
        "actions": _actions(result),
        "reason": result.reason,
        "cross_check": repeated_document(result.cross_check),
        "warnings": [*result.vacuous, *result.warnings],
        "replayed": list(replayed),
        "error": None if result.error is None else error_document(result.error),
        "solver_seconds": round(result.solver_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "wall_seconds": round(result.wall_seconds, 6),
        "exit_code": result.exit_code,
    }


def _property(one: BoundedProperty) -> solver.BoundedProperty:
    return {
        "id": one.member.name,
        "kind": one.member.mark.kind,
        "sentence": one.member.sentence,
        "source": str(one.member.where),
        "verdict": one.verdict,
        "steps": one.steps,
        "trace": None if one.trace is None else encode(one.trace),
    }


def _actions(result: BoundedResult) -> list[solver.FirstTaken] | None:
    """After how many steps each action can first be taken (null: not found); null if that was not asked."""
    if not result.asked_actions:
        return None
    actions = result.protocol.members("action")
    return [{"name": action.name, "first_taken": result.first_taken.get(action.name)} for action in actions]
