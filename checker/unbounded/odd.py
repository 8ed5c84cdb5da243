"""What is odd about a specification that is proved for every choice of the bounds: refused, or told beside the proof.

`compile.static` says it of the protocol within its bounds, for a proof as for a search. Two things are then still open,
for a rule may be another one at other bounds: that no step reads history there either, and whether what is odd is so
for every choice. What is odd at the protocol's own bounds alone takes nothing from a proof that does not rest on them.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..compile.static import HERE, Diagnostic, means_less, refuse_history
from ..parametric.applied import applied
from ..parametric.leaves import places
from ..parametric.terms import Term
from ..solver import obligations as within_bounds
from .asking import Asking
from .obligations import Plan


def refuse_history_in_rules(plan: Plan) -> None:
    """Raise LanguageError for a guard or a new value that depends on history, at whatever bounds.

    How a step can fail may depend on it: that it never does is a part of every proof.
    """
    reading = plan.reading
    ghosts, written = reading.history(), {one.name: one.where for one in reading.protocol.members("action")}
    for action in plan.actions:
        for guard in action.guards:
            refuse_history(_read(guard.condition, ghosts), "a guard", guard.where)
        for path in sorted(action.changed - ghosts.keys()):
            here = [bound.variable for bound in places(reading.leaves[path], reading.state())]
            value = action.after.leaves[path](here)
            refuse_history(_read(value, ghosts), f"the new value of {path}", written[action.name])


def _read(term: Term, ghosts: dict[str, str]) -> set[str]:
    return {ghosts[name] for name in applied([term]) & ghosts.keys()}


def worth_less(plan: Plan, within: within_bounds.Plan, asking: Asking) -> tuple[str, ...]:
    """Why it would mean little that all is proved: nothing to prove, or no step that could break it."""
    judged = [one.member for one in plan.properties]
    never = set(_never_taken(plan, asking))
    found = within_bounds.nothing_to_prove(plan.reading.protocol, judged)
    odd = [one for one in means_less(within.odd, judged) if _everywhere(one, plan, asking)]
    found += [str(one).replace(HERE, "for every choice of the bounds") for one in odd]
    actions = plan.reading.protocol.members("action")
    return (*found, *(within_bounds.never_taken(action) for action in actions if action.name in never))


def _everywhere(odd: Diagnostic, plan: Plan, asking: Asking) -> bool:
    """Whether what is odd within the protocol's bounds is so for every choice of them.

    That an action never happens is asked of all of them, with the lemmas.
    """
    if odd.dead_action:
        return False
    if odd.about is None:
        return True
    trivial = plan.trivial(odd.about.name)
    return all(answer.proved for answer in asking(trivial.questions, steep=False))


def _never_taken(plan: Plan, asking: Asking) -> Iterator[str]:
    """The actions whose hypotheses contradict each other."""
    obligations = list(plan.vacuity())
    answers = asking([one.questions[0] for one in obligations], steep=False)
    yield from (one.row for one, answer in zip(obligations, answers, strict=True) if answer.proved)
