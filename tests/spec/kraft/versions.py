"""What each Kafka version had open when it was shipped: searched, and as the table of docs/kafka/versions.md tells it.

`python -m tests.spec.kraft.versions` searches all of them and prints that table.
"""

from __future__ import annotations

import re
from pathlib import Path

from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.kraft.configuration import configured
from epochal.spec.kraft.generations import TOLD

Found = dict[str, int]
ROOT = Path(__file__).resolve().parents[3]

COMMON = {"records": 1, "max_epoch": 2, "metadata_lag": 2, "crashes": 0, "fencings": 1, "elections": 1}
BOUNDS: dict[str, dict[str, int]] = {
    "two brokers": {**COMMON, "replication_factor": 2, "lossy_crashes": 0, "shrinks": 1},
    "two brokers, one lossy crash": {**COMMON, "replication_factor": 2, "lossy_crashes": 1, "shrinks": 1},
    "three brokers": {**COMMON, "replication_factor": 3, "lossy_crashes": 0, "shrinks": 0},
}
"""One record, three leader epochs, one fencing or shutdown, one preferred election. Nothing else goes wrong."""


def same_versions() -> list[tuple[str, ...]]:
    """The releases people choose among, those with the same rules together. No replica is reassigned here."""
    groups: dict[object, tuple[str, ...]] = {}
    for version in TOLD:
        rules = configured(kafka=version).settings
        groups[rules] = (*groups.get(rules, ()), version)
    return list(groups.values())


def searched(version: str, bounds: dict[str, int]) -> Found:
    """The violated properties of a version with acks=all and min.insync.replicas=2, with their lengths."""
    kind = configured(kafka=version)
    protocol = kind(kind.bounds_type()(**bounds))
    names = tuple(m.name for mark in ("invariant", "action_property") for m in protocol.members(mark))
    result = check(protocol, Options(properties=names, all_violations=True, symmetry=True))
    assert result.error is None and result.exhaustive
    return {p.member.name: p.length or 0 for p in result.properties if p.verdict == "violated"}


def span(versions: tuple[str, ...]) -> str:
    """Some versions for people: `3.7 to 3.9`."""
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


def table(found: dict[tuple[str, ...], dict[str, Found]]) -> list[str]:
    """The figures as the rows of a Markdown table: each violated property, with the states of a shortest run."""

    def cell(one: Found) -> str:
        shortest = sorted(one.items(), key=lambda item: (item[1], item[0]))
        return ", ".join(f"`{name}` {length}" for name, length in shortest) or "nothing"

    rows = [("Kafka", *BOUNDS), ("---",) * (1 + len(BOUNDS))]
    rows += [(span(versions), *(cell(found[versions][name]) for name in BOUNDS)) for versions in found]
    return [f"| {' | '.join(row)} |" for row in rows]


def told() -> dict[tuple[str, ...], dict[str, Found]]:
    """The figures of the table in the documentation."""
    lines = (ROOT / "docs/kafka/versions.md").read_text(encoding="utf-8").splitlines()
    first = lines.index(table({})[0])
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first + 2 :] if line[:1] == "|"]
    by_span = {
        row[0]: {
            name: {found: int(length) for found, length in re.findall(r"`(\w+)` (\d+)", cell)}
            for name, cell in zip(BOUNDS, row[1:], strict=True)
        }
        for row in rows
    }
    return {versions: by_span[span(versions)] for versions in same_versions()}


if __name__ == "__main__":
    again = {
        versions: {name: searched(versions[0], bounds) for name, bounds in BOUNDS.items()}
        for versions in same_versions()
    }
    print(*table(again), sep="\n")
