"""Configuration files: `epochal.toml`, or `[tool.epochal]` in `pyproject.toml`, in the working directory.

Flags beat `EPOCHAL_*` variables, which beat the file, which beats defaults. `epochal.toml` beats `pyproject.toml`.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.errors import ConfigurationError, UsageError
from epochal.sentences import as_key
from epochal.spec.language import BoundsError, Protocol
from epochal.spec.language.configurable import joined, with_configuration
from epochal.spec.language.errors import advice
from epochal.spec.loading import instantiate, load_protocol

from ..semantics.properties import promised

# -- settings ---------------------------------------------------------------------------------------------------------
# The models of the gate in a configuration file: `[tool.epochal.model.NAME]`, and `[[tool.epochal.code_links]]`.
#
# In `epochal.toml` the same tables are `[model.NAME]` and `[[code_links]]`.

PROFILES: Final = ("pr", "nightly", "release")

FAIL_ON: Final = ("narrowed", "refactored", "new", "inconclusive")
"""The verdicts that only warn unless they are asked to fail."""

MODEL_KEYS: Final = (
    "protocol",
    "bounds",
    "configuration",
    "expect-violated",
    "expect-never",
    "profile",
    "refinement",
    "prove",
)
LINK_KEYS: Final = ("files", "models", "actions")


@dataclass(frozen=True)
class ModelSettings:
    """A protocol within bounds, as the gate is asked to check it.

    `configuration` are the protocol's settings, as they stand in the file. `expect_violated` are properties that must
    be violated: a known bug, or a mutant that the properties must catch. `expect_never` are actions that cannot happen
    at these bounds, and must not. `profile` is the first of pr, nightly and release that includes the model. With
    `refinement` a new step is a failed refinement (23), not drift (20). With `prove` the invariants are proved from the
    protocol's lemmas too.
    """

    name: str
    protocol: str
    bounds: dict[str, int]
    expect_violated: tuple[str, ...] = ()
    expect_never: tuple[str, ...] = ()
    profile: str = "pr"
    refinement: bool = False
    prove: bool = False
    configuration: dict[str, str | int | bool] = field(default_factory=dict)

    @property
    def reference(self) -> str:
        """The protocol with the settings of its configuration, as on a command line."""
        return joined(self.protocol, self.configuration)


@dataclass(frozen=True)
class CodeLink:
    """Source files of an implementation, as patterns, and the actions of the models that stand for them."""

    files: tuple[str, ...]
    models: tuple[str, ...] = ()
    actions: tuple[str, ...] = ()


def models_in(file: str, section: object) -> dict[str, ModelSettings]:
    """The models of a file's `model` table. Fails with exit code 151, naming the key that is wrong."""
    if not isinstance(section, dict):
        raise _wrong(file, "model", "must be a table of models, such as [model.mine]")
    return {name: _model(f"{file}: model.{name}", name, table) for name, table in section.items()}


def code_links_in(file: str, section: object) -> tuple[CodeLink, ...]:
    """The links of a file's `code_links` tables. Fails with exit code 151, naming the key that is wrong."""
    if not isinstance(section, list):
        raise _wrong(file, "code_links", "must be a list of tables: [[code_links]]")
    return tuple(_link(f"{file}: code_links[{i}]", table) for i, table in enumerate(section))


def _model(where: str, name: str, table: object) -> ModelSettings:
    values = _table(where, table, MODEL_KEYS)
    protocol = values.get("protocol")
    if not isinstance(protocol, str) or not protocol:
        raise _wrong(where, "protocol", "must name a protocol: 'kip-320', or 'path/to/file.py:Name'")
    bounds = values.get("bounds", {})
    if not isinstance(bounds, dict) or not all(type(n) is int for n in bounds.values()):
        raise _wrong(where, "bounds", "must be a table of whole numbers: { replicas = 3, max-epoch = 1 }")
    _refuse_repeated(where, "bounds", bounds)
    configuration = values.get("configuration", {})
    if not isinstance(configuration, dict) or not all(isinstance(said, str | int) for said in configuration.values()):
        raise _wrong(where, "configuration", "must be a table of texts, numbers, true and false: { kafka = '3.5' }")
    _refuse_repeated(where, "configuration", configuration)
    profile = values.get("profile", PROFILES[0])
    if profile not in PROFILES:
        raise _wrong(where, "profile", f"must be one of {', '.join(PROFILES)}, not {profile!r}")
    flags = {key: values.get(key, False) for key in ("refinement", "prove")}
    for key, value in flags.items():
        if not isinstance(value, bool):
            raise _wrong(where, key, f"must be true or false, not {value!r}")
    return ModelSettings(
        name,
        protocol,
        {key.replace("-", "_"): number for key, number in bounds.items()},
        _list_of_texts(where, "expect-violated", values),
        _list_of_texts(where, "expect-never", values),
        profile,
        flags["refinement"],
        flags["prove"],
        {key.replace("-", "_"): said for key, said in configuration.items()},
    )


def _refuse_repeated(where: str, key: str, table: dict[str, Any]) -> None:
    """Fail if one name stands in a table as `log-size` and as `log_size`."""
    for name in table:
        if "-" in name and name.replace("-", "_") in table:
            raise _wrong(where, key, f"has both '{name}' and '{name.replace('-', '_')}'")


