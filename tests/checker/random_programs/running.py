"""Running one program: loading it, comparing its readings, and saying what came of it."""

from __future__ import annotations

import linecache
import random
import re
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from types import ModuleType
from typing import Any

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.crosscheck.cross_check import Amount
from epochal.checker.ir.model import Model
from epochal.checker.native.engine import load_kernel
from epochal.checker.native.kernel.kernel import Shape
from epochal.checker.native.llvm.jit import Compiler, MachineCode
from epochal.checker.search import findings as properties
from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import Options
from epochal.checker.solver import bounded
from epochal.checker.solver.bounded import BoundedOptions
from epochal.spec.language import EvaluationError, LanguageError, Protocol
from tests.checker.random_programs.searches import (
    ECONOMY,
    Disagreement,
    compare_bounded,
    compare_searches,
    compare_spark,
    compare_symmetry,
    compare_workers,
    expect,
)
from tests.checker.random_programs.states import States, reached
from tests.checker.symmetry.zoo import random_state

MOST_MADE = 256
"""How many modules of machine code are remembered: after so many all are forgotten."""

_MADE: dict[tuple[str, str, int, bool], bytes] = {}

CPU_LIMIT = 30.0
"""Processor seconds after which a program counts as one that does not end."""


@dataclass(frozen=True)
class Effort:
    """How much is done with a program; `always` does what is otherwise done with some programs only."""

    states: int = 120
    typed: int = 14
    walked: int = 8
    terms: int = 2
    steps: int = 2
    bounded: bool = True
    always: bool = False


@dataclass
class Outcome:
    """What came of a program: it is comparable, refused, or shows a defect (`cause`, with `detail`)."""

    verdict: str
    cause: str = ""
    detail: str = ""
    states: int = 0
    steps: int = 0
    digests: tuple[str, ...] = ()
    seconds: float = 0.0
    notes: dict[str, int] = field(default_factory=dict)


class Endless(BaseException):
    """A program took too long."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise Endless after so many processor seconds."""

    def stop(number: int, frame: object) -> None:
        raise Endless

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@contextmanager
def loaded(text: str, name: str) -> Iterator[ModuleType]:
    """A module made of a text, which is known to `linecache` like that of a file."""
    file = f"/random_programs/{name}.py"
    module = ModuleType(f"random_program_{name}")
    module.__file__ = file
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    sys.modules[module.__name__] = module
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a program that is being shrunk may compare with a constant, say
            exec(compile(text, file, "exec"), module.__dict__)
        yield module
    finally:
        del sys.modules[module.__name__]
        linecache.cache.pop(file, None)


@contextmanager
def economical() -> Iterator[None]:
    """The engines share what they would make alike: compiled model, machine code, kernel."""
    models: dict[int, Model] = {}
    kept: list[Protocol] = []

    def shared(protocol: Protocol, lemmas: bool = False, *_: object, **__: object) -> Model:
        if id(protocol) not in models:
            models[id(protocol)] = compile_protocol(protocol, lemmas)
            kept.append(protocol)
        return models[id(protocol)]

    changes: list[tuple[Any, str, Any]] = [
        (properties, "compile_protocol", shared),
        (bounded, "compile_protocol", shared),
        (breadth_first, "load_kernel", _kernel),
        (Compiler, "compile", _compiled_once(Compiler.compile)),
        (Compiler, "kept", lambda *_: None),
    ]
    before = [(owner, name, getattr(owner, name)) for owner, name, _ in changes]
    for owner, name, new in changes:
        setattr(owner, name, new)
    try:
        yield
    finally:
        for owner, name, old in before:
            setattr(owner, name, old)


@lru_cache(maxsize=64)
def _kernel_of(shape: Shape) -> MachineCode:
    return load_kernel(Compiler(), shape)


def _kernel(compiler: Compiler, shape: Shape) -> MachineCode:
    return _kernel_of(shape)


def _compiled_once(compile: Callable[..., bytes]) -> Callable[..., bytes]:
    def compiled(self: Compiler, text: str, level: int, passes: bool) -> bytes:
        key = (self.identity, text, level, passes)
        if key not in _MADE:
            if len(_MADE) >= MOST_MADE:
                _MADE.clear()
            _MADE[key] = compile(self, text, level, passes)
        return _MADE[key]

    return compiled


