"""The result of a comparison as one JSON object, and the examples that every report of it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from epochal.checker.difference.compare import Comparison
from epochal.checker.difference.difference import SCOPES, ActionDifference, Explored, Scope
from epochal.checker.difference.refusal import Refused
from epochal.checker.trace.explain import Change, differences
from epochal.checker.trace.itf import encode
from epochal.checker.trace.trace import Trace
from epochal.checker.version import TOOL, tool_version
from epochal.render.compare_verdicts import Judged, verdicts_document
from epochal.render.documents import solver


@dataclass(frozen=True)
class Example:
    """An example of a difference: a trace whose last step only one protocol takes, and why the other does not.

    In a reachable state the trace is a whole run, else the one step. `reason` is told without the guard and the
    `changes`, which are the leaves that would be different. `name` is for its file.
    """

    difference: ActionDifference
    scope: Scope
    trace: Trace
    refused: Refused
    reason: str
    changes: tuple[Change, ...]
    name: str


def examples(result: Comparison, references: tuple[str, str]) -> list[Example]:
    """One example for each action with steps of its own: in a reachable state, where the lemmas hold, or in any."""
    found = []
    for direction, own, reference, other in (
        ("lost", result.lost, references[0], result.second),
        ("gained", result.gained, references[1], result.first),
    ):
        for one in own:
            scope = next((scope for scope in reversed(SCOPES) if one.answers[scope].example is not None), None)
            example = None if scope is None else one.answers[scope].example
            if scope is None or example is None:
                continue
            trace, why = example.trace, example.refused
            reason = why.sentence(other.name)
            note = reason + (f": {why.guard.text} [{why.guard.where}]" if why.guard else "")
            told = replace(trace, note=note, facts={"protocol": reference, "engine": "z3"})
            if scope == "reachable":
                told = replace(told, facts={"protocol": reference, "engine": "native", "shortest": True})
            changes = () if why.after is None else differences(other, trace.states[-1], why.after)
            found.append(Example(one, scope, told, why, reason, changes, f"{direction} {one.action}"))
    return found


def compare_document(
    result: Comparison,
    references: tuple[str, str],
    told: Sequence[Example],
    replayed: tuple[str, ...],
    exit_code: int,
    judged: Judged | None = None,
) -> solver.Compare:
    """The document. `lost` are steps of the first protocol that the second does not take, `gained` the reverse."""
    by_difference = {id(example.difference): example for example in told}
    return {
        "tool": TOOL,
        "version": tool_version(),
        "first": references[0],
        "second": references[1],
        "bounds": result.first.bounds.as_dict(),
        "verdict": result.verdict,
        "lemmas": list(result.lemmas),
        "constraint": result.constraint,
        "initial_states_only_in_first": result.initial_only[0],
        "initial_states_only_in_second": result.initial_only[1],
        "explored": {name: _explored(one) for name, one in zip(("first", "second"), result.explored, strict=True)},
        "lost": [_difference(one, by_difference.get(id(one))) for one in result.lost],
        "gained": [_difference(one, by_difference.get(id(one))) for one in result.gained],
        "judged": verdicts_document(judged),
        "replayed": list(replayed),
        "rlimit": result.rlimit,
        "max_states": result.max_states,
        "solver_seconds": round(result.solver_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "wall_seconds": round(result.wall_seconds, 6),
        "exit_code": exit_code,
    }


def _explored(one: Explored) -> solver.Explored:
    return {"distinct_states": one.states, "searched": one.cut is not None, "cut": one.cut or ""}


def _difference(one: ActionDifference, example: Example | None) -> solver.Difference:
    return {
        "action": one.action,
        "counterpart": one.counterpart,
        "typed": one.answers["typed"].answer,
        "lemmas": one.answers["lemmas"].answer,
        "reachable": one.reachable.answer,
        "example": None if example is None else _example(example),
    }


def _example(example: Example) -> solver.OnlyOneTakes:
    why = example.refused
    return {
        "scope": example.scope,
        "step": example.trace.steps[-1].instance.label,
        "reason": example.reason,
        "guard": None if why.guard is None else why.guard.text,
        "source": None if why.guard is None else str(why.guard.where),
        "changes": [str(change) for change in example.changes],
        "trace": encode(example.trace),
    }
