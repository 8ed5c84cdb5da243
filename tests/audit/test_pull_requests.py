"""An audit in a pull request: in a real repository, by the steps of the Action. A script plays GitHub's comments."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

import epochal
from epochal.cli.main import main
from epochal.errors import EpochalError
from epochal.exit_codes import ExitCode
from tests.audit.golden import CLUSTERS
from tests.checker.gate.test_reports import validate_sarif

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "audit" / "action.yml"
HOOK = ROOT / ".pre-commit-hooks.yaml"

GH = """#!{python}
import json, sys
from pathlib import Path
kept = Path({kept!r})
comments = json.loads(kept.read_text()) if kept.exists() else []
words = sys.argv[1:]
method = words[words.index("--method") + 1] if "--method" in words else "GET"
path = next(word for word in words[1:] if word.startswith("repos/"))
body = next((Path(word[6:]).read_text() for word in words if word.startswith("body=@")), "")
if method == "GET":
    print("\\n".join(str(one["id"]) for one in comments if one["body"].startswith("<!-- epochal-audit -->")))
elif method == "POST" and path == "repos/o/r/issues/7/comments":
    comments.append({{"id": len(comments) + 1, "body": body}})
elif method == "PATCH":
    next(one for one in comments if one["id"] == int(path.rpartition("/")[2]))["body"] = body
