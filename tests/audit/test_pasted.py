"""Files in the forms in which people paste them: read as what was printed, or named with what to give instead."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.kafka.audit.assembled import assembled
from epochal.kafka.audit.cluster import Cluster
from epochal.kafka.audit.dump import read_dump
from epochal.kafka.audit.tool_output import TOPIC_COLUMNS, columns_of
from epochal.kafka.evidence.place import EvidenceError, Place
from tests.audit.test_requests import of_topics, refused, rules, topic

MOVING = (
    "Topic: r\tTopicId: A\tPartitionCount: 3\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: r\tPartition: 0\tLeader: 1\tReplicas: 4,2,3,1\tIsr: 1,2,3\tAdding Replicas: 4\tRemoving Replicas: 1\n"
    "\tTopic: r\tPartition: 1\tLeader: 1\tReplicas: 4,5,6,1,2,3\tIsr: 1,2,3\tAdding Replicas: 4,5,6\t"
    "Removing Replicas: 1,2,3\n"
    "\tTopic: r\tPartition: 2\tLeader: 1\tReplicas: 1,2,3,4\tIsr: 1,2,3\tAdding Replicas: 4\tRemoving Replicas: \n"
)


def cluster_of(folder: Path, **files: str) -> Cluster:
    """What files of these texts describe. In their names `_` stands for a dot."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return assembled(read_dump([folder]), "a cluster")


@pytest.mark.parametrize("width", [0, 8])
def test_a_reassignment_is_on_its_way(tmp_path: Path, width: int) -> None:
    text = MOVING.expandtabs(width) if width else MOVING
    partitions = cluster_of(tmp_path, topics_txt=text).topics["r"].partitions
    assert [one.members for one in partitions.values()] == [(4, 2, 3), (4, 5, 6), (1, 2, 3, 4)]
    assert [one.adding for one in partitions.values()] == [(4,), (4, 5, 6), (4,)]
    assert partitions[1].replicas == (4, 5, 6, 1, 2, 3)


@pytest.mark.parametrize("name", ["Observers", "LiveObservers"])
def test_an_observer_is_no_copy(tmp_path: Path, name: str) -> None:
    text = topic("geo", 4).replace("Isr: 1,2,3,4", f"Isr: 1,2\tOffline: \t{name}: 3,4")
    found = cluster_of(tmp_path, topics_txt=text).topics["geo"]
    assert found.numbers == (2,) and found.partitions[0].members == (1, 2)


def test_a_column_that_nobody_knows_is_told_once(tmp_path: Path) -> None:
    text = (topic("a") + topic("b")).replace("\tElr:", "\tShade: 3\tElr:")
    result = of_topics(tmp_path, text)
    assert rules(result).count("not-read/topics.txt") == 1
    assert "the column Shade (3): it is not known here" in str(result)


LINE = "Topic: Orders Partition: 0    Leader: 1       Replicas: 1,0,2 Isr: 1,0,2 Observer: 9"


@pytest.mark.parametrize("line", [LINE, LINE.replace(" ", "\t").replace(":\t", ": "), f"\\t{LINE}"])
def test_where_a_column_ends(line: str) -> None:
    """A value never takes in the name of the next column, whatever stands between; a topic has any name."""
    assert columns_of(line, TOPIC_COLUMNS, Place("topics.txt", 1)) == {
        "Topic": "Orders",
        "Partition": "0",
        "Leader": "1",
        "Replicas": "1,0,2",
        "Isr": "1,0,2",
        "Observer": "9",
    }


