"""What logs tell without a metadata log; and of a cluster on ZooKeeper, which has none."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

import epochal
from epochal.errors import UsageError
from epochal.exit_codes import ExitCode
from epochal.kafka.validation.noticed import N1, N2, S27, Weight
from tests.conformance.evidence import FOLDER, of_archive

ROLE = (
    "[2026-07-01 03:12:0{second},001] INFO [Broker id=1] Leader t-0 with topic id Some(AAAAAAAAAAAAAAAAAAAAAA) starts "
    "at leader epoch {epoch} from offset 5 with partition epoch {epoch}, high watermark 5, ISR [1,2], adding "
    "replicas [] and removing replicas [] . Previous leader Some(1) and previous leader epoch was {before}. "
    "(state.change.logger)\n"
)
FOLLOWS = (
    "[2026-07-01 03:12:0{second},001] INFO [Broker id=2] Follower t-0 starts at leader epoch {epoch} from offset 5 "
    "with partition epoch {epoch} and high watermark 5. Current leader is {leader}. Previous leader Some(1) and "
    "previous leader epoch was 0. (state.change.logger)\n"
)
UNCLEAN = (
    "[2026-07-01 03:11:38,101] INFO [QuorumController id=1] UNCLEAN partition change for {name} with topic ID "
    "AAAAAAAAAAAAAAAAAAAAAA: {sets}leader: 1 -> 2, leaderRecoveryState: RECOVERED -> RECOVERING, leaderEpoch: 2 -> 3, "
    "{more}partitionEpoch: 5 -> 6 (org.apache.kafka.controller.ReplicationControlManager)\n"
)
BELOW = (
    "[2026-07-01 03:12:05,121] WARN {who} Truncating drill-0 to offset 31000 below high watermark 58000 (kafka.log)\n"
)


def conform(folder: Path, **files: str) -> epochal.Conformance:
    for name, text in files.items():
        (folder / f"{name}.log").write_text(text)
    return epochal.conform(folder)


@pytest.mark.parametrize(
    ("who", "broker"),
    [
        ("[UnifiedLog partition=drill-0, dir=/var/lib/kafka/data]", "a replica"),
        ("[ReplicaFetcher replicaId=1, leaderId=2, fetcherId=0]", "broker 1"),
    ],
)
def test_what_was_committed_is_cut_off(tmp_path: Path, who: str, broker: str) -> None:
    """The warning of 4.2 and newer, and that of older releases."""
    result = conform(tmp_path, server=BELOW.format(who=who))
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert result.headline.endswith(
        "nothing could be checked: there is no metadata log; of 1 partition a replica has cut off what was committed"
    )
    (one,) = result.judged.noticed
    assert (one.partition, str(one.place), one.weight) == ("drill-0", "server.log:1", Weight.GONE)
    assert one.says == (
        f"{broker}: truncation to 31000, and the high watermark was 58000: what was committed between is gone there"
    )
    assert one.about.startswith(f"{S27}, a crash") and N1 in one.about


def test_an_election_is_told_by_the_controller(tmp_path: Path) -> None:
    """It explains what a replica has cut off."""
    elected = UNCLEAN.format(name="drill-0", sets="isr: [1] -> [2], ", more="elr: [3] -> [], ")
    known = UNCLEAN.format(name="u-0", sets="isr: [] -> [2], ", more="lastKnownElr: [2] -> [], ")
    result = conform(tmp_path, controller=elected + known, server=BELOW.format(who="[ReplicaFetcher replicaId=1]"))
    cut, unclean, last_known = result.judged.noticed
    assert (cut.weight, cut.about) == (Weight.GONE, S27)
    assert (unclean.about, unclean.says) == (S27, "unclean election of broker 2: what only 1,3 had is lost")
    assert (last_known.partition, last_known.about) == ("u-0", N2)


def test_a_term_that_a_leader_missed(tmp_path: Path) -> None:
    """It says so itself; who led between, another broker may say."""
    missed = ROLE.format(second=1, epoch=0, before=-1) + ROLE.format(second=5, epoch=2, before=0)
    (one,) = conform(tmp_path, one=missed).judged.noticed
    assert one.about == N1 and "it is not known who led between" in one.says and one.place.line == 2
    (one,) = conform(tmp_path, two=FOLLOWS.format(second=3, epoch=1, leader=3)).judged.noticed
    assert "broker 3 led between" in one.says
    (tmp_path / "two.log").write_text(FOLLOWS.format(second=3, epoch=1, leader=-1))
    assert epochal.conform(tmp_path).judged.noticed == ()


def test_logs_alone_tell_what_they_tell_with_the_metadata_log(tmp_path: Path) -> None:
    """N1 on a real broker: the line that says so, and the truncation."""
    with tarfile.open(FOLDER / "reproduced-n1-4.3.1-tier-1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    logs = [str(path) for path in tmp_path.glob("node-?/logs")]
    alone = {(one.partition, one.about, one.weight) for one in epochal.conform(*logs).judged.noticed}
    assert alone == {("t-0", N1, Weight.GONE), ("t-0", N1, Weight.OPENED)}


@pytest.mark.parametrize("kafka", [None, "2.8", "1.1"])
@pytest.mark.parametrize(
    "line",
    [
        "[2018-05-20 17:58:40,102] TRACE Broker 3 handling LeaderAndIsr request correlationId 34 from controller 2 "
        "epoch 12 starting the become-leader transition for partition orders-7 (state.change.logger)\n",
        "[2017-11-10 13:17:57,606] INFO [KafkaServer id=2] shutting down (kafka.server.KafkaServer)\n",
    ],
)
def test_a_cluster_on_zookeeper_has_no_metadata_log(tmp_path: Path, line: str, kafka: str | None) -> None:
    (tmp_path / "server.log").write_text(line)
    result = epochal.conform(tmp_path, kafka=kafka)
    assert result.exit_code == ExitCode.INCONCLUSIVE
    assert result.headline.endswith("nothing could be checked: its brokers were on ZooKeeper")
    assert "__cluster_metadata" not in str(result) and "server.log:1: only a cluster on ZooKeeper" in str(result)
    assert result.to_dict()["zookeeper"] == "server.log:1"


def test_no_broker_of_kraft_is_taken_for_one_on_zookeeper() -> None:
    for name in ("leader-change-3.9.2", "injected-3-3.9.2", "reassignment-4.3.1-tier-2"):
        assert of_archive(name).zookeeper is None


def test_a_version_is_asked_for_where_it_matters(tmp_path: Path) -> None:
    with tarfile.open(FOLDER / "leader-change-4.3.1.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    with pytest.raises(UsageError, match="which version of Kafka") as refused:
        epochal.conform(tmp_path / "dumps")
    assert "--kafka 3.9.2" in str(refused.value)
