"""Evidence that was recorded: whole, in agreement with itself, and the same archive for the same files."""

from __future__ import annotations

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
from tests.brokers.reproduction import Reproduction
from tests.brokers.reproductions import REPRODUCTIONS
from tests.brokers.scenario import TOPIC, Scenario
from tests.brokers.scenarios import SCENARIOS
from tests.each import for_each

ARCHIVES = sorted(path for path in EVIDENCE.glob("*.tar.xz") if not path.name.startswith("injected-"))

LOST = {
    "unclean-election": {"r3", "r4"},
    **{f"reproduced-{name}": {"r2"} for name in ("s25", "s27", "s24", "s20", "n2", "n1", "h3", "h1", "s10")},
    "reproduced-s15": {"r3"},
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


def leaders(folder: Path) -> dict[int, int]:
    """The leader of each leader epoch of the topic's partition, by the dumped metadata log; -1 for none.

    A change adds 1 to the leader epoch if and only if it names a leader (PartitionRegistration.merge).
    """
    records = records_of(folder)
    (topic,) = {data["topicId"] for kind, data in records if kind == "TOPIC_RECORD" and data["name"] == TOPIC}
    found: dict[int, int] = {}
    for kind, data in records:
        if kind in {"PARTITION_RECORD", "PARTITION_CHANGE_RECORD"} and data["topicId"] == topic and "leader" in data:
            found[len(found)] = data["leader"]
    return found


def replica_in(folder: Path, node: int) -> Path:
    """The replica of a broker, in whichever of its log directories."""
    (found,) = (folder / f"node-{node}").glob(f"data*/{TOPIC}-0")
    return found


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

    led, told = leaders(folder), set[int]()
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
            started = rf"Leader {TOPIC}-0 with topic id \S+ starts at leader epoch (\d+)"
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
    (high_watermark,) = (line["high_watermark"] for line in history if line["what"] == "reading")
    caches = [epochs_with_records(replica_in(folder, node), high_watermark) for node in last["isr"]]
    assert caches[0] and all(cache == caches[0] for cache in caches)
    checkpoint = replica_in(folder, last["leader"]).parent / "replication-offset-checkpoint"
    assert offsets_in(checkpoint)[TOPIC, 0] == high_watermark
    lost = set() if about["kafka"] in KEPT.get(scenario.name, set()) else LOST.get(scenario.name, set())
    assert acknowledged <= sent and read <= sent and acknowledged - read == lost
    if "reproduces" in about:
        assert set(about["reproduces"]["lost"]) == lost
    return about


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
    assert max(sizes.values()) < 300_000 and sum(sizes.values()) < 4_000_000


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
