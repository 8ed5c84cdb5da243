"""Settings of topics, and what an audit of files with them says of each: what every policy must do with them."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

import epochal
from epochal.api.policy import TopicPolicy

Verdict = Literal["admitted", "refused", "undecided"]

MIN_ISR, UNCLEAN = "min.insync.replicas", "unclean.leader.election.enable"

COPIES: Sequence[int | None] = (None, 1, 2, 3, 4, 5)
WANTED: Sequence[int | str | None] = (None, 1, "2", 3, 4, " 5 ", 1000)
UNCLEANLY: Sequence[bool | str | None] = (None, False, "True")


@dataclass(frozen=True)
class Settings:
    """What a topic sets; None where it sets nothing. Values are numbers or texts, as people write them."""

    copies: int | None
    wanted: int | str | None
    unclean: bool | str | None

    @property
    def config(self) -> dict[str, Any]:
        """The settings by Kafka's names."""
        values = {MIN_ISR: self.wanted, UNCLEAN: self.unclean}
        return {"retention.ms": 1000} | {name: value for name, value in values.items() if value is not None}


GRID: Mapping[str, Settings] = {
    f"topic-{number}": Settings(*values)
    for number, values in enumerate(itertools.product(COPIES, WANTED, UNCLEANLY), start=1)
}
"""Every combination, by the name of a topic."""


@dataclass(frozen=True)
class Promise:
    """What is asked of a release, and what its brokers have set."""

    kafka: str
    elr: bool
    keep: tuple[str, ...]
    down: int = 0
    as_shipped: bool = False
    defaults: tuple[str, ...] = ()

    def policy(self, target: str, undecided: str = "refuse") -> TopicPolicy:
        """The policy."""
        return epochal.policy(
            target=target,
            kafka=self.kafka,
            elr=self.elr,
            keep=self.keep,
            writes_with_down=self.down,
            as_shipped=self.as_shipped,
            undecided=undecided,
            defaults=self.defaults,
        )

    @property
    def requirement(self) -> str:
        """The same as an audit is asked for it."""
        shipped = str(self.as_shipped).lower()
        return (
            f'[[require]]\ntopics = "*"\nkeep = {json.dumps(self.keep)}\nas-shipped = {shipped}\n'
            f"writes-with-down = {self.down}\n"
        )


DEFAULTS = (f"{MIN_ISR}=2", "default.replication.factor=3", f"{UNCLEAN}=true")

PROMISES: Mapping[str, Promise] = {
    "4.3, a power loss, and writes go on": Promise("4.3", True, ("lossy",), 1),
    "4.3, one and two crashes": Promise("4.3", True, ("clean", "two-clean", "fencing")),
    "4.3 as shipped, a crash": Promise("4.3", True, ("clean",), as_shipped=True),
    "4.3, no fault but writes with one down": Promise("4.3", True, (), 1),
    "3.9, a power loss": Promise("3.9", False, ("lossy",)),
    "3.9, a crash, and writes go on": Promise("3.9", False, ("clean",), 1),
    "4.3 with defaults, a power loss": Promise("4.3", True, ("lossy",), 1, defaults=DEFAULTS),
    "3.9 with defaults, a crash": Promise("3.9", False, ("fencing",), 1, defaults=DEFAULTS),
}
"""What is asked of each engine; some admit nothing, and are no policies."""


