"""A task of a sweep: one question as plain data, and the key by which its answer is found again.

The key is a digest of everything that the answer depends on: the question, the code that decides and its versions, and
what somebody's own specification was compiled to. Where a task runs, and with how many others, is not in it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from epochal.checker.base.cache import Key
from epochal.checker.base.machine import peak_memory, without_collection
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.engine import key_of
from epochal.checker.identity.specification import reached, whole_digest
from epochal.checker.workers.pool import Answering
from epochal.errors import EngineError, EpochalError
from epochal.exit_codes import ExitCode
from epochal.spec.kraft.guarantees import FAULTS, own_fault
from epochal.spec.language import Protocol
from epochal.spec.language.configurable import split_reference
from epochal.spec.loading import instantiate, load_protocol

if TYPE_CHECKING:
    from epochal.checker.search.result import CheckResult, EvaluationFinding
    from epochal.checker.trace.trace import Trace
    from epochal.spec.kraft.configuration import ConfigurableKraft


@dataclass(frozen=True)
class Task:
    """One question. `about` is which of several of a protocol: a mutant, a fault, an entry, the first seed of walks.

    `meaning` is the digest of what the specification was compiled to; "" for one of Epochal's own, whose sources are
    part of the engine. `engine` is the digest of the code that decides, told once for all tasks of a sweep.
    """

    kind: str
    protocol: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    about: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    meaning: str = ""
    engine: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """The question as JSON values."""
        return {
            "kind": self.kind,
            "protocol": self.protocol,
            "bounds": dict(self.bounds),
            "about": self.about,
            "options": dict(self.options),
        }

    @functools.cached_property
    def key(self) -> Key:
        """What its answer is found by."""
        return key_of(self.engine, "sweep", self.document, self.meaning)

    def __str__(self) -> str:
        """A few words about it, for the progress."""
        values = "/".join(map(str, self.bounds.values()))
        return " ".join(part for part in (self.kind, self.protocol, values, self.about) if part)


# -- subject ----------------------------------------------------------------------------------------------------------
# The protocol that a task is about, loaded where the task runs, and found to be what the task says.


@dataclass(frozen=True)
class Subject:
    """A class of protocols, and that within the bounds of a task."""

    kind: type[Protocol]
    protocol: Protocol


class Changed(Exception):
    """A specification does not mean here what it meant when the sweep began."""


class Subjects:
    """The protocols of tasks. Each is loaded once, so that all its tasks here are about the same."""

    def __init__(self) -> None:
        self._kinds: dict[str, type[Protocol]] = {}
        self._known: dict[tuple[object, ...], tuple[Subject, str]] = {}

    def of(self, task: Task) -> Subject:
        """What a task is about. Raises Changed if it means something else here, and what loading raises."""
        bounds = _bounds_of(task)
        at = task.protocol, tuple(bounds.items()), task.kind in HIDDEN, bool(task.meaning)
        if at not in self._known:
            if task.protocol not in self._kinds:
                self._kinds[task.protocol] = load_protocol(task.protocol)
            kind = self._kinds[task.protocol]
            protocol = instantiate(kind, dict(bounds))
            self._known[at] = Subject(kind, protocol), _meaning_here(protocol, task)
        subject, meaning = self._known[at]
        if meaning != task.meaning:
            del self._known[at]
            raise Changed(task.protocol)
        return subject


class NobodyCanTell(Exception):
    """A rule names a value of which nobody can tell what it is, and an answer may depend on that."""


HIDDEN: Final = ("mutate", "guarantees")
"""The kinds of tasks that look behind conditions: a mutant takes one away, a fault or a bug that is closed has other
settings. They depend on code that was not compiled, and on the values that it names."""


def meaning_of(protocol: Protocol, kind: str) -> str:
    """The digest of all of a specification that an answer of a kind of tasks may depend on.

    Raises what compiling raises, and NobodyCanTell.
    """
    with without_collection():
        compiled = whole_digest(compile_protocol(protocol, lemmas=True))
    if kind not in HIDDEN:
        return compiled
    code = reached(protocol)
    if code is None:
        raise NobodyCanTell
    return hashlib.blake2b(json.dumps([compiled, code]).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _meaning_here(protocol: Protocol, task: Task) -> str:
    if not task.meaning:
        return ""
    try:
        return meaning_of(protocol, task.kind)
    except NobodyCanTell:
        return meaning_of(protocol, "")


def _bounds_of(task: Task) -> Mapping[str, int]:
    """The bounds of what is searched: a fault has some of its own."""
    if task.kind != "guarantees":
        return task.bounds
    fault = next((one for one in FAULTS if one.id == task.about), None) or own_fault(task.about)
    return fault.bounds(dict(task.bounds))


# -- rows -------------------------------------------------------------------------------------------------------------
# What a task answers: rows for the table of a sweep, the same wherever it ran, and apart from them what it took.

COLUMNS: Final = (
    ("task", "string"),
    ("kind", "string"),
    ("protocol", "string"),
    ("bounds", "string"),
    ("about", "string"),
    ("property", "string"),
    ("verdict", "string"),
    ("length", "int64"),
    ("exhaustive", "bool"),
    ("states", "int64"),
    ("steps", "int64"),
    ("depth", "int64"),
    ("state_digest", "string"),
    ("step_digest", "string"),
    ("note", "string"),
    ("trace", "string"),
)
"""The columns of `results`, with their types. `bounds` and `trace` (ITF) are JSON."""

MEASURES: Final = (("task", "string"), ("cpu_seconds", "double"), ("wall_seconds", "double"), ("memory_bytes", "int64"))
"""The columns of `measures`: what each task took. These are others every time."""

Row = dict[str, Any]
Ended = Literal["done", "refused", "failed", "lost"]


@dataclass(frozen=True)
class Outcome:
    """How a task ended. One that is not `done` has no rows and is not kept: `message` says why, with its exit code.

    It is `refused` in words of Epochal, has `failed` by an error that nobody expected, or its process is `lost`. It is
    plain data, which other processes send.
    """

    ended: Ended
    rows: tuple[Row, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    message: str = ""
    exit_code: int = 0


def row(
    task: Task,
    property: str,
    verdict: str,
    length: int | None = None,
    trace: Trace | None = None,
    note: str = "",
    **facts: Any,
) -> Row:
    """A row of `results`; what `facts` do not say is null."""
    from epochal.checker.trace.itf import encode

    known: Row = {
        "task": task.key,
        "kind": task.kind,
        "protocol": task.protocol,
        "bounds": json.dumps(dict(task.bounds)),
        "about": task.about,
        "property": property,
        "verdict": verdict,
        "length": length,
        "note": note or None,
        "trace": None if trace is None else json.dumps(encode(trace), separators=(",", ":")),
        **facts,
    }
    return {name: known.get(name) for name, _ in COLUMNS}


# -- kinds ------------------------------------------------------------------------------------------------------------
# What each kind of task asks of the front door, and the rows that it makes of the answer.

Limits = Mapping[str, Any]
"""What a task may take on this machine, such as `max_memory`: no part of the question."""


def check(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A search: a row for each property and liveness property."""
    from epochal.api.check import check

    options = {"all_violations": True, "workers": 1, **limits, **task.options}
    result = check(subject.protocol, reference=task.protocol, **options)
    yield from _searched(task, result.search)


