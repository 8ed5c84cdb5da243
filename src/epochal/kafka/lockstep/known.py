"""Known holes on Kafka's own classes: each is shown, or closed at a step, and as the model of the release says.

Nothing here lists what is to be expected. A run that the release's own model takes, with the property violated at its
end, is open there, and Kafka must follow; one that the model leaves is closed, and Kafka must leave it too. Of a hole
that nobody has reported no model of a release has the steps: there the catalogue says which releases have it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, NamedTuple

from epochal.checker.trace.trace import Trace
from epochal.spec.bugs.known_bug import KnownBug
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.generations import (
    DIRECTORY_CHANGE_KEEPS_ELR,
    FIRST_WITH_ELR,
    VERSIONS,
    known_as,
    numbered,
)
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.directories import DirectoryAssignment, ReplacedDirectory
from epochal.spec.kraft.options.downgraded_elr import DowngradedElr, LoweredMinIsr
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.options.min_isr_change import RaisedMinIsr
from epochal.spec.kraft.options.needed import about_its_steps
from epochal.spec.kraft.options.reassignment import Reassignment
from epochal.spec.kraft.options.unclean_cancellation import UncleanCancellation
from epochal.spec.kraft.rules import RULES, KraftBug
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import Protocol
from epochal.spec.quorum.state import QuorumState
from epochal.spec.share_groups.state import ShareGroupState
from epochal.spec.transactions.state import TransactionalIdState

from .compared import model_leaves
from .coordinators import directed as coordinators_directed
from .directed import Played, not_mapped, play, step_left
from .driven import Harness
from .harness import CLUSTER, QUORUM, SHARE_GROUPS, JavaProgram
from .judged import model_of, release_of
from .models import brought_along, protocol_of_run
from .quorum import directed as quorum_directed
from .sharing import directed as sharing_directed
from .sharing import models as sharing_models


class Standing(Enum):
    """What became of a known hole."""

    SHOWN = "shown"
    CLOSED = "closed"
    NOT_MAPPED = "not mapped"


@dataclass(frozen=True)
class HolesProgress:
    """How far it is: how many of the holes are done, and which one is in hand."""

    done: int
    asked: int
    id: str
    seconds: float


@dataclass(frozen=True)
class KnownHole:
    """A run of a known hole, and what became of it.

    `left_by_model` is the number of the step at which the release's own model leaves the run; None if it takes all of
    it, with the property violated. `played` is how far Kafka followed, None if the run is not mapped, for a `reason`.
    """

    id: str
    title: str
    played: Played | None
    left_by_model: int | None
    reason: str = ""

    @property
    def standing(self) -> Standing:
        """Whether Kafka shows it."""
        if self.played is None:
            return Standing.NOT_MAPPED
        return Standing.SHOWN if self.played.holds is False else Standing.CLOSED

    @property
    def expected(self) -> Standing:
        """What the model of the release says of it."""
        if self.played is None:
            return Standing.NOT_MAPPED
        return Standing.SHOWN if self.left_by_model is None else Standing.CLOSED

    @property
    def as_expected(self) -> bool:
        """Whether Kafka does what the model of its release does."""
        return self.standing == self.expected

    @property
    def says(self) -> str:
        """`closed at step 3 of 4`, `shown in 9 steps`, or why it is not mapped."""
        if self.played is None:
            return f"not mapped: {self.reason}"
        steps = len(self.played.trace.steps)
        if self.standing == Standing.SHOWN:
            return f"shown in {steps} steps"
        where = "the property holds at the end" if self.played.followed else f"at step {self.played.taken} of {steps}"
        return f"closed: {where}"


def _rules_not_shipped(bug: KnownBug | None, version: str) -> dict[str, Any]:
    """The rules of a hole that the release has, and of which it is nowhere else told which releases have them.

    They are about steps that the release's own model leaves out.
    """
    if not isinstance(bug, KraftBug) or not bug.was_in(".".join(map(str, numbered(release_of(version))))):
        return {}
    return {name: value for name, value in bug.rule.items() if name in RULES and not RULES[name].shipped}


def left_by_model(trace: Trace, version: str, bug: KnownBug | None = None) -> int | None:
    """The step at which the release's own model leaves a run, or None if it takes all of it, to the same violation.

    `bug` is the hole that the run is of.
    """
    protocol = trace.protocol
    assert isinstance(protocol, Kraft)  # a run that is played
    asked_for = rules_asked_for(protocol, version)
    model = model_of_release(protocol, version) if asked_for else protocol_of_run(model_of(version), protocol)
    rules = {} if asked_for or brought_along(protocol) else _rules_not_shipped(bug, version)
    if rules:
        model = with_settings(type(model), replace(model.settings, **rules), model.name)(model.bounds)
    return step_left(trace, model, model_leaves)


def model_of_release(protocol: Kraft, version: str) -> Kraft:
    """A protocol with its own steps under the rules of a release, and what it sets itself."""
    settings, bounds = protocol.settings, protocol.bounds.as_dict()
    of_release = replace(
        about_its_steps(type(protocol), VERSIONS[known_as(model_of(version))]),
        min_insync_replicas=settings.min_insync_replicas,
        acks=settings.acks,
        unclean_leader_election=settings.unclean_leader_election,
        elr=settings.elr,
        **rules_asked_for(protocol, version),
    )
    given = {name: bounds[name] for name in type(protocol.bounds).declared()}
    return with_settings(type(protocol), of_release)(None, **given)


def own_model(protocol: Protocol, version: str, bug: KnownBug) -> Protocol | None:
    """The protocol of a hole with which its run is searched that a release can follow; None if it has no other.

    A release may leave the run that is kept of a hole, because of another rule, and have the hole by a run of its own.
    No Kafka follows that of a share group to where its hole is: there is one for every release.
    """
    if isinstance(protocol, ShareGroupState):
        return sharing_models.own_model(protocol, version, bug)
    has = bug.was_in(model_of(version))
    return _own_kraft(protocol, version, bug) if has and isinstance(protocol, Kraft) else None


def _own_kraft(protocol: Kraft, version: str, bug: KnownBug) -> Kraft:
    """The same of brokers and controller."""
    elr = protocol.settings.elr and numbered(model_of(version)) >= FIRST_WITH_ELR
    without = with_settings(type(protocol), replace(protocol.settings, elr=elr), protocol.name)(protocol.bounds)
    found = model_of_release(without, version)
    chosen = {name: getattr(protocol.settings, name) for one in brought_along(protocol) for name in one.operator}
    of_hole = {} if rules_asked_for(protocol, version) else _rules_not_shipped(bug, version)
    name = f"{protocol.name} of {version}"
    return with_settings(type(found), replace(found.settings, **{**of_hole, **chosen}), name)(found.bounds)


def rules_asked_for(protocol: Kraft, version: str) -> dict[str, Any]:
    """Of the steps and settings of a protocol that no release brings along: which rules of them a release has."""
    elr_is_kept = numbered(model_of(version)) >= DIRECTORY_CHANGE_KEEPS_ELR
    kinds: Mapping[type[KraftState], Mapping[str, Any]] = {
        Reassignment: {"joins_by_fetch_only": True},
        UncleanCancellation: {"last_known_leader_goes_with_replica": False},
        RaisedMinIsr: {"min_isr_follows_log": False},
        DowngradedElr: {"unclean_restart_leaves_left_over_elr": False},
        LoweredMinIsr: {"min_isr_change_clears_left_over_elr": False},
        DirectoryAssignment: {"directory_change_keeps_elr": elr_is_kept},
        ReplacedDirectory: {"missing_directory_is_unclean": not elr_is_kept},  # the new directory is assigned: no ELR
        FutureLogs: {"abandoned_future_log_has_caught_up": False},
    }
    found = {
        name: value for kind, rules in kinds.items() if isinstance(protocol, kind) for name, value in rules.items()
    }
    leader, controller = protocol.settings.leader_min_insync_replicas, protocol.settings.min_insync_replicas
    if leader is not None:  # the controller counts the replicas of partition 0 (H2), and a leader follows the log
        found["leader_min_insync_replicas"] = leader if leader > controller else None
    return found


# -- layers ------------------------------------------------------------------------------------------------------------
# Which classes of Kafka take the steps of a protocol: those of brokers and controller, the voters of the quorum, the
# coordinators of a transactional id, or those of a share group.


class Layer(NamedTuple):
    """A program with Kafka's classes, and how a trace is put to it.

    `with_what` says with what of Kafka every step is compared. `left_by_model` is the step at which the model of a
    release leaves the trace of a hole, None if it takes it all, to the same violation.
    """

    program: JavaProgram
    with_what: str
    not_mapped: Callable[[Trace, str], str]
    play: Callable[[Harness, Trace, Callable[[int, int], None]], Played]
    left_by_model: Callable[[Trace, str, KnownBug], int | None]


BROKERS = Layer(CLUSTER, "Kafka's controller and brokers", not_mapped, play, left_by_model)
VOTERS = Layer(
    QUORUM, "Kafka's voters", quorum_directed.not_mapped, quorum_directed.play, quorum_directed.left_by_model
)
COORDINATORS = Layer(
    CLUSTER,
    "Kafka's transaction coordinators",
    coordinators_directed.not_mapped,
    coordinators_directed.play,
    coordinators_directed.left_by_model,
)

SHARING = Layer(
    SHARE_GROUPS,
    "Kafka's share partitions, and their share and group coordinators",
    sharing_directed.not_mapped,
    sharing_directed.play,
    sharing_directed.left_by_model,
)

PLAYED = (Kraft, QuorumState, TransactionalIdState, ShareGroupState)
"""The protocols whose steps some classes of Kafka can take."""


def layer_of(protocol: Protocol | type[Protocol]) -> Layer:
    """The layer of a protocol; that of the brokers says why it has none."""
    kind = protocol if isinstance(protocol, type) else type(protocol)
    if issubclass(kind, TransactionalIdState):
        return COORDINATORS
    if issubclass(kind, ShareGroupState):
        return SHARING
    return VOTERS if issubclass(kind, QuorumState) else BROKERS
