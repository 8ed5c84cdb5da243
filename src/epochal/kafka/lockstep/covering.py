"""Random runs that look for branches not taken yet, and then the shortest run to each that is still missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from epochal.checker.compile.compiler import Branch
from epochal.checker.search.budget import Deadline
from epochal.checker.semantics.semantics import PythonSemantics, Semantics
from epochal.spec.kraft.configuration import ConfigurableKraft

from .coverage import SEARCHED, Coverage, Guide, Looked, Watched, coverage_of, elsewhere, look_for
from .driven import Harness
from .runs import DifferingRun, Runs, run_along, run_randomly


@dataclass
class Covered:
    """What is covered, the random runs, and the directed ones: for each branch why its run was not followed, or ""."""

    coverage: Coverage
    runs: Runs
    directed: dict[Branch, str] = field(default_factory=dict)

    @property
    def differing(self) -> list[DifferingRun]:
        """The runs at whose end Kafka and the model differ."""
        return self.runs.differing


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
    """Take every branch of a model's actions on Kafka, as far as that is possible.

    `tell` hears what is done, and what the random runs have found so far.
    """
    watched = Watched(protocol)
    guide = Guide(watched)
    found = run_randomly(
        kafka, semantics, protocol, seed, steps, runs, patience, lambda now: tell("random runs", now), guide
    )
    directed, looked = dict[Branch, str](), list[Looked]()
    for bounds in SEARCHED:
        missing = frozenset(watched.possible - guide.taken.keys())
        if not missing or patience.spent() is not None:
            break
        tell(f"a search for {len(missing)} branches", found)
        looked.append(look_for(protocol, bounds, missing, most_states))
        _follow(kafka, looked[-1], guide, directed, found)
    tell("other settings", found)
    other = elsewhere(protocol, watched.every - watched.possible)
    return Covered(coverage_of(watched, guide.taken, looked, other, directed), found, directed)


def _follow(kafka: Harness, looked: Looked, guide: Guide, directed: dict[Branch, str], found: Runs) -> None:
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
