"""What people bring that describes a cluster, and is not read: what it is, and what to give instead."""

from __future__ import annotations

import re
from dataclasses import dataclass

CONFIGS = "'kafka-configs --describe --all --entity-type brokers' of the running cluster"


@dataclass(frozen=True)
class Foreign:
    """A form that is known and not read. `instead` is a sentence."""

    what: str
    instead: str


HELM_TEMPLATE = Foreign("a template of Helm", "Give the output of 'helm template'.")
OLD_CONFIGS = Foreign(
    "the output of a kafka-configs before 2.5, or with --zookeeper",
    "Ask with --bootstrap-server, and the kafka-configs of a newer release.",
)
KCAT = Foreign("the output of kcat, which has no settings", "Give the output of 'kafka-topics --describe'.")
RPK = Foreign(
    "the output of rpk",
    "Give the outputs of 'kafka-topics --describe' and 'kafka-configs --describe --all --entity-type topics'.",
)

TEMPLATE = re.compile(
    r"\{\{-?[ \t]*(?:[^}\n]{0,200}\.(?:Values|Release|Chart|Capabilities|Files)\b|include\b|define\b)"
)
"""What Helm alone fills in: alerts of Prometheus have braces, too."""

KUBERNETES = re.compile(r"^[ \t]*(?:- )?[\"']?apiVersion[\"']?:", re.MULTILINE)

KNOWN: tuple[tuple[re.Pattern[str], Foreign], ...] = (
    (TEMPLATE, HELM_TEMPLATE),
    (re.compile(r"^[ \t]*Configs for [a-z-]+ .{1,300} are[ :]", re.MULTILINE), OLD_CONFIGS),
    (
        re.compile(
            r"^[ \t]*(?:Default configs for [a-z-]+ in the cluster|(?:All|Dynamic) configs for [a-z-]+ .{1,300}"
            r"|(?:Quota|SCRAM credential) configs for .{1,600}) are\b",
            re.MULTILINE,
        ),
        Foreign(
            "kafka-configs of what is neither a topic nor a broker",
            "Give the output of 'kafka-configs --describe --all --entity-type topics'.",
        ),
    ),
    (
        re.compile(
            r"^[ \t]*[A-Za-z][A-Za-z0-9._-]*=.* sensitive=(?:true|false) synonyms=\{|^Completed updating config ",
            re.MULTILINE,
        ),
        Foreign(
            "kafka-configs without the line 'All configs for ...', which says whose settings these are",
            "Give the whole output of 'kafka-configs --describe --all'.",
        ),
    ),
    (re.compile(r"^Metadata for .{1,300} \(from broker |^[ \t]*partition \d+, leader -?\d+, replicas:", re.M), KCAT),
    (
        re.compile(r"^(?:PARTITION[ \t]+LEADER[ \t]+EPOCH|NAME[ \t]+PARTITIONS[ \t]+REPLICAS)\b|^SUMMARY\n=+$", re.M),
        RPK,
    ),
    (
        re.compile(
            r"^[ \t]*(?:- |export |ENV |-e )?[\"']?KAFKA_[A-Z0-9_]+[\"']?[ \t]*[=:]"
            r"|\bname[\"']?:[ \t]*[\"']?KAFKA_[A-Z0-9_]+",
            re.MULTILINE,
        ),
        Foreign(
            "environment variables of containers, whose image makes settings of them",
            f"Give the server.properties that is in the container, or {CONFIGS}.",
        ),
    ),
    (
        KUBERNETES,
        Foreign(
            "resources of Kubernetes, and none of Strimzi's",
            f"Give the server.properties of each pod, or {CONFIGS}.",
        ),
    ),
    (
        re.compile(
            r"^[ \t]*(?:extraConfig|extraConfigYaml|overrideConfiguration|configurationOverrides|existingConfigmap"
            r"|replicaCount|brokerConfig)[ \t]*:",
            re.MULTILINE,
        ),
        Foreign("values of a Helm chart", f"Give the server.properties of each pod, or {CONFIGS}."),
    ),
)
"""Each form by a line that it has, those first that quote others."""


def foreign(head: str) -> Foreign | None:
    """What a text is that begins so, if that is known and not read."""
    return next((known for form, known in KNOWN if form.search(head)), None)


def is_template(head: str) -> bool:
    """Whether a text is a template of Helm: what it makes may be read, and it itself not."""
    return KUBERNETES.search(head) is not None and TEMPLATE.search(head) is not None
