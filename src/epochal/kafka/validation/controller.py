"""The controller against the specification: every change of a partition is a step that the specification allows.

The metadata log is taken record by record. For a change of a partition the specification's own steps are taken from the
partition as it was, with the brokers that are active at that moment; one of them must lead to what was written. The
record that stands behind changes, or before them, says which steps can have been theirs: a broker that is fenced,
registers, or loses a log directory stands behind them, one that is unfenced or shuts down before. And where such a
record stands, every partition of which the specification says that it changes must have changed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain
from typing import Any, NamedTuple, cast

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import DIRECTORY_CHANGE_KEEPS_ELR, LAST_KNOWN_LEADER_MAY_BE_OLD, numbered
from epochal.spec.kraft.heeded import LAST_WITH_ZOOKEEPER, UNCLEAN, heeds
from epochal.spec.kraft.options.directories import DirectoryAssignment, FailedDirectory
from epochal.spec.kraft.options.fenced_in_isr import UnregisteredBroker
from epochal.spec.kraft.options.needed import missing_steps
from epochal.spec.kraft.options.operator_election import OperatorElection
from epochal.spec.kraft.options.reassignment import ReassignmentBounds
from epochal.spec.kraft.options.unclean_cancellation import UncleanCancellation
from epochal.spec.kraft.options.unnoticed_restart import UnnoticedRestart
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Status
from epochal.spec.language import ActionInstance, Identifier, Protocol, Set, bound
from epochal.spec.language.protocol import Scratch

from ..evidence.metadata_log import MetadataLog, MetadataRecord
from ..evidence.place import EvidenceError
from .image import (
    ELR_FEATURE,
    FENCED,
    LOST_DIRECTORY,
    METADATA_VERSION,
    NOBODY,
    REGISTERED,
    SHUTTING_DOWN,
    UNFENCED,
    UNREGISTERED,
    BrokerChange,
    Brokers,
    Image,
    Partition,
    TopicPartition,
    changes_of_brokers,
)
from .meter import SILENT, Meter

# -- model ------------------------------------------------------------------------------------------------------------
# The specification as it is held against a controller: one partition, the brokers that it has to do with, any state.
#
# The steps are those of `kraft`, with reassignments, log directories and elections by operators: the very methods that
# are searched and proved. Nothing is searched here: a step is taken from a state that somebody else describes.

# -- shape ------------------------------------------------------------------------------------------------------------
# What the steps of the controller depend on, small enough to be looked up: sets of brokers as bits of a number.
#
# Epochs only grow, and brokers only differ by their numbers; the first are counted from the present one, the second are
# called by their place among the brokers that the partition has to do with. So a log of a million changes has few
# shapes.


class Outline(NamedTuple):
    """A partition as the specification knows it; `epoch` is how much the leader epoch has grown."""

    leader: int
    epoch: int
    isr: int
    replicas: int
    adding: int
    removing: int
    elr: int
    last_known_leader: int
    recovering: bool


def shape_of(partition: Partition, places: Mapping[int, int], since: int) -> Outline:
    """The shape of a partition among brokers with these places, with epochs counted from `since`."""
    return Outline(
        NOBODY if partition.leader is None else places[partition.leader],
        partition.leader_epoch - since,
        bits(partition.isr, places),
        bits(partition.replicas, places),
        bits(partition.adding, places),
        bits(partition.removing, places),
        bits(partition.elr, places),
        NOBODY if partition.last_known_leader is None else places[partition.last_known_leader],
        partition.recovering,
    )


def partition_of_shape(shape: Outline, brokers: tuple[int, ...], before: Partition) -> Partition:
    """The partition that a shape stands for, where another was before."""
    return Partition(
        replicas=tuple(sorted(members(shape.replicas, brokers))),
        isr=members(shape.isr, brokers),
        leader=None if shape.leader == NOBODY else brokers[shape.leader],
        leader_epoch=before.leader_epoch + shape.epoch,
        partition_epoch=before.partition_epoch + 1,
        adding=members(shape.adding, brokers),
        removing=members(shape.removing, brokers),
        elr=members(shape.elr, brokers),
        last_known_leader=None if shape.last_known_leader == NOBODY else brokers[shape.last_known_leader],
        recovering=shape.recovering,
    )


def bits(some: Brokers | tuple[int, ...], places: Mapping[int, int]) -> int:
    """A set of brokers as a number: its bits are the places."""
    found = 0
    for broker in some:
        found |= 1 << places[broker]
    return found


def members(of: int, brokers: tuple[int, ...]) -> Brokers:
    """The brokers whose places are the bits of a number."""
    return frozenset(broker for place, broker in enumerate(brokers) if of >> place & 1)


MOST_BROKERS = 8
"""A partition that has to do with more brokers is not checked: there are too many choices of replicas."""


@dataclass(frozen=True)
class ConformBounds(ReassignmentBounds):
    """One step at a time: offsets do not matter, and each kind of event may happen once."""

    replication_factor: int = bound(3, least=1, most=MOST_BROKERS, help="the number of brokers")

    @staticmethod
    def of(brokers: int) -> ConformBounds:
        """The bounds for so many brokers."""
        return ConformBounds(
            replication_factor=brokers,
            records=1,
            max_epoch=3,
            metadata_lag=2,
            crashes=1,
            lossy_crashes=0,
            fencings=1,
            shrinks=0,
            elections=1,
            reassignments=1,
        )


class ControllerSteps(
    UncleanCancellation, DirectoryAssignment, FailedDirectory, OperatorElection, UnregisteredBroker, UnnoticedRestart
):
    """The steps of the controller beside those of the core."""

    bounds: ConformBounds


def with_steps(
    steps: type[Protocol], kind: type[ConfigurableKraft], settings: Settings, **more: Any
) -> type[ConfigurableKraft]:
    """A protocol with other steps beside its own, under settings.

    A rule about steps that it has not, such as what a follower does with a late answer where only the controller has
    steps, is as designed: nothing of it can be seen.
    """
    made = type(kind.__name__, (steps, kind), {"__doc__": kind.__doc__})
    designed = Settings()
    foreign = {name: getattr(designed, name) for name in missing_steps(made, settings)}
    names = {"settings": replace(settings, **more, **foreign), "name": kind.name, "__doc__": kind.__doc__}
    return cast("type[ConfigurableKraft]", type(kind.__name__, (made,), names))


def controller_of(kind: type[ConfigurableKraft], settings: Settings) -> type[ConfigurableKraft]:
    """A protocol with every step of the controller, under settings."""
    return with_steps(ControllerSteps, kind, settings)


def put(state: Any, ids: Sequence[Identifier], shape: Outline, active: int, offline: int) -> None:
    """Have the controller know this of a partition in a state; brokers are called by their places among `ids`."""
    now, recovery = state.metadata[0], state.recovery
    now.leader, now.leader_epoch, now.isr = _at(ids, shape.leader), shape.epoch, those(ids, shape.isr)
    recovery.elr, recovery.last_known_leader = those(ids, shape.elr), _at(ids, shape.last_known_leader)
    recovery.recovering = shape.recovering
    state.replicas[0] = those(ids, shape.replicas)
    state.adding, state.removing = those(ids, shape.adding), those(ids, shape.removing)
    for place, of in enumerate(ids):
        state.registrations[of].fenced = not active >> place & 1
    state.offline = those(ids, offline)


def _at(ids: Sequence[Identifier], place: int) -> Identifier | None:
    return None if place == NOBODY else ids[place]


def those(ids: Sequence[Identifier], of: int) -> Set[Identifier]:
    """The brokers whose places are the bits of a number."""
    return Set(one for place, one in enumerate(ids) if of >> place & 1)


class ModelStep(NamedTuple):
    """A step of the specification: the state before as codes, the instance of an action, and the state after."""

    before: tuple[int, ...]
    instance: ActionInstance
    after: Any


class ControllerModel:
    """The controller's steps for one partition, under one protocol and settings, among so many brokers."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> None:
        self.protocol: Any = controller_of(kind, settings)(ConformBounds.of(brokers))
        self.registering_fences = settings.registration_fences_the_old_incarnation
        self._scratch = Scratch(self.protocol)
        self._blank = self.protocol.at(self.protocol.codes())
        self._ids: tuple[Identifier, ...] = tuple(self._blank.brokers)
        self._places = {of: place for place, of in enumerate(self._ids)}
        self._instances: dict[str, list[ActionInstance]] = {}
        for instance in self.protocol.instances:
            self._instances.setdefault(instance.action.name, []).append(instance)

    def state(self, shape: Outline, active: int, offline: int = 0) -> Any:
        """A state of the specification in which the controller knows this. All brokers run.

        `offline` are those whose replica is in a log directory that is not online.
        """
        state = self.protocol.at(self._blank.codes())
        put(state, self._ids, shape, active, offline)
        state.asked_for = those(self._ids, shape.replicas & ~shape.removing)
        return state

    def shape(self, state: Any) -> Outline:
        """What the controller knows in a state."""
        now, recovery = state.metadata[0], state.recovery
        return Outline(
            self._place(now.leader),
            now.leader_epoch,
            self._bits(now.isr),
            self._bits(state.replicas[0]),
            self._bits(state.adding),
            self._bits(state.removing),
            self._bits(recovery.elr),
            self._place(recovery.last_known_leader),
            recovery.recovering,
        )

    def stopped(self, state: Any, broker: int, status: Status) -> Any:
        """The same with a broker whose process has ended so."""
        state.brokers[self._ids[broker]].status = status
        return state

    def requested(self, state: Any, isr: int, sender: int = NOBODY, late: int = 0, restarted: int = NOBODY) -> Any:
        """The same with an AlterPartition on its way: of the present leader, unless another sender is said.

        It may be of so many leader epochs before. A broker that has `restarted` since is in it by its former epoch.
        """
        state.request.leader = state.metadata[0].leader if sender == NOBODY else self._ids[sender]
        state.request.leader_epoch = state.metadata[0].leader_epoch - late
        state.request.isr = those(self._ids, isr)
        if restarted != NOBODY:
            state.request.joining = self._ids[restarted]
            state.registrations[self._ids[restarted]].broker_epoch = 1
        return state

    def active(self, state: Any) -> int:
        """The brokers that are active in a state."""
        return sum(1 << place for place, of in enumerate(self._ids) if not state.registrations[of].fenced)

    def offline(self, state: Any) -> int:
        """The brokers whose replica is in a log directory that is not online."""
        return self._bits(state.offline)

    def after(self, state: Any, action: str, broker: int = NOBODY, **said: int) -> Iterator[Any]:
        """What an action leads to, of one broker if it is said: every choice of the rest.

        Other parameters may be said, too: a broker by its place, and a set of brokers by the bits of their places.
        """
        return (step.after for step in self.steps(state, action, broker, **said))

    def steps(self, state: Any, action: str, broker: int = NOBODY, **said: int) -> Iterator[ModelStep]:
        """The same with the steps that lead there."""
        wanted = said if broker == NOBODY else {**said, "broker": broker}
        codes = state.codes()
        for instance in self._instances.get(action, ()):
            given = zip((one.name for one in instance.parameters), instance.arguments, strict=True)
            if {name: self._number(value) for name, value in given if name in wanted} == wanted:
                found = self._scratch.step(codes, instance)
                if found is not None:
                    yield ModelStep(codes, instance, self.protocol.at(found))

    def _number(self, value: Any) -> int:
        return self._bits(value) if isinstance(value, Set) else self._place(value)

    def _place(self, of: Identifier | None) -> int:
        return NOBODY if of is None else self._places[of]

    def _bits(self, some: Set[Identifier]) -> int:
        return sum(1 << self._places[of] for of in some)


