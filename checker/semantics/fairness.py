"""The units of fairness: an action with those for whom it is taken fairly, whatever else its steps choose.

Fairness of single instances is too much and too little. `restart(b1, successor)` has an instance for each successor: a
run in which now one and now another is possible would have to take each of them, or could escape them all. Fairness of
whole actions is too little: the fetches of one follower would excuse that another never fetches. So a unit has the
action's actors, which its `by` and `to` name, or what `each` names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from epochal.errors import UsageError
from epochal.spec.language import ActionInstance, Member, Protocol
from epochal.spec.language.inheritance import unit_parameters
from epochal.spec.language.members import title
from epochal.spec.language.suggestions import advice

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
