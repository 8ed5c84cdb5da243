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
