"""The properties of a protocol: of states, of steps, and liveness properties with the fairness that they assume."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Literal

from epochal.errors import UsageError
from epochal.spec.language import ActionInstance, LanguageError, Member, Protocol
from epochal.spec.language.errors import advice
from epochal.spec.language.marks import Kind
from epochal.spec.language.members import title, unit_parameters

KINDS: tuple[Kind, ...] = ("invariant", "action_property", "reachable")


def all_properties(protocol: Protocol, lemmas: bool = False) -> list[Member]:
    """Every property of a protocol: invariants, then action properties, then what must be reachable.

    With `lemmas` its lemmas follow, which are then checked like invariants.
    """
    kinds = (*KINDS, "lemma") if lemmas else KINDS
    return [member for kind in kinds for member in protocol.members(kind)]


def chosen(protocol: Protocol, ids: Collection[str], lemmas: bool = False, promises: bool = False) -> list[Member]:
    """The properties with these ids, in the order of the protocol. Raises UsageError for an id that does not exist.

    With `promises` those of liveness properties are known, and left out: they are no properties of states and steps.
    """
    found = all_properties(protocol, lemmas)
    known = [member.name for member in found]
    promised = [member.name for member in protocol.members("leads_to")]
    called = protocol.name or type(protocol).__name__
    for name in ids:
        if name in promised and not promises:
            raise UsageError(f"{name!r} of {called} is a liveness property, for which every state must be searched")
        if name not in known and name not in promised:
            raise UsageError(f"{called} has no property {name!r}", advice(name, [*known, *promised], "properties"))
    return [member for member in found if member.name in ids]


def no_actions(kind: type[Protocol]) -> str:
    """What it means that a protocol has no actions."""
    return f"{kind.__name__} has no actions, so nothing ever happens: only its initial states are checked"


def no_properties(protocol: Protocol) -> str:
    """What it means that a protocol has no properties, or only such as others check, or who asks for them."""
    called = type(protocol).__name__
    others = judged_if_asked(protocol)
    if not others:
        return f"{called} has no properties, so there is nothing to violate"
    return f"nothing was checked: of properties {called} has only {', '.join(others)}"


def judged_if_asked(protocol: Protocol) -> list[str]:
    """What a protocol says besides properties of states and steps, and who checks it."""
    optional = [one.mark.optional for one in protocol.members("leads_to")]
    found = [
        ("liveness properties, which epochal check checks", not all(optional)),
        ("optional liveness properties (epochal check --optional)", any(optional)),
        ("lemmas (epochal check --lemmas)", bool(protocol.members("lemma"))),
        ("where a run may end (epochal check --deadlock)", bool(protocol.members("ends"))),
    ]
    return [what for what, has in found if has]


def nothing_declared(protocol: Protocol) -> list[str]:
    """What a protocol lacks so that looking for violations, of properties of states and steps, says nothing."""
    found = [] if protocol.members("action") else [no_actions(type(protocol))]
    return found if all_properties(protocol) else [*found, no_properties(protocol)]


def promised(protocol: Protocol, optional: bool = False) -> list[Member]:
    """Return the liveness properties of a protocol; with `optional` those, too. Raises LanguageError."""
    return [member for member in liveness(protocol) if optional or not member.mark.optional]


def liveness(protocol: Protocol) -> list[Member]:
    """Return all liveness properties of a protocol, the optional ones among them.

    Raises LanguageError where a property assumes fairness of what is no action, or of an action that is not fair.
    """
    found = protocol.members("leads_to")
    fair = {action.name for action in protocol.members("action") if action.mark.fair}
    taken_away = {name for name in dir(type(protocol)) if getattr(type(protocol), name) is None}
    actions = {action.name for action in protocol.members("action")}
    for member in found:
        for name in (*member.mark.needs, *(part for part in member.mark.parts if part in actions)):
            if name not in fair | taken_away:
                raise LanguageError(
                    f"{member.name} assumes that {name} is taken fairly, but no action of this name is marked so",
                    member.where,
                    f'Fair actions: {", ".join(sorted(fair)) or "none"}. Mark others with @action(fair="weak").',
                )
    return found


def is_step_property(member: Member) -> bool:
    """Whether the property is checked on steps (its method takes the new state) and not on single states."""
    return member.mark.kind == "action_property" or _parameters_of(member.function) > 1


@functools.cache
def _parameters_of(function: Callable[..., Any]) -> int:
    """How many parameters a method has: searches ask it at every step."""
    return len(inspect.signature(function).parameters)


def check_signatures(protocol: Protocol) -> None:
    """Raise LanguageError for a property or constraint whose method does not take what its kind is given."""
    for kind in (*KINDS, "constraint", "ends"):
        for member in protocol.members(kind):
            taken = len(inspect.signature(member.function).parameters)
            allowed, form = _SIGNATURES[kind]
            if taken not in allowed:
                raise LanguageError(
                    f"{member.name} takes {taken} parameters, but {form}", member.where, "The choices are in the state."
                )


_SIGNATURES = {
    "invariant": ((1,), "an invariant takes self alone"),
    "action_property": ((2,), "an action property takes self and new, the states before and after"),
    "reachable": ((1, 2), "a reachable takes self, or self and new"),
    "constraint": ((1,), "a constraint takes self alone"),
    "ends": ((1,), "where a run may end takes self alone"),
}


def without_source(of_steps: bool = False) -> FunctionType:
    """The method of a member that is known by its expressions only. It cannot be run in Python."""

    def on_state(self: Protocol) -> bool:
        raise AssertionError("a rule without source is not run in Python")

    def on_step(self: Protocol, new: Protocol) -> bool:
        raise AssertionError("a rule without source is not run in Python")

    found = on_step if of_steps else on_state
    assert isinstance(found, FunctionType)
    return found


# -- fairness ---------------------------------------------------------------------------------------------------------
# The units of fairness: an action with those for whom it is taken fairly, whatever else its steps choose.
#
# Fairness of single instances is too much and too little. `restart(b1, successor)` has an instance for each successor:
# a run in which now one and now another is possible would have to take each of them, or could escape them all. Fairness
# of whole actions is too little: the fetches of one follower would excuse that another never fetches. So a unit has the
# action's actors, which its `by` and `to` name, or what `each` names.

Strength = Literal["", "weak", "strong"]
Assumed = Callable[[Member], Collection[str]]
"""The actions of which a liveness property assumes fairness; a mapping says how strongly, "" for as their marks say."""


def needed(promise: Member) -> Collection[str]:
    """Those that the liveness property itself names, and the parts of them."""
    return (*promise.mark.needs, *promise.mark.parts)


@dataclass(frozen=True)
class Assumptions:
    """What is assumed besides what liveness properties name: of these actions fairness, how strongly, and of those
    none.

    An action with the strength "" is taken as fairly as its mark says, weakly if that says nothing.
    """

    fair: tuple[tuple[str, Strength], ...] = ()
    unfair: tuple[str, ...] = ()

    def __call__(self, promise: Member) -> Mapping[str, Strength]:
        """The actions of which a liveness property then assumes fairness."""
        named: dict[str, Strength] = dict.fromkeys(needed(promise), "")
        return {name: said for name, said in {**named, **dict(self.fair)}.items() if name not in self.unfair}

    def __bool__(self) -> bool:
        return bool(self.fair or self.unfair)

    @property
    def words(self) -> tuple[str, ...]:
        """`restart=strong` for each action that is assumed to be fair."""
        return tuple(f"{name}={strength}" if strength else name for name, strength in self.fair)

    @property
    def sentence(self) -> str:
        """What is assumed, for people; "" if nothing is."""
        parts = [f"{', '.join(self.words)} fair"] if self.fair else []
        return "; ".join([*parts, f"{', '.join(self.unfair)} not fair"] if self.unfair else parts)


AS_NAMED = Assumptions()
"""Every liveness property assumes what it names itself."""


def assumptions(protocol: Protocol, fair: Collection[str], unfair: Collection[str]) -> Assumptions:
    """What `fair`, actions with a strength if it is another than that of the mark, and `unfair` say together.

    Raises UsageError for what is no action, and for what takes back nothing or contradicts itself.
    """
    if not fair and not unfair:
        return AS_NAMED
    promises = protocol.members("leads_to")
    called = protocol.name or type(protocol).__name__
    if not promises:
        raise UsageError(f"{called} has no liveness property, so no fairness can be assumed")
    actions = [action.name for action in protocol.members("action")]
    found: dict[str, Strength] = {}
    for said in fair:
        name, given, strength = said.partition("=")
        _require_action(called, name, actions)
        if given and strength not in ("weak", "strong"):
            raise UsageError(f"an action is fair or {name}=strong or {name}=weak, not {said!r}")
        meant: Strength = "strong" if strength == "strong" else "weak" if given else ""
        if found.setdefault(name, meant) != meant:
            raise UsageError(f"{name} is assumed to be fair twice, and not alike", "Say it once.")
    for name in unfair:
        _require_action(called, name, actions)
        if name in found:
            raise UsageError(f"{name} is assumed to be fair, and not to be fair", "Say one of them.")
        named = sorted({one for promise in promises for one in needed(promise) if one in actions})
        if name not in named:
            raise UsageError(
                f"no liveness property of {called} assumes that {name} is fair, so that cannot be taken back",
                f"What they assume: {', '.join(named) or 'nothing'}.",
            )
    return Assumptions(tuple(sorted(found.items())), tuple(sorted(set(unfair))))


def _require_action(called: str, name: str, actions: Collection[str]) -> None:
    if name not in actions:
        raise UsageError(f"{called} has no action {name!r}", advice(name, actions, "actions"))


@dataclass(frozen=True)
class Unit:
    """An action with some of its parameters chosen, and the numbers of its instances. `shown` tells the choice.

    A `strong` one must be taken if it is possible again and again, and not only if it stays possible.
    """

    action: Member
    shown: tuple[str, ...]
    instances: frozenset[int]
    strong: bool = False

    @property
    def label(self) -> str:
        """`Fetch(b1, b2)`: the action and for whom."""
        return f"{title(self.action.name)}({', '.join(self.shown)})"


def units_of(protocol: Protocol, actions: Collection[str]) -> tuple[Unit, ...]:
    """The units of some actions, in the order of the specification. Actions that are taken away have none."""
    found: dict[tuple[str, ...], list[ActionInstance]] = {}
    for instance in protocol.instances:
        if instance.action.name in actions:
            found.setdefault((instance.action.name, *chosen_for(instance)), []).append(instance)
    said: Mapping[str, object] = actions if isinstance(actions, Mapping) else {}
    return tuple(
        Unit(
            instances[0].action,
            key[1:],
            frozenset(one.number for one in instances),
            (said.get(key[0]) or instances[0].action.mark.fair) == "strong",
        )
        for key, instances in found.items()
    )


def chosen_for(instance: ActionInstance) -> tuple[str, ...]:
    """Those of the arguments, as people read them, that tell for whom the action is taken."""
    wanted = unit_parameters(instance.action.mark, [parameter.name for parameter in instance.parameters])
    shown = zip(instance.parameters, instance.arguments, strict=True)
    return tuple(parameter.domain.show(argument) for parameter, argument in shown if parameter.name in wanted)
