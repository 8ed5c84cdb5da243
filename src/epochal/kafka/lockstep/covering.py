"""Random runs that look for branches not taken yet, the shortest run to each that is still missing, and every guard."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from epochal.checker.compile.compiler import ActionBranch
from epochal.checker.search.budget import Deadline
from epochal.checker.semantics.semantics import PythonSemantics, Semantics
from epochal.spec.kraft.configuration import ConfigurableKraft

from .coverage import Coverage, Guide, Looked, Watched, coverage_of, elsewhere, look_for, models_to_search
from .driven import Harness
from .refused import Answer, GuardAsked, ask_guards
from .runs import Runs, run_along, run_randomly


@dataclass
class Covered:
    """What is covered, what became of each guard, and the random runs, those that differ among them.

    `directed` are the branches that a run was searched for: why Kafka has not followed it, or "".
    """

    coverage: Coverage
    guards: list[GuardAsked]
    runs: Runs
    directed: dict[ActionBranch, str]

    @property
    def not_refused(self) -> list[GuardAsked]:
        """The guards of which Kafka has done what they forbid."""
        return [one for one in self.guards if one.answer == Answer.CHANGED]


def cover(
    kafka: Harness,
    semantics: Semantics,
    protocol: ConfigurableKraft,
    seed: int,
    steps: int,
    runs: int,
    most_states: int,
    patience: Deadline,
    tell: Callable[[str, Runs], None],
) -> Covered:
    """Take every branch of a model's actions on Kafka, as far as that is possible, and ask for what guards forbid.

    `tell` hears what is done, and what the random runs have found so far.
    """
    watched = Watched(protocol)
    guide = Guide(watched)
    found = run_randomly(
        kafka, semantics, protocol, seed, steps, runs, patience, lambda now: tell("random runs", now), guide
    )
    directed, looked = dict[ActionBranch, str](), list[Looked]()
    models = models_to_search(protocol) if patience.spent() is None else []
    for number, model in enumerate(models):
        missing = frozenset(watched.possible - guide.taken.keys())
        if not missing or patience.spent() is not None:
            break
        tell(f"a search for {len(missing)} branches", found)
        looked.append(look_for(model, missing, most_states if number else None))
        _follow(kafka, looked[-1], guide, directed, found)
    other, guards = dict[ActionBranch, str](), list[GuardAsked]()
    if patience.spent() is None:
        tell("guards", found)
        guards = ask_guards(kafka, models, most_states)
        other = elsewhere(protocol, watched.every - watched.possible)
    elif not found.cut:
        found.cut = str(patience.spent())
    return Covered(coverage_of(watched, guide.taken, looked, other, directed), guards, found, directed)


def _follow(kafka: Harness, looked: Looked, guide: Guide, directed: dict[ActionBranch, str], found: Runs) -> None:
    """Play the runs that a search has found, as far as no other has taken the branch by then."""
    semantics = PythonSemantics(looked.watched.protocol)
    for branch, trace in sorted(looked.runs.items()):
        if guide.taken[branch]:
            continue
        why, differs = run_along(
            kafka, semantics, trace, lambda codes, one: guide.taken.update(looked.watched.taken(codes, one))
        )
        found.steps.update(one.instance.action.name for one in trace.steps)
        directed[branch] = why
        if differs is not None:
            found.differing.append(differs)
