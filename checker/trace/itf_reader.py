"""Traces as files: reading what `itf` wrote, and saying what is wrong with a file that is damaged or foreign.

Nothing in a file is believed: every state is checked against the domains of the protocol, every step against its
actions. Whether the steps are possible is for `replay` to say.
"""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NoReturn

from epochal.errors import UsageError
from epochal.sentences import Given, Sentence, naming_protocol
from epochal.spec.language import ActionInstance, Bounds, Protocol, SpecificationError
from epochal.spec.language.configurable import SEPARATOR, reference_to, split_reference, with_configuration
from epochal.spec.language.errors import printable
from epochal.spec.loading import load_protocol, with_questions
from epochal.spec.registry import is_registered, registered

from ..base.installed import TOOL
from ..semantics.properties import AS_NAMED, Assumptions, assumptions
from .explain import property_of, protocol_option
from .itf import FORMAT, NAMED_FACTS, StateCodec, StepNames, TraceError, choice, dumps, said
from .run import DEADLOCK
from .trace import NOT_INDUCTIVE, Codes, Step, Trace

Load = Callable[[str], type[Protocol]]
SIZE_LIMIT = 256 << 20
KINDS: dict[str, tuple[str, ...]] = {
    "violated": ("invariant", "action_property", "lemma", "leads_to"),
    "reached": ("reachable",),
    "error": ("invariant", "action_property", "reachable", "lemma", ""),
    "run": ("invariant", "action_property", "reachable", "lemma", ""),
    NOT_INDUCTIVE: ("invariant", "lemma", ""),
    DEADLOCK: ("",),
}


def read_trace(path: Path, load: Load, size_limit: int = SIZE_LIMIT, *, against: bool = False) -> Trace:
    """The trace in a file of at most so many bytes. `load` finds a protocol by the name that stands in the file.

    With `against` that is another than the one in which the trace was found, and has settings of its own.

    Raises OSError, TraceError naming the file and the part of it that is wrong, and whatever `load` raises.
    """
    with path.open("rb") as file:
        content = file.read(size_limit + 1)
    try:
        if len(content) > size_limit:
            raise TraceError(f"the file is larger than {size_limit >> 20} MiB, so it is not a trace of {TOOL}")
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TraceError(f"the file is not JSON: byte {error.start} is not UTF-8 text") from error
        return decode(text, load, against)
    except TraceError as error:
        raise TraceError(f"{path}: {error.message}", error.sentences[1]) from error


def decode(source: str | dict[str, Any], load: Load, against: bool = False) -> Trace:
    """The trace in the text of an ITF file, or in its JSON object; `against` another protocol as in `read_trace`.

    Raises TraceError naming the part that is wrong, and whatever `load` raises.
    """
    data = _parsed(source) if isinstance(source, str) else source
    if not isinstance(data, dict) or "states" not in data or "vars" not in data:
        raise TraceError(
            f"the file is not in the Informal Trace Format: {said(data)} without vars and states",
            f"{TOOL} writes and reads traces as *.itf.json.",
        )
    meta = _root_meta(data)
    for name in data:
        if name not in ("#meta", "params", "vars", "states", "loop"):
            raise TraceError(f"{said(name)}: {TOOL} writes no such part")
    name = _text(meta, "protocol")
    kind = load(name)
    protocol = _protocol(kind if against else _configured(kind, meta), meta)
    called = kind.name or kind.__name__ if against else name
    codec = StateCodec(protocol)
    if data["vars"] != list(codec.types):
        raise TraceError(
            f"vars: they are not the state variables of {called}, which are {', '.join(codec.types)}",
            "" if against else "The trace may be of an earlier version of the specification.",
        )
    types = _part(meta, "varTypes", dict)
    if types != codec.types:
        wrong = next(n for n in {**codec.types, **types} if types.get(n) != codec.types.get(n))
        raise TraceError(f"#meta.varTypes: the type of {said(wrong)} is not the one of the specification")
    if not isinstance(data["states"], list) or not data["states"]:
        raise TraceError(f"states: {said(data['states'])} instead of a list of states")
    states = [_state(i, state, codec) for i, state in enumerate(data["states"])]
    steps = _steps(data["states"], states, protocol)
    trace = Trace(
        protocol,
        states[0],
        steps,
        _text(meta, "property"),
        _text(meta, "verdict"),
        _text(meta, "note", lines=True),
        _facts(meta),
    )
    if "start" in meta:
        trace = replace(trace, start=_text(meta, "start"))
    if "loop" in data:
        trace = replace(trace, **_for_ever(data["loop"], meta, trace))
    _check_claim(trace)
    return trace


# -- the text -----------------------------------------------------------------------------------------------------


