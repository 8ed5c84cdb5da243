"""The result of a comparison as one JSON object, and the examples that every report of it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from epochal.checker.solver.compare import Comparison
from epochal.checker.solver.refusals import Refused, refused
from epochal.checker.solver.sides import ActionDifference, Explored, Scope
from epochal.checker.trace.itf import encode
from epochal.checker.trace.trace import Trace
from epochal.checker.version import TOOL, tool_version
from epochal.render.documents import solver


@dataclass(frozen=True)
class Example:
    """An example of a difference: a trace whose last step only one protocol takes, and why the other does not.

    In a reachable state the trace is a whole run, else the one step. `name` is for its file.
    """

    difference: ActionDifference
    scope: Scope
    trace: Trace
    refused: Refused
    name: str


def examples(result: Comparison, references: tuple[str, str]) -> list[Example]:
    """One example for each action with steps of its own: the one that says most."""
    found = []
    for direction, differences, reference in (
        ("lost", result.lost, references[0]),
        ("gained", result.gained, references[1]),
    ):
        for one in differences:
            if one.example is None:
                continue
            scope, trace = one.example
            why = refused(one, trace)
            note = why.reason + (f": {why.guard.text} [{why.guard.where}]" if why.guard else "")
            told = replace(trace, note=note, facts={"protocol": reference, "engine": "z3"})
            if scope == "reachable":
                told = replace(told, facts={"protocol": reference, "engine": "native", "shortest": True})
            found.append(Example(one, scope, told, why, f"{direction} {one.action}"))
    return found


def compare_document(
    result: Comparison,
    references: tuple[str, str],
    told: Sequence[Example],
    replayed: tuple[str, ...],
    exit_code: int,
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
        "initial_states_only_in_first": len(result.initial_only[0]),
        "initial_states_only_in_second": len(result.initial_only[1]),
        "explored": {name: _explored(one) for name, one in zip(("first", "second"), result.explored, strict=True)},
        "lost": [_difference(one, by_difference.get(id(one))) for one in result.lost],
        "gained": [_difference(one, by_difference.get(id(one))) for one in result.gained],
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
        "typed": one.findings["typed"].answer,
        "lemmas": one.findings["lemmas"].answer,
        "reachable": one.findings["reachable"].answer,
        "example": None if example is None else _example(example),
    }


def _example(example: Example) -> solver.OnlyOneTakes:
    why = example.refused
    return {
        "scope": example.scope,
        "step": example.trace.steps[-1].instance.label,
        "reason": why.reason,
        "guard": None if why.guard is None else why.guard.text,
        "source": None if why.guard is None else str(why.guard.where),
        "changes": [str(change) for change in why.changes],
        "trace": encode(example.trace),
    }
