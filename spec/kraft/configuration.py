"""From words of a configuration to a protocol: versions, `acks`, `min.insync.replicas` and so on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar, cast

from epochal.spec.language import BoundsError, Configurable, Word, WordValue

from .answers import AnswersAheadOfMetadata
from .consumer import FollowerReads
from .generations import CLASSIC, GENERATIONS, OLDER, VERSIONS
from .kraft import Kraft
from .late_decision import LateDecision
from .late_fetch import LateFetchAnswers
from .settings import Acks, Settings
from .stale_controller import StaleController
from .state import KraftBounds

K = TypeVar("K", bound=Kraft)

FIRST_WITH_ELR = (4, 0)

ACKS_SYNONYMS = {"-1": "all"}
"""What a producer's configuration may say instead (ProducerConfig, `acks`)."""


def with_settings(base: type[K], settings: Settings, name: str = "") -> type[K]:
    """The same protocol under other settings."""
    return type(base.__name__, (base,), {"settings": settings, "name": name or base.name, "__doc__": base.__doc__})


ELR_NEEDS_STRICT_HW = (
    "eligible leader replicas without the strict high watermark lose what consumers have read (KIP-966), and no Kafka "
    "runs so"
)

WORDS: tuple[Word, ...] = (
    Word(
        "kafka",
        "text",
        "a version as it was shipped, such as 3.5, or a generation as its KIPs describe it, G4 to G9",
        "G9",
    ),
    Word("min_insync_replicas", "number", "min.insync.replicas of the topic", "2"),
    Word("acks", "text", "acks of every producer: 0, 1 or all, which is also called -1", "all"),
    Word("unclean_leader_election", "switch", "unclean.leader.election.enable", "off"),
    Word("elr", "switch", "eligible leader replicas (KIP-966)", "as in the version"),
    Word("strict_hw", "switch", "the high watermark waits for min.insync.replicas (KIP-966)", "as in the version"),
    Word("lossy_crashes_spare_last_member", "switch", "a crash of the ISR's only member loses no data", "off"),
)
"""What an operator, a producer or the choice of a version says."""


class ConfigurableKraft(Configurable, Kraft):
    """Kafka 4.1 with eligible leader replicas: AlterPartition, fencing, broker epochs, strict high watermark, ELR.

    Words make it an older version, or one that is configured otherwise.
    """

    words: ClassVar[tuple[Word, ...]] = WORDS

    @classmethod
    def configured(cls, configuration: Mapping[str, WordValue]) -> type[Self]:
        """The protocol that these words mean."""
        made = configured(**cast("dict[str, Any]", dict(configuration)))
        return cast("type[Self]", made)

    @classmethod
    def check_bounds(cls, bounds: KraftBounds) -> None:
        """Whether as many replicas can be in sync as a write waits for, if somebody has said how many."""
        wanted, there = cls.configuration.get("min_insync_replicas", 0), bounds.replication_factor
        if int(wanted) > there:
            raise BoundsError(
                f"--min-insync-replicas {wanted} with --replication-factor {there}: no write with acks=all could ever "
                "succeed",
                advice=f"Choose 1 to {there}.",
            )


