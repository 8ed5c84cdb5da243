"""Which lemmas a proof does not need.

First those are set aside that no proof of an obligation used, directly or through others. Then each lemma that is left
is taken away in turn, with whatever cannot be proved without it: if the properties still follow, it stays away. Of what
remains, none can be missed; another smallest set may exist.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .houdini import Houdini, Reduced
from .induction import Induction, ObligationResult, Stopwatch, result_of


def minimize(induction: Induction, watch: Stopwatch) -> Reduced:
    """Prove from as few lemmas as possible. If the whole proof fails, nothing is taken away."""
    search = Houdini(induction)
    everything = induction.names
    fallen = search.reduce(everything)
    answers = search.answers()
    if fallen or not proved(answers):
        induction.keep(everything)
        return Reduced(result_of(induction, list(induction.answers()), watch))
    kept = used(answers)
    order = [claim.member.name for claim in induction.plan.lemmas]
    for name in reversed(order):
        if name in kept:
            search.reduce(kept - {name}, enough=lambda: proved(induction.implications()))
            if proved(induction.implications()) and proved(search.answers()):
                kept = induction.names
    search.reduce(kept)
    needless = tuple(claim.member for claim in induction.plan.lemmas if claim.member.name not in kept)
    return Reduced(result_of(induction, search.answers(), watch), needless=needless)


def proved(answers: Iterable[ObligationResult]) -> bool:
    """Whether all obligations are met."""
    return all(answer.verdict == "proved" for answer in answers)


def used(answers: Sequence[ObligationResult]) -> frozenset[str]:
    """The lemmas that the proofs of the properties used, directly or through other lemmas."""
    needs: dict[str, set[str]] = {}
    wanted: set[str] = set()
    for answer in answers:
        if answer.obligation.kind == "preservation":
            needs.setdefault(answer.obligation.column, set()).update(answer.core)
        else:
            wanted.update(answer.core)
    todo = list(wanted)
    while todo:
        for name in needs.get(todo.pop(), ()):
            if name not in wanted:
                wanted.add(name)
                todo.append(name)
    return frozenset(wanted)
