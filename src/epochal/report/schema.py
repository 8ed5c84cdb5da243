"""The schema of what `--format json` prints, for every command: JSON Schema, draft 2020-12, made from the types."""

from __future__ import annotations

from typing import Any

from epochal.checker.base.installed import tool_version
from epochal.errors import UsageError
from epochal.former import FIELDS
from epochal.spec.language.errors import advice

from . import documents, kafka_documents, lockstep_documents

DOCUMENTS: dict[str, type] = {
    "audit": kafka_documents.Audit,
    "bmc": documents.Bounded,
    "catalogue": kafka_documents.Catalogue,
    "check": documents.Check,
    "compare": documents.Compare,
    "conform": kafka_documents.Conform,
    "explain": kafka_documents.Explain,
    "export": documents.Export,
    "graph": documents.Graph,
    "guarantees": kafka_documents.Guarantees,
    "liveness": documents.Check,
    "list": kafka_documents.Protocols,
    "lockstep-catalogue": lockstep_documents.LockstepCatalogue,
    "lockstep-controller": lockstep_documents.LockstepController,
    "lockstep-controller-coverage": lockstep_documents.LockstepControllerCoverage,
    "lockstep-coverage": lockstep_documents.LockstepCoverage,
    "lockstep-lines": lockstep_documents.LockstepLines,
    "lockstep-run": lockstep_documents.LockstepRun,
    "lockstep-runs": lockstep_documents.LockstepRuns,
    "mutate": documents.Mutate,
    "prove": documents.Prove,
    "replay": documents.Replay,
    "show": kafka_documents.Show,
    "simulate": documents.Simulate,
    "sweep": documents.Sweep,
}
"""What each command prints; `gate` has a schema of its own."""

OTHERWISE: dict[str, tuple[type, ...]] = {"prove": (documents.ProveUnbounded,)}
"""What a command prints instead with an option of its own: `prove --unbounded`."""

COMMANDS = tuple(sorted((*DOCUMENTS, "gate")))

WITHOUT_DISAGREEMENT = (
    *(name for name in DOCUMENTS if name.startswith("lockstep-")),
    *("audit", "catalogue", "conform", "explain", "export", "graph", "list", "replay", "show", "sweep"),
)
"""Commands whose disagreements are no document."""

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema_of(command: str) -> dict[str, Any]:
    """The schema of what a command prints as JSON. Raises UsageError for a command that prints none.

    Where two semantics of a specification disagree, exit code 40, a command about a protocol prints that instead.
    """
    if command == "gate":
        from epochal.checker.gate.reports import gate_schema

        return gate_schema()
    if command not in DOCUMENTS:
        raise UsageError(f"{command} prints no JSON.", advice(command, COMMANDS, "commands"))
    import msgspec

    kinds = [DOCUMENTS[command], *OTHERWISE.get(command, ())]
    if command not in WITHOUT_DISAGREEMENT:
        kinds.append(documents.Disagree)
    refs, definitions = msgspec.json.schema_components(kinds, ref_template="#/$defs/{name}")
    for definition in definitions.values():
        definition["additionalProperties"] = False
        for name, what in definition.get("properties", {}).items():
            if FIELDS.get(name) in definition["properties"]:
                definition["properties"][name] = {**what, "deprecated": True}
    return {
        "$schema": DIALECT,
        "title": f"epochal {command} --format json",
        "$comment": f"epochal {tool_version()}",
        **(refs[0] if len(refs) == 1 else {"anyOf": list(refs)}),
        "$defs": definitions,
    }
