"""Traces as files: writing Apalache's Informal Trace Format, as canonical JSON.

https://apalache-mc.org/docs/adr/015adr-trace.html. A state holds exactly the state variables, because Apalache's reader
rejects more or fewer; the action, its arguments, its messages and its source line are in the state's `#meta`. The
values are in `itf_values`, the reader in `itf_reader`. Equal traces give equal bytes.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from epochal.errors import UsageError
from epochal.spec.language import ActionInstance, Member, Protocol
from epochal.spec.language.configurable import configuration_of
from epochal.spec.language.domains import (
    BooleanDomain,
    Domain,
    EnumDomain,
    IdentifierDomain,
    IntegerDomain,
    LogDomain,
    MapDomain,
    OptionalScalar,
    OptionalStruct,
    SetDomain,
    StructDomain,
    UnionDomain,
)
from epochal.spec.language.errors import printable

from ..base.files import write_atomically
from ..base.installed import TOOL, tool_version
from .explain import claim, lanes, messages_of, property_of, protocol_name, sentence, shown_bounds
from .run import Codes, Run

# -- errors -----------------------------------------------------------------------------------------------------------
# What can be wrong with a trace that is read from a file.


class TraceError(UsageError):
    """A file is not a trace that this tool can read. The message names the wrong part, `advice` says what to do."""


# -- itf values -------------------------------------------------------------------------------------------------------
# The values of the Informal Trace Format: one codec for each kind of domain, between leaf codes and JSON.
#
# Integers are `{"#bigint": "-1"}`, identifiers and members of enumerations strings, sets `{"#set": [..]}`, maps
# `{"#map": [[k, v], ..]}`, logs lists, records objects. None needs care, because Apalache's reader types every value
# and knows no variants: an optional identifier or enumeration is a string, `"-"` for none; every other optional value
# is a list of no or one element. Sets and maps are written in the order of their domain, and read in any.

NONE = "-"
_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,30}")
_SHOWN = 40


def said(data: object) -> str:
    """A piece of a file for a message: short, on one line, in ASCII, without looking into nested values."""
    if isinstance(data, dict):
        names = list(data)
        return "an object with " + (f"{said(names[0])}.." if names else "no names")
    if isinstance(data, list):
        return f"a list of {len(data)}"
    text = ascii(data)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + ".."


class Codec(ABC):
    """Between the codes of a domain's leaves and the JSON of its value. `type` is Apalache's notation of its type."""

    type: str

    @abstractmethod
    def encode(self, codes: Sequence[int], at: int) -> Any:
        """The JSON of the value whose codes begin at index `at`."""

    @abstractmethod
    def decode(self, data: Any, where: str, into: list[int]) -> None:
        """Append the codes of the value that `data` is. Raises TraceError naming `where` it is not in the domain."""


class IntegerCodec(Codec):
    """`{"#bigint": "3"}`."""

    type = "Int"

    def __init__(self, domain: IntegerDomain) -> None:
        self.domain = domain

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return {"#bigint": str(self.domain.value(codes[at]))}

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        text = _tagged(data, "#bigint", str, where)
        if not _INTEGER.fullmatch(text):
            raise TraceError(f"{where}: {said(text)} is not an integer")
        code = self.domain.code(int(text))
        if code is None:
            raise TraceError(f"{where}: {text} is outside {self.domain}")
        into.append(code)


class BooleanCodec(Codec):
    """`true` and `false`."""

    type = "Bool"

    def __init__(self, domain: BooleanDomain) -> None:
        self.domain = domain

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return bool(codes[at])

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        if not isinstance(data, bool):
            raise TraceError(f"{where}: {said(data)} is neither true nor false")
        into.append(int(data))


class NameCodec(Codec):
    """Identifiers and members of enumerations, as strings; with `optional` also none, as `"-"`.

    A member is written as people read it (`in-sync`); if two members of the enumeration read alike, all are written as
    the specification spells them (`IN_SYNC`).
    """

    type = "Str"

    def __init__(self, domain: IdentifierDomain | EnumDomain, optional: bool = False) -> None:
        self.domain = domain
        names = [domain.show(value) for value in domain.values()]
        if isinstance(domain, EnumDomain) and len({NONE, *names}) <= len(names):
            names = [member.name for member in domain.type]
        self.names = [NONE, *names] if optional else names
        self.codes = {name: code for code, name in enumerate(self.names)}

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return self.names[codes[at]]

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        code = self.codes.get(data) if isinstance(data, str) else None
        if code is None:
            raise TraceError(f"{where}: {said(data)} is none of {', '.join(self.names)}")
        into.append(code)


class OptionCodec(Codec):
    """A scalar or none that is not a name: a list of no or one element. None has code 0."""

    def __init__(self, domain: OptionalScalar) -> None:
        self.element = codec(domain.element)
        self.type = f"Seq({self.element.type})"

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return [self.element.encode([codes[at] - 1], 0)] if codes[at] else []

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        found: list[int] = []
        for entry in _at_most_one(data, where):
            self.element.decode(entry, where, found)
        into.append(found[0] + 1 if found else 0)


class OptionalRecordCodec(Codec):
    """A record or none: a list of no or one record."""

    def __init__(self, domain: OptionalStruct) -> None:
        self.domain = domain
        self.element = codec(domain.element)
        self.type = f"Seq({self.element.type})"

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return [self.element.encode(codes, at + 1)] if codes[at] else []

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        if not _at_most_one(data, where):
            into.extend([0] * self.domain.leaf_count)
        else:
            into.append(1)
            self.element.decode(data[0], where, into)


class SetCodec(Codec):
    """`{"#set": [..]}`. The code is a bit mask by position in the universe."""

    def __init__(self, domain: SetDomain) -> None:
        self.element = codec(domain.element)
        self.type = f"Set({self.element.type})"
        self.universe = [domain.element.codes_of(value) for value in domain.universe]
        self.positions = {leaves: i for i, leaves in enumerate(self.universe)}

    def encode(self, codes: Sequence[int], at: int) -> Any:
        members = (leaves for i, leaves in enumerate(self.universe) if codes[at] >> i & 1)
        return {"#set": [self.element.encode(leaves, 0) for leaves in members]}

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        mask = 0
        for i, entry in enumerate(_tagged(data, "#set", list, where)):
            leaves: list[int] = []
            self.element.decode(entry, f"{where}{{{i}}}", leaves)
            bit = 1 << self.positions[tuple(leaves)]
            if mask & bit:
                raise TraceError(f"{where}{{{i}}}: the set has this element already")
            mask |= bit
        into.append(mask)


class MapCodec(Codec):
    """`{"#map": [[k, v], ..]}`, with every key of the domain exactly once."""

    def __init__(self, domain: MapDomain) -> None:
        self.domain = domain
        self.key = codec(domain.key)
        self.value = codec(domain.value)
        result = f"({self.value.type})" if isinstance(self.value, MapCodec) else self.value.type
        self.type = f"{self.key.type} -> {result}"

    def encode(self, codes: Sequence[int], at: int) -> Any:
        step = self.domain.value.leaf_count
        keys = (self.key.encode([i], 0) for i in range(len(self.domain.keys)))
        return {"#map": [[key, self.value.encode(codes, at + i * step)] for i, key in enumerate(keys)]}

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        found: dict[int, list[int]] = {}
        for i, pair in enumerate(_tagged(data, "#map", list, where)):
            if not isinstance(pair, list) or len(pair) != 2:
                raise TraceError(f"{where}: entry {i} of the map is {said(pair)}, not a key and a value")
            key: list[int] = []
            self.key.decode(pair[0], f"{where}: key {i} of the map", key)
            inside = f"{where}[{self.domain.key.show(self.domain.keys[key[0]])}]"
            if key[0] in found:
                raise TraceError(f"{inside}: the map has this key already")
            self.value.decode(pair[1], inside, found.setdefault(key[0], []))
        for i, missing in enumerate(self.domain.keys):
            if i not in found:
                raise TraceError(f"{where}: the map has no value for {self.domain.key.show(missing)}")
            into.extend(found[i])


class RecordCodec(Codec):
    """An object with exactly the fields of the record."""

    def __init__(self, domain: StructDomain) -> None:
        self.offsets = domain.offsets
        self.fields = {name: codec(field) for name, field in domain.field_domains.items()}
        self.type = "{" + ", ".join(f"{name}: {field.type}" for name, field in self.fields.items()) + "}"

    def encode(self, codes: Sequence[int], at: int) -> Any:
        return {name: field.encode(codes, at + self.offsets[name]) for name, field in self.fields.items()}

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        if not isinstance(data, dict) or set(data) != set(self.fields):
            raise TraceError(f"{where}: {said(data)} is not a record of {', '.join(self.fields)}")
        for name, field in self.fields.items():
            field.decode(data[name], f"{where}.{name}", into)


class LogCodec(Codec):
    """A list of the entries up to the end of the log."""

    def __init__(self, domain: LogDomain) -> None:
        self.domain = domain
        self.entry = codec(domain.entry)
        self.type = f"Seq({self.entry.type})"

    def encode(self, codes: Sequence[int], at: int) -> Any:
        step = self.domain.entry.leaf_count
        return [self.entry.encode(codes, at + 1 + i * step) for i in range(codes[at])]

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        if not isinstance(data, list):
            raise TraceError(f"{where}: {said(data)} is not a list")
        if len(data) > self.domain.capacity:
            raise TraceError(f"{where}: {len(data)} entries in a log with room for {self.domain.capacity}")
        into.append(len(data))
        for i, entry in enumerate(data):
            self.entry.decode(entry, f"{where}[{i}]", into)
        into.extend([0] * ((self.domain.capacity - len(data)) * self.domain.entry.leaf_count))


class VariantCodec(Codec):
    """A record of one of several classes: `{"tag": "Prepared", "value": {...}}`, the variant of Apalache."""

    def __init__(self, domain: UnionDomain) -> None:
        self.domain = domain
        self.kinds = {str(kind): codec(kind) for kind in domain.kinds}
        self.type = " | ".join(f"{name}({kind.type})" for name, kind in self.kinds.items())

    def encode(self, codes: Sequence[int], at: int) -> Any:
        before = sum(kind.leaf_count for kind in self.domain.kinds[: codes[at]])
        name = str(self.domain.kinds[codes[at]])
        return {"tag": name, "value": self.kinds[name].encode(codes, at + 1 + before)}

    def decode(self, data: Any, where: str, into: list[int]) -> None:
        if not isinstance(data, dict) or set(data) != {"tag", "value"} or data["tag"] not in self.kinds:
            raise TraceError(f"{where}: {said(data)} is not one of {', '.join(self.kinds)}")
        into.append(list(self.kinds).index(data["tag"]))
        for kind in self.domain.kinds:
            if str(kind) == data["tag"]:
                self.kinds[str(kind)].decode(data["value"], f"{where}.value", into)
            else:
                into.extend([0] * kind.leaf_count)


def codec(domain: Domain) -> Codec:
    """The codec of a domain."""
    makers: dict[type[Domain], Callable[[Any], Codec]] = {
        IntegerDomain: IntegerCodec,
        BooleanDomain: BooleanCodec,
        IdentifierDomain: NameCodec,
        EnumDomain: NameCodec,
        OptionalScalar: _optional,
        OptionalStruct: OptionalRecordCodec,
        SetDomain: SetCodec,
        StructDomain: RecordCodec,
        UnionDomain: VariantCodec,
        MapDomain: MapCodec,
        LogDomain: LogCodec,
    }
    return makers[type(domain)](domain)


def _optional(domain: OptionalScalar) -> Codec:
    element = domain.element
    return (
        NameCodec(element, optional=True) if isinstance(element, IdentifierDomain | EnumDomain) else OptionCodec(domain)
    )


def _tagged(data: Any, tag: str, kind: type[Any], where: str) -> Any:
    """The content of `{tag: content}`."""
    if not isinstance(data, dict) or set(data) != {tag} or not isinstance(data[tag], kind):
        form = '"..."' if kind is str else "[...]"
        raise TraceError(f'{where}: {said(data)} instead of {{"{tag}": {form}}}')
    return data[tag]


def _at_most_one(data: Any, where: str) -> list[Any]:
    if not isinstance(data, list) or len(data) > 1:
        raise TraceError(f"{where}: {said(data)} instead of [] for none, or [value]")
    return data


FORMAT = "ITF"
FORMAT_DESCRIPTION = "https://apalache-mc.org/docs/adr/015adr-trace.html"
NAMED_FACTS = ("engine", "shortest", "seed", "digest")


class StateCodec:
    """Between the codes of a state and the variables of an ITF state."""

    def __init__(self, protocol: Protocol) -> None:
        self.variables = protocol.variables
        self.codecs: dict[str, Codec] = {name: codec(v.domain) for name, v in protocol.variables.items()}

    @property
    def types(self) -> dict[str, str]:
        """The type of each variable in Apalache's notation."""
        return {name: one.type for name, one in self.codecs.items()}

    def encode(self, codes: Codes) -> dict[str, Any]:
        """The values of all variables."""
        return {name: one.encode(codes, self.variables[name].first_leaf) for name, one in self.codecs.items()}

    def decode(self, values: dict[str, Any], where: str) -> Codes:
        """The codes of a state given the values of exactly its variables. Raises TraceError for a wrong value."""
        into: list[int] = []
        for name, one in self.codecs.items():
            one.decode(values[name], f"{where}.{name}", into)
        return tuple(into)


