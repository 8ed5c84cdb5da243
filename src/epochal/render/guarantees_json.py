"""The table of guarantees as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from epochal.checker.version import TOOL, tool_version
from epochal.kafka.guarantee_tables import Table
from epochal.kafka.guarantees import Decided
from epochal.render.documents import kafka
from epochal.spec.kraft.guarantees import QUESTIONS


def guarantees_document(tables: Sequence[Table], bounds: Mapping[str, int], code: int) -> kafka.Guarantees:
    """The document: one entry for each protocol, with the ids of the known bugs that it has open."""
    return {
        "tool": TOOL,
        "version": tool_version(),
        "bounds": dict(bounds),
        "properties": dict(QUESTIONS),
        "tables": [
            {
                "title": table.column.title,
                "reference": table.column.reference,
                "configuration": dict(table.column.settings),
                "known_holes": [bug.id for bug in table.holes],
                "remarks": list(table.remarks),
                "faults": [_fault(one) for one in table.decided],
            }
            for table in tables
        ],
        "exit_code": code,
    }


def _fault(one: Decided) -> kafka.FaultDecided:
    document: kafka.FaultDecided = {
        "fault": one.fault.id,
        "title": one.fault.title,
        "reference": one.reference,
        "bounds": dict(one.bounds),
        "answers": _answers(one),
        "writes_with_one_down": one.writes[0],
        "writes_with_two_down": one.writes[1],
        "distinct_states": one.states,
        "depth": one.depth,
        "exhaustive": not one.cut,
        "cut": one.cut,
    }
    if one.beneath:
        document["beneath"] = [_beneath(deeper) for deeper in one.beneath]
    if one.back:
        document["comes_back"] = {
            name: {"verdict": found.verdict, "length": found.length} for name, found in one.back.items()
        }
    return document


def _beneath(one: Decided) -> kafka.Beneath:
    return {
        "closed": list(one.closed),
        "answers": _answers(one),
        "distinct_states": one.states,
        "depth": one.depth,
        "exhaustive": not one.cut,
        "cut": one.cut,
    }


def _answers(one: Decided) -> dict[str, kafka.GuaranteeAnswer]:
    return {
        asked: {"verdict": promise.verdict, "length": promise.length, "behind": list(promise.behind)}
        for asked, promise in one.answers.items()
    }
