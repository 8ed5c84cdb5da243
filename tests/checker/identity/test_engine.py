"""What decides is told as a whole, and nothing is kept without it."""

from __future__ import annotations

import ast
import os
import time
from pathlib import Path

import pytest

from epochal.checker.base.cache import Cache
from epochal.checker.identity import engine
from epochal.checker.identity.engine import PARTS, Part, engine_here, key, key_of, versions
from tests.house.test_architecture import MODULES, ROOT, imported

BEGINS: dict[Part, tuple[str, ...]] = {
    "programs": (
        "checker.compile.compiler",
        "checker.native.program.program",
        "checker.ir.model",
        "checker.dominance.budgets",
    ),
    "symmetric programs": ("checker.compile.compiler", "checker.symmetry.canonical", "checker.smt.terms"),
    "proofs": ("checker.solver.answer",),
    "unbounded proofs": ("checker.unbounded.ladder",),
}
"""Where each part begins: the modules that make what is kept of what the key has of the question."""
DECIDES_NOTHING = ("errors", "exit_codes", "sentences", "checker.base.", "checker.workers.pool")
"""Modules that only say what goes wrong, measure, or hand questions out."""

CACHES = {
    ("checker/gate/cache.py", "results"): "answers",
    ("checker/search/compile_cache.py", "programs"): "programs",
    ("checker/native/llvm/jit.py", "objects"): "machine code",
    ("checker/solver/dispatch.py", "proofs"): "proofs",
    ("checker/unbounded/proof.py", "unbounded"): "unbounded proofs",
    ("checker/unbounded/proof.py", "unbounded-likely"): "proofs",
    (
        "src/epochal/kafka/lockstep/harness.py",
        "lockstep",
    ): "no answer: Java that is compiled, by its sources and the jars",
    ("cli/commands/check.py", "checkpoints"): "no answer: which checkpoint was written last",
}
"""All that is kept on a machine. A new cache is a line here, and rows of `test_stale.py`."""


@pytest.fixture(autouse=True)
def sources_are_old(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that nobody changes while the tests run."""
    monkeypatch.setattr(engine, "STARTED", engine.STARTED + 1e9)


def reached(begins: tuple[str, ...]) -> set[str]:
    """The modules that some modules are made of."""
    waiting, found = list(begins), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imported(name)
    return found


@pytest.mark.parametrize("part", BEGINS)
def test_a_part_has_all_that_it_is_made_of(part: Part) -> None:
    """A module that decides with others, and is not in the key, would let an old answer come back."""
    missing = []
    for name in reached(BEGINS[part]):
        file = MODULES[name].relative_to(ROOT).as_posix()
        known = any(file == place or file.startswith(f"{place}/") for place in PARTS[part])
        if not known and not f"{name}.".startswith(DECIDES_NOTHING):
            missing.append(file)
    assert sorted(missing) == []


def test_answers_have_every_source_but_the_command_lines() -> None:
    found = {file for file, _ in engine._source_files(PARTS["answers by text"])}
    tops = ("src", "checker", "spec")
    product = [path for top in tops for kind in ("*.py", "*.ll") for path in (ROOT / top).rglob(kind)]
    assert found == {path.resolve() for path in product if "cli" not in path.parts}
    own = {file for file, _ in engine._source_files(PARTS["answers"])}
    assert {file.relative_to(ROOT).parts[:2] for file in found - own} >= {("spec", "kraft"), ("spec", "classic")}
    assert not any(file.relative_to(ROOT).parts[:2] == ("spec", "language") for file in found - own)


def test_the_key_has_question_part_and_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [key(part, "question", 1) for part in PARTS] + [key("answers", "question", 2), key("answers", "other", 1)]
    assert None not in keys and len(set(keys)) == len(keys) and keys[0] == key("answers", "question", 1)
    assert {"python", "llvmlite", "z3-solver"} <= versions().keys() and all(versions().values())
    for name in versions():
        with monkeypatch.context() as patched:
            patched.setattr(engine, "versions", lambda name=name: {**versions(), name: "another"})
            for part in PARTS:
                assert key(part, "question", 1) not in (None, *keys)


def test_the_key_has_the_bytes_of_every_source(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for place in PARTS["proofs"]:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(engine, "folder_of", lambda place: tmp_path / place)
    monkeypatch.setattr(engine, "_listings", {})
    monkeypatch.setattr(engine, "_first", {})
    keys = [key("proofs", "question")]
    for place in PARTS["proofs"]:
        (tmp_path / place).write_text("x = 2\n", encoding="utf-8")
        assert key("proofs", "question") is None, "the code that runs is the old one"
        engine._first.clear()  # as another process begins
        keys.append(key("proofs", "question"))
    assert None not in keys and len(set(keys)) == len(keys)
    os.utime(tmp_path / PARTS["proofs"][0], (0, 0))
    monkeypatch.setattr(engine, "STARTED", time.time())
    assert key("proofs", "question") is None, "a program can choose the time of a file, not that of its last change"


def test_nothing_is_kept_while_nobody_knows_which_code_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A source file that is younger than this process may have been imported before it was changed."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(engine, "STARTED", 0.0)
    assert key("answers", "question") is None and key("machine code", "question") is not None
    assert engine_here("answers") != engine_here("answers"), "a sweep has keys that nobody else finds"
    some = Cache("some", "bin", most=3)
    assert not some.write(None, b"content") and some.read(None) is None and not list(tmp_path.iterdir())


def test_where_the_engine_is_known_already_the_key_needs_no_file() -> None:
    assert key_of("engine", 1, {"a": 2}) == key_of("engine", 1, {"a": 2}) != key_of("another", 1, {"a": 2})


def test_every_cache_is_known() -> None:
    found = set()
    for top in ("src", "checker", "spec", "cli"):
        for path in (ROOT / top).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Cache":
                    (kind, *_) = node.args
                    assert isinstance(kind, ast.Constant)
                    found.add((path.relative_to(ROOT).as_posix(), kind.value))
    assert found == CACHES.keys()


def test_keys_are_made_in_one_place() -> None:
    """Whoever needs another way to ask "is this still the same?" adds it there."""
    makers = set()
    for top in ("src", "checker", "spec", "cli"):
        for path in (ROOT / top).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "Key(" in text.replace("CacheKey(", "") or 'cast("Key"' in text or "file_digest(" in text:
                makers.add(path.relative_to(ROOT).as_posix())
    assert makers == {
        "checker/base/cache.py",
        "checker/base/files.py",
        "checker/identity/engine.py",
        "cli/commands/check.py",
        "src/epochal/kafka/lockstep/class_path.py",  # the jars of a Kafka
    }
