"""What a file is, by what is in it: Kafka's files are recognised under whatever name they were copied."""

from __future__ import annotations

import itertools
import re
from enum import Enum
from pathlib import PurePosixPath

from . import small_files as checkpoints
from .broker_log import is_log, of_dump
from .client_history import is_history
from .metadata_log import decoded
from .place import EvidenceError
from .segments import HEADER, records_at_first


class Kind(Enum):
    """What a file is, as far as it is of use. The value is for people."""

    METADATA = "a segment of the metadata log"
    SNAPSHOT = "a snapshot of metadata"
    SEGMENT = "a segment of a partition"
    METADATA_DUMP = "kafka-dump-log of the metadata log"
    DATA_DUMP = "kafka-dump-log of partitions"
    LOG = "a log of a broker or controller"
    PROPERTIES = "server.properties"
    META_PROPERTIES = "meta.properties"
    PARTITION_METADATA = "partition.metadata"
    CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
    EPOCHS = "leader-epoch-checkpoint"
    OFFSETS = "a checkpoint of offsets"
    QUORUM_STATE = "quorum-state"
    HISTORY = "a history of clients"


METADATA_FOLDER = "__cluster_metadata-0"
SEGMENT_NAME = re.compile(r"\d{20}\.log")

LOOK = 8192
"""How many bytes say what a text is."""

DUMP = re.compile(r"^Dumping /?\S|^baseOffset: \d+ lastOffset: \d+|^\|? ?offset: \d+ ", re.MULTILINE)
METADATA_PAYLOAD = re.compile(r'payload: \{\s*"type"\s*:\s*"[A-Z_]+_RECORD"')
PROPERTIES = re.compile(r"^process\.roles\s*=", re.MULTILINE)
META_PROPERTIES = re.compile(r"^cluster\.id\s*=", re.MULTILINE)
PARTITION_METADATA = re.compile(r"version: \d+\s+topic_id: ")
QUORUM_STATE = re.compile(r"\{[^{}]*\"leaderId\":")
CLEAN_SHUTDOWN = ".kafka_cleanshutdown"
"""Kafka's mark of a clean shutdown is known by its name: until 3.6 it was empty."""


def _is_one_document(text: str) -> bool:
    """Whether a text is one JSON object over several lines: it may quote a log, and is none."""
    end = text.find("\n}\n")
    return text.startswith("{\n") and (end < 0 or not text[end + 3 :].strip())


def kind_of(head: bytes, path: str) -> Kind | None:
    """What a file is, by how it begins; None if it is nothing that is read.

    Its name says what an empty segment is, and which checkpoint it is: they are written alike.
    """
    name = PurePosixPath(path).name
    if name == CLEAN_SHUTDOWN:
        return Kind.CLEAN_SHUTDOWN
    if not head:
        return Kind.SEGMENT if SEGMENT_NAME.fullmatch(name) else None
    if SEGMENT_NAME.fullmatch(name) or (len(head) >= HEADER.size and head[16] == 2):
        return _kind_of_batches(head, path)
    text = head[:LOOK].decode("utf-8", errors="replace")  # a crash may leave zeros or garbage in a log
    if name in checkpoints.NAMES and checkpoints.BEGINS.match(text):
        return Kind.EPOCHS if name == checkpoints.EPOCHS else Kind.OFFSETS
    if DUMP.search("\n".join(map(of_dump, text.splitlines()))):
        whole = head.decode("utf-8", "replace")
        return Kind.METADATA_DUMP if METADATA_PAYLOAD.search(whole) else Kind.DATA_DUMP
    if text.startswith("{") and is_history(text.split("\n", 1)[0]):
        return Kind.HISTORY
    for kind, form in ((Kind.PARTITION_METADATA, PARTITION_METADATA), (Kind.QUORUM_STATE, QUORUM_STATE)):
        if form.match(text):
            return kind
    for kind, form in ((Kind.META_PROPERTIES, META_PROPERTIES), (Kind.PROPERTIES, PROPERTIES)):
        if form.search(text):
            return kind
    return Kind.LOG if is_log(text) and not _is_one_document(text) else None


SNAPSHOT_HEADER = 3
"""The type of the control record with which a snapshot begins (ControlRecordType)."""

SEEN = 16
"""How many records are looked at."""


def _kind_of_batches(head: bytes, path: str) -> Kind | None:
    """Metadata, if every record of the first ones is a record of metadata; else records of a partition.

    What is named as a segment and cannot be read is one all the same: whoever reads it says what is wrong.
    """
    try:
        seen = False
        for batch, record in itertools.islice(records_at_first(head), SEEN):
            if batch.compressed:
                return Kind.SEGMENT
            if record.control and record.key is not None and not seen:
                if int.from_bytes(record.key[2:4], "big") == SNAPSHOT_HEADER:
                    return Kind.SNAPSHOT
            elif not record.control:
                decoded(record.value or b"")
            seen = True
        if seen:
            return Kind.METADATA
    except EvidenceError:
        if seen:
            return Kind.METADATA
    except ValueError:
        return Kind.SEGMENT
    if not SEGMENT_NAME.fullmatch(PurePosixPath(path).name):
        return None
    return Kind.METADATA if PurePosixPath(path).parent.name == METADATA_FOLDER else Kind.SEGMENT
