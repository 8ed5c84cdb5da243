"""What copying does to a text: it is read as what was printed, or refused with its line; never taken for less."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import epochal
from epochal.api.audit import ClusterAudit
from epochal.kafka.evidence.place import EvidenceError
from tests.audit.test_requests import rules
from tests.audit.test_several_say import LEAST, OF_ALL, OF_T, REPLICATION, UNCLEAN, configs, resource, server, topic
from tests.each import for_each

BARE = topic().replace("\tConfigs: ", "")
FEATURES = (
    "Feature: metadata.version\tSupportedMinVersion: 3.3-IV3\tSupportedMaxVersion: 4.1-IV1\t"
    "FinalizedVersionLevel: 4.1-IV1\tEpoch: 1\n"
)
STATUS = 'ClusterId: A\nCurrentVoters: [{"id": 1, "endpoints": ["C://a:1"]}, {"id": 2, "endpoints": []}]\n'
OUTPUTS = {
    "kafka-topics": topic(f"{LEAST}=2,{UNCLEAN}=true"),
    "kafka-configs of a topic": BARE + configs(OF_T, "DYNAMIC_TOPIC_CONFIG", UNCLEAN, "true"),
    "kafka-configs of all": BARE + configs(OF_ALL, "DYNAMIC_DEFAULT_BROKER_CONFIG", LEAST, "2"),
    "kafka-features": topic(f"{LEAST}=2") + FEATURES,
    "a quorum": topic(f"{LEAST}=2") + REPLICATION.format(10, 8990),
    "status of a quorum": topic(f"{LEAST}=2") + STATUS,
    "KafkaTopic": resource("2", UNCLEAN).replace(": 2}}", ": true}}"),
}
COPIED: dict[str, Callable[[str], str]] = {
    "no-break spaces": lambda text: text.replace(" ", "\u00a0").replace("\t", "\u00a0\u00a0\u00a0"),
    "narrow ones": lambda text: text.replace(": ", ":\u202f"),
    "words joined": lambda text: text.replace(", ", ",\u2060 ").replace(": ", ":\u200b "),
    "colours": lambda text: text.replace("Topic: t", "\x1b[1mTopic\x1b[m: \x1b[01;31m\x1b[Kt\x1b[m\x1b[K"),
    "no blanks before lines": lambda text: "".join(f"{line.lstrip()}\n" for line in text.splitlines()),
    "blanks behind lines": lambda text: text.replace("\n", " \t\r\n"),
}


def audited(folder: Path, **texts: str) -> ClusterAudit:
    """What is found in files, whose names have `_` for a dot, without a search."""
    folder.mkdir()
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8", newline="")
    return epochal.audit(folder, searches=False)


def body(found: ClusterAudit) -> list[str]:
    """The report without its first line."""
    return str(found).splitlines()[1:]


@pytest.mark.parametrize("how", COPIED)
@pytest.mark.parametrize("what", OUTPUTS)
def test_a_copy_says_the_same(tmp_path: Path, what: str, how: str) -> None:
    text = OUTPUTS[what]
    assert body(audited(tmp_path / "b" / "x", a_txt=COPIED[how](text))) == body(audited(tmp_path / "x", a_txt=text))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()


@for_each("at", range(1, len(f",{LEAST}=2,{UNCLEAN}=true")))
def test_settings_that_were_broken_into_lines_are_refused(tmp_path: Path, at: int) -> None:
    """Or read, where nothing of them is lost."""
    settings = f",{LEAST}=2,{UNCLEAN}=true"
    text = topic(f"cleanup.policy=delete{settings[:at]}\n{settings[at:]}")
    with pytest.raises(EvidenceError, match=r"a\.txt:[12]: "):
        audited(tmp_path / "x", a_txt=text)


@pytest.mark.parametrize("cut", ["}, {", '"endpoints": [', "CurrentVoters: ["])
def test_voters_that_were_broken_into_lines_are_refused(tmp_path: Path, cut: str) -> None:
    with pytest.raises(EvidenceError, match=r"a\.txt:4: a list of voters without its end"):
        audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2") + STATUS.replace(cut, f"{cut}\n   "))


@pytest.mark.parametrize("name", [LEAST, UNCLEAN])
@pytest.mark.parametrize("roles", ["broker", "broker,controller"])
def test_what_a_sifted_output_lacks_is_not_known(tmp_path: Path, name: str, roles: str) -> None:
    """`--all` has every setting: what is not there was left out by `grep`, or cut off."""
    whole = configs(OF_T.replace("Dynamic", "All"), "DEFAULT_CONFIG", name, "1" if name == LEAST else "false")
    nodes = {f"n{number}_properties": server(number, roles) for number in (1, 2)}
    found = audited(tmp_path / "x", a_txt=BARE + whole, **nodes)
    wanted = {"unclean-unknown/t"} if name == LEAST else {"min-isr-unknown/t"}
    if roles == "broker":
        wanted.add("unclean-unknown/t")  # controllers decide it, of which there is no file
    assert {one for one in rules(found) if one.endswith("-unknown/t") and "acks" not in one} == wanted


BROKERS: dict[str, Callable[[int], str]] = {
    "without --all": lambda n: f"Dynamic configs for broker {n} are:\n",
    "sifted": lambda n: configs(f"All configs for broker {n}", "DEFAULT_CONFIG", "num.io.threads", "8"),
    "of another setting": lambda n: configs(f"All configs for broker {n}", "STATIC_BROKER_CONFIG", "broker.rack", "a"),
}


@pytest.mark.parametrize("how", BROKERS)
def test_what_outputs_of_brokers_lack_is_not_known(tmp_path: Path, how: str) -> None:
    """Without `--all` nobody sees what is in the file of a broker, and `grep` leaves out what it has."""
    brokers = "".join(BROKERS[how](number) for number in (1, 2))
    found = audited(tmp_path / "x", a_txt=BARE + f"{OF_T} are:\n", b_txt=brokers)
    assert {"min-isr-unknown/t", "unclean-unknown/t"} <= set(rules(found))
    of_each = "".join(configs(f"Dynamic configs for broker {n}", "DYNAMIC_BROKER_CONFIG", LEAST, "2") for n in (1, 2))
    known = audited(tmp_path / "y", a_txt=BARE + f"{OF_T} are:\n", b_txt=of_each)
    assert "min-isr-unknown/t" not in rules(known)


def test_a_resource_that_was_not_applied_is_told(tmp_path: Path) -> None:
    found = audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2"), k_yaml=resource("2", copies=3))
    assert "spec.replicas is 3 (k.yaml:1) and 2 (a.txt:2)" in str(found)
    same = audited(tmp_path / "y", a_txt=topic(f"{LEAST}=2"), k_yaml=resource("2", copies=2))
    assert not any(one.startswith("contradiction/") for one in rules(same))


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", "\u3000"])
@pytest.mark.parametrize("place", ["before", "behind"])
def test_a_name_that_only_looks_like_one_is_refused(tmp_path: Path, blank: str, place: str) -> None:
    """Java takes such a blank for a part of it, so that Kafka has its default."""
    line = f"{blank}{LEAST}=2" if place == "before" else f"{LEAST}{blank}=2"
    with pytest.raises(EvidenceError, match=r"s\.properties:3: '.*' has what only looks like a blank"):
        audited(tmp_path / "x", t_txt=BARE, s_properties=f"node.id=1\nprocess.roles=broker\n{line}\n")
    with pytest.raises(EvidenceError, match=r"s\.properties:2: min.insync.replicas is .* not a number"):
        audited(tmp_path / "y", t_txt=BARE, s_properties=f"node.id=1\n{LEAST}=2{blank}\n")


@pytest.mark.parametrize("name", ["node.id", LEAST, "broker.rack", "log.dirs"])
def test_what_stands_twice_in_a_file_is_told(tmp_path: Path, name: str) -> None:
    found = audited(tmp_path / "x", t_txt=topic(f"{LEAST}=2"), s_properties=f"node.id=1\n{name}=1\n{name}=2\n")
    (told,) = [one for one in found.findings_left if one.keys == ["not-read/s.properties"]]
    assert told.title.startswith(f"{name}=1, as s.properties:3 has it again: the last counts, 2")
    same = audited(tmp_path / "y", t_txt=topic(f"{LEAST}=2"), s_properties=f"node.id=1\n{name}=1\n{name}=1\n")
    assert "not-read/s.properties" not in rules(same)


def test_a_broker_is_once_in_the_isr(tmp_path: Path) -> None:
    with pytest.raises(EvidenceError, match=r"a\.txt:2: a broker is twice among the ISR 1,1"):
        audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2", isr="1,1"))


def test_who_leads_is_in_sync(tmp_path: Path) -> None:
    """An empty ISR beside a leader is no sign of eligible leader replicas: something was left out."""
    with pytest.raises(EvidenceError, match=r"a\.txt:2: a partition that is led, and has an empty ISR"):
        audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2", isr=""))


def test_librdkafka_has_another_name_for_acks(tmp_path: Path) -> None:
    found = audited(tmp_path / "x", t_txt=topic(f"{LEAST}=2"), p_properties="request.required.acks=1\n")
    (one,) = found.audit.audited.topics
    assert {kind.acks for kind in one.kinds} == {"1"}


YAML = resource("2").replace("config: {", "config: {<<: {unclean.leader.election.enable: true}, ")


@pytest.mark.parametrize("own", ["", "unclean.leader.election.enable: false, "])
def test_what_yaml_takes_over_counts_unless_it_is_said_again(tmp_path: Path, own: str) -> None:
    found = audited(tmp_path / "x", t_yaml=YAML.replace("config: {", f"config: {{{own}"))
    (one,) = found.audit.audited.topics
    assert {kind.unclean for kind in one.kinds} == {not own} and {kind.min_isr for kind in one.kinds} == {2}


@pytest.mark.parametrize("replicas", ["", "replicas: -1, ", "replicas: null, "])
@pytest.mark.parametrize(("default", "copies"), [("default.replication.factor: 3", 3), ("a: b", 1), (None, None)])
def test_replicas_that_brokers_decide(tmp_path: Path, replicas: str, default: str | None, copies: int | None) -> None:
    """Kafka's default is one; without a word of the brokers it is not known."""
    kafka = "apiVersion: kafka.strimzi.io/v1\nkind: Kafka\nmetadata: {name: d}\nspec: {kafka: {config: {a: b}}}\n"
    files = {} if default is None else {"k_yaml": kafka.replace("a: b", default)}
    found = audited(tmp_path / "x", t_yaml=resource("2").replace("replicas: 2, ", replicas), **files)
    assert [one.topic.numbers for one in found.audit.audited.topics] == ([] if copies is None else [(copies,)])


