"""Evidence that is cut, damaged, mixed or none: one clear error with its place, or a verdict that says what lacks."""

from __future__ import annotations

import gzip
import lzma
import tarfile
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.place import EvidenceError
from epochal.kafka.validation.collected import collected
from tests.conformance.evidence import FOLDER, changes_of, judged, of_archive, records_of

NAME = "leader-change-4.3.1"
SEGMENT = "node-101/metadata/__cluster_metadata-0/00000000000000000000.log"
DUMP = "dumps/node-101-metadata.txt"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The archive, unpacked."""
    with tarfile.open(FOLDER / f"{NAME}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path


def test_a_segment_alone_needs_a_version(folder: Path) -> None:
    with pytest.raises(epochal.EpochalError, match="nothing here says which version") as refused:
        epochal.conform(folder / SEGMENT)
    assert refused.value.exit_code == ExitCode.USAGE
    assert epochal.conform(folder / SEGMENT, kafka="4.3.1").exit_code == ExitCode.HOLDS


def test_a_dump_alone_is_as_good(folder: Path) -> None:
    result = epochal.conform(folder / DUMP, kafka="4.3.1")
    assert result.controller is not None and result.controller.judged == len(changes_of(NAME))


@pytest.mark.parametrize("name", ["controller-change-3.9.2", "controller-change-4.3.1"])
def test_a_dump_has_the_marks_of_controllers(name: str, tmp_path: Path) -> None:
    """Each release prints them in its own way. Without them offsets would be missing."""
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extract("dumps/node-101-metadata.txt", tmp_path, filter="data")
    dumped, known = collected([tmp_path]).metadata, of_archive(name).metadata
    assert dumped is not None and known is not None and dumped.is_whole
    marks = [(one.offset, one.kind) for one in dumped.records if one.kind == "LEADER_CHANGE"]
    assert len(marks) == 2 and len(dumped.records) == len(known.records)


def test_a_dump_of_a_quorum_whose_voters_may_change(tmp_path: Path) -> None:
    """KIP-853: its marks have no colon behind their names."""
    line = "| offset: {} CreateTime: 1 keySize: 4 valueSize: 5 sequence: -1 headerKeys: [] {}\n"
    marks = ('LeaderChange: {"leaderId":1}', 'KRaftVersion {"kRaftVersion":1}', 'KRaftVoters {"version":0,"voters":[]}')
    (tmp_path / "dump.txt").write_text(
        "Dumping 00000000000000000000.log\n"
        + "".join(line.format(offset, mark) for offset, mark in enumerate(marks))
        + "| offset: 3 CreateTime: 1 keySize: -1 valueSize: 9 sequence: -1 headerKeys: [] payload: "
        + '{"type":"NO_OP_RECORD","version":0,"data":{}}\n'
    )
    log = collected([tmp_path]).metadata
    assert log is not None and [one.kind for one in log.records] == [
        *("LEADER_CHANGE", "KRaftVersion", "KRaftVoters", "NO_OP_RECORD")
    ]


@pytest.mark.parametrize(("ending", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_compressed_files_are_read(folder: Path, tmp_path: Path, ending: str, pack: Any) -> None:
    packed = tmp_path / f"metadata.log{ending}"
    packed.write_bytes(pack((folder / SEGMENT).read_bytes()))
    assert epochal.conform(packed, kafka="4.3.1").exit_code == ExitCode.HOLDS


def test_a_batch_that_was_not_written_whole_is_no_record(folder: Path) -> None:
    """As a crash leaves it."""
    path = folder / SEGMENT
    path.write_bytes(path.read_bytes()[:-7])
    result = epochal.conform(path, kafka="4.3.1")
    assert result.exit_code == ExitCode.HOLDS


def test_a_damaged_batch_is_named_by_its_place(folder: Path) -> None:
    path = folder / SEGMENT
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(EvidenceError, match=r"00000000000000000000\.log: after offset \d+: a batch does not agree"):
        epochal.conform(path, kafka="4.3.1")


def test_a_dump_that_is_cut_off_is_named_by_its_line(folder: Path) -> None:
    path = folder / DUMP
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[-1][:-9]]))
    with pytest.raises(EvidenceError, match=rf"metadata\.txt:{len(lines)}: the record is cut off"):
        epochal.conform(path, kafka="4.3.1")


def test_copies_that_disagree(folder: Path) -> None:
    path = folder / DUMP
    path.write_text(path.read_text().replace('"isr":[2,3],"leader":2', '"isr":[2,3],"leader":3'))
    with pytest.raises(EvidenceError, match="has another record at offset"):
        epochal.conform(folder)


def test_a_hole_in_the_log(folder: Path) -> None:
    path = folder / DUMP
    path.write_text("\n".join(line for line in path.read_text().splitlines() if "| offset: 30 " not in line))
    with pytest.raises(EvidenceError, match="offsets 30 to 30 are missing"):
        epochal.conform(path, kafka="4.3.1")


def test_logs_of_a_version_that_is_not_known(folder: Path) -> None:
    """As of a vendor who counts for himself."""
    for path in folder.glob("node-*/logs/server.log"):
        path.write_text(path.read_text().replace("Kafka version: 4.3.1", "Kafka version: 7.9.0-ccs"))
    with pytest.raises(epochal.EpochalError, match=r"^the logs are of Kafka 7\.9\.0, which is not known") as refused:
        epochal.conform(folder)
    assert refused.value.exit_code == ExitCode.USAGE


def test_the_first_release_of_a_version(folder: Path) -> None:
    """It is called 4.3.0 in its logs, and 4.3 elsewhere."""
    for path in folder.glob("node-*/logs/server.log"):
        path.write_text(path.read_text().replace("Kafka version: 4.3.1", "Kafka version: 4.3.0"))
    assert epochal.conform(folder).exit_code == ExitCode.HOLDS


def test_a_version_that_is_not_known(folder: Path) -> None:
    with pytest.raises(epochal.EpochalError, match="The newest version that is known here is"):
        epochal.conform(folder, kafka="7.0")


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, bytes(range(256)) * 40, b"hello\n"])
def test_what_kafka_did_not_write(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "some").write_bytes(content)
    with pytest.raises(EvidenceError, match="nothing here is a file that Kafka writes"):
        epochal.conform(tmp_path)


def test_a_damaged_archive(tmp_path: Path) -> None:
    (tmp_path / "x.tar.xz").write_bytes((FOLDER / f"{NAME}.tar.xz").read_bytes()[:5000])
    with pytest.raises(EvidenceError, match=r"x\.tar\.xz is damaged"):
        epochal.conform(tmp_path / "x.tar.xz")
    with pytest.raises(EvidenceError, match="there is no file or folder"):
        epochal.conform(tmp_path / "nowhere")
    with pytest.raises(epochal.EpochalError, match="conform takes what Kafka left behind"):
        epochal.conform()


def test_without_a_metadata_log_nothing_is_judged(folder: Path) -> None:
    result = epochal.conform(folder / "node-1" / "logs")
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert "Without a metadata log nothing says what the controller has decided." in str(result)


def test_a_log_that_begins_later_says_what_is_unknown() -> None:
    """Neither the partition nor the brokers are known: no change is judged, and none is refused."""
    first = changes_of(NAME)[0].offset
    verdict = judged(NAME, tuple(record for record in records_of(NAME) if record.offset >= first))
    assert verdict.judged == 0 and verdict.refused == []
    assert verdict.left_out == {"the partition is from before the log begins": len(changes_of(NAME))}


def test_brokers_from_before_the_log_begins() -> None:
    """The partition is created in the log, its brokers registered before: who is fenced is not known."""
    created = next(record.offset for record in records_of(NAME) if record.kind == "TOPIC_RECORD")
    verdict = judged(NAME, tuple(record for record in records_of(NAME) if record.offset >= created))
    assert verdict.refused == []
    assert verdict.left_out["whether a broker is fenced is from before the log begins"] > 0


REGISTERED = '{"type":"REGISTER_BROKER_RECORD","version":0,"data":{"brokerId":1,"brokerEpoch":0,"fenced":false}}'
TOPIC = '{"type":"TOPIC_RECORD","version":0,"data":{"name":"t","topicId":"T"}}'
CONFIG = (
    '{"type":"CONFIG_RECORD","version":0,"data":'
    '{"resourceType":2,"resourceName":"t","name":"min.insync.replicas","value":"two"}}'
)
CREATED = (
    '{"type":"PARTITION_RECORD","version":0,"data":{"partitionId":0,"topicId":"T","replicas":[1],"isr":[1],'
    '"leader":1,"leaderEpoch":0,"partitionEpoch":0}}'
)
CHANGED = '{"type":"PARTITION_CHANGE_RECORD","version":0,"data":{"partitionId":0,"topicId":"T","leader":1}}'


@pytest.mark.parametrize(
    ("payloads", "says"),
    [
        (('{"type":"PARTITION_CHANGE_RECORD","version":0,"data":{}}',), ":1: PARTITION_CHANGE_RECORD has no topicId"),
        (
            ('{"type":"REGISTER_BROKER_RECORD","version":0,"data":{"brokerId":"x"}}',),
            "has no brokerId that can be read",
        ),
        ((REGISTERED, TOPIC, CONFIG, CREATED, CHANGED), "t-0: min.insync.replicas is 'two', which is no number"),
    ],
)
def test_fields_that_are_missing_or_make_no_sense(tmp_path: Path, payloads: tuple[str, ...], says: str) -> None:
    """What no controller writes is one clear error, and no defect of the tool."""
    path = tmp_path / "dump.txt"
    path.write_text("".join(f"| offset: {n} CreateTime: 0 payload: {one}\n" for n, one in enumerate(payloads)))
    with pytest.raises(EvidenceError, match=says):
        epochal.conform(path, kafka="4.3")
