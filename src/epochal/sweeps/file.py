"""The file of a sweep: TOML or JSON with tables `task`, each a question with some choices, and what they stand for.

A choice is a list where one value is asked for: `max-epoch = [1, 2]`. Every combination of the choices of a table is a
task. Names are those of the command line and of `epochal.toml`. What is wrong is told with the file and the place.
"""

from __future__ import annotations

import itertools
import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, cast

from epochal.checker.identity.engine import alone, engine_here
from epochal.checker.semantics.properties import all_properties
from epochal.errors import ConfigurationError, EpochalError
from epochal.sentences import as_key
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to, split_reference
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import instantiate, load_protocol
from epochal.spec.registry import is_registered

from .task import NobodyCanTell, Task, meaning_of

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


# -- expand -----------------------------------------------------------------------------------------------------------
# From what a file asks to tasks: protocols are loaded, and what they do not have is refused before anything runs.

RUNS: Final = 10_000
RUNS_IN_TASK: Final = 10_000
DEPTH: Final = 100
NOT_COMPILED: Final = "not compiled"


def tasks_of(path: Path) -> list[Task]:
    """The tasks of a file, in its order, each once. Raises ConfigurationError, naming the place, OSError."""
    loader, found = _Loader(), dict[str, Task]()
    for asked in read_sweep(path):
        try:
            for task in _expanded(asked, loader):
                found.setdefault(task.key, task)
        except ConfigurationError:
            raise
        except EpochalError as error:
            raise ConfigurationError(f"{asked.place}: {error.told(as_key)}") from error
    return list(found.values())


class _Loader:
    """Loads each protocol once, and tells what decides about it."""

    def __init__(self) -> None:
        self._loaded: dict[str, type[Protocol]] = {}
        self._engines = {own: engine_here("answers by text" if own else "answers") for own in (True, False)}

    def __call__(self, reference: str) -> type[Protocol]:
        if reference not in self._loaded:
            self._loaded[reference] = load_protocol(reference)
        return self._loaded[reference]

    def identity(self, kind: str, reference: str, protocol: Protocol) -> dict[str, str]:
        """What a task of a kind about a protocol rests on besides its question."""
        own = is_registered(split_reference(reference)[0])
        try:
            meaning = "" if own else meaning_of(protocol, kind)
        except EpochalError:  # it is outside the language: the task is refused where it runs, and told with the others
            meaning = NOT_COMPILED
        except NobodyCanTell:
            return {"meaning": meaning_of(protocol, ""), "engine": alone()}
        return {"meaning": meaning, "engine": self._engines[own]}

    @property
    def own(self) -> str:
        """What decides about Epochal's own specifications."""
        return self._engines[True]


def _expanded(asked: Asked, loader: _Loader) -> Iterator[Task]:
    if asked.kind == "catalogue":
        from epochal.kafka.catalogue import chosen
        from epochal.spec.bugs.catalogue import CATALOGUE

        for entry in chosen(asked.options["entries"], CATALOGUE):
            yield Task("catalogue", entry.without_rule, dict(entry.other_bounds), entry.name, engine=loader.own)
        return
    kind = loader(asked.protocol)
    configured = with_configuration(kind, asked.settings)
    reference = reference_to(asked.protocol, configured) if asked.settings else asked.protocol
    declared = configured.bounds_type().declared()
    for name in asked.bounds:
        if name not in declared:
            raise ConfigurationError(
                f"{asked.place}: {asked.protocol} has no bound '{name}'. {advice(name, declared, 'bounds')}"
            )
    if asked.kind == "guarantees":
        yield from _guarantees(asked, configured, reference, loader)
        return
    protocol = instantiate(configured, asked.bounds)
    _refuse_unknown(asked, protocol)
    rests_on = loader.identity(asked.kind, asked.protocol, protocol)
    task = Task(asked.kind, reference, protocol.bounds.as_dict(), "", asked.options, **rests_on)
    if asked.kind == "mutate":
        yield from _mutants(task, protocol)
    elif asked.kind == "simulate":
        yield from _walks(task)
    else:
        yield task


def _refuse_unknown(asked: Asked, protocol: Protocol) -> None:
    known = [member.name for member in (*all_properties(protocol, True), *protocol.members("leads_to"))]
    for name in asked.options.get("properties", ()):
        if name not in known:
            raise ConfigurationError(
                f"{asked.place}: {asked.protocol} has no property '{name}'. {advice(name, known, 'properties')}"
            )


def _mutants(task: Task, protocol: Protocol) -> Iterator[Task]:
    """A task for each mutant. Those of one call of a helper are tried although the same in all calls may survive."""
    from epochal.checker.mutation.mutants import chosen_mutants, mutants_of

    options = {name: value for name, value in task.options.items() if name != "only"}
    for mutant in chosen_mutants(mutants_of(protocol), cast("str | None", task.options.get("only")), protocol):
        yield replace(task, about=mutant.id, options=options)


def _walks(task: Task) -> Iterator[Task]:
    """A task for so many walks each, with seeds of their own."""
    said: dict[str, Any] = {"runs": RUNS, "depth": DEPTH, "seed": 0, "runs_in_task": RUNS_IN_TASK, **task.options}
    each = said.pop("runs_in_task")
    left, seed = said.pop("runs"), said.pop("seed")
    while left > 0:
        options = {**said, "runs": min(left, each)}
        yield replace(task, about=f"seed {seed}", options=options)
        left, seed = left - each, seed + 1


def _guarantees(asked: Asked, kind: type[Protocol], reference: str, loader: _Loader) -> Iterator[Task]:
    """A task for each fault, within the bounds of `epochal guarantees` unless others are asked for."""
    from epochal.spec.kraft.configuration import ConfigurableKraft
    from epochal.spec.kraft.guarantees import BOUNDS, FAULTS, faults_for, own_fault
    from epochal.spec.language.configurable import configuration_of

    if not issubclass(kind, ConfigurableKraft):
        raise ConfigurationError(f"{asked.place}: guarantees are decided for kraft and what derives from it")
    known = {fault.id: fault for fault in FAULTS}
    there = {fault.id for fault in faults_for(configuration_of(kind))}
    named = [known.get(name) or own_fault(name) for name in asked.options.get("faults", ())]
    for fault in named or [fault for fault in FAULTS if fault.id in there]:
        bounds = {**BOUNDS, **asked.bounds}
        rests_on = loader.identity("guarantees", asked.protocol, instantiate(kind, fault.bounds(bounds)))
        yield Task("guarantees", reference, bounds, fault.id, {}, **rests_on)
