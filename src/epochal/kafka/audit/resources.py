"""Resources in YAML: every value of a document with its line, and nothing that a hostile file makes large or deep."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from textwrap import dedent

import yaml

from ..evidence.place import EvidenceError, Place, escaped
from .said import Said, refuse

BEGINS = re.compile(
    r"(?:^\s*(?:- )?|\A\s*\{(?:.{0,2000}?[{,]\s*)?)"
    r"\"?apiVersion\"?:\s*[\"']?(?:kafka\.(?:strimzi|jikkou)|core\.jikkou)\.io/",
    re.MULTILINE,
)
"""A line that every resource of Strimzi or Jikkou has, or the beginning of one in JSON on one line."""

STRIMZI = "kafka.strimzi.io/"
"""How the version of its resources begins: Kafka, KafkaNodePool and KafkaTopic, v1beta2 as well as v1."""

LONGEST_NAME = 253
TIMES_DEEP = 40
"""No resource is nested so deeply."""

MOST_AGAIN = 10_000
"""How many values may stand there once more by an alias. A few lines of aliases of aliases make billions."""

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The same reader, in C where the library has it: several times as fast."""


@dataclass
class Resource:
    """A resource: its kind and name, the cluster that it belongs to, and every value in it by its path.

    The path of `min.insync.replicas` of a cluster is `spec/kafka/config/min.insync.replicas`.
    """

    kind: str
    name: str
    cluster: str
    place: Place
    values: dict[str, Said] = field(default_factory=dict)

    def below(self, path: str) -> dict[str, Said]:
        """The values below a path, by what follows it."""
        start = f"{path}/"
        return {name.removeprefix(start): said for name, said in self.values.items() if name.startswith(start)}


def read_resources(documents: Iterable[yaml.Node], file: str) -> list[Resource]:
    """The resources of a file that are Strimzi's; others are left out."""
    return [found for one in documents for part in parts(one) if (found := _resource(part, file)) is not None]


def read_documents(lines: Iterable[str], file: str) -> list[yaml.Node]:
    """The documents of a file of YAML, with the place of each value, and nothing made of it yet.

    Raises EvidenceError for what is no YAML, too deep or too large.
    """
    try:
        text = dedent("".join(_of_size(lines, file)))  # a paste may be indented as a whole
        _not_too_deep(text, file)
        return [one for one in yaml.compose_all(text, Loader=LOADER) if one is not None]
    except yaml.MarkedYAMLError as wrong:
        line = wrong.problem_mark.line + 1 if wrong.problem_mark is not None else 1
        raise refuse(Place(file, line), f"no YAML: {escaped(str(wrong.problem))}") from wrong
    except (yaml.YAMLError, RecursionError, ValueError) as wrong:
        raise refuse(Place(file), f"no YAML: {escaped(str(wrong)[:200])}") from wrong


def _of_size(lines: Iterable[str], file: str) -> Iterator[str]:
    size = 0
    for number, line in enumerate(lines, start=1):
        size += len(line)
        if size > LARGEST:
            raise refuse(Place(file, number), f"more than {LARGEST >> 20} MiB of YAML", SPLIT)
        yield line


LARGEST = 1 << 25
"""So many characters of YAML are read in half a minute, and describe 100,000 topics."""
SPLIT = "Give the topics in several files."


def _not_too_deep(text: str, file: str) -> None:
    """Refuse what is nested deeply before it is composed: that calls itself for every level."""
    depth = 0
    for event in yaml.parse(text, Loader=LOADER):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > TIMES_DEEP:
            raise _too_deep(file, _line(event))


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


def _too_deep(file: str, line: int) -> EvidenceError:
    return refuse(Place(file, line), "resources are not nested so deeply")


def parts(node: yaml.Node) -> Iterator[yaml.Node]:
    """The documents of a list of resources, or the one that it is."""
    items = child(node, "items")
    if isinstance(items, yaml.SequenceNode):
        yield from items.value
    else:
        yield node


