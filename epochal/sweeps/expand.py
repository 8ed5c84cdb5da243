"""From what a file asks to tasks: protocols are loaded, and what they do not have is refused before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from epochal.checker.properties import all_properties
from epochal.errors import ConfigurationError, EpochalError
from epochal.sentences import as_key
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.reference import reference_to
from epochal.spec.language.suggestions import advice
from epochal.spec.loading import instantiate

from .file import Asked, read_sweep
from .sources import loaded
from .task import Task

RUNS: Final = 10_000
RUNS_IN_TASK: Final = 10_000
DEPTH: Final = 100


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
    """Loads each protocol once, and tells what it was made of."""

    def __init__(self) -> None:
        self._loaded: dict[str, tuple[type[Protocol], dict[str, str]]] = {}

    def __call__(self, reference: str) -> tuple[type[Protocol], dict[str, str]]:
        if reference not in self._loaded:
            self._loaded[reference] = loaded(reference)
        return self._loaded[reference]


def _expanded(asked: Asked, loader: _Loader) -> Iterator[Task]:
    if asked.kind == "catalogue":
        from epochal.kafka.catalogue import chosen
        from epochal.spec.bugs.catalogue import CATALOGUE

        for entry in chosen(asked.options["entries"], CATALOGUE):
            yield Task("catalogue", entry.without_rule, dict(entry.other_bounds), entry.name)
        return
    kind, sources = loader(asked.protocol)
    configured = with_configuration(kind, asked.settings)
    reference = reference_to(asked.protocol, configured) if asked.settings else asked.protocol
    declared = configured.bounds_type().declared()
    for name in asked.bounds:
        if name not in declared:
            raise ConfigurationError(
                f"{asked.place}: {asked.protocol} has no bound '{name}'. {advice(name, declared, 'bounds')}"
            )
    if asked.kind == "guarantees":
        yield from _guarantees(asked, configured, reference, sources)
        return
    protocol = instantiate(configured, asked.bounds)
    _refuse_unknown(asked, protocol)
    task = Task(asked.kind, reference, protocol.bounds.as_dict(), "", asked.options, sources)
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
        yield Task("mutate", task.protocol, task.bounds, mutant.id, options, task.sources)


def _walks(task: Task) -> Iterator[Task]:
    """A task for so many walks each, with seeds of their own."""
    said: dict[str, Any] = {"runs": RUNS, "depth": DEPTH, "seed": 0, "runs_in_task": RUNS_IN_TASK, **task.options}
    each = said.pop("runs_in_task")
    left, seed = said.pop("runs"), said.pop("seed")
    while left > 0:
        options = {**said, "runs": min(left, each)}
        yield Task("simulate", task.protocol, task.bounds, f"seed {seed}", options, task.sources)
        left, seed = left - each, seed + 1


def _guarantees(asked: Asked, kind: type[Protocol], reference: str, sources: dict[str, str]) -> Iterator[Task]:
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
        instantiate(kind, fault.bounds({**BOUNDS, **asked.bounds}))
        yield Task("guarantees", reference, {**BOUNDS, **asked.bounds}, fault.id, {}, sources)
