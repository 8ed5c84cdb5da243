"""What is kept of a search: in the lock file, for people to approve, and in the cache, to answer again at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from epochal.errors import ConfigurationError
from epochal.spec.language import Member, Protocol
from epochal.spec.language.marks import Kind

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


def encode_record(record: Record, runs: bool) -> dict[str, Any]:
    """The record as an object for JSON, with or without its traces."""
    data: dict[str, Any] = {
        "protocol": record.protocol,
        "bounds": record.bounds,
        "tool": record.tool,
        "specification_digest": record.specification,
        "text_digest": record.text,
        "engine": record.engine,
        "exhaustive": record.exhaustive,
        "cut": record.cut,
        "distinct_states": record.distinct_states,
        "generated_states": record.transitions,
        "depth": record.depth,
        "state_digest": record.state_digest,
        "step_digest": record.step_digest,
        "properties": {
            name: {"kind": p.kind, "verdict": p.verdict, "length": p.length, "digest": p.digest}
            | ({"round": p.round, "stopped": p.stopped} if p.kind == "leads_to" else {})
            for name, p in record.properties.items()
        },
        "actions": {name: {"steps": steps, "new_states": new} for name, (steps, new) in record.actions.items()},
    }
    if record.parts:
        data["part_digests"] = dict(record.parts)
    if runs:
        data["warnings"], data["vacuous"] = list(record.warnings), list(record.vacuous)
        data["runs"] = {name: _encode_run(run) for name, run in record.runs.items()}
        failed = record.failed
        data["failed"] = failed and {
            "message": failed.message,
            "file": failed.file,
            "line": failed.line,
            "run": _encode_run(failed.run),
        }
    return data


def decode_record(data: Any) -> Record:
    """A record from plain data. Raises RecordError, which names what is missing or wrong."""
    properties = _field(data, "properties", dict)
    actions = _field(data, "actions", dict)
    failed = data.get("failed")
    return Record(
        protocol=_field(data, "protocol", str),
        bounds={str(k): _number(v, f"bounds.{k}") for k, v in _field(data, "bounds", dict).items()},
        specification=_field(data, "specification_digest", str),
        text=_field(data, "text_digest", str),
        engine=_field(data, "engine", str),
        cut=_field(data, "cut", str),
        distinct_states=_field(data, "distinct_states", int),
        transitions=_field(data, "generated_states", int),
        depth=_field(data, "depth", int),
        state_digest=_field(data, "state_digest", str),
        step_digest=_field(data, "step_digest", str),
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
        tool=_field(data, "tool", str),
        parts={str(name): str(one) for name, one in data.get("part_digests", {}).items()},
        runs={name: _decode_run(run) for name, run in data.get("runs", {}).items()},
        failed=None
        if failed is None
        else Failed(failed["message"], failed["file"], failed["line"], _decode_run(failed["run"])),
    )


def _encode_run(run: Run) -> dict[str, Any]:
    data: dict[str, Any] = {"initial": list(run.initial), "steps": [[a, list(p), list(c)] for a, p, c in run.steps]}
    if run.loop is not None:
        closing = run.closing and [run.closing[0], list(run.closing[1])]
        data |= {"loop": run.loop, "closing": closing, "case": list(run.case)}
    return data


def _decode_run(data: dict[str, Any]) -> Run:
    steps = tuple((action, tuple(where), tuple(codes)) for action, where, codes in data["steps"])
    closing = data.get("closing")
    return Run(
        tuple(data["initial"]),
        steps,
        data.get("loop"),
        closing and (closing[0], tuple(closing[1])),
        tuple(data.get("case", ())),
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
