"""What Epochal's own specifications were compiled to is kept, under a key that holds everything it depends on."""

from __future__ import annotations

import json
import os
import time
import zlib
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from epochal.checker.identity import engine as identity
from epochal.checker.identity import specification as written
from epochal.checker.ir.expression import Expression
from epochal.checker.ir.graph import Graph
from epochal.checker.ir.model import Model
from epochal.checker.native import engine
from epochal.checker.native.engine import CodeApart
from epochal.checker.native.llvm.jit import Compiler, MachineCode
from epochal.checker.native.runtime.worker_pool import WorkerPool
from epochal.checker.native.tuning import Tuning
from epochal.checker.search import compile_cache
from epochal.checker.search import native as breadth_first
from epochal.checker.search import run as frame
from epochal.checker.search.compile_cache import PROGRAMS, program_key
from epochal.checker.search.result import CheckResult, Options
from epochal.checker.search.spark import driver
from epochal.checker.search.spark.driver import Cluster
from epochal.checker.semantics.properties import all_properties
from epochal.checker.symmetry import canonical
from epochal.checker.symmetry.canonical import Reduction
from epochal.spec.balancing.policies import KraftBalancing
from epochal.spec.classic.kip_320 import Kip320
from epochal.spec.kraft.configuration import configured
from epochal.spec.language import Protocol, invariant
from epochal.spec.loading import with_questions
from tests.checker.compile.zoo import Derived
from tests.checker.search.spark.faults import in_process


@pytest.fixture(autouse=True)
def sources_are_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cache of the test's own, and files that nobody changes while the tests run."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(identity, "STARTED", identity.STARTED + 1e9)


def key(protocol: Protocol, lemmas: bool = False) -> str | None:
    """The key of a protocol with all its properties."""
    return program_key(protocol, all_properties(protocol, lemmas))


def test_a_second_search_does_not_compile_and_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    options = Options(liveness=True)
    first = breadth_first.check(KraftBalancing(), options)
    assert len(list(PROGRAMS.entries())) == 1
    monkeypatch.setattr(compile_cache, "compiled_for", None)  # whoever compiles now fails
    second = breadth_first.check(KraftBalancing(), options)
    assert second.state_digest == first.state_digest
    assert second.step_digest == first.step_digest
    assert second.actions == first.actions
    assert second.warnings == first.warnings
    assert [(one.member.name, one.verdict) for one in second.properties] == [
        (one.member.name, one.verdict) for one in first.properties
    ]
    assert first.liveness.promises
    assert [(one.member.name, one.verdict) for one in second.liveness.promises] == [
        (one.member.name, one.verdict) for one in first.liveness.promises
    ]


def test_code_for_eight_states_is_found_without_its_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short search has no time to write it."""
    used: list[object] = []
    use = WorkerPool.use_eight

    def noted(pool: WorkerPool, kind: engine.Kind, code: MachineCode | None) -> None:
        if kind == engine.STEPS:
            used.append(code)
        use(pool, kind, code)

    first = breadth_first.check(Kip320(replicas=2), Options(workers=1), tuning=Tuning(eight=True))
    monkeypatch.setattr(engine, "eight_steps_text", None)  # whoever writes it now fails
    monkeypatch.setattr(WorkerPool, "use_eight", noted)
    tuning = Tuning(eight_from=10, tried_on=10, quantum=10)
    second = breadth_first.check(Kip320(replicas=2), Options(workers=1), tuning=tuning)
    assert used and used[0] is not None
    assert (second.state_digest, second.step_digest) == (first.state_digest, first.step_digest)


def test_an_entry_of_somebody_else_is_compiled_again() -> None:
    first = breadth_first.check(KraftBalancing(), Options())
    (name,) = PROGRAMS.entries()
    at = PROGRAMS.path(name)
    at.write_bytes(b"x" + at.read_bytes()[1:])
    assert breadth_first.check(KraftBalancing(), Options()).state_digest == first.state_digest


def test_the_key_tells_protocols_apart() -> None:
    kinds: list[Protocol] = [
        Kip320(),
        Kip320(replicas=2),
        Kip320(replicas=3, records=1),
        configured()(),
        configured(kafka="3.5")(),
    ]
    kinds += [configured(acks="1")(), configured(acks="1", kafka="3.5")(), KraftBalancing()]
    keys = [key(one) for one in kinds]
    assert None not in keys
    assert len(set(keys)) == len(keys)
    assert key(Kip320()) == keys[0]
    assert key(configured(kafka="3.5")()) == keys[4]  # another class of the same settings
    assert program_key(Kip320(), all_properties(Kip320())[:1]) != keys[0]


@pytest.mark.parametrize("protocol", [Kip320(replicas=2), KraftBalancing()], ids=["kip-320", "balancing"])
def test_the_working_folder_decides_nothing(
    protocol: Protocol, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Lines of Epochal's own are shown alike wherever one works: all of what is kept is the same."""
    before, told = key(protocol), [str(member.where) for member in all_properties(protocol)]
    breadth_first.check(protocol, Options())
    (name,) = PROGRAMS.entries()
    kept = PROGRAMS.read(name)
    PROGRAMS.path(name).unlink()
    monkeypatch.chdir(tmp_path)
    assert key(protocol) == before is not None
    assert [str(member.where) for member in all_properties(protocol)] == told
    breadth_first.check(protocol, Options())
    assert list(PROGRAMS.entries()) == [name]
    assert PROGRAMS.read(name) == kept is not None