class StepNames:
    """How the steps of a protocol are written: action, label and arguments tell every instance from all others."""

    def __init__(self, instances: Sequence[ActionInstance]) -> None:
        self._labels = Counter(instance.label for instance in instances)

    def arguments(self, instance: ActionInstance) -> list[dict[str, Any]]:
        """Name and text of each argument; where another instance has the same label, also the exact value."""
        written: list[dict[str, Any]] = []
        for parameter, argument in zip(instance.parameters, instance.arguments, strict=True):
            entry: dict[str, Any] = {"name": parameter.name, "value": parameter.domain.show(argument)}
            if self._labels[instance.label] > 1:
                entry["exact"] = _exact(parameter.domain, argument)
            written.append(entry)
        return written


def encode(trace: Run) -> dict[str, Any]:
    """The trace as the JSON object of an ITF file."""
    states = StateCodec(trace.protocol)
    names = StepNames(trace.protocol.instances)
    encoded = [{"#meta": {"index": 0}, **states.encode(trace.initial)}]
    for index, (before, step) in enumerate(zip(trace.states, trace.steps, strict=False), start=1):
        instance = step.instance
        meta = {
            "index": index,
            "action": instance.action.name,
            "label": instance.label,
            "arguments": names.arguments(instance),
            "source": {"file": instance.action.where.file, "line": instance.action.where.line},
            "sentence": sentence(instance),
            **_messages(trace.protocol.at(before), instance),
        }
        encoded.append({"#meta": meta, **states.encode(step.codes)})
    loop = {} if trace.loop is None else {"loop": trace.loop}
    return {"#meta": _meta(trace, states, names), "vars": list(states.types), "states": encoded, **loop}


