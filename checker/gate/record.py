"""What is kept of a search: in the lock file, for people to approve, and in the cache, to answer again at once."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from epochal.errors import ConfigurationError
from epochal.spec.language import Member, Protocol
from epochal.spec.language.marks import Kind

from ..base.files import write_atomically
from ..base.installed import tool_version
from ..trace.trace import Step, Trace

if TYPE_CHECKING:
    from ..liveness.result import LivenessResult
    from ..search.result import CheckResult


Codes = tuple[int, ...]


class RecordError(ConfigurationError):
    """Data that is not a record: the message says what is wrong with it."""


@dataclass(frozen=True)
class PropertyRecord:
    """The verdict on one property: `holds`, `violated`, `unknown` or `not applicable`, and the length of its trace in
    states. A `reachable` that is violated and has a trace happens although it does not apply.

    `digest` is that of what the property says. Of liveness properties (`leads_to`), which may be `not judged`, `round`
    is how many steps go on for ever where it is broken, and `stopped` in how many states a bound alone stops every fair
    step.
    """

    kind: str
    verdict: str
    length: int | None = None
    digest: str = ""
    round: int | None = None
    stopped: int | None = None


@dataclass(frozen=True)
class Run:
    """A trace as plain data: the first state, and each step as action, positions of its arguments and state after.

    One that breaks a liveness property goes on for ever: `loop` and `closing` are those of the trace, and `case` says
    for which choice of the liveness property's parameters, by their positions.
    """

    initial: Codes
    steps: tuple[tuple[str, tuple[int, ...], Codes], ...]
    loop: int | None = None
    closing: tuple[str, tuple[int, ...]] | None = None
    case: tuple[int, ...] = ()


@dataclass(frozen=True)
class Failed:
    """A rule that could not be evaluated: what went wrong, where, and the run that leads there."""

    message: str
    file: str
    line: int
    run: Run


@dataclass(frozen=True)
class Record:
    """The result of a search of one protocol within its bounds.

    `actions` are steps and new states of each action. `runs` are the traces of violations and witnesses by property.
    `specification` and `text` are the digests of `canonical`, and `parts` those of the rules and the bounds alone: none
    in a record of an earlier version. `cut` says why the search is not exhaustive.
    """

    protocol: str
    bounds: dict[str, int]
    specification: str
    text: str
    engine: str
    cut: str
    distinct_states: int
    transitions: int
    depth: int
    state_digest: str
    step_digest: str
    properties: dict[str, PropertyRecord]
    actions: dict[str, tuple[int, int]]
    warnings: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    tool: str = field(default_factory=tool_version)
    runs: dict[str, Run] = field(default_factory=dict)
    failed: Failed | None = None
    parts: dict[str, str] = field(default_factory=dict)

    @property
    def exhaustive(self) -> bool:
        """Whether every reachable state within the bounds was explored."""
        return not self.cut

    def violated(self) -> list[str]:
        """The properties and liveness properties that are violated, in order; `reachable` ones without a witness are
        not."""
        return [n for n, p in self.properties.items() if p.verdict == "violated" and p.kind != "reachable"]

    def not_judged(self) -> list[str]:
        """The liveness properties of which nothing is known, though all states are."""
        return [n for n, p in self.properties.items() if p.verdict == "not judged"]

    def unreached(self) -> list[str]:
        """The `reachable` properties that no reachable state shows."""
        return [n for n in self._witnesses_amiss() if self.properties[n].length is None]

    def out_of_place(self) -> list[str]:
        """The `reachable` properties that happen although they do not apply under the bounds and settings."""
        return [n for n in self._witnesses_amiss() if self.properties[n].length is not None]

    def _witnesses_amiss(self) -> list[str]:
        return [n for n, p in self.properties.items() if p.verdict == "violated" and p.kind == "reachable"]

    def never_taken(self) -> list[str]:
        """The actions that no reachable state enables; none if not every state was seen."""
        return [name for name, (steps, _) in self.actions.items() if steps == 0] if self.exhaustive else []

    def same_behaviour(self, other: Record) -> bool:
        """Whether both reach the same states by the same steps."""
        both = self.exhaustive and other.exhaustive
        return both and (self.state_digest, self.step_digest) == (other.state_digest, other.step_digest)

    def same_part(self, other: Record, part: str) -> bool | None:
        """Whether both have the same rules, or bounds, by their digest; None if an earlier version has written one."""
        mine, others = self.parts.get(part), other.parts.get(part)
        return None if mine is None or others is None else mine == others


@dataclass(frozen=True)
class Digests:
    """The digests of a specification: of its rules, of their text, and of each property."""

    specification: str
    text: str
    properties: Mapping[str, str]
    parts: Mapping[str, str] = field(default_factory=dict)


def record_of(result: CheckResult, digests: Digests) -> Record:
    """The record of a search."""
    failed = None
    if result.error is not None:
        where = result.error.where
        failed = Failed(
            result.error.message, where.file if where else "", where.line if where else 1, _run(result.error.trace)
        )
    return Record(
        protocol=result.protocol.name,
        bounds=result.protocol.bounds.as_dict(),
        specification=digests.specification,
        text=digests.text,
        engine=result.engine,
        cut=result.cut,
        distinct_states=result.distinct_states,
        transitions=result.transitions,
        depth=result.depth,
        state_digest=result.state_digest,
        step_digest=result.step_digest,
        properties={
            p.member.name: PropertyRecord(p.member.mark.kind, p.verdict, p.length, digests.properties[p.member.name])
            for p in result.properties
        }
        | {p.member.name: _promise(p, digests.properties[p.member.name]) for p in result.liveness.promises},
        actions={a.name: (a.steps, a.new_states) for a in result.actions},
        warnings=result.warnings,
        vacuous=result.vacuous,
        runs={p.member.name: _run(p.trace) for p in result.properties if p.trace is not None}
        | {p.member.name: _run(p.trace) for p in result.liveness.promises if p.trace is not None},
        failed=failed,
        parts=dict(digests.parts),
    )


def _promise(found: LivenessResult, digest: str) -> PropertyRecord:
    """What is known of a liveness property."""
    stopped = None if found.verdict == "not judged" else found.stopped
    return PropertyRecord("leads_to", found.verdict, found.length, digest, found.round, stopped)


def _run(trace: Trace) -> Run:
    steps = tuple((s.instance.action.name, s.instance.positions, s.codes) for s in trace.steps)
    closing = None if trace.closing is None else (trace.closing.action.name, trace.closing.positions)
    case: tuple[int, ...] = ()
    if trace.arguments:
        (member,) = [one for one in trace.protocol.members("leads_to") if one.name == trace.property_id]
        parameters = trace.protocol.parameters(member.function)
        case = tuple(p.domain.index(a) for p, a in zip(parameters, trace.arguments, strict=True))
    return Run(trace.initial, steps, trace.loop, closing, case)


def trace_of(record: Record, protocol: Protocol, property_id: str) -> Trace | None:
    """The trace of a property ("": of the rule that failed), on a protocol with the record's specification digest."""
    run = record.runs.get(property_id) if property_id or record.failed is None else record.failed.run
    if run is None:
        return None
    instances = {(i.action.name, i.positions): i for i in protocol.instances}
    kind = record.properties[property_id].kind if property_id else ""
    verdict = "error" if not property_id else "reached" if kind == "reachable" else "violated"
    facts: dict[str, str | int | bool] = {
        "protocol": record.protocol,
        "engine": record.engine,
        "shortest": True,
        "digest": record.specification,
    }
    steps = tuple(Step(instances[action, where], codes) for action, where, codes in run.steps)
    note = record.failed.message if record.failed is not None and not property_id else ""
    trace = Trace(protocol, run.initial, steps, property_id, verdict, note, facts)
    if run.loop is None:
        return trace
    parameters = protocol.parameters(members_by_name(protocol)[property_id].function)
    arguments = tuple(list(p.domain.values())[at] for p, at in zip(parameters, run.case, strict=True))
    return replace(
        trace, loop=run.loop, closing=None if run.closing is None else instances[run.closing], arguments=arguments
    )


