"""Evidence that was recorded: whole, in agreement with itself, and the same archive for the same files."""

from __future__ import annotations

import dataclasses
import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.brokers.checkpoints import epochs_in, offsets_in
from tests.brokers.evidence import METADATA, pack, unpack
from tests.brokers.history import Journal
from tests.brokers.record import EVIDENCE
from tests.brokers.releases import NEWEST, OLDEST, PINNED
from tests.brokers.reproduction import Reproduction, markers_in
from tests.brokers.reproductions import REPRODUCTIONS
from tests.brokers.scenario import TOPIC, Scenario
from tests.brokers.scenarios import SCENARIOS
from tests.brokers.transactions import transactions_in
from tests.each import for_each

ARCHIVES = sorted(path for path in EVIDENCE.glob("*.tar.xz") if not path.name.startswith("injected-"))

LOST = {
    "unclean-election": {"r3", "r4"},
    **{
        f"reproduced-{name}": {"r2"}
        for name in ("s25", "s27", "s24", "s20", "n2", "n1", "h3", "h1", "s10", "h14", "h14b")
    },
    "reproduced-s15": {"r3"},
    "reproduced-t1": {"r5", "r6", "r7", "r8"},
    "reproduced-t5": {"r1", "r2"},
}
"""Records of a scenario that were acknowledged and are in no log at the end."""

KEPT = {
    "reproduced-s20": {"4.1.2", "4.2.1", "4.2.2", "4.3.1", "4.4.0"},
    "reproduced-h3": {"4.3.1", "4.4.0"},
    "reproduced-s10": set(PINNED) - {"4.0.0"},
}
"""Where a counterexample loses nothing: ELR is on, no change of a directory empties it, KAFKA-18991 is mended."""

PLAYED: dict[str, Scenario | Reproduction] = {**SCENARIOS, **{one.name: one for one in REPRODUCTIONS.values()}}


def records_of(folder: Path) -> list[tuple[str, dict[str, Any]]]:
    """The records of the dumped metadata log, by type; control records of the quorum are none."""
    (dump,) = (folder / "dumps").glob("*-metadata.txt")
    payloads = [
        json.loads(line.partition("payload: ")[2]) for line in dump.read_text().splitlines() if "payload: " in line
    ]
    return [(one["type"], one["data"]) for one in payloads]


def leaders(folder: Path, name: str = TOPIC, partition: int = 0) -> dict[int, int]:
    """The leader of each leader epoch of a topic's partition, by the dumped metadata log; -1 for none.

    A change adds 1 to the leader epoch if and only if it names a leader (PartitionRegistration.merge).
    """
    records = records_of(folder)
    (topic,) = {data["topicId"] for kind, data in records if kind == "TOPIC_RECORD" and data["name"] == name}
    found: dict[int, int] = {}
    for kind, data in records:
        if kind not in {"PARTITION_RECORD", "PARTITION_CHANGE_RECORD"} or data["topicId"] != topic:
            continue
        if data["partitionId"] == partition and "leader" in data:
            found[len(found)] = data["leader"]
    return found


def replica_in(folder: Path, node: int, topic: str = TOPIC, partition: int = 0) -> Path:
    """The replica of a broker, in whichever of its log directories."""
    (found,) = (folder / f"node-{node}").glob(f"data*/{topic}-{partition}")
    return found


def high_watermark_in(folder: Path, node: int, topic: str, partition: int) -> int:
    """The high watermark of a replica that its broker has written down last."""
    checkpoint = replica_in(folder, node, topic, partition).parent / "replication-offset-checkpoint"
    return offsets_in(checkpoint)[topic, partition]


def epochs_with_records(replica: Path, end: int) -> dict[int, int]:
    """The epochs of a replica that ends at an offset: one without records is known to its leader alone."""
    found = epochs_in(replica / "leader-epoch-checkpoint")
    return {epoch: start for epoch, start in found.items() if start < end}