def _messages(before: Protocol, instance: ActionInstance) -> dict[str, Any]:
    """The messages of a step, if its action says that it has any; one that does not arrive is on its way."""
    found = messages_of(instance, before, *lanes(instance, before))
    entries = [{"name": m.name, "from": m.sender, "to": m.receiver, "arrives": m.arrives} for m in found]
    return {"messages": entries} if entries else {}


def _meta(trace: Run, states: StateCodec, names: StepNames) -> dict[str, Any]:
    member = property_of(trace)
    description = f"{protocol_name(trace)}, {shown_bounds(trace.protocol)}: {claim(trace)}"
    facts = {name: printable(fact) if isinstance(fact, str) else fact for name, fact in trace.facts.items()}
    if member is not None and member.asked_as != member.name:
        facts["question"] = member.asked_as
    others = {name: facts[name] for name in sorted(facts) if name not in ("protocol", *NAMED_FACTS)}
    return {
        "format": FORMAT,
        "format-description": FORMAT_DESCRIPTION,
        "description": f"{description}. {member.sentence}" if member and member.sentence else description,
        "varTypes": states.types,
        "tool": TOOL,
        "version": tool_version(),
        "protocol": protocol_name(trace),
        "property": trace.property_id,
        "verdict": trace.verdict,
        **_promise(trace, member, names),
        **({"start": printable(trace.start)} if trace.start else {}),
        **({"configuration": said} if (said := configuration_of(trace.protocol)) else {}),
        "bounds": trace.protocol.bounds.as_dict(),
        **{name: facts[name] for name in NAMED_FACTS if name in facts},
        **({"facts": others} if others else {}),
        "note": printable(trace.note, lines=True),
    }


