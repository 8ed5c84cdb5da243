"""The result of a proof for every choice of the bounds as one JSON object."""

from __future__ import annotations

from epochal.checker.trace.itf import encode
from epochal.checker.unbounded.cells import Cell
from epochal.checker.unbounded.proof import UnboundedProof
from epochal.checker.version import TOOL, tool_version
from epochal.render.documents import solver
from epochal.render.proof_parts import lemma_entries, property_entries
from epochal.render.unbounded_text import assumed, property_verdicts, trusted
from epochal.spec.language.configurable import configuration_of


def unbounded_document(result: UnboundedProof, reference: str, replayed: tuple[str, ...]) -> solver.ProveUnbounded:
    """The document. `matrix` has one entry for each action and lemma."""
    verdicts = property_verdicts(result)
    return {
        "tool": TOOL,
        "version": tool_version(),
        "protocol": result.protocol.name,
        "reference": reference,
        "configuration": configuration_of(result.protocol),
        "bounds": result.protocol.bounds.as_dict(),
        "engine": "z3",
        "unbounded": True,
        "rlimit": result.rlimit,
        "properties": property_entries(result.properties, verdicts),
        "lemmas": lemma_entries(result.lemmas),
        "matrix": [_cell(cell) for cell in result.cells],
        "obligations": len(result.cells),
        "asked": sum(cell.verdict != "untouched" for cell in result.cells),
        "from_cache": result.from_cache,
        "counterexamples": [cell.obligation.label for cell in result.of("counterexample")],
        "unknown": [cell.obligation.label for cell in result.of("unknown")],
        "vacuous": list(result.vacuous),
        "warnings": list(result.warnings),
        "seen": list(result.witnesses.seen),
        "compared": result.compared,
        "looked": list(result.looked),
        "assumed": assumed(result),
        "trusted": trusted(result),
        "replayed": list(replayed),
        "solver_seconds": round(result.solver_seconds, 6),
        "cpu_seconds": round(result.cpu_seconds, 6),
        "wall_seconds": round(result.wall_seconds, 6),
        "exit_code": result.exit_code,
    }


def _cell(cell: Cell) -> solver.UnboundedCell:
    example = cell.counterexample
    instance = example.instance.label if example is not None and example.instance is not None else None
    return {
        "action": cell.obligation.row,
        "column": cell.obligation.column,
        "verdict": cell.verdict,
        "parts": cell.parts,
        "open": cell.open,
        "resources": cell.resources,
        "seconds": round(cell.seconds, 6),
        "ways": list(cell.ways),
        "counterexample": instance,
        "at": None if example is None else example.bounds,
        "trace": None if example is None else encode(example.trace),
    }
