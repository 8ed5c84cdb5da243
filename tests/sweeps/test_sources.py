"""What an answer of a sweep depends on besides its question: files of somebody's own, and versions."""

from __future__ import annotations

import py_compile
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.sweeps import kinds
from epochal.sweeps.expand import tasks_of
from epochal.sweeps.sources import changed
from epochal.sweeps.task import Task, versions

MINE = """
import json
from pathlib import Path
from epochal.spec.classic.kip_320 import Kip320
from {helper} import LIMIT

class Mine(Kip320):
    pass

class Other(Kip320):
    pass
"""


BOUNDS = "bounds = { replicas = 2, log-size = 1, records = 1, max-epoch = 1 }"


@pytest.fixture
def mine(tmp_path: Path) -> Iterator[tuple[Path, Path, Path, Path]]:
    """A sweep of two classes of a file, the file, a helper of which it imports a constant, and what that reads."""
    name = f"helper_{tmp_path.name}"
    path, helper, limits = tmp_path / "mine.py", tmp_path / f"{name}.py", tmp_path / "limits.json"
    path.write_text(MINE.format(helper=name))
    helper.write_text(f"import json\nLIMIT = json.load(open({str(limits)!r}))\n")
    limits.write_text("7")
    asked = f'["{path}:Mine", "{path}:Other"]'
    file = tmp_path / "sweep.toml"
    file.write_text(f"[[task]]\ncheck = {asked}\nproperties = ['weak_isr']\n{BOUNDS}\n")
    yield file, path, helper, limits
    sys.modules.pop(name, None)
    sys.path.remove(str(tmp_path))


def test_the_key_has_helpers_and_what_they_read(mine: tuple[Path, Path, Path, Path]) -> None:
    """For every class of a file, though the helper is imported once and only a constant of it is used."""
    file, *parts = mine
    for part in parts:
        before = tasks_of(file)
        assert [set(map(Path, task.sources)) for task in before] == [set(parts)] * 2
        part.write_text(part.read_text() + "\n")
        assert not {task.key for task in tasks_of(file)} & {task.key for task in before}


def test_the_key_has_what_is_imported_later(mine: tuple[Path, Path, Path, Path]) -> None:
    """In a function, say, so that nobody has loaded it yet."""
    file, _, helper, _ = mine
    later = helper.with_name(f"later_{helper.name}")
    later.write_text("VALUE = 1\n")
    helper.write_text(f"{helper.read_text()}def function():\n    import {later.stem}\n")
    assert all(str(later) in task.sources for task in tasks_of(file)) and later.stem not in sys.modules


def test_a_compiled_helper_hides_no_source(mine: tuple[Path, Path, Path, Path]) -> None:
    """Python opens what it has compiled, not what somebody edits."""
    file, _, helper, _ = mine
    py_compile.compile(str(helper))
    assert all(str(helper) in task.sources for task in tasks_of(file))


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("which", [1, 2, 3])
def test_what_is_edited_while_the_sweep_runs_is_not_kept(
    which: int, mine: tuple[Path, Path, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither before a task nor during it: the answer would stand under the key of the old content."""
    file, edited, check = mine[0], mine[which], kinds.KINDS["check"]
    out = file.parent / "out"

    def editing(task: Task, limits: kinds.Limits) -> Any:
        edited.write_text(edited.read_text() + "\n")
        yield from check(task, limits)

    monkeypatch.setattr("epochal.sweeps.answering.KINDS", {"check": editing})
    result = epochal.sweep(file, out=out)
    assert (result.exit_code, result.sweep.done, len(result.sweep.failed)) == (ExitCode.INCONCLUSIVE, 0, 2)
    assert f"{edited} was changed while the sweep ran" in result.sweep.failed[0][1].message
    assert not list((out / "done").iterdir())


def test_a_process_that_imported_another_helper_says_so(mine: tuple[Path, Path, Path, Path]) -> None:
    """What was imported stays, though the file is again what it was."""
    file, _, helper, _ = mine
    task, text = tasks_of(file)[0], helper.read_text()
    helper.write_text(text + "\n")
    assert changed(task.sources) == str(helper)
    helper.write_text(text)
    assert changed(task.sources) == str(helper)


def test_the_key_has_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of Python, the compiler and the solver."""
    assert {"python", "llvmlite", "z3-solver"} == versions().keys() and all(versions().values())
    before = Task("check", "kip-320").key
    monkeypatch.setattr("epochal.sweeps.task.versions", lambda: {**versions(), "llvmlite": "0"})
    assert Task("check", "kip-320").key != before
