"""The file of a sweep: TOML or JSON with tables `task`, each a question with some choices, and what they stand for.

A choice is a list where one value is asked for: `max-epoch = [1, 2]`. Every combination of the choices of a table is a
task. Names are those of the command line and of `epochal.toml`. What is wrong is told with the file and the place.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from epochal.errors import ConfigurationError
from epochal.spec.language.suggestions import advice

KINDS: Final = ("check", "prove", "mutate", "simulate", "guarantees", "catalogue")
EVERYWHERE: Final = ("bounds", "settings")

KEYS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    "check": {
        "properties": list,
        "all-violations": bool,
        "symmetry": bool,
        "liveness": bool,
        "lemmas": bool,
        "max-states": int,
        "budget": (int, float),
    },
    "prove": {"properties": list, "rlimit": int},
    "mutate": {"only": str, "properties": list, "symmetry": bool, "liveness": bool, "max-states": int},
    "simulate": {"runs": int, "depth": int, "seed": int, "runs-in-task": int, "properties": list},
    "guarantees": {"faults": list},
    "catalogue": {},
}
"""What a table may say besides its question, bounds and settings, and of which type it is."""

IN_WORDS: Final = {
    bool: "true or false",
    int: "a whole number",
    str: "a text",
    list: "a list of texts",
    (int, float): "a number of seconds",
}
Scalar = str | int | bool


@dataclass(frozen=True)
class Asked:
    """One combination of the choices of a table. `place` is where it stands: `sweep.toml: task[2]`."""

    place: str
    kind: str
    protocol: str
    bounds: dict[str, int]
    settings: dict[str, Scalar]
    options: dict[str, Any]


def read_sweep(path: Path) -> list[Asked]:
    """What a file asks, in its order. Raises ConfigurationError, naming the place, OSError."""
    try:
        text = path.read_text(encoding="utf-8")
        data = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix == ".json" else "TOML"
        raise ConfigurationError(f"{path} is not valid {kind}: {error}") from error
    return list(asked_in(str(path), data))


def asked_in(file: str, data: object) -> Iterator[Asked]:
    """The same of what a file holds."""
    if not isinstance(data, dict) or not isinstance(data.get("task"), list) or not data["task"]:
        raise ConfigurationError(
            f"{file} asks nothing", "Write a table for each question: [[task]], check = 'kip-320'."
        )
    for key in data:
        if key != "task":
            raise ConfigurationError(f"{file}: unknown key '{key}'. {advice(key, ('task',), 'keys')}")
    for number, table in enumerate(data["task"], start=1):
        yield from _asked(f"{file}: task[{number}]", table)


def _asked(place: str, table: object) -> Iterator[Asked]:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{place} must be a table")
    kinds = [key for key in table if key in KINDS]
    if len(kinds) != 1:
        said = f"asks {' and '.join(kinds)}" if kinds else "asks nothing"
        raise ConfigurationError(f"{place} {said}", f"A table has one of {', '.join(KINDS)}.")
    (kind,) = kinds
    known = (kind, *EVERYWHERE, *KEYS[kind]) if kind != "catalogue" else (kind,)
    for key in table:
        if key not in known:
            raise ConfigurationError(f"{place}: unknown key '{key}' beside {kind}. {advice(key, known, 'keys')}")
    options = _options(place, kind, table)
    protocols = table[kind] if isinstance(table[kind], list) else [table[kind]]
    if not all(isinstance(one, str) and one for one in protocols) or (kind != "catalogue" and not protocols):
        meant = "entries: ['S9', 'KIP-966'], or [] for all" if kind == "catalogue" else "a protocol, or several"
        raise ConfigurationError(f"{place}: {kind} names {meant}")
    if kind == "catalogue":
        yield Asked(place, kind, "", {}, {}, {"entries": tuple(protocols)})
        return
    for protocol in protocols:
        for bounds in _combined(place, "bounds", table, (int,)):
            for settings in _combined(place, "settings", table, (str, int)):
                yield Asked(place, kind, protocol, bounds, settings, options)


def _options(place: str, kind: str, table: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, meant in KEYS[kind].items():
        if key not in table:
            continue
        value = table[key]
        wrong = not isinstance(value, meant) or (isinstance(value, bool) and meant is not bool)
        if wrong or (meant is list and not all(isinstance(one, str) for one in value)):
            raise ConfigurationError(f"{place}: {key} must be {IN_WORDS[meant]}, not {value!r}")
        if meant is int and value < (0 if key == "seed" else 1):
            raise ConfigurationError(f"{place}: {key} must be more than 0, not {value}")
        found[key.replace("-", "_")] = tuple(value) if meant is list else value
    return found


def _combined(place: str, key: str, table: Mapping[str, Any], kinds: tuple[type, ...]) -> Iterator[dict[str, Any]]:
    """Every combination of the choices of a table within the table."""
    said = table.get(key, {})
    if not isinstance(said, dict):
        raise ConfigurationError(f"{place}: {key} must be a table: {key} = {{ name = [1, 2] }}")
    choices: dict[str, Sequence[Any]] = {}
    for name, value in said.items():
        listed = value if isinstance(value, list) else [value]
        fits = all(
            isinstance(one, kinds) and (bool in kinds or key == "settings" or type(one) is int) for one in listed
        )
        if not listed or not fits:
            meant = "a whole number" if key == "bounds" else "a text, a number, true or false"
            raise ConfigurationError(f"{place}: {key}.{name} must be {meant}, or a list of such, not {value!r}")
        plain = name.replace("-", "_")
        if plain in choices:
            raise ConfigurationError(f"{place}: {key} has {name!r} twice")
        choices[plain] = listed
    for values in itertools.product(*choices.values()):
        yield dict(zip(choices, values, strict=True))
