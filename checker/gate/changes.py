"""What the gate tells of a difference: the new rules are on its right, those of the baseline on its left."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..difference.difference import ActionDifference, Difference, Example, ScopeAnswer

BASELINE, CHANGE = "the baseline", "the change"
NOTHING = ScopeAnswer("same")


@dataclass(frozen=True)
class ActionChange:
    """An action whose rules differ: the steps that only the new rules have, and those that only the baseline has."""

    action: str
    gained: ScopeAnswer = NOTHING
    lost: ScopeAnswer = NOTHING

    @property
    def kind(self) -> str:
        """`narrowed`, `widened` or `changed`."""
        if self.gained.steps and self.lost.steps:
            return "changed"
        return "widened" if self.gained.steps else "narrowed"


def changes(difference: Difference | None) -> tuple[ActionChange, ...]:
    """The actions whose steps came or went, those of the new rules first; none where nothing was compared."""
    if difference is None:
        return ()
    gained, lost = ({one.action: one.reachable for one in own} for own in (difference.gained, difference.lost))
    found = (ActionChange(name, gained.get(name, NOTHING), lost.get(name, NOTHING)) for name in {**gained, **lost})
    return tuple(one for one in found if one.gained.steps or one.lost.steps)


def told(difference: Difference, reference: str) -> Difference:
    """The difference with examples that say why they are some. `reference` is how the protocol is called."""
    facts: dict[str, str | int | bool] = {"protocol": reference, "shortest": True}

    def one(found: ActionDifference, whose: str) -> ActionDifference:
        example = found.reachable.example
        if example is None:
            return found
        trace = replace(example.trace, note=f"{reason(example, whose)}.", facts=facts)
        return replace(found, answers={"reachable": replace(found.reachable, example=replace(example, trace=trace))})

    lost = tuple(one(found, CHANGE) for found in difference.lost)
    return replace(difference, lost=lost, gained=tuple(one(found, BASELINE) for found in difference.gained))


def reason(example: Example, whose: str) -> str:
    """Why the other specification does not take the last step of an example, in words; `whose` is what it is called."""
    why, trace = example.refused, example.trace
    if not why.choices:
        return f"{whose} cannot take such a step in any state"
    if why.guard is not None:
        return f"{whose} refuses it: {why.guard.text or 'a guard is false'} ({why.guard.where}){why.others}"
    if why.after is None:
        return f"{whose} cannot evaluate it there{why.others}"
    moved = [
        f"{leaf.path} = {leaf.domain.show(leaf.domain.value(code))}"
        for leaf, before, code in zip(trace.protocol.leaves, trace.states[-2], why.after, strict=True)
        if code != before
    ]
    return f"{whose} takes it to another state: {', '.join(moved) or 'nothing changes'}{why.others}"
