"""Kafka's checkpoint files, as text: a version, a number of lines, and the lines."""

from __future__ import annotations

from pathlib import Path


def lines_of(path: Path) -> list[list[str]]:
    """The words of each line of a checkpoint file of version 0, empty until it is first written; ValueError else."""
    text = path.read_text(encoding="utf-8").splitlines()
    if not text:
        return []
    if len(text) < 2 or text[0] != "0" or int(text[1]) != len(text) - 2:
        raise ValueError(f"{path} is no checkpoint file of version 0: {text[:3]}")
    return [line.split() for line in text[2:]]


def offsets_in(path: Path) -> dict[tuple[str, int], int]:
    """Offsets by topic and partition: recovery points, high watermarks, log start offsets."""
    return {(topic, int(partition)): int(offset) for topic, partition, offset in lines_of(path)}


def epochs_in(path: Path) -> dict[int, int]:
    """The start offset of each leader epoch: `leader-epoch-checkpoint` of a replica."""
    return {int(epoch): int(start) for epoch, start in lines_of(path)}