def test_the_key_holds_how_files_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(Kip320())
    monkeypatch.setattr(written, "shown_path", lambda file: f"elsewhere/{file}")
    assert key(Kip320()) not in (before, None)


def test_the_key_holds_the_code_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(Kip320())
    owner = next(one for one in Kip320.__mro__ if "weak_isr" in vars(one))

    def weak_isr(self: Protocol) -> bool:
        return True

    monkeypatch.setattr(owner, "weak_isr", invariant(weak_isr))
    assert key(Kip320()) not in (before, None)


def test_the_key_holds_the_code_of_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(Kip320())
    monkeypatch.setattr(Graph, "min", Graph.max)
    changed = key(Kip320())
    assert changed not in (before, None)
    times = [0]
    monkeypatch.setattr(Graph, "add", lambda self, a, b: times[0])
    assert key(Kip320()) is None  # what it does depends on more than code


def test_the_key_holds_the_values_that_a_function_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where they are changed after it was asked for once, and what is known of a function is remembered."""

    def add(self: Graph, a: Expression, b: Expression, c: int = 0, *, d: int) -> Expression:
        return a

    def other(self: Graph, a: Expression, b: Expression, c: int = 0, *, d: int) -> Expression:
        return b

    monkeypatch.setattr(Graph, "add", add)
    keys = [key(Kip320())]
    assert key(Kip320()) == keys[0]
    changes: list[tuple[str, Any]] = [
        ("__defaults__", (1,)),
        ("__defaults__", (True,)),
        ("__code__", other.__code__),
        ("__module__", "elsewhere"),
        ("__kwdefaults__", {"d": 1}),
        ("__kwdefaults__", {"d": 2}),
    ]
    for name, value in changes:
        monkeypatch.setattr(add, name, value)
        keys.append(key(Kip320()))
    assert None not in keys
    assert len(set(keys)) == len(keys)
    monkeypatch.setattr(add, "__defaults__", ([],))
    assert key(Kip320()) is None  # nothing tells what a list will have in it


def test_the_key_holds_the_sources(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in identity.COMPILER:
        at = tmp_path / name if name.endswith(".py") else tmp_path / name / "one.py"
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(written, "folder_of", identity.folder_of)
    monkeypatch.setattr(identity, "folder_of", lambda place: tmp_path / place)
    monkeypatch.setattr(identity, "_listings", {})
    monkeypatch.setattr(identity, "_first", {})
    keys = [key(Kip320())]
    for name in identity.COMPILER:
        at = tmp_path / name if name.endswith(".py") else tmp_path / name / "one.py"
        at.write_text("x = 2\n", encoding="utf-8")
        identity._first.clear()  # as another process begins
        keys.append(key(Kip320()))
    (tmp_path / "spec/deep").mkdir()
    (tmp_path / "spec/deep/new.py").write_text("x = 1\n", encoding="utf-8")
    identity._first.clear()
    keys.append(key(Kip320()))
    assert None not in keys
    assert len(set(keys)) == len(keys)
    os.utime(tmp_path / "checker/compile/one.py", (1e11, 1e11))
    assert key(Kip320()) is None  # it was changed after this process had begun
    (tmp_path / "checker/compile/one.py").unlink()
    assert key(Kip320()) is None


class Mine(Kip320):
    """Somebody's protocol, made of one of Epochal's."""


def test_only_what_stands_in_the_sources_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "question.py"
    file.write_text("def always(self):\n    return True\n", encoding="utf-8")
    asked = with_questions(Kip320, [f"{file}:always"])
    dynamic = type("Kip320", (Kip320,), {"__module__": Kip320.__module__, "fast": lambda self: True})
    for kind in (Mine, Derived, asked, dynamic):
        assert key(kind()) is None


def test_what_does_not_tell_identifiers_apart_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """That is found out once, for the properties that are asked for; and a search of every state has its own."""
    options = Options(symmetry=True, all_violations=True)
    checks: list[bool] = []

    def noted(model: Model, properties: Collection[str], checked: bool) -> Reduction:
        checks.append(not checked)
        return Reduction(model, properties, checked)

    monkeypatch.setattr(frame, "Reduction", noted)
    whole = breadth_first.check(Kip320(replicas=2), Options(all_violations=True))
    first = breadth_first.check(Kip320(replicas=2), options)
    breadth_first.check(Kip320(replicas=2), replace(options, properties=("weak_isr",)))
    assert len(list(PROGRAMS.entries())) == 3
    assert first.distinct_states < whole.distinct_states
    assert checks == [True, True]
    monkeypatch.setattr(compile_cache, "compiled_for", None)  # whoever compiles now fails
    second = breadth_first.check(Kip320(replicas=2), options)
    assert (second.state_digest, second.step_digest) == (first.state_digest, first.step_digest)
    assert [len(one.trace.steps) for one in second.properties if one.trace] == [
        len(one.trace.steps) for one in first.properties if one.trace
    ]
    assert checks == [True, True, False]


def test_a_recipe_that_is_new_is_kept_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short search writes no code for eight states of a large program; a longer one does, and the next knows it."""
    monkeypatch.setattr(engine, "LARGE", 0)
    kept = []
    for eight in (False, True, True):
        breadth_first.check(Kip320(replicas=2), Options(workers=1), tuning=Tuning(eight=eight))
        (name,) = PROGRAMS.entries()
        kept.append(PROGRAMS.read(name))
    assert kept[0] != kept[1] == kept[2]
    monkeypatch.setattr(engine, "eight_steps_text", None)  # whoever writes it now fails
    breadth_first.check(Kip320(replicas=2), Options(workers=1), tuning=Tuning(eight=True))


