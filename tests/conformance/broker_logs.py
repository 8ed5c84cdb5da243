"""Logs of recorded brokers as tests take them: with lines edited, put in, taken away, or in files of other names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from epochal.kafka.evidence.files import evidence_files
from epochal.kafka.evidence.kinds import Kind
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.brokers import BrokersVerdict, judge_brokers
from epochal.kafka.validation.collected import collected
from epochal.kafka.validation.detectors import known_of
from tests.conformance.evidence import FOLDER, of_archive

Edit = Callable[[bytes], list[bytes]]


@cache
def logs_of(name: str) -> Mapping[str, bytes]:
    """The logs of an archive, by their names."""
    return {
        file.name: file.stream.read() for file in evidence_files([FOLDER / f"{name}.tar.xz"]) if file.kind is Kind.LOG
    }


def judged_brokers(name: str, metadata: MetadataLog | None = None) -> BrokersVerdict:
    """The brokers of an archive, held against its metadata log or a part of that."""
    evidence = of_archive(name)
    log = metadata or evidence.metadata
    assert log is not None
    return judge_brokers(evidence.logs, known_of(evidence, log, _version(name)))


def judged_files(name: str, files: Mapping[str, bytes], folder: Path) -> BrokersVerdict:
    """The archive's metadata log with other logs, written below a folder."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    metadata = of_archive(name).metadata
    assert metadata is not None
    evidence = collected([folder])
    return judge_brokers(evidence.logs, known_of(evidence, metadata, _version(name)))


def _version(name: str) -> str:
    """The version of an archive's brokers."""
    (version,) = of_archive(name).versions
    return version


def line_of(name: str, file: str, *words: str) -> int:
    """The number of the first line that has these words, counted from 1."""
    for number, line in enumerate(logs_of(name)[file].splitlines(), start=1):
        if all(word.encode() in line for word in words):
            return number
    raise AssertionError(f"{name}: no line of {file} has {words}")


def changed(name: str, file: str, number: int, edit: Edit) -> dict[str, bytes]:
    """The logs of an archive, where one line of a file is replaced by others."""
    lines = logs_of(name)[file].splitlines(keepends=True)
    lines[number - 1 : number] = edit(lines[number - 1])
    return {**logs_of(name), file: b"".join(lines)}


def put(old: str, new: str) -> Edit:
    """The edit that puts one text in the place of another, once."""

    def edit(line: bytes) -> list[bytes]:
        assert line.count(old.encode()) >= 1, line
        return [line.replace(old.encode(), new.encode(), 1)]

    return edit
