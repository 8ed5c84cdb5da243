"""A sweep: from its file to tasks; what is missing is answered, each answer is kept at once, and tables are written."""

from __future__ import annotations

import hashlib
import importlib.util
import itertools
import json
import threading
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, cast

from epochal.api.options import path
from epochal.api.result import Result, question
from epochal.checker.base.files import write_atomically
from epochal.checker.base.machine import memory_limit
from epochal.checker.base.numbers import counted, timed
from epochal.checker.documents import document
from epochal.checker.identity.engine import alone, engine_here
from epochal.checker.search.budget import Deadline, why_stopped
from epochal.checker.search.result import INTERRUPTED, StopReason
from epochal.checker.semantics.properties import all_properties
from epochal.checker.workers.chosen_engine import Where, apart
from epochal.checker.workers.pool import usable_processes
from epochal.checker.workers.worker import answers_for_another
from epochal.errors import ConfigurationError, EngineError, EpochalError, UsageError, not_installed
from epochal.exit_codes import ExitCode
from epochal.report import documents
from epochal.report.page import Page
from epochal.report.progress import Counted, Telling
from epochal.sentences import Given, as_key
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import reference_to, split_reference, with_configuration
from epochal.spec.language.errors import advice
from epochal.spec.loading import instantiate, load_protocol
from epochal.spec.registry import is_registered

from .task import COLUMNS, MEASURES, NobodyCanTell, Outcome, Row, Sweeper, Task, lost, meaning_of

# -- file -------------------------------------------------------------------------------------------------------------
# The file of a sweep: TOML or JSON with tables `task`, each a question with some choices, and what they stand for.
#
# A choice is a list where one value is asked for: `max-epoch = [1, 2]`. Every combination of the choices of a table is
# a task. Names are those of the command line and of `epochal.toml`. What is wrong is told with the file and the place.


KINDS: Final = ("check", "prove", "mutate", "simulate", "guarantees", "catalogue")
EVERYWHERE: Final = ("bounds", "settings")