def child(node: yaml.Node | None, name: str) -> yaml.Node | None:
    """The value of a key of a mapping; None if it has none, or is no mapping."""
    if not isinstance(node, yaml.MappingNode):
        return None
    return next((value for key, value in node.value if key.value == name), None)


def _resource(node: yaml.Node, file: str) -> Resource | None:
    values = values_of(node, file, OF_RESOURCES)
    api = values.get("apiVersion")
    if api is None or not api.value.startswith(STRIMZI) or "kind" not in values:
        return None
    place = Place(file, node.start_mark.line + 1)
    name = name_of(values, place)
    kind = values["kind"].value
    owner = values.get("metadata/labels/strimzi.io/cluster")
    cluster = name if kind == "Kafka" else owner.value if owner is not None else ""
    return Resource(kind, name, cluster, place, values)


OF_RESOURCES = ("apiVersion", "kind", "metadata", "spec", "status")
"""What of a resource is read; the rest of it decides nothing."""


def name_of(values: Mapping[str, Said], place: Place) -> str:
    """The name of a resource. Raises EvidenceError for none, and one that is longer than Kubernetes allows."""
    name = values.get("metadata/name")
    if name is None:
        kind = escaped(values["kind"].value[:60]) if "kind" in values else "resource"
        raise refuse(place, f"a {kind} without metadata.name")
    if len(name.value) > LONGEST_NAME:
        raise refuse(place, f"metadata.name has {len(name.value):,} characters; Kubernetes allows {LONGEST_NAME}")
    return name.value


def values_of(node: yaml.Node, file: str, wanted: Sequence[str] = ()) -> dict[str, Said]:
    """Every scalar below a node, by its path; those of a list by their number. `wanted` are the names at the top that
    are read; none: all.

    Raises EvidenceError for what is nested too deeply, or repeated too often.
    """
    return _Values(file, wanted).below(node)


MERGE = "tag:yaml.org,2002:merge"


def _merged_first(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """The pairs of a mapping, what it takes over from others (`<<`) before what it has itself, which counts."""
    return sorted(node.value, key=lambda pair: pair[0].tag != MERGE)


@dataclass
class _Values:
    """What is found while a node is walked through."""

    file: str
    wanted: Sequence[str]
    found: dict[str, Said] = field(default_factory=dict)
    seen: set[int] = field(default_factory=set)
    again: int = 0

    def below(self, node: yaml.Node) -> dict[str, Said]:
        """All of them. Raises EvidenceError for what is nested too deeply, or repeated too often."""
        self._add(node, "", 0)
        return self.found

    def _add(self, node: yaml.Node, path: str, depth: int) -> None:
        line = node.start_mark.line + 1
        self.again += id(node) in self.seen
        self.seen.add(id(node))
        if self.again > MOST_AGAIN:
            raise refuse(Place(self.file, line), f"aliases repeat more than {MOST_AGAIN:,} values")
        if depth > TIMES_DEEP:  # an alias of what it stands in
            raise _too_deep(self.file, line)
        if isinstance(node, yaml.ScalarNode):
            self.found[path] = Said(node.value, Place(self.file, line))
        elif isinstance(node, yaml.MappingNode):
            for key, value in _merged_first(node):
                if not isinstance(key, yaml.ScalarNode):
                    raise refuse(Place(self.file, line), "a name that is no text")
                if key.tag == MERGE:
                    for part in value.value if isinstance(value, yaml.SequenceNode) else (value,):
                        self._add(part, path, depth + 1)
                    continue
                if not path and self.wanted and key.value not in self.wanted:
                    continue
                if self.wanted and path == "status" and key.value != "nodeIds":
                    continue  # the rest of a status is what the operator has seen
                self._add(value, f"{path}/{key.value}" if path else key.value, depth + 1)
        elif isinstance(node, yaml.SequenceNode):
            for number, value in enumerate(node.value):
                self._add(value, f"{path}/{number}", depth + 1)
