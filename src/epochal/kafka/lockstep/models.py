"""Which model stands beside a Kafka: that of its release, with the settings that the harness makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, cast

from epochal.errors import UsageError
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings
from epochal.spec.kraft.settings import Settings
from epochal.spec.language import Protocol, SettingValue
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import load_protocol

from .class_path import KafkaClasses

_SWITCHES = {"true": True, "false": False}


def protocol_beside(
    release: str,
    protocol: str | type[Protocol] = "kraft",
    settings: Mapping[str, SettingValue] | None = None,
    bounds: Mapping[str, int] | None = None,
) -> ConfigurableKraft:
    """The model of a release within bounds. `protocol` is kraft or what derives from it, `settings` what is set.

    Raises UsageError for another protocol, BoundsError for settings or bounds that cannot be.
    """
    kind = load_protocol(protocol) if isinstance(protocol, str) else protocol
    if not issubclass(kind, ConfigurableKraft):
        raise UsageError(f"{kind.__name__} is not kraft: Kafka is compared with kraft and what derives from it")
    configured = with_configuration(kind, {"kafka": release, **(settings or {})})
    return cast("type[ConfigurableKraft]", configured)(None, **(bounds or {}))


def with_rules(protocol: ConfigurableKraft, rules: Mapping[str, str]) -> ConfigurableKraft:
    """The same model with other rules, by the names of `Settings`: `{"known_partition_epoch_ignored": "true"}`.

    Raises UsageError for a rule or a value that is not known.
    """
    if not rules:
        return protocol
    changes = {name: _rule(protocol.settings, name, value) for name, value in rules.items()}
    said = ", ".join(f"{name}={value}" for name, value in rules.items())
    kind = with_settings(type(protocol), replace(protocol.settings, **changes), f"{protocol.name} with {said}")
    return kind(protocol.bounds)


def _rule(settings: Settings, name: str, value: str) -> Any:
    known = [one.name for one in fields(Settings)]
    if name not in known:
        raise UsageError(f"no rule is called {name}. {advice(name, known, 'rules')}")
    now = getattr(settings, name)
    choices: dict[str, Any] = dict(_SWITCHES)
    if isinstance(now, Enum):
        choices = {one.name.lower(): one for one in type(now)}
    elif not isinstance(now, bool):
        choices = {str(number): number for number in range(1, 5)}
    if value.lower() not in choices:
        raise UsageError(f"{name} is {' or '.join(choices)}, not {value}")
    return choices[value.lower()]


def shown_kafka(kafka: KafkaClasses) -> str:
    """How a report calls what runs: `Kafka 4.3.1 with build/n1 before it`."""
    pairs = zip(kafka.told[::2], kafka.told[1::2], strict=True)
    changed = [folder for option, folder in pairs if option == "--classes"]
    return f"{kafka} with {' and '.join(changed)} before it" if changed else str(kafka)