def run(text: str, name: str, *, symmetric: bool = False, effort: Effort | None = None) -> Outcome:
    """Compare the readings of a program."""
    started = time.process_time()
    outcome = Outcome("comparable")
    try:
        with limited(CPU_LIMIT), economical(), loaded(text, name) as module:
            _compare(module.P, outcome, effort or Effort(), random.Random(name), symmetric)
    except Disagreement as error:
        outcome.verdict, outcome.cause, outcome.detail = "failed", error.cause, str(error)
    except Endless:
        outcome.verdict, outcome.cause = "failed", "does not end"
    except LanguageError as error:
        outcome.cause, outcome.detail = _kind(error.message), str(error)
        told = error.where is not None and error.where.line > 0 and error.where.file.endswith(f"/{name}.py")
        outcome.verdict = "refused" if told and error.advice else "failed"
        if outcome.verdict == "failed":
            outcome.cause = f"refused without {'advice' if told else 'its line'}: {outcome.cause}"
    except EvaluationError as error:
        outcome.verdict, outcome.cause, outcome.detail = "refused", f"initial: {_kind(error.message)}", str(error)
    except RecursionError as error:
        outcome.verdict, outcome.cause, outcome.detail = "failed", "RecursionError", _shown(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        short = place.filename.rsplit("/random/", 1)[-1]
        outcome.verdict = "failed"
        outcome.cause = f"{type(error).__name__} in {short}:{place.name}: {_kind(str(error))[:80]}"
        outcome.detail = _shown(error)
    outcome.seconds = time.process_time() - started
    return outcome


def _shown(error: Exception) -> str:
    lines = traceback.format_exception(error)
    return "".join(lines if len(lines) < 40 else [*lines[:20], "  ...\n", *lines[-20:]])


def _kind(message: str) -> str:
    """A message without what differs from program to program."""
    line = message.splitlines()[0] if message else ""
    return re.sub(r"\bn\d\b|-?\b\d+\b|[a-z]+\d+\b|'[^']*'", "_", line)[:110]


def _compare(kind: type[Protocol], outcome: Outcome, effort: Effort, dice: random.Random, symmetric: bool) -> None:
    protocol = kind()
    amount: Amount = "all" if effort.always or dice.random() < 0.1 else "off"
    everything = Options(all_violations=True, max_states=effort.states, workers=1, cross_check=amount)
    native = breadth_first.check(protocol, everything, tuning=ECONOMY)
    assert native.model is not None
    outcome.states, outcome.steps = native.distinct_states, native.transitions
    outcome.notes = {
        "exhaustive": not native.cut,
        "violated": any(p.verdict == "violated" for p in native.properties),
        "failing rule": native.error is not None,
    }
    states = States(protocol, native.model)
    for number in range(effort.typed):
        states.compare(random_state(protocol, dice), terms=number < effort.terms)
    for number, codes in enumerate(reached(protocol, dice, effort.walked)):
        states.compare(codes, terms=number < 1)
    python = reference_engine.check(protocol, everything, tuning=ECONOMY)
    outcome.digests = python.state_digest, python.step_digest
    compare_searches(python, native)
    if effort.always or dice.random() < (0.3 if outcome.notes["violated"] else 0.1):
        first = Options(max_states=effort.states, workers=1, cross_check="off")
        compare_searches(
            reference_engine.check(protocol, first, tuning=ECONOMY),
            breadth_first.check(protocol, first, tuning=ECONOMY),
            "first violation",
        )
    if effort.always or dice.random() < 0.1:
        compare_workers(protocol, everything, native)
    if not native.cut and (effort.always or dice.random() < 0.03):
        compare_spark(protocol, everything, native)
        outcome.notes["spark"] = 1
    if effort.bounded:
        names = tuple(p.member.name for p in native.properties)
        asked = BoundedOptions(effort.steps, names, all_violations=True, cross_check=20 if amount == "all" else "off")
        found = bounded.bounded_search(protocol, asked)
        compare_bounded(native, found)
    if dice.random() < 0.02:
        once, again = (len(compile_protocol(kind()).graph.table) for _ in range(2))
        expect("compiled twice", once, again)
    if symmetric or (dice.random() < 0.1 and _has_names(protocol)):
        outcome.notes[compare_symmetry(protocol, everything)] = 1


def _has_names(protocol: Protocol) -> bool:
    return any("Identifier" in type(leaf.domain).__name__ for leaf in protocol.leaves)
