"""The result of the gate as one JSON object, `result.json`. Its JSON schema is in `schema`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epochal.spec.language import SourceLine

from ...base.installed import TOOL
from ...difference.difference import Difference, Example
from ...trace.itf import encode
from ..outcome import GateResult, ModelOutcome
from ..record import encode_record
from ..verdict import BASELINE, CHANGE, KINDS, ActionChange, GateFinding, changes, reason

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


# -- schema -----------------------------------------------------------------------------------------------------------
# The JSON schema of `result.json`, as `epochal gate --schema` prints it (JSON Schema, draft 2020-12).

_TEXT: dict[str, Any] = {"type": "string"}
_COUNT: dict[str, Any] = {"type": "integer", "minimum": 0}
_CODE: dict[str, Any] = {"type": "integer", "minimum": 0, "maximum": 255}
_SECONDS: dict[str, Any] = {"type": "number", "minimum": 0}


def _object(optional: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    """An object with exactly these entries, of which the `optional` ones may be missing."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _by_name(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _or_null(one: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [one, {"type": "null"}]}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def gate_schema() -> dict[str, Any]:
    """The schema."""
    verdict = {"enum": list(KINDS)}
    trace = {"type": "object", "required": ["#meta", "vars", "states"], "description": "a run in ITF"}
    document = _object(
        format={"const": FORMAT},
        version={"const": VERSION},
        tool=_TEXT,
        tool_version=_TEXT,
        base={**_TEXT, "description": "the commit or the lock file that the models were compared with"},
        profile={"enum": ["pr", "nightly", "release"]},
        budget_seconds=_or_null(_SECONDS),
        wall_seconds=_SECONDS,
        stopped={**_TEXT, "description": "why the run ended early; empty if it did not"},
        exit_code=_CODE,
        models=_list(_ref("model")),
        skipped={**_list(_TEXT), "description": "unchanged models that were left out on request"},
        code_links=_list(_TEXT),
    )
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = "result.json of epochal gate"
    document["$defs"] = {
        "source": _object(file=_TEXT, line={"type": "integer", "minimum": 0}),
        "trace": trace,
        "model": _object(
            name=_TEXT,
            protocol=_TEXT,
            bounds=_by_name({"type": "integer"}),
            verdict={**verdict, "description": "the most severe finding"},
            relation=_or_null({**verdict, "description": "how the behaviour compares with the base"}),
            exit_code=_CODE,
            source={"enum": ["", "search", "cache"]},
            wall_seconds=_SECONDS,
            findings=_list(_ref("finding")),
            turned=_list(_object(property=_TEXT, before=_TEXT, after=_TEXT)),
            notes=_list(_TEXT),
            approved={**_or_null(_TEXT), "description": "the reason in the lock file, if that approves the change"},
            warnings=_list(_TEXT),
            record=_or_null(_ref("record")),
            baseline=_or_null(_object(name=_TEXT, record=_ref("record"))),
            difference=_or_null(_ref("difference")),
        ),
        "finding": _object(
            verdict=verdict,
            exit_code=_CODE,
            message=_TEXT,
            about=_TEXT,
            source=_or_null(_ref("source")),
            trace=_or_null(_ref("trace")),
            trace_file=_or_null(_TEXT),
        ),
        "record": _object(
            optional=("part_digests",),
            protocol=_TEXT,
            bounds=_by_name({"type": "integer"}),
            tool=_TEXT,
            specification_digest=_TEXT,
            text_digest=_TEXT,
            engine=_TEXT,
            exhaustive={"type": "boolean"},
            cut=_TEXT,
            distinct_states=_COUNT,
            generated_states=_COUNT,
            depth=_COUNT,
            state_digest=_TEXT,
            step_digest=_TEXT,
            part_digests={**_by_name(_TEXT), "description": "of the rules alone, and of what of them is a bound"},
            properties=_by_name(
                _object(
                    optional=("round", "stopped"),
                    kind={"enum": ["invariant", "action_property", "reachable", "leads_to"]},
                    verdict={"enum": ["holds", "violated", "unknown", "not applicable", "not judged"]},
                    length=_or_null(_COUNT),
                    digest=_TEXT,
                    round={
                        **_or_null(_COUNT),
                        "description": "steps of the cycle that violates a liveness property",
                    },
                    stopped={**_or_null(_COUNT), "description": "states in which only a bound stops a fair step"},
                )
            ),
            actions=_by_name(_object(steps=_COUNT, new_states=_COUNT)),
        ),
        "difference": _object(
            incomparable=_TEXT,
            cut=_TEXT,
            compared_states=_object(new=_COUNT, base=_COUNT),
            initial_states=_object(gained=_COUNT, lost=_COUNT),
            actions=_list(
                _object(
                    action=_TEXT,
                    kind={"enum": ["narrowed", "widened", "changed"]},
                    gained=_COUNT,
                    lost=_COUNT,
                    gained_example=_or_null(_ref("example")),
                    lost_example=_or_null(_ref("example")),
                )
            ),
        ),
        "example": _object(
            steps=_COUNT,
            step=_TEXT,
            reason=_TEXT,
            refused_by=_or_null(_ref("source")),
            trace=_ref("trace"),
            trace_file=_or_null(_TEXT),
        ),
    }
    return document
