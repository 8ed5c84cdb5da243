"""Real brokers are accepted in every archive; a line that is edited is refused where it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence.files import evidence_files
from epochal.kafka.evidence.metadata_log import MetadataLog
from tests.conformance.evidence import (
    FOLDER,
    Edit,
    changed,
    changes_of,
    judged_brokers,
    judged_files,
    line_of,
    logs_of,
    put,
    records_of,
)

STATE, SERVER = "node-{}/logs/state-change.log", "node-{}/logs/server.log"


ELECTED = "preferred-election-4.3.1"
SHRUNK = "isr-shrink-4.3.1"
UNCLEAN = "unclean-election-4.3.1"
Line = tuple[str, str, tuple[str, ...]]
LEADER: Line = (ELECTED, STATE.format(2), ("Leader t-0",))
FOLLOWER: Line = (ELECTED, STATE.format(3), ("Follower t-0", "leader epoch 1"))
KEPT: Line = (ELECTED, STATE.format(2), ("Skipped the become-leader",))
ANSWER: Line = (SHRUNK, SERVER.format(1), ("ISR updated to 1,2,3",))
SHRINK: Line = (SHRUNK, SERVER.format(1), ("Shrinking ISR",))
FETCHER: Line = (ELECTED, SERVER.format(3), ("Added fetcher to broker 2", "t-0"))
CUT_BACK: Line = (UNCLEAN, SERVER.format(1), ("Truncating partition", "EpochEndOffset"))
LOG_CUT: Line = (UNCLEAN, SERVER.format(1), ("Truncating to offset 2",))
NOT_CUT: Line = (UNCLEAN, SERVER.format(2), ("Truncating to 0 has no effect",))
NEW_LOG: Line = (ELECTED, SERVER.format(3), ("initial high watermark 0", "t-0"))

EDITS: dict[str, tuple[Line, Edit, str]] = {
    "a leader epoch one too high": (LEADER, put("at leader epoch 1", "at leader epoch 2"), "leader 2 e1"),
    "a member of the ISR too many": (LEADER, put("ISR [2,3]", "ISR [1,2,3]"), "ISR 2,3"),
    "a high watermark above the log's end": (LEADER, put("high watermark 1", "high watermark 3"), "at most 2"),
    "a replica to add without a reassignment": (LEADER, put("adding replicas []", "adding replicas [4]"), "empty"),
    "another previous leader": (LEADER, put("Previous leader Some(1)", "Previous leader Some(3)"), "previous leader 1"),
    "an epoch before that is not before": (LEADER, put("epoch was 0", "epoch was 1"), "a leader epoch before 1"),
    "a leader that the metadata does not name": (LEADER, put("[Broker id=2]", "[Broker id=3]"), "leader 2 e1"),
    "a follower of another leader": (FOLLOWER, put("leader is 2", "leader is 1"), "leader 2 e1"),
    "a follower of nobody": (FOLLOWER, put("leader is 2", "leader is -1"), "leader 2 e1"),
    "a follower's high watermark above its log's end": (FOLLOWER, put("watermark 1", "watermark 7"), "at most 2"),
    "a follower that the metadata names leader": (FOLLOWER, put("[Broker id=3]", "[Broker id=2]"), "leader 2 e1"),
    "another ISR within a leader epoch": (KEPT, put("isr=[1, 2, 3]", "isr=[2, 3]"), "ISR 1,2,3"),
    "an eligible leader replica too many": (KEPT, put("elr=[]", "elr=[1]"), "ELR empty"),
    "a role in another leader epoch": (KEPT, put("with leader epoch 1", "with leader epoch 0"), "epoch 1"),
    "an ISR that the leader was not told": (KEPT, put("ISR [1,2,3]", "ISR [1,2]"), "that it was told"),
    "a high watermark in a new log": (NEW_LOG, put("watermark 0", "watermark 1"), "at most 0"),
    "a leader's high watermark that goes back": (KEPT, put("high watermark 4", "high watermark 0"), "at least 1"),
    "an ISR that the controller never wrote": (ANSWER, put("1,2,3", "1,3"), "ISR 1,2,3"),
    "an answer of another partition epoch": (ANSWER, put("updated to 2", "updated to 1"), "ISR 1,2"),
    "an answer to a broker that does not lead": (ANSWER, put("broker=1", "broker=2"), "leader 1"),
    "a leader that drops itself": (SHRINK, put("(brokerId: 3", "(brokerId: 1"), "without those out of sync"),
    "an ISR that was none": (SHRINK, put("from 1,2,3 to 1,2.", "from 1,3,4 to 1,4."), "an ISR that the metadata"),
    "one is dropped who has all": (SHRINK, put(": 3, endOffset: 2", ": 3, endOffset: 3"), "nobody dropped"),
    "a fetch from another broker": (FETCHER, put("to broker 2", "to broker 1"), "leader 2 e1"),
    "a log that is cut elsewhere": (LOG_CUT, put("to offset 2", "to offset 3"), "2, as its fetcher says"),
    "a log with nothing to cut there": (NOT_CUT, put("log is -1", "log is 4"), "at most -1 in it"),
    "a truncation beyond the leader's end": (CUT_BACK, put("State(offset=2", "State(offset=3"), "at most 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", EDITS)
def test_an_edited_line_is_refused_where_it_stands(what: str, tmp_path: Path) -> None:
    (name, file, words), edit, expected = EDITS[what]
    number = line_of(name, file, *words)
    verdict = judged_files(name, changed(name, file, number, edit), tmp_path)
    assert [str(one.place) for one in verdict.refused] == [f"{file}:{number}"]
    assert verdict.refused[0].partition == "t-0" and expected in verdict.refused[0].expected


def test_a_log_that_ends_before_its_high_watermark(tmp_path: Path) -> None:
    name, file = UNCLEAN, SERVER.format(1)
    number = line_of(name, file, "initial high watermark 2")
    verdict = judged_files(name, changed(name, file, number, put("watermark 2", "watermark 5")), tmp_path)
    assert [str(one.place) for one in verdict.refused] == [f"{file}:{number}"]
    assert verdict.refused[0].expected == "a high watermark of at most 4"


TIME = len("[2026-11-23 00:32:55,396]")
"""How long the time of a line is."""


def exchanged(content: bytes, first: int, second: int) -> list[bytes]:
    """The lines of a file with two of them exchanged, but for their times: nobody believes the order of other times."""
    lines = content.splitlines(keepends=True)
    one, other = lines[first - 1], lines[second - 1]
    lines[first - 1] = one[:TIME] + other[TIME:]
    lines[second - 1] = other[:TIME] + one[TIME:]
    return lines


def test_two_role_lines_the_other_way_round(tmp_path: Path) -> None:
    """The later one may come first, as far as that log knows; then the earlier one goes back."""
    name, file = ELECTED, STATE.format(3)
    first, second = (line_of(name, file, "Follower t-0", f"leader epoch {epoch} from") for epoch in (1, 2))
    lines = exchanged(logs_of(name)[file], first, second)
    verdict = judged_files(name, {**logs_of(name), file: b"".join(lines)}, tmp_path)
    assert {str(one.place) for one in verdict.refused} >= {f"{file}:{second}"}
    assert verdict.refused[-1].expected == "at least 3: this broker has acted on that before"


def test_answers_the_other_way_round(tmp_path: Path) -> None:
    name, file = SHRUNK, SERVER.format(1)
    first, second = (line_of(name, file, f"version updated to {epoch}") for epoch in (1, 2))
    lines = exchanged(logs_of(name)[file], first, second)
    verdict = judged_files(name, {**logs_of(name), file: b"".join(lines)}, tmp_path)
    assert [str(one.place) for one in verdict.refused] == [f"{file}:{second}"]


def cut_off(offset: int) -> Edit:
    """The edit that lets the new fetcher truncate."""
    said = f"TruncationState(offset={offset}, completed=true) due to leader epoch and offset "
    return lambda line: [
        line,
        b"[2026-11-23 00:32:55,396] INFO [ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0] Truncating partition "
        b"t-0 with " + said.encode() + b"EpochEndOffset(errorCode=0, partition=0, leaderEpoch=0, endOffset=9)\n",
    ]


@pytest.mark.parametrize(("offset", "below"), [(1, True), (2, False)])
def test_a_truncation_below_the_high_watermark(tmp_path: Path, offset: int, below: bool) -> None:
    """Broker 1 begins to follow with high watermark 2, and nothing was lost: all were shut down.

    The rules of every release allow it, by N1 and S15: it is no refusal, and committed records are lost.
    """
    name, file = ELECTED, SERVER.format(1)
    number = line_of(name, file, "Added fetcher to broker 2")
    verdict = judged_files(name, changed(name, file, number, cut_off(offset)), tmp_path)
    assert [str(one.place) for one in verdict.suspected] == ([f"{file}:{number + 1}"] if below else [])
    assert verdict.refused == [] and verdict.left_out == {}


def test_it_is_not_judged_where_records_may_be_lost(tmp_path: Path) -> None:
    """The same with a process that was killed, and with a broker of which there is no log."""
    name, file = ELECTED, SERVER.format(1)
    files = changed(name, file, line_of(name, file, "Added fetcher to broker 2"), cut_off(1))
    killed = files[file].replace(b"Skipping recovery of 1 logs", b"Recovering 1 logs")
    verdict = judged_files(name, {**files, file: killed}, tmp_path / "killed")
    assert verdict.refused == []
    assert verdict.left_out == {"a truncation below a high watermark, where a crash may have lost records": 1}
    del files[SERVER.format(2)]
    assert judged_files(name, files, tmp_path / "missing").refused == []


def test_a_log_that_says_where_it_is_cut(tmp_path: Path) -> None:
    """It is held against the line just before it: one that is missing is no reason to refuse, nor is a copy's."""
    name, file = UNCLEAN, SERVER.format(1)
    said = line_of(name, file, "Truncating partition", "EpochEndOffset")
    elsewhere = changed(name, file, line_of(name, file, "Truncating to offset 2"), put("offset 2", "offset 1"))
    lines = elsewhere[file].splitlines(keepends=True)
    without = b"".join(lines[: said - 1] + lines[said:])
    copied = (
        b"[2026-11-23 00:00:00,000] INFO [ReplicaAlterLogDirsThread-0]: Truncating partition t-0 with TruncationState("
    )
    moving = b"".join([*lines[: said - 1], copied + b"offset=1, completed=true)\n", *lines[said - 1 :]])
    for number, content in enumerate((without, moving)):
        assert judged_files(name, {**elsewhere, file: content}, tmp_path / str(number)).refused == []


