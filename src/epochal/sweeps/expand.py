"""From what a file asks to tasks: protocols are loaded, and what they do not have is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, cast

from epochal.checker.identity.engine import alone, engine_here
from epochal.checker.properties import all_properties
from epochal.errors import ConfigurationError, EpochalError
from epochal.sentences import as_key
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to, split_reference
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import instantiate, load_protocol
from epochal.spec.registry import is_registered

from .file import Asked, read_sweep
from .subject import NobodyCanTell, meaning_of
from .task import Task

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