def _searched(task: Task, search: CheckResult) -> Iterator[Row]:
    _refuse_cut(search.cut_by_machine, search.cut or search.liveness.reason)
    facts = _facts(search)
    for one in search.properties:
        yield row(task, one.member.name, one.verdict, one.length, one.trace, search.cut, **facts)
    for promise in search.liveness.promises:
        note = search.cut or search.liveness.reason
        yield row(task, promise.member.name, promise.verdict, promise.length, promise.trace, note, **facts)
    if search.error is not None:
        yield _failed(task, search.error, facts)
    elif not (search.properties or search.liveness.promises):
        yield row(task, "", "vacuous", note="; ".join(search.vacuous), **facts)


def _failed(task: Task, error: EvaluationFinding, facts: Mapping[str, Any]) -> Row:
    """The row of a rule that cannot be evaluated."""
    return row(task, "", "failed", error.trace.length, error.trace, f"{error.where}: {error.message}", **facts)


def _refuse_cut(by_machine: bool, why: str) -> None:
    """Raise EngineError for what more memory, or another machine, may answer otherwise: such an answer is not kept."""
    if by_machine:
        advice = "Fewer --workers, or on Spark larger executors, give each task more memory."
        raise EngineError(f"not answered: {why}", advice)


def _facts(search: CheckResult) -> dict[str, Any]:
    return {
        "exhaustive": search.exhaustive,
        "states": search.distinct_states,
        "steps": search.transitions,
        "depth": search.depth,
        "state_digest": search.state_digest,
        "step_digest": search.step_digest,
    }


