"""An answer that is kept is never given after something that it rests on has changed.

The table: each way in which a specification depends on something, by each command that keeps answers. Whoever keeps
them must say what holds now, though he has answered before.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

import epochal
from epochal.checker.gate import cache
from epochal.checker.gate.record import Lock, lock_text
from epochal.checker.identity import engine
from epochal.checker.workers.pool import one_by_one
from epochal.exit_codes import ExitCode
from epochal.sweeps import sweep as sweeping
from epochal.sweeps.task import Sweeper
from tests.checker.identity.ways import ROWS, RULES, Row, text


@pytest.fixture(scope="module")
def machine_code(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of all rows: the code of the search is compiled once."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(tmp_path: Path, machine_code: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder where one works, without results of others, and modules that are forgotten."""
    monkeypatch.setenv("EPOCHAL_CACHE_DIR", str(machine_code))
    cache.clear()
    monkeypatch.setenv("EPOCHAL_TEST_STOP", "3")
    monkeypatch.setattr(engine, "STARTED", engine.STARTED + 1e9)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sweeping, "apart", lambda *_: nullcontext(lambda p, q: one_by_one(Sweeper, p, q)))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    before = set(sys.modules)
    yield work
    forget(before)


FIRST = {"check": "holds", "prove": "proved", "mutate": "violated", "simulate": "unknown"}
SECOND = {"check": "violated", "prove": "not proved", "mutate": "nothing", "simulate": "violated"}
"""What is said of `low` in the first state and in the second, in which no mutant has anything left to break."""
KINDS = tuple(FIRST)


def forget(before: set[str]) -> None:
    """What was imported, as a process that begins has not imported it."""
    here = str(Path.cwd())
    for name in set(sys.modules) - before:
        module = sys.modules[name]
        places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", ())]
        if any(place.startswith((here, "limits.zip", "lib/")) for place in places):
            del sys.modules[name]
    importlib.invalidate_caches()
    sys.path_importer_cache.clear()


def put(row: Row, value: int) -> None:
    """Bring a state about."""
    row.put(value)
    if not row.whole:
        text("p.py", row.head if "class P" in row.head else row.head + RULES)


def gate() -> tuple[int, str]:
    """What the gate says of the model, and where its record is from."""
    result = epochal.gate()
    (model,) = result.to_dict()["models"]
    return int(result.exit_code), model["source"]


def swept() -> dict[str, str]:
    """What each task of a sweep says of `low`, if it was answered now; of a kept answer that it was given before."""
    text("s.toml", "".join(f'[[task]]\n{kind} = "p.py:P"\n' for kind in KINDS) + "runs = 20\n")
    result = epochal.sweep("s.toml", out="swept")
    assert result.exit_code == 0, result.to_dict()["failed"]
    told = [json.loads(line) for line in Path("swept/results.jsonl").read_text().splitlines()]
    found = {one["kind"]: one["verdict"] for one in told if one["property"] == "low"}
    return {kind: found.get(kind, "nothing") if result.sweep.done else "before" for kind in KINDS}


def proved() -> int:
    """The exit code of a proof of `low`, of which the solver's answers are kept."""
    return int(epochal.prove(epochal.load("p.py:P")).exit_code)


@pytest.mark.parametrize("name", ROWS)
def test_no_answer_of_before(name: str, folder: Path) -> None:
    row, before = ROWS[name], set(sys.modules)
    put(row, 3)
    text("epochal.toml", '[model.m]\nprotocol = "p.py:P"\n')
    text("epochal.lock.json", lock_text(Lock({})))
    assert gate() == (ExitCode.DRIFTED, "search"), "it is new"
    assert swept() == FIRST and proved() == ExitCode.HOLDS
    forget(before)
    assert gate()[1] == "cache" and set(swept().values()) == {"before"}, "what has not changed is found again"
    forget(before)
    put(row, 5)
    assert gate() == (ExitCode.VIOLATED, "search")
    forget(before)
    assert swept() == SECOND and proved() in (ExitCode.NOT_PROVED, ExitCode.VIOLATED)


def test_another_engine_is_asked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was repaired, say. The specification is the same, and so is what it was compiled to."""
    put(ROWS["a file"], 3)
    text("epochal.toml", '[model.m]\nprotocol = "p.py:P"\n[model.own]\nprotocol = "balancing-kraft"\n')
    text("epochal.lock.json", lock_text(Lock({})))

    def sources() -> list[str]:
        return [model["source"] for model in epochal.gate().to_dict()["models"]]

    assert sources() == ["search", "search"] and swept() == FIRST
    assert sources() == ["cache", "cache"] and set(swept().values()) == {"before"}
    told = engine.versions()
    monkeypatch.setattr(engine, "versions", lambda: {**told, "z3-solver": "another"})
    assert sources() == ["search", "search"] and swept() == FIRST