def test_configs_of_users_are_named_as_such(tmp_path: Path) -> None:
    text = "Dynamic configs for client-metrics m are:\n  metrics=a sensitive=false synonyms={}\n"
    found = audited(tmp_path / "x", t_txt=topic(f"{LEAST}=2"), u_txt=text)
    (one,) = found.audit.audited.cluster.unread
    assert one.what == "kafka-configs of what is neither a topic nor a broker"


@pytest.mark.parametrize("rack", ["null", "", "${strimzidir:/opt/kafka/init:rack.id}"])
def test_a_rack_that_no_file_tells_is_none(tmp_path: Path, rack: str) -> None:
    nodes = {f"n{n}_properties": server(n, "broker", f"broker.rack={rack}") for n in (1, 2)}
    assert "rack/t" not in rules(audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2"), **nodes))


def test_settings_that_a_node_has_logged(tmp_path: Path) -> None:
    """A controller counts as one, and a temporary folder is one, in the form of the log as in that of the file."""
    log = (
        "[2026-01-02 03:04:05,678] INFO KafkaConfig values:\n\tbroker.rack = null\n\tlog.dirs = [/tmp/k, /data]\n"
        f"\tnode.id = 1\n\tprocess.roles = [broker, controller]\n\t{UNCLEAN} = true\n (kafka.server.KafkaConfig)\n"
    )
    found = audited(tmp_path / "x", a_txt=BARE + configs(OF_T, "DYNAMIC_TOPIC_CONFIG", LEAST, "2"), s_log=log)
    (one,) = found.audit.audited.topics
    assert {(kind.unclean, kind.ephemeral) for kind in one.kinds} == {(True, True)}
    assert found.audit.audited.cluster.racks == {} and "ephemeral/node 1" in rules(found)


QUOTE = '{"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic"}'


@pytest.mark.parametrize("text", [f"see {QUOTE} in: a: b\n", f"2026-01-02 INFO x {QUOTE} reconciled\n\tat x: y: z\n"])
def test_a_text_that_quotes_a_resource_is_none(tmp_path: Path, text: str) -> None:
    found = audited(tmp_path / "x", a_txt=topic(f"{LEAST}=2"), q_md=text)
    assert [one.file for one in found.audit.audited.cluster.unread] == ["q.md"]


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("several", [True, False])
def test_resources_in_json(tmp_path: Path, indent: int | None, several: bool) -> None:
    one = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic", "metadata": {"name": "t"}}
    whole = {**one, "spec": {"replicas": 3, "config": {LEAST: "2"}}}
    text = json.dumps({"apiVersion": "v1", "items": [whole]} if several else whole, indent=indent)
    (found,) = audited(tmp_path / "x", t_json=text).audit.audited.topics
    assert {(kind.copies, kind.min_isr) for kind in found.kinds} == {(3, 2)}
