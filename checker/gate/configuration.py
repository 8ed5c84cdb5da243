"""Configuration files: `epochal.toml`, or `[tool.epochal]` in `pyproject.toml`, in the working directory.

Flags beat `EPOCHAL_*` variables, which beat the file, which beats defaults. `epochal.toml` beats `pyproject.toml`.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from epochal.errors import ConfigurationError
from epochal.spec.language.suggestions import advice

from .settings import CodeLink, ModelSettings, code_links_in, models_in

KEYS: Final = ("engine", "budget", "max-states", "max-memory", "format", "progress", "master", "storage")

TABLES: Final = ("model", "code_links")
"""The keys whose values are tables: the models of the gate, and the code that they model."""

VARIABLES: Final = ("cache-dir", "cache-key", "debug")
"""What only variables set: the cache folder, the secret of those who share one, and whether internal errors show their
traceback."""

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
    """The settings that hold in a folder. Fails with exit code 151 if a file or a variable cannot be understood."""
    _check_variables()
    own = folder / "epochal.toml"
    if own.is_file():
        return _checked("epochal.toml", _parsed(own))
    shared = folder / "pyproject.toml"
    if shared.is_file():
        tool = _parsed(shared).get("tool")
        section = tool.get("epochal") if isinstance(tool, dict) else None
        if section is not None:
            return _checked("pyproject.toml, [tool.epochal]", section)
    return Configuration()


def _check_variables() -> None:
    known = [f"EPOCHAL_{key.upper().replace('-', '_')}" for key in (*KEYS, *VARIABLES)]
    for name in sorted(os.environ):
        if name.startswith("EPOCHAL_") and name not in known:
            raise ConfigurationError(f"unknown variable {name}. {advice(name, known, 'variables')}")
    if 0 < len(os.environ.get("EPOCHAL_CACHE_KEY", "")) < LEAST_KEY:
        raise ConfigurationError(
            f"EPOCHAL_CACHE_KEY must have at least {LEAST_KEY} characters: who guesses it can write the cache.\n"
            "  Make one: openssl rand -hex 32",
        )


def _parsed(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{file.name} is not valid TOML: {error}") from error


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
            f"{file}: {hidden!a:.80} has line ends or control characters.\n  Reports show it: write one line of text.",
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
