"""The table of guarantees as one JSON object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epochal.checker.version import TOOL, tool_version
from epochal.kafka.guarantees import Decided
from epochal.render.documents import kafka
from epochal.spec.kraft.guarantees import QUESTIONS


def guarantees_document(
    tables: Sequence[tuple[str, Mapping[str, Any], Sequence[Decided]]],
    bounds: Mapping[str, int],
    code: int,
    holes: Mapping[str, Sequence[str]],
) -> kafka.Guarantees:
    """The document. `tables` has one entry for each choice of settings: reference, settings, what was decided.

    `holes` are the ids of the known bugs that each choice, by its reference, has open.
    """
    return {
        "tool": TOOL,
        "version": tool_version(),
        "bounds": dict(bounds),
        "properties": dict(QUESTIONS),
        "tables": [
            {
                "reference": reference,
                "configuration": dict(configuration),
                "known_holes": list(holes.get(reference, ())),
                "faults": [_fault(one) for one in decided],
            }
            for reference, configuration, decided in tables
        ],
        "exit_code": code,
    }


def _fault(one: Decided) -> kafka.FaultDecided:
    return {
        "fault": one.fault.id,
        "title": one.fault.title,
        "reference": one.reference,
        "bounds": dict(one.bounds),
        "answers": {asked: {"verdict": a.verdict, "length": a.length} for asked, a in one.answers.items()},
        "writes_with_one_down": one.writes[0],
        "writes_with_two_down": one.writes[1],
        "distinct_states": one.states,
        "depth": one.depth,
        "exhaustive": not one.cut,
        "cut": one.cut,
    }
