"""Topics that a repository declares: plans of Terraform, and the files of Jikkou and kafka-gitops."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.api.audit_cells import guarantees_of
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.kraft.heeded import MIN_ISR, UNCLEAN
from tests.audit.golden import CLUSTERS
from tests.audit.test_pull_requests import strimzi, terraform


def audited(path: Path, kafka: str | None = "4.1", **keywords: Any) -> ClusterAudit:
    return epochal.audit(path, kafka=kafka, searches=False, lock=path.parent / "no.json", **keywords)


def settings_of(result: ClusterAudit) -> dict[str, tuple[str, str]]:
    """Copies and min.insync.replicas of each topic, as the table has them."""
    return {name: (rows[0][0], rows[0][1]) for name, rows in guarantees_of(result.audit).items()}


def test_a_plan_of_terraform() -> None:
    """Four providers' topics, in the root and in a module; settings of MSK; what is known only later is not known."""
    result = audited(CLUSTERS / "terraform", kafka=None)
    assert settings_of(result) == {
        "audit-log": ("2", "1"),
        "clicks": ("3", "1"),
        "events": ("3", "2"),
        "late": ("3", "? if 1"),
        "orders": ("3", "2"),
        "payments": ("3", "2"),
    }
    assert result.audit.audited.releases == ("3.9",) or result.audit.audited.releases == ("3.9.0",)
    (late,) = [one for one in result.findings_left if one.rule == "not-read" and one.subjects == ("late",)]
    assert "known after the plan was applied" in late.title


def test_jikkou_and_its_config_maps() -> None:
    result = audited(CLUSTERS / "jikkou")
    assert settings_of(result) == {"clicks": ("3", "1"), "orders": ("3", "2"), "payments": ("3", "2")}
    assert [one.subjects for one in result.findings_left if one.rule == "not-decided"] == [("sessions",)]


def test_a_state_of_kafka_gitops() -> None:
    result = audited(CLUSTERS / "gitops")
    assert settings_of(result) == {"clicks": ("3", "1"), "import": ("1", "? if 1"), "orders": ("3", "2")}


def test_four_forms_of_one_cluster_say_the_same(tmp_path: Path) -> None:
    """Each form as its tool has it: the classes are the same, and so is what is decided of them."""
    gitops = "topics:\n" + "".join(
        f"  {name}:\n    partitions: 3\n    replication: 3\n    configs:\n      min.insync.replicas: {value}\n"
        for name, value in (("orders", 2), ("clicks", 1))
    )
    jikkou = "---\n".join(
        f"apiVersion: kafka.jikkou.io/v1beta2\nkind: KafkaTopic\nmetadata: {{name: {name}}}\n"
        f"spec: {{partitions: 3, replicas: 3, configs: {{min.insync.replicas: {value}}}}}\n"
        for name, value in (("orders", 2), ("clicks", 1))
    )
    texts = {
        "topics.yaml": f"{strimzi('orders', 2)}---\n{strimzi('clicks', 1, api='v1beta2')}",
        "jikkou.yaml": jikkou,
        "state.yaml": gitops,
        "plan.json": terraform({}, {"orders": "2", "clicks": "1"}),
    }
    found = []
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
        found.append(settings_of(audited(tmp_path / name)))
    assert found[0] == {"orders": ("3", "2"), "clicks": ("3", "1")} and all(one == found[0] for one in found)