def test_a_search_on_spark_begins_with_what_was_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Either engine begins with what the other has kept, and a native search adds the recipes of its code."""
    protocol = Kip320(replicas=2)

    def on_spark(folder: str) -> CheckResult:
        cluster = Cluster("local[2]", str(tmp_path / folder), start=in_process)
        return driver.check(protocol, Options(all_violations=True), cluster)

    first = on_spark("first")
    (name,) = PROGRAMS.entries()
    kept = PROGRAMS.read(name)
    monkeypatch.setattr(compile_cache, "compiled_for", None)  # whoever compiles now fails
    second = on_spark("second")
    native = breadth_first.check(protocol, Options(all_violations=True, workers=1), tuning=Tuning(eight=True))
    for one in (second, native):
        assert (one.state_digest, one.step_digest) == (first.state_digest, first.step_digest)
    assert list(PROGRAMS.entries()) == [name] and PROGRAMS.read(name) != kept


def test_the_key_holds_what_decides_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever finds that a specification does not tell identifiers apart must be who is asked now."""

    def own() -> str | None:
        return program_key(Kip320(), all_properties(Kip320()), [])

    plain, before = key(Kip320()), own()
    assert before not in (plain, None)
    with monkeypatch.context() as patched:
        patched.setattr(canonical._Exchange, "check", canonical._Exchange._initial_states)
        assert own() not in (before, None)
    with monkeypatch.context() as patched:
        patched.setattr(identity, "versions", lambda: {"z3-solver": "0"})
        assert own() not in (before, None)
    assert own() == before
    for name in ("checker/search/run.py", "checker/smt/terms.py", "checker/symmetry/canonical.py"):
        assert any(name == one or name.startswith(f"{one}/") for one in identity.PARTS["symmetric programs"])


def test_code_that_is_not_ready_in_time_is_there_next_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a search has begun for a large program is finished after it, so it is begun once."""
    monkeypatch.setattr(engine, "LARGE", 0)
    protocol, options = Kip320(replicas=2), Options(workers=1)
    tuning = Tuning(eight_from=10, quantum=10, optimise_after=0.0, optimise_after_each=0.0, write_eight_after_each=0.0)
    begun: list[bool] = []
    start = CodeApart.begin

    def begin(self: CodeApart, wait: bool = False) -> None:
        begun.append(self._process is None and not self._begun)
        start(self, wait)

    monkeypatch.setattr(CodeApart, "begin", begin)
    first = breadth_first.check(protocol, options, tuning=tuning)
    assert any(begun)
    (name,) = PROGRAMS.entries()
    recipe = json.loads(zlib.decompress(PROGRAMS.read(name) or b""))["recipes"]
    steps = next(one for kind, one in recipe.items() if kind.startswith("steps"))
    until = time.monotonic() + 60
    while Compiler().kept_by(steps) is None:
        assert time.monotonic() < until
        time.sleep(0.05)
    monkeypatch.setattr(engine, "eight_steps_text", None)  # whoever writes it now fails
    begun.clear()
    second = breadth_first.check(protocol, options, tuning=tuning)
    assert not any(begun)
    assert (second.state_digest, second.step_digest) == (first.state_digest, first.step_digest)
