"""Two files of one kind that differ in one setting: together they are never greener than either alone, in any order."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.kafka.evidence.place import EvidenceError
from tests.audit.test_several_say import (
    LEAST,
    OF_1,
    OF_ALL,
    OF_T,
    POOL,
    REPLICATION,
    UNCLEAN,
    configs,
    resource,
    server,
    topic,
)

BARE = topic().replace("\tConfigs: ", "")
"""A topic of which nobody has said what is set."""

Text = Callable[[str], str]


def of(header: str, source: str, name: str, default: str = "") -> Text:
    """An output of kafka-configs with a value, or without it: a whole one has Kafka's default then."""

    def text(value: str) -> str:
        if value:
            return configs(header, source, name, value, default)
        left = f"  {name}={default} sensitive=false synonyms={{DEFAULT_CONFIG:{name}={default}}}\n" if default else ""
        return f"{header} are:\n{left}"

    return text


def kafka(value: str, name: str) -> str:
    """A Kafka of Strimzi with a value in its configuration."""
    config = f"{name}: {value}" if value else "num.io.threads: 8"
    return (
        "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: demo}\n"
        f"spec: {{kafka: {{version: 3.9.2, config: {{{config}}}}}}}\n"
    )


def listed(value: str, name: str) -> str:
    """An output of kafka-topics with a value, or none."""
    return topic(f"{name}={value}" if value else "")


ALONE: dict[str, tuple[str, Text]] = {
    **{
        f"{what} {name}": (ending, text)
        for name, default in ((LEAST, "1"), (UNCLEAN, "false"))
        for what, ending, text in (
            ("kafka-topics", "txt", lambda value, name=name: listed(value, name)),
            ("a topic", "txt", of(OF_T, "DYNAMIC_TOPIC_CONFIG", name)),
            ("all of a topic", "txt", of(OF_T.replace("Dynamic", "All"), "DYNAMIC_TOPIC_CONFIG", name, default)),
            ("all brokers", "txt", of(OF_ALL, "DYNAMIC_DEFAULT_BROKER_CONFIG", name)),
            ("a broker", "txt", of(OF_1, "DYNAMIC_BROKER_CONFIG", name)),
            ("all of a broker", "txt", of(OF_1.replace("Dynamic", "All"), "STATIC_BROKER_CONFIG", name, default)),
            ("KafkaTopic", "yaml", lambda value, name=name: resource(value, name) if value else resource("1", "a.b")),
            ("Kafka", "yaml", lambda value, name=name: kafka(value, name)),
            (
                "all nodes",
                "properties",
                lambda value, name=name: f"num.io.threads=8\n{name}={value}\n" if value else "num.io.threads=8\n",
            ),
        )
    }
}
"""Files that say what is set, by what they are: the ending of the name, and the text with a value, or with none."""

VALUES = {LEAST: ("1", "2", "3", ""), UNCLEAN: ("true", "false", "")}
BESIDE: dict[str, dict[str, str]] = {
    "nothing": {},
    "two brokers": {f"n{n}.properties": server(n, "broker,controller", f"{LEAST}={n}") for n in (1, 2)},
    "a value of all": {"n.txt": of(OF_ALL, "DYNAMIC_DEFAULT_BROKER_CONFIG", LEAST)("2")},
    "a controller": {"n3.properties": server(3, "controller", f"{UNCLEAN}=true"), "n1.properties": server(1, "broker")},
    "kafka-topics": {"n.txt": topic(f"{LEAST}=2")},
}
"""What other files say."""


def audited(folder: Path, files: dict[str, str]) -> ClusterAudit:
    """What is found in files, without a search."""
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    for name, text in files.items():
        (folder / name).write_text(text)
    return epochal.audit(folder, kafka="3.9.2", searches=False)


def kinds(found: ClusterAudit) -> set[object]:
    """What decides what is promised to the topic."""
    (one,) = found.audit.audited.topics
    return set(one.kinds)


def test_the_order_of_the_arguments_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(topic(f"{LEAST}=2"))
    (tmp_path / "b.txt").write_text(of(OF_T, "DYNAMIC_TOPIC_CONFIG", LEAST)("1"))
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    one, other = (epochal.audit(*paths, kafka="3.9.2", searches=False) for paths in (files, files[::-1]))
    names = ("a.txt: ", "b.txt: ")  # a report is called by the first file
    texts = [[line for line in str(found).splitlines() if not line.startswith(names)] for found in (one, other)]
    assert texts[0] == texts[1] and f"{LEAST} is 1 ({files[1]}:2) and 2 ({files[0]}:1)" in str(one)


