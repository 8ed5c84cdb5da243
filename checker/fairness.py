"""The units of fairness: an action with those for whom it is taken fairly, whatever else its steps choose.

Fairness of single instances is too much and too little. `restart(b1, successor)` has an instance for each successor: a
run in which now one and now another is possible would have to take each of them, or could escape them all. Fairness of
whole actions is too little: the fetches of one follower would excuse that another never fetches. So a unit has the
action's actors, which its `by` and `to` name, or what `each` names.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from epochal.spec.language import ActionInstance, Member, Protocol
from epochal.spec.language.members import title

Assumed = Callable[[Member], Collection[str]]
"""The actions of which a promise assumes fairness."""


def needed(promise: Member) -> Collection[str]:
    """Those that the promise itself names, and the parts of them."""
    return (*promise.mark.needs, *promise.mark.parts)


@dataclass(frozen=True)
class Unit:
    """An action with some of its parameters chosen, and the numbers of its instances. `shown` tells the choice."""

    action: Member
    shown: tuple[str, ...]
    instances: frozenset[int]

    @property
    def strong(self) -> bool:
        """Whether it must be taken if it is possible again and again, and not only if it stays possible."""
        return self.action.mark.fair == "strong"

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
    return tuple(
        Unit(instances[0].action, key[1:], frozenset(one.number for one in instances))
        for key, instances in found.items()
    )


def chosen_for(instance: ActionInstance) -> tuple[str, ...]:
    """Those of the arguments, as people read them, that tell for whom the action is taken."""
    mark, names = instance.action.mark, [parameter.name for parameter in instance.parameters]
    actors = [name for name in names if name in (mark.by, mark.to)] or names
    wanted = actors if mark.each is None else mark.each
    shown = zip(instance.parameters, instance.arguments, strict=True)
    return tuple(parameter.domain.show(argument) for parameter, argument in shown if parameter.name in wanted)
