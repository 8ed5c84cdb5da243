"""Who acts in a step, on whom, and which messages are sent and received in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epochal.spec.language import ActionInstance, LanguageError, Protocol, shown
from epochal.spec.language.domains import IdentifierDomain
from epochal.spec.language.errors import said
from epochal.spec.language.members import Parameter

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
    known = _values(speaker)
    found = [
        parameter.domain.show(argument)
        for parameter, argument in zip(instance.parameters, instance.arguments, strict=True)
        if _values(parameter) == known
    ]
    return f"{name} {found[0]}" if len(found) == 1 else ""


def _values(parameter: Parameter) -> list[object]:
    return list(parameter.domain.values())


def messages_of(instance: ActionInstance, before: Protocol, by: str, to: str) -> tuple[Message, ...]:
    """The messages of a step from lane `by`, who acts, to lane `to`, and back; an answer comes last."""
    mark = instance.action.mark
    if not by or not to:
        return ()
    found = []
    if mark.sends:
        found.append(Message(mark.sends, by, to, not is_received(before, mark.sends)))
    if mark.receives:
        found.append(Message(mark.receives, to, by))
    return tuple(sorted(found, key=lambda one: one.answers))


def is_received(protocol: Protocol, name: str) -> bool:
    """Whether some action receives a message of this name, so that who sends it only puts it on its way."""
    return any(action.mark.receives == name for action in protocol.members("action"))


def arriving(messages: Sequence[Message]) -> list[Message]:
    """Those that arrive in the step: what diagrams draw an arrow for."""
    return [one for one in messages if one.arrives]
