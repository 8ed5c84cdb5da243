"""Which rules a cluster follows: those of its version, and what the metadata log says of its settings."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import DIRECTORY_CHANGE_KEEPS_ELR, numbered
from epochal.spec.kraft.heeded import LAST_WITH_ZOOKEEPER, UNCLEAN, heeds
from epochal.spec.kraft.settings import Settings

from ..evidence.place import EvidenceError
from .controller_model import Steps
from .image import ELR_FEATURE, METADATA_VERSION, Image, Partition, TopicPartition

MIN_ISR = "min.insync.replicas"
MIGRATION = "zookeeper.metadata.migration.enable"

EPOCH_STAYS = 12
"""The metadata.version, 3.6-IV0, since which a leader epoch stays where the ISR shrinks (KAFKA-15021). Up to Kafka 3.9
it grows as well while a cluster migrates from ZooKeeper (PartitionChangeBuilder)."""

Key = tuple[int, bool, bool, bool]
"""What may change while a cluster runs: `min.insync.replicas`, unclean election, ELR, and whether an ISR that shrinks
makes a leader epoch."""


@dataclass
class Rules:
    """A protocol, the settings of a version, that version, and settings of brokers that are not in the metadata log.

    In a rolling upgrade there are `others`, and `terms` say which version the controller of each epoch had.
    """

    kind: type[ConfigurableKraft]
    shipped: Settings
    version: str
    static: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Rules, ...] = ()
    terms: Mapping[int, str] = field(default_factory=dict)
    _made: dict[Key, Steps] = field(default_factory=dict)

    def at(self, epoch: int) -> tuple[Rules, ...]:
        """The rules of the controller of an epoch; where nobody says its version, those of each that was there."""
        everyone = (self, *self.others)
        return tuple(one for one in everyone if one.version == self.terms.get(epoch)) or everyone

    def with_static(self, static: Mapping[str, str]) -> Rules:
        """The same, where the properties of the nodes are others."""
        others = tuple(one.with_static(static) for one in self.others)
        return replace(self, static=static, others=others, _made={})

    @property
    def releases(self) -> tuple[str, ...]:
        """The versions that were there, the oldest first, if their rules differ; none if all follow the same."""
        everyone = (*self.others, self)
        bare = {one._settings(1, True, True, one.shipped.shrink_bumps_leader_epoch) for one in everyone}
        return tuple(one.version for one in everyone) if len(bare) > 1 else ()

    def steps(self, image: Image, of: TopicPartition) -> tuple[Steps, ...]:
        """The steps of the controller for a partition, under the settings of this moment: under each that may be in
        force, where some were set before the log begins."""
        return tuple(map(self._steps, self._keys(image, of)))

    def _steps(self, key: Key) -> Steps:
        if key not in self._made:
            self._made[key] = Steps(self.kind, self._settings(*key))
        return self._made[key]

    def settings(self, image: Image, of: TopicPartition) -> Settings:
        """The settings of this moment for a partition."""
        return self._settings(*self._key(image, of))

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

    def _settings(self, min_isr: int, unclean: bool, elr: bool, shrink_bumps_leader_epoch: bool) -> Settings:
        return replace(
            self.shipped,
            shrink_bumps_leader_epoch=shrink_bumps_leader_epoch,
            min_insync_replicas=min_isr,
            unclean_leader_election=unclean and heeds(self.version, UNCLEAN),
            elr=elr,
            directory_change_keeps_elr=numbered(self.version) >= DIRECTORY_CHANGE_KEEPS_ELR,
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