@lru_cache(maxsize=256)
def controller_model(kind: type[ConfigurableKraft], settings: Settings, brokers: int) -> ControllerModel:
    """The model for these settings and so many brokers, made once."""
    return ControllerModel(kind, settings, brokers)


# -- steps ------------------------------------------------------------------------------------------------------------
# What may have happened to a partition: every step of the controller, and where it leads.


class Cause(NamedTuple):
    """What a record beside a change tells: a step, and its broker."""

    step: str
    broker: int


FREE = (
    *("assign_directory", "cancel_reassignment", "cancel_uncleanly", "elect_preferred_leader", "elect_any_leader"),
    *("elect_uncleanly", "override_reassignment", "reassign"),
)
"""Steps that no other record tells of. AlterPartition is one, too."""

ALTER_PARTITION, LOSE_DIRECTORY = "handle_alter_partition", "lose_directory"


class Steps:
    """The steps of one protocol under one configuration, each question answered once."""

    def __init__(self, kind: type[ConfigurableKraft], settings: Settings) -> None:
        self._kind, self._settings = kind, settings
        self.by_cause = cache(self._by_cause)
        self.free = cache(self._free)

    def _by_cause(
        self, brokers: int, shape: Outline, active: int, cause: Cause, offline: int = 0
    ) -> Mapping[Outline, str]:
        """Where a cause may lead, and its step. Nothing if it cannot happen.

        `offline` are the brokers whose replica is in a log directory that is not online.
        """
        model = controller_model(self._kind, self._settings, brokers)
        return {model.shape(after): cause.step for after in _caused(model, shape, active, cause, offline)}

    def _free(self, brokers: int, shape: Outline, active: int, offline: int = 0) -> Mapping[Outline, str]:
        """Where a step may lead that happens at any time."""
        model = controller_model(self._kind, self._settings, brokers)
        found: dict[Outline, str] = {}
        for step, after in chain(
            _altered(model, shape, active, offline),
            _ordered(model, shape, active, offline),
            _assigned_offline(model, shape, active, offline),
        ):
            found.setdefault(model.shape(after), step)
        return found


