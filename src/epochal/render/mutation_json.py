"""The result of a mutation run as one JSON object."""

from __future__ import annotations

from epochal.checker.mutation.outcomes import Outcome
from epochal.checker.mutation.result import MutationResult
from epochal.checker.version import TOOL, tool_version
from epochal.render.documents import search
from epochal.spec.language.configurable import configuration_of


def mutation_document(result: MutationResult, reference: str) -> search.Mutate:
    """The document. `accepted` of a survivor is the reason that the list of survivors gives, or null."""
    original = result.original
    return {
        "tool": TOOL,
        "version": tool_version(),
        "protocol": original.protocol.name,
        "reference": reference,
        "configuration": configuration_of(original.protocol),
        "bounds": original.protocol.bounds.as_dict(),
        "engine": original.engine,
        "distinct_states": original.distinct_states,
        "state_digest": original.state_digest,
        "step_digest": original.step_digest,
        "judged": result.judged,
        "not_judged": result.not_judged,
        "mutants": [_mutant(one, result) for one in result.outcomes],
        "not_tried": [{"id": mutant.id, "because": mutant.shared} for mutant in result.covered],
        "interrupted": result.untried,
        "stale": [{"id": one.mutant, "removed": one.removed, "why": why} for one, why in result.stale],
        "wall_seconds": round(result.wall_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "exit_code": result.exit_code,
    }


def _mutant(one: Outcome, result: MutationResult) -> search.Mutant:
    return {
        "id": one.mutant.id,
        "source": str(one.mutant.where),
        "removed": one.mutant.removed,
        "verdict": one.verdict,
        "property": one.property or None,
        "also": list(one.also),
        "length": one.length,
        "round": one.round,
        "message": one.message or None,
        "message_source": str(one.where) if one.where else None,
        "additional_states": one.states if one.verdict == "changed" else None,
        "same_program": one.same_program if one.verdict == "survived" else None,
        "accepted": result.reason(one) or None,
        "remarks": list(one.mutant.remarks) if one.verdict in ("survived", "changed") else [],
    }
