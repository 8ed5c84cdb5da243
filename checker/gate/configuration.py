"""Configuration files: `epochal.toml`, or `[tool.epochal]` in `pyproject.toml`, in the working directory.

Flags beat `EPOCHAL_*` variables, which beat the file, which beats defaults. `epochal.toml` beats `pyproject.toml`.
"""

from __future__ import annotations

import difflib
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
            "  Make one: openssl rand -hex 32",
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
