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
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from epochal.spec.kraft.heeded import UNCLEAN

from ..evidence.metadata_log import MetadataLog, MetadataRecord
from .collected import ROLES
from .controller_model import LOSE_DIRECTORY, MOST_BROKERS, Cause, Shape, Steps, bits, partition_of_shape, shape_of
from .image import (
    FENCED,
    LOST_DIRECTORY,
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
from .rules import MIGRATION, MIN_ISR, Rules

CHANGE = "PARTITION_CHANGE_RECORD"

STEPS = {
    REGISTERED: "restart",
    UNREGISTERED: "fence",
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
    """How many changes were judged, by what explains them; those refused; and what was left out, by reason.

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


def judge_controller(log: MetadataLog, rules: Rules, meter: Meter = SILENT) -> ControllerVerdict:
    """Hold a metadata log against the specification, from its first record on."""
    judge = _Judge(rules, log.is_whole)
    for record in log.begins_with:
        judge.image.apply(record)
    judge.take(meter.each("checking the controller", log.records))
    return judge.verdict


class _Judge:
    """The image so far, and what was found."""

    def __init__(self, rules: Rules, is_whole: bool) -> None:
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
        expected: dict[Shape, str] = {}
        candidates = self.rules.at(record.epoch)
        for rules in candidates:
            caused: dict[Shape, str] = {}
            free: dict[Shape, str] = {}
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

    def _caused(self, steps: Steps, at: _Situation, was: Partition, causes: list[BrokerChange]) -> dict[Shape, str]:
        """Where the causes that the records beside a change tell of may lead."""
        expected: dict[Shape, str] = {}
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
        expected: Mapping[Shape, str],
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
    shape: Shape
    active: int
    offline: int


@dataclass(frozen=True)
class _Missing:
    """A partition that should have changed and has not: as it is, and what it could have become."""

    at: _Situation
    expected: Mapping[Shape, str]


def _which(candidates: tuple[Rules, ...], epoch: int) -> str:
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


def settled(log: MetadataLog, rules: Rules, meter: Meter = SILENT) -> tuple[Rules, ControllerVerdict]:
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


def _others(rules: Rules) -> Iterator[Mapping[str, str]]:
    """What else may be set, if the properties of a controller are not here."""
    if "controller" in rules.static.get(ROLES, ""):
        return
    as_shipped, *others = itertools.product(*MAY_BE.values())
    for values in others:
        changed = dict(zip(MAY_BE, values, strict=True)).items() - dict(zip(MAY_BE, as_shipped, strict=True)).items()
        if not rules.static.keys() & {name for name, _ in changed}:
            yield dict(sorted(changed))
