"""The usual settings: those whose guarantees are decided once and come with the package."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..language import SettingValue
from .generations import NEWEST
from .guarantees import BOUNDS, Fault, faults_for

IN_USE = ("3.9", "3.9.1", "4.0.1", NEWEST)
"""Releases that people run or upgrade from; 4.1 to the newest one have the same rules of these searches."""

DESIGNS = ("G7", "G8", "G9")
"""Neither ELR nor the strict high watermark, the latter, and both."""

SMALL = ((1, 1), (2, 1), (2, 2))
"""Replication factors below three, and how many replicas a write waits for."""


@dataclass(frozen=True)
class UsualCase:
    """One search: settings, a fault, and the bounds of the search."""

    settings: Mapping[str, SettingValue]
    fault: Fault
    bounds: Mapping[str, int]


def usual_cases() -> Iterator[UsualCase]:
    """Every usual case. Several may be the same protocol: releases between which no rule has changed."""
    for settings, replicas in _usual_settings():
        for fault in faults_for(settings):
            yield UsualCase(settings, fault, fault.bounds({**BOUNDS, "replication_factor": replicas}))


def _usual_settings() -> Iterator[tuple[dict[str, SettingValue], int]]:
    """Settings and a replication factor."""
    for kafka in (*IN_USE, *DESIGNS):
        yield {"kafka": kafka}, 3
    yield {"kafka": NEWEST, "elr": False}, 3
    for kafka, (replicas, wanted) in itertools.product((NEWEST, "G9"), SMALL):
        yield {"kafka": kafka, "min_insync_replicas": wanted}, replicas