@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize("what", ALONE)
def test_two_that_differ_are_never_greener(tmp_path: Path, what: str, beside: str) -> None:
    ending, text = ALONE[what]
    others = {"0.txt": BARE, **BESIDE[beside]}
    alone = {v: kinds(audited(tmp_path / "d", {**others, f"a.{ending}": text(v)})) for v in VALUES[what.split()[-1]]}
    for left, right in itertools.combinations(alone, 2):
        both = [
            audited(tmp_path / "d", {**others, f"a.{ending}": text(one), f"b.{ending}": text(other)})
            for one, other in ((left, right), (right, left))
        ]
        for found in both:
            assert kinds(found) >= alone[left] | alone[right], (left, right)
            explained = what.startswith("kafka-topics") and beside == "two brokers"  # another one has answered
            told = any(one.rule == "contradiction" for one in found.findings_left)
            assert told or explained or alone[left] == alone[right], (left, right)
        assert kinds(both[0]) == kinds(both[1]), (left, right)


RULES: dict[str, tuple[str, str, str, str]] = {
    "storage of a pool": (
        "yaml",
        POOL.format("a", 3, "ephemeral", "[1, 2, 3]"),
        POOL.format("a", 3, "persistent-claim", "[1, 2, 3]"),
        "ephemeral/t",
    ),
    "nodes of a pool": (
        "yaml",
        POOL.format("a", 3, "ephemeral", "[1, 2, 3]"),
        POOL.format("a", 3, "ephemeral", "[3, 4, 5]"),
        "ephemeral/t",
    ),
    "controllers": (
        "yaml",
        POOL.format("a", 2, "persistent-claim", "[1, 2]").replace("[broker]", "[controller]"),
        POOL.format("a", 5, "persistent-claim", "[]").replace("[broker]", "[controller]"),
        "quorum/controllers",
    ),
    "a quorum": ("txt", REPLICATION.format(1000, 8000), REPLICATION.format(9000, 0), "quorum-behind/node 2"),
    "folders of a broker": (
        "txt",
        of("All configs for broker 1", "STATIC_BROKER_CONFIG", "log.dirs")("/tmp/kafka"),
        of("All configs for broker 1", "STATIC_BROKER_CONFIG", "log.dirs")("/data"),
        "ephemeral/t",
    ),
    "folders of all": ("properties", "num.io.threads=8\nlog.dirs=/tmp/k\n", "log.dirs=/data\n", "ephemeral/t"),
    "topics that are to come": (
        "yaml",
        kafka("1", "offsets.topic.replication.factor"),
        kafka("3", "offsets.topic.replication.factor"),
        "internal-topics/__consumer_offsets",
    ),
    "topics that nobody creates": (
        "properties",
        "num.io.threads=8\n",
        "num.io.threads=8\ndefault.replication.factor=3\n",
        "auto-created/cluster",
    ),
    "rack of a broker": (
        "txt",
        of("All configs for broker 1", "STATIC_BROKER_CONFIG", "broker.rack")("x"),
        of("All configs for broker 1", "STATIC_BROKER_CONFIG", "broker.rack")("y"),
        "rack/t",
    ),
    "replicas that brokers decide": (
        "yaml",
        kafka("", "a"),
        kafka("3", "default.replication.factor"),
        "one-copy/of-brokers",
    ),
}
"""Files of one kind of which one has something that is told, and what is told then."""

OTHERS = {
    "rack of a broker": {"n2.properties": server(2, "broker", "broker.rack=x")},
    "replicas that brokers decide": {
        "c.yaml": resource("1", "a.b").replace("name: t", "name: of-brokers").replace("replicas: 2, ", "")
    },
}
"""What stands beside them."""


@pytest.mark.parametrize("what", RULES)
def test_what_one_of_two_has_is_told(tmp_path: Path, what: str) -> None:
    ending, one, other, rule = RULES[what]
    for texts in ((one,), (other,), (one, other), (other, one), (one, one)):
        files = {f"{name}.{ending}": text for name, text in zip("ab", texts, strict=False)}
        found = audited(tmp_path / "d", {"0.txt": topic(f"{LEAST}=2"), **OTHERS.get(what, {}), **files})
        keys = {key for one in found.findings_left for key in one.keys}
        assert (rule in keys) == (one in texts), texts
        assert (len(set(texts)) > 1) == any(key.startswith("contradiction/") for key in keys), (texts, keys)


@pytest.mark.parametrize(
    ("one", "other"),
    [(topic(isr="1"), topic()), (topic(id="A"), topic(id="B")), (kafka("", "a"), kafka("", "a").replace("demo", "b"))],
)
def test_what_cannot_be_one_cluster_at_one_moment_is_refused_in_any_order(tmp_path: Path, one: str, other: str) -> None:
    ending = "txt" if one.startswith("Topic") else "yaml"
    for texts in ((one, other), (other, one)):
        with pytest.raises(EvidenceError):
            audited(tmp_path / "d", {f"{name}.{ending}": text for name, text in zip("ab", texts, strict=True)})