def _parsed(text: str) -> Any:
    """The JSON value of a text. Unlike `json.loads`, refuses NaN and a name that occurs twice in one object."""
    if not text.strip():
        raise TraceError("the file is empty")
    try:
        return json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        early = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated")
        what = "it ends too early, so it was not written or copied whole" if early else error.msg
        raise TraceError(f"the file is not JSON: line {error.lineno}, column {error.colno}: {what}") from error
    except RecursionError:
        raise TraceError("the file is not a trace: its values are nested too deeply") from None
    except TraceError:  # by one of the two hooks
        raise
    except ValueError as error:
        raise TraceError("the file is not a trace: it has a number with thousands of digits") from error


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise TraceError(f"the file is not a trace: the name {said(name)} occurs twice in one object")
        found[name] = value
    return found


def _no_constant(name: str) -> NoReturn:
    raise TraceError(f"the file is not JSON: {name} is no value of JSON")


# -- metadata -----------------------------------------------------------------------------------------------------


def _part(meta: dict[str, Any], name: str, kind: type[Any], where: str = "#meta") -> Any:
    """An entry of a `#meta` object. Raises TraceError if it is missing or of another kind."""
    if name not in meta:
        raise TraceError(f"{where}: there is no {name}")
    if not isinstance(meta[name], kind) or (isinstance(meta[name], bool) and kind is int):
        wanted = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}[kind]
        raise TraceError(f"{where}.{name}: {said(meta[name])} instead of {wanted}")
    return meta[name]


def _text(meta: dict[str, Any], name: str, where: str = "#meta", lines: bool = False) -> str:
    """A text without control characters, on one line unless it may have `lines`."""
    text: str = _part(meta, name, str, where)
    if text != printable(text, lines):
        raise TraceError(f"{where}.{name}: {said(text)} has control characters{'' if lines else ' or several lines'}")
    return text


def _root_meta(data: dict[str, Any]) -> dict[str, Any]:
    if "#meta" not in data:
        raise TraceError(
            f"#meta: there is none, so the trace was not written by {TOOL}", "Other tools' traces name no protocol."
        )
    meta: dict[str, Any] = _part(data, "#meta", dict, "the file")
    if meta.get("format", FORMAT) != FORMAT:
        raise TraceError(f"#meta.format: {said(meta['format'])} instead of {FORMAT}")
    if meta.get("tool") != TOOL:
        author = meta.get("tool") or meta.get("description") or meta.get("source") or "another tool"
        raise TraceError(
            f"#meta.tool: the trace was not written by {TOOL} but by {said(author)}",
            f"Only traces of {TOOL} name the protocol, the bounds and the actions needed to read them.",
        )
    return meta


def _configured(kind: type[Protocol], meta: dict[str, Any]) -> type[Protocol]:
    """The protocol as the settings that the file names configure it."""
    said: dict[str, Any] = _part(meta, "configuration", dict) if "configuration" in meta else {}
    try:
        return with_configuration(kind, said)
    except SpecificationError as error:
        raise TraceError(f"#meta.configuration: {error.message}", error.advice) from error


def _protocol(kind: type[Protocol], meta: dict[str, Any]) -> Protocol:
    """The protocol within the bounds that the file names."""
    bounds: dict[str, Any] = _part(meta, "bounds", dict)
    try:
        bounds_type: type[Bounds] = kind.bounds_type()
        declared = [field.name for field in fields(bounds_type)]
        for name in (*bounds, *declared):
            if name not in declared:
                raise TraceError(f"#meta.bounds: {said(name)} is no bound; there are {', '.join(declared) or 'none'}")
            if name not in bounds:
                raise TraceError(f"#meta.bounds: there is no {name}")
        protocol = kind(bounds_type(**bounds))
        if not protocol.instances:
            raise TraceError(f"#meta.protocol: {said(meta['protocol'])} has no actions")
    except SpecificationError as error:
        raise TraceError(f"#meta.bounds: {error.message}", error.advice) from error
    return protocol


def _facts(meta: dict[str, Any]) -> dict[str, str | int | bool]:
    others = _part(meta, "facts", dict) if "facts" in meta else {}
    facts = {**others, "protocol": meta["protocol"], **{n: meta[n] for n in NAMED_FACTS if n in meta}}
    for name, value in facts.items():
        if not isinstance(value, str | int | bool) or not f"{name}{value}".isprintable():
            raise TraceError(
                f"#meta: the value of {said(name)} is {said(value)}, not a plain text, number or truth value"
            )
    return facts


