"""Where several files say different things of one thing: each counts, in every order, and it is told."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.kafka.evidence.place import EvidenceError
from tests.audit.test_requests import rules

LEAST, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"


def topic(configs: str = "", isr: str = "1,2", id: str = "A") -> str:
    """An output of kafka-topics."""
    return (
        f"Topic: t\tTopicId: {id}\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: {configs}\n"
        f"\tTopic: t\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: {isr}\n"
    )


def configs(header: str, source: str, name: str, value: str, default: str = "") -> str:
    """An output of kafka-configs with one value."""
    rest = f", DEFAULT_CONFIG:{name}={default}" if default else ""
    return f"{header} are:\n  {name}={value} sensitive=false synonyms={{{source}:{name}={value}{rest}}}\n"


def resource(value: str, name: str = LEAST, copies: int = 2) -> str:
    """A KafkaTopic."""
    return (
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t}\n"
        f"spec: {{replicas: {copies}, config: {{{name}: {value}}}}}\n"
    )


def audited(folder: Path, texts: dict[str, str], **kw: object) -> ClusterAudit:
    """What is found in files, without a search."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name).write_text(text)
    return epochal.audit(folder, kafka="3.9.2", searches=False, **kw)  # type: ignore[arg-type]


OF_T, OF_ALL, OF_1 = (
    "Dynamic configs for topic t",
    "Default configs for brokers in the cluster",
    "Dynamic configs for broker 1",
)
SAYS = {
    "kafka-topics": lambda value: {"txt": topic(f"{LEAST}={value}")},
    "kafka-topics, and one that shows no setting": lambda value: {"txt": topic(f"{LEAST}=2" if value == "2" else "")},
    "kafka-configs of a topic": lambda value: {"txt": configs(OF_T, "DYNAMIC_TOPIC_CONFIG", LEAST, value)},
    "kafka-configs of all": lambda value: {"txt": configs(OF_ALL, "DYNAMIC_DEFAULT_BROKER_CONFIG", LEAST, value)},
    "kafka-configs of a broker": lambda value: {"txt": configs(OF_1, "DYNAMIC_BROKER_CONFIG", LEAST, value)},
    "a broker that was started anew": lambda value: {
        "txt": configs("All configs for broker 1", "STATIC_BROKER_CONFIG", LEAST, value, "1")
    },
    "KafkaTopic": lambda value: {"yaml": resource(value)},
    "files of all nodes": lambda value: {"properties": f"num.io.threads=8\n{LEAST}={value}\n"},
}
UNSHOWN = topic().replace("Configs:", "")
"""A topic of which nobody has said what is set."""


@pytest.mark.parametrize("order", ["12", "21"])
@pytest.mark.parametrize("what", SAYS)
def test_both_values_count_and_it_is_told(tmp_path: Path, what: str, order: str) -> None:
    texts = {
        f"{n}.{end}": text for n, value in zip("ab", order, strict=True) for end, text in SAYS[what](value).items()
    }
    if "kafka-topics" not in what:
        texts["t.txt"] = UNSHOWN.replace("\tConfigs: ", "").replace("\t\n", "\n")
    result = audited(tmp_path / "demo", texts)
    (one,) = result.audit.audited.topics
    assert {kind.min_isr for kind in one.kinds} == {1, 2}
    assert any(one.startswith("contradiction/") for one in rules(result))


@pytest.mark.parametrize("what", SAYS)
def test_equal_values_are_one(tmp_path: Path, what: str) -> None:
    texts = {f"{n}.{end}": text for n in "ab" for end, text in SAYS[what]("2").items()}
    if "kafka-topics" not in what:
        texts["t.txt"] = UNSHOWN.replace("\t\n", "\n")
    result = audited(tmp_path / "demo", texts)
    assert not any(one.startswith("contradiction/") for one in rules(result))


def test_what_one_file_sets_and_another_does_not(tmp_path: Path) -> None:
    """Without the value of the topic that of all brokers counts: both are judged."""
    all_of_them = configs(OF_ALL, "DYNAMIC_DEFAULT_BROKER_CONFIG", UNCLEAN, "true")
    mine = configs(OF_T, "DYNAMIC_TOPIC_CONFIG", UNCLEAN, "false")
    texts = {"t.txt": topic(f"{UNCLEAN}=false"), "a.txt": mine, "b.txt": f"{OF_T} are:\n", "c.txt": all_of_them}
    result = audited(tmp_path / "demo", texts)
    (one,) = result.audit.audited.topics
    assert {kind.unclean for kind in one.kinds} == {False, True}
    assert "unclean.leader.election.enable is false (a.txt:2) and not set (b.txt:1)" in str(result)