def check(folder: Path) -> dict[str, Any]:
    """Assert that evidence is whole and that its parts say the same; what `about.json` says."""
    about: dict[str, Any] = json.loads((folder / "about.json").read_text())
    scenario, nodes = PLAYED[about["scenario"]], {int(node): roles for node, roles in about["nodes"].items()}
    named = about["reproduces"]["id"] if "reproduces" in about else scenario.name
    assert f'"{named}"' in (folder / "scenario.py").read_text()

    topic = scenario.topic if isinstance(scenario, Reproduction) else TOPIC
    led, told = leaders(folder, topic), set[int]()
    for node, roles in nodes.items():
        logs = folder / f"node-{node}" / "logs"
        assert f"Kafka version: {about['kafka']} " in (logs / "server.log").read_text()
        assert (folder / f"node-{node}" / "metadata" / METADATA / "00000000000000000000.log").stat().st_size
        assert ((logs / "kafka-request.log").exists() and (logs / "kafka-request.log").stat().st_size > 0) == (
            about["tier"] == 2
        )
        if "controller" in roles:
            assert f"[QuorumController id={node}]" in (logs / "controller.log").read_text()
        else:
            started = rf"Leader {topic}-0 with topic id \S+ starts at leader epoch (\d+)"
            changes = logs / "state-change.log"  # none at a broker without replicas
            epochs = {int(epoch) for epoch in re.findall(started, changes.read_text() if changes.exists() else "")}
            assert epochs <= {epoch for epoch, leader in led.items() if leader == node}
            told |= epochs

    assert told == {epoch for epoch, leader in led.items() if leader >= 0}
    *_, last = (step for step in Journal(folder / "steps.jsonl").read() if step["what"] == "seen" and "leader" in step)
    assert led[max(led)] == last["leader"]

    history = Journal(folder / "history.jsonl").read()
    sent, acknowledged, read = (
        {line["value"] for line in history if line["what"] == what} for what in ("sent", "acknowledged", "read")
    )
    readings = [line for line in history if line["what"] == "reading"]
    if topic == TOPIC:
        assert len(readings) == 1
    for of, end in {(line["topic"], line["partition"]): line["high_watermark"] for line in readings}.items():
        *_, leader = leaders(folder, *of).values()
        assert high_watermark_in(folder, leader, *of) == end
    high_watermark = high_watermark_in(folder, last["leader"], topic, 0)
    caches = [epochs_with_records(replica_in(folder, node, topic), high_watermark) for node in last["isr"]]
    if scenario.name == "reproduced-t5":  # which is what T5 is about: the leader has forgotten them
        assert {} in caches and {0: 0} in caches
    else:
        assert caches[0] and all(cache == caches[0] for cache in caches)
    lost = set() if about["kafka"] in KEPT.get(scenario.name, set()) else LOST.get(scenario.name, set())
    accepted = set(scenario.accepted) if isinstance(scenario, Reproduction) else set()
    assert acknowledged <= sent and read <= sent and acknowledged - read == lost | accepted
    if "reproduces" in about:
        assert set(about["reproduces"]["lost"]) == lost
    return about


TORN = [path for path in ARCHIVES if path.name.startswith("reproduced-x1-")]

REACHED = {"offsets": ("__consumer_offsets", "d"), "": ("d", "d")}
"""The topic of the partition that had the first coordinator's marker, and of the one that had it not."""


