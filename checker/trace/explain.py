"""What happens in a trace, in words: who acts on whom, the step as a sentence, and the leaves that change."""

from __future__ import annotations

import shlex
import string
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType, TracebackType

from epochal.spec.language import ActionInstance, Disabled, LanguageError, Member, Protocol, SourceLine, shown
from epochal.spec.language.configurable import split_reference
from epochal.spec.language.display import HasVariables, shown_leaves
from epochal.spec.language.domains import IdentifierDomain, Leaf
from epochal.spec.language.errors import printable, said, shown_path
from epochal.spec.language.marks import Kind, bounded, require
from epochal.spec.language.members import Parameter
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.source_text import shown_line
from epochal.spec.language.views import NOTHING, kept_in_stories, untold, words_of

from .run import DEADLOCK, NOT_INDUCTIVE, Codes, Run, Step

# -- messages ---------------------------------------------------------------------------------------------------------
# Who acts in a step, on whom, and which messages are sent and received in it.


ANSWER = " response"
"""How the name of a message ends that answers another one."""


@dataclass(frozen=True)
class Message:
    """A message by its name in Kafka's protocol, who sends it and to whom: lanes such as `b1` or `controller`.

    One that does not arrive in the step in which it is sent is on its way: another action receives it.
    """

    name: str
    sender: str
    receiver: str
    arrives: bool = True

    @property
    def answers(self) -> bool:
        """Whether it is the answer to another message."""
        return self.name.endswith(ANSWER)


def shown_arguments(instance: ActionInstance) -> dict[str, str]:
    """The arguments of an action as people read them, by parameter name."""
    return {p.name: p.domain.show(a) for p, a in zip(instance.parameters, instance.arguments, strict=True)}


def lanes(instance: ActionInstance, before: Protocol | None = None) -> tuple[str, str]:
    """Who acts, and on whom: an argument such as `b2`, a lane such as `controller`, or "" if the action names none.

    `before` is the state in which it acts. There `request.leader` is what that field holds; without it, it is a word.
    Raises LanguageError for a field that is not there.
    """
    mark = instance.action.mark
    return _lane(instance, mark.by, before), _lane(instance, mark.to, before)


def _lane(instance: ActionInstance, name: str, before: Protocol | None) -> str:
    variable, *fields = name.split(".")
    if before is None or not fields or variable not in before.variables:
        return (
            shown_arguments(instance).get(name)
            or (_one_of(instance, name, before) if before is not None else "")
            or name
        )
    value = getattr(before, variable)
    try:
        for field in fields:
            value = getattr(value, field)
    except AttributeError as error:
        raise LanguageError(
            f"{instance.action.name} is by or to {name}, which is no field of the state: {said(error)}",
            instance.action.where,
            "Write a parameter of the action, a field of the state such as request.leader, or a word.",
        ) from error
    return "" if value is None else shown(value)


def speakers(protocol: Protocol) -> dict[str, Parameter]:
    """Those of whom there are several, without identifiers: the parameters of views, such as the epoch of a controller,
    by the word that lanes begin with."""
    views = (protocol.parameters(member.function) for member in protocol.members("view"))
    return {p.name: p for parameters in views for p in parameters if not isinstance(p.domain, IdentifierDomain)}


def _one_of(instance: ActionInstance, name: str, before: Protocol) -> str:
    """Which of several acts: `controller 2`, whose number is the one argument of the same values; else ""."""
    speaker = speakers(before).get(name)
    if speaker is None:
        return ""
    known = list(speaker.domain.values())
    found = [
        parameter.domain.show(argument)
        for parameter, argument in zip(instance.parameters, instance.arguments, strict=True)
        if list(parameter.domain.values()) == known
    ]
    return f"{name} {found[0]}" if len(found) == 1 else ""


def messages_of(instance: ActionInstance, before: Protocol, by: str, to: str) -> tuple[Message, ...]:
    """The messages of a step from lane `by`, who acts, to lane `to`, and back; an answer comes last."""
    mark = instance.action.mark
    if not by or not to:
        return ()
    found = []
    if mark.sends:
        on_its_way = any(action.mark.receives == mark.sends for action in before.members("action"))
        found.append(Message(mark.sends, by, to, not on_its_way))
    if mark.receives:
        found.append(Message(mark.receives, to, by))
    return tuple(sorted(found, key=lambda one: one.answers))


