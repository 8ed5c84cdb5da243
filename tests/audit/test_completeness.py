"""What an audit must never say: that something is kept which a larger answer loses, or that nobody has decided."""

from __future__ import annotations

from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.api.audit_cells import cell, rows
from epochal.kafka.audit.cluster import COMPARED
from epochal.kafka.audit.decided import DEEPER, SHOWN
from epochal.kafka.audit.rules_loss import TIERED, known_bugs
from epochal.kafka.audit.rules_settings import AUTO_CREATE, DEFAULT_COPIES, PLANNED
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft.heeded import TABLE
from tests.audit.golden import KEYWORDS, audited
from tests.audit.test_requests import of_topics, refused, rules, topic


def cells(result: ClusterAudit) -> list[str]:
    audit = result.audit.audited
    return [text for cells in rows(audit) for text, _ in cells]


def test_every_setting_that_an_audit_reads_is_in_the_table_of_releases() -> None:
    read = {
        *COMPARED,
        "acks",
        "enable.idempotence",
        *(one.setting for one in PLANNED),
        AUTO_CREATE,
        DEFAULT_COPIES,
        TIERED,
    }
    assert read <= {one.setting for one in TABLE}


@pytest.mark.parametrize("release", ["2.8", "3.3", "4.4", "4.3.1"])
def test_what_is_not_decided_is_not_kept(tmp_path: Path, release: str) -> None:
    """A release is called kept only where an answer of its own rules is known."""
    result = of_topics(tmp_path, topic("orders"), kafka=release)
    audit = result.audit.audited
    for kind in audit.classes:
        for fault in SHOWN:
            one = audit.decider.under(kind, fault)
            text, _ = cell(audit, one)
            assert text.startswith("kept") == (one.designed.word == "kept" and one.shipped.word != "open")
            assert (text == "kept*") == one.by_release


@pytest.mark.parametrize("kafka", [None, "given"])
def test_an_unknown_release_keeps_nothing(tmp_path: Path, kafka: str | None) -> None:
    text = (
        "Feature: metadata.version\tSupportedMinVersion: 3.3-IV3\tSupportedMaxVersion: 7.0-IV0\t"
        "FinalizedVersionLevel: 7.0-IV0\n"
    )
    (tmp_path / "topics.txt").write_text(topic("orders") + topic("one", 1, ""), encoding="utf-8")
    if kafka is None:
        (tmp_path / "features.txt").write_text(text, encoding="utf-8")
    found = epochal.audit(tmp_path, searches=False, lock=tmp_path / "no.json")
    assert not any(text.startswith("kept") for text in cells(found))
    assert "release-unknown/cluster" in rules(found)
    assert all("kept" not in (one.fix.decided if one.fix else "") for one in found.findings_left)
    for word in ("2.7", "7.0", "latest"):
        assert f"no release of Kafka is known as '{word}'" in refused(tmp_path, kafka=word)[0]


@pytest.mark.parametrize("name", KEYWORDS)
def test_a_larger_answer_that_loses_is_told(name: str) -> None:
    """What two faults lose together stands in some finding of each topic that the table calls kept."""
    audit = audited(name).audit
    for kind, topics in audit.audited.classes.items():
        if kind.copies == 1 or not audit.audited.decides:
            continue
        for fault in DEEPER:
            one = next((one for one in audit.audited.decider.all_of(kind) if one.fault.id == fault), None)
            alone = all(audit.audited.decider.under(kind, shown).designed.word == "kept" for shown in SHOWN)
            if one is None or not one.worst.is_lost or not alone:
                continue
            told = {subject for found in audit.findings if fault in found.broken for subject in found.subjects}
            assert {topic.topic.name for topic in topics} <= told, (name, fault)


def test_every_known_bug_of_a_release_is_behind_a_run_or_told(tmp_path: Path) -> None:
    result = of_topics(tmp_path, topic("orders"), kafka="3.9")
    audit = result.audit.audited
    (note,) = known_bugs(audit)
    reached = {id for kind in audit.classes for one in audit.decider.all_of(kind) for id in one.shipped.behind}
    assert "S15" in reached
    number = int(note.title.split()[0])
    with_elr = [bug for bug in BUGS if "with ELR" in bug.versions]
    had = [bug for bug in BUGS if bug.was_in("3.9") and bug not in with_elr and bug.id not in reached]
    assert 0 < number <= len(had)
    assert any("KAFKA-18991" in line for line in note.why), "a hole of 3.9.0 that these searches do not need"