KEYS: Final[Mapping[str, Mapping[str, type | tuple[type, ...]]]] = {
    "check": {
        "properties": list,
        "all-violations": bool,
        "symmetry": bool,
        "dominance": bool,
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


# -- store ------------------------------------------------------------------------------------------------------------
# Where a sweep keeps its answers: a file for each task that is done, and the tables made of them.
#
# A file appears as a whole as soon as its task is done, so nothing that was answered is lost. The tables are written
# again at every end of a run, from the tasks that the file asks for: the same bytes for the same answers.

DONE: Final = "done"
Format = Literal["json", "parquet"]


class _Folder:
    """A folder of this machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / DONE).mkdir(parents=True, exist_ok=True)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        write_atomically(self._folder / name, content)

    def path(self, name: str) -> str:
        return str(self._folder / name)


class _Remote:
    """A folder of an object store, or of another file system that `pyarrow.fs` knows."""

    def __init__(self, uri: str) -> None:
        from epochal.checker.search.spark.storage import open_storage

        self._storage = open_storage(uri)

    def read(self, name: str) -> bytes | None:
        try:
            return bytes(self._storage.read(name))
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        self._storage.write(name, content)

    def path(self, name: str) -> str:
        return self._storage.path(name)


class Answers:
    """The answers of sweeps in a folder, or below a URI. Raises EngineError if it cannot be used."""

    def __init__(self, where: str) -> None:
        try:
            self._place: _Folder | _Remote = _Remote(where) if "://" in where else _Folder(Path(where))
        except OSError as error:
            raise EngineError(
                f"{where}: nothing can be written there: {error.strerror or error}",
                "Give --out a folder where you may write, on a disk with room.",
            ) from error

    def find(self, task: Task) -> Outcome | None:
        """The answer to a task; None if there is none, or none that is whole."""
        content = self._place.read(_name(task))
        if content is None:
            return None
        try:
            document = json.loads(content)
            rows = tuple(document["rows"])
            if document["key"] != task.key or document["digest"] != _digest(rows):
                return None
            return Outcome("done", rows, document["measures"])
        except (ValueError, KeyError, TypeError):  # damaged: as good as none
            return None

    def keep(self, task: Task, outcome: Outcome) -> None:
        """Keep the answer to a task. Raises OSError."""
        document = {
            "key": task.key,
            "question": task.document,
            "rows": outcome.rows,
            "digest": _digest(outcome.rows),
            "measures": outcome.measures,
        }
        self._place.write(_name(task), (json.dumps(document, indent=1) + "\n").encode())

    def write_tables(self, tasks: Sequence[Task], to: Format) -> list[str]:
        """Write `results` and `measures` of the tasks that are done, in their order; the paths."""
        answers = [(task, self.find(task)) for task in tasks]
        done = [(task, found) for task, found in answers if found is not None]
        rows = [one for _, found in done for one in found.rows]
        measures = [{"task": task.key, **found.measures} for task, found in done]
        return [self._table("results", rows, COLUMNS, to), self._table("measures", measures, MEASURES, to)]

    def _table(self, name: str, rows: Iterable[Row], columns: Sequence[tuple[str, str]], to: Format) -> str:
        file = f"{name}.parquet" if to == "parquet" else f"{name}.jsonl"
        content = _parquet(rows, columns) if to == "parquet" else _lines(rows, columns)
        self._place.write(file, content)
        return self._place.path(file)


def _name(task: Task) -> str:
    return f"{DONE}/{task.key}.json"


def _digest(rows: Sequence[Row]) -> str:
    return hashlib.blake2b(json.dumps(list(rows), sort_keys=True).encode(), digest_size=16).hexdigest()


def _lines(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> bytes:
    lines = (json.dumps({name: one.get(name) for name, _ in columns}) for one in rows)
    return "".join(f"{line}\n" for line in lines).encode()


def _parquet(rows: Iterable[Row], columns: Sequence[tuple[str, str]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    types: dict[str, Any] = {"string": pa.string(), "int64": pa.int64(), "bool": pa.bool_(), "double": pa.float64()}
    listed = list(rows)
    arrays = [pa.array([one.get(name) for one in listed], types[kind]) for name, kind in columns]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_arrays(arrays, names=[name for name, _ in columns]), sink, compression="zstd")
    return bytes(sink.getvalue())


EVERY = 1.0
"""Seconds after which people hear that something is still going on."""


@dataclass(frozen=True)
class Progress:
    """How far a sweep is: tasks done, those of them that were done before, all; the last one, and seconds."""

    done: int
    before: int
    of: int
    last: str
    seconds: float


@dataclass
class Sweep:
    """What became of the tasks. `failed` are those that ended without an answer, which the next run tries again."""

    tasks: Sequence[Task]
    before: int
    done: int = 0
    failed: list[tuple[Task, Outcome]] = field(default_factory=list)
    verdicts: dict[str, int] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    cut: StopReason | None = None
    seconds: float = 0.0
    last: str = ""

    @property
    def left(self) -> int:
        """How many tasks have no answer, for whatever reason."""
        return len(self.tasks) - self.before - self.done

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended it."""
        return self.cut is INTERRUPTED

    @property
    def exit_code(self) -> ExitCode:
        """0 when every task is answered, whatever it says; else that of the worst failure, or 30."""
        codes = [outcome.exit_code for _, outcome in self.failed]
        return ExitCode.most_severe([*codes, ExitCode.INCONCLUSIVE] if self.left else codes)


def swept(
    tasks: Sequence[Task],
    answers: Answers,
    to: Format,
    where: Where,
    progress: Callable[[Progress], None] | None = None,
    budget: float | None = None,
) -> Sweep:
    """Answer the tasks that are missing. After Ctrl-C what is done is kept, and the tables are of that; and once a
    budget of seconds is spent.

    Raises EngineError if there is no cluster, or nothing can be written; then, too, what is done is kept.
    """
    begun = time.monotonic()
    known = [answers.find(task) for task in tasks]
    todo = [(number, task) for number, task in enumerate(tasks) if known[number] is None]
    sweep = Sweep(tasks, len(tasks) - len(todo))

    def tell() -> None:
        if progress is not None:
            done = sweep.before + sweep.done + len(sweep.failed)
            progress(Progress(done, sweep.before, len(tasks), sweep.last, time.monotonic() - begun))

    try:
        if todo:
            patience = Deadline(budget, begun=begun)
            with telling(tell), apart(where, Sweeper, len(todo), lost) as engine, patience.watching("answering tasks"):
                for number, outcome in engine(_limits(where), todo):
                    if outcome.ended == "done":
                        answers.keep(tasks[number], outcome)
                        sweep.done += 1
                    else:
                        sweep.failed.append((tasks[number], outcome))
                    sweep.last = str(tasks[number])
                    tell()
    except KeyboardInterrupt as stopped:
        sweep.cut = why_stopped(stopped)
    finally:
        sweep.files = answers.write_tables(tasks, to)
    for task in tasks:
        found = answers.find(task)
        for row in found.rows if found is not None else ():
            sweep.verdicts[row["verdict"]] = sweep.verdicts.get(row["verdict"], 0) + 1
    sweep.failed.sort(key=lambda one: tasks.index(one[0]))
    sweep.seconds = time.monotonic() - begun
    return sweep


@contextmanager
def telling(tell: Callable[[], None]) -> Iterator[None]:
    """While this lasts, `tell` now and then, however long a task takes."""
    done = threading.Event()

    def repeat() -> None:
        while not done.wait(EVERY):
            tell()

    thread = threading.Thread(target=repeat, name="progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def _limits(where: Where) -> dict[str, Any]:
    """What each task may take: its share of this machine's memory; on a cluster what its executor has."""
    if where.engine == "spark":
        return {}
    return {"max_memory": memory_limit() // usable_processes(where.workers)}


# -- door -------------------------------------------------------------------------------------------------------------
# `epochal.sweep`: many questions of a file, answered side by side, as a table.


@dataclass(frozen=True, repr=False)
class SweepResult(Result):
    """What became of a sweep: `sweep` counts its tasks, and has those that failed."""

    sweep: Sweep
    file: str

    @property
    def exit_code(self) -> ExitCode:
        """0 when every task is answered, whatever the answers are; else why not."""
        return self.sweep.exit_code

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C has ended it."""
        return self.sweep.interrupted

    @property
    def outcome(self) -> str:
        """Code 0 says that every task is answered, not what the answers are."""
        return "every task is answered" if self.exit_code == ExitCode.HOLDS else super().outcome

    @property
    def findings(self) -> list[str]:
        """The tasks that have failed."""
        return [str(task) for task, _ in self.sweep.failed]

    @property
    def headline(self) -> str:
        """How many tasks are answered."""
        tasks, done = len(self.sweep.tasks), self.sweep.done
        answered = self.sweep.before + done
        how_many = f"all {counted(tasks, 'task')}" if answered == tasks else f"{answered:,} of {counted(tasks, 'task')}"
        return f"{self.file}: {how_many} answered, {done:,} of them now"

    def to_dict(self) -> documents.Sweep:
        """What became of the tasks, as plain data; the answers stand in the tables."""
        failed = [document(documents.FailedTask, outcome, task=task) for task, outcome in self.sweep.failed]
        return document(documents.Sweep, self.sweep, self, failed=failed)

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write how many tasks say what, and where the tables are."""
        sweep = self.sweep
        failed = [(str(task), outcome.message) for task, outcome in sweep.failed]
        refused = sum(outcome.ended == "refused" for _, outcome in sweep.failed)
        left = sweep.left - len(failed)
        page.line(self.headline, "warn" if failed or left else "good")
        page.table([(verdict, f"{count:,}") for verdict, count in sorted(sweep.verdicts.items())], right=(1,))
        if failed:
            page.title(f"Without an answer: {counted(len(failed), 'task')}")
            for task, message in failed[:MOST]:
                page.line(task, "bad", indent=2)
                page.lines(message.splitlines(), indent=4)
            if len(failed) > MOST:
                page.line(f"and {len(failed) - MOST:,} more", indent=2)
        if sweep.cut:
            page.line(f"Not all tasks were run: {sweep.cut}.", "warn")
        if left or len(failed) > refused:
            page.line("The same command again does what is missing.", indent=0)
        if refused:
            page.line(AFTER_REFUSAL)
        page.written(sweep.files)


@question
def sweep(
    file: str | Path,
    *,
    out: str | Path,
    to: str = "json",
    engine: str = "local",
    workers: int | None = None,
    master: str | None = None,
    budget: float | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> SweepResult:
    """Answer the questions of a file, each combination of its choices in a task of its own, and write what they say.

    The file is TOML or JSON; `docs/sweeps.md` has its form. `out` is a folder, or a URI that `pyarrow.fs` knows: with a
    file for each task that is done, so that another run does what is missing, and the tables `results` and `measures`,
    as JSON lines or Parquet. Tasks run in `workers` processes (None: one for each processor), or with `engine="spark"`
    on the executors of a `master`. `budget` is in seconds; what is not answered by then is left for another run.

    A task loads the file of its protocol, which runs: a script that sweeps its own class does so under
    `if __name__ == "__main__":`.

    Raises ConfigurationError for a mistake in the file, with its place; EngineError if there is no cluster or nothing
    can be written; UsageError in a file that a sweep loads; Interrupted after Ctrl-C, when what was done is kept.
    """
    if engine == "local" and master is not None:
        raise UsageError("a master is for engine='spark'", "Give both, or neither.")
    if answers_for_another():
        raise UsageError(
            "a file that a sweep loads begins a sweep itself, at its top level, where it would never end",
            "Put that under `if __name__ == '__main__':`.",
        )
    if to == "parquet" and importlib.util.find_spec("pyarrow") is None:
        raise not_installed("Parquet", "pyarrow", "spark", (", or take ", Given("to", "json")))
    tasks = tasks_of(path("file", file))
    found = swept(tasks, Answers(str(out)), cast(Format, to), Where(engine, workers, master), progress, budget)
    return SweepResult(found, str(file))


AFTER_REFUSAL = (
    "What was refused is run again by the same command, and refused again unless you do first what the message says: "
    "smaller bounds or larger limits in the file of the sweep, say."
)
MOST = 10
"""How many failed tasks a report names."""


def _in_words(now: Progress) -> str:
    before = f" ({now.before:,} from before)" if now.before else ""
    last = f", last {now.last}" if now.last else ""
    return f"{now.done:,} of {counted(now.of, 'task')} done{before}{last}, {timed(now.seconds)}"


def _as_object(now: Progress) -> dict[str, Any]:
    said = {"done": now.done, "before": now.before, "tasks": now.of, "last": now.last}
    return {**said, "seconds": round(now.seconds, 3)}


TELLING = Telling(_in_words, _as_object, lambda now: Counted(now.done, now.of))
"""The progress of `epochal sweep`."""
