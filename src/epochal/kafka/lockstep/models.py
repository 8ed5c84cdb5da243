"""Which model stands beside a Kafka: that of its release, with the settings that the harness makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from enum import Enum
from typing import Any, cast

from epochal.errors import UsageError
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more, with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.leader import Leader
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Protocol, Set, SettingValue, require
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.errors import advice
from epochal.spec.loading import load_protocol

from .class_path import KafkaClasses
from .families import with_steps_of
from .family import Family

_SWITCHES = {"true": True, "false": False}


class WholeShrinks(Leader):
    """A leader that drops all followers which are not at the end of its log, as Kafka's does, and not some of them."""

    def propose_shrink(self, leader: Replica, slow: Set[Replica]) -> None:
        """As always, of all that are slow."""
        members = self.view(leader).isr
        require(slow == Set(r for r in members if self.known_end(leader, r) != self.end(leader)))
        super().propose_shrink(leader, slow)


def playable(protocol: ConfigurableKraft, bounds: Mapping[str, int]) -> ConfigurableKraft:
    """The same model within other bounds, with no step that Kafka's classes cannot be asked for."""
    kind = with_more(type(protocol), WholeShrinks)
    kind.name = protocol.name
    return kind(None, **bounds)


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


def brought_along(run_of: Kraft) -> tuple[Family[Any], ...]:
    """The mechanisms of a run whose steps the model of a release gets for it."""
    return tuple(one for one in with_steps_of(run_of) if one.brought_along)


def protocol_of_run(release: str, run_of: Kraft) -> ConfigurableKraft:
    """The model of a release for a run of some protocol: within its bounds, with the steps of its options.

    What an operator or a producer chooses is as in the run, every other rule as in the release.
    """
    settings, families = run_of.settings, brought_along(run_of)
    said: dict[str, SettingValue] = {
        "min_insync_replicas": settings.min_insync_replicas,
        "acks": settings.acks.value,
        "unclean_leader_election": settings.unclean_leader_election,
        "elr": settings.elr,
    }
    steps = [one.steps for one in families]
    narrowest = [one for one in steps if not any(issubclass(other, one) for other in steps if other is not one)]
    found = protocol_beside(release, with_more(ConfigurableKraft, *narrowest), said, run_of.bounds.as_dict())
    chosen = {name: getattr(settings, name) for one in families for name in one.operator}
    return _under(found, replace(found.settings, **chosen), found.name)


def _under(protocol: ConfigurableKraft, settings: Settings, name: str) -> ConfigurableKraft:
    """The same model under other settings."""
    return with_settings(type(protocol), settings, name)(protocol.bounds)


def with_rules(protocol: ConfigurableKraft, rules: Mapping[str, str]) -> ConfigurableKraft:
    """The same model with other rules, by the names of `Settings`: `{"known_partition_epoch_ignored": "true"}`.

    Raises UsageError for a rule or a value that is not known.
    """
    if not rules:
        return protocol
    changes = {name: _rule(protocol.settings, name, value) for name, value in rules.items()}
    said = ", ".join(f"{name}={value}" for name, value in rules.items())
    return _under(protocol, replace(protocol.settings, **changes), f"{protocol.name} with {said}")


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
    """How a report calls what runs: `Kafka 4.3.1 with build/n1 before it`, `Kafka 4.3.1 with the fix of N1`."""
    pairs = zip(kafka.told[::2], kafka.told[1::2], strict=True)
    changed = [folder for option, folder in pairs if option == "--classes"]
    said = [f"{' and '.join(changed)} before it"] if changed else []
    said += [f"the fix of {' and '.join(one.id for one in kafka.fixes)}"] if kafka.fixes else []
    return f"{kafka} with {' and '.join(said)}" if said else str(kafka)
