"""The models of the gate in a configuration file: `[tool.epochal.model.NAME]`, and `[[tool.epochal.code_links]]`.

In `epochal.toml` the same tables are `[model.NAME]` and `[[code_links]]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from epochal.errors import ConfigurationError
from epochal.spec.language.suggestions import advice

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
        from epochal.spec.language.reference import joined

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
        _texts(where, "expect-violated", values),
        _texts(where, "expect-never", values),
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
    files = _texts(where, "files", values)
    if not files:
        raise _wrong(where, "files", "must list at least one file or pattern, such as 'core/**/Partition.scala'")
    return CodeLink(files, _texts(where, "models", values), _texts(where, "actions", values))


def _table(where: str, table: object, keys: Sequence[str]) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where} must be a table")
    for key in table:
        if key not in keys:
            raise ConfigurationError(f"{where}: unknown key '{key}'. {advice(key, keys, 'keys')}")
    return table


def _texts(where: str, key: str, values: dict[str, Any]) -> tuple[str, ...]:
    listed = values.get(key, [])
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise _wrong(where, key, "must be a list of texts")
    return tuple(listed)


def _wrong(where: str, key: str, what: str) -> ConfigurationError:
    return ConfigurationError(f"{where}: {key} {what}")