def configured(
    kafka: str | None = None,
    *,
    min_insync_replicas: int | None = None,
    acks: str | None = None,
    unclean_leader_election: bool | None = None,
    elr: bool | None = None,
    strict_hw: bool | None = None,
    lossy_crashes_spare_last_member: bool | None = None,
) -> type[ConfigurableKraft]:
    """The protocol of a Kafka version (`3.5`, as it was shipped), or of a generation (`G7`, as its KIPs describe it).

    Without either it is that of the newest generation. What is not given is as in the version; `acks` is all,
    `min.insync.replicas` 2 (or the replication factor, if that is less), unclean election off. The steps that a hole of
    a version needs come with it. Raises BoundsError for what Kafka does not know or would refuse.
    """
    acks = None if acks is None else ACKS_SYNONYMS.get(acks, acks)
    said: dict[str, WordValue | None] = {
        "kafka": kafka,
        "min_insync_replicas": min_insync_replicas,
        "acks": acks,
        "unclean_leader_election": unclean_leader_election,
        "elr": elr,
        "strict_hw": strict_hw,
        "lossy_crashes_spare_last_member": lossy_crashes_spare_last_member,
    }
    settings = _settings_of(kafka)
    producers = {one.value: one for one in Acks}
    if acks is not None and acks not in producers:
        raise BoundsError(f"--acks {acks}: producers know {', '.join(producers)} (INVALID_REQUIRED_ACKS)")
    if min_insync_replicas is not None and min_insync_replicas < 1:
        raise BoundsError(f"--min-insync-replicas {min_insync_replicas}: at least 1 is needed")
    if elr and kafka is not None and not _knows_elr(kafka):
        raise BoundsError(
            f"--elr with --kafka {kafka}: eligible leader replicas (KIP-966) came with Kafka 4.0",
            advice="Choose --kafka 4.0, 4.1 or G9, or leave --elr out.",
        )
    if strict_hw is False and elr is None and settings.elr:
        raise BoundsError(
            f"--no-strict-hw: {ELR_NEEDS_STRICT_HW}",
            advice="Say --no-elr as well, or --elr to see what goes wrong.",
        )
    chosen = {
        "min_insync_replicas": min_insync_replicas,
        "acks": None if acks is None else producers[acks],
        "unclean_leader_election": unclean_leader_election,
        "elr": elr,
        "strict_hw": strict_hw,
        "lossy_crashes_spare_last_member": lossy_crashes_spare_last_member,
    }
    changes: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    settings = replace(settings, **changes)
    configuration = {name: value for name, value in said.items() if value is not None}
    made = with_settings(with_steps_for(settings), settings, _named(configuration))
    made.configuration = configuration
    return made


def _named(configuration: Mapping[str, WordValue]) -> str:
    """What the protocol is called: `kraft-3.5-acks-1`."""
    parts = ["kraft"]
    for word in WORDS:
        if word.name in configuration:
            said = word.as_options(configuration[word.name])
            parts.append(said[1].lower() if word.name == "kafka" else "-".join(said).removeprefix("--"))
    return "-".join(parts)


def _settings_of(kafka: str | None) -> Settings:
    """The settings that a version or generation stands for."""
    if kafka is None:
        return Settings()
    found = VERSIONS.get(kafka) or GENERATIONS.get(kafka.upper())
    if found is not None:
        return found
    older = OLDER.get(kafka) or CLASSIC.get(kafka.upper())
    if older is not None:
        raise BoundsError(
            f"--kafka {kafka} is older than AlterPartition, which came with Kafka 2.7",
            advice=f"Its protocol is {older!r}: give that name instead of kraft.",
        )
    known = ", ".join((*VERSIONS, *GENERATIONS))
    raise BoundsError(f"--kafka: no version or generation is called {kafka[:40]!r}", advice=f"Known: {known}.")


def _knows_elr(kafka: str) -> bool:
    """Whether a version or generation has eligible leader replicas, on or off."""
    if kafka.upper() in GENERATIONS:
        return GENERATIONS[kafka.upper()].elr
    major, minor = kafka.split(".")
    return (int(major), int(minor)) >= FIRST_WITH_ELR


def with_steps_for(settings: Settings) -> type[ConfigurableKraft]:
    """The protocol with the steps that the holes in the settings need; those of a closed hole would only cost time."""
    needed: list[type] = []
    if not settings.known_partition_epoch_ignored:
        needed.append(AnswersAheadOfMetadata)
    if not settings.late_answers_dropped:
        needed.append(LateFetchAnswers)
    if not settings.diverging_answer_has_no_hw:
        needed.append(FollowerReads)
    if not settings.stale_controller_refuses:
        needed.append(StaleController)
    if settings.broker_epoch_check and not settings.decides_on_one_fetch:
        needed.append(LateDecision)
    if not needed:
        return ConfigurableKraft
    return type(ConfigurableKraft.__name__, (*needed, ConfigurableKraft), {"__doc__": ConfigurableKraft.__doc__})