def with_present_words(
    record: Record,
    protocol: Protocol,
    reference: str,
    digests: Digests,
    warnings: tuple[str, ...],
    vacuous: tuple[str, ...],
) -> Record:
    """A record as that of this protocol, whose rules mean the same but may be written and called otherwise.

    `reference` is how the protocol is called on the command line.
    """
    return replace(
        record,
        protocol=reference,
        bounds=protocol.bounds.as_dict(),
        text=digests.text,
        parts=dict(digests.parts),
        warnings=warnings,
        vacuous=vacuous,
        actions={action.name: record.actions[action.name] for action in protocol.members("action")},
    )


def members_by_name(protocol: Protocol) -> Mapping[str, Member]:
    """Actions, properties and liveness properties by name."""
    kinds: tuple[Kind, ...] = ("action", "invariant", "action_property", "reachable", "leads_to")
    return {member.name: member for kind in kinds for member in protocol.members(kind)}


# -- as plain data ----------------------------------------------------------------------------------------------------


_PLAIN: Mapping[str, tuple[str, type]] = {
    "protocol": ("protocol", str),
    "bounds": ("bounds", dict),
    "tool": ("tool", str),
    "specification_digest": ("specification", str),
    "text_digest": ("text", str),
    "engine": ("engine", str),
    "exhaustive": ("exhaustive", bool),
    "cut": ("cut", str),
    "distinct_states": ("distinct_states", int),
    "generated_states": ("transitions", int),
    "depth": ("depth", int),
    "state_digest": ("state_digest", str),
    "step_digest": ("step_digest", str),
}
"""The entries of JSON that are fields of a record as they are, with their types."""