def prove(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A proof by induction: a row for each property, proved or not."""
    from epochal.api.prove import prove

    found = prove(subject.protocol, reference=task.protocol, workers=1, **task.options)
    from epochal.api.proved import ProofResult, matrix_of  # which need Z3: the query refuses to do without

    assert isinstance(found, ProofResult)
    for answer in found.proof.unknown:
        _refuse_cut("mem" in answer.reason, f"{answer.obligation.label}: {answer.reason}")  # "out of memory", "memout"
    verdicts = matrix_of(found.proof).verdicts(found.proof.properties)
    note = ", ".join(answer.obligation.label for answer in found.proof.failed)
    for member in found.proof.properties:
        yield row(task, member.name, verdicts[member.name], note=note, trace=found.counterexample)


def simulate(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """Random walks: a row for each property, with the shortest of them that shows it."""
    from epochal.api.simulate import simulate
    from epochal.checker.semantics.properties import nothing_declared

    seed = int(task.about.removeprefix("seed "))
    found = simulate(subject.protocol, reference=task.protocol, seed=seed, **task.options).simulation
    facts: dict[str, Any] = {
        "exhaustive": False,
        "states": found.distinct_states,
        "steps": found.steps,
        "depth": found.longest,
    }
    for one in found.properties:
        yield row(task, one.member.name, one.verdict, one.length, one.trace, f"{found.runs} runs", **facts)
    if found.error is not None:
        yield _failed(task, found.error, facts)
    elif not found.properties:
        yield row(task, "", "vacuous", note="; ".join(nothing_declared(found.protocol)), **facts)


def catalogue(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """An entry of the catalogue: a row without its rule, and one with it."""
    from epochal.checker.search.engines import search_of
    from epochal.checker.search.result import Options
    from epochal.kafka.catalogue import judged, run
    from epochal.spec.bugs.catalogue import CATALOGUE

    entry = next(one for one in CATALOGUE if one.name == task.about)
    (result,) = run([entry], search_of("native"), Options(workers=1, **limits), None)
    for search in (result.faulty, result.sound):
        _refuse_cut(search.cut_by_machine, search.cut or search.liveness.reason)
    for side, search in (("without the rule", result.faulty), ("with the rule", result.sound)):
        found = judged(search)
        trace = result.trace if search is result.faulty else found.trace
        yield row(task, found.member.name, found.verdict, found.length, trace, side, **_facts(search))


def guarantees(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A fault: a row for each liveness property that it may break."""
    from epochal.kafka.guarantees.cases import Asked
    from epochal.kafka.guarantees.decided import GuaranteeOptions, decided_faults
    from epochal.spec.kraft.guarantees import FAULTS, QUESTIONS, own_fault
    from epochal.spec.language.configurable import configuration_of, without_settings

    kind = subject.kind
    asked = Asked(cast("type[ConfigurableKraft]", without_settings(kind)), split_reference(task.protocol)[0])
    fault = next((one for one in FAULTS if one.id == task.about), None) or own_fault(task.about)
    options = GuaranteeOptions(workers=1, traces=True, max_memory=limits.get("max_memory"))
    found = list(decided_faults(asked, [fault], configuration_of(kind), task.bounds, options, lambda _: None, None))
    if not found or found[0].interrupted:
        raise KeyboardInterrupt
    (decided,) = found
    _refuse_cut(decided.by_machine, decided.cut)
    traces = {trace.property_id: trace for trace in decided.traces}
    facts = {"exhaustive": not decided.cut, "states": decided.states, "depth": decided.depth}
    for question, promise in decided.answers.items():
        trace = traces.get(QUESTIONS[question]) if promise.verdict == "violated" else None
        note = f"behind it: {', '.join(promise.behind)}" if promise.behind else decided.cut
        yield row(task, question, promise.verdict, promise.length, trace, note, **facts)


def mutate(task: Task, subject: Subject, limits: Limits) -> Iterator[Row]:
    """A mutant: one row, with the property that breaks, if one does."""
    from epochal.checker.mutation.result import judge_of

    options = tuple(task.options.items())
    outcome = judge_of(subject.protocol, task.protocol, options, limits.get("max_memory"))(task.about)
    _refuse_cut(outcome.by_machine, outcome.message)
    note = "; ".join(part for part in (outcome.mutant.removed, outcome.message) if part)
    yield row(task, outcome.property, outcome.verdict, outcome.length, note=note)


KINDS: Final[Mapping[str, Callable[[Task, Subject, Limits], Iterator[Row]]]] = {
    "check": check,
    "prove": prove,
    "simulate": simulate,
    "catalogue": catalogue,
    "guarantees": guarantees,
    "mutate": mutate,
}


class Sweeper(Answering[Task, Outcome]):
    """Answers tasks one after the other, within `limits`. What is refused, or cannot be, is an outcome as well."""

    def __init__(self, limits: Mapping[str, Any]) -> None:
        self._limits = limits
        self._subjects = Subjects()

    def answer(self, task: Task, /) -> Outcome:
        """How a task ended."""
        wall, cpu = time.monotonic(), time.process_time()
        try:
            rows = tuple(KINDS[task.kind](task, self._subjects.of(task), self._limits))
        except Changed:
            message = f"{task.protocol} means something else than when the sweep began, or where this task runs"
            again = f"{message}: a file that it reads was changed, say. Run the sweep again"
            return Outcome("refused", message=again, exit_code=int(ExitCode.INCONCLUSIVE))
        except EpochalError as error:
            return Outcome("refused", message=str(error), exit_code=int(error.exit_code))
        except MemoryError:
            return lost(task)
        except Exception as error:  # a bug in Epochal, or in what a specification runs: of this task alone
            message = f"{type(error).__name__}: {error}\n  {ExitCode.INTERNAL_ERROR.advice}"
            return Outcome("failed", message=message, exit_code=int(ExitCode.INTERNAL_ERROR))
        took = {
            "cpu_seconds": round(time.process_time() - cpu, 3),
            "wall_seconds": round(time.monotonic() - wall, 3),
            "memory_bytes": peak_memory(),
        }
        return Outcome("done", rows, took)


def lost(task: Task) -> Outcome:
    """The outcome of a task whose process has ended before it had an answer."""
    message = f"{task}: its process ended before it had an answer: for want of memory, say"
    return Outcome("lost", message=message, exit_code=int(ExitCode.ENGINE_FAILURE))