@pytest.mark.parametrize(
    "other", [topic(isr="1"), topic(id="B"), topic().replace("PartitionCount: 1", "PartitionCount: 2")]
)
@pytest.mark.parametrize("one_file", [True, False])
def test_another_state_is_refused(tmp_path: Path, other: str, one_file: bool) -> None:
    texts = {"a.txt": topic() + other} if one_file else {"a.txt": topic(), "b.txt": other}
    with pytest.raises(EvidenceError):
        audited(tmp_path / "demo", texts)


def test_where_the_value_is_from_that_stops_writes(tmp_path: Path) -> None:
    """Of two values, one of which is Kafka's default, the line of the other is told."""
    kafka = "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: d}\nspec: {kafka: {config: {a: b}}}\n"
    texts = {"t.txt": topic(), "a.yaml": kafka.replace("a: b", f"{LEAST}: 2"), "b.yaml": kafka}
    shown = str(audited(tmp_path / "demo", texts))
    assert f"{LEAST}=2, which comes from a.yaml:4 asks for every one of 2 replicas" in shown
    assert f"{LEAST} is 2 (a.yaml:4) and not set (b.yaml:1)" in shown


def test_a_second_resource_has_other_replicas(tmp_path: Path) -> None:
    result = audited(tmp_path / "demo", {"a.yaml": resource("1", copies=3), "b.yaml": resource("1", copies=2)})
    (one,) = result.audit.audited.topics
    assert {kind.copies for kind in one.kinds} == {2, 3} and "spec.replicas is 3" in str(result)


REPLICATION = (
    "NodeId\tDirectoryId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"
    "1\tA\t9000\t0\t1\t1\tLeader\n2\tB\t{0}\t{1}\t1\t1\tFollower\n3\tC\t9000\t0\t1\t1\tFollower\n"
)
BEHIND, UP = REPLICATION.format(1000, 8000), REPLICATION.format(9000, 0)


@pytest.mark.parametrize("texts", [(BEHIND, UP), (UP, BEHIND), (BEHIND + UP,), (UP + BEHIND,)])
def test_a_voter_is_as_far_behind_as_any_output_says(tmp_path: Path, texts: tuple[str, ...]) -> None:
    files = {f"{number}.txt": text for number, text in enumerate(texts)}
    found = rules(audited(tmp_path / "demo", {"t.txt": topic(), **files}))
    assert "quorum-behind/node 2" in found and "contradiction/node 2" in found


def test_two_clusters_are_refused(tmp_path: Path) -> None:
    status = "ClusterId:              {}\nLeaderId:               1\nCurrentVoters:          [1,2,3]\n"
    with pytest.raises(EvidenceError, match="beside 'A' in "):
        audited(tmp_path / "demo", {"t.txt": topic(), "a.txt": status.format("A"), "b.txt": status.format("B")})


POOL = """apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {{name: pool-{0}, labels: {{strimzi.io/cluster: demo}}}}
spec: {{replicas: {1}, roles: [broker], storage: {{type: {2}}}}}
status: {{nodeIds: {3}}}
"""


@pytest.mark.parametrize(("ids", "lost"), [("[3, 4]", False), ("[2, 4]", True), ("[]", True), ("[3]", True)])
def test_storage_counts_for_topics_that_have_replicas_there(tmp_path: Path, ids: str, lost: bool) -> None:
    pools = POOL.format("a", 2, "persistent-claim", "[1, 2]") + "---\n" + POOL.format("b", 2, "ephemeral", ids)
    result = audited(tmp_path / "demo", {"t.txt": topic(), "pools.yaml": pools})
    assert ("ephemeral/t" in rules(result)) == lost


def server(number: int, role: str, more: str = "") -> str:
    """A server.properties."""
    return f"process.roles={role}\nnode.id={number}\n{more}\n"


@pytest.mark.parametrize("shown", [topic(), topic(f"{UNCLEAN}=true")])
@pytest.mark.parametrize("known", [True, False])
def test_unclean_election_is_decided_by_controllers(tmp_path: Path, shown: str, known: bool) -> None:
    brokers = {f"{n}.properties": server(n, "broker", f"{UNCLEAN}=true") for n in (1, 2)}
    controllers = {"3.properties": server(3, "controller")} if known else {}
    result = audited(tmp_path / "demo", {"t.txt": shown, **brokers, **controllers})
    (one,) = result.audit.audited.topics
    assert False in {kind.unclean for kind in one.kinds}
    assert ({True} <= {kind.unclean for kind in one.kinds}) == (UNCLEAN in shown)
    assert one.unclean.assumed == (not known and UNCLEAN not in shown)
    assert "not-read/node 1" in rules(result) and "the line of a broker does not count" in str(result)


def test_the_file_of_a_controller_counts(tmp_path: Path) -> None:
    files = {"1.properties": server(1, "broker"), "3.properties": server(3, "controller", f"{UNCLEAN}=true")}
    (one,) = audited(tmp_path / "demo", {"t.txt": topic(), **files}).audit.audited.topics
    assert {kind.unclean for kind in one.kinds} == {True}
