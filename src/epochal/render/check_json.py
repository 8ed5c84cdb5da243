"""The result of a check as one JSON object."""

from __future__ import annotations

import dataclasses
import inspect
from typing import cast

from epochal.checker.cross_check import CrossCheck
from epochal.checker.fairness import Assumptions
from epochal.checker.liveness.result import Ends, Liveness, PromiseResult
from epochal.checker.properties import liveness
from epochal.checker.search.result import CheckResult, EvaluationFinding, PropertyResult
from epochal.checker.solver.static_answers import StaticAnswers
from epochal.checker.trace.for_ever_text import forgotten
from epochal.checker.trace.itf import encode
from epochal.checker.version import TOOL, tool_version
from epochal.render.check_text import warnings_of, why_cut
from epochal.render.documents import common, search
from epochal.spec.language.configurable import configuration_of

NOT_ASKED = "it was not asked for"


def check_document(
    result: CheckResult, reference: str, replayed: tuple[str, ...], static: StaticAnswers | None = None
) -> search.Check:
    """The document. `trace` of a property is the whole trace as an ITF object, or null.

    `length` is the number of states of the trace. For a property of kind `reachable` "holds" means that a witness was
    found, and the trace is the witness. With `symmetry` states are representatives up to renaming of the identifiers in
    `interchangeable`, and steps, actions and digests those from representatives; traces are always of the protocol
    itself. `replayed` names the readings in which every trace was replayed. `static` is what Z3 was
    asked, and null if nothing. `cross_check` counts the states and steps that were repeated in the Python reading; by
    default time decides how many.
    """
    return {
        "tool": TOOL,
        "version": tool_version(),
        "protocol": result.protocol.name,
        "reference": reference,
        "configuration": configuration_of(result.protocol),
        "bounds": result.protocol.bounds.as_dict(),
        "engine": result.engine,
        "workers": result.workers,
        "symmetry": bool(result.interchangeable),
        "interchangeable": list(result.interchangeable),
        "exhaustive": result.exhaustive,
        "cut": why_cut(result),
        "distinct_states": result.distinct_states,
        "generated_states": result.generated_states,
        "depth": result.depth,
        "dead_ends": result.dead_ends,
        "left_constraint": result.left_constraint,
        "state_digest": result.state_digest,
        "step_digest": result.step_digest,
        "wall_seconds": round(result.wall_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "search_cpu_seconds": round(result.search_cpu_seconds, 6),
        "search_wall_seconds": round(result.search_wall_seconds, 6),
        "peak_memory_bytes": result.peak_memory_bytes,
        "state_memory_bytes": result.state_memory_bytes,
        "state_file_bytes": result.state_file_bytes,
        "compact": result.compact,
        "collision_probability": result.collision_probability,
        "checkpoint": None if result.checkpoint is None else str(result.checkpoint),
        "resumed_from": result.resumed_from,
        "cluster": None if result.cluster is None else cast("search.Cluster", dataclasses.asdict(result.cluster)),
        "cross_check": repeated_document(result.cross_check),
        "properties": [property_document(one) for one in result.properties],
        "liveness": liveness_documents(result),
        "assumed": assumed_document(result.liveness.assumed),
        "ends": ends_document(result.liveness.ends),
        "actions": [{"name": a.name, "steps": a.steps, "new_states": a.new_states} for a in result.actions],
        "replayed": list(replayed),
        "warnings": warnings_of(result),
        "static": None if static is None else cast("search.Static", static.document),
        "vacuous": list(result.vacuous),
        "never_taken": [*result.dead_actions, *result.never_taken],
        "error": None if result.error is None else error_document(result.error),
        "exit_code": result.exit_code,
    }


def repeated_document(found: CrossCheck | None) -> common.CrossCheck | None:
    """How many states, and steps from them, were repeated in the Python reading; null for a search by it.

    `cut` is there if it ended before all was repeated that was asked for, and says why.
    """
    if found is None:
        return None
    counts: common.CrossCheck = {"states": found.states, "steps": found.steps}
    if found.cut:
        counts["cut"] = found.cut
    return counts


def property_document(one: PropertyResult) -> common.Property:
    """One property, with its trace."""
    return {
        "id": one.member.name,
        "kind": one.member.mark.kind,
        "sentence": one.member.sentence,
        "source": str(one.member.where),
        "verdict": one.verdict,
        "length": one.length,
        "trace": None if one.trace is None else encode(one.trace),
    }


def liveness_documents(result: CheckResult) -> list[common.Liveness]:
    """What must happen in the end, judged or not."""
    judged = {one.member.name: one for one in result.liveness.promises}
    promises = [judged.get(member.name, PromiseResult(member)) for member in liveness(result.protocol)]
    actions = {action.name for action in result.protocol.members("action")}
    return [_liveness_document(one, result.liveness, actions) for one in promises]


def assumed_document(assumed: Assumptions) -> common.Assumed:
    """What fairness was assumed of actions besides what promises name."""
    return {"fair": list(assumed.words), "unfair": list(assumed.unfair)}


def ends_document(ends: Ends | None) -> common.Ends | None:
    """The states where nothing more happens; null if they were not asked about, or could not be judged."""
    if ends is None:
        return None
    return {
        "total": ends.total,
        "kept": ends.kept,
        "bounded": ends.bounded,
        "others": ends.others,
        "declared": [member.name for member in ends.declared],
        "length": None if ends.trace is None else ends.trace.length,
        "trace": None if ends.trace is None else encode(ends.trace),
    }


def _liveness_document(one: PromiseResult, found: Liveness, actions: set[str]) -> common.Liveness:
    """A promise, with each choice of its parameters, and what it takes if that was asked."""
    fair = [name for name in found.assumed(one.member) if name in one.member.mark.needs or name in actions]
    parameters = [name for name in inspect.signature(one.member.function).parameters if name != "self"]
    return {
        "id": one.member.name,
        "kind": one.member.mark.kind,
        "sentence": one.member.sentence,
        "source": str(one.member.where),
        "wish": one.member.mark.wish,
        "once": one.member.mark.once,
        "fair": fair,
        "not_assumed": [] if one.trace is None else forgotten(one.trace),
        "verdict": one.verdict,
        "never_due": one.verdict == "holds" and not one.waiting,
        "reason": (found.reason or NOT_ASKED) if one.verdict == "not judged" else "",
        "needs": [
            {
                "without": need.without or None,
                "verdict": "violated" if need.doomed else "holds",
                "doomed": need.doomed,
            }
            for need in found.needs
            if need.member == one.member
        ],
        "cases": [
            {
                "arguments": {name: str(value) for name, value in zip(parameters, case.arguments, strict=True)},
                "verdict": "violated" if case.doomed else "holds",
                "waiting": case.waiting,
                "stopped": case.stopped,
                "doomed": case.doomed,
                "length": None if case.trace is None else case.trace.length,
                "trace": None if case.trace is None else encode(case.trace),
            }
            for case in one.cases
        ],
    }


def error_document(error: EvaluationFinding) -> common.RuleFailed:
    """A rule that could not be evaluated."""
    return {
        "message": error.message,
        "rule": error.rule,
        "source": str(error.where) if error.where else None,
        "length": error.trace.length,
        "trace": encode(error.trace),
    }