def _link(where: str, table: object) -> CodeLink:
    values = _table(where, table, LINK_KEYS)
    files = _list_of_texts(where, "files", values)
    if not files:
        raise _wrong(where, "files", "must list at least one file or pattern, such as 'core/**/Partition.scala'")
    return CodeLink(files, _list_of_texts(where, "models", values), _list_of_texts(where, "actions", values))


def _table(where: str, table: object, keys: Sequence[str]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} must be a table")
    for key in table:
        if key not in keys:
            raise ConfigurationError(f"{where}: unknown key '{key}'. {advice(key, keys, 'keys')}")
    return table


def _list_of_texts(where: str, key: str, values: dict[str, Any]) -> tuple[str, ...]:
    listed = values.get(key, [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise _wrong(where, key, "must be a list of texts")
    return tuple(listed)


def _wrong(where: str, key: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"{where}: {key} {what}")


KEYS: Final = ("engine", "budget", "max-states", "max-memory", "format", "progress", "master", "storage")

TABLES: Final = ("model", "code_links")
"""The keys whose values are tables: the models of the gate, and the code that they model."""

VARIABLES: Final = ("cache-dir", "cache-key", "debug", "workers")
"""What only variables set: the cache folder, the secret of those who share one, whether internal errors show their
traceback, and the number of processors."""

SLIP = 0.75
"""How much the name of a variable must look like a known one to be a slip of the finger: others are somebody else's."""

PREFIX: Final = "EPOCHAL_"

LEAST_KEY = 32
"""The length of the shortest secret that cannot be guessed."""


@dataclass(frozen=True)
class Configuration:
    """The settings of one file, by key. `file` is "" if there is none."""

    file: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    models: dict[str, ModelSettings] = field(default_factory=dict)
    code_links: tuple[CodeLink, ...] = ()


def read_configuration(folder: Path) -> Configuration:
    """The settings that hold in a folder. Raises ConfigurationError for a file, or a secret, that cannot be used."""
    _check_key()
    for name in ("epochal.toml", "pyproject.toml"):
        file = folder / name
        if file.is_file():
            found = configuration_in(name, _text(file))
            if found.file:
                return found
    return Configuration()


def configuration_in(file: str, text: str) -> Configuration:
    """The settings that a file of this name and text holds. Raises ConfigurationError for what cannot be used."""
    if file == "epochal.toml":
        return _checked(file, _loaded(file, text))
    tool = _loaded(file, text).get("tool")
    section = tool.get("epochal") if isinstance(tool, dict) else None
    return Configuration() if section is None else _checked(f"{file}, [tool.epochal]", section)


def misspelt_variables() -> list[str]:
    """A warning for each variable whose name is nearly that of a setting. Other EPOCHAL_* variables are not ours."""
    known = [key.upper().replace("-", "_") for key in (*KEYS, *VARIABLES)]
    found = []
    for name in sorted(os.environ):
        own = name.removeprefix(PREFIX)
        near = difflib.get_close_matches(own, known, n=1, cutoff=SLIP) if name.startswith(PREFIX) else []
        if near and own not in known:
            found.append(f"{name} is no variable of epochal and is not heeded. Did you mean {PREFIX}{near[0]}?")
    return found


def _check_key() -> None:
    if 0 < len(os.environ.get("EPOCHAL_CACHE_KEY", "")) < LEAST_KEY:
        raise ConfigurationError(
            f"EPOCHAL_CACHE_KEY must have at least {LEAST_KEY} characters: who guesses it can write the cache.\n"
            "  Make one: openssl rand -hex 32"
        )


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file.name} is not valid TOML: {error}") from error


def _loaded(name: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigurationError(f"{name} is not valid TOML: {error}") from error


def _texts(value: object) -> Iterator[str]:
    """Every text in a table, keys included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)


def _checked(file: str, section: object) -> Configuration:
    if not isinstance(section, dict):
        raise ConfigurationError(f"{file} must be a table of settings")
    hidden = next((text for text in _texts(section) if not text.isprintable()), None)
    if hidden is not None:
        raise ConfigurationError(
            f"{file}: {hidden!a:.80} has line ends or control characters.\n  Reports show it: write one line of text."
        )
    for key, value in section.items():
        if key in TABLES:
            continue
        if key not in KEYS:
            raise ConfigurationError(f"{file}: unknown key '{key}'. {advice(key, (*KEYS, *TABLES), 'keys')}")
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise ConfigurationError(f"{file}: {key} must be a text or a number, not {value!r}")
    return Configuration(
        file,
        {key: str(value) for key, value in section.items() if key not in TABLES},
        models_in(file, section.get("model", {})),
        code_links_in(file, section.get("code_links", [])),
    )


# -- models -----------------------------------------------------------------------------------------------------------
# From the models of the configuration to protocols, ready to be checked.

NONE_CONFIGURED = (
    "no model is configured, so there is nothing to compare.\n"
    "  Add one: epochal gate add kip-320 --max-epoch 1, or epochal gate add path/to/file.py:Name"
)


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


def loaded(settings: ModelSettings, file: str) -> Protocol:
    """The protocol of a model. Raises what loading raises, and ConfigurationError for a name it does not have.

    `file` is the configuration file, for the message.
    """
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
                f"{where}: {settings.protocol} has no bound '{bound}'. {advice(bound, declared, 'bounds')}"
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
                    f"{where}: {key}: {settings.protocol} has no '{name}'. {advice(name, known, what)}"
                )
    return protocol
