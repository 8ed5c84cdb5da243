"""Which model stands beside a Kafka: that of its release, with the settings that the harness makes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from epochal.errors import UsageError
from epochal.spec.kraft.configuration import ConfigurableKraft
from epochal.spec.kraft.generations import NEWEST, VERSIONS, known_as
from epochal.spec.language import SettingValue
from epochal.spec.language.configurable import with_configuration
from epochal.spec.loading import load_protocol

from .class_path import KafkaClasses


def release_of(version: str) -> str:
    """The release whose rules are meant by the version that classes say they are of: its own.

    Of a build that is none, such as 4.5.0-SNAPSHOT, it is the newest release that is known.
    """
    release = known_as(version)
    return release if release in VERSIONS else NEWEST


def model_of(
    version: str,
    model: str | type[ConfigurableKraft] = "kraft",
    said: Mapping[str, SettingValue] | None = None,
    bounds: Mapping[str, int] | None = None,
) -> ConfigurableKraft:
    """The model of a Kafka within bounds. `model` is kraft or what derives from it, `said` what an operator has set.

    Raises UsageError for another protocol, BoundsError for settings or bounds that cannot be.
    """
    kind = load_protocol(model) if isinstance(model, str) else model
    if not issubclass(kind, ConfigurableKraft):
        raise UsageError(f"{kind.__name__} is not kraft: Kafka is compared with kraft and what derives from it")
    configured = with_configuration(kind, {"kafka": release_of(version), **(said or {})})
    return cast("type[ConfigurableKraft]", configured)(None, **(bounds or {}))


def shown_kafka(kafka: KafkaClasses) -> str:
    """How a report calls what runs: `Kafka 4.3.1 with build/n1 before it`."""
    pairs = zip(kafka.told[::2], kafka.told[1::2], strict=True)
    changed = [folder for option, folder in pairs if option == "--classes"]
    return f"{kafka} with {' and '.join(changed)} before it" if changed else str(kafka)
