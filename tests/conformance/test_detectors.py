"""What the detectors say of recordings in which something was lost, and not of the same evidence when it is edited."""

from __future__ import annotations

import tarfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import epochal
from epochal.api.conform import Conformance
from epochal.kafka.evidence.broker_log import BrokerLog, RoleKept
from epochal.kafka.evidence.metadata_log import MetadataLog
from epochal.kafka.validation.detectors import CRASH, DIVERGED, ONE_COPY, judge_clients, known_of
from epochal.kafka.validation.noticed import H1, H14, N1, N2, S15, S20, S27, Noticed, Weight
from tests.conformance.evidence import ARCHIVES, FOLDER, of_archive

pytestmark = pytest.mark.usefixtures("without_runs")

LOST_N1 = "reproduced-n1-4.3.1-tier-1"
STATE = "node-1/logs/state-change.log"


@cache
def result_of(name: str) -> Conformance:
    return epochal.conform(FOLDER / f"{name}.tar.xz")


def about(result: Conformance, ticket: str) -> list[Noticed]:
    return [one for one in result.judged.noticed if one.about == ticket]


def lost(result: Conformance) -> list[str]:
    assert result.judged.clients is not None
    return [one.says for one in result.judged.clients.lost]


def edited(name: str, folder: Path, file: str, edit: Callable[[str], str]) -> Conformance:
    """An archive, unpacked, with one of its text files edited."""
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    path = folder / file
    before = path.read_text()
    path.write_text(edit(before))
    assert path.read_text() != before
    return epochal.conform(folder)


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name.startswith("reproduced-n1")])
def test_n1_is_told_with_its_precondition_and_the_record(name: str) -> None:
    result = result_of(name)
    record, precondition = about(result, N1)
    assert precondition.says == (
        "broker 1 leads epoch 2 and believes to have led since epoch 0; broker 2 led between: it counts followers "
        "where they were before that"
    )
    assert precondition.place.file == STATE
    assert record.says == "'r2' at offset 1 was acknowledged (acks=all); the log of broker 3, which leads, ends at 1"
    assert str(record.place) == "history.jsonl:4"
    assert result.headline.endswith("1 record that clients were told of is lost")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "Previous leader Some(1) and previous leader epoch was 0",
            "Previous leader Some(2) and previous leader epoch was 1",
        ),
        (
            "Previous leader Some(1) and previous leader epoch was 0",
            "Previous leader None and previous leader epoch was -1",
        ),
    ],
)
def test_a_leader_that_heard_of_every_term(tmp_path: Path, before: str, after: str) -> None:
    """The record is lost as before: what remains is the truncation, which does not say by which of two defects."""
    result = edited(LOST_N1, tmp_path, STATE, lambda text: text.replace(before, after))
    assert about(result, N1) == []
    assert result.judged.noticed[0].about == f"{N1} or {S15} or {H1}"


