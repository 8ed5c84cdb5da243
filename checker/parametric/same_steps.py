"""Whether a protocol with history takes the steps of the one that it is derived from, for every choice of the bounds.

Both are read as terms, and the terms are the same but for the names of bound variables: of each action the parameters,
the guards, and what is after it in every variable that the two share. So nothing is left to be tried in states. It is
the text that is compared, not its meaning: two ways to write the same step are found to differ.
"""

from __future__ import annotations

from collections.abc import Sequence

from epochal.spec.language import Protocol

from .leaves import LeafShape, places
from .rules import Action, ParametricSemantics
from .run import Failure
from .terms import renamed


def other_steps(plain: type[Protocol], remembering: type[Protocol], properties: Sequence[str]) -> str:
    """The first difference between the steps of the two, or between what the properties say; "" if there is none.

    Every failure of `plain` is one of `remembering`, of steps and of properties: where a proof shows that there is none
    of those, there is none of these. Raises Untranslatable where a rule has no parametric semantics.
    """
    one, other = ParametricSemantics(plain), ParametricSemantics(remembering)
    for path, shape in one.leaves.items():
        if other.leaves.get(path) != shape:
            return f"{path} is another variable"
    if one.of_bounds != other.of_bounds:
        return "they have other bounds"
    names, others = ([m.name for m in kind.members("action")] for kind in (plain, remembering))
    if sorted(names) != sorted(others):
        return f"they have other actions: {', '.join(sorted(set(names) ^ set(others)))}"
    actions = {m.name: other.action(m) for m in remembering.members("action")}
    pairs = [(one.initial(), other.initial())]
    pairs += [(one.action(member), actions[member.name]) for member in plain.members("action")]
    for mine, yours in pairs:
        if differs := _differing(mine, yours, list(one.leaves.values())):
            return f"{mine.name} has {differs}"
    said = {m.name: other.predicate(m) for m in remembering.members("invariant")}
    for member in plain.members("invariant"):
        if member.name in properties:
            asked, proved = one.predicate(member), said[member.name]
            if renamed(asked.holds) is not renamed(proved.holds):
                return f"{member.name} says something else"
            if _fails_otherwise(asked.failures, proved.failures):
                return f"{member.name} has other ways to fail"
    return ""


def _fails_otherwise(mine: Sequence[Failure], yours: Sequence[Failure]) -> bool:
    """Whether there is a way to fail of mine that is none of yours."""
    failing = {renamed(failure.condition) for failure in yours}
    return any(renamed(failure.condition) not in failing for failure in mine)


def _differing(mine: Action, yours: Action, leaves: Sequence[LeafShape]) -> str:
    """What is not the same of two semantics of an action."""
    if mine.given != yours.given:
        return "other parameters"
    if [renamed(g.condition) for g in mine.guards] != [renamed(g.condition) for g in yours.guards]:
        return "other guards"
    if _fails_otherwise(mine.failures, yours.failures):
        return "other ways to fail"
    for shape in leaves:
        here = [bound.variable for bound in places(shape, mine.after)]
        after = (renamed(one.after.leaf(shape.path, here)) for one in (mine, yours))
        if len(set(after)) > 1:
            return f"another {shape.path} after it"
    return ""
