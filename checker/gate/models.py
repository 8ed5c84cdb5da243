"""From the models of the configuration to protocols, ready to be checked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from epochal.errors import ConfigurationError, UsageError
from epochal.sentences import as_key
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import instantiate, load_protocol

from ..properties import promised
from .configuration import Configuration
from .settings import PROFILES, ModelSettings

if TYPE_CHECKING:
    from epochal.spec.language import Protocol

NONE_CONFIGURED = (
    "no model is configured, so there is nothing to compare.\n"
    "  Add one: epochal gate add kip-320 --max-epoch 1, or epochal gate add path/to/file.py:Name"
)


@dataclass(frozen=True)
class ConfiguredModel:
    """A model of the configuration, and its protocol."""

    settings: ModelSettings
    protocol: Protocol


def chosen_models(configuration: Configuration, names: Iterable[str], profile: str) -> list[ModelSettings]:
    """The models that a command is about: those named, or all of the profile. Fails with 2 or 151 if there is none."""
    models = configuration.models
    if not models:
        raise ConfigurationError(NONE_CONFIGURED)
    wanted = list(names)
    for name in wanted:
        if name not in models:
            raise UsageError(f"no model is called {name!r}. {advice(name, models, 'models')}")
    if wanted:
        return [models[name] for name in dict.fromkeys(wanted)]
    included = PROFILES[: PROFILES.index(profile) + 1]
    found = [settings for settings in models.values() if settings.profile in included]
    if not found:
        raise ConfigurationError(f"no model belongs to the profile {profile}.")
    return found


def loaded(settings: ModelSettings, file: str) -> ConfiguredModel:
    """The model with its protocol. Raises what loading raises, and ConfigurationError for a name it does not have.

    `file` is the configuration file, for the message.
    """
    from epochal.spec.language import BoundsError

    kind = load_protocol(settings.protocol)
    where = f"{file}: model.{settings.name}"
    try:
        kind = with_configuration(kind, settings.configuration)
    except BoundsError as error:
        raise ConfigurationError(f"{where}: configuration: {error.told(as_key)}") from error
    declared = kind.bounds_type().declared()
    for bound in settings.bounds:
        if bound not in declared:
            raise ConfigurationError(
                f"{where}: {settings.protocol} has no bound '{bound}'. {advice(bound, declared, 'bounds')}",
            )
    try:
        protocol = instantiate(kind, settings.bounds)
    except BoundsError as error:
        raise ConfigurationError(f"{where}: {error.told(as_key)}") from error
    properties = [m.name for m in (*protocol.members("invariant"), *protocol.members("action_property"))]
    properties += [m.name for m in promised(protocol)]
    actions = [m.name for m in protocol.members("action")]
    for key, names, known, what in (
        ("expect-violated", settings.expect_violated, properties, "properties"),
        ("expect-never", settings.expect_never, actions, "actions"),
    ):
        for name in names:
            if name not in known:
                raise ConfigurationError(
                    f"{where}: {key}: {settings.protocol} has no '{name}'. {advice(name, known, what)}",
                )
    return ConfiguredModel(settings, protocol)
