"""The result of a proof as one JSON object."""

from __future__ import annotations

from epochal.checker.solver.cti_reachability import NEAREST
from epochal.checker.solver.houdini import Reduced
from epochal.checker.solver.matrix import FACT, Cell, matrix
from epochal.checker.trace.itf import encode
from epochal.checker.version import TOOL, tool_version
from epochal.render.check_json import repeated_document
from epochal.render.documents import solver
from epochal.render.proof_parts import lemma_entries, property_entries
from epochal.render.proof_text import property_verdicts
from epochal.spec.language.configurable import configuration_of


def proof_document(reduced: Reduced, reference: str, replayed: tuple[str, ...]) -> solver.Prove:
    """The document. `matrix` has one entry for each action and lemma; `trace` there is the first counterexample.

    `fallen` lists what --houdini dropped, `needless` what --minimize found unnecessary; `lemmas` are those that remain.
    """
    result = reduced.proof
    verdicts = property_verdicts(result)
    return {
        "tool": TOOL,
        "version": tool_version(),
        "protocol": result.protocol.name,
        "reference": reference,
        "configuration": configuration_of(result.protocol),
        "bounds": result.protocol.bounds.as_dict(),
        "engine": "z3",
        "rlimit": result.rlimit,
        "properties": property_entries(result.properties, verdicts),
        "lemmas": lemma_entries(result.lemmas, result.trivial),
        "fallen": [
            {
                "id": one.member.name,
                "sentence": one.member.sentence,
                "round": one.round,
                "action": one.action,
                "obligation": one.answer.obligation.label,
                "verdict": one.answer.verdict,
            }
            for one in reduced.fallen
        ],
        "needless": [member.name for member in reduced.needless],
        "matrix": [_cell(cell) for cell in matrix(result)],
        "obligations": len(result.answers),
        "asked": sum(answer.asked for answer in result.answers),
        "from_cache": result.from_cache,
        "counterexamples": [answer.obligation.label for answer in result.failed],
        "vacuous": list(result.vacuous),
        "warnings": list(result.warnings),
        "unknown": [{"obligation": a.obligation.label, "reason": a.reason} for a in result.unknown],
        "cross_check": repeated_document(result.cross_check),
        "replayed": list(replayed),
        "solver_seconds": round(result.solver_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "wall_seconds": round(result.wall_seconds, 6),
        "exit_code": result.exit_code,
    }


def _cell(cell: Cell) -> solver.Cell:
    shown = cell.shown
    return {
        "action": cell.row,
        "column": cell.column,
        "verdict": cell.verdict,
        "obligations": len(cell.answers),
        "seconds": round(cell.seconds, 6),
        "counterexample": None if shown is None else shown.obligation.label,
        "first_state": None if shown is None or shown.trace is None else shown.trace.facts.get(FACT),
        "nearest": None if shown is None or shown.trace is None else shown.trace.facts.get(NEAREST),
        "trace": None if shown is None or shown.trace is None else encode(shown.trace),
    }