@for_each("archive", TORN)
def test_a_torn_transaction_has_both_markers_by_two_coordinators(archive: Path, tmp_path: Path) -> None:
    """b1 decided, b2 sent one marker of that, and b3 decided otherwise, without an unclean election."""
    folder = unpack(archive, tmp_path)
    told = json.loads((folder / "about.json").read_text())["reproduces"]
    assert told["verdict"] == "torn" and all(step["followed"] for step in told["story"])
    seen = transactions_in(Journal(folder / "transactions.jsonl").read())
    assert told["transactions"] == [dataclasses.asdict(one) for one in seen]
    assert {one.name: one.torn for one in seen} == {one.name: one.name == "x" for one in seen}
    (x,) = (one for one in seen if one.name == "x")
    assert x.told == told["variant"].startswith("told")
    assert leaders(folder, "__transaction_state") == {0: 1, 1: 2, 2: 3}
    of = dict(zip(("first", "second"), REACHED.get(told["variant"], REACHED[""]), strict=True))
    one = markers_in((folder / "dumps/node-4-data.txt").read_text())[f"{of['first']}-0"]
    other = markers_in((folder / "dumps/node-5-data.txt").read_text())[f"{of['second']}-1"]
    early, late = ("ABORT", "COMMIT") if x.told else ("COMMIT", "ABORT")
    assert f"{early} coordinatorEpoch: 1" in one and f"{early} coordinatorEpoch: 1" not in other
    assert other[-1] == f"{late} coordinatorEpoch: 2"
    said = (folder / "node-2/logs/server.log").read_text()
    assert re.search(r"Sending txn markers for .*transactionalId=x, .* after loading partition 0 ", said)


TIERED = [path for path in ARCHIVES if path.name.startswith("reproduced-t1-")]


@for_each("archive", TIERED)
def test_local_retention_deletes_what_was_never_uploaded(archive: Path, tmp_path: Path) -> None:
    """b1 found nothing of its log in the remote tier when it led again, uploaded nothing, and deleted the records.

    In the control, which had restarted, it uploaded them first, and so it did with the fix.
    """
    folder = unpack(archive, tmp_path)
    told = json.loads((folder / "about.json").read_text())["reproduces"]
    assert all(step["followed"] for step in told["story"])
    control = "control" in archive.name or "fixed" in archive.name
    assert told["verdict"] == ("kept" if control else "lost")
    assert leaders(folder) == {0: 1, 1: 2, 2: 1}
    found, copied, deleted = (
        r"Found the highest copiedRemoteOffset: .*offset=-1, .* after becoming leader",
        r"Copied 00000000000000000000\.log to remote storage",
        r"Deleting segment LogSegment\(baseOffset=0, .* due to local log retention time 1000ms breach",
    )
    said = (folder / "node-1/logs/server.log").read_text()
    lines = re.finditer(f"(?P<found>{found})|(?P<copied>{copied})|(?P<deleted>{deleted})", said)
    term = ["found", "copied", "deleted"]
    assert [line.lastgroup for line in lines] == [*term, *(term if control else ["found", "deleted"])]


@for_each("archive", [path for path in ARCHIVES if path.name.startswith("reproduced-t5-")])
def test_a_log_that_was_cut_before_its_disk_begins_deletes_what_is_uploaded(archive: Path, tmp_path: Path) -> None:
    """b1 took the cut for its log start offset, and when it led again had both segments deleted; not with the fix."""
    folder = unpack(archive, tmp_path)
    told = json.loads((folder / "about.json").read_text())["reproduces"]
    assert all(step["followed"] for step in told["story"])
    fixed = "fixed" in archive.name
    assert told["verdict"] == ("kept" if fixed else "lost")
    assert leaders(folder) == {0: 1, 1: 2, 2: 1}
    said = (folder / "node-1/logs/server.log").read_text()
    assert re.findall(r"Found the logStartOffset: (\d) .* after becoming leader", said) == ["0", "0" if fixed else "2"]
    deleted = re.findall(r"Deleted remote log segment .* due to leader-epoch-cache truncation", said)
    assert len(deleted) == (0 if fixed else 2)


@for_each("archive", [path for path in ARCHIVES if path.name.startswith("reproduced-sg2-")])
def test_a_share_group_that_begins_again_skips_a_record(archive: Path, tmp_path: Path) -> None:
    """What the member was given: r2 alone where another leader has begun the group again; both in the controls."""
    folder = unpack(archive, tmp_path)
    told = json.loads((folder / "about.json").read_text())["reproduces"]
    control = "control" in archive.name or "fixed" in archive.name
    assert (told["verdict"], told["lost"]) == ("kept" if control else "skipped", [])
    assert leaders(folder) == ({0: 1} if "control" in archive.name else {0: 1, 1: 2})
    steps = Journal(folder / "steps.jsonl").read()
    given = [value for step in steps if step["what"] == "answered" for value in step["says"].split()]
    assert given == (["r1", "r2"] if control else ["r2"])
    starts = [start for step in steps if step["what"] == "described" for start in START.findall(step["text"])]
    assert starts[0] == ("0" if "fixed" in archive.name else "-")