def test_metadata_that_ends_early_or_begins_late_refuses_nothing() -> None:
    """What a broker acts on later, or before, is counted as not judged."""
    last = changes_of(ELECTED)[-1].offset
    early = judged_brokers(ELECTED, MetadataLog(tuple(one for one in records_of(ELECTED) if one.offset < last)))
    assert early.refused == [] and early.accepted > 0
    assert early.left_out["its partition epoch is later than the metadata log here ends"] == 3
    late = judged_brokers(ELECTED, MetadataLog(tuple(one for one in records_of(ELECTED) if one.offset >= last)))
    assert late.refused == [] and set(late.left_out) == {"the metadata log here has no such partition"}


def test_the_report_the_exit_code_and_the_document(tmp_path: Path) -> None:
    """What is refused is in all of them."""
    name, file = ELECTED, STATE.format(2)
    number = line_of(name, file, *LEADER[2])
    files = changed(name, file, number, put("ISR [2,3]", "ISR [1,2,3]"))
    judged_files(name, files, tmp_path / "logs")
    metadata = "node-101/metadata/__cluster_metadata-0/00000000000000000000.log"
    segment = next(one for one in evidence_files([FOLDER / f"{name}.tar.xz"]) if one.name == metadata)
    (tmp_path / "segment.log").write_bytes(segment.stream.read())
    result = epochal.conform(tmp_path / "logs", tmp_path / "segment.log")
    assert result.exit_code == ExitCode.DRIFTED
    assert result.findings == [f"{tmp_path}/logs/{file}:{number}"]  # of several paths the names begin with theirs
    assert result.headline.endswith("refused: 1 line of brokers that cannot be")
    told = str(result)
    assert "What the brokers did" in told and f"{file}:{number}: t-0 on broker 2" in told
    assert "found     leader 2 e1, ISR 1,2,3 at partition epoch 1" in told
    assert "expected  leader 2 e1, ISR 2,3 at partition epoch 1" in told
    brokers = result.to_dict()["brokers"]
    assert brokers is not None and brokers["verdict"] == "refused"
    assert brokers["refused"][0]["line"] == number and brokers["brokers"] == [1, 2, 3]
