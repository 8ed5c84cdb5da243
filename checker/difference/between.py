"""The difference of two specifications in the states that they reach, from their rules alone.

Neither need have a text: the left one may be of another commit. It is what the gate asks; `compare` asks Z3 besides.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..ir.expression import Expression
from ..ir.rebase import Rebase
from ..ir.shape import first_difference
from ..search.result import Options
from .difference import ActionDifference, Difference, Example, Explored, ScopeAnswer
from .own_steps import counterparts, own_steps
from .reached import Reached, reached
from .refusal import why_refused
from .rules import Rules


def difference(left: Rules, right: Rules, options: Options) -> Difference:
    """How the reachable steps differ.

    What the right one gained is searched first, if there is anything to search for. A state constraint counts as
    another if a state that is reached, or a step leads to, is within one of the two only.
    """
    problem = first_difference(left.shape, right.shape)
    if problem:
        return Difference(incomparable=_state_changed(left, right, problem))
    gained, new = _own(right, left, options)
    lost, old = _own(left, right, options)
    open_questions = (new.stopped or old.stopped) and other_constraint(left, right) is not left.graph.false
    initial = set(left.initial), set(right.initial)
    return Difference(
        lost,
        gained,
        (len(initial[0] - initial[1]), len(initial[1] - initial[0])),
        "differs" if new.condition_met or old.condition_met else "unknown" if open_questions else "same",
        (explored(old), explored(new)),
    )


def other_constraint(left: Rules, right: Rules) -> Expression:
    """That a state is within the constraint of one of the two only, in the graph of the left."""
    graph = left.graph
    return graph.not_(graph.eq(left.within, Rebase(graph)(right.within)))


def _own(left: Rules, right: Rules, options: Options) -> tuple[tuple[ActionDifference, ...], Reached]:
    """What the left has of its own."""
    matched = counterparts(left, right, {})
    own = own_steps(left, right, matched)
    found = reached(left, own, options, other_constraint(left, right))
    answers = {a: reachable_answer(found, a, right, matched[a]) if own[a] else ScopeAnswer("same") for a in own}
    return tuple(ActionDifference(a, matched[a], {"reachable": answer}) for a, answer in answers.items()), found


def reachable_answer(found: Reached, action: str, right: Rules, counterpart: str | None) -> ScopeAnswer:
    """What a search says of an action whose own steps it looked for."""
    if action not in found.runs:
        return ScopeAnswer("unknown", reason=found.stopped.text) if found.stopped else ScopeAnswer("same")
    step, run = found.runs[action]
    refused = why_refused(right, right.partners(step, counterpart), run.states[-2])
    return ScopeAnswer("differs", found.counts[action], Example(run, refused))


def explored(found: Reached) -> Explored:
    """How far a search came."""
    return Explored(found.states, (found.stopped.text if found.stopped else "") if found.searched else None)


def _state_changed(left: Rules, right: Rules, problem: str) -> str:
    paths: tuple[Mapping[str, None], ...] = tuple(
        dict.fromkeys(path for path, _, _ in rules.shape.leaves) for rules in (right, left)
    )
    parts = []
    for word, here, there in (("new", *paths), ("gone", *reversed(paths))):
        only = [path for path in here if path not in there]
        parts += [f"{word} {', '.join(only[:4])}"] if only else []
    return f"the state itself changed ({'; '.join(parts) or problem}), so single steps cannot be compared"
