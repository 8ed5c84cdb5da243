"""Code that is made beside a search: swapped in when it is there, given up where the system does not allow it."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.native import engine
from epochal.checker.native.engine import BackgroundCode, CodeApart, NativeModel
from epochal.checker.native.llvm.jit import Compiler, MachineCode
from epochal.checker.native.runtime.worker_pool import WorkerPool
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import native as breadth_first
from epochal.checker.search.native import BetterCode
from epochal.checker.search.result import Options
from tests.checker.search.models import classic
from tests.checker.search.test_workers import everything

ANSWER = "define i64 @answer() {\n  ret i64 42\n}\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is kept from before."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))


def answer(code: MachineCode | None) -> int | None:
    return None if code is None else int(code.function("answer", ctypes.c_int64)())


@pytest.mark.parametrize("kind", [BackgroundCode, CodeApart])
def test_made_once_and_kept(kind: type[BackgroundCode] | type[CodeApart]) -> None:
    """It can be taken once; the next time it is there at once."""
    first = kind(Compiler(), ANSWER, 2, True)
    assert first.taken() is None, "nothing is compiled before it is asked for"
    first.begin(wait=True)
    assert answer(first.taken()) == 42 and first.taken() is None
    assert answer(kind(Compiler(), ANSWER, 2, True).taken()) == 42


def test_a_text_that_cannot_be_compiled() -> None:
    code = CodeApart(Compiler(), "define nonsense", 2, True)
    code.begin(wait=True)
    with pytest.raises(RuntimeError, match="expected type"):
        code.taken()


def test_a_process_that_is_ended_or_not_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no such code then, and nothing to tell: the search goes on with what it has."""
    code = CodeApart(Compiler(), ANSWER, 2, True)
    code.begin()
    assert code._process is not None
    code._process.kill()
    code._process.wait()
    assert code.taken() is None and code.taken() is None

    def refused(*_: Any, **__: Any) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(subprocess, "Popen", refused)
    none = CodeApart(Compiler(), ANSWER, 2, True)
    none.begin(wait=True)
    assert none.taken() is None


def test_the_end_does_not_wait() -> None:
    code = CodeApart(Compiler(), ANSWER, 2, True)
    code.begin()
    process = code._process
    assert process is not None
    code.close()
    assert process.returncode is not None


def test_swapped_in_while_a_search_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """First quick code, then optimised code, then that of LLVM's passes; results are what they are without."""
    protocol = classic("kip-101", 3, 1, 1, 1)
    options = Options(all_violations=True, workers=2)
    never = Tuning(optimise_after=float("inf"))
    expected = everything(breadth_first.check(protocol, options, tuning=never))
    used: list[MachineCode] = []

    def use(pool: WorkerPool, program: MachineCode) -> None:
        used.append(program)
        used_by(pool, program)

    def swap_in(better: BetterCode, pool: WorkerPool, seconds: float, spare: int) -> None:
        if pool.count > 1_000:
            natives[-1].optimise(wait=True)
        if pool.count > 2_000:
            natives[-1].optimise_thoroughly(wait=True)
        swapped_in(better, pool, seconds, spare)

    def made(self: NativeModel, *arguments: Any, **named: Any) -> None:
        natives.append(self)
        making(self, *arguments, **named)

    natives: list[NativeModel] = []
    used_by, swapped_in, making = WorkerPool.use, BetterCode.swap_in, NativeModel.__init__
    monkeypatch.setattr(engine, "PASSES_FROM", 0)
    monkeypatch.setattr(WorkerPool, "use", use)
    monkeypatch.setattr(BetterCode, "swap_in", swap_in)
    monkeypatch.setattr(NativeModel, "__init__", made)
    tuning = Tuning(optimise_after=0.0, optimise_after_each=0.0, quantum=100, share_from=1_500)
    assert everything(breadth_first.check(protocol, options, tuning=tuning)) == expected
    assert len({id(program) for program in used}) == 3
    used.clear()
    assert everything(breadth_first.check(protocol, options, tuning=tuning)) == expected
    assert len({id(program) for program in used}) == 1, "the best is in the cache"


@pytest.mark.parametrize(("seconds", "spare", "begun"), [(1.0, 1 << 40, False), (1e9, 0, False), (1e9, 1 << 40, True)])
def test_it_begins_late_and_where_there_is_memory(
    seconds: float, spare: int, begun: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a long search gains more than it costs."""
    from epochal.checker.compile.compiler import compile_protocol

    monkeypatch.setattr(engine, "PASSES_FROM", 0)
    monkeypatch.setattr(engine.CodeApart, "_start", lambda _: starts.append(1))
    starts: list[int] = []
    model = compile_protocol(classic("kip-101", 2, 1, 1, 1))
    better = BetterCode(NativeModel(model), 0, Tuning(optimise_thoroughly_after_each=0.1, eight=False))

    class Pool:
        count = 1

        def use(self, program: MachineCode) -> None:
            """Takes whatever there is."""

    better.swap_in(Pool(), seconds, spare)  # type: ignore[arg-type]
    assert bool(starts) == begun


def test_a_function_keeps_the_code_that_it_is_in() -> None:
    """Nobody else holds it: code that is freed may be anything when it is called."""

    def alone() -> tuple[Callable[[], int], weakref.ref[MachineCode]]:
        code = Compiler().loaded(ANSWER, 0, False)
        return code.function("answer", ctypes.c_int64), weakref.ref(code)

    function, code = alone()
    gc.collect()
    assert code() is not None and function() == 42
    del function
    gc.collect()
    assert code() is None
