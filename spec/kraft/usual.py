"""The usual settings: those whose guarantees are decided once and come with the package."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..language import SettingValue
from .columns import usual_choices
from .guarantees import BOUNDS, Fault, faults_for

Said = Mapping[str, SettingValue]
"""Settings as somebody asks about them; what is not said is as in the version that is asked about."""

CROSSED: tuple[Said, ...] = ({}, {"elr": False})
"""What is decided with every choice of the settings below: the newest release, also with eligible leader replicas off,
as clusters are that come from a version before 4.1."""

CHOICES: dict[str, tuple[SettingValue, ...]] = {"acks": ("all", "1"), "unclean_leader_election": (False, True)}
"""Settings that are crossed, beside min.insync.replicas. acks=0 differs from 1 in no step."""

IN_USE = ("3.9", "3.9.1", "4.0.1")
"""Releases that people run or upgrade from, with acks=all and acks=1; 4.1 to the newest one have the same rules of
these searches, and 3.7 and 3.8 those of 3.9. With acks=1 records are lost without any fault: with three replicas the
faults of one broker are decided."""

SELDOM: tuple[Said, ...] = ({"kafka": "4.0"}, {"kafka": "4.0", "elr": True}, {"kafka": "4.0.1", "elr": True})
"""The first 4.0, and 4.0 with eligible leader replicas, which are off there unless somebody asks. With three replicas
the faults of one broker are decided: those of two take a minute each."""

RELEASES_ASKED: tuple[Said, ...] = (
    *({"kafka": kafka, "acks": acks} for kafka in IN_USE for acks in CHOICES["acks"]),
    *SELDOM,
)
"""Those that are asked about with every min.insync.replicas."""

DESIGNS = ("G7", "G8", "G9")
"""Neither ELR nor the strict high watermark, the latter, and both."""

USUAL_REPLICAS = 3
MANY_REPLICAS = 4
"""With so many replicas the faults of one broker are decided; two take minutes (35 million states and more, each)."""


@dataclass(frozen=True)
class UsualCase:
    """One search: settings, a fault, and the bounds of the search."""

    settings: Said
    fault: Fault
    bounds: Mapping[str, int]


def usual_cases() -> Iterator[UsualCase]:
    """Every usual case. Several may be the same protocol: releases between which no rule has changed."""
    for said, replicas in _asked():
        for choice in usual_choices(said):
            for fault in faults_for(choice.settings):
                if sum(fault.budget.values()) < 2 or not _takes_long(said, replicas):
                    bounds = fault.bounds({**BOUNDS, "replication_factor": replicas})
                    yield UsualCase(choice.settings, fault, bounds)


def _takes_long(said: Said, replicas: int) -> bool:
    """Whether the faults of two brokers are left out."""
    seldom = {name: value for name, value in said.items() if name in ("kafka", "elr")} in SELDOM
    lost_already = "kafka" in said and said.get("acks") == "1"
    return replicas >= MANY_REPLICAS or ((seldom or lost_already) and replicas == USUAL_REPLICAS)


def _asked() -> Iterator[tuple[Said, int]]:
    """Settings and a replication factor, as somebody may ask about them; both columns of the answer are decided."""
    yield {}, USUAL_REPLICAS
    for kafka in (*IN_USE, *DESIGNS):
        yield {"kafka": kafka}, USUAL_REPLICAS
    for replicas in range(1, USUAL_REPLICAS + 1):
        for said, wanted in itertools.product(CROSSED, range(1, replicas + 1)):
            for chosen in itertools.product(*CHOICES.values()):
                yield {**said, "min_insync_replicas": wanted, **dict(zip(CHOICES, chosen, strict=True))}, replicas
    for replicas in range(1, USUAL_REPLICAS + 1):
        for release, wanted in itertools.product(RELEASES_ASKED, range(1, replicas + 1)):
            yield {**release, "min_insync_replicas": wanted}, replicas
    for wanted in (2, 3):
        yield {"min_insync_replicas": wanted}, MANY_REPLICAS
