"""From words of a configuration to a protocol: versions, `acks`, `min.insync.replicas` and so on."""

from __future__ import annotations

from dataclasses import replace

from spec.language import BoundsError

from .answers import AnswersAheadOfMetadata
from .consumer import FollowerReads
from .generations import GENERATIONS, OLDER, VERSIONS
from .kraft import Kraft
from .late_fetch import LateFetchAnswers
from .settings import Acks, Settings
from .stale_controller import StaleController

FIRST_WITH_ELR = (4, 0)


def with_settings(base: type[Kraft], settings: Settings, name: str = "") -> type[Kraft]:
    """The same protocol under other settings."""
    return type(base.__name__, (base,), {"settings": settings, "name": name or base.name, "__doc__": base.__doc__})


def configured(
    kafka: str | None = None,
    *,
    replication_factor: int = 3,
    min_insync_replicas: int = 2,
    acks: str = "all",
    unclean_leader_election: bool = False,
    elr: bool | None = None,
    strict_hw: bool | None = None,
) -> type[Kraft]:
    """The protocol of a Kafka version (`3.5`, as it was shipped), or of a generation (`G7`, as its KIPs describe it).

    Without either it is that of the newest generation. `elr` and `strict_hw` are as in the version unless they are
    given. The steps that a hole of a version needs come with it. Raises BoundsError for what Kafka does not know or
    would refuse.
    """
    settings = _settings_of(kafka)
    words = {one.value: one for one in Acks}
    if acks not in words:
        raise BoundsError(f"--acks {acks}: producers know {', '.join(words)} (INVALID_REQUIRED_ACKS)")
    if not 1 <= min_insync_replicas <= replication_factor:
        raise BoundsError(
            f"--min-insync-replicas {min_insync_replicas} with --replication-factor {replication_factor}: "
            + ("no write with acks=all could ever succeed" if min_insync_replicas > 1 else "at least 1 is needed"),
            advice=f"Choose 1 to {replication_factor}.",
        )
    if elr and kafka is not None and not _knows_elr(kafka):
        raise BoundsError(
            f"--elr with --kafka {kafka}: eligible leader replicas (KIP-966) came with Kafka 4.0",
            advice="Choose --kafka 4.0, 4.1 or G9, or leave --elr out.",
        )
    settings = replace(
        settings,
        min_insync_replicas=min_insync_replicas,
        acks=words[acks],
        unclean_leader_election=unclean_leader_election,
        elr=settings.elr if elr is None else elr,
        strict_hw=settings.strict_hw if strict_hw is None else strict_hw,
    )
    return with_settings(_with_steps_for(settings), settings, "kraft" if kafka is None else f"kraft-{kafka.lower()}")


def _settings_of(kafka: str | None) -> Settings:
    """The settings that a version or generation stands for."""
    if kafka is None:
        return Settings()
    found = VERSIONS.get(kafka) or GENERATIONS.get(kafka.upper())
    if found is not None:
        return found
    if kafka in OLDER:
        raise BoundsError(f"--kafka {kafka} is older than AlterPartition", advice=f"Its protocol is {OLDER[kafka]!r}.")
    known = ", ".join((*VERSIONS, *GENERATIONS))
    raise BoundsError(f"no Kafka version or generation is called {kafka!r}", advice=f"Known: {known}.")


def _knows_elr(kafka: str) -> bool:
    """Whether a version or generation has eligible leader replicas, on or off."""
    if kafka.upper() in GENERATIONS:
        return GENERATIONS[kafka.upper()].elr
    major, minor = kafka.split(".")
    return (int(major), int(minor)) >= FIRST_WITH_ELR


def _with_steps_for(settings: Settings) -> type[Kraft]:
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
    return type("Kraft", (*needed, Kraft), {"__doc__": Kraft.__doc__}) if needed else Kraft
