"""Evidence of any length: a random run of the specification, and what a controller and three brokers would tell of it.

The run is of the same steps as those by which recordings are explained, so that one run is sure to explain it.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from typing import Any

from epochal.kafka.evidence.broker_log import (
    BrokerEvent,
    Event,
    FetcherAdded,
    IsrShrinks,
    IsrUpdated,
    Process,
    RoleKept,
    RoleTaken,
    Truncated,
)
from epochal.kafka.evidence.metadata_log import MetadataRecord
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.image import FENCED, REGISTERED, UNFENCED, Partition
from epochal.kafka.validation.run.evidence import (
    ChangedTo,
    Created,
    DecidedPartition,
    Decision,
    Life,
    LifeStart,
    OfBroker,
    PartitionEvidence,
)
from epochal.kafka.validation.run.model import Argument, Codes, RunModel, observed
from epochal.spec.kraft.configuration import ConfigurableKraft, configured
from epochal.spec.kraft.observed import ObservedBounds
from epochal.spec.kraft.settings import Settings

TOPIC, ID, BROKERS = "t", "id-of-t", (1, 2, 3)
ROLES, OTHERS = 0, 1
"""The two log files of a broker: state-change.log and server.log."""

WEIGHTS = {
    "fetch": 60,
    "produce": 25,
    "replay_metadata": 25,
    "receive_answer": 8,
    "handle_alter_partition": 8,
    "restart": 6,
    "unfence": 6,
    "propose_shrink": 0.7,
    "elect_preferred_leader": 0.7,
    "fence": 0.5,
    "crash": 0.5,
}
"""How likely each step is, where it can happen: what heals comes soon, what goes wrong seldom."""

WRONG = ("propose_shrink", "elect_preferred_leader", "fence", "crash")


@dataclass
class Grown:
    """The run so far, and what was told of it. Offsets are those of the run from its beginning."""

    seed: int
    calm: float = 0.0
    """How likely everybody has caught up when something goes wrong."""

    version: str = "4.3.1"
    decisions: list[Decision] = field(default_factory=list)
    lives: dict[int, list[tuple[LifeStart, list[list[BrokerEvent]]]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self.settings: Settings = replace(configured(kafka=self.version).settings, min_insync_replicas=2)
        bounds = ObservedBounds(
            replication_factor=3,
            records=24,
            max_epoch=10_000,
            metadata_lag=3,
            **dict.fromkeys(("crashes", "lossy_crashes", "fencings", "shrinks", "elections", "reassignments"), 1),
        )
        self.model = RunModel(observed(ConfigurableKraft, self.settings)(bounds))
        self.lines = self.base = 0
        self.partition = Partition(BROKERS, frozenset(BROKERS), 1, 0, 0)
        self.created = Created(self._record("PARTITION_RECORD"), self.partition, frozenset(BROKERS), self.settings)
        self.epochs = [0]
        state = self.model.at(self.model.blank)
        state.metadata[0].leader, state.metadata[0].isr = self.model.ids[0], self.model.set_of(range(3))
        state.replicas[0] = self.model.set_of(range(3))
        self.codes: Codes = self.model.forgetful(state.codes())
        for place, broker in enumerate(BROKERS):
            self.lives[broker] = [(LifeStart(Process(None), 0, 0), [[], []])]
            self._takes_role(place, self.codes, self.codes, previous=-1)

    def evidence(self) -> PartitionEvidence:
        """What was told."""
        decided = DecidedPartition((ID, 0), f"{TOPIC}-0", self.created, tuple(self.decisions), BROKERS)
        lives = {
            broker: tuple(Life(start, tuple(tuple(lane) for lane in lanes if lane)) for start, lanes in some)
            for broker, some in self.lives.items()
        }
        return PartitionEvidence(decided, lives, 0)

    def grow(self, events: int) -> PartitionEvidence:
        """Go on until so much was told."""
        while self.lines < events:
            self._step()
        return self.evidence()

    # -- the run --------------------------------------------------------------------------------------------------

    def _step(self) -> None:
        action = self.random.choices(tuple(WEIGHTS), tuple(WEIGHTS.values()))[0]
        if action in WRONG and self.random.random() < self.calm:
            while self._take("replay_metadata") or self._take("fetch"):
                pass
        self._take(action)

    def _take(self, action: str) -> bool:
        """Take a step of this kind, if one can happen."""
        choices = list(self.model.of(action))
        self.random.shuffle(choices)
        before = self.codes
        for arguments in choices:
            if action == "crash" and arguments[1] != self.model.end(before, _place(arguments)):
                continue
            if action == "produce" and self.model.end(before, _place(arguments)) >= 24:
                continue
            after = self.model.step(before, action, *arguments)
            if after is not None and after != before:
                self.codes = after
                self._tell(action, arguments, before, after)
                self._leave_behind()
                return True
        return False

    def _leave_behind(self) -> None:
        """Begin anew where all logs are the same, and all of it is committed."""
        state = self.model.at(self.codes)
        brokers = [state.brokers[of] for of in self.model.ids]
        end = len(brokers[0].log)
        logs = [[one.epoch for one in broker.log] for broker in brokers]
        if end > 8 and all(log == logs[0] for log in logs) and all(broker.hw == end for broker in brokers):
            self.codes = self.model.without_first(self.codes, end - 1)
            self.base += end - 1

    # -- what is told of it ---------------------------------------------------------------------------------------

    def _tell(self, action: str, arguments: tuple[Argument, ...], before: Codes, after: Codes) -> None:
        changed = self.model.partition(before) != self.model.partition(after)
        says = {"fence": FENCED, "unfence": UNFENCED, "restart": REGISTERED}.get(action)
        if says is not None:
            broker = BROKERS[_place(arguments)]
            of_broker = OfBroker(self._record("OF_BROKER"), broker, says, self.settings)
            if says == UNFENCED:
                self._decide(of_broker)
            if changed:
                self._change(after)
            if says != UNFENCED:
                self._decide(of_broker)
            if says == REGISTERED:
                self._begin(_place(arguments), after)
        elif changed:
            self._change(after)
        elif action == "replay_metadata":
            self._takes_role(_place(arguments), before, after)
        elif action == "receive_answer":
            place = _place(arguments)
            self._say(place, OTHERS, IsrUpdated(TOPIC, 0, self._isr(after, place), self._epoch(after, place), False))
        elif action == "propose_shrink":
            self._shrinks(_place(arguments), arguments[1], before)
        elif action == "fetch":
            place, leader = (one for one in arguments if isinstance(one, int))
            if self.model.end(after, place) < self.model.end(before, place):
                offset = self.base + self.model.end(after, place)
                self._say(place, OTHERS, Truncated(TOPIC, 0, BROKERS[leader], offset, True, None, offset))

    def _change(self, after: Codes) -> None:
        leader, epoch, isr, elr, last, recovering, *_ = self.model.partition(after)
        at = self.partition.partition_epoch + 1
        self.partition = Partition(
            BROKERS, _brokers(isr), _broker(leader), _number(epoch), at, elr=_brokers(elr),
            last_known_leader=_broker(last), recovering=bool(recovering),
        )  # fmt: skip
        self.epochs = [at, *self.epochs][:4]
        self._decide(ChangedTo(self._record("PARTITION_CHANGE_RECORD"), self.partition, self.settings))

    def _decide(self, decision: Decision) -> None:
        self.decisions.append(decision)
        self.lines += 1

    def _begin(self, place: int, after: Codes) -> None:
        """A new process finds its log as the one before left it."""
        broker = self.model.at(after).brokers[self.model.ids[place]]
        start = LifeStart(Process(False), self.base + len(broker.log), self.base + broker.hw)
        self.lives[BROKERS[place]].append((start, [[], []]))
        self._takes_role(place, after, after, previous=-1)

    def _takes_role(self, place: int, before: Codes, after: Codes, previous: int | None = None) -> None:
        state, now = self.model.at(before), self.model.at(after)
        mine = self.model.ids[place]
        was, view, broker = state.view(mine), now.view(mine), state.brokers[mine]
        leader, at = _broker(self.model.place(view.leader)), self._epoch(after, place)
        led_by = _broker(self.model.place(was.leader)) if previous is None else None
        end, hw, isr = self.base + len(broker.log), self.base + broker.hw, self._isr(after, place)
        leads, none = leader == BROKERS[place], frozenset[int]()
        said = -1 if leader is None else leader
        if previous is not None or was.leader_epoch != view.leader_epoch:
            role: Event = RoleTaken(
                TOPIC, 0, leads, said, view.leader_epoch, at, end, hw, isr if leads else None, none if leads else None,
                none if leads else None, led_by, was.leader_epoch if previous is None else -1, ID if leads else None,
            )  # fmt: skip
        else:
            role = RoleKept(
                TOPIC, 0, leads, said, view.leader_epoch, at, isr, none, none, frozenset(BROKERS), None,
                hw if leads else None, view.leader_epoch, (isr, none, none) if leads else None, ID,
            )  # fmt: skip
        self._say(place, ROLES, role)
        if isinstance(role, RoleTaken) and leader is not None and not leads:
            self._say(place, OTHERS, FetcherAdded(TOPIC, 0, leader, view.leader_epoch, ID))

    def _shrinks(self, place: int, slow: Argument, before: Codes) -> None:
        broker = self.model.at(before).brokers[self.model.ids[place]]
        behind = _brokers(slow)
        known = ((one, broker.followers[self.model.ids[BROKERS.index(one)]]) for one in sorted(behind))
        isr = self._isr(before, place)
        ends = tuple((one, None if at < 0 else self.base + at) for one, at in known)
        end, hw = self.base + len(broker.log), self.base + broker.hw
        self._say(place, OTHERS, IsrShrinks(TOPIC, 0, isr, isr - behind, hw, end, ends))

    def _say(self, place: int, lane: int, event: Event) -> None:
        self.lines += 1
        said = BrokerEvent(Place(f"node-{BROKERS[place]}/{lane}", line=self.lines), BROKERS[place], event)
        self.lives[BROKERS[place]][-1][1][lane].append(said)

    def _isr(self, codes: Codes, place: int) -> frozenset[int]:
        state = self.model.at(codes)
        return _brokers(self.model.places(state.view(self.model.ids[place]).isr))

    def _epoch(self, codes: Codes, place: int) -> int:
        """The partition epoch that a broker acts on."""
        return self.epochs[int(self.model.at(codes).brokers[self.model.ids[place]].behind)]

    def _record(self, kind: str) -> MetadataRecord:
        return MetadataRecord(len(self.decisions), 0, kind, {}, Place("metadata", offset=len(self.decisions)))


def _place(arguments: tuple[Argument, ...]) -> int:
    place = arguments[0]
    assert isinstance(place, int)
    return place


def _number(one: Any) -> int:
    return int(one)


def _broker(place: Argument) -> int | None:
    assert place is None or isinstance(place, int)
    return None if place is None or place < 0 else BROKERS[place]


def _brokers(places: Argument) -> frozenset[int]:
    assert isinstance(places, frozenset)
    return frozenset(BROKERS[place] for place in places)
