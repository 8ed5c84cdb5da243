"""What no longer comes in each Kafka version as it was shipped: promises and wishes, as docs/liveness.md tells it.

`python -m tests.spec.kraft.promised` judges all of them and prints that table.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from epochal.api.check import liveness
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import TOLD, VERSIONS, numbered
from epochal.spec.kraft.reassigned import FIRST_WITH_REASSIGNMENTS, KraftReassignment
from epochal.spec.kraft.settings import Settings
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import with_configuration
from tests.checker.liveness.test_known_answers import shape
from tests.spec.kraft.versions import span

ROOT = Path(__file__).resolve().parents[3]

Shapes = dict[str, tuple[int, int]]
"""Each broken promise: the states up to where it is settled, and the steps of the round; 0 if nothing happens."""

TWO = {"replication_factor": 2, "records": 1, "metadata_lag": 2}
COLUMNS: dict[str, tuple[type[ConfigurableKraft], dict[str, Any], dict[str, SettingValue]]] = {
    "two brokers, nothing crashes": (
        ConfigurableKraft,
        {**TWO, "max_epoch": 3, "crashes": 0, "lossy_crashes": 0, "fencings": 1, "shrinks": 1, "elections": 1},
        {},
    ),
    "two crashes, one of them lossy": (
        ConfigurableKraft,
        {**TWO, "max_epoch": 3, "crashes": 1, "lossy_crashes": 1, "fencings": 0, "shrinks": 1, "elections": 1},
        {},
    ),
    "three brokers": (
        ConfigurableKraft,
        {
            "replication_factor": 3,
            "records": 1,
            "max_epoch": 2,
            "metadata_lag": 2,
            "crashes": 0,
            "lossy_crashes": 0,
            "fencings": 1,
            "shrinks": 0,
            "elections": 1,
        },
        {},
    ),
    "three reassignments": (
        KraftReassignment,
        {**TWO, "max_epoch": 2, "lossy_crashes": 0, "reassignments": 3},
        {"min_insync_replicas": 1},
    ),
}


def groups() -> list[tuple[str, ...]]:
    """The releases people choose among, those with the same rules together."""
    found: dict[tuple[Settings, bool], tuple[str, ...]] = {}
    for version in TOLD:
        rules = VERSIONS[version], is_known("three reassignments", version)
        found[rules] = (*found.get(rules, ()), version)
    return list(found.values())


def is_known(column: str, version: str) -> bool:
    """Whether a version can be asked: KRaft 2.8 could not reassign."""
    return COLUMNS[column][0] is not KraftReassignment or numbered(version) >= FIRST_WITH_REASSIGNMENTS


def broken(version: str, column: str) -> Shapes:
    """The promises and wishes that some fair run of a version breaks. Each run was replayed in both readings."""
    base, bounds, said = COLUMNS[column]
    protocol = with_configuration(base, {**said, "kafka": version})(**bounds)
    found = liveness(protocol, optional=True)
    assert found.search.liveness.judged
    return {one.member.name: shape(one.trace) for one in found.search.liveness.broken if one.trace is not None}


def table(found: dict[tuple[str, ...], dict[str, Shapes]]) -> list[str]:
    """What is broken, as the rows of a Markdown table."""

    def cell(versions: tuple[str, ...], column: str) -> str:
        if not is_known(column, versions[0]):
            return "-"
        shapes = sorted(found[versions][column].items(), key=lambda item: (item[1], item[0]))
        return ", ".join(f"`{name}` {stem} + {around}" for name, (stem, around) in shapes) or "nothing"

    rows = [("Kafka", *COLUMNS), ("---",) * (1 + len(COLUMNS))]
    rows += [(span(versions), *(cell(versions, name) for name in COLUMNS)) for versions in found]
    return [f"| {' | '.join(row)} |" for row in rows]


def told() -> dict[tuple[str, ...], dict[str, Shapes]]:
    """The figures of the table in the documentation."""
    lines = (ROOT / "docs/liveness.md").read_text(encoding="utf-8").splitlines()
    first = lines.index(table({})[0])
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first + 2 :] if line[:1] == "|"]
    by_span = {
        row[0]: {
            name: {found: (int(a), int(b)) for found, a, b in re.findall(r"`(\w+)` (\d+) \+ (\d+)", cell)}
            for name, cell in zip(COLUMNS, row[1:], strict=True)
        }
        for row in rows
        if row[0] in map(span, groups())
    }
    return {versions: by_span[span(versions)] for versions in groups()}


if __name__ == "__main__":
    again = {
        versions: {name: broken(versions[0], name) if is_known(name, versions[0]) else {} for name in COLUMNS}
        for versions in groups()
    }
    print(*table(again), sep="\n")
