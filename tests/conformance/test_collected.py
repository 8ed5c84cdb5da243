"""What is read of clients and disks: histories, segments, dumps, checkpoints; whose they are; and what is damaged."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import epochal
from epochal.kafka.evidence.broker_log import UNKNOWN_BROKER
from epochal.kafka.evidence.client_history import NotWritten, Unanswered, WasRead
from epochal.kafka.evidence.disks import DiskLog, OffsetRange
from epochal.kafka.evidence.place import EvidenceError
from epochal.kafka.validation.collected import Collected, collected
from tests.brokers.segments import log_end_offset
from tests.conformance.evidence import FOLDER, TIERED, of_archive

pytestmark = pytest.mark.usefixtures("without_runs")

NAME = "reproduced-n1-4.3.1"
SEGMENT = "00000000000000000000.log"


def unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    return folder


def replicas_of(evidence: Collected, topic: str = "t") -> dict[int, DiskLog]:
    return {one.broker: one for one in evidence.replicas if one.topic == topic}


def test_a_tiered_log_begins_later_and_is_read_from_its_beginning_where_it_was_kept() -> None:
    for name in TIERED:
        evidence = of_archive(name)
        (history,) = evidence.histories
        read = [line.event for line in history.lines if isinstance(line.event, WasRead)]
        assert bool(read) == ("control" in name or "fixed" in name), name
        leader = replicas_of(evidence)[1]
        cut = 2 if "t5" in name else 4
        start = cut if name == "reproduced-t5-4.4.0" else 0
        assert leader.start == leader.end == cut and leader.log_start == start, name


def test_a_history_has_what_each_client_was_told() -> None:
    (history,) = of_archive("raised-min-isr-4.3.1").histories
    events = [line.event for line in history.lines]
    refused = next(one for one in events if isinstance(one, NotWritten | Unanswered))
    assert (refused.topic, refused.number, refused.error) == ("t", 0, "NOT_ENOUGH_REPLICAS")


def test_segments_tell_offsets_and_epochs(tmp_path: Path) -> None:
    folder = unpacked("leader-change-4.3.1", tmp_path)
    replicas = replicas_of(collected([folder]))
    assert replicas[2].stretches == (OffsetRange(0, 2, 0), OffsetRange(3, 7, 1))
    assert replicas[2].epochs == ((0, 0), (1, 3)) and replicas[2].epoch_at(4) == 1 and replicas[2].epoch_at(8) is None
    for broker, one in replicas.items():
        assert one.end == log_end_offset(folder / f"node-{broker}/data/t-0")
        assert one.high_watermark is not None


def test_a_dump_tells_the_same_as_segments(tmp_path: Path) -> None:
    """Whose it is says the one server.properties that has the folder."""
    folder = unpacked(NAME, tmp_path)
    known = replicas_of(collected([folder]))
    for one in folder.glob("node-*/data/t-0"):
        (one / SEGMENT).unlink()
    dumped = replicas_of(collected([folder]))
    assert dumped == known
    alone = collected([folder / "dumps/node-1-data.txt"]).replicas
    assert {one.broker for one in alone} == {UNKNOWN_BROKER}
    assert next(one for one in alone if one.topic == "t").stretches == known[1].stretches


def test_a_folder_alone_says_its_partition(tmp_path: Path) -> None:
    folder = unpacked(NAME, tmp_path)
    (one,) = collected([folder / "node-1/data/t-0"]).replicas
    assert (one.name, one.broker, one.topic, one.number, one.end) == ("t-0", UNKNOWN_BROKER, "t", 0, 1)


def test_replicas_that_are_not_in_use(tmp_path: Path) -> None:
    """A folder that is being deleted has records that no broker has any more."""
    evidence = of_archive("reproduced-h3-4.1.2")
    assert [Path(one).parent.name.split("-")[-1] for one in evidence.unplaced] == ["delete"]
    assert {one.name for one in evidence.replicas if one.broker == 1} == {"node-1/data-2/t-0"}


def test_a_newest_segment_that_is_empty(tmp_path: Path) -> None:
    """It is named after the end of the log; retention has deleted those before."""
    folder = unpacked(NAME, tmp_path) / "node-1/data/t-0"
    (folder / SEGMENT).rename(folder / "00000000000000000007.log")
    (folder / "00000000000000000007.log").write_bytes(b"")
    one = replicas_of(collected([tmp_path]))[1]
    assert (one.start, one.end, one.stretches) == (7, 7, ())


def test_a_clean_shutdown_is_a_file(tmp_path: Path) -> None:
    folder = unpacked(NAME, tmp_path)
    (folder / "node-1/data/.kafka_cleanshutdown").write_bytes(b"")
    (folder / "node-2/data/.kafka_cleanshutdown").write_text('{"version":0,"brokerEpoch":12}')
    clean = {one.broker for one in collected([folder]).directories if one.clean}
    assert clean == {1, 2}


def test_a_segment_that_was_made_larger_beforehand(tmp_path: Path) -> None:
    path = unpacked(NAME, tmp_path) / "node-1/data/t-0" / SEGMENT
    path.write_bytes(path.read_bytes() + b"\0" * 1000)
    assert replicas_of(collected([tmp_path]))[1].end == 1


@pytest.mark.parametrize(
    ("file", "content", "says"),
    [
        ("history.jsonl", '{"what": "sent", "topic": "t", "par', r"history\.jsonl:7: no line of a history of clients"),
        (
            "history.jsonl",
            '{"what": "read", "topic": "t", "partition": 0, "value": "r", "offset": "1"}\n',
            r"history\.jsonl:7: no line of a history of clients: Expected `int`, got `str` - at `\$\.offset`",
        ),
        ("dumps/node-1-data.txt", "baseOffset: 1 lastOff", r"node-1-data\.txt:\d+: the batch is cut off"),
        ("node-3/data/t-0/leader-epoch-checkpoint", "4 2\n", "has 3 lines, and says 2"),
        ("node-3/metadata/__cluster_metadata-0/quorum-state", "{", r"quorum-state: no quorum-state: "),
    ],
)
def test_what_is_cut_or_damaged(tmp_path: Path, file: str, content: str, says: str) -> None:
    folder = unpacked(NAME, tmp_path)
    with (folder / file).open("a") as opened:
        opened.write(content)
    with pytest.raises(EvidenceError, match=says):
        collected([folder])


def test_a_checkpoint_with_a_line_that_is_none(tmp_path: Path) -> None:
    path = unpacked(NAME, tmp_path) / "node-3/data/replication-offset-checkpoint"
    path.write_text("0\n1\nt 0 x\n")
    with pytest.raises(EvidenceError, match=r"replication-offset-checkpoint:3: no line of a checkpoint: 't 0 x'"):
        collected([tmp_path])


def test_a_damaged_batch_of_a_partition(tmp_path: Path) -> None:
    """A crash may leave one: the rest of the evidence is as good as before, and where that log ends is not known."""
    path = unpacked(NAME, tmp_path) / "node-3/data/t-0" / SEGMENT
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    evidence = collected([tmp_path])
    says = f"node-3/data/t-0/{SEGMENT}: a batch does not agree with its checksum"
    assert evidence.damaged == (says,) and replicas_of(evidence)[3].end is None
    result = epochal.conform(tmp_path)
    assert f"read up to there: {says}" in str(result) and result.to_dict()["damaged"] == [says]
    assert result.judged.clients is not None
    assert result.judged.clients.left_out == {"no whole segments of the leader are here": 2}
    (path.parent / "another").write_bytes(content)  # what is not named so may be anything
    path.unlink()
    assert "node-3/data/t-0/another" in collected([tmp_path]).unread


def test_a_segment_of_an_old_kafka(tmp_path: Path) -> None:
    """Message format 1."""
    path = unpacked(NAME, tmp_path) / "node-3/data/t-0" / SEGMENT
    content = bytearray(path.read_bytes())
    content[16] = 1
    path.write_bytes(content)
    (says,) = collected([tmp_path]).damaged
    assert says.endswith("message format 1, of a Kafka before 0.11, is not read")


@pytest.mark.parametrize("before", ["kafka-1  | ", "    ", "[pod/kafka-0/kafka] "])
def test_a_dump_with_something_before_each_line(before: str, tmp_path: Path) -> None:
    """A paste, or what a container's output is called."""
    line = '| offset: 0 CreateTime: 1 payload: {"type":"NO_OP_RECORD","version":0,"data":{}}\n'
    dump = f"Dumping /d/00000000000000000000.log\nbaseOffset: 0 lastOffset: 0 partitionLeaderEpoch: 3 \n{line}"
    (tmp_path / "dump.txt").write_text("".join(f"{before}{one}" for one in dump.splitlines(keepends=True)))
    metadata = collected([tmp_path]).metadata
    assert metadata is not None
    assert [(one.offset, one.epoch, one.kind) for one in metadata.records] == [(0, 3, "NO_OP_RECORD")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_a_log_in_utf_16_is_named(encoding: str, tmp_path: Path) -> None:
    text = "\ufeff" if encoding != "utf-16" else ""
    text += "[2026-11-23 00:34:55,195] INFO [Broker id=1] Transitioning 1 partition(s) to local leaders.\n"
    (tmp_path / "state-change.log").write_text(text, encoding=encoding)
    with pytest.raises(EvidenceError, match=r"state-change\.log is UTF-16"):
        collected([tmp_path])