def _check_claim(trace: Trace) -> None:
    """What the file says that the trace shows must be something that a trace can show."""
    if trace.verdict not in KINDS:
        raise TraceError(f"#meta.verdict: {said(trace.verdict)} is none of {', '.join(KINDS)}")
    member = property_of(trace)
    if trace.property_id and member is None:
        raise TraceError(f"#meta.property: the specification has no property {said(trace.property_id)}", _asked(trace))
    kind = member.mark.kind if member else ""
    if kind not in KINDS[trace.verdict]:
        raise TraceError(f"#meta.verdict: {trace.verdict} says nothing about {trace.property_id or 'no property'}")
    if (kind == "leads_to") != (trace.loop is not None):
        raise TraceError("loop: a run has one exactly if it violates a liveness property")
    if kind == "action_property" and not trace.steps:
        raise TraceError(f"states: {trace.property_id} is about a step, and the trace has none")


def _asked(trace: Trace) -> str:
    """What to do about a property that only the one who asked has; "" if the trace does not say so."""
    if lemmas := trace.facts.get("lemmas"):
        return f"It is a lemma of {said(lemmas)}: epochal prove with --lemmas finds the step again."
    question = trace.facts.get("question")
    if question is None:
        return ""
    return f"It was a question of one's own. If you trust its file, name it: --property {said(question)}"


# -- states and steps ---------------------------------------------------------------------------------------------


def _state(index: int, data: Any, codec: StateCodec) -> Codes:
    where = f"states[{index}]"
    if not isinstance(data, dict):
        raise TraceError(f"{where}: {said(data)} instead of a state")
    meta = _part(data, "#meta", dict, where)
    if _part(meta, "index", int, f"{where}.#meta") != index:
        raise TraceError(
            f"{where}.#meta.index: {said(meta['index'])} instead of {index}: states are missing or out of order"
        )
    for name in codec.types:
        if name not in data:
            raise TraceError(f"{where}: there is no value for {name}")
    for name in data:
        if name != "#meta" and name not in codec.types:
            raise TraceError(f"{where}: {said(name)} is not a state variable")
    return codec.decode(data, where)


def _steps(data: list[Any], states: list[Codes], protocol: Protocol) -> tuple[Step, ...]:
    instances = _Instances(protocol)
    taken = (instances.read(data[index]["#meta"], f"states[{index}].#meta") for index in range(1, len(states)))
    return tuple(Step(instance, codes) for instance, codes in zip(taken, states[1:], strict=True))


class _Instances:
    """The steps of a protocol, by how files write them."""

    def __init__(self, protocol: Protocol) -> None:
        self._known: dict[tuple[str, str], list[ActionInstance]] = {}
        for instance in protocol.instances:
            self._known.setdefault((instance.action.name, instance.label), []).append(instance)
        self._actions = dict.fromkeys(action for action, _ in self._known)
        self._names = StepNames(protocol.instances)

    def read(self, meta: dict[str, Any], where: str) -> ActionInstance:
        """The instance that an object names. Raises TraceError."""
        action, label = _text(meta, "action", where), _text(meta, "label", where)
        if action not in self._actions:
            known = ", ".join(self._actions)
            raise TraceError(f"{where}.action: the specification has no action {said(action)}; it has {known}")
        if (action, label) not in self._known:
            raise TraceError(f"{where}.label: {said(label)} is no step of {action} within these bounds")
        arguments = _part(meta, "arguments", list, where)
        chosen = [one for one in self._known[action, label] if self._names.arguments(one) == arguments]
        if not chosen:
            raise TraceError(f"{where}.arguments: they are not those of {label}")
        return chosen[0]


def _for_ever(loop: Any, meta: dict[str, Any], trace: Trace) -> dict[str, Any]:
    """What happens after the last step of a run that breaks a liveness property."""
    if type(loop) is not int or not 0 <= loop < trace.length:
        raise TraceError(f"loop: {said(loop)} instead of the number of a state, 0 to {trace.length - 1}")
    member = property_of(trace)
    if member is None or member.mark.kind != "leads_to":
        raise TraceError("loop: only a run that violates a liveness property has one")
    written = _part(meta, "arguments", list)
    domains = [parameter.domain for parameter in trace.protocol.parameters(member.function)]
    chosen = next(
        (
            one
            for one in itertools.product(*(d.values() for d in domains))
            if choice(trace.protocol, member, one) == written
        ),
        None,
    )
    if chosen is None:
        raise TraceError(f"#meta.arguments: they are not those of {member.name}")
    where = "#meta.closing"
    closing = _Instances(trace.protocol).read(_part(meta, "closing", dict), where) if "closing" in meta else None
    return {"loop": loop, "closing": closing, "arguments": chosen, "assumed": _assumed(meta, trace)}


def _assumed(meta: dict[str, Any], trace: Trace) -> Assumptions:
    """What fairness was assumed besides what the liveness property names."""
    if "assumed" not in meta:
        return AS_NAMED
    where = "#meta.assumed"
    written = _part(meta, "assumed", dict)
    fair, unfair = (_part(written, name, list, where) for name in ("fair", "unfair"))
    if not all(isinstance(one, str) for one in (*fair, *unfair)):
        raise TraceError(f"{where}: {said(written)} instead of names of actions")
    try:
        return assumptions(trace.protocol, fair, unfair)
    except UsageError as error:
        raise TraceError(f"{where}: {error.message}", error.sentences[1]) from error