def test_two_values_of_one_column_are_refused(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(topic("a").replace("\tIsr", "\tReplicas: 1,2,4\tIsr"), encoding="utf-8")
    assert "t.txt:2: two columns are called Replicas" in refused(tmp_path)[0]


def test_what_is_wrong_is_quoted_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_text(topic("a").replace("Leader: 1", "Leader: 1\toops"), encoding="utf-8")
    assert r"'1\toops' is no number" in refused(tmp_path)[0]


def test_a_topic_that_is_marked_for_deletion(tmp_path: Path) -> None:
    result = of_topics(tmp_path, topic("a").replace("replicas=2\n", "replicas=2\tMarkedForDeletion: true\n"))
    (one,) = result.audit.audited.topics
    assert one.min_isr.value == "2" and "not-read/a" in rules(result)


def test_a_value_that_is_left_out_is_not_taken_for_the_default(tmp_path: Path) -> None:
    cluster = cluster_of(tmp_path, topics_txt=topic("a").replace("\tConfigs: min.insync.replicas=2", ""))
    assert cluster.topics["a"].seen is None


QUORUM = (
    "NodeId\tDirectoryId\tShade\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"
    "1\tAAAA\t7\t880\t0\t5 ms ago\t5 ms ago\tLeader\n"
    "2026-01-02 03:04:05 another program\n"
    "2\tAAAA\t7\t80\t800\t5 ms ago\t5 ms ago\tFollower\n"
    "4\tAAAA\t7\t880\t0\t5 ms ago\t5 ms ago\tObserver\n"
)


@pytest.mark.parametrize("width", [0, 12])
def test_the_columns_of_the_quorum_go_by_their_names(tmp_path: Path, width: int) -> None:
    text = QUORUM.expandtabs(width) if width else QUORUM
    voters = cluster_of(tmp_path, topics_txt=topic("a"), quorum_txt=text).voters
    assert {voter.node: voter.lag for voter in voters.values()} == {1: 0, 2: 800}


def test_what_is_set_for_all_nodes(tmp_path: Path) -> None:
    """As a configuration of MSK has it: no broker.id, and values that count wherever a node has no own one."""
    given = "default.replication.factor=3\nmin.insync.replicas=2\nunclean.leader.election.enable=true\n"
    cluster = cluster_of(
        tmp_path,
        all_properties=given,
        topic_txt="Dynamic configs for topic a are:\n",
        t_txt=topic("a").replace("\tConfigs: min.insync.replicas=2", ""),
    )
    assert cluster.planned["min.insync.replicas"].value == "2" and not cluster.nodes and not cluster.producers
    result = epochal.audit(tmp_path, kafka="3.9.2", searches=False, lock=tmp_path / "no.json")
    assert {(kind.min_isr, kind.unclean) for kind in result.audit.audited.classes} == {(2, True)}


def test_two_files_for_all_nodes_that_differ(tmp_path: Path) -> None:
    texts = {f"{name}_properties": f"num.io.threads=8\nmin.insync.replicas={name[-1]}\n" for name in ("v1", "v2")}
    (one,) = cluster_of(tmp_path, topics_txt=topic("a"), **texts).contradictions
    assert (one.about, one.left.value, one.right.value) == ("all nodes", "1", "2")


def test_a_file_with_log_dirs_alone_is_of_nodes(tmp_path: Path) -> None:
    cluster = cluster_of(tmp_path, topics_txt=topic("a"), s_properties="log.dirs=/data\nacks=1\n")
    assert not cluster.producers and "log.dirs" in cluster.planned


def test_two_programs_in_one_file_are_two_nodes(tmp_path: Path) -> None:
    text = "".join(
        f"kafka-{n}  | {line}\n"
        for line in ("process.roles=broker", "node.id={}", "min.insync.replicas={}")
        for n in (1, 2)
    )
    lines = [line.replace("{}", line[6]) for line in text.splitlines(keepends=True)]
    nodes = cluster_of(tmp_path, topics_txt=topic("a"), both_txt="".join(lines)).nodes
    assert {node.id: node.static["min.insync.replicas"].value for node in nodes.values()} == {1: "1", 2: "2"}
    assert str(nodes[2].place) == "both.txt:4"


def test_several_outputs_in_one_file_are_all_read(tmp_path: Path) -> None:
    config = "min.insync.replicas=3 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=3}"
    cluster = cluster_of(tmp_path, all_txt=f"All configs for topic a are:\n  {config}\n{QUORUM}{topic('a')}")
    assert cluster.topics["a"].own["min.insync.replicas"].value == "3" and set(cluster.voters) == {1, 2}


NOT_READ = {
    "environment variables": "services:\n  kafka-1:\n    environment:\n      - KAFKA_NODE_ID=1\n",
    "variables of containers, whose": "KAFKA_CFG_MIN_INSYNC_REPLICAS=1\n",
    "whose image makes settings": "spec:\n  env:\n    - name: KAFKA_NODE_ID\n      value: '1'\n",
    "values of a Helm chart": "controller:\n  replicaCount: 3\n  extraConfig: |\n    default.replication.factor=3\n",
    "a template of Helm": "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nspec:\n  version: {{ .Values.version }}\n",
    "the output of kcat": 'Metadata for all topics (from broker 1: a:9092/1):\n 1 topics:\n  topic "a":\n',
    "the output of rpk": "PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET\n0          2       5      [1 2 3]\n",
    "without the line 'All configs for ...'": "  a.b=1 sensitive=false synonyms={DEFAULT_CONFIG:a.b=1}\n",
    "before 2.5, or with --zookeeper": "Configs for topic 'orders' are min.insync.replicas=1,retention.ms=604800000\n",
    "none of Strimzi's": "apiVersion: v1\nkind: ConfigMap\ndata:\n  server.properties: |\n    node.id=1\n",
    "a log of a broker": "[2026-01-02 03:04:05,678] INFO [BrokerServer id=1] Starting (kafka.server.BrokerServer)\n",
}


@pytest.mark.parametrize("what", NOT_READ)
def test_what_is_not_read_is_named(tmp_path: Path, what: str) -> None:
    """By itself it is refused, beside other files it is told: both with what to give instead."""
    file = tmp_path / "given.txt"
    file.write_text(NOT_READ[what], encoding="utf-8")
    with pytest.raises(EvidenceError) as caught:
        epochal.audit(file)
    assert what in str(caught.value) and caught.value.advice.rstrip().endswith(".")
    with pytest.raises(EvidenceError) as caught:
        epochal.audit(tmp_path)
    assert what in f"{caught.value}{caught.value.advice}" and "no file describes a topic" in str(caught.value)
    (tmp_path / "topics.txt").write_text(topic("a"), encoding="utf-8")
    shown = str(epochal.audit(tmp_path, searches=False, kafka="4.3.1", lock=tmp_path / "no.json"))
    assert what in shown and "given.txt" in shown


def test_a_resource_may_quote_a_template(tmp_path: Path) -> None:
    """Alerts of Prometheus have braces of their own."""
    kafka = (
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata:\n  name: a\n"
        "  annotations: {text: '{{ $labels.pod }} of {{ if true }}'}\nspec: {partitions: 1, replicas: 3}\n"
    )
    assert cluster_of(tmp_path, a_yaml=kafka).topics["a"].copies == (3,)


def test_what_a_fix_says_to_change_is_no_output(tmp_path: Path) -> None:
    name = "offsets.topic.replication.factor"
    text = f"All configs for broker 3 are:\n  {name}=1 sensitive=false synonyms={{STATIC_BROKER_CONFIG:{name}=1}}\n"
    (tmp_path / "broker-configs.txt").write_text(text, encoding="utf-8")
    (tmp_path / "topics.txt").write_text(topic("a"), encoding="utf-8")
    shown = str(epochal.audit(tmp_path, searches=False, kafka="4.3.1", lock=tmp_path / "no.json"))
    assert f"Fix: {name}=3 in server.properties of node 3" in shown


def test_a_time_before_each_line_is_no_log(tmp_path: Path) -> None:
    """`kubectl logs --timestamps`, without names of pods."""
    text = "\n" + topic("a")
    timed = "".join(f"2026-01-02T03:04:05.678901234Z {line}" for line in text.splitlines(keepends=True))
    assert cluster_of(tmp_path, topics_txt=timed).topics["a"].numbers == (3,)


@pytest.mark.parametrize(
    ("line", "value"), [('acks: "1"', "1"), ("acks: '0'  # fast", "0"), ("acks: all", "all"), ('acks="1"', '"1"')]
)
def test_a_value_may_be_quoted_as_in_yaml(tmp_path: Path, line: str, value: str) -> None:
    (producer,) = cluster_of(tmp_path, topics_txt=topic("a"), app_yaml=f"{line}\nlinger.ms: 5\n").producers
    assert producer.settings["acks"].value == value


@pytest.mark.parametrize("end", ["Isr: 1", "Isr: 1,2,3\tElr: "])
def test_a_last_line_without_a_column_of_the_others_is_cut_off(tmp_path: Path, end: str) -> None:
    text = topic("a").replace("PartitionCount: 1", "PartitionCount: 2")
    text += f"\tTopic: a\tPartition: 1\tLeader: 1\tReplicas: 1,2,3\t{end}"
    with pytest.raises(EvidenceError, match="a last line without"):
        cluster_of(tmp_path, topics_txt=text)
    cluster_of(tmp_path, topics_txt=f"{topic('b')}{topic('c')}".rstrip("\n"))