START = re.compile(r"^g +t +0 +(-|[0-9]+) ", re.MULTILINE)
"""The line of `kafka-share-groups --describe --offsets` about the partition, and its START-OFFSET."""


@for_each("archive", [path for path in ARCHIVES if path.name.startswith("reproduced-h15-")])
def test_a_controller_that_resigns_was_asked_to_register_a_broker(archive: Path, tmp_path: Path) -> None:
    """Each time for the replica that the last known leader does not have any more."""
    said = (unpack(archive, tmp_path) / "node-101/logs/server.log").read_text()
    fault = r"controller fault: registerBroker: .* Renouncing leadership .*\n.* Replica 2 is not assigned"
    assert len(re.findall(fault, said)) > 4


@for_each("archive", ARCHIVES)
def test_what_was_recorded_agrees_with_itself(archive: Path, tmp_path: Path) -> None:
    about = check(unpack(archive, tmp_path))
    tier = f"-tier-{about['tier']}" if about["tier"] else ""
    assert archive.name == f"{about['scenario']}-{about['kafka']}{tier}.tar.xz"


@pytest.mark.parametrize(("version", "cleared"), [(OLDEST, 0), (NEWEST, 1)])
def test_an_elr_that_is_cleared_adds_to_the_partition_epoch_unseen(version: str, cleared: int, tmp_path: Path) -> None:
    """ClearElrRecord adds 1 to the partition epoch where an ELR had members (TopicDelta.maybeClearElr)."""
    folder = unpack(EVIDENCE / f"cleared-elr-{version}.tar.xz", tmp_path)
    records = records_of(folder)
    changes = [data for kind, data in records if kind == "PARTITION_CHANGE_RECORD"]
    assert [data["eligibleLeaderReplicas"] for data in changes if data.get("eligibleLeaderReplicas")] == [[2]] * cleared
    logged = re.findall(r"partitionEpoch=(\d+)", (folder / "node-1" / "logs" / "state-change.log").read_text())
    assert int(logged[-1]) == len(changes) + cleared
    told = [step["text"] for step in Journal(folder / "steps.jsonl").read() if step["what"] == "described"]
    assert ["Elr: 2" in text for text in told] == [bool(cleared), False]


def test_every_scenario_was_recorded_on_the_oldest_and_the_newest_release() -> None:
    wanted = {f"{name}-{version}.tar.xz" for name in SCENARIOS for version in (OLDEST, NEWEST)}
    assert wanted <= {path.name for path in ARCHIVES}


def test_evidence_is_small() -> None:
    sizes = {path.name: path.stat().st_size for path in ARCHIVES}
    assert max(sizes.values()) < 300_000 and sum(sizes.values()) < 4_500_000


def test_the_same_files_make_the_same_archive(tmp_path: Path) -> None:
    for name in ("one", "other"):
        for inside in ("b", "a/c"):
            path = tmp_path / name / inside
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(inside)
        pack(tmp_path / name, tmp_path / f"{name}.tar.xz")
    assert (tmp_path / "one.tar.xz").read_bytes() == (tmp_path / "other.tar.xz").read_bytes()
    assert (unpack(tmp_path / "one.tar.xz", tmp_path / "out") / "a" / "c").read_text() == "a/c"


def test_an_archive_cannot_leave_its_folder(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("mine")
    with tarfile.open(tmp_path / "evil.tar.xz", "w:xz") as tar:
        tar.add(tmp_path / "outside", "../outside")
    with pytest.raises(tarfile.OutsideDestinationError):
        unpack(tmp_path / "evil.tar.xz", tmp_path / "in")
