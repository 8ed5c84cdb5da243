"""The result of the gate as one JSON object, `result.json`. Its JSON schema is in `schema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epochal.spec.language import SourceLine

from ...difference.difference import Difference, Example
from ...trace.itf import encode
from ...version import TOOL
from ..changes import BASELINE, CHANGE, ActionChange, changes, reason
from ..outcome import GateResult, ModelOutcome
from ..record import encode_record
from ..verdict import GateFinding

FORMAT = "epochal-gate"
VERSION = 1


def gate_document(result: GateResult, files: Mapping[int, str]) -> dict[str, Any]:
    """The document. `files` are the trace files that were written, by the `id` of the trace."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "tool": TOOL,
        "tool_version": result.tool,
        "base": result.base,
        "profile": result.profile,
        "budget_seconds": result.budget,
        "wall_seconds": round(result.seconds, 3),
        "stopped": result.stopped,
        "exit_code": result.exit_code,
        "models": [_model(model, files) for model in result.models],
        "skipped": list(result.skipped),
        "code_links": list(result.link_warnings),
    }


def _model(model: ModelOutcome, files: Mapping[int, str]) -> dict[str, Any]:
    judgement, record, base = model.judgement, model.record, model.baseline
    return {
        "name": model.name,
        "protocol": model.reference,
        "bounds": model.bounds,
        "verdict": model.verdict,
        "relation": judgement.relation if judgement else None,
        "exit_code": model.code,
        "source": model.source,
        "wall_seconds": round(model.seconds, 3),
        "findings": [_finding(finding, files) for finding in model.findings],
        "turned": [
            {"property": name, "before": before, "after": after}
            for name, before, after in (judgement.turned if judgement else ())
        ],
        "notes": list(judgement.notes) if judgement else [],
        "approved": judgement.approved if judgement else None,
        "warnings": list(record.warnings) if record else [],
        "record": None if record is None else encode_record(record, runs=False),
        "baseline": None if base is None else {"name": base.name, "record": encode_record(base.record, runs=False)},
        "difference": None if model.difference is None else _difference(model.difference, files),
    }


def _finding(finding: GateFinding, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "verdict": finding.kind,
        "exit_code": finding.code,
        "message": finding.message,
        "about": finding.about,
        "source": _source(finding.where),
        "trace": None if finding.trace is None else encode(finding.trace),
        "trace_file": files.get(id(finding.trace)),
    }


def _difference(difference: Difference, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "incomparable": difference.incomparable,
        "cut": difference.cut,
        "compared_states": {"new": difference.explored[1].states, "base": difference.explored[0].states},
        "initial_states": {"gained": difference.initial_only[1], "lost": difference.initial_only[0]},
        "actions": [_action(one, files) for one in changes(difference)],
    }


def _action(one: ActionChange, files: Mapping[int, str]) -> dict[str, Any]:
    return {
        "action": one.action,
        "kind": one.kind,
        "gained": one.gained.steps,
        "lost": one.lost.steps,
        "gained_example": _example(one.gained.example, BASELINE, files),
        "lost_example": _example(one.lost.example, CHANGE, files),
    }


def _example(example: Example | None, whose: str, files: Mapping[int, str]) -> dict[str, Any] | None:
    if example is None:
        return None
    return {
        "steps": example.trace.length - 1,
        "step": example.trace.steps[-1].instance.label,
        "reason": reason(example, whose),
        "refused_by": _source(example.refused.guard.where if example.refused.guard else None),
        "trace": encode(example.trace),
        "trace_file": files.get(id(example.trace)),
    }


def _source(where: SourceLine | None) -> dict[str, Any] | None:
    return None if where is None else {"file": where.file, "line": where.line}