def _caused(model: ControllerModel, shape: Outline, active: int, cause: Cause, offline: int) -> Iterator[Any]:
    """A broker is fenced, shuts down, registers, is unfenced, or loses the log directory of its replica.

    That it shut down or was unfenced is known already when the changes come. A broker that registers and is in the ISR,
    where the last member stays without ELR, leaves it now if ELR was switched on meanwhile. Whether it had shut down
    cleanly, and stays eligible, is not in the metadata log (KIP-966): either may be.
    """
    step, broker = cause
    if step == "unfence":
        active &= ~(1 << broker)
    elif step == "shut_down":
        active |= 1 << broker
    if step != "restart":
        yield from model.after(model.state(shape, active, offline), step, broker)
        return
    if not active >> broker & 1 and shape.isr >> broker & 1 and model.registering_fences:
        yield from model.after(model.state(shape, active | 1 << broker, offline), "fence", broker)
    for status in (Status.CRASHED, Status.SHUT_DOWN):
        stopped = model.stopped(model.state(shape, active, offline), broker, status)
        yield from model.after(stopped, "restart", broker)


def _ordered(model: ControllerModel, shape: Outline, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """What an operator or the balancing of leaders may have asked for."""
    for step in FREE:
        yield from ((step, after) for after in model.after(model.state(shape, active, offline), step))


def _assigned_offline(model: ControllerModel, shape: Outline, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """A replica was assigned to a log directory that was offline by then: it leaves, and no record of its own tells."""
    for broker in range(offline.bit_length()):
        if offline >> broker & 1:
            state = model.state(shape, active, offline)
            yield from ((LOSE_DIRECTORY, after) for after in model.after(state, LOSE_DIRECTORY, broker))


def _altered(model: ControllerModel, shape: Outline, active: int, offline: int) -> Iterator[tuple[str, Any]]:
    """AlterPartition, with any ISR that its leader may ask for. Where nothing changes by it nothing is written."""
    if shape.leader == NOBODY:
        return
    for isr in range(1, shape.replicas + 1):
        if isr & ~shape.replicas == 0 and isr >> shape.leader & 1:
            state = model.requested(model.state(shape, active, offline), isr)
            changed = (after for after in model.after(state, ALTER_PARTITION) if model.shape(after) != shape)
            yield from ((ALTER_PARTITION, after) for after in changed)


# -- rules ------------------------------------------------------------------------------------------------------------
# Which rules a cluster follows: those of its version, and what the metadata log says of its settings.

MIN_ISR = "min.insync.replicas"
MIGRATION = "zookeeper.metadata.migration.enable"

EPOCH_STAYS = 12
"""The metadata.version, 3.6-IV0, since which a leader epoch stays where the ISR shrinks (KAFKA-15021). Up to Kafka 3.9
it grows as well while a cluster migrates from ZooKeeper (PartitionChangeBuilder)."""

Key = tuple[int, bool, bool, bool]
"""What may change while a cluster runs: `min.insync.replicas`, unclean election, ELR, and whether an ISR that shrinks
makes a leader epoch."""


@dataclass
class RuleSet:
    """A protocol, the settings of a version, that version, and settings of brokers that are not in the metadata log.

    In a rolling upgrade there are `others`, and `terms` say which version the controller of each epoch had.
    """

    kind: type[ConfigurableKraft]
    shipped: Settings
    version: str
    static: Mapping[str, str] = field(default_factory=dict)
    others: tuple[RuleSet, ...] = ()
    terms: Mapping[int, str] = field(default_factory=dict)
    _made: dict[Key, Steps] = field(default_factory=dict)

    def at(self, epoch: int) -> tuple[RuleSet, ...]:
        """The rules of the controller of an epoch; where nobody says its version, those of each that was there."""
        everyone = (self, *self.others)
        return tuple(one for one in everyone if one.version == self.terms.get(epoch)) or everyone

    def with_static(self, static: Mapping[str, str]) -> RuleSet:
        """The same, where the properties of the nodes are others."""
        others = tuple(one.with_static(static) for one in self.others)
        return replace(self, static=static, others=others, _made={})

    @property
    def releases(self) -> tuple[str, ...]:
        """The versions that were there, the oldest first, if their rules differ; none if all follow the same."""
        everyone = (*self.others, self)
        bare = {one.settings_under(1, True, True, one.shipped.shrink_bumps_leader_epoch) for one in everyone}
        return tuple(one.version for one in everyone) if len(bare) > 1 else ()

    def steps(self, image: Image, of: TopicPartition) -> tuple[Steps, ...]:
        """The steps of the controller for a partition, under the settings of this moment: under each that may be in
        force, where some were set before the log begins."""
        return tuple(map(self._steps, self._keys(image, of)))

    def _steps(self, key: Key) -> Steps:
        if key not in self._made:
            self._made[key] = Steps(self.kind, self.settings_under(*key))
        return self._made[key]

    def settings(self, image: Image, of: TopicPartition) -> Settings:
        """The settings of this moment for a partition."""
        return self.settings_under(*self._key(image, of))

    def unknown(self, image: Image, of: TopicPartition) -> tuple[str, ...]:
        """What is set for a partition and was before the log begins."""
        configs = [name for name in (MIN_ISR, UNCLEAN) if not image.tells_config(of[0], name)]
        return (*configs, *(name for name in (ELR_FEATURE, METADATA_VERSION) if not image.tells_feature(name)))

    def _keys(self, image: Image, of: TopicPartition) -> Iterator[Key]:
        """What may be in force for a partition."""
        least, unclean, elr, makes_an_epoch = self._key(image, of)
        unknown = self.unknown(image, of)
        yield from itertools.product(
            range(1, len(self._first(image, of).replicas) + 1) if MIN_ISR in unknown else (least,),
            (False, True) if UNCLEAN in unknown else (unclean,),
            (False, True) if ELR_FEATURE in unknown else (elr,),
            (False, True) if METADATA_VERSION in unknown and not makes_an_epoch else (makes_an_epoch,),
        )

    def _key(self, image: Image, of: TopicPartition) -> Key:
        unclean = self._setting(image, of[0], UNCLEAN, "false").lower() == "true"
        return self.min_isr(image, of), unclean, image.elr, self._shrinking_makes_an_epoch(image)

    def _shrinking_makes_an_epoch(self, image: Image) -> bool:
        """By the version; a controller that knows better does it for an older metadata.version, and while migrating."""
        level = image.metadata_version
        migrates = (
            numbered(self.version)[:2] <= numbered(LAST_WITH_ZOOKEEPER)[:2]
            and self.static.get(MIGRATION, "").lower() == "true"
        )
        return self.shipped.shrink_bumps_leader_epoch or migrates or (level is not None and level < EPOCH_STAYS)

    def settings_under(self, min_isr: int, unclean: bool, elr: bool, shrink_bumps_leader_epoch: bool) -> Settings:
        """The settings of the specification where these are in force."""
        return replace(
            self.shipped,
            shrink_bumps_leader_epoch=shrink_bumps_leader_epoch,
            min_insync_replicas=min_isr,
            unclean_leader_election=unclean and heeds(self.version, UNCLEAN),
            elr=elr,
            directory_change_keeps_elr=numbered(self.version) >= DIRECTORY_CHANGE_KEEPS_ELR,
            last_known_leader_is_kept_up=numbered(self.version) < LAST_KNOWN_LEADER_MAY_BE_OLD,
            strict_hw=self.shipped.strict_hw or elr,
        )

    def min_isr(self, image: Image, of: TopicPartition) -> int:
        """`min.insync.replicas`, as the controller has it: no more than partition 0 of the topic has replicas (H2)."""
        said = self._setting(image, of[0], MIN_ISR, "1")
        if not said.strip().isdecimal():
            raise EvidenceError(f"{image.name_of(of)}: {MIN_ISR} is {said[:40]!r}, which is no number")
        return min(int(said), len(self._first(image, of).replicas))

    def _first(self, image: Image, of: TopicPartition) -> Partition:
        """Partition 0 of the topic, by which the controller counts."""
        return image.partitions.get((of[0], 0), image.partitions[of])

    def _setting(self, image: Image, topic: str, name: str, default: str) -> str:
        said = image.config(topic, name)
        return self.static.get(name, default) if said is None else said


# -- checking ---------------------------------------------------------------------------------------------------------
# Each change in its turn, with the records that stand beside it.

CHANGE = "PARTITION_CHANGE_RECORD"
ROLES = "process.roles"

STEPS = {
    REGISTERED: "restart",
    UNREGISTERED: "unregister",
    FENCED: "fence",
    UNFENCED: "unfence",
    SHUTTING_DOWN: "shut_down",
    LOST_DIRECTORY: LOSE_DIRECTORY,
}
"""The step of the specification that a record about a broker tells of."""


@dataclass(frozen=True)
class UnexplainedChange:
    """A change that no step explains, or one that is missing. `expected` are the outcomes that some step would have."""

    record: MetadataRecord
    partition: str
    before: Partition
    found: Partition
    expected: tuple[tuple[str, Partition], ...]

    @property
    def missing(self) -> bool:
        """Whether a change should be here and is not."""
        return self.record.kind != CHANGE


@dataclass
class ControllerVerdict:
    """How many changes were checked, by what explains them; those refused; and what was left out, by reason.

    `assumed` is what no file says and Kafka ships otherwise, without which some would be refused.
    """

    explained: Counter[str] = field(default_factory=Counter)
    refused: list[UnexplainedChange] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    assumed: Mapping[str, str] = field(default_factory=dict)

    @property
    def judged(self) -> int:
        """How many changes a step explains."""
        return self.explained.total()


def judge_controller(log: MetadataLog, rules: RuleSet, meter: Meter = SILENT) -> ControllerVerdict:
    """Hold a metadata log against the specification, from its first record on."""
    judge = _Judge(rules, log.is_whole)
    for record in log.begins_with:
        judge.image.apply(record)
    judge.take(meter.each("checking the controller", log.records))
    return judge.verdict


class _Judge:
    """The image so far, and what was found."""

    def __init__(self, rules: RuleSet, is_whole: bool) -> None:
        self.rules = rules
        self.image = Image(is_whole)
        self.verdict = ControllerVerdict()
        self.may_lack_cause = True
        """Whether the record beside the changes that are judged may be outside of the log: at its beginning and end."""

    def take(self, records: Iterable[MetadataRecord]) -> None:
        """Every record in its order. Changes wait for the record behind them."""
        before: BrokerChange | None = None
        waiting: list[MetadataRecord] = []
        for record in records:
            if record.kind == CHANGE:
                waiting.append(record)
                continue
            behind, following = changes_of_brokers(record, self.image)
            done = self._changes(waiting, before, behind)
            waiting, self.may_lack_cause = [], False
            if behind is not None:
                concerned = (of for of in self.image.partitions_of(behind.broker) if of not in done)
                self._refuse_missing(record, self._missing(behind, concerned))
            self.image.apply(record)
            before = following
        self.may_lack_cause = True
        self._changes(waiting, before, None)

    def _changes(
        self, waiting: list[MetadataRecord], before: BrokerChange | None, behind: BrokerChange | None
    ) -> set[TopicPartition]:
        """Changes that stand between two records of other kinds; of the record behind them nothing more is expected for
        the partitions that are told: it has changed them, or their change is refused.

        What the record before them causes is due at once: a change further on may have another cause, such as that the
        leader is fenced, and then it is not due any more.
        """
        causes = [cause for cause in (before, behind) if cause is not None]
        done: set[TopicPartition] = set()
        due: dict[TopicPartition, _Missing] = {}
        if before is not None:
            due = self._missing(before, self.image.partitions_of(before.broker))
        for record in waiting:
            of = (record.data["topicId"], record.data["partitionId"])
            was = self.image.partitions.get(of)
            if was is None:
                self.verdict.left_out["the partition is from before the log begins"] += 1
                continue
            found = was.changed(record.data)
            if len(was.brokers | found.brokers) > MOST_BROKERS:
                self.verdict.left_out[f"the partition has to do with more than {MOST_BROKERS} brokers"] += 1
            elif self._is_unknown(was.brokers | found.brokers):
                self.verdict.left_out["whether a broker is fenced is from before the log begins"] += 1
            else:
                step = self._judge(record, of, was, found, causes)
                if step is None or (behind is not None and step == STEPS[behind.says]):
                    done.add(of)
            self.image.apply(record)
            if before is not None and of in due:
                del due[of]
                due |= self._missing(before, [of])
        if before is not None:
            self._refuse_missing(before.record, due)
        return done

    def _judge(
        self, record: MetadataRecord, of: TopicPartition, was: Partition, found: Partition, causes: list[BrokerChange]
    ) -> str | None:
        """The step that explains a change, if there is one."""
        at = self._situation(of, was, found.brokers)
        now = shape_of(found, at.places, was.leader_epoch - 1)
        told: list[str | None] = []
        expected: dict[Outline, str] = {}
        candidates = self.rules.at(record.epoch)
        for rules in candidates:
            caused: dict[Outline, str] = {}
            free: dict[Outline, str] = {}
            for steps in rules.steps(self.image, of):
                caused |= self._caused(steps, at, was, causes)
                free |= steps.free(len(at.brokers), at.shape, at.active, at.offline)
            told.append(caused.get(now) or free.get(now))
            expected = caused | expected
        step = told[0] if all(told) else None
        if step is not None:
            self.verdict.explained[step] += 1
        elif any(told):
            self.verdict.left_out[_which(candidates, record.epoch)] += 1
        elif self.may_lack_cause:
            self.verdict.left_out["the record that tells its cause may be before the log begins, or after it ends"] += 1
        else:
            self._refuse(record, of, was, found, at, expected)
        return step

    def _caused(self, steps: Steps, at: _Situation, was: Partition, causes: list[BrokerChange]) -> dict[Outline, str]:
        """Where the causes that the records beside a change tell of may lead."""
        expected: dict[Outline, str] = {}
        for cause in causes:
            if cause.broker in at.places and cause.may_change(was):
                caused = Cause(STEPS[cause.says], at.places[cause.broker])
                expected |= steps.by_cause(len(at.brokers), at.shape, at.active, caused, at.offline)
        return expected

    def _missing(self, cause: BrokerChange, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, _Missing]:
        """The partitions, as they are now, that the cause changes and that have not changed.

        Where several versions may have been those of the controller, or several settings in force, by all of them.
        """
        found: dict[TopicPartition, _Missing] = {}
        for of in partitions:
            partition = self.image.partitions[of]
            if not cause.must_change(partition) or len(partition.brokers) > MOST_BROKERS:
                continue
            if self._is_unknown(partition.brokers):
                continue
            at = self._situation(of, partition, partition.brokers)
            outcomes = [
                self._caused(steps, at, partition, [cause])
                for rules in self.rules.at(cause.record.epoch)
                for steps in rules.steps(self.image, of)
            ]
            if all(expected and at.shape not in expected for expected in outcomes):
                found[of] = _Missing(at, outcomes[0])
        return found

    def _refuse_missing(self, record: MetadataRecord, missing: Mapping[TopicPartition, _Missing]) -> None:
        """Refuse that partitions have not changed although the record beside them says why they should."""
        for of, one in missing.items():
            partition = self.image.partitions[of]
            self._refuse(record, of, partition, partition, one.at, one.expected)

    def _is_unknown(self, brokers: Brokers) -> bool:
        """Whether the log begins too late to say which of these are active."""
        return not self.image.is_whole and not brokers <= self.image.brokers.keys()

    def _situation(self, of: TopicPartition, was: Partition, others: Brokers) -> _Situation:
        brokers = tuple(sorted(was.brokers | others))
        places = {broker: place for place, broker in enumerate(brokers)}
        active = bits(tuple(broker for broker in brokers if self.image.is_active(broker)), places)
        offline = bits(tuple(self.image.offline(was)), places)
        return _Situation(brokers, places, shape_of(was, places, was.leader_epoch - 1), active, offline)

    def _refuse(
        self,
        record: MetadataRecord,
        of: TopicPartition,
        was: Partition,
        found: Partition,
        at: _Situation,
        expected: Mapping[Outline, str],
    ) -> None:
        outcomes = tuple(
            (step, partition_of_shape(shape._replace(epoch=shape.epoch - 1), at.brokers, was))
            for shape, step in sorted(expected.items())
        )
        self.verdict.refused.append(UnexplainedChange(record, self.image.name_of(of), was, found, outcomes))


@dataclass(frozen=True)
class _Situation:
    """A partition among its brokers, with the places by which they are called, those that are active, and those whose
    replica is in a log directory that is not online."""

    brokers: tuple[int, ...]
    places: dict[int, int]
    shape: Outline
    active: int
    offline: int


@dataclass(frozen=True)
class _Missing:
    """A partition that should have changed and has not: as it is, and what it could have become."""

    at: _Situation
    expected: Mapping[Outline, str]


def _which(candidates: tuple[RuleSet, ...], epoch: int) -> str:
    """That it is not known by which rules a change was made."""
    versions = " and ".join(one.version for one in candidates)
    return (
        f"the rules of {versions} differ here, and no log says which of them led the metadata quorum in epoch {epoch}: "
        "give server.log of the controllers"
    )


# -- unsaid -----------------------------------------------------------------------------------------------------------
# Settings of the controllers that no file here says: their `server.properties` is not among what people bring.
#
# They stay as they are while a cluster runs. So they are taken as Kafka ships them, and where a change contradicts
# that, as one of the other values under which no change does, if there is one.

MAY_BE: Mapping[str, tuple[str, ...]] = {
    MIN_ISR: ("1", "2", "3"),
    MIGRATION: ("false", "true"),
    UNCLEAN: ("false", "true"),
}
"""What a controller decides by and a properties file may set, the value that Kafka ships first."""


def settled(log: MetadataLog, rules: RuleSet, meter: Meter = SILENT) -> tuple[RuleSet, ControllerVerdict]:
    """What the controller did, and the rules under the settings by which it decided."""
    found = rules, judge_controller(log, rules, meter)
    if found[1].refused:
        for assumed in _others(rules):
            other = rules.with_static({**assumed, **rules.static})
            verdict = judge_controller(log, other, meter)
            if not verdict.refused:
                verdict.assumed = assumed
                return other, verdict
    return found


def _others(rules: RuleSet) -> Iterator[Mapping[str, str]]:
    """What else may be set, if the properties of a controller are not here."""
    if "controller" in rules.static.get(ROLES, ""):
        return
    as_shipped, *others = itertools.product(*MAY_BE.values())
    for values in others:
        changed = dict(zip(MAY_BE, values, strict=True)).items() - dict(zip(MAY_BE, as_shipped, strict=True)).items()
        if not rules.static.keys() & {name for name, _ in changed}:
            yield dict(sorted(changed))