def arriving(messages: Sequence[Message]) -> list[Message]:
    """Those that arrive in the step: what diagrams draw an arrow for."""
    return [one for one in messages if one.arrives]


@dataclass(frozen=True)
class Change:
    """A leaf that differs between two states, with its value in each as text."""

    path: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Told:
    """What a step makes different, as people read it: the words of a lane after it, or a field with lane ""."""

    lane: str
    text: str

    def __str__(self) -> str:
        return f"{self.lane}: {self.text}" if self.lane else self.text


@dataclass(frozen=True)
class ExplainedStep:
    """A step in words. `by` and `to` are lanes of a sequence diagram, "" if the action does not name them.

    `changes` are all fields that differ, `told` is what stories say of them, `messages` what is sent and received.
    """

    number: int
    label: str
    by: str
    to: str
    sentence: str
    where: SourceLine
    changes: tuple[Change, ...]
    told: tuple[Told, ...]
    messages: tuple[Message, ...] = ()


def differences(protocol: Protocol, before: Codes, after: Codes) -> tuple[Change, ...]:
    """The leaves that differ between two states, in the order of the state's variables.

    Where the text of the values hides the difference (a record whose `text_format` leaves out a field, two members of
    an enumeration that read alike), the stored leaves are compared instead, and told apart by their codes if need be:
    unequal states always have at least one change.
    """
    changes = _shown_changes(protocol, before, after)
    if changes:
        return changes
    stored = zip(protocol.leaves, before, after, strict=True)
    return tuple(_stored_change(leaf, a, b) for leaf, a, b in stored if a != b)


def _shown_changes(variables: HasVariables, before: Codes, after: Codes) -> tuple[Change, ...]:
    """The leaves that read differently in two states."""
    old, new = shown_leaves(variables, before), shown_leaves(variables, after)
    return tuple(Change(path, old[path], new[path]) for path in old if old[path] != new[path])


def told_between(protocol: Protocol, before: Codes, after: Codes, all_fields: bool = False) -> tuple[Told, ...]:
    """What makes two states different, as stories tell it: the lanes whose words change, and fields that no view tells.

    With `all_fields` every field, and no views. Unequal states always have something. Raises LanguageError for a view
    that fails.
    """
    if all_fields:
        return tuple(Told("", str(change)) for change in differences(protocol, before, after))
    old, new = words_of(protocol, before), words_of(protocol, after)
    found = [Told(lane, text or NOTHING) for lane, text in new.items() if text != old[lane]]
    found += [Told("", str(change)) for change in _shown_changes(untold(protocol), before, after)]
    return tuple(found or [Told("", str(change)) for change in changed_fields(protocol, before, after)])


def changed_fields(protocol: Protocol, before: Codes, after: Codes) -> tuple[Change, ...]:
    """The leaves that differ between two states; those of bookkeeping only if nothing else does."""
    return _shown_changes(kept_in_stories(protocol), before, after) or differences(protocol, before, after)


def _stored_change(leaf: Leaf, before: int, after: int) -> Change:
    old, new = (leaf.domain.show(leaf.domain.value(code)) for code in (before, after))
    if old == new:
        old, new = f"{old} (code {before})", f"{new} (code {after})"
    return Change(leaf.path, old, new)


def sentence(instance: ActionInstance) -> str:
    """The step as a sentence: what its action `says`, else the first sentence of the docstring, else its label.

    What `says` names are parameters: classes see to that.
    """
    says, shown = instance.action.mark.says, shown_arguments(instance)
    parsed = string.Formatter().parse(says)
    told = "".join(text + (shown[name] if name is not None else "") for text, name, _, _ in parsed)
    return told or instance.action.sentence.removesuffix(".") or instance.label


def told_as(label: str, sentence: str) -> str:
    """A step as a line of a story: its label and its sentence, or once what is both."""
    return label if sentence == label else f"{label}  {sentence}"


def explain(trace: Run, all_fields: bool = False) -> list[ExplainedStep]:
    """Every step of a trace in words. With `all_fields` each tells all fields that change, and no views.

    Raises LanguageError for a view that fails.
    """
    states = trace.states
    return [_explained(trace.protocol, states[at], step, at + 1, all_fields) for at, step in enumerate(trace.steps)]


