"""What stands side by side in a table of guarantees: releases as they were shipped, and rules as they are designed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..language import BoundsError, Given, SettingValue
from .generations import GENERATIONS, NEWEST, VERSIONS, generation_of, known_as
from .heeded import UNCLEAN, heeds

DESIGNED = "as designed"


@dataclass(frozen=True)
class Choice:
    """Settings whose guarantees are asked about, and what they are called in a table."""

    title: str
    settings: Mapping[str, SettingValue]


def usual_choices(said: Mapping[str, SettingValue]) -> tuple[Choice, ...]:
    """A release as it was shipped, the newest one unless another is named, and the rules it was designed with.

    A generation (`G8`) stands alone: it is a design. What a release does not heed is not in its design either.
    """
    version = known_as(str(said.get("kafka", NEWEST)))
    if version.upper() in GENERATIONS:
        return (Choice(version.upper(), said),)
    if version not in VERSIONS:
        return (Choice(version, said),)  # which is refused with what is known
    generation = generation_of(version, elr=bool(said.get("elr")))
    designed = {**said, "kafka": generation}
    if said.get("unclean_leader_election") and not heeds(version, UNCLEAN):
        designed["unclean_leader_election"] = False
    if "kafka" not in said and generation == next(reversed(GENERATIONS)):
        del designed["kafka"]
    return Choice(f"Kafka {version}", {**said, "kafka": version}), Choice(DESIGNED, designed)


def between(versions: Sequence[str], said: Mapping[str, SettingValue]) -> tuple[Choice, ...]:
    """Several versions under the same settings. Raises BoundsError if one is named among the settings as well."""
    if "kafka" in said:
        raise BoundsError(
            (Given("kafka", said["kafka"]), " beside two versions to compare"),
            advice=("Leave ", Given("kafka"), " out: each of the two is asked about."),
        )
    return tuple(Choice(_title(version), {"kafka": version, **said}) for version in map(known_as, versions))


def _title(version: str) -> str:
    return f"Kafka {version}" if version in VERSIONS else version.upper()
