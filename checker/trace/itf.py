"""Traces as files: writing Apalache's Informal Trace Format, as canonical JSON.

https://apalache-mc.org/docs/adr/015adr-trace.html. A state holds exactly the state variables, because Apalache's reader
rejects more or fewer; the action, its arguments, its messages and its source line are in the state's `#meta`. The
values are in `itf_values`, the reader in `itf_reader`. Equal traces give equal bytes.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from epochal.spec.language import ActionInstance, Member, Protocol
from epochal.spec.language.configurable import configuration_of
from epochal.spec.language.errors import printable

from ..host.files import write_atomically
from ..version import TOOL, tool_version
from .explain import claim, property_of, protocol_name, sentence, shown_bounds
from .itf_values import Codec, codec
from .messages import lanes, messages_of
from .run import Codes, Run

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
                codes: list[int] = []
                parameter.domain.flatten(argument, codes)
                entry["exact"] = codec(parameter.domain).encode(codes, 0)
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
    """The parameters of a promise that is broken, and the step that closes the round."""
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
    """One choice of the parameters of a promise: the name, the text and the value of each."""
    parameters = protocol.parameters(member.function)
    written = []
    for parameter, argument in zip(parameters, arguments, strict=True):
        codes: list[int] = []
        parameter.domain.flatten(argument, codes)
        exact = codec(parameter.domain).encode(codes, 0)
        written.append({"name": parameter.name, "value": parameter.domain.show(argument), "exact": exact})
    return written


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