def test_nobody_else_led_between(tmp_path: Path) -> None:
    """A term without a leader, in which nobody truncates."""

    def edit(text: str) -> str:
        change = next(line for line in text.splitlines() if "PARTITION_CHANGE" in line and '"leader":2}' in line)
        return text.replace(change, change.replace('"leader":2}', '"leader":-1}'))

    with tarfile.open(FOLDER / f"{LOST_N1}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    for segment in tmp_path.glob("node-*/metadata/__cluster_metadata-0/*.log"):
        segment.unlink()
    path = tmp_path / "dumps/node-101-metadata.txt"
    path.write_text(edit(path.read_text()))
    assert about(epochal.conform(tmp_path), N1) == []


IGNORED = "since we have already updated state to CommittedPartitionState[isr=[3, 1]"


def test_a_proposal_that_is_forgotten(tmp_path: Path) -> None:
    """In the recording metadata were faster than the answer: the ISR has the new member. Without it that is S15."""
    result = edited(
        LOST_N1, tmp_path, "node-3/logs/server.log", lambda text: text.replace(IGNORED, IGNORED.replace("3, 1", "3"))
    )
    (one,) = about(result, S15)
    assert one.says == (
        "broker 3 has proposed at partition epoch 4 to add 1 to the ISR, and forgot it before the controller's answer "
        "came: it goes on with ISR 3"
    )
    assert one.place.line is not None
    assert IGNORED.replace("3, 1", "3") in (tmp_path / one.place.file).read_text().splitlines()[one.place.line - 1]


@pytest.mark.parametrize("after", ["", "3, 2"])
def test_a_proposal_that_another_term_ended(tmp_path: Path, after: str) -> None:
    """Who follows has no ISR, and another ISR than the one before came from the controller."""
    result = edited(
        LOST_N1, tmp_path, "node-3/logs/server.log", lambda text: text.replace(IGNORED, IGNORED.replace("3, 1", after))
    )
    assert about(result, S15) == []


def test_the_last_member_comes_back_without_the_end_of_its_log() -> None:
    record, short = about(result_of("reproduced-s20-3.9.2"), S20)
    assert short.says.startswith("the ISR 1 is smaller than min.insync.replicas=2: acks=all is refused; acknowledged")
    assert "ends at 1" in record.says
    assert about(result_of("reproduced-s20-4.3.1"), S20) == []  # another was elected, and nothing is lost


@pytest.mark.parametrize("name", [name for name in ARCHIVES if name.startswith("reproduced-h1-")])
def test_a_leader_that_does_not_know_what_the_controller_counts_as_needed(name: str) -> None:
    record, *cut, unknown = about(result_of(name), H1)
    assert all(one.weight is Weight.GONE for one in cut)  # Kafka warns of it since 4.2
    assert unknown.says == (
        "broker 1 leads with the ISR 1 and does not know of min.insync.replicas=2: what it commits, the eligible "
        "leader replicas 2,3 may lack"
    )
    assert unknown.place.file == "node-1/logs/server.log"
    assert record.says == "'r2' at offset 1 was acknowledged (acks=all); the log of broker 2, which leads, ends at 1"


def test_a_leader_that_knows_that_its_isr_is_too_small(tmp_path: Path) -> None:
    result = edited(
        "reproduced-h1-4.3.1",
        tmp_path,
        "node-1/logs/server.log",
        lambda text: text.replace("ISR updated to 1  and", "ISR updated to 1 (under-min-isr) and"),
    )
    assert about(result, H1) == []


def test_a_segment_that_is_to_be_deleted_is_no_part_of_the_log() -> None:
    """Kafka renames it, and removes it a minute later."""
    name = "reproduced-t1-4.3.1"
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        assert any(one.endswith("node-1/data/t-0/00000000000000000000.log.deleted") for one in archive.getnames())
    verdict = result_of(name).judged.clients
    assert verdict is not None and (verdict.kept, verdict.lost) == (0, [])
    assert verdict.left_out == {"the leader's log begins later: records are deleted after a time": 8}


@pytest.mark.parametrize(
    ("name", "ticket"),
    [
        ("reproduced-h3-4.1.2", f"H3 and {N2}"),
        ("reproduced-h14-4.0.2", H14),
        ("reproduced-h14b-4.4.0", H14),
        ("reproduced-n2-4.0.2", N2),
        ("reproduced-n2-4.3.1", N2),
        ("reproduced-s24-3.9.2", CRASH),
        ("reproduced-s25-4.3.1", ONE_COPY),
        ("reproduced-s27-3.9.2", S27),
    ],
)
def test_what_may_explain_a_loss(name: str, ticket: str) -> None:
    assert result_of(name).judged.noticed[0].about == ticket


def test_a_record_that_nobody_was_told_of(tmp_path: Path) -> None:
    """Unanswered: it may be in the log or not."""
    answer = '"what": "acknowledged", "client": "producer-in-background-2"'
    result = edited(
        LOST_N1,
        tmp_path,
        "history.jsonl",
        lambda text: text.replace(answer, answer.replace("acknowledged", "unknown").replace("}", "")),
    )
    assert lost(result) == []


def test_an_answer_without_an_offset(tmp_path: Path) -> None:
    """A duplicate: the broker has the record, and does not say where. With acks=0 nobody waited for an answer."""

    def edit(text: str) -> str:
        answer = next(line for line in text.splitlines() if '"acknowledged"' in line and '"r2"' in line)
        return text.replace(answer, answer.replace('"offset": 1', '"offset": null'))

    result = edited(LOST_N1, tmp_path, "history.jsonl", edit)
    assert result.judged.clients is not None and lost(result) == []
    assert result.judged.clients.left_out == {"its client was not told at which offset it is": 1}


def test_what_is_lost_is_in_the_headline_of_what_is_refused(tmp_path: Path) -> None:
    result = edited(LOST_N1, tmp_path, STATE, lambda text: text.replace("ISR [1,2,3]", "ISR [1,2]", 1))
    assert ": refused: " in result.headline
    assert result.headline.endswith("; 1 record that clients were told of is lost")


def test_another_record_at_its_offset() -> None:
    (one,) = lost(result_of("reproduced-s25-4.3.1"))
    assert one.endswith(
        "was acknowledged (acks=1); the log of broker 2, which leads, has 'r3' there, of leader epoch 1"
    )


def test_what_cannot_be_said_of_a_record(tmp_path: Path) -> None:
    """Without the leader's segments; and where the leader's log begins later than the record."""
    with tarfile.open(FOLDER / f"{LOST_N1}.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    for dump in tmp_path.glob("dumps/*-data.txt"):
        dump.unlink()
    segment = tmp_path / "node-3/data/t-0/00000000000000000000.log"
    content = segment.read_bytes()
    segment.unlink()
    result = epochal.conform(tmp_path)
    assert result.judged.clients is not None
    assert result.judged.clients.left_out == {"no whole segments of the leader are here": 2} and lost(result) == []
    segment.with_name("00000000000000000001.log").write_bytes(b"")
    clients = epochal.conform(tmp_path).judged.clients
    assert clients is not None
    assert clients.left_out == {"the leader's log begins later: records are deleted after a time": 1}
    assert len(clients.lost) == 1
    segment.write_bytes(content)
    assert lost(epochal.conform(tmp_path)) == lost(result_of(LOST_N1))


def test_a_copy_that_lacks_segments(tmp_path: Path) -> None:
    """The checkpoint has a high watermark beyond them: what is behind their end may be in the others."""
    result = edited(
        LOST_N1, tmp_path, "node-3/data/replication-offset-checkpoint", lambda text: text.replace("t 0 1", "t 0 2")
    )
    assert result.judged.clients is not None and lost(result) == []
    assert result.judged.clients.left_out == {
        "the leader's high watermark is beyond its segments here: some are missing": 2
    }


def with_epoch(name: str, folder: Path, broker: int, offset: int, epoch: int) -> Conformance:
    """An archive in which the log of a broker has another leader epoch at an offset: no checksum covers that."""
    with tarfile.open(FOLDER / f"{name}.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    path = folder / f"node-{broker}/data/t-0/00000000000000000000.log"
    content = bytearray(path.read_bytes())
    position = 0
    while int.from_bytes(content[position : position + 8], "big") < offset:
        position += 12 + int.from_bytes(content[position + 8 : position + 12], "big")
    content[position + 12 : position + 16] = epoch.to_bytes(4, "big")
    path.write_bytes(content)
    return epochal.conform(folder)


def test_replicas_that_differ_below_the_high_watermark(tmp_path: Path) -> None:
    result = with_epoch("leader-change-4.3.1", tmp_path, 3, 2, 1)
    assert [one.says for one in about(result, DIVERGED)] == [
        f"brokers {one} and {other} have different records at offset 2, of leader epochs {epochs}, and their high "
        "watermarks are beyond it"
        for one, other, epochs in ((1, 3, "0 and 1"), (2, 3, "0 and 1"))
    ]


def test_replicas_that_differ_above_the_high_watermark(tmp_path: Path) -> None:
    """That is cut off at the next fetch."""
    assert about(with_epoch("leader-change-4.3.1", tmp_path, 3, 7, 5), DIVERGED) != []
    checkpoint = tmp_path / "node-3/data/replication-offset-checkpoint"
    checkpoint.write_text(checkpoint.read_text().replace("t 0 8", "t 0 7"))
    assert about(epochal.conform(tmp_path), DIVERGED) == []


@pytest.mark.parametrize("name", ["leader-change-4.3.1", "unclean-election-3.9.2", "reproduced-n1-4.1.2"])
def test_a_cluster_that_was_stopped_in_good_order_is_held_against_the_last_leader(name: str) -> None:
    """Nobody leads any more, and what was acknowledged is in the log of who led last."""
    evidence = of_archive(name)
    assert evidence.metadata is not None
    records = evidence.metadata.records
    before = known_of(evidence, evidence.metadata, evidence.versions[0])
    (now,) = (life.at[life.last] for life in before.history["t", 0])
    ids = {record.data["topicId"] for record in records if record.kind == "TOPIC_RECORD" and record.data["name"] == "t"}
    stopped = {"topicId": ids.pop(), "partitionId": 0, "leader": -1, "isr": [now.leader]}
    more = replace(records[-1], offset=records[-1].offset + 1, kind="PARTITION_CHANGE_RECORD", data=stopped)
    after = known_of(evidence, MetadataLog((*records, more)), evidence.versions[0])
    led, lead = (judge_clients(evidence.histories, evidence.replicas, known, {}) for known in (after, before))
    assert (led.kept, led.left_out) == (lead.kept, {}) and led.kept > 0
    assert [one.says.replace("led last", "leads") for one in led.lost] == [one.says for one in lead.lost]


def test_what_one_who_may_lead_has_is_not_called_lost() -> None:
    """Nobody leads, and who led last has no such record: another member of the ISR has it, and may be elected."""
    evidence = of_archive("leader-change-4.3.1")
    assert evidence.metadata is not None
    known = known_of(evidence, evidence.metadata, evidence.versions[0])
    (life,) = known.history["t", 0]
    now = life.at[life.last]
    life.at[life.last] = replace(now, leader=None)
    others = [
        replace(one, values={**one.values, 3: b"another"})
        if (one.topic, one.broker) == ("t", life.last_leader)
        else one
        for one in evidence.replicas
    ]
    judged = judge_clients(evidence.histories, others, known, {})
    assert judged.lost == [] and sum(judged.left_out.values()) > 0
    assert life.last_leader is not None
    life.at[life.last] = replace(now, leader=None, isr=frozenset({life.last_leader}), elr=frozenset())
    assert judge_clients(evidence.histories, others, known, {}).lost != []


@pytest.mark.parametrize("name", ["leader-change-4.3.1", "leader-change-4.1.2", "isr-shrink-4.4.0"])
def test_a_copy_with_less_than_the_high_watermark_that_its_leader_has_said_is_older(name: str) -> None:
    """Also where every disk was copied then, and nothing else is here that tells it."""
    evidence = of_archive(name)
    assert evidence.metadata is not None
    known = known_of(evidence, evidence.metadata, evidence.versions[0])
    (life,) = known.history["t", 0]
    now = life.at[life.last]
    said = max(
        one.event.high_watermark or 0
        for log in evidence.logs
        for one in log.events
        if isinstance(one.event, RoleKept)
        and (one.event.topic, one.broker, one.event.leader_epoch) == ("t", now.leader, now.leader_epoch)
    )

    def lost(end: int, logs: tuple[BrokerLog, ...]) -> list[Noticed]:
        cut = [replace(one, end=end, high_watermark=None, stretches=()) for one in evidence.replicas]
        return judge_clients(evidence.histories, cut, known, {}, logs).lost

    assert said > 0 and lost(said - 1, evidence.logs) == []
    assert lost(said - 1, ()) != []