kept.write_text(json.dumps(comments))
"""
"""What `gh api` does with comments, kept in a file."""


@dataclass
class TopicRepository:
    """A repository with a branch `main`, and what a workflow leaves behind."""

    path: Path
    kept: Path
    environment: dict[str, str] = field(default_factory=dict)

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.path, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def write(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def commit(self, said: str = "topics") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", said)
        return self.git("rev-parse", "HEAD")

    def workflow(self, base: str, **inputs: str) -> tuple[int, str]:
        """Run the steps of the Action as a workflow does: the exit code of the audit, and the comment."""
        action = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
        given |= {
            "base": base,
            "kafka": "4.1",
            "install": "false",
            "comment": "true",
            "arguments": "\n--no-search",
            **inputs,
        }
        code = 0
        for step in action["runs"]["steps"][1:]:
            environment = {**self.environment, **{name: _filled(text, given) for name, text in step["env"].items()}}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
                cwd=self.path,
                env=environment,
                capture_output=True,
                text=True,
            )
            if step["name"] == "Audit":
                code = done.returncode
            else:
                assert done.returncode == 0, done.stderr
        comments = json.loads(self.kept.read_text()) if self.kept.exists() else []
        assert len(comments) <= 1
        return code, comments[0]["body"] if comments else ""


def _filled(text: str, inputs: Mapping[str, str]) -> str:
    """The expressions of a workflow, with the values of a pull request."""
    known = {
        "github.repository": "o/r",
        "github.event.pull_request.number": "7",
        "github.server_url": "https://github.example",
        "github.run_id": "5",
        **{f"inputs.{name}": value for name, value in inputs.items()},
    }
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda one: known[one[1]], str(text))


@pytest.fixture
def repository(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> TopicRepository:
    """A repository, with `epochal` and `gh` on the path. What is compiled for one run is kept for the others here."""
    tools = tmp_path / "bin"
    tools.mkdir()
    kept = tmp_path / "comments.json"
    for name, text in (
        ("epochal", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -P -m epochal "$@"\n'),
        ("gh", GH.format(python=sys.executable, kept=str(kept))),
    ):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    path = tmp_path / "repository"
    path.mkdir()
    made = TopicRepository(
        path,
        kept,
        {
            **os.environ,
            "EPOCHAL_CACHE_DIR": str(tmp_path_factory.getbasetemp() / "cache-of-workflows"),
            "PATH": f"{tools}:{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(tmp_path / "output"),
            "GITHUB_STEP_SUMMARY": str(tmp_path / "step-summary.md"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{who}_{what}": "t@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        },
    )
    made.git("init", "--quiet", "--initial-branch", "main")
    return made


@pytest.mark.parametrize("action", [ROOT / "action.yml", ACTION], ids=["gate", "audit"])
def test_no_module_of_the_checkout_is_run(action: Path, tmp_path: Path) -> None:
    """Each step starts in the checkout, where a `pip` or `json` of the change may lie."""
    checkout, elsewhere, tools = (tmp_path / name for name in ("checkout", "elsewhere", "tools"))
    for folder, said in ((checkout, "of the change"), (elsewhere, "installed")):
        for module in ("pip", "asked"):
            (folder / module).mkdir(parents=True)
            (folder / module / "__init__.py").touch()
            (folder / module / "__main__.py").write_text(f"print({said!r})\n")
    tools.mkdir()
    for name, words in (("python", '"$@"'), ("epochal", "-m asked")):
        (tools / name).write_text(f"#!/bin/sh\nexec {shlex.quote(sys.executable)} {words}\n")
        (tools / name).chmod(0o755)
    steps = yaml.safe_load(action.read_text(encoding="utf-8"))["runs"]["steps"]
    begun = [step for step in steps if "gh api" not in step["run"]]
    assert len(begun) == 2
    for step in begun:
        given = {name: "" if "${{" in str(value) else str(value) for name, value in step["env"].items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=checkout,
            env={
                **given,
                "PATH": f"{tools}:{os.environ['PATH']}",
                "PYTHONPATH": str(elsewhere),
                **{name: str(tmp_path / name) for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
            },
            capture_output=True,
            text=True,
        )
        assert done.stdout.startswith("installed\n"), (step["name"], done.stdout, done.stderr)


def strimzi(name: str, min_isr: int | None, more: str = "", api: str = "v1") -> str:
    """A KafkaTopic as it stands in a repository."""
    config = "" if min_isr is None else f"\n    min.insync.replicas: {min_isr}"
    return (
        f"apiVersion: kafka.strimzi.io/{api}\nkind: KafkaTopic\nmetadata:\n  name: {name}\n"
        "  labels:\n    strimzi.io/cluster: prod\nspec:\n  partitions: 3\n  replicas: 3\n"
        f"  config:{config or ' {}'}{more}\n"
    )


def terraform(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """A plan: topics by name, each with its min.insync.replicas."""

    def state(topics: Mapping[str, str]) -> dict[str, Any]:
        return {
            "root_module": {
                "resources": [
                    {
                        "address": f"kafka_topic.{name}",
                        "mode": "managed",
                        "type": "kafka_topic",
                        "name": name,
                        "values": {
                            "name": name,
                            "partitions": 1,
                            "replication_factor": 3,
                            "config": {"min.insync.replicas": value, "unclean.leader.election.enable": "false"},
                        },
                    }
                    for name, value in topics.items()
                ]
            }
        }

    plan = {"format_version": "1.2", "planned_values": state(after), "prior_state": {"values": state(before)}}
    return json.dumps(plan, indent=1)


GITOPS = "topics:\n  orders:\n    partitions: 3\n    replication: 3\n    configs:\n      min.insync.replicas: {}\n"
OLD_SIN = strimzi("clicks", 1)


@pytest.mark.slow
def test_five_pull_requests_in_three_forms(repository: TopicRepository) -> None:
    """A change that loses, one that loses nothing, one that adds a topic, one that mends, and one of another file.

    Each comment names the topics that the change is about, and no other one with an old fault.
    """
    repository.write("topics/orders.yaml", strimzi("orders", 2, api="v1beta2"))
    repository.write("topics/clicks.yaml", OLD_SIN)
    repository.write("gitops/state.yaml", GITOPS.format(2))
    base = repository.commit()

    # 1. Strimzi: a topic loses what it kept
    repository.write("topics/orders.yaml", strimzi("orders", 1, api="v1beta2"))
    code, comment = repository.workflow(base, paths="topics")
    assert code == ExitCode.VIOLATED
    assert "this change adds 1 error" in comment and "**error** `acked-lost` `orders`" in comment
    assert "(`topics/orders.yaml:11`" in comment and "entity-name orders" in comment
    assert "clicks" not in comment
    assert "[The report and its runs](https://github.example/o/r/actions/runs/5#artifacts)" in comment
    report = repository.path / "epochal-audit"
    (run,) = re.findall(r"`(runs/[^`]+\.html)`", comment)
    assert (report / run).is_file() and run.startswith("runs/orders-")
    sarif = json.loads((report / "audit.sarif").read_text())
    validate_sarif(sarif)
    (found,) = [one for one in sarif["runs"][0]["results"] if one["level"] == "error"]
    place = found["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("topics/orders.yaml", 11)

    # 2. kafka-gitops: nothing that counts; the comment is edited
    repository.git("checkout", "--quiet", "--", ".")
    repository.write("gitops/state.yaml", GITOPS.format(2).replace("partitions: 3", "partitions: 6"))
    code, comment = repository.workflow(base, paths="gitops")
    assert code == ExitCode.HOLDS and "this change adds 0 errors, 0 warnings" in comment
    assert "No guarantee of a topic changes." in comment

    # 3. Terraform: a new topic with one copy in sync
    repository.write("plan.json", terraform({"orders": "2"}, {"orders": "2", "events": "1"}))
    code, comment = repository.workflow(base, paths="plan.json")
    assert code == ExitCode.VIOLATED
    assert "`acked-lost` `events`" in comment and "| `events` | before | - |" in comment
    assert not re.search(r"`[a-z-]+` `orders`", comment)

    # 4. Strimzi: a fault is mended, and the file was damaged before
    repository.write("topics/clicks.yaml", strimzi("clicks", 2))
    code, comment = repository.workflow(base, paths="topics\n")
    assert code == ExitCode.HOLDS
    assert re.search(r"\| `clicks` \| before \| 3 \| 1 .*LOST 10", comment)

    # 5. a setting of the cluster: every topic without its own value
    repository.write("topics/cluster.yaml", CLUSTER.format(2))
    repository.write("topics/plain.yaml", strimzi("plain", None))
    base = repository.commit()
    repository.write("topics/cluster.yaml", CLUSTER.format(1))
    code, comment = repository.workflow(base, paths="topics", kafka="")
    assert code == ExitCode.VIOLATED
    assert "`acked-lost` `plain`" in comment and "`orders`" not in comment
    assert (repository.path.parent / "output").read_text().split() == [
        f"exit-code={int(one)}" for one in (12, 0, 12, 0, 12)
    ]


CLUSTER = """apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata:
  name: prod
