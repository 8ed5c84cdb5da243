"""Random runs of the specification, each step of which Kafka's classes take as well.

The order of replicas, the leader and the steps are drawn from a seed. First an action is drawn, by its weight, then one
of its requests; so the same seed gives the same lines, whatever answers them. A run ends where the states differ.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations

from epochal.checker.search.budget import Deadline
from epochal.checker.semantics.semantics import Codes, Semantics
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.language import ActionInstance

from .compared import LeafDifference
from .coverage import Guide
from .driven import Driven, Harness, Outcome
from .family import KafkaRequest, request_of

WEIGHTS: Mapping[str, int] = {
    "fetch": 6,
    "replay_metadata": 4,
    "handle_alter_partition": 4,
    "produce": 3,
    "receive_answer": 3,
    "restart": 3,
    "unfence": 3,
}
"""How often an action is drawn, next to 1 of any other: what heals more often than what goes wrong."""

DEFAULT_BOUNDS: Mapping[str, int] = {
    "replication_factor": 3,
    "records": 3,
    "max_epoch": 6,
    "metadata_lag": 3,
    "crashes": 2,
    "lossy_crashes": 1,
    "fencings": 3,
    "shrinks": 2,
    "elections": 2,
}
"""Large enough that a run of 80 steps seldom ends at a bound."""

DEFAULT_STEPS = 80


@dataclass(frozen=True)
class RunsProgress:
    """How far it is: the runs begun, the steps compared, and the runs that differ."""

    runs: int
    asked: int | None
    steps: int
    differing: int
    seconds: float


@dataclass(frozen=True)
class DifferingRun:
    """A run at whose last step Kafka and the model differ. `number` is that of the run."""

    number: int
    request: KafkaRequest
    differs: tuple[LeafDifference, ...]
    said: tuple[str, ...]
    trace: Trace
    lines: tuple[str, ...]
    answers: tuple[str, ...]

    @property
    def kind(self) -> tuple[str, ...]:
        """What runs have in common that differ in the same way: the action, and the leaves without their brokers."""
        leaves = dict.fromkeys(_without_broker(one.leaf) for one in self.differs)
        return (self.request.action, *leaves)


def _without_broker(leaf: str) -> str:
    first, _, rest = leaf.partition(" ")
    return leaf if first in ("controller", "AlterPartition") else rest or first


@dataclass
class Runs:
    """What random runs have found so far. `cut` is the budget that was spent before all runs were made, "" if none."""

    runs: int = 0
    steps: Counter[str] = field(default_factory=Counter)
    differing: list[DifferingRun] = field(default_factory=list)
    second_rounds: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    cut: str = ""

    @property
    def kinds(self) -> list[tuple[DifferingRun, int]]:
        """The shortest run of each kind of difference, the first of several, and how many runs are of that kind."""
        found: dict[tuple[str, ...], list[DifferingRun]] = {}
        for one in self.differing:
            found.setdefault(one.kind, []).append(one)
        return [(min(some, key=lambda one: one.trace.length), len(some)) for some in found.values()]

    @property
    def compared(self) -> int:
        """The number of steps after which states were compared."""
        return self.steps.total()


def requests_after(
    semantics: Semantics, driven: Driven, left_out: Counter[str]
) -> Iterator[tuple[KafkaRequest, list[Outcome]]]:
    """The requests that are possible next, each with its outcomes, in the order of the instances."""
    groups: dict[KafkaRequest, list[Outcome]] = {}
    for instance, after in semantics.successors(driven.codes):
        groups.setdefault(request_of(instance), []).append((instance, after))
    state = driven.state
    for request, outcomes in groups.items():
        refused = driven.cannot_ask(state, request)
        if refused:
            left_out[refused] += 1
        else:
            yield request, outcomes


def run_randomly(
    kafka: Harness,
    semantics: Semantics,
    protocol: Kraft,
    seed: int,
    steps: int,
    most_runs: int | None,
    patience: Deadline,
    tell: Callable[[Runs], None] = lambda _: None,
    guide: Guide | None = None,
) -> Runs:
    """Make runs until the budget is spent, or there are as many as were asked for.

    With a guide what was taken least is drawn more often.
    """
    found, dice = Runs(), random.Random(seed)
    initial = protocol.initial_states()
    while (most_runs is None or found.runs < most_runs) and not found.cut:
        order = list(range(len(list(protocol.at(initial[0]).brokers))))
        dice.shuffle(order)
        driven = Driven(kafka, protocol, order, dice.choice(initial))
        found.runs += 1
        differs = driven.begins_the_same()
        request = KafkaRequest("initial", ())
        for _ in range(steps):
            spent = patience.spent()
            found.cut = "" if spent is None else spent.text
            if differs or spent is not None:
                break
            possible = list(requests_after(semantics, driven, found.left_out))
            if not possible:
                break
            request, outcomes = _drawn(dice, driven, possible, guide)
            before, differs = driven.codes, driven.take(request, outcomes)
            if guide is not None and not differs:
                guide.note(before, driven.steps[-1].instance)
            found.steps[request.action] += 1
            tell(found)
        found.second_rounds += driven.second_rounds
        if differs:
            found.differing.append(differing_run(found.runs, request, differs, driven))
    return found


def _drawn(
    dice: random.Random, driven: Driven, possible: Sequence[tuple[KafkaRequest, list[Outcome]]], guide: Guide | None
) -> tuple[KafkaRequest, list[Outcome]]:
    """An action by its weight, and one of its requests."""
    actions = sorted({one.action for one, _ in possible})
    weights = [WEIGHTS.get(one, 1) * (1 if guide is None else guide.weight(one)) for one in actions]
    (action,) = dice.choices(actions, weights)
    requests = [one for one in possible if one[0].action == action]
    return dice.choice(requests) if guide is None else guide.drawn(dice, driven.codes, requests)


def differing_run(
    number: int, request: KafkaRequest, differs: tuple[LeafDifference, ...], driven: Driven
) -> DifferingRun:
    """The run that has come to a difference by a request."""
    said, lines, answers = tuple(driven.said), tuple(driven.lines), tuple(driven.answers)
    return DifferingRun(number, request, differs, said, driven.trace, lines, answers)


def run_along(
    kafka: Harness, semantics: Semantics, trace: Trace, note: Callable[[Codes, ActionInstance], None]
) -> tuple[str, DifferingRun | None]:
    """Take the steps of a run on both sides, with the replicas in every order until Kafka follows in one.

    Why Kafka does not, "" if it does, and where the two differ, if they do. `note` hears of each step that was taken.
    """
    protocol, why = trace.protocol, ""
    assert isinstance(protocol, Kraft)  # a run of the model that stands beside Kafka
    for order in permutations(range(len(list(protocol.at(trace.initial).brokers)))):
        driven = Driven(kafka, protocol, order, trace.initial)
        why = ""
        for number, step in enumerate(trace.steps, start=1):
            request, before = request_of(step.instance), driven.codes
            why = driven.cannot_ask(driven.state, request)
            if why:
                break
            alike = (one for one in semantics.successors(before) if request_of(one[0]) == request)
            others = [one for one in alike if one[1] != step.codes]
            differs = driven.take(request, [(step.instance, step.codes), *others])
            if differs:
                return f"Kafka leaves the run at step {number}", differing_run(0, request, differs, driven)
            note(before, driven.steps[-1].instance)
            if driven.codes != step.codes:
                why = f"the controller of Kafka chooses another replica at step {number}, whatever their order"
                break
        if not why:
            break
    return why, None
