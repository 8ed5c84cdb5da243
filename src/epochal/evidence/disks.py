"""From files that lie in folders to replicas and log directories: what belongs together, and whose it is.

A log directory is whose its meta.properties says. A dump tells the paths of segments on the broker's own machine; whose
they are say the `log.dirs` of the one broker that has that folder.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from . import checkpoints
from .broker_events import UNKNOWN_BROKER
from .data_log import SegmentRead, Wanted, partition_of, segment_of, segments_of_dump
from .files import EvidenceFile
from .kinds import Kind
from .properties import properties_in
from .replicas import LogDirectory, Named, Replica, Stretch, joined

NODE = ("node.id", "broker.id")
TOPIC_ID = re.compile(r"topic_id: (\S+)")

Offsets = dict[str, dict[Named, int]]
"""A checkpoint of offsets of each log directory."""


@dataclass
class Disks:
    """The files of disks by the folder in which they lie, as they are read one after the other."""

    meta: dict[str, Mapping[str, str]] = field(default_factory=dict)
    clean: set[str] = field(default_factory=set)
    offsets: dict[str, Offsets] = field(default_factory=lambda: {name: {} for name in checkpoints.NAMES[1:]})
    epochs: dict[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    topic_ids: dict[str, str] = field(default_factory=dict)
    segments: list[SegmentRead] = field(default_factory=list)
    dumped: list[tuple[str, SegmentRead]] = field(default_factory=list)
    nodes: list[Mapping[str, str]] = field(default_factory=list)
    """The server.properties of nodes."""

    shown: dict[str, str] = field(default_factory=dict)
    """How a folder is called in reports."""

    def take(self, file: EvidenceFile) -> None:
        """A file of a log directory that is no segment. Raises EvidenceError where it is damaged."""
        folder = self._folder(file)
        match file.kind:
            case Kind.EPOCHS:
                self.epochs[folder] = checkpoints.epochs_in(file.lines(), file.name)
            case Kind.OFFSETS:
                self.offsets[PurePosixPath(file.path).name][folder] = checkpoints.offsets_in(file.lines(), file.name)
            case Kind.PARTITION_METADATA:
                for line in file.lines():
                    if (found := TOPIC_ID.match(line)) is not None:
                        self.topic_ids[folder] = found[1]
            case Kind.META_PROPERTIES:
                self.meta[folder] = properties_in(file.lines())
            case Kind.CLEAN_SHUTDOWN:
                self.clean.add(folder)

    def take_segments(self, file: EvidenceFile, wanted: Wanted) -> bool:
        """A segment, or a dump of several, with the values at some offsets; False if it says of no partition."""
        if file.kind is Kind.SEGMENT:
            one = segment_of(file.stream, file.path, file.name, wanted)
            if one is None:
                return False
            self._folder(file)
            self.segments.append(one)
            return True
        found = [(file.name, one) for one in segments_of_dump(file.lines(), file.name, wanted)]
        self.dumped += found
        return bool(found)

    def _folder(self, file: EvidenceFile) -> str:
        folder = str(PurePosixPath(file.path).parent)
        parent = str(PurePosixPath(file.name).parent)
        self.shown[folder] = PurePosixPath(folder).name if parent == "." else parent
        return folder

    def directories(self) -> tuple[LogDirectory, ...]:
        """The log directories that have a meta.properties, or a checkpoint of offsets."""
        folders = self.meta.keys() | self.clean | {one for said in self.offsets.values() for one in said}
        return tuple(self._directory(folder) for folder in sorted(folders))

    def _directory(self, folder: str) -> LogDirectory:
        meta = self.meta.get(folder, {})
        offsets = (self.offsets[name].get(folder) for name in checkpoints.NAMES[1:])
        ids = meta.get("cluster.id"), meta.get("directory.id")
        return LogDirectory(self.shown.get(folder, folder), self._broker(folder), *ids, folder in self.clean, *offsets)

    def replicas(self) -> tuple[Replica, ...]:
        """The replicas whose folders are here, or segments of them in a dump.

        What a dump tells of a replica whose segments are here as well is left out.
        """
        folders, dumps = self._folders(), self._dumps()
        owners = {of: (self._owner(of[1]), parts[0].partition) for of, parts in dumps.items()}
        places = {(self._owner_of(folder), partition_of(folder)): folder for folder in folders}
        told: set[tuple[str, str]] = set()
        for of, parts in sorted(dumps.items()):
            here = places.get(owners[of]) if owners[of][0] != UNKNOWN_BROKER else None
            if here is not None:
                told.add(of)
                folders[here] = folders[here] or parts
        found = [self._replica(folder, parts) for folder, parts in sorted(folders.items())]
        for of, parts in sorted(dumps.items()):
            if of not in told:
                found.append(self._assembled(f"{of[0]}: {of[1]}", *owners[of], parts, None))
        return tuple(found)

    def _owner_of(self, folder: str) -> int:
        return self._broker(str(PurePosixPath(folder).parent))

    def _folders(self) -> dict[str, list[SegmentRead]]:
        folders = {folder for folder in (*self.epochs, *self.topic_ids) if partition_of(folder) is not None}
        found: dict[str, list[SegmentRead]] = {folder: [] for folder in folders}
        for one in self.segments:
            found.setdefault(one.folder, []).append(one)
        return found

    def _dumps(self) -> dict[tuple[str, str], list[SegmentRead]]:
        found: dict[tuple[str, str], list[SegmentRead]] = {}
        for name, one in self.dumped:
            found.setdefault((name, one.folder), []).append(one)
        return found

    def _replica(self, folder: str, parts: list[SegmentRead]) -> Replica:
        directory = str(PurePosixPath(folder).parent)
        partition = partition_of(folder)
        assert partition is not None  # folders of others are not collected
        return self._assembled(self.shown[folder], self._broker(directory), partition, parts, folder)

    def _assembled(
        self, name: str, broker: int, partition: Named, parts: list[SegmentRead], folder: str | None
    ) -> Replica:
        """A replica of its segments, in the order of their offsets."""
        order = sorted(parts, key=lambda one: one.start)
        stretches = joined(stretch for one in order for stretch in one.stretches)
        values = {offset: value for one in order for offset, value in one.values.items()}
        directory = "" if folder is None else str(PurePosixPath(folder).parent)
        said = {kind: self.offsets[kind].get(directory, {}).get(partition) for kind in checkpoints.NAMES[1:]}
        return Replica(
            name,
            broker,
            *partition,
            topic_id=self.topic_ids.get(folder or ""),
            stretches=stretches,
            start=order[0].start if order else None,
            end=_end(order, stretches),
            epochs=self.epochs.get(folder or ""),
            high_watermark=said[checkpoints.HIGH_WATERMARKS],
            recovery_point=said[checkpoints.RECOVERY_POINTS],
            log_start=said[checkpoints.LOG_STARTS],
            values=values,
        )

    def _broker(self, directory: str) -> int:
        """Whose log directory it is."""
        said = self.meta.get(directory, {})
        number = next((said[name] for name in NODE if name in said), "")
        return int(number) if re.fullmatch(r"\d{1,10}", number) else UNKNOWN_BROKER

    def _owner(self, folder: str) -> int:
        """The one node that has this folder of a replica in its log.dirs."""
        directory = PurePosixPath(folder).parent
        found = {
            node[name]
            for node in self.nodes
            for name in NODE
            if name in node and directory in [PurePosixPath(one.strip()) for one in _log_dirs(node)]
        }
        (number,) = found if len(found) == 1 else ("",)
        return int(number) if re.fullmatch(r"\d{1,10}", number) else UNKNOWN_BROKER


def _log_dirs(node: Mapping[str, str]) -> list[str]:
    return (node.get("log.dirs") or node.get("log.dir") or "").split(",")


def _end(order: list[SegmentRead], stretches: tuple[Stretch, ...]) -> int | None:
    """The offset behind the last record: an empty newest segment is named after it.

    Where a segment is damaged that is not known: not all of it was read.
    """
    if not order or any(one.damaged for one in order):
        return None
    return max(order[-1].start, stretches[-1].last + 1 if stretches else 0)
