"""Topics that a repository declares: plans of Terraform, and the files of Jikkou and kafka-gitops.

Each of these tools sets what its file has for a topic, and leaves the rest to the brokers. What a file does not say of
the cluster, such as its release and the defaults of its brokers, stays unknown.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import yaml

from ..evidence.place import Place
from .resources import child, name_of, parts, values_of
from .said import DECIDING, Said, quoted, refuse, topic_name


@dataclass(frozen=True)
class DeclaredTopic:
    """A topic as somebody declares it. `copies` is None if brokers decide how many replicas it gets.

    `unknown` are those of the deciding settings that it may have with a value that is not known yet. `remarks` are
    what else is said of it, and why that counts or does not, each with its place.
    """

    name: str
    place: Place
    copies: Said | None
    settings: Mapping[str, Said]
    unknown: frozenset[str] = frozenset()
    remarks: tuple[tuple[Said, str], ...] = ()


# -- terraform --------------------------------------------------------------------------------------------------------
# `terraform show -json plan.out`, of Terraform and OpenTofu: all resources as they will be, and as they were.

PLAN_BEGINS = re.compile(r'\A\s*\{\s*"format_version"\s*:\s*"[0-9.]{1,20}"\s*,')
"""How such a document begins, of a plan and of a state."""

PLAN_AGAIN = "Write it again: terraform plan -out plan.out; terraform show -json plan.out > plan.json."
ADDRESS = re.compile(r'"address"\s*:\s*("(?:[^"\\]|\\.){1,1000}")')
LARGEST = 1 << 27
"""A plan with more characters is refused."""


@dataclass(frozen=True)
class _Type:
    """A type of resource that is a topic: what its attributes are called. `of_provider` says why it has no copies."""

    name: str
    copies: str
    settings: str
    of_provider: str = ""


TYPES: Mapping[str, _Type] = {
    "kafka_topic": _Type("name", "replication_factor", "config"),
    "confluent_kafka_topic": _Type(
        "topic_name", "", "config", "the service decides how many replicas a topic has: no plan says it"
    ),
    "aiven_kafka_topic": _Type("topic_name", "replication", "config"),
    "google_managed_kafka_topic": _Type("topic_id", "replication_factor", "configs"),
}


@dataclass
class PlannedTopics:
    """What a plan says: its topics, and the files of properties and releases of clusters that are resources, too.

    `deferred` are the addresses of topics that it leaves to a later plan, and says little of.
    """

    topics: list[DeclaredTopic] = field(default_factory=list)
    properties: list[tuple[str, Place]] = field(default_factory=list)
    releases: list[Said] = field(default_factory=list)
    deferred: list[Said] = field(default_factory=list)


def read_plan(text: str, file: str, before: bool = False) -> PlannedTopics:
    """The topics of a plan as they will be, or as they were `before`.

    Raises EvidenceError for what is damaged, and for a plan without the values of resources.
    """
    if len(text) > LARGEST:
        raise refuse(Place(file), f"a plan of more than {LARGEST >> 20} MiB", "Plan the topics alone: -target.")
    document = _json(text, file)
    planned, prior = document.get("planned_values"), document.get("prior_state")
    if before:
        # terraform leaves the state out where there is none yet
        values = prior.get("values") if isinstance(prior, dict) else {}
    else:
        values = planned if planned is not None else document.get("values")
    if not isinstance(values, dict):
        raise refuse(Place(file, 1), "a document of Terraform without planned_values", PLAN_AGAIN)
    places = _places(text, file)
    unknown = {} if before else dict(_unknown(document))
    found = PlannedTopics()
    for one in _resources(values.get("root_module"), file, 0):
        address = one.get("address")
        if one.get("mode", "managed") == "managed" and isinstance(address, str):
            _take(found, one, places.get(address, Place(file, 1)), unknown.get(address, {}))
    if not before:
        found.deferred += (Said(one, places.get(one, Place(file, 1))) for one in _deferred(document))
    return found


def _json(text: str, file: str) -> dict[str, Any]:
    try:
        document = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise refuse(Place(file, wrong.lineno), f"no JSON: {wrong.msg}", PLAN_AGAIN) from wrong
    except (RecursionError, ValueError) as wrong:  # a number of thousands of digits
        raise refuse(
            Place(file), "JSON that no Terraform writes: too deep, or with huge numbers", PLAN_AGAIN
        ) from wrong
    if not isinstance(document, dict):
        raise refuse(Place(file, 1), "no document of Terraform", PLAN_AGAIN)
    return document


def _places(text: str, file: str) -> dict[str, Place]:
    """The first line that has each address. Terraform writes one line; who formats it gets better places."""
    found: dict[str, Place] = {}
    number, counted = 1, 0
    for one in ADDRESS.finditer(text):
        number += text.count("\n", counted, one.start())
        counted = one.start()
        try:
            found.setdefault(json.loads(one[1]), Place(file, number))
        except json.JSONDecodeError:  # a quoted text inside of another one
            continue
    return found


def _unknown(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """What is known only after the plan was applied, by address. Objects that are replaced and only go stand beside."""
    for one in _dictionaries(document.get("resource_changes")):
        change = one.get("change")
        if isinstance(change, dict) and isinstance(one.get("address"), str) and "deposed" not in one:
            yield one["address"], change.get("after_unknown") or {}


def _deferred(document: Mapping[str, Any]) -> Iterator[str]:
    """The addresses of topics that Terraform cannot plan yet (`-allow-deferral`)."""
    for one in _dictionaries(document.get("deferred_changes")):
        change = one.get("resource_change")
        if not isinstance(change, dict) or change.get("mode", "managed") != "managed":
            continue
        if change.get("type") in TYPES and isinstance(change.get("address"), str):
            yield change["address"]


def _dictionaries(several: object) -> Iterator[dict[str, Any]]:
    yield from (one for one in (several if isinstance(several, list) else []) if isinstance(one, dict))


def _resources(module: object, file: str, depth: int) -> Iterator[dict[str, Any]]:
    """The resources of a module and of those in it."""
    if not isinstance(module, dict):
        return
    if depth > DEEPEST:
        raise refuse(Place(file), "modules are not nested so deeply", PLAN_AGAIN)
    resources, below = module.get("resources", []), module.get("child_modules", [])
    if not isinstance(resources, list) or not isinstance(below, list):
        raise refuse(Place(file), "resources or child_modules that are no lists", PLAN_AGAIN)
    yield from _dictionaries(resources)
    for one in below:
        yield from _resources(one, file, depth + 1)


DEEPEST = 50


def _take(found: PlannedTopics, resource: Mapping[str, Any], place: Place, unknown: object) -> None:
    kind, values = resource.get("type"), resource.get("values")
    values = values if isinstance(values, dict) else {}
    if isinstance(kind, str) and kind in TYPES:
        form = TYPES[kind]
        later = unknown if isinstance(unknown, dict) else dict.fromkeys((form.settings, form.copies), unknown)
        found.topics.append(_planned(form, values, place, later))
    elif kind == "aws_msk_configuration" and isinstance(values.get("server_properties"), str):
        found.properties.append((values["server_properties"], place))
    elif kind == "aws_msk_cluster" and isinstance(values.get("kafka_version"), str):
        found.releases.append(Said(values["kafka_version"], place))


def _planned(form: _Type, values: Mapping[str, Any], place: Place, unknown: Mapping[str, Any]) -> DeclaredTopic:
    name = values.get(form.name)
    if not isinstance(name, str):
        raise refuse(place, f"a topic whose {form.name} is not known before the plan is applied", KNOWN_LATER)
    remarks: list[tuple[Said, str]] = []
    copies = values.get(form.copies) if form.copies else None
    if form.of_provider:
        remarks.append((Said("no replication factor", place), form.of_provider))
    elif copies is None and _any_true(unknown.get(form.copies)):
        remarks.append((Said(f"{form.copies} is not known yet", place), "it is known after the plan was applied"))
    settings = _settings(values.get(form.settings), place)
    later = _unknown_settings(unknown.get(form.settings)) - settings.keys()
    if _any_true(unknown.get(form.settings)):
        why = LATER if later else "they are known after the plan was applied, and decide nothing here"
        remarks.append((Said("some settings are not known yet", place), why))
    said = None if copies is None else Said(_text(copies, place), place)
    return DeclaredTopic(topic_name(name, place), place, said, settings, later, tuple(remarks))


LATER = "they are known after the plan was applied, and each value that they may have is checked"
KNOWN_LATER = "Give it a name that does not depend on other resources."


def _settings(said: object, place: Place) -> dict[str, Said]:
    """Settings by Kafka's names: of a map, or of a block with underscores in its names."""
    blocks = said if isinstance(said, list) else [said]
    found: dict[str, Said] = {}
    for block in blocks:
        if block is not None and not isinstance(block, dict):
            raise refuse(place, f"settings that are no map: {quoted(str(block))}", PLAN_AGAIN)
        for name, value in (block or {}).items():
            if value is not None and value != "":
                called = name.replace("_", ".") if isinstance(said, list) else name
                found[called] = Said(_text(value, place), place)
    return found