# -- protocol of ------------------------------------------------------------------------------------------------------
# Which protocol a stored trace may be of: a registered one, or one that the command line names.
#
# A trace names its protocol, and a file that is loaded runs. So what a trace says is compared, and never loaded.


LONGEST = 200
"""A name of more characters is told shortened."""


class TraceReader:
    """Reads traces. `protocols` are those that the user names: references, which are loaded, or classes with a name.

    A trace must be of one of these, by the name of its class; if there is none, of a registered one. `questions` are
    functions of files, which the protocols have as properties besides their own.

    With `against` the protocol of a trace is not loaded: its states and steps are read as those of this one.
    """

    def __init__(
        self,
        protocols: Sequence[str | type[Protocol]],
        questions: Sequence[str] = (),
        against: str | type[Protocol] | None = None,
    ) -> None:
        self._given = {
            one if isinstance(one, str) else one.name: load_protocol(one) if isinstance(one, str) else one
            for one in protocols
        }
        self._questions = tuple(questions)
        self._against = load_protocol(against) if isinstance(against, str) else against
        self.against = against if isinstance(against, str) else reference_to(against.name, against) if against else ""
        """How the protocol is called that all traces are read as; "" if each is read as its own."""

    def on_the_other(self, trace: Trace) -> Trace:
        """A trace that is there already, as one of the other protocol. Raises TraceError if it has other states."""
        if self._against is None:
            return trace
        try:
            return decode(dumps(trace), self._protocol, against=True)
        except TraceError as error:
            raise self._other_states(error) from error

    def _other_states(self, error: TraceError) -> TraceError:
        return TraceError(f"it is no run of {self.against}: {error.message}", error.sentences[1])

    def read(self, path: Path) -> Trace:
        """The trace in a file. Raises TraceError if it is none, or one of another protocol."""
        if self._against is not None:
            return self._read_against(path)
        trace = read_trace(path, self._protocol)
        name, separator, settings = str(trace.facts["protocol"]).partition(SEPARATOR)
        called = self._reference(name)
        if called is None:
            return trace
        return replace(trace, facts={**trace.facts, "protocol": f"{called}{separator}{settings}"})

    def _read_against(self, path: Path) -> Trace:
        """The trace in a file as one of the other protocol. What is no trace at all is told as it is without."""
        asked_for: list[str] = []

        def load(claimed: str) -> type[Protocol]:
            asked_for.append(claimed)
            return self._protocol(claimed)

        try:
            return read_trace(path, load, against=True)
        except TraceError as error:
            if not asked_for:  # the file does not even say whose run it is
                raise
            raise self._other_states(error) from error

    def _reference(self, name: str) -> str | None:
        """How the command line names the protocol that a trace calls so."""
        return next((reference for reference, kind in self._given.items() if _is_called(kind, name)), None)

    def _protocol(self, claimed: str) -> type[Protocol]:
        if self._against is not None:
            return with_questions(self._against, self._questions)
        name, settings = split_reference(claimed)
        if self._given:
            reference = self._reference(name)
            if reference is None:
                raise TraceError(
                    f"the trace is of {shown(name)}, not of {' or '.join(self._given)}",
                    (
                        *("Name the protocol that it is of: ", naming_protocol("FILE:NAME")),
                        *(". To replay it on another: ", Given("against", next(iter(self._given)))),
                    ),
                )
            kind = self._given[reference]
        elif is_registered(name):
            kind = registered(name)
        else:
            known = _printable(name) and protocol_option(name)
            named = naming_protocol(name if known else "path/to/file.py:Name")
            raise not_named(name, ("If you trust its file, name it: ", named))
        return with_questions(with_configuration(kind, settings), self._questions)


def not_named(name: str, advice: Sentence) -> TraceError:
    """The refusal of a trace of a protocol that is neither registered nor named on the command line."""
    return TraceError(
        f"the trace is of {shown(name)}, which is no registered protocol; no file runs because a trace names it", advice
    )


def shown(name: str) -> str:
    """A name from a file, as a word of a shell; one that a terminal may obey, or without end, only in part."""
    return shlex.quote(name) if _printable(name) else said(name)


def _printable(name: str) -> bool:
    return name.isprintable() and 0 < len(name) <= LONGEST


def _is_called(kind: type[Protocol], name: str) -> bool:
    """Whether a protocol has the name that a trace gives: its own, or that of its class in whatever file."""
    return name == kind.name or (":" in name and name.rpartition(":")[2] == kind.__name__)
