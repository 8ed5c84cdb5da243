"""Recorded evidence as tests take it: an archive's metadata log, also with records put in the place of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from epochal.kafka.evidence.metadata_log import MetadataLog, MetadataRecord
from epochal.kafka.validation.collected import Collected, collected
from epochal.kafka.validation.controller import ControllerVerdict, RuleSet, judge_controller
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS, known_as

FOLDER = Path(__file__).resolve().parents[1] / "evidence"
INJECTED = tuple(path.name.removesuffix(".tar.xz") for path in sorted(FOLDER.glob("injected-*.tar.xz")))
"""Runs with random faults (`test_injected.py`)."""
ARCHIVES = tuple(
    name for path in sorted(FOLDER.glob("*.tar.xz")) if (name := path.name.removesuffix(".tar.xz")) not in INJECTED
)

CHANGE = "PARTITION_CHANGE_RECORD"


@cache
def of_archive(name: str) -> Collected:
    """What an archive has."""
    return collected([FOLDER / f"{name}.tar.xz"])


def records_of(name: str) -> tuple[MetadataRecord, ...]:
    """The metadata log of an archive."""
    log = of_archive(name).metadata
    assert log is not None
    return log.records


def judged(
    name: str,
    records: tuple[MetadataRecord, ...] | None = None,
    kind: type[ConfigurableKraft] = ConfigurableKraft,
    kafka: str | None = None,
) -> ControllerVerdict:
    """An archive's controller held against the rules of its version, or of another; other records may be put in."""
    evidence = of_archive(name)
    version = kafka or evidence.versions[0]
    rules = RuleSet(kind, VERSIONS[known_as(version)], version, evidence.static)
    return judge_controller(MetadataLog(records or records_of(name)), rules)


def changes_of(name: str) -> list[MetadataRecord]:
    """The changes of the topic that the scenario is about, in their order."""
    return [record for record in records_of(name) if record.kind == CHANGE]


def edited(
    name: str, number: int, edit: Callable[[Mapping[str, Any]], Mapping[str, Any] | None]
) -> tuple[tuple[MetadataRecord, ...], MetadataRecord]:
    """The log with one change edited, and that change; None puts a record without a meaning there."""
    chosen = changes_of(name)[number]
    data = edit(chosen.data)
    put = replace(chosen, kind="NO_OP_RECORD", data={}) if data is None else replace(chosen, data=data)
    return tuple(put if record is chosen else record for record in records_of(name)), chosen
