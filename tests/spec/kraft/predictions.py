"""What is expected of Kafka's guarantees before anybody searches, for settings and faults.

The numbers are those of the rows of the project's fact sheet. Rows 19 to 22 are about the classic family, and row 23
about brokers under ZooKeeper: they name protocols of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.spec.kraft.configuration import ConfigurableKraft, configured, with_settings
from epochal.spec.kraft.kraft import Kraft

SMALL: dict[str, int] = {
    "replication_factor": 3,
    "records": 1,
    "max_epoch": 3,
    "metadata_lag": 1,
    "crashes": 0,
    "lossy_crashes": 0,
    "fencings": 0,
    "shrinks": 1,
    "elections": 0,
}
"""One record is enough: what may be lost is the first one."""

CLEAN: dict[str, int] = {"crashes": 1, "fencings": 1}
LOSSY: dict[str, int] = {"lossy_crashes": 1, "fencings": 1}
TWO_LOSSY: dict[str, int] = {"lossy_crashes": 2}


@dataclass(frozen=True)
class Prediction:
    """Words and a budget, and whether acknowledged records and what consumers read are expected to stay.

    None where nothing is promised. `changes` are settings for which there is no word. `sure` is whether the row is
    argued for in a KIP, or is plain; else the checker was to decide. Where the search contradicts the prediction,
    `found` is what it says instead, and `why`.
    """

    row: str
    words: Mapping[str, Any]
    bounds: Mapping[str, int]
    acknowledged: bool | None
    read: bool
    sure: bool = True
    changes: Mapping[str, Any] = field(default_factory=dict)
    found: tuple[bool, bool] | None = None
    why: str = ""

    @property
    def expected(self) -> tuple[bool | None, bool]:
        """What a search says: whether acknowledged records stay, and what consumers read."""
        return self.found or (self.acknowledged, self.read)

    def protocol(self) -> Kraft:
        """The protocol within the bounds of the prediction."""
        settings = replace(configured(**self.words).settings, **self.changes)
        kind = with_settings(ConfigurableKraft, settings, f"kraft-row-{self.row}")
        return kind(kind.bounds_type()(**{**SMALL, **self.bounds}))


@dataclass(frozen=True)
class OtherFamily:
    """A row about an older protocol: its name, and the property that says whether anything is lost."""

    row: str
    protocol: str
    property: str
    holds: bool


PREDICTIONS: tuple[Prediction, ...] = (
    Prediction("1", {"kafka": "G7", "min_insync_replicas": 1}, CLEAN, True, True),
    Prediction("2", {"kafka": "G7"}, CLEAN, True, True),
    Prediction("3", {"acks": "1"}, CLEAN, False, True),
    Prediction("3 without ELR", {"kafka": "G7", "acks": "1"}, CLEAN, False, True),
    Prediction("4", {"acks": "0"}, CLEAN, None, True),
    Prediction("5", {"kafka": "G7", "min_insync_replicas": 1}, LOSSY, False, False),
    Prediction("6", {"kafka": "G7"}, LOSSY, False, False),
    Prediction("7", {"kafka": "G8"}, LOSSY, False, False),
    Prediction("8", {}, CLEAN, True, True),
    Prediction("9", {}, LOSSY, True, True),
    Prediction("10", {}, TWO_LOSSY, False, False),
    Prediction("11", {"min_insync_replicas": 3}, TWO_LOSSY, True, True, sure=False),
    Prediction("12 m=1", {"min_insync_replicas": 1}, CLEAN, True, True, sure=False),
    Prediction("12 m=2 n=2", {}, {**LOSSY, "replication_factor": 2}, True, True, sure=False),
    Prediction("13", {"min_insync_replicas": 1}, LOSSY, False, False),
    Prediction("14", {"kafka": "G8", "acks": "1"}, CLEAN, False, True),
    Prediction("15", {"kafka": "G7", "acks": "1"}, LOSSY, False, False),
    Prediction("16", {"elr": True, "strict_hw": False}, CLEAN, True, False),
    Prediction("16 acks=1", {"elr": True, "strict_hw": False, "acks": "1"}, CLEAN, False, False),
    Prediction("17", {"kafka": "G8", "unclean_leader_election": True}, {"crashes": 2}, False, False),
    Prediction("17 with ELR", {"unclean_leader_election": True}, {"crashes": 2}, False, False),
    Prediction(
        "18",
        {"kafka": "G7", "unclean_leader_election": True},
        {"crashes": 2, "records": 2},
        False,
        False,
        changes={"unclean_by_longest_log": True},
        found=(True, False),
        why="What is lost was committed by a later leader, which does not answer the producer of an older epoch. A "
        "loss of a record whose producer was told of success was not found within these bounds.",
    ),
    Prediction("24 G5", {"kafka": "G5", "lossy_crashes_spare_last_member": True}, LOSSY, False, False),
    Prediction("24 G6", {"kafka": "G6", "lossy_crashes_spare_last_member": True}, LOSSY, False, False),
    Prediction(
        "25",
        {"kafka": "G7", "lossy_crashes_spare_last_member": True},
        LOSSY,
        True,
        True,
        sure=False,
        found=(False, False),
        why="The broker that lost its data was not the ISR's last member when it crashed, and becomes it afterwards, "
        "by a fencing of the others or by a request to drop them that was on its way: last replica standing (S20).",
    ),
    Prediction(
        "9 and a clean crash",
        {},
        {"lossy_crashes": 1, "crashes": 1},
        True,
        True,
        sure=False,
        found=(False, False),
        why="Any crash without the marker of a clean shutdown takes a broker out of the ELR, so that the last known "
        "leader is elected without its log (N2 of the findings).",
    ),
    Prediction(
        "26",
        {},
        {"elections": 4, "max_epoch": 4, "shrinks": 0, "replication_factor": 2},
        False,
        False,
        sure=False,
        changes={"late_answers_dropped": False},
        found=(True, False),
        why="As in row 18: what is lost was committed by a leader that does not answer its producer.",
    ),
    Prediction("27", {}, {**CLEAN, "replication_factor": 2}, True, True),
    Prediction("28", {}, {"lossy_crashes": 1, "replication_factor": 1}, False, False),
)

OTHER_FAMILIES: tuple[OtherFamily, ...] = (
    OtherFamily("19", "truncate-to-hw", "strong_isr", False),
    OtherFamily("20", "kip-101", "strong_isr", False),
    OtherFamily("21", "kip-279", "strong_isr", False),
    OtherFamily("22", "kip-320", "strong_isr", True),
    OtherFamily("23", "zookeeper-no-broker-epochs", "leader_completeness", False),
)