def encode_record(record: Record, runs: bool) -> dict[str, Any]:
    """The record as an object for JSON, with or without its traces."""
    data: dict[str, Any] = {name: getattr(record, field) for name, (field, _) in _PLAIN.items()}
    data["properties"] = {
        name: {"kind": p.kind, "verdict": p.verdict, "length": p.length, "digest": p.digest}
        | ({"round": p.round, "stopped": p.stopped} if p.kind == "leads_to" else {})
        for name, p in record.properties.items()
    }
    data["actions"] = {name: {"steps": steps, "new_states": new} for name, (steps, new) in record.actions.items()}
    if record.parts:
        data["part_digests"] = dict(record.parts)
    if runs:
        for name in ("warnings", "vacuous", "runs", "failed"):
            data[name] = msgspec.to_builtins(getattr(record, name))
    return data


def decode_record(data: Any) -> Record:
    """A record from plain data. Raises RecordError, which names what is missing or wrong, and ValueError of traces."""
    properties = _field(data, "properties", dict)
    actions = _field(data, "actions", dict)
    plain = {field: _field(data, name, kind) for name, (field, kind) in _PLAIN.items() if field != "exhaustive"}
    plain["bounds"] = {str(name): _number(value, f"bounds.{name}") for name, value in plain["bounds"].items()}
    return Record(
        **plain,
        properties={
            name: PropertyRecord(
                _field(one, "kind", str),
                _field(one, "verdict", str),
                one.get("length"),
                _field(one, "digest", str),
                one.get("round"),
                one.get("stopped"),
            )
            for name, one in properties.items()
        },
        actions={name: (_field(a, "steps", int), _field(a, "new_states", int)) for name, a in actions.items()},
        warnings=tuple(data.get("warnings", ())),
        vacuous=tuple(data.get("vacuous", ())),
        parts={str(name): str(one) for name, one in data.get("part_digests", {}).items()},
        runs=msgspec.convert(data.get("runs", {}), dict[str, Run]),
        failed=msgspec.convert(data.get("failed"), Failed | None),
    )


