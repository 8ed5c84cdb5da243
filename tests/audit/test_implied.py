"""What files imply is not assumed, and two that cannot both be true are told."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit, title
from epochal.kafka.audit.rules_loss import IDS, METADATA, RETENTION, ephemeral
from epochal.spec.kraft.generations import VERSIONS, numbered
from tests.audit.test_requests import of_topics, refused, rules, topic
from tests.each import for_each

EMPTY = "\tElr: \tLastKnownElr: "
WITH_ELR = {
    "an ELR": topic("a").replace(EMPTY, "\tElr: 2\tLastKnownElr: ").replace("Isr: 1,2,3", "Isr: 1,3"),
    "a last known leader": topic("a").replace(EMPTY, "\tElr: \tLastKnownElr: 2").replace("Isr: 1,2,3", "Isr: 1"),
    "an empty ISR": topic("a").replace("Isr: 1,2,3", "Isr: ").replace("Leader: 1", "Leader: none"),
}


def features(metadata: str, elr: str | None) -> str:
    """What `kafka-features` says of a node whose release has a metadata version."""
    line = "Feature: {0}\tSupportedMinVersion: 0\tSupportedMaxVersion: {1}\tFinalizedVersionLevel: {2}\tEpoch: 1\n"
    eligible = "" if elr is None else line.format("eligible.leader.replicas.version", 1, elr)
    return eligible + line.format("metadata.version", metadata, metadata)


def audited(folder: Path, kafka: str | None = None, **files: str) -> ClusterAudit:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")
    return epochal.audit(folder, kafka=kafka, searches=False, lock=folder / "no.json")


def power_loss(result: ClusterAudit) -> str:
    audit = result.audit.audited
    (kind,) = audit.classes
    return audit.decider.under(kind, "lossy").designed.word


@pytest.mark.parametrize("what", WITH_ELR)
def test_partitions_say_that_elr_is_on(tmp_path: Path, what: str) -> None:
    result = audited(tmp_path, "4.1", topics_txt=WITH_ELR[what])
    assert result.audit.audited.elr and "elr-unknown/cluster" not in rules(result)
    assert power_loss(result) == "kept" and "eligible leader replicas on (topics.txt:2)" in str(result)
    assert result.to_dict()["kraft_known"] is True


def test_a_member_that_is_out_says_nothing_of_elr(tmp_path: Path) -> None:
    result = audited(tmp_path, "4.1", topics_txt=topic("a").replace("Isr: 1,2,3", "Isr: 1"))
    assert not result.audit.audited.elr and "elr-unknown/cluster" in rules(result)


@pytest.mark.parametrize("what", WITH_ELR)
def test_partitions_with_an_elr_beside_level_0(tmp_path: Path, what: str) -> None:
    result = audited(tmp_path, topics_txt=WITH_ELR[what], features_txt=features("4.1-IV1", "0"))
    assert not result.audit.audited.elr and "contradiction/the cluster" in rules(result)
    assert "is 0 (features.txt:1) and 1, as an ELR or an empty ISR shows (topics.txt:2)" in str(result)
    assert "it was switched off while replicas were eligible" in str(result)
    assert ("elr-left-over/a-0" in rules(result)) == ("\tElr: 2" in WITH_ELR[what])


def test_a_last_known_leader_without_a_replica(tmp_path: Path) -> None:
    """Where the reassignment of a partition without a leader was cancelled (H15)."""
    gone = WITH_ELR["a last known leader"].replace("LastKnownElr: 2", "LastKnownElr: 4")
    for text, so in ((gone, True), (WITH_ELR["a last known leader"], False)):
        result = audited(tmp_path, "4.1", topics_txt=text)
        assert ("last-known-leader/a-0" in rules(result)) == so
        assert ("Stop broker 4 until a replica of a-0 leads." in str(result)) == so


@pytest.mark.parametrize("given", [True, False])
def test_no_release_before_4_0_has_printed_an_elr(tmp_path: Path, given: bool) -> None:
    files = {"topics_txt": WITH_ELR["an ELR"]} | ({} if given else {"f_txt": features("3.9-IV0", None)})
    result = audited(tmp_path, "3.9" if given else None, **files)
    where = "--kafka" if given else "f.txt:1"
    assert f"the release is 3.9 ({where}) and 4.0 or newer (topics.txt:2)" in str(result)
    assert power_loss(result) == "acked lost"


def test_a_release_that_is_asked_about_contradicts_nothing(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(WITH_ELR["an ELR"], encoding="utf-8")
    for change in ("cluster:kafka=3.9.2", "cluster:elr=off"):
        result = epochal.audit(tmp_path, kafka="4.1", what_if=change, searches=False, lock=tmp_path / "no.json")
        assert not result.audit.audited.elr and "contradiction/the cluster" not in rules(result), change


def test_a_release_without_elr_leaves_nothing_to_assume(tmp_path: Path) -> None:
    given = audited(tmp_path, "3.9", topics_txt=topic("a"))
    assert "eligible leader replicas off (--kafka)" in title(given.audit.audited)
    assert "elr-unknown/cluster" not in rules(given)


KRAFT = {
    "a role": {"server_properties": "process.roles=broker\nnode.id=1\n"},
    "a quorum": {"quorum_txt": "CurrentVoters:          [1,2,3]\n"},
    "a metadata version": {"features_txt": features("3.9-IV0", None)},
    "a broker that was asked": {
        "b_txt": "All configs for broker 1 are:\n"
        "  process.roles=broker sensitive=false synonyms={STATIC_BROKER_CONFIG:process.roles=broker}\n"
    },
}


@pytest.mark.parametrize("what", KRAFT)
def test_what_only_kraft_has(tmp_path: Path, what: str) -> None:
    result = audited(tmp_path, "3.9", topics_txt=topic("a"), **KRAFT[what])
    assert ", KRaft, " in str(result) and result.to_dict()["kraft_known"] is True


def test_kraft_is_assumed_where_no_file_says_it(tmp_path: Path) -> None:
    assert "Kafka 3.9.2, KRaft (assumed), " in str(of_topics(tmp_path, topic("a"), kafka="3.9.2"))
    assert "Kafka 4.0, KRaft, " in str(of_topics(tmp_path, topic("a"), kafka="4.0")), "it has nothing else"


def test_kraft_and_zookeeper_at_once(tmp_path: Path) -> None:
    result = audited(
        tmp_path,
        "3.9",
        topics_txt=topic("a"),
        one_properties="broker.id=1\nzookeeper.connect=zk:2181\n",
        **KRAFT["a quorum"],
    )
    assert "what runs it is KRaft (quorum.txt:1) and ZooKeeper (one.properties:2)" in str(result)
    assert not result.audit.audited.decides


def test_a_broker_tells_its_release_by_a_default(tmp_path: Path) -> None:
    """inter.broker.protocol.version is that of the release unless somebody has set it."""
    name = "inter.broker.protocol.version"
    line = "All configs for broker 1 are:\n  {0}={1} sensitive=false synonyms={{{2}:{0}={1}}}\n"
    told = audited(tmp_path, topics_txt=topic("a"), b_txt=line.format(name, "3.9-IV0", "DEFAULT_CONFIG"))
    assert told.audit.audited.releases == ("3.9",)
    set_by_somebody = audited(
        tmp_path, topics_txt=topic("a"), b_txt=line.format(name, "3.4-IV0", "STATIC_BROKER_CONFIG")
    )
    assert set_by_somebody.audit.audited.releases == ()


def test_a_producer_with_transactions_waits_for_all(tmp_path: Path) -> None:
    result = audited(tmp_path, "4.1", topics_txt=topic("a"), app_properties="transactional.id=pay\n")
    (one,) = result.audit.audited.topics
    assert {(kind.acks, kind.acks_known) for kind in one.kinds} == {("all", True)}


POOL = """apiVersion: kafka.strimzi.io/{version}
kind: KafkaNodePool
metadata: {{name: {name}, labels: {{strimzi.io/cluster: demo}}}}
spec: {{replicas: 3, roles: [{roles}], storage: {storage}}}
---
"""
KAFKA = """apiVersion: kafka.strimzi.io/{version}
kind: Kafka
metadata: {{name: demo}}
spec: {{kafka: {{version: 4.1.1, replicas: 3, storage: {storage}}}}}
---
"""
TOPIC = """apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: a, labels: {strimzi.io/cluster: demo}}
spec: {partitions: 1, replicas: 3, config: {min.insync.replicas: 2}}
"""
CLAIM, EMPTY_DIR = "{type: persistent-claim}", "{type: ephemeral}"
JBOD = "{{type: jbod, volumes: [{{id: 0, type: {0}}}, {{id: 1, type: {1}}}]}}"


def pools(version: str, *several: tuple[str, str]) -> str:
    return "".join(
        POOL.format(version=version, name=f"p{n}", roles=roles, storage=storage)
        for n, (roles, storage) in enumerate(several)
    )


@pytest.mark.parametrize(
    ("text", "brokers", "controllers"),
    [
        (pools("v1beta2", ("controller", CLAIM), ("broker", EMPTY_DIR)), True, False),
        (pools("v1", ("controller", EMPTY_DIR), ("broker", CLAIM)), False, True),
        (pools("v1", ("'controller', broker", EMPTY_DIR)), True, True),
        (pools("v1", ("controller, broker", CLAIM)), False, False),
        (pools("v1", ("broker, controller", JBOD.format("persistent-claim", "ephemeral"))), True, False),
        (pools("v1", ("broker, controller", JBOD.format("ephemeral", "persistent-claim"))), True, True),
        (pools("v1", ("broker, controller", JBOD.format("persistent-claim", "persistent-claim"))), False, False),
        (KAFKA.format(version="v1beta2", storage=EMPTY_DIR), True, False),
        (KAFKA.format(version="v1beta2", storage=EMPTY_DIR) + pools("v1beta2", ("broker", CLAIM)), False, False),
        (KAFKA.format(version="v1beta2", storage=CLAIM) + pools("v1beta2", ("broker", EMPTY_DIR)), True, False),
    ],
)
def test_storage_that_a_restart_empties(tmp_path: Path, text: str, brokers: bool, controllers: bool) -> None:
    result = audited(tmp_path, "4.1.1", k_yaml=text + TOPIC)
    audit = result.audit.audited
    found = {subject for one in ephemeral(audit) for subject in one.subjects}
    assert ("a" in found) == brokers and any("pool" in one for one in found) == controllers
    (kind,) = audit.classes
    faults = {shown: audit.decider.under(kind, shown).fault.id for shown in ("fencing", "clean", "two-clean", "lossy")}
    assert kind.ephemeral == brokers
    assert set(faults.values()) == ({"lossy", "two-lossy"} if brokers else set(faults)), faults
    assert result.exit_code == (12 if found else 0)


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        ("log.dirs=/tmp/kraft-combined-logs", True),
        ("log.dirs=/data/a, /tmp/b", True),
        ("log.dir=/dev/shm/kafka", True),
        ("log.dirs=/var/lib/tmp", False),
        ("log.dirs=/tmpfs", False),
        ("log.dir=/tmp/kafka\nlog.dirs=/data", False),
        ("metadata.log.dir=/tmp/meta\nlog.dirs=/data", False),
    ],
)
def test_log_directories_that_a_machine_empties(tmp_path: Path, line: str, lost: bool) -> None:
    node = f"process.roles=broker,controller\nnode.id=1\n{line}\n"
    result = audited(tmp_path, "4.1.1", topics_txt=topic("a"), server_properties=node)
    assert {kind.ephemeral for kind in result.audit.audited.classes} == {lost}
    assert ("ephemeral/node 1" in rules(result)) == (lost or "metadata" in line)
    elsewhere = audited(tmp_path, "4.1.1", topics_txt=topic("a"), server_properties=node.replace("id=1", "id=9"))
    assert "ephemeral/a" not in rules(elsewhere), "that broker has none of its replicas"


def test_what_is_wrong_with_storage_is_mended_by_other_storage(tmp_path: Path) -> None:
    text = pools("v1", ("broker, controller", EMPTY_DIR)) + KAFKA.format(version="v1", storage=CLAIM)
    text += TOPIC.replace("min.insync.replicas: 2", "retention.ms: 1")
    (one, *_) = (one for one in audited(tmp_path, "4.1.1", k_yaml=text).errors if one.rule == "acked-lost")
    assert one.fix is not None and one.fix.commands[0].startswith("storage that outlives a restart")
    assert "a restart: kept" in one.fix.decided


def test_a_policy_and_writes_know_of_it(tmp_path: Path) -> None:
    (tmp_path / "audit.toml").write_text(
        '[[require]]\ntopics = "a"\nkeep = ["clean"]\nwrites-with-down = 1\n', encoding="utf-8"
    )
    folder = tmp_path / "cluster"
    folder.mkdir()
    (folder / "k.yaml").write_text(pools("v1", ("broker", EMPTY_DIR)) + TOPIC, encoding="utf-8")
    result = epochal.audit(
        folder, kafka="4.1.1", searches=False, policy=tmp_path / "audit.toml", lock=tmp_path / "no.json"
    )
    (missed,) = (one for one in result.errors if one.rule == "policy")
    assert missed.title.startswith("clean: acked lost") and "no write" not in missed.title


def test_resources_of_two_clusters_are_refused(tmp_path: Path) -> None:
    text = KAFKA.format(version="v1", storage=CLAIM) + TOPIC.replace("cluster: demo", "cluster: other")
    (tmp_path / "k.yaml").write_text(text, encoding="utf-8")
    assert "k.yaml:6: a is of the cluster other, beside demo in k.yaml:1" in refused(tmp_path)[0]


def test_what_a_resource_leaves_to_others_is_told(tmp_path: Path) -> None:
    kafka = (
        "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\n"
        "metadata: {name: demo, annotations: {strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}\n"
        "spec: {kafka: {version: 3.9.1, rack: {topologyKey: zone}}, zookeeper: {replicas: 3}}\n---\n"
    )
    result = audited(
        tmp_path, k_yaml=kafka + TOPIC.replace("labels:", "annotations: {strimzi.io/managed: 'false'}, labels:")
    )
    assert {"not-read/racks", "not-read/storage", "not-read/a"} <= set(rules(result))
    assert ", KRaft, " in str(result), "the section of ZooKeeper is ignored then"


def test_pools_are_counted(tmp_path: Path) -> None:
    text = pools("v1", ("broker", CLAIM), ("controller", CLAIM)).replace(
        "replicas: 3, roles: [c", "replicas: 1, roles: [c"
    )
    result = audited(tmp_path, "4.1.1", k_yaml=text + TOPIC)
    assert ", 3 brokers, " in str(result) and "quorum/controllers" in rules(result)


def test_the_topic_of_tiered_storage_is_kafkas_own(tmp_path: Path) -> None:
    (one,) = of_topics(tmp_path, topic("__remote_log_metadata")).audit.audited.topics
    assert one.topic.is_internal and all(kind.acks_known for kind in one.kinds)


def test_a_node_whose_file_is_not_there_is_named(tmp_path: Path) -> None:
    """Its values may be weaker than those of the others, which are taken for all."""
    node = "process.roles=broker\nnode.id={}\nmin.insync.replicas=2\n"
    two = {f"s{n}_properties": node.format(n) for n in (1, 2)}
    assert "nodes-unknown/node 3" in rules(audited(tmp_path, "3.9", topics_txt=topic("a", 3, ""), **two))
    all_of_them = audited(tmp_path, "3.9", s3_properties=node.format(3))
    assert not any(rule.startswith("nodes-unknown") for rule in rules(all_of_them))


@pytest.mark.parametrize("resource", [True, False])
def test_what_all_nodes_have_counts_beside_what_one_broker_told(tmp_path: Path, resource: bool) -> None:
    """The controller that leads may read another value than the broker that was asked: unclean election then."""
    if resource:
        text = KAFKA.format(version="v1", storage=CLAIM).replace(
            "storage:", "config: {unclean.leader.election.enable: true}, storage:"
        )
    else:
        text = "num.io.threads=8\nunclean.leader.election.enable=true\n"
    result = audited(tmp_path, "4.1.1", topics_txt=topic("a"), **{"k_yaml" if resource else "all_properties": text})
    assert True in {kind.unclean for kind in result.audit.audited.classes}
    assert "min-isr-differs/a" in rules(result) or "acked-lost/a" in rules(result)


def test_the_file_of_a_node_counts_beside_that_of_all(tmp_path: Path) -> None:
    result = audited(
        tmp_path,
        "3.9",
        c_txt="Dynamic configs for topic a are:\n",
        t_yaml=TOPIC.replace(", config: {min.insync.replicas: 2}", ""),
        all_properties="num.io.threads=8\nmin.insync.replicas=2\n",
        s1_properties="process.roles=broker\nnode.id=1\nmin.insync.replicas=1\n",
        s2_properties="process.roles=broker\nnode.id=2\n",
    )
    (one,) = result.audit.audited.topics
    assert 1 in {kind.min_isr for kind in one.kinds}


# Known losses of tiered storage and transactional ids: by release, and only where the settings are of that kind.

TIERED = "min.insync.replicas=2,remote.storage.enable=true"
LIMITED = f"{TIERED},retention.bytes=1000"
SHORT = f"{TIERED},local.retention.ms=1000"
ONE_COPY = "min.insync.replicas=1,remote.storage.enable=true"


@for_each("release", VERSIONS)
def test_which_releases_have_it(release: str) -> None:
    version = numbered(release)
    assert RETENTION.is_in(release) == ((3, 9) <= version < (4, 4) and not (4, 3, 2) <= version < (4, 4))
    assert METADATA.is_in(release) == ((3, 6) <= version < (4, 3))
    assert IDS.is_in(release) == ((4, 0) <= version < (4, 3))


def test_a_point_release_may_have_the_fix() -> None:
    assert [RETENTION.is_in(one) for one in ("4.3.1", "4.3.2", "4.3.3", "4.4", "4.2.9")] == [
        True,
        False,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("configs", "kafka", "told"),
    [
        (LIMITED, "4.2.1", True),
        (LIMITED, "4.3.1", True),
        (LIMITED, "3.9.2", True),
        (LIMITED, "3.8.1", False),
        (LIMITED, "4.4", False),
        (LIMITED, "3.5", False),
        (TIERED, "4.2.1", False),
        (f"{TIERED},retention.bytes=-1", "4.2.1", False),
        ("retention.bytes=1000", "4.2.1", False),
        ("remote.storage.enable=false,retention.bytes=1000", "4.2.1", False),
    ],
)
def test_a_limit_of_size_in_tiered_storage(tmp_path: Path, configs: str, kafka: str, told: bool) -> None:
    found = rules(of_topics(tmp_path, topic("t", 3, configs), kafka=kafka))
    assert ("tiered-retention/t" in found) == told


@pytest.mark.parametrize(
    ("configs", "kafka", "told"),
    [
        (f"{SHORT},unclean.leader.election.enable=true", "4.4", True),
        (f"{SHORT},unclean.leader.election.enable=true", "3.9.2", True),
        (f"{SHORT},unclean.leader.election.enable=true", "3.5", False),
        (f"{ONE_COPY},local.retention.ms=1000,retention.ms=1001", "4.4", True),
        (f"{ONE_COPY},local.retention.bytes=1000", "4.4", True),
        (SHORT, "4.4", False),
        # the disks keep everything that the log does
        (f"{TIERED},unclean.leader.election.enable=true", "4.4", False),
        (f"{ONE_COPY},local.retention.ms=-2,local.retention.bytes=-2", "4.4", False),
        (f"{ONE_COPY},local.retention.ms=1000,retention.ms=1000", "4.4", False),
        (f"{ONE_COPY},local.retention.ms=604800000", "4.4", False),
        ("min.insync.replicas=1,unclean.leader.election.enable=true", "4.4", False),
        ("min.insync.replicas=1,remote.storage.enable=false,local.retention.ms=1000", "4.4", False),
    ],
)
def test_tiered_storage_after_an_election_that_loses_records(
    tmp_path: Path, configs: str, kafka: str, told: bool
) -> None:
    found = rules(of_topics(tmp_path, topic("t", 3, configs), kafka=kafka))
    assert ("tiered-lineage/t" in found) == told


def test_both_settings_that_let_an_election_lose_what_was_uploaded(tmp_path: Path) -> None:
    """Each with its fix: neither alone is enough."""
    configs = f"{ONE_COPY},local.retention.ms=1000,unclean.leader.election.enable=true"
    result = of_topics(tmp_path, topic("t", 3, configs), kafka="4.4")
    steps = [
        step for one in result.findings_left if one.rule == "tiered-lineage" and one.fix for step in one.fix.commands
    ]
    set_to = [step.split(" --add-config ")[1] for step in steps if " --add-config " in step]
    assert set_to == ["unclean.leader.election.enable=false", "min.insync.replicas=2"]
    assert all("and: " not in step for step in steps)


def test_metadata_of_tiered_storage_on_one_replica(tmp_path: Path) -> None:
    tiered = topic("t", 3, TIERED)
    key = "tiered-metadata/__remote_log_metadata"
    assert key in rules(of_topics(tmp_path, tiered, kafka="4.2")), "it is made by the release"
    assert key not in rules(of_topics(tmp_path, tiered, kafka="4.3"))
    for wanted in (1, 2):
        there = topic("__remote_log_metadata", 3, f"min.insync.replicas={wanted}")
        assert (key in rules(of_topics(tmp_path, tiered, there, kafka="4.4"))) == (wanted == 1), "it stays as it is"


def test_kafka_waits_for_all_of_the_isr_of_its_metadata(tmp_path: Path) -> None:
    result = of_topics(tmp_path, topic("__remote_log_metadata"))
    (kind,) = result.audit.audited.classes
    assert (kind.acks, kind.acks_known) == ("all", True)


def test_transactional_ids(tmp_path: Path) -> None:
    text = topic("__transaction_state")
    assert "producer-ids/__transaction_state" in rules(of_topics(tmp_path, text, kafka="4.2.1"))
    assert "producer-ids/__transaction_state" not in rules(of_topics(tmp_path, text, kafka="4.3"))
    assert "producer-ids/__transaction_state" not in rules(of_topics(tmp_path, text, kafka="3.9"))
