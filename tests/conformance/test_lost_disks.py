"""Log directories that fail, come back, are missing or new, and replicas that have lost their log, are told."""

from __future__ import annotations

from pathlib import Path

from epochal.kafka.evidence.disks import LogDirectory
from epochal.kafka.validation.collected import collected
from epochal.kafka.validation.detectors import known_of, lost_disks, lost_folders
from tests.conformance.broker_logs import line_of, logs_of
from tests.conformance.evidence import of_archive
from tests.conformance.made_up import MadeUp, disk


def told(made: MadeUp) -> list[str]:
    where = LogDirectory("node-1/data", 1, disk(1, 1), False)
    return [f"{one.partition} {one.says}" for one in lost_disks(made.log(), [where])]


def test_a_directory_fails_and_comes_back() -> None:
    made = MadeUp()
    made.loses(1, 2)
    made.registers(1)
    assert told(made) == [
        "broker 1 lost the log directory directory-1-1 (node-1/data): its replicas of t-0 are not there",
        "broker 1 has the log directory directory-1-1 (node-1/data) again",
    ]


def test_a_directory_is_replaced_by_a_new_one() -> None:
    made = MadeUp()
    made.registers(2, 2, 3)
    assert told(made) == [
        "broker 2 registers without the log directory directory-2-1 that it had: its replicas of t-0 are not there",
        "broker 2 registers with a new log directory directory-2-3, which has no records yet",
    ]


def test_the_same_directories_are_no_news() -> None:
    made = MadeUp()
    made.registers(1)
    made.registration_changes(1, cordonedLogDirs=[disk(1, 1)])
    assert told(made) == []


def test_a_replica_whose_folder_is_lost_is_told(tmp_path: Path) -> None:
    """Broker 1, which led with a high watermark of 2, was killed and starts: its log has three records, or none."""
    name, file = "leader-change-4.3.1", "node-1/logs/state-change.log"
    line = line_of(name, file, "Follower t-0", "from offset 3")

    log = of_archive(name).metadata
    assert log is not None
    known = known_of(of_archive(name), log, "4.3.1")
    led = logs_of(name)[file].replace(
        b"offset 0 with partition epoch 0, high watermark 0", b"offset 2 with partition epoch 0, high watermark 2"
    )
    for content, expected in ((led, []), (led.replace(b"from offset 3", b"from offset 0"), [line])):
        (tmp_path / "state-change.log").write_bytes(content)
        told = list(lost_folders(collected([tmp_path]).logs, known))
        assert [one.place.line for one in told] == expected
    assert told[0].partition == "t-0"
    assert told[0].says.startswith("broker 1 starts with an empty log, and had a high watermark of 2 before")
