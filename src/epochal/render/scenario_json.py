"""The result of a run through the catalogue as one JSON object."""

from __future__ import annotations

from collections.abc import Sequence

from epochal.checker.search.result import CheckResult
from epochal.checker.trace.itf import encode
from epochal.checker.version import TOOL, tool_version
from epochal.kafka.catalogue import ScenarioResult, exit_code_of, judged
from epochal.render.documents import kafka
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.bugs.not_modelled import NotModelled


def catalogue_document(
    entries: Sequence[KnownBug], results: Sequence[ScenarioResult], others: Sequence[NotModelled], left: int = 0
) -> kafka.Catalogue:
    """The document. Without results, `entries` are listed as they are; `left` counts those not searched in time.

    `length` is the number of states of the shortest counterexample; states are representatives up to the names of
    interchangeable brokers. `trace` is that run as an ITF object, or null.
    """
    found = {one.scenario.id: one for one in results}
    return {
        "tool": TOOL,
        "version": tool_version(),
        "entries": [_entry(one, found.get(one.id)) for one in entries],
        "not_searched": [vars(one) for one in others],
        "interrupted": left,
        "exit_code": exit_code_of(results, left),
    }


def _entry(one: KnownBug, result: ScenarioResult | None) -> kafka.CatalogueEntry:
    """One entry, with what was found if it was searched."""
    said: kafka.CatalogueEntry = {
        "id": one.id,
        "title": one.title,
        "source": one.source,
        "kafka": one.versions,
        "shown_on": list(one.shown_on),
        "property": one.property_id,
        "without_rule": one.without_rule,
        "with_rule": one.with_rule,
        "bounds": dict(one.other_bounds),
    }
    if result is not None:
        said["bounds"] = result.faulty.protocol.bounds.as_dict()
        said["as_expected"] = result.exit_code == 0
        said["faulty"], said["sound"] = _side(result.faulty), _side(result.sound)
        said["trace"] = None if result.trace is None else encode(result.trace)
    return said


def _side(side: CheckResult) -> kafka.Side:
    found = judged(side)
    return {
        "verdict": found.verdict,
        "length": found.length,
        "exhaustive": side.exhaustive,
        "cut": side.cut,
        "distinct_states": side.distinct_states,
        "depth": side.depth,
        "error": None if side.error is None else side.error.message,
        "cpu_seconds": round(side.cpu_seconds, 6),
    }
