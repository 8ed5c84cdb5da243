"""ELR, min.insync.replicas and unclean election as on, off and on again: what is left from before is as in Kafka.

Every state is visited that one partition reaches while an operator switches all of them; in each, whatever happens to a
broker must lead where PartitionChangeBuilder leads (`partition_change`), and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from epochal.kafka.validation.controller import Cause, Outline, Steps
from epochal.kafka.validation.image import NOBODY
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import VERSIONS
from tests.conformance.partition_change import Cluster, built

State = tuple[Outline, Cluster]
BROKERS = 2
EVERYBODY = (1 << BROKERS) - 1


def stepped(found: State, cause: Cause) -> set[Outline]:
    """Where Kafka's controller goes from a state."""
    was, cluster = found
    step, broker = cause
    mine = 1 << broker
    election = "UNCLEAN" if cluster.unclean else "ONLINE"
    if step in ("fence", "shut_down"):
        return set(built(was, cluster, was.isr & ~mine, mine, election=election)) if was.isr & mine else {was}
    if step == "unfence":
        now = replace(cluster, active=cluster.active | mine)
        return set(built(was, now, was.isr, election=election)) if was.leader == NOBODY else {was}
    if step == "lose_directory":
        return set(built(was, cluster, was.isr & ~mine, mine, election=election))
    assert step == "restart"  # whether it was shut down in good order no record tells
    clean = {was, *(built(was, cluster, was.isr & ~mine, mine, election=election) if was.isr & mine else ())}
    if cluster.elr and (was.isr | was.elr) & mine:
        return clean | set(built(was, cluster, was.isr & ~mine, unclean=mine, election=election))
    return clean


def requested(found: State) -> Iterator[Outline]:
    """What leaders and operators may bring about: AlterPartition, and an unclean election."""
    was, cluster = found
    election = "UNCLEAN" if cluster.unclean else "ONLINE"
    if was.leader == NOBODY:
        yield from (one for one in built(was, cluster, was.isr, election="UNCLEAN") if one.leader != NOBODY)
        return
    for isr in range(1, EVERYBODY + 1):
        if isr >> was.leader & 1 and not isr & ~cluster.active:
            yield from built(was, cluster, isr, election=election, recovered=True)


def happenings(cluster: Cluster, disks: bool) -> Iterator[tuple[Cause, Cluster]]:
    """What may happen to a broker, and what the controller knows of the brokers afterwards."""
    for broker in range(BROKERS):
        mine = 1 << broker
        if not cluster.active & mine:
            yield Cause("unfence", broker), replace(cluster, active=cluster.active | mine)
            yield Cause("restart", broker), replace(cluster, offline=cluster.offline & ~mine)
            continue
        yield Cause("fence", broker), replace(cluster, active=cluster.active & ~mine)
        if disks:
            yield Cause("lose_directory", broker), replace(cluster, offline=cluster.offline | mine)


def switched(found: State) -> Iterator[State]:
    """What an operator switches: a change of min.insync.replicas clears ELR and last known leader where ELR is on."""
    was, cluster = found
    yield was, replace(cluster, elr=not cluster.elr)
    yield was, replace(cluster, unclean=not cluster.unclean)
    cleared = was._replace(elr=0, last_known_leader=NOBODY) if cluster.elr else was
    yield cleared, replace(cluster, min_isr=3 - cluster.min_isr)


def has_something_left(found: State) -> bool:
    """Whether a partition has what no switch would leave where it never was another."""
    was, cluster = found
    if not cluster.elr:
        return bool(was.elr) or was.last_known_leader != NOBODY
    return (was.isr.bit_count() >= cluster.min_isr and was.leader == NOBODY) or (
        was.last_known_leader != NOBODY and was.leader != NOBODY
    )


def anew(shape: Outline) -> Outline:
    """A shape with its epoch counted from now."""
    return shape._replace(epoch=1)


def mirrored(found: State) -> State:
    """The same with the brokers the other way round, if that comes first: who is who does not matter."""
    was, cluster = found

    def other(some: int) -> int:
        return some >> 1 | (some & 1) << 1

    swapped = was._replace(
        leader=was.leader if was.leader == NOBODY else 1 - was.leader,
        last_known_leader=was.last_known_leader if was.last_known_leader == NOBODY else 1 - was.last_known_leader,
        isr=other(was.isr),
        elr=other(was.elr),
    )
    there = replace(cluster, active=other(cluster.active), offline=other(cluster.offline))
    return min(found, (swapped, there), key=lambda one: (one[0], one[1].active, one[1].offline))


def visited(version: str, keeps_up: bool, compares: Callable[[State], bool], switches: bool, elr: bool) -> int:
    """Visit every state, and compare in those that are asked for: how many these are."""
    steps: dict[tuple[bool, int, bool], Steps] = {}
    first = Cluster(elr=elr, min_isr=1, unclean=False, keeps_up=keeps_up, active=EVERYBODY)
    waiting: list[State] = [(Outline(0, 1, EVERYBODY, EVERYBODY, 0, 0, 0, NOBODY, False), first)]
    seen, compared = set(waiting), 0
    while waiting:
        was, cluster = found = waiting.pop()
        key = (cluster.elr, cluster.min_isr, cluster.unclean)
        if key not in steps:
            settings = replace(
                VERSIONS[version],
                elr=cluster.elr,
                min_insync_replicas=cluster.min_isr,
                unclean_leader_election=cluster.unclean,
                last_known_leader_is_kept_up=keeps_up,
            )
            steps[key] = Steps(ConfigurableKraft, settings)
        following = list(switched(found)) if switches else []
        of_brokers = [(cause, then, stepped(found, cause)) for cause, then in happenings(cluster, not switches)]
        of_requests = set(requested(found)) - {was}
        if compares(found):
            compared += 1
            for cause, _, expected in of_brokers:
                given = (BROKERS, was, cluster.active, cause, cluster.offline)
                reached = set(steps[key].by_cause(*given))
                reached |= {was} if cause.step == "restart" else set()
                assert reached == expected, (found, cause)
            allowed = steps[key].free(BROKERS, was, cluster.active, cluster.offline)
            assert of_requests <= allowed.keys(), found
        following += [(anew(one), then) for _, then, expected in of_brokers for one in expected]
        following += [(anew(one), cluster) for one in of_requests]
        for state in map(mirrored, following):
            if state not in seen:
                seen.add(state)
                waiting.append(state)
    return compared


@pytest.mark.parametrize(("version", "keeps_up", "states"), [("4.1", True, 220), ("4.3.1", False, 260)])
def test_every_state_that_switches_leave_is_as_in_kafka(version: str, keeps_up: bool, states: int) -> None:
    assert visited(version, keeps_up, has_something_left, switches=True, elr=True) == states


@pytest.mark.parametrize(("version", "elr", "states"), [("3.9.2", False, 34), ("4.3.1", True, 68)])
def test_every_state_with_a_directory_that_failed_is_as_in_kafka(version: str, elr: bool, states: int) -> None:
    assert visited(version, True, lambda found: True, switches=False, elr=elr) == states