def _explained(protocol: Protocol, before: Codes, step: Step, number: int, all_fields: bool) -> ExplainedStep:
    state = protocol.at(before)
    by, to = lanes(step.instance, state)
    return ExplainedStep(
        number,
        step.instance.label,
        by,
        to,
        sentence(step.instance),
        step.instance.action.where,
        differences(protocol, before, step.codes),
        told_between(protocol, before, step.codes, all_fields),
        messages_of(step.instance, state, by, to),
    )


def property_of(trace: Run) -> Member | None:
    """The property that the trace is about; None if it is about none, or about one that the protocol does not have."""
    kinds: tuple[Kind, ...] = ("invariant", "action_property", "reachable", "lemma", "leads_to")
    members = (member for kind in kinds for member in trace.protocol.members(kind))
    return next((member for member in members if member.name == trace.property_id), None)


def liveness_label(trace: Run) -> str:
    """A liveness property with its parameters, `follower_joins_isr(b2)`; "" if the trace is about something else."""
    member = property_of(trace)
    if member is None or member.mark.kind != "leads_to":
        return ""
    parameters = trace.protocol.parameters(member.function)
    shown = [p.domain.show(argument) for p, argument in zip(parameters, trace.arguments, strict=True)]
    return f"{member.name}({', '.join(shown)})" if shown else member.name


def shown_bounds(protocol: Protocol) -> str:
    """The bounds on one line: `replicas 3, log_size 2`."""
    return ", ".join(f"{name} {value}" for name, value in protocol.bounds.items()) or "no bounds"


def protocol_name(trace: Run) -> str:
    """How the protocol is called on the command line: as the search was asked for it, else by its own name."""
    return printable(str(trace.facts.get("protocol") or trace.protocol.name or type(trace.protocol).__name__))


def protocol_option(reference: str) -> str:
    """The option ` --protocol mine.py:Mine`, by which commands load the protocol of a trace; "" for a registered one.

    Settings need none: the trace has them.
    """
    name, _ = split_reference(reference)
    return f" --protocol {shlex.quote(name)}" if ":" in name or name.endswith(".py") else ""


def claim(trace: Run) -> str:
    """What the trace shows, in a few words: `strong_isr is violated`."""
    subject = liveness_label(trace) or trace.property_id or "a rule"
    if trace.loop is not None:
        return f"{subject} is violated"
    words = {
        "violated": f"{subject} is violated",
        "reached": f"{subject} is reached",
        "error": f"{subject} cannot be evaluated",
        NOT_INDUCTIVE: f"{subject} is not proved",
        DEADLOCK: "nothing more can happen",
    }
    return words.get(trace.verdict, "a run")


# -- refusal ----------------------------------------------------------------------------------------------------------
# Which guard refuses a step in a state, and where it stands.


@dataclass(frozen=True)
class Refusal:
    """The guard that is false: where it stands, and its text."""

    where: SourceLine
    text: str


def refusal(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Refusal | None:
    """The guard that keeps an action from being taken in a state; None if it is enabled.

    Raises EvaluationError if the action cannot be evaluated.
    """
    try:
        evaluated(instance.action.function, protocol.at(codes), *instance.arguments)
    except Disabled as disabled:
        return _guard(disabled.__traceback__, instance)
    return None


def caller_of_guard(traceback: TracebackType | None) -> tuple[FrameType, int, int] | None:
    """The frame that called `require` or `bounded`, with the instruction and the line, from the traceback of the
    exception that this raised."""
    found, guard, bound = None, require.__code__, bounded.__code__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code is guard or code is bound:  # to ask whether they are equal compares all of them
            break
        found = traceback.tb_frame, traceback.tb_lasti, traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _guard(traceback: TracebackType | None, instance: ActionInstance) -> Refusal:
    """The lines of the guard that was called last."""
    called = caller_of_guard(traceback)
    if called is None:
        return Refusal(instance.action.where, instance.action.name)
    frame, instruction, first = called
    code = frame.f_code
    last = list(code.co_positions())[instruction // 2][1] or first
    lines = (shown_line(code, line).strip() for line in range(first, max(first, last) + 1))
    where = SourceLine(shown_path(code.co_filename), first, code.co_name)
    return Refusal(where, " ".join(line for line in lines if line))