spec:
  kafka:
    version: 4.1.0
    metadataVersion: 4.1-IV1
    config:
      auto.create.topics.enable: false
      default.replication.factor: 3
      min.insync.replicas: {}
      offsets.topic.replication.factor: 3
      transaction.state.log.replication.factor: 3
      share.coordinator.state.topic.replication.factor: 3
"""


def test_an_acceptance_in_the_repository_counts(repository: TopicRepository) -> None:
    repository.write("topics/orders.yaml", strimzi("orders", 2))
    base = repository.commit()
    repository.write("topics/orders.yaml", strimzi("orders", 1))
    words = ["epochal", "audit", "topics", "--kafka", "4.1", "--no-search", "--against", base]
    accepting = [*words, "--accept", "acked-lost/orders", "--reason", "a copy of another topic"]
    done = subprocess.run(accepting, cwd=repository.path, env=repository.environment, capture_output=True, text=True)
    assert done.returncode == ExitCode.HOLDS, done.stderr
    code, comment = repository.workflow(base, paths="topics")
    assert code == ExitCode.HOLDS and "1 finding accepted in `epochal-audit.lock.json`" in comment


def test_a_change_mends_a_damaged_file(repository: TopicRepository) -> None:
    repository.write("topics/orders.yaml", "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: [\n")
    base = repository.commit()
    repository.write("topics/orders.yaml", strimzi("orders", 1))
    code, comment = repository.workflow(base, paths="topics")
    assert code == ExitCode.VIOLATED and "cannot be read, so that everything is told" in comment


def test_a_damaged_file_is_told_and_no_comment_is_written(repository: TopicRepository) -> None:
    repository.write("topics/orders.yaml", strimzi("orders", 2))
    base = repository.commit()
    repository.write("topics/orders.yaml", "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: [\n")
    assert repository.workflow(base, paths="topics") == (ExitCode.USAGE, "")


def test_the_last_topic_may_go(repository: TopicRepository) -> None:
    repository.write("topics/orders.yaml", strimzi("orders", 2))
    base = repository.commit()
    (repository.path / "topics" / "orders.yaml").unlink()
    code, comment = repository.workflow(base, paths=".")
    assert code == ExitCode.HOLDS and "| `orders` | before | 3 |" in comment


def test_the_hook_refuses_what_loses(repository: TopicRepository) -> None:
    hooks = {one["id"]: one for one in yaml.safe_load(HOOK.read_text(encoding="utf-8"))}
    words = [*shlex.split(hooks["epochal-audit"]["entry"]), "topics", "--kafka", "4.1"]
    repository.write("topics/orders.yaml", strimzi("orders", 2))
    repository.write("topics/clicks.yaml", OLD_SIN)
    repository.commit()

    def run() -> int:
        return subprocess.run(words, cwd=repository.path, env=repository.environment, capture_output=True).returncode

    assert run() == ExitCode.HOLDS
    repository.write("topics/orders.yaml", strimzi("orders", 1))
    assert run() == ExitCode.VIOLATED
    pattern = re.compile(hooks["epochal-audit"]["files"])
    assert pattern.search("topics/orders.yaml") and not pattern.search("README.md")
    assert pattern.search("infra/plan.json") and pattern.search("kafka/topics.json") and not pattern.search("plan.py")


def test_what_others_install_names_no_unknown_option() -> None:
    audit = main.get_command(click.Context(main), "audit")
    assert audit is not None
    known = {option for param in audit.params for option in param.opts}
    text = ACTION.read_text(encoding="utf-8")
    (script,) = [one["run"] for one in yaml.safe_load(text)["runs"]["steps"] if one["name"] == "Audit"]
    used = set(re.findall(r"--[a-z][a-z-]+", script))
    assert used and used <= known


def refused(call: Callable[[], object]) -> str:
    with pytest.raises(EpochalError) as caught:
        call()
    assert caught.value.exit_code == ExitCode.USAGE
    return str(caught.value)


def test_what_cannot_be_compared_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    jikkou = CLUSTERS / "jikkou"
    assert "is not in a git repository" in refused(lambda: epochal.audit(jikkou, kafka="4.1", against="main"))
    subprocess.run(["git", "init", "--quiet"], check=True)
    assert "no such commit" in refused(lambda: epochal.audit(jikkou, kafka="4.1", against="main"))
    said = refused(lambda: epochal.audit(jikkou, kafka="4.1", against="main", diff=jikkou))
    assert "ask one" in said


def test_a_folder_is_what_was_before(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(strimzi("orders", 2))
    (tmp_path / "new.yaml").write_text(strimzi("orders", 1))
    result = epochal.audit(tmp_path / "new.yaml", kafka="4.1", against=tmp_path / "old.yaml", searches=False)
    assert [one.keys for one in result.errors] == [["acked-lost/orders"]]
    same = epochal.audit(tmp_path / "old.yaml", kafka="4.1", against=tmp_path / "old.yaml", searches=False)
    assert same.exit_code == ExitCode.HOLDS and not [one for one in same.findings_left if one.severity != "note"]
    assert same.as_before and same.to_dict()["as_before"]


def test_an_unknown_release_is_told_whatever_changes(tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(strimzi("orders", 2))
    same = epochal.audit(tmp_path / "old.yaml", against=tmp_path / "old.yaml", searches=False)
    assert same.exit_code == ExitCode.INCONCLUSIVE
