"""Logs as they are found: other layouts, rotated, compressed, cut, with garbage; and topics that are made anew."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from epochal.kafka.evidence.broker_log import UNKNOWN_BROKER, CopyTruncated, LogRead, RoleKept, RoleTaken, events_of
from tests.conformance.broker_logs import changed, judged_brokers, judged_files, line_of, logs_of

NAME = "preferred-election-4.3.1"
STATE, SERVER = "node-2/logs/state-change.log", "node-1/logs/server.log"
GARBAGE = bytes(range(256)) * 3


def test_a_line_that_is_cut_in_the_middle(tmp_path: Path) -> None:
    """It is counted, with its place, and those around it are judged."""
    number = line_of(NAME, STATE, "Leader t-0")
    files = changed(NAME, STATE, number, lambda line: [line[: len(line) // 2] + b"\n"])
    verdict = judged_files(NAME, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{STATE}:{number}"]
    assert verdict.refused == [] and verdict.accepted == judged_brokers(NAME).accepted - 1


def test_a_log_that_ends_in_the_middle_of_a_number(tmp_path: Path) -> None:
    """ "version updated to 1" may have been 12: a last line without its end is not believed."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "version updated to 2")
    lines = logs_of(name)[file].splitlines(keepends=True)[:number]
    lines[-1] = lines[-1].split(b" (kafka")[0].replace(b"to 2", b"to 1")
    verdict = judged_files(name, {**logs_of(name), file: b"".join(lines)}, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{file}:{number}"] and verdict.refused == []


def test_garbage_between_lines(tmp_path: Path) -> None:
    """Zeros and other bytes are no lines of use, wherever they stand; the numbers of lines stay those of an editor."""
    files = {
        name: b"".join(GARBAGE + b"\n" + line for line in content.splitlines(keepends=True))
        for name, content in logs_of(NAME).items()
    }
    verdict = judged_files(NAME, files, tmp_path / "between")
    assert verdict.refused == [] and verdict.cut == () and verdict.accepted == judged_brokers(NAME).accepted
    number = line_of(NAME, STATE, "Leader t-0")
    content = files[STATE].replace(b"ISR [2,3]", b"ISR [2]")
    refused = judged_files(NAME, {**files, STATE: content}, tmp_path / "refused").refused
    garbage = GARBAGE.count(b"\n") + 1
    assert [str(one.place) for one in refused] == [f"{STATE}:{number * (garbage + 1)}"]


def test_a_field_that_is_not_there(tmp_path: Path) -> None:
    number = line_of(NAME, STATE, "Skipped the become-leader")
    files = changed(NAME, STATE, number, lambda line: [line.replace(b"isr=[", b"\xff=[")])
    verdict = judged_files(NAME, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{STATE}:{number}"] and verdict.refused == []


def test_other_layouts(tmp_path: Path) -> None:
    """Only the message is read: levels, loggers and threads may stand around it, and days may be written otherwise."""
    stamp = re.compile(rb"^\[(\S+) (\S+?),(\d+)\] (\w+) (.*?)( \([\w.$]+\))?$", re.MULTILINE)
    layouts = {
        "plain": rb"\1 \2,\3 \4 \5",
        "threads": rb"\1T\2.\3Z \4 [kafka-thread-1] some.logger - \5",
        "crlf": rb"[\1 \2,\3] \4 \5\6\r",
    }
    for name, layout in layouts.items():
        files = {file: stamp.sub(layout, content) for file, content in logs_of(NAME).items()}
        verdict = judged_files(NAME, files, tmp_path / name)
        assert verdict.refused == [] and verdict.cut == ()
        assert verdict.judged == judged_brokers(NAME).judged, name


def test_rotated_and_compressed_files_are_one_log(tmp_path: Path) -> None:
    """In the order in which they begin, whatever they are called: the other way round a broker would go back."""
    lines = logs_of(NAME)[STATE].splitlines(keepends=True)
    half = line_of(NAME, STATE, "Leader t-0")
    files = dict(logs_of(NAME))
    for ending in (".2026-11-23-00", ".1", ".2026-11-23-00.gz"):
        first = b"".join(lines[:half])
        files[STATE] = b"".join(lines[half:])
        put = {**files, STATE + ending: gzip.compress(first) if ending.endswith(".gz") else first}
        verdict = judged_files(NAME, put, tmp_path / ending)
        assert verdict.refused == [] and verdict.judged == judged_brokers(NAME).judged
    stamped = {
        **files,
        STATE: b"".join(lines[:half]).replace(b"2026-11-23", b"2026-11-24"),
        f"{STATE}.1": b"".join(lines[half:]),
    }
    refused = judged_files(NAME, stamped, tmp_path / "swapped").refused
    assert refused[0].place.file.startswith(STATE)


def test_several_brokers_in_one_file(tmp_path: Path) -> None:
    """Lines that name their broker are judged; of the others nobody knows who wrote them."""
    merged = b"".join(logs_of(NAME)[f"node-{number}/logs/server.log"] for number in (1, 2, 3))
    kept = {name: content for name, content in logs_of(NAME).items() if not name.endswith("server.log")}
    verdict = judged_files(NAME, {**kept, "all.log": merged}, tmp_path)
    assert verdict.refused == [] and verdict.brokers == {1, 2, 3}
    assert verdict.left_out == {"which broker wrote the line is not known": 5}
    events, _ = events_of([line + "\n" for line in merged.decode().splitlines()], "all.log")
    assert [one.event.end for one in events if one.broker == UNKNOWN_BROKER and isinstance(one.event, LogRead)] == [
        *(0, 2, 0, 0, 0)
    ]


def test_without_some_logs_the_others_are_judged(tmp_path: Path) -> None:
    files = {name: content for name, content in logs_of(NAME).items() if name.startswith("node-3")}
    verdict = judged_files(NAME, files, tmp_path)
    assert verdict.refused == [] and verdict.brokers == {3} and verdict.accepted > 0


def test_another_topic_of_the_same_name(tmp_path: Path) -> None:
    """A topic id that the metadata log does not have: lines of it are not judged, not even those without the id."""
    content = re.sub(rb"topic id (Some\()?[\w-]+", rb"topic id \1AAAAAAAAAAAAAAAAAAAAAA", logs_of(NAME)[STATE])
    verdict = judged_files(NAME, {STATE: content}, tmp_path)
    assert verdict.refused == [] and verdict.accepted == 0
    assert verdict.left_out == {"the metadata log here has no topic of that id": 7}


def test_both_forms_of_a_change_within_a_leader_epoch() -> None:
    """Kafka 3.9 prints the request of a ZooKeeper controller, 4.3 the registration."""
    for name in ("preferred-election-3.9.2", NAME):
        lines = logs_of(name)[STATE].decode().splitlines(keepends=True)
        kept = [one.event for one in events_of(lines, STATE)[0] if isinstance(one.event, RoleKept)]
        assert [(one.leader, one.leader_epoch, one.partition_epoch, one.high_watermark) for one in kept] == [
            (2, 1, 2, 4)
        ]
        assert kept[0].isr == kept[0].replicas == {1, 2, 3} and kept[0].adding == frozenset()
        assert kept[0].elr == (None if "3.9" in name else frozenset())


def test_no_leader_is_read() -> None:
    name, file = "unclean-election-4.3.1", "node-2/logs/state-change.log"
    lines = logs_of(name)[file].decode().splitlines(keepends=True)
    events = (one.event for one in events_of(lines, file)[0])
    roles = [event for event in events if isinstance(event, RoleTaken) and event.topic == "t"]
    assert [(one.leader, one.previous, one.previous_epoch) for one in roles] == [
        (1, None, -1),
        (-1, None, -1),
        (2, -1, 1),
    ]


def test_followers_that_a_leader_knows_nothing_of(tmp_path: Path) -> None:
    """Kafka prints "unknown" for a replica that it has no state of; several stand one after the other."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "Shrinking ISR")
    unknown = b"(brokerId: 2, endOffset: unknown, lastCaughtUpTimeMs: unknown) (brokerId: 3,"
    for after, refused in ((b"to 1.", False), (b"to 1,2.", True)):

        def edit(line: bytes, to: bytes = after) -> list[bytes]:
            return [line.replace(b"to 1,2.", to).replace(b"(brokerId: 3,", unknown)]

        verdict = judged_files(name, changed(name, file, number, edit), tmp_path / str(refused))
        assert [one.place.line for one in verdict.refused] == ([number] if refused else [])


def test_an_isr_below_its_least_size(tmp_path: Path) -> None:
    """The answer then says so between the ISR and its version."""
    name, file = "isr-shrink-4.3.1", "node-1/logs/server.log"
    number = line_of(name, file, "version updated to 2")
    files = changed(name, file, number, lambda line: [line.replace(b"1,2,3  and", b"1,2,3 (under-min-isr) and")])
    verdict = judged_files(name, files, tmp_path)
    assert verdict.cut == () and verdict.refused == [] and verdict.judged == judged_brokers(name).judged


def test_replicas_between_directories_are_no_followers() -> None:
    """A replica that moves to another log directory has a second log, which ends elsewhere and is truncated, too."""
    line = "[2026-11-23 00:00:00,000] INFO {} Truncating partition t-0 with TruncationState(offset=3, completed=true)\n"
    for whose in ("[ReplicaAlterLogDirsThread-0]", "[ReplicaAlterLogDirsThread-0]:"):
        (one,), cut = events_of([line.format(whose)], "server.log")
        assert isinstance(one.event, CopyTruncated) and cut == []
    moving = (
        "[2026-11-23 00:00:00,000] INFO Completed load of Log(dir=/data/t-0.0a1b-future, topicId=A, topic=t, "
        "partition=0, highWatermark=0) with 1 segments, local-log-start-offset 0 and log-end-offset 1 in 9ms\n",
        "[2026-11-23 00:00:00,000] INFO Created log for partition t-0 in /data/t-0.0a1b-future with properties {}\n",
    )
    assert events_of(moving, "server.log") == ([], [])
    assert len(events_of([line.replace(".0a1b-future", "") for line in moving], "server.log")[0]) == 2
    fetcher = "[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]"
    assert len(events_of([line.format(fetcher)], "server.log")[1]) == 1  # that one does not say why