def _promise(trace: Run, member: Member | None, names: StepNames) -> dict[str, Any]:
    """The parameters of a liveness property that is broken, and the step that closes the round."""
    if member is None or member.mark.kind != "leads_to":
        return {}
    closing = trace.closing
    written: dict[str, Any] = {"arguments": choice(trace.protocol, member, trace.arguments)}
    if closing is not None:
        written["closing"] = {
            "action": closing.action.name,
            "label": closing.label,
            "arguments": names.arguments(closing),
            "sentence": sentence(closing),
        }
    if trace.assumed:
        written["assumed"] = {"fair": list(trace.assumed.words), "unfair": list(trace.assumed.unfair)}
    return written


def choice(protocol: Protocol, member: Member, arguments: Sequence[Any]) -> list[dict[str, Any]]:
    """One choice of the parameters of a liveness property: the name, the text and the value of each."""
    return [
        {"name": parameter.name, "value": parameter.domain.show(argument), "exact": _exact(parameter.domain, argument)}
        for parameter, argument in zip(protocol.parameters(member.function), arguments, strict=True)
    ]


def _exact(domain: Domain, value: Any) -> Any:
    """A value as a state has it."""
    return codec(domain).encode(domain.codes_of(value), 0)


def dumps(trace: Run) -> str:
    """The trace as the text of an ITF file: a line for each entry of the metadata and for each variable of a state."""
    data = encode(trace)
    states = ",\n  ".join(_object(state, "  ") for state in data["states"])
    meta = _object(data["#meta"], " ")
    loop = f',\n "loop": {data["loop"]}' if "loop" in data else ""
    return f'{{\n "#meta": {meta},\n "vars": {json.dumps(data["vars"])},\n "states": [\n  {states}\n ]{loop}\n}}\n'


def _object(data: dict[str, Any], indent: str) -> str:
    entries = ",\n".join(f"{indent} {json.dumps(name)}: {json.dumps(value)}" for name, value in data.items())
    return f"{{\n{entries}\n{indent}}}"


def write_trace(path: Path, trace: Run) -> None:
    """Write the trace to a file, whole or not at all. Raises OSError."""
    write_atomically(path, dumps(trace))
