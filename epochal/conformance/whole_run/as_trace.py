"""A run that explains a recording, as a trace like any other: `kraft-observed` under the settings of the cluster.

Offsets are the places of those at which something happened, and brokers are called by their places: the facts of the
trace say which they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from epochal.checker.trace.trace import Step as TraceStep
from epochal.checker.trace.trace import Trace
from epochal.evidence.client_history import ClientHistory, Sent
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import FIRST_WITH_ELR, known_as, numbered
from epochal.spec.kraft.observed import MANY, ObservedBounds, ObservedKraft
from epochal.spec.kraft.state import Status
from epochal.spec.language import BoundsError
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to

from .decided import Changed
from .judged_runs import PartitionRun
from .model import RunModel
from .search import MOST_LAG

ACKS = ("all", "1")
"""What producers may have waited for where clients do not say it, or waited for both: the first with which all records
can be appended."""

MOST_STEPS = 2_000
"""Longer runs are not told as a trace: nobody would read them, and every state of it is judged."""


@dataclass(frozen=True)
class Told:
    """A run as a trace; or why it is none. `violated` are the properties that fail in it, each with the first state."""

    partition: str
    trace: Trace | None
    violated: tuple[tuple[str, int], ...] = ()
    why_not: str = ""

    def counterexample(self, property_id: str, length: int) -> Trace:
        """The run up to the state in which a property fails."""
        assert self.trace is not None
        trace = self.trace
        return Trace(trace.protocol, trace.initial, trace.steps[:length], property_id, "violated", facts=trace.facts)


def told(run: PartitionRun, version: str, histories: Iterable[ClientHistory] = ()) -> Told:
    """The run that explains a partition as a trace, under the rules of a version."""
    if run.evidence.decided.created.from_snapshot:
        return Told(run.partition, None, why_not="it begins at a snapshot, and a trace begins with empty logs")
    bounds = _bounds(run)
    if isinstance(bounds, str):
        return Told(run.partition, None, why_not=bounds)
    waited_for = _acks_of(run.partition, histories)
    for acks in waited_for if len(waited_for) == 1 else ACKS:
        trace = _trace(run, version, bounds, acks)
        if trace is not None:
            return Told(run.partition, trace, tuple(_violated(trace)))
    return Told(run.partition, None, why_not="its settings change on the way, and a trace has the same from end to end")


def _bounds(run: PartitionRun) -> ObservedBounds | str:
    """Bounds that the run stays within; or why there are none."""
    if len(run.steps) > MOST_STEPS:
        return f"it has {len(run.steps):,} steps, and none of more than {MOST_STEPS:,} is told"
    taken = Counter(step.action for step in run.steps)
    changes = [one for one in run.evidence.decided.decisions if isinstance(one, Changed)]
    counted = {
        "records": max(1, taken["produce"]),
        "max_epoch": run.evidence.decided.last_leader_epoch,
        "metadata_lag": max(1, min(len(changes), MOST_LAG)),
        "crashes": sum(taken[one] for one in ("crash", "lose_directory", "name_directory")),
        "lossy_crashes": taken["crash"],
        "fencings": taken["fence"] + taken["shut_down"],
        "shrinks": taken["propose_shrink"],
        "elections": taken["elect_preferred_leader"],
        "reassignments": sum(taken[one] for one in ("reassign", "override_reassignment", "cancel_reassignment")),
    }
    if counted["records"] > MANY:
        return f"it is too long for one: {counted['records']:,} records are appended"
    return ObservedBounds(replication_factor=len(run.evidence.decided.brokers), **counted)


def _acks_of(partition: str, histories: Iterable[ClientHistory]) -> set[str]:
    """What producers waited for, as clients say."""
    topic, _, number = partition.rpartition("-")
    lines = (line.event for one in histories for line in one.lines)
    return {one.acks for one in lines if isinstance(one, Sent) and (one.topic, one.number) == (topic, int(number))}


def _trace(run: PartitionRun, version: str, bounds: ObservedBounds, acks: str) -> Trace | None:
    """The same steps in the protocol that has a name; None if one of them cannot be taken there."""
    created = run.evidence.decided.created
    said: dict[str, Any] = {
        "kafka": version,
        "acks": acks,
        "min_insync_replicas": created.settings.min_insync_replicas,
        "unclean_leader_election": created.settings.unclean_leader_election,
    }
    if numbered(known_as(version)) >= FIRST_WITH_ELR:
        said["elr"] = created.settings.elr
    try:
        kind = cast("type[ConfigurableKraft]", with_configuration(ObservedKraft, said))
        protocol: Any = kind(bounds)
    except BoundsError:
        return None
    model = RunModel(protocol)
    first = codes = _first(run, model)
    steps: list[TraceStep] = []
    for step in run.steps:
        instance = model.instance(step.action, *step.arguments)
        after = None if instance is None else protocol.step(model.at(codes), instance)
        if instance is None or after is None:
            return None
        steps.append(TraceStep(instance, after))
        codes = after
    facts = {
        "brokers": ", ".join(f"{of} is broker {broker}" for of, broker in zip(model.ids, _brokers(run), strict=True)),
        "offsets": ", ".join(f"{at} is {offset}" for at, offset in enumerate(run.evidence.offsets)),
    }
    return Trace(protocol, first, tuple(steps), facts={**facts, "protocol": reference_to(ObservedKraft.name, kind)})


def _first(run: PartitionRun, model: RunModel) -> tuple[int, ...]:
    """The partition as it was created, with empty logs."""
    created, place = run.evidence.decided.created, {broker: at for at, broker in enumerate(_brokers(run))}
    state = model.at(model.blank)
    partition = created.partition
    fenced = [at for broker, at in place.items() if broker not in created.active]
    stopped = [at for at in fenced if run.evidence.decided.registers_first(_brokers(run)[at])]
    leader = None if partition.leader is None else model.ids[place[partition.leader]]
    replicas = model.set_of(place[one] for one in partition.replicas)
    state.initial(leader, replicas, model.set_of(fenced), model.set_of(stopped))
    assert all((state.brokers[model.ids[at]].status == Status.SHUT_DOWN) == (at in stopped) for at in place.values())
    return cast("tuple[int, ...]", state.codes())


def _violated(trace: Trace) -> list[tuple[str, int]]:
    """The invariants that fail in the run, each with the first state in which it does."""
    found: list[tuple[str, int]] = []
    protocol = trace.protocol
    for member in protocol.members("invariant"):
        if not protocol.applies(member):
            continue
        for length, codes in enumerate(trace.states):
            if not member.function(protocol.at(codes)):
                found.append((member.name, length))
                break
    return sorted(found, key=lambda one: one[1])


def _brokers(run: PartitionRun) -> tuple[int, ...]:
    return run.evidence.decided.brokers