def strimzi(name: str, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A topic as Strimzi has it."""
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "KafkaTopic",
        "metadata": {"name": name, "labels": {"strimzi.io/cluster": "prod"}},
        "spec": dict(spec),
    }


def topic_of(name: str, settings: Settings) -> dict[str, Any]:
    """A topic of Strimzi with these settings."""
    copies = {} if settings.copies is None else {"replicas": settings.copies}
    return strimzi(name, {"partitions": 3, **copies, "config": settings.config})


def brokers(defaults: Sequence[str]) -> dict[str, Any]:
    """A cluster of Strimzi whose brokers have set this."""
    config = dict(one.split("=") for one in defaults)
    return {
        "apiVersion": "kafka.strimzi.io/v1",
        "kind": "Kafka",
        "metadata": {"name": "prod"},
        "spec": {"kafka": {"config": config}},
    }


def plan_of(topics: Mapping[str, Settings], kind: str = "kafka_topic") -> dict[str, Any]:
    """A plan of Terraform with these topics, in a module."""
    resources = []
    for name, one in topics.items():
        config = {setting: _text(value) for setting, value in one.config.items()}
        values = {
            "kafka_topic": {"name": name, "replication_factor": one.copies, "config": config},
            "confluent_kafka_topic": {"topic_name": name, "config": config},
            "aiven_kafka_topic": {
                "topic_name": name,
                "replication": one.copies,
                "config": [{setting.replace(".", "_"): value for setting, value in config.items()}],
            },
            "google_managed_kafka_topic": {"topic_id": name, "replication_factor": one.copies, "configs": config},
        }[kind]
        address = f'module.kafka.{kind}.all["{name}"]'
        resources.append({"address": address, "mode": "managed", "type": kind, "name": "all", "values": values})
    module = {"root_module": {"child_modules": [{"address": "module.kafka", "resources": resources}]}}
    changes = [
        {"address": one["address"], "change": {"actions": ["create"], "after_unknown": {"id": True}}}
        for one in resources
    ]
    return {"format_version": "1.2", "planned_values": module, "resource_changes": changes}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


FEATURES = (
    "Feature: eligible.leader.replicas.version\tSupportedMinVersion: 0\tSupportedMaxVersion: 1\t"
    "FinalizedVersionLevel: {}\tEpoch: 12\n"
)


@functools.cache
def _every_verdict(kafka: str, elr: bool, defaults: tuple[str, ...]) -> Mapping[Promise, Mapping[str, Verdict]]:
    """What one audit says of every promise about the same cluster."""
    promises = [one for one in PROMISES.values() if (one.kafka, one.elr, one.defaults) == (kafka, elr, defaults)]
    return dict(zip(promises, audited_files([topic_of(*item) for item in GRID.items()], promises), strict=True))


def audited(promise: Promise) -> Mapping[str, Verdict]:
    """What an audit of files with all topics says of each."""
    return _every_verdict(promise.kafka, promise.elr, promise.defaults)[promise]


def audited_files(documents: Sequence[Mapping[str, Any]], promises: Sequence[Promise]) -> list[dict[str, Verdict]]:
    """What an audit of documents says of each topic, of promises about one cluster. JSON is YAML as well."""
    first = promises[0]
    with TemporaryDirectory() as name:
        folder = Path(name)
        for number, document in enumerate([*documents, *([brokers(first.defaults)] if first.defaults else [])]):
            (folder / f"{number}.json").write_text(json.dumps(document), encoding="utf-8")
        (folder / "features.txt").write_text(FEATURES.format(int(first.elr)), encoding="utf-8")
        policy = folder / "audit.toml"
        policy.write_text("".join(one.requirement for one in promises), encoding="utf-8")
        files = [one for one in folder.iterdir() if one != policy]
        lock = folder / "none.json"
        result = epochal.audit(*files, kafka=first.kafka, policy=policy, searches=False, lock=lock)
    audited = result.audit.audited
    found: list[dict[str, Verdict]] = [{one.topic.name: "admitted" for one in audited.topics} for _ in promises]
    for one in audited.unknown:
        for verdicts in found:
            verdicts[one.name] = "undecided"
    for finding in result.findings_left:
        if finding.rule == "policy" and finding.broken:  # else no topic of the cluster is judged
            (number,) = re.findall(r"\(requirement (\d+) of ", finding.title)
            is_open = all(one.endswith("not decided") for one in finding.broken)
            found[int(number) - 1] |= dict.fromkeys(finding.subjects, "undecided" if is_open else "refused")
    return found


def expected(promise: Promise, undecided: str) -> dict[str, bool]:
    """Which topics a policy admits, if it does what the audit says."""
    return {
        name: verdict == "admitted" or (verdict == "undecided" and undecided == "admit")
        for name, verdict in audited(promise).items()
    }