def test_an_idempotent_producer_waits_for_all(tmp_path: Path) -> None:
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-8")
    (tmp_path / "app.properties").write_text("enable.idempotence=true\n", encoding="utf-8")
    found = epochal.audit(tmp_path, kafka="4.3", searches=False, lock=tmp_path / "no.json")
    (kind,) = found.audit.audited.classes
    assert kind.acks == "all" and kind.acks_known
    (tmp_path / "app.properties").write_text("acks=1\nenable.idempotence=true\n", encoding="utf-8")
    message, _ = refused(tmp_path, kafka="4.3")
    assert "app.properties:1: acks is 1, beside enable.idempotence=true (app.properties:2)" in message


@pytest.mark.parametrize("acks", ["-1", "all"])
def test_minus_one_is_all(tmp_path: Path, acks: str) -> None:
    (tmp_path / "topics.txt").write_text(topic("orders"), encoding="utf-8")
    (tmp_path / "app.properties").write_text(f"acks={acks}\n", encoding="utf-8")
    found = epochal.audit(tmp_path, kafka="4.3", searches=False, lock=tmp_path / "no.json")
    assert [kind.acks for kind in found.audit.audited.classes] == ["all"]


def test_five_replicas_are_not_called_the_same(tmp_path: Path) -> None:
    found = of_topics(tmp_path, topic("ledger", 5, "min.insync.replicas=3"))
    (note,) = [one for one in found.findings_left if one.rule == "acks-unknown"]
    assert note.why[0] == "With acks=1: not decided (ledger)."


def test_another_release_than_the_files_tell_is_a_contradiction() -> None:
    found = audited("good", kafka="3.9")
    assert "contradiction/the cluster" in rules(found)
    assert "contradiction/the cluster" not in rules(audited("good", kafka="4.3"))
    assert "contradiction/the cluster" not in rules(audited("good", what_if="cluster:kafka=4.2"))


def test_a_change_that_lets_writes_go_on_loses_nothing_else() -> None:
    """The topic has unclean elections on: they go with the change."""
    found = audited("strimzi-elr")
    (one,) = [one for one in found.findings_left if one.rule == "no-writes"]
    assert one.fix is not None and "LOST" not in one.fix.decided
    assert any("unclean.leader.election.enable=false" in line for line in one.fix.commands)


SAID = {
    "topic": "Dynamic configs for topic orders are:\n  min.insync.replicas=5 sensitive=false "
    "synonyms={DYNAMIC_TOPIC_CONFIG:min.insync.replicas=5}\n",
    "broker": "".join(
        f"All configs for broker {number} are:\n  min.insync.replicas=4 sensitive=false "
        "synonyms={DYNAMIC_BROKER_CONFIG:min.insync.replicas=4}\n"
        for number in range(1, 7)
    ),
    "cluster": "Default configs for brokers in the cluster are:\n  min.insync.replicas=3 sensitive=false "
    "synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=3}\n",
    "file": "process.roles=broker\nnode.id={}\nmin.insync.replicas=2\n",
}
"""Who may set a value, strongest first, each with another one."""


@pytest.mark.parametrize("elr", [False, True])
@pytest.mark.parametrize("strongest", range(5))
def test_who_has_set_a_value_decides_which_one_counts(tmp_path: Path, strongest: int, elr: bool) -> None:
    """DYNAMIC_TOPIC, DYNAMIC_BROKER, DYNAMIC_DEFAULT_BROKER, STATIC_BROKER, DEFAULT; with ELR on none of one broker."""
    (tmp_path / "topics.txt").write_text(topic("orders", 6, "").splitlines()[1] + "\n", encoding="utf-8")
    (tmp_path / "features.txt").write_text(
        "Feature: eligible.leader.replicas.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\t"
        f"FinalizedVersionLevel: {int(elr)}\n",
        encoding="utf-8",
    )
    for level in list(SAID)[strongest:]:
        for number in range(1, 7) if level == "file" else (1,):
            name = f"server-{number}.properties" if level == "file" else f"{level}.txt"
            (tmp_path / name).write_text(SAID[level].replace("{}", str(number)), encoding="utf-8")
    found = epochal.audit(tmp_path, kafka="4.3", searches=False, lock=tmp_path / "no.json")
    (one,) = found.audit.audited.topics
    expected = [("5", "topic"), ("4", "broker"), ("3", "cluster"), ("2", "file"), ("1", "default")]
    if elr:
        expected[1], expected[3] = expected[2], expected[4]
    assert (one.min_isr.value, one.min_isr.level) == expected[strongest]