def _unknown_settings(unknown: object) -> frozenset[str]:
    """Which of the deciding settings may have a value that is known only later: all, where it is not said which."""
    if isinstance(unknown, dict):
        return frozenset(name for name in DECIDING if _any_true(unknown.get(name)))
    blocks = unknown if isinstance(unknown, list) else [unknown]
    each = [
        frozenset(name for name in DECIDING if _any_true(one.get(name.replace(".", "_"))))
        if isinstance(one, dict)
        else frozenset(DECIDING if _any_true(one) else ())
        for one in blocks
    ]
    return frozenset().union(*each)


def _any_true(unknown: object) -> bool:
    several = unknown.values() if isinstance(unknown, dict) else unknown if isinstance(unknown, list) else None
    return unknown is True if several is None else any(map(_any_true, several))


def _text(value: object, place: Place) -> str:
    """A value of JSON as Kafka has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else str(value)
    raise refuse(place, f"{quoted(json.dumps(value))} is no value of a setting", PLAN_AGAIN)


# -- jikkou -----------------------------------------------------------------------------------------------------------
# Jikkou's resources: KafkaTopic, KafkaTopicList, and the ConfigMap that several topics take settings from.

JIKKOU = "kafka.jikkou.io/"
CORE = "core.jikkou.io/"
OF_JIKKOU = ("apiVersion", "kind", "metadata", "spec", "data")
TEMPLATE = "Give the output of 'jikkou resources validate', in which templates are filled in."


def read_jikkou(documents: Iterable[yaml.Node], file: str) -> tuple[list[DeclaredTopic], dict[str, dict[str, Said]]]:
    """The topics of a file, and its ConfigMaps by name: a topic names those of other files, too (`from_maps`).

    Raises EvidenceError for a template.
    """
    topics: list[DeclaredTopic] = []
    maps: dict[str, dict[str, Said]] = {}
    for document in documents:
        top = values_of(document, file, ("apiVersion", "kind"))
        api, kind = (top[name].value if name in top else "" for name in ("apiVersion", "kind"))
        if api.startswith(JIKKOU) and kind == "KafkaTopicList":
            topics += (_jikkou(one, file) for one in parts(document))
        elif api.startswith(JIKKOU) and kind == "KafkaTopic":
            topics.append(_jikkou(document, file))
        elif api.startswith(CORE) and kind == "ConfigMap":
            place = Place(file, document.start_mark.line + 1)
            values = values_of(document, file, OF_JIKKOU)
            maps[name_of(values, place)] = _below(values, "data")
    return topics, maps


def _jikkou(node: yaml.Node, file: str) -> DeclaredTopic:
    place = Place(file, node.start_mark.line + 1)
    values = values_of(node, file, OF_JIKKOU)
    for said in values.values():
        if "{{" in said.value or "{%" in said.value:
            raise refuse(said.place, "a template of Jikkou", TEMPLATE)
    name = name_of(values, place)
    copies = values.get("spec/replicas")
    refs = [said for path, said in values.items() if path.startswith("spec/configMapRefs/")]
    remarks = tuple((one, FROM_MAP) for one in refs)
    settings = _below(values, "spec/configs")
    return DeclaredTopic(
        topic_name(name, place),
        place,
        None if copies is None or copies.value in ("-1", "null", "") else copies,
        settings,
        frozenset(DECIDING if refs else ()) - settings.keys(),
        remarks,
    )


FROM_MAP = "no file has this ConfigMap, so that the settings in it are not known"


def _below(values: Mapping[str, Said], path: str) -> dict[str, Said]:
    return {
        name.removeprefix(f"{path}/"): said
        for name, said in values.items()
        if name.startswith(f"{path}/") and said.value not in ("null", "~", "")
    }


def with_maps(topic: DeclaredTopic, maps: Mapping[str, Mapping[str, Said]]) -> DeclaredTopic:
    """A topic with the settings of the ConfigMaps that it names, as far as some file has them.

    What the topic has itself counts before them, and of several maps the last one that has a setting.
    """
    if all(why != FROM_MAP for _, why in topic.remarks):
        return topic
    found: dict[str, Said] = {}
    left = []
    for said, why in topic.remarks:
        if why == FROM_MAP and said.value in maps:
            found.update(maps[said.value])
        else:
            left.append((said, why))
    settings = {**found, **topic.settings}
    unknown = frozenset(DECIDING if any(why == FROM_MAP for _, why in left) else ()) - topic.settings.keys()
    return DeclaredTopic(topic.name, topic.place, topic.copies, settings, unknown, tuple(left))


# -- kafka-gitops -----------------------------------------------------------------------------------------------------
# The desired state of kafka-gitops: topics by name, with a replication factor for those that have none.

GITOPS_BEGINS = re.compile(r"^topics:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*[ \t]+[^\s#-].{0,300}:", re.MULTILINE)
GITOPS_HAS = re.compile(r"^[ \t]+(?:partitions|replication):[ \t]*\d", re.MULTILINE)
DEFAULT_COPIES = "settings/topics/defaults/replication"


def is_gitops(text: str) -> bool:
    """Whether a text is a state of kafka-gitops: topics by name, which have partitions."""
    return GITOPS_BEGINS.search(text) is not None and GITOPS_HAS.search(text) is not None


def read_gitops(documents: Sequence[yaml.Node], file: str) -> list[DeclaredTopic]:
    """The topics of a file. Raises EvidenceError for what kafka-gitops does not read."""
    found: list[DeclaredTopic] = []
    for document in documents:
        topics = child(document, "topics")
        if not isinstance(topics, yaml.MappingNode):
            continue
        general = values_of(document, file, ("settings",)).get(DEFAULT_COPIES)
        for key, node in topics.value:
            place = Place(file, key.start_mark.line + 1)
            if not isinstance(key, yaml.ScalarNode) or not isinstance(node, yaml.MappingNode):
                raise refuse(
                    place, "a topic without partitions", "Write NAME: and below it partitions and replication."
                )
            values = values_of(node, file)
            copies = values.get("replication", general)
            found.append(DeclaredTopic(topic_name(key.value, place), place, copies, _below(values, "configs")))
    return found
