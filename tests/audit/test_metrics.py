"""The promises of topics as metrics, read by Prometheus' own parser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

import epochal
from epochal.api.audit_metrics import FINDINGS, PROMISE, UNKNOWN, WRITES
from tests.audit.golden import CLUSTERS
from tests.cli.conftest import Run

HEALTHY = CLUSTERS / "kafka-4.3.1" / "healthy"

Samples = dict[tuple[str, ...], float]


def samples_of(text: str, name: str, *labels: str) -> Samples:
    """The values of a metric, by some of its labels."""
    (family,) = [one for one in text_string_to_metric_families(text) if one.name == name]
    assert family.type == "gauge" and family.documentation.endswith(".")
    found = {tuple(one.labels[label] for label in labels): one.value for one in family.samples}
    assert len(found) == len(family.samples)
    return found


def test_every_promise_is_the_report_s(tmp_path: Path) -> None:
    """What is in the cells of the table, and in the JSON, is in the metrics."""
    result = epochal.audit(HEALTHY, searches=False, lock=tmp_path / "none.json")
    text = result.to_prometheus()
    wanted: Samples = {}
    for one in result.to_dict()["classes"]:
        for fault in one["faults"]:
            if fault["fault"] in ("fencing", "clean", "two-clean", "lossy"):
                designed = fault["as_designed"]["verdict"]
                shipped = designed if designed.endswith("lost") else fault["as_shipped"]["verdict"]
                for topic in one["topics"]:
                    wanted[topic, fault["fault"], "designed"] = float(designed == "kept")
                    wanted[topic, fault["fault"], "shipped"] = float(shipped == "kept")
    assert samples_of(text, PROMISE, "topic", "fault", "rules") == wanted
    assert wanted["clicks", "lossy", "designed"] == 0 and wanted["payments", "lossy", "designed"] == 1
    assert wanted["payments", "lossy", "shipped"] == 0
    writes = samples_of(text, WRITES, "topic", "down")
    assert {name: writes[name, "1"] for name in ("orders", "payments", "import")} == {
        "orders": 0,
        "payments": 1,
        "import": 0,
    }
    assert samples_of(text, FINDINGS, "severity") == {
        (word,): float(sum(one.severity == word for one in result.findings_left))
        for word in ("error", "warning", "note")
    }
    assert samples_of(text, UNKNOWN, "cluster") == {("healthy",): 0}


def test_what_is_not_decided_is_absent(tmp_path: Path) -> None:
    topics = tmp_path / "topics.txt"
    topics.write_text(
        "Topic: wide\tTopicId: a\tPartitionCount: 1\tReplicationFactor: 5\tConfigs: min.insync.replicas=2\n"
        "\tTopic: wide\tPartition: 0\tLeader: 1\tReplicas: 1,2,3,4,5\tIsr: 1,2,3,4,5\n",
        encoding="utf-8",
    )
    text = epochal.audit(topics, kafka="4.3", searches=False, lock=tmp_path / "none.json").to_prometheus()
    assert samples_of(text, PROMISE, "topic") == {} and samples_of(text, WRITES, "topic") == {}
    assert samples_of(text, UNKNOWN, "cluster") == {("topics.txt",): 1}


NAMES = (
    'q"uote',
    "back\\slash",
    "new\nline",
    "\\n",
    'a"} 1',
    "tab\tand\r",
    "snow\N{SNOWMAN}",
    "{}=,",
    "\N{LINE SEPARATOR}",
)


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_names_are_escaped(name: str, tmp_path: Path) -> None:
    """Whatever a file calls a topic is one label's value, and adds no line."""
    file = tmp_path / "topic.json"
    spec = {"topicName": name, "replicas": 2, "config": {"min.insync.replicas": 1}}
    resource = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic", "metadata": {"name": "t"}, "spec": spec}
    file.write_text(json.dumps(resource), encoding="utf-8")
    result = epochal.audit(file, kafka="4.3", searches=False, lock=tmp_path / "none.json")
    text = result.to_prometheus()
    (told,) = {labels[0] for labels in samples_of(text, PROMISE, "topic", "fault", "rules")}
    kept = "".join("\N{REPLACEMENT CHARACTER}" if one in "\t\r\N{LINE SEPARATOR}" else one for one in name)
    assert told == kept
    assert all(line.startswith(("#", "epochal_audit_")) for line in text.splitlines()) and text.endswith("\n")


def test_the_file_is_written_whole_or_not_at_all(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "metrics" / "kafka.prom"
    refused = run("audit", str(HEALTHY), "--no-search", "--prometheus", str(file))
    assert refused.exit_code == 153 and "nothing can be written there" in refused.output
    assert "Give --prometheus a file" in refused.output
    file.parent.mkdir()
    file.write_text("old", encoding="utf-8")
    done = run("audit", str(HEALTHY), "--no-search", "--prometheus", str(file))
    assert done.exit_code == 12 and str(file.name) in done.output
    text = file.read_text(encoding="utf-8")
    assert samples_of(text, FINDINGS, "severity")[("error",)] > 0
    assert [one.name for one in file.parent.iterdir()] == ["kafka.prom"]