HUGE = '{"format_version": "1.2", "planned_values": '
PLAN = terraform({}, {"orders": "2"})
COPIES = '"replication_factor": '
JIKKOU = "apiVersion: kafka.jikkou.io/v1beta2\nkind: KafkaTopic\nmetadata: {name: a}\n"
LAUGHS = "".join(
    f"  {new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("plan.json", HUGE + '{"root_module": ', "plan.json:1: no JSON"),
        ("plan.json", HUGE + "[" * 100_000, "too deep"),
        ("plan.json", HUGE + "9" * 10_000 + "}", "huge numbers"),
        ("plan.json", '{"format_version": "1.2", "errored": true}', "without planned_values"),
        ("plan.json", PLAN.replace('"kafka_topic"', '"x"'), "no file describes a topic"),
        ("plan.json", PLAN.replace('"name": "orders",\n      "part', '"part'), "not known before"),
        ("plan.json", PLAN.replace(f"{COPIES}3", f"{COPIES}[]"), "no value"),
        ("plan.json", PLAN.replace(f"{COPIES}3", f"{COPIES}-3"), "not a number above zero"),
        ("a.yaml", f"{JIKKOU}spec: {'[' * 50_000}", "not nested so deeply"),
        ("a.yaml", f"{JIKKOU}spec:\n  a: &a [x, x, x, x, x, x, x, x, x]\n{LAUGHS}", "aliases repeat more than"),
        ("a.yaml", f"{JIKKOU}spec: {{replicas: '{{{{ values.replicas }}}}'}}\n", "a.yaml:4: a template of Jikkou"),
        ("a.yaml", f"{JIKKOU}spec: {{replicas: many}}\n", "'many', and not a number above zero"),
        ("a.yaml", "apiVersion: kafka.jikkou.io/v1beta2\nkind: KafkaTopic\nspec: {}\n", "without metadata.name"),
        ("s.yaml", "topics:\n  orders:\n    partitions: 3\n  clicks:\n", "s.yaml:4: a topic without partitions"),
        ("s.yaml", "topics:\n  a:\n    partitions: 3\n    replication: 3\n   x: [", "s.yaml:5: no YAML"),
        ("s.yaml", "topics:\n  \"a\\e[2J\":\n    partitions: 3\n    replication: 0\n", "not a number above zero"),
        ("s.yaml", f"topics:\n  {'a' * 300}:\n    partitions: 3\n", "a name of 300 characters"),
    ],
)  # fmt: skip
def test_bad_input_gets_one_message(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(EpochalError) as caught:
        audited(file)
    assert caught.value.exit_code == ExitCode.USAGE
    assert said in str(caught.value) and "\x1b" not in str(caught.value)


def test_a_name_that_a_terminal_would_obey_is_a_text_in_markdown(tmp_path: Path) -> None:
    """Neither a terminal nor Markdown obeys a topic: no link, no mention, no end of a table's cell."""
    name = "a\x1b[2J|`[x](http://evil) @all <img>"
    (tmp_path / "plan.json").write_text(terraform({}, {name: "1"}))
    result = audited(tmp_path / "plan.json", against=CLUSTERS / "jikkou")
    result.write(tmp_path / "out")
    summary = (tmp_path / "out" / "summary.md").read_text()
    (row,) = [line for line in summary.splitlines() if "evil" in line and line.startswith("|")]
    assert "\x1b" not in summary and "`a\\x1b[2J\\|'[x](http://evil) @all <img>`" in row


def test_a_long_plan_on_one_line_is_read_whole(tmp_path: Path) -> None:
    """Terraform writes one line, which is longer than any other file's."""
    plan = json.loads(terraform({}, {"orders": "2"}))
    plan["variables"] = {"padding": {"value": "x" * (1 << 24)}}
    (tmp_path / "plan.json").write_text(json.dumps(dict(sorted(plan.items()))))
    assert settings_of(audited(tmp_path / "plan.json")) == {"orders": ("3", "2")}


# -- known later ------------------------------------------------------------------------------------------------------


def later(unknown: Any, *changes: dict[str, Any], config: Any = None, **document: Any) -> str:
    """A plan with one topic, of which something is known only after it was applied."""
    values = {"name": "late", "replication_factor": 3, "config": {MIN_ISR: "2"} if config is None else config}
    topic = {"address": "kafka_topic.late", "type": "kafka_topic", "values": values}
    change = {"address": "kafka_topic.late", "change": {"actions": ["create"], "after_unknown": unknown}}
    planned = {"root_module": {"resources": [topic]}}
    return json.dumps(
        {"format_version": "1.2", "planned_values": planned, "resource_changes": [change, *changes]} | document
    )


def elects_uncleanly(path: Path, text: str) -> set[bool]:
    """The values of unclean election for which the topic `late` is judged."""
    path.write_text(text)
    (topic,) = audited(path).audit.audited.topics
    return {kind.unclean for kind in topic.kinds}


BOTH, FALSE_ALONE = {True, False}, {False}


@pytest.mark.parametrize(
    ("unknown", "wanted"),
    [
        ({}, FALSE_ALONE),
        ({"id": True, "config": {}}, FALSE_ALONE),
        ({"config": {"retention.ms": True}}, FALSE_ALONE),
        ({"config": {UNCLEAN: False}}, FALSE_ALONE),
        ({"config": {UNCLEAN: True}}, BOTH),
        ({"config": True}, BOTH),
        ({"config": [{"unclean_leader_election_enable": True}]}, BOTH),
        ({"config": [{"retention_ms": True}]}, FALSE_ALONE),
        ({"config": [True]}, BOTH),
    ],
    ids=str,
)
def test_unclean_election_that_is_known_only_later_is_both(tmp_path: Path, unknown: Any, wanted: set[bool]) -> None:
    """Kafka's default does not count for a topic that sets it; and another unknown setting says nothing."""
    assert elects_uncleanly(tmp_path / "plan.json", later(unknown)) == wanted


def test_what_is_known_only_later_is_not_what_another_file_says(tmp_path: Path) -> None:
    """Files of today say what was before the plan."""
    (tmp_path / "plan.json").write_text(later({"config": {MIN_ISR: True, UNCLEAN: True}}, config={}))
    (tmp_path / "topics.txt").write_text(
        f"Topic: late\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: {MIN_ISR}=2,{UNCLEAN}=false\n"
        "\tTopic: late\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    )
    result = audited(tmp_path)
    (topic,) = result.audit.audited.topics
    assert {kind.unclean for kind in topic.kinds} == BOTH
    assert [case.supposed for case in topic.cases] == [1, 2, 3]
    assert "YES ?: it is known only after the plan was applied" in str(result)


def test_a_whole_topic_that_is_known_only_later(tmp_path: Path) -> None:
    assert elects_uncleanly(tmp_path / "plan.json", later(True)) == BOTH


def test_a_topic_that_is_replaced_is_what_it_will_be(tmp_path: Path) -> None:
    """The object that goes stands beside it, at the same address, and all of it is known."""
    deposed = {"address": "kafka_topic.late", "deposed": "8a1b", "change": {"actions": ["delete"], "after_unknown": {}}}
    assert elects_uncleanly(tmp_path / "plan.json", later({"config": {UNCLEAN: True}}, deposed)) == BOTH


def test_a_map_that_no_file_has_may_set_it(tmp_path: Path) -> None:
    """What the topic has itself counts before it. A map that is there does not where one that is not comes after it."""
    head = "apiVersion: kafka.jikkou.io/v1beta2\nkind: KafkaTopic\nmetadata: {name: late}\nspec:\n  replicas: 3\n"
    core = "apiVersion: core.jikkou.io/v1beta2\nkind: ConfigMap\n"
    there = f"---\n{core}metadata: {{name: there}}\ndata: {{{UNCLEAN}: false}}\n"
    own = f"  configs: {{{MIN_ISR}: 2, {UNCLEAN}: false}}\n"
    path = tmp_path / "topic.yaml"
    assert elects_uncleanly(path, f"{head}  configMapRefs: [gone]\n") == BOTH
    assert elects_uncleanly(path, f"{head}{own}  configMapRefs: [gone]\n") == FALSE_ALONE
    assert elects_uncleanly(path, f"{head}  configMapRefs: [there]\n{there}") == FALSE_ALONE
    assert elects_uncleanly(path, f"{head}  configMapRefs: [there, gone]\n{there}") == BOTH


def test_topics_that_a_plan_defers_are_named(tmp_path: Path) -> None:
    one = {"address": 'kafka_topic.more["a"]', "type": "kafka_topic", "change": {"actions": ["create"]}}
    other = {"address": "aws_instance.b", "type": "aws_instance", "change": {"actions": ["create"]}}
    data = {**one, "address": "data.kafka_topic.c", "mode": "data"}
    deferred = [{"reason": "instance_count_unknown", "resource_change": change} for change in (one, other, data)]
    (tmp_path / "plan.json").write_text(later({}, deferred_changes=[*deferred, None, {"resource_change": 3}]))
    (found,) = [finding for finding in audited(tmp_path / "plan.json").findings_left if finding.rule == "not-read"]
    assert found.subjects == ('kafka_topic.more["a"]',) and "a later plan makes or changes it" in found.title
