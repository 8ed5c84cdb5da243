"""What each Kafka version had open when it was shipped, and what no longer comes in it: as two tables tell it.

`python -m tests.spec.kraft.versions` searches and judges all of it and prints the tables of docs/kafka/versions.md and
docs/liveness.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from epochal.api.check import liveness
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.spec.kraft.configuration import ConfigurableKraft, configured
from epochal.spec.kraft.generations import TOLD, VERSIONS, numbered
from epochal.spec.kraft.options.needed import about_its_steps
from epochal.spec.kraft.reassigned import FIRST_WITH_REASSIGNMENTS, KraftReassignment
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import with_configuration
from tests.checker.liveness.test_known_answers import shape

ROOT = Path(__file__).resolve().parents[3]

Found = dict[str, Any]
"""Each broken property, with what is told of its run."""


def span(versions: tuple[str, ...]) -> str:
    """Some versions for people: `3.7 to 3.9`."""
    return versions[0] if len(versions) == 1 else f"{versions[0]} to {versions[-1]}"


@dataclass(frozen=True)
class Table:
    """One of the tables: releases people choose among, those with the same rules together, by what is asked of them."""

    page: str
    columns: tuple[str, ...]
    found: Callable[[str, str], Found]
    """What a version is found to break within the bounds of a column."""
    rules: Callable[[str], object]
    """What is the same of versions that are told together."""
    is_known: Callable[[str, str], bool]
    """Whether a version can be asked."""
    figures: str
    """How the figures of a run are written."""

    def groups(self) -> list[tuple[str, ...]]:
        """The releases people choose among, those with the same rules together."""
        groups: dict[object, tuple[str, ...]] = {}
        for version in TOLD:
            rules = self.rules(version)
            groups[rules] = (*groups.get(rules, ()), version)
        return list(groups.values())

    def text(self, found: dict[tuple[str, ...], dict[str, Found]]) -> list[str]:
        """What is broken, as the rows of a Markdown table: each property, with the figures of a shortest run."""

        def cell(versions: tuple[str, ...], column: str) -> str:
            if not self.is_known(versions[0], column):
                return "-"
            shortest = sorted(found[versions][column].items(), key=lambda item: (item[1], item[0]))
            return ", ".join(f"`{name}` {self.figures.format(*run)}" for name, run in shortest) or "nothing"

        rows = [("Kafka", *self.columns), ("---",) * (1 + len(self.columns))]
        rows += [(span(versions), *(cell(versions, name) for name in self.columns)) for versions in found]
        return [f"| {' | '.join(row)} |" for row in rows]

    def told(self) -> dict[tuple[str, ...], dict[str, Found]]:
        """The figures of the table in the documentation."""
        lines = (ROOT / self.page).read_text(encoding="utf-8").splitlines()
        first = lines.index(self.text({})[0])
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[first + 2 :] if line[:1] == "|"]
        run = r"`(\w+)` " + re.escape(self.figures).replace(r"\{\}", r"(\d+)")
        by_span = {
            row[0]: {
                name: {found: tuple(map(int, figures)) for found, *figures in re.findall(run, cell)}
                for name, cell in zip(self.columns, row[1:], strict=True)
            }
            for row in rows
            if row[0] in map(span, self.groups())
        }
        missing = [span(versions) for versions in self.groups() if span(versions) not in by_span]
        assert not missing, f"{self.page} has no row {missing[0]}: run python -m tests.spec.kraft.versions"
        return {versions: by_span[span(versions)] for versions in self.groups()}

    def again(self) -> dict[tuple[str, ...], dict[str, Found]]:
        """All of it, found anew."""
        return {
            versions: {name: self.found(versions[0], name) for name in self.columns if self.is_known(versions[0], name)}
            for versions in self.groups()
        }


# What was open.

COMMON = {"records": 1, "max_epoch": 2, "metadata_lag": 2, "crashes": 0, "fencings": 1, "elections": 1}
BOUNDS: dict[str, dict[str, int]] = {
    "two brokers": {**COMMON, "replication_factor": 2, "lossy_crashes": 0, "shrinks": 1},
    "two brokers, one lossy crash": {**COMMON, "replication_factor": 2, "lossy_crashes": 1, "shrinks": 1},
    "three brokers": {**COMMON, "replication_factor": 3, "lossy_crashes": 0, "shrinks": 0},
}
"""One record, three leader epochs, one fencing or shutdown, one preferred election. Nothing else goes wrong."""


def searched(version: str, column: str) -> Found:
    """The violated properties of a version with acks=all and min.insync.replicas=2, with their lengths."""
    kind = configured(kafka=version)
    protocol = kind(kind.bounds_type()(**BOUNDS[column]))
    names = tuple(m.name for mark in ("invariant", "action_property") for m in protocol.members(mark))
    result = check(protocol, Options(properties=names, all_violations=True, symmetry=True))
    assert result.error is None and result.exhaustive
    return {p.member.name: (p.length or 0,) for p in result.properties if p.verdict == "violated"}


OPEN = Table(
    page="docs/kafka/versions.md",
    columns=tuple(BOUNDS),
    found=searched,
    rules=lambda version: configured(kafka=version).settings,  # no replica is reassigned here
    is_known=lambda version, column: True,
    figures="{}",
)

# What no longer comes: promises and wishes.

TWO = {"replication_factor": 2, "records": 1, "metadata_lag": 2}
ASKED: dict[str, tuple[type[ConfigurableKraft], dict[str, Any], dict[str, SettingValue]]] = {
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
    "three brokers": (ConfigurableKraft, BOUNDS["three brokers"], {}),
    "three reassignments": (
        KraftReassignment,
        {**TWO, "max_epoch": 2, "lossy_crashes": 0, "reassignments": 3},
        {"min_insync_replicas": 1},
    ),
}


def can_be_asked(version: str, column: str) -> bool:
    """KRaft 2.8 could not reassign."""
    return ASKED[column][0] is not KraftReassignment or numbered(version) >= FIRST_WITH_REASSIGNMENTS


def broken(version: str, column: str) -> Found:
    """The promises and wishes that some fair run of a version breaks. Each run was replayed in both readings.

    Told are the states up to where it is settled, and the steps of the round; 0 if nothing happens.
    """
    base, bounds, said = ASKED[column]
    protocol = with_configuration(base, {**said, "kafka": version})(**bounds)
    found = liveness(protocol, optional=True)
    assert found.search.liveness.judged
    return {one.member.name: shape(one.trace) for one in found.search.liveness.broken if one.trace is not None}


PROMISED = Table(
    page="docs/liveness.md",
    columns=tuple(ASKED),
    found=broken,
    rules=lambda version: (
        about_its_steps(KraftReassignment, VERSIONS[version]),  # of all that is asked
        can_be_asked(version, "three reassignments"),
    ),
    is_known=can_be_asked,
    figures="{} + {}",
)


if __name__ == "__main__":
    for one in (OPEN, PROMISED):
        print(*one.text(one.again()), "", sep="\n")
