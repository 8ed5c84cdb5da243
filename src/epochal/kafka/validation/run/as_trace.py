"""A run that explains a recording, as a trace like any other: `kraft-observed` under the settings of the cluster.

Offsets are the places of those at which something happened, and brokers are called by their places: the facts of the
trace say which they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from epochal.checker.trace.trace import Step as TraceStep
from epochal.checker.trace.trace import Trace
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import FIRST_WITH_ELR, known_as, numbered
from epochal.spec.kraft.observed import MANY, ObservedBounds, ObservedKraft
from epochal.spec.kraft.state import Status
from epochal.spec.language import BoundsError, Member
from epochal.spec.language.configurable import reference_to, with_configuration

from ..brokers import BrokersVerdict
from ..collected import Collected
from ..controller import ControllerVerdict
from ..detectors import ClientsVerdict
from ..noticed import Noticed
from .evidence import ChangedTo
from .judged_runs import PartitionRun, RunsVerdict
from .model import Codes, RunModel
from .moves import REASSIGNED, losses_of
from .search import MOST_LAG

ACKS = ("all", "1")
"""What producers may have waited for where clients do not say it, or waited for both: the first with which all records
can be appended."""

MOST_STEPS = 2_000
"""Longer runs are not told as a trace: nobody would read them, and every state of it is checked."""


Said = tuple[tuple[str, Any], ...]
"""The settings that a protocol with a name is made with."""


@dataclass(frozen=True)
class ToldRun:
    """A run as a trace; or why it is none. `violated` are the properties that fail in it, each with the first state.

    `losses` is how many crashes lose the end of a log in it. `why_not` alone says that its properties are checked, too,
    if `is_judged`.
    """

    partition: str
    trace: Trace | None
    violated: tuple[tuple[str, int], ...] = ()
    why_not: str = ""
    losses: int = 0
    is_judged: bool = True

    def counterexample(self, property_id: str, length: int) -> Trace:
        """The run up to the state in which a property fails."""
        assert self.trace is not None
        trace = self.trace
        return Trace(trace.protocol, trace.initial, trace.steps[:length], property_id, "violated", facts=trace.facts)


def told(run: PartitionRun, version: str) -> ToldRun:
    """The run that explains a partition as a trace, under the rules of a version.

    Where settings change on the way there is no protocol with a name that has it; its properties are checked all the
    same, each state under the settings that it was in. If it is also a run under one of them, and breaks the same, that
    is told.
    """
    if run.evidence.decided.created.from_snapshot:
        why_not = "it begins at a snapshot, and a trace begins with empty logs"
        return ToldRun(run.partition, None, why_not=why_not, is_judged=False)
    bounds = _bounds(run)
    if isinstance(bounds, str):
        return ToldRun(run.partition, None, why_not=bounds, is_judged=False)
    acks = run.evidence.acks
    why_not = ""
    for waited_for in acks if len(acks) == 1 else ACKS:
        in_force = _in_force(run, version, waited_for)
        taken = _taken(run, bounds, in_force)
        if not isinstance(taken, _Taken):
            why_not = why_not or taken
            continue
        different = dict.fromkeys(in_force)
        for settings in different if len(different) > 1 else ():
            alike = _taken(run, bounds, [settings] * len(in_force))
            if isinstance(alike, _Taken) and alike.violated == taken.violated:
                return alike.told(taken.changes)
        return taken.told()
    return ToldRun(run.partition, None, why_not=why_not, is_judged=False)


def _bounds(run: PartitionRun) -> ObservedBounds | str:
    """Bounds that the run stays within; or why there are none."""
    if len(run.steps) > MOST_STEPS:
        return f"it has {len(run.steps):,} steps, and none of more than {MOST_STEPS:,} is told"
    taken = Counter(step.action for step in run.steps)
    changes = [one for one in run.evidence.decided.decisions if isinstance(one, ChangedTo)]
    counted = {
        "records": max(1, taken["produce"]),
        "max_epoch": run.evidence.decided.last_leader_epoch,
        "metadata_lag": max(1, min(len(changes), MOST_LAG)),
        "crashes": sum(taken[one] for one in ("crash", "lose_directory", "name_directory")),
        "lossy_crashes": taken["crash"],
        "fencings": taken["fence"] + taken["shut_down"],
        "shrinks": taken["propose_shrink"],
        "elections": taken["elect_preferred_leader"],
        "reassignments": sum(taken[one] for one in REASSIGNED),
    }
    if counted["records"] > MANY:
        return f"it is too long for one: {counted['records']:,} records are appended"
    return ObservedBounds(replication_factor=len(run.evidence.decided.brokers), **counted)


def _in_force(run: PartitionRun, version: str, acks: str) -> list[Said]:
    """The settings of the first state, and of each step."""
    decisions, created = run.evidence.decided.decisions, run.evidence.decided.created
    found: list[Said] = []
    controllers = run.evidence.decided.controllers
    for taken in (0, *run.decided):
        decision = decisions[taken - 1] if taken else created
        settings, release = decision.settings, controllers.get(decision.record.epoch, version)
        with_elr = numbered(known_as(release)) >= FIRST_WITH_ELR
        said: dict[str, Any] = {
            "kafka": release,
            "acks": acks,
            "min_insync_replicas": settings.min_insync_replicas,
            "unclean_leader_election": settings.unclean_leader_election,
        }
        found.append(tuple((said | ({"elr": settings.elr} if with_elr else {})).items()))
    return found


@dataclass(frozen=True)
class _Taken:
    """The steps of a run in protocols that have a name: the models of that of the first state, and of each step."""

    run: PartitionRun
    settings: Sequence[Said]
    models: Sequence[RunModel]
    initial: Codes
    steps: tuple[TraceStep, ...]
    losses: int

    @cached_property
    def violated(self) -> tuple[tuple[str, int], ...]:
        """The invariants that fail, each with the first state in which it does."""
        states = (self.initial, *(step.codes for step in self.steps))
        return tuple(_violated(tuple(zip(self.models, states, strict=True))))

    def told(self, changes: str = "") -> ToldRun:
        """As a trace, if it is one protocol. `changes` are the settings that were not the same all the time."""
        violated = self.violated
        if len(set(self.settings)) > 1:
            why_not = f"its settings change on the way, and a trace has the same from end to end: {self.changes}"
            return ToldRun(self.run.partition, None, violated, why_not, self.losses)
        model = self.models[0]
        brokers = zip(model.ids, self.run.evidence.decided.brokers, strict=True)
        facts: dict[str, str | int | bool] = {
            "brokers": ", ".join(f"{of} is broker {broker}" for of, broker in brokers),
            "offsets": ", ".join(f"{at} is {offset}" for at, offset in enumerate(self.run.evidence.offsets)),
            "protocol": reference_to(ObservedKraft.name, type(model.protocol)),
            **({"settings": f"these change on the way: {changes}"} if changes else {}),
        }
        trace = Trace(model.protocol, self.initial, self.steps, facts=facts)
        return ToldRun(self.run.partition, trace, violated, losses=self.losses)

    @property
    def changes(self) -> str:
        """The settings that change: `min_insync_replicas 2, then 1`."""
        values: dict[str, dict[str, None]] = {}
        for name, value in (pair for said in self.settings for pair in said):
            shown = ("off", "on")[value] if isinstance(value, bool) else str(value)
            values.setdefault(name, {})[shown] = None
        return "; ".join(f"{name} {', then '.join(some)}" for name, some in values.items() if len(some) > 1)


def _taken(run: PartitionRun, bounds: ObservedBounds, settings: Sequence[Said]) -> _Taken | str:
    """The same steps in protocols with a name; or the first that cannot be taken there."""
    models: dict[Said, RunModel] = {}
    for said in dict.fromkeys(settings):
        try:
            kind = cast("type[ConfigurableKraft]", with_configuration(ObservedKraft, dict(said)))
            models[said] = RunModel(cast("Any", kind)(bounds))
        except BoundsError as refused:
            return f"{refused}"
    first = codes = _first(run, models[settings[0]])
    steps: list[TraceStep] = []
    losses = 0
    for number, (step, said) in enumerate(zip(run.steps, settings[1:], strict=True), start=1):
        model = models[said]
        instance = model.instance(step.action, *step.arguments)
        after = None if instance is None else model.taken(codes, instance)
        if instance is None or after is None:
            under = reference_to(ObservedKraft.name, type(model.protocol))
            return f"its step {number}, {step.action}, cannot be taken under {under}"
        losses += losses_of(model, model.read(codes), (step,))
        steps.append(TraceStep(instance, after))
        codes = after
    return _Taken(run, settings, [models[said] for said in settings], first, tuple(steps), losses)


def _first(run: PartitionRun, model: RunModel) -> tuple[int, ...]:
    """The partition as it was created, with empty logs."""
    decided = run.evidence.decided
    created, place = decided.created, {broker: at for at, broker in enumerate(decided.brokers)}
    state = model.at(model.blank)
    partition = created.partition
    fenced = [at for broker, at in place.items() if broker not in created.active]
    stopped = [at for at in fenced if decided.registers_first(decided.brokers[at])]
    leader = None if partition.leader is None else model.ids[place[partition.leader]]
    replicas = model.set_of(place[one] for one in partition.replicas)
    state.initial(leader, replicas, model.set_of(fenced), model.set_of(stopped))
    assert all((state.brokers[model.ids[at]].status == Status.SHUT_DOWN) == (at in stopped) for at in place.values())
    return cast("tuple[int, ...]", state.codes())


def _violated(states: Sequence[tuple[RunModel, Codes]]) -> Iterator[tuple[str, int]]:
    """The invariants that fail in a run, each with the first state in which it does; the first that fails first."""
    failed: set[str] = set()
    pending: dict[RunModel, list[Member]] = {}
    for length, (model, codes) in enumerate(states):
        if model not in pending:
            some = model.protocol.members("invariant")
            pending[model] = [member for member in some if model.protocol.applies(member)]
        state = model.read(codes)
        for member in pending[model]:
            if member.name not in failed and not member.function(state):
                failed.add(member.name)
                yield member.name, length


@dataclass(frozen=True)
class Judged:
    """What the evidence says. `controller` and `brokers` are None if there is no metadata log.

    `clients` is None without a metadata log, or a history of clients; `runs` without a metadata log.
    `told` are the runs that explain a partition, as traces.
    `reference` names the specification. `noticed` are events by which records may have been lost, although the
    specification allows them. `cut` is the budget that was spent before all partitions were looked at.
    """

    name: str
    reference: str
    version: str
    evidence: Collected
    controller: ControllerVerdict | None
    brokers: BrokersVerdict | None
    noticed: tuple[Noticed, ...] = ()
    clients: ClientsVerdict | None = None
    runs: RunsVerdict | None = None
    told: tuple[ToldRun, ...] = ()
    cut: str = ""

    @property
    def refused(self) -> bool:
        """Whether something in the evidence is no step of the specification."""
        return any(verdict is not None and verdict.refused for verdict in (self.controller, self.brokers, self.runs))

    @property
    def accepted(self) -> int:
        """How much of it was checked and is one."""
        return (self.controller.judged if self.controller else 0) + (self.brokers.accepted if self.brokers else 0)
