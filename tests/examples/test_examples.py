"""The programs under examples/: each runs, is short, asserts what it counts, and enters by the public door."""

from __future__ import annotations

import ast
import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = sorted((ROOT / "examples").glob("*.py"))
NOTEBOOK = ROOT / "examples" / "notebook.ipynb"
DOOR = ("epochal", "epochal.language", *(program.stem for program in PROGRAMS))


def cells() -> list[dict[str, Any]]:
    """The cells of the notebook."""
    found: list[dict[str, Any]] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return found


def code() -> list[str]:
    """The text of the notebook's code cells."""
    return ["".join(cell["source"]) for cell in cells() if cell["cell_type"] == "code"]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_runs(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(program.parent)  # as for `python examples/...`: one example may build on another
    runpy.run_path(str(program), run_name=program.stem)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.name)
def test_it_is_short_and_asserts_what_it_counts(program: Path) -> None:
    text = program.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert "assert" in text and "import epochal" in text


@pytest.mark.parametrize("text", [p.read_text(encoding="utf-8") for p in PROGRAMS] + ["\n".join(code())])
def test_it_enters_by_the_door(text: str) -> None:
    """`epochal`, `epochal.language`, the specifications that it varies, another example, Python's own modules."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module or "")
    own = {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}
    assert {name for name in own if name not in DOOR and not name.startswith("epochal.spec.")} == set()


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code cells are one program."""
    document = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    assert document["nbformat"] == 4 and document["metadata"]["kernelspec"]["language"] == "python"
    assert all(cell["metadata"] == {} and isinstance(cell["source"], list) for cell in cells())
    assert all(cell["outputs"] == [] for cell in cells() if cell["cell_type"] == "code"), "commit it without outputs"
    assert sum(len(text.splitlines()) for text in code()) <= 60
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "notebook"}
    for number, text in enumerate(code()):
        exec(compile(text, f"cell {number}", "exec"), names)