def _number(value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise RecordError(f"{name} is not a number")
    return value


def _field(data: Any, name: str, kind: type[Any]) -> Any:
    if not isinstance(data, dict):
        raise RecordError(f"{data!r:.40} stands where an object is expected")
    if name not in data:
        raise RecordError(f"{name} is missing")
    value = data[name]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError(f"{name} is {value!r:.40}")
    return value


# -- lock file --------------------------------------------------------------------------------------------------------
# The lock file: the behaviour of every model that somebody has approved, as JSON that can be read in a diff.
#
# It is canonical: sorted, one value a line, the same bytes for the same content. It is written by `epochal gate
# approve` only; committed together with a change, it is the approval of what the change does.


NAME = "epochal.lock.json"
FORMAT = "epochal-lock"
VERSION = 1
CONFLICT = re.compile(r"^(<{7}|={7}|>{7}|\|{7})( |\r?$)", re.MULTILINE)


class LockError(ConfigurationError):
    """The lock file cannot be used. The message says why and what to do."""


@dataclass(frozen=True)
class Locked:
    """What is approved of one model: its record, the violations it is expected to have, and why it changed last."""

    record: Record
    expected_violations: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True)
class Lock:
    """A lock file: what is approved, by the name of the model."""

    models: Mapping[str, Locked] = field(default_factory=dict)


def lock_text(lock: Lock) -> str:
    """The text of a lock file."""
    models = {
        name: {
            **encode_record(locked.record, runs=False),
            "expected_violations": sorted(locked.expected_violations),
            "reason": locked.reason,
        }
        for name, locked in lock.models.items()
    }
    data = {"format": FORMAT, "version": VERSION, "models": models}
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def lock_from(text: str, name: str = NAME) -> Lock:
    """The lock file with this text. Raises LockError; `name` is how the message calls it."""
    if CONFLICT.search(text):
        raise LockError(
            f"{name} holds an unresolved merge conflict.\n"
            "  Take either side (git checkout --ours or --theirs), then run: epochal gate approve --reason '...'"
        )
    try:
        data: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise LockError(
            f"{name} is damaged: {why}.\n  Restore it (git checkout -- {name}), or make it again with: "
            "epochal gate approve --reason '...'"
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("version"), int):
        raise LockError(f'{name} is not a lock file of epochal: "format" must be "{FORMAT}".')
    if data["version"] > VERSION:
        raise LockError(
            f"{name} was written by a newer version of epochal (its format is {data['version']}, this one knows "
            f"{VERSION}).\n  Install the version that wrote it."
        )
    models = data.get("models")
    if not isinstance(models, dict):
        raise LockError(f"{name} is damaged: models is missing.\n  Restore it: git checkout -- {name}")
    return Lock({key: _locked(name, key, one) for key, one in models.items()})


def _locked(name: str, key: str, data: Any) -> Locked:
    try:
        record = decode_record(data)
        expected, reason = data["expected_violations"], data["reason"]
        if not isinstance(expected, list) or not isinstance(reason, str):
            raise RecordError("expected_violations or reason has another type")
    except (RecordError, KeyError, TypeError, msgspec.ValidationError) as error:
        said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise LockError(
            f"{name} is damaged: models.{key}: {said}.\n  Restore it (git checkout -- {name}), or make it again with: "
            "epochal gate approve --reason '...'"
        ) from error
    return Locked(record, tuple(expected), reason)


def read_lock(path: Path) -> Lock | None:
    """The lock file at a path; None if there is none. Raises LockError, and OSError if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        raise LockError(
            f"{path.name} is damaged: it is not UTF-8.\n  Restore it: git checkout -- {path.name}"
        ) from error
    return lock_from(text, path.name)


def write_lock(path: Path, lock: Lock) -> None:
    """Write a lock file, whole or not at all. Raises OSError."""
    write_atomically(path, lock_text(lock))
