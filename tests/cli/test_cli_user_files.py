"""A user's own file: found, loaded without side effects, and blamed by line when it is broken or hostile."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ROOT = Path(__file__).parents[2]
RULES = "    @action\n    def go(self): self.x = True\n    @invariant\n    def ok(self): return not self.x\n"
SPEC = "from epochal.language import *\nclass Mine(Protocol):\n    x: bool\n"
BROKEN = [
    (
        "class X(Exception):\n    def __str__(self): raise ValueError\nraise X\n",
        "mine.py:3: the file fails while it is imported: X: it cannot say what is wrong\n",
        150,
    ),
    (
        "class X(Exception):\n    def __str__(self): return 5\nraise X\n",
        "mine.py:3: the file fails while it is imported: X: it cannot say what is wrong\n",
        150,
    ),
    (
        "class M(type):\n    @property\n    def __name__(c): raise ValueError\n"
        "class X(Exception, metaclass=M): pass\nraise X\n",
        "mine.py:5: the file fails while it is imported: X\n",
        150,
    ),
    (
        "class M(type): pass\nfrom epochal.language import Protocol\nclass Mine(Protocol, metaclass=M): pass\n",
        "mine.py:3: the file fails while it is imported: TypeError: metaclass conflict",
        150,
    ),
    (
        "from epochal.language import *\nclass M(type(Protocol)):\n"
        "    def __getattribute__(c, name): raise ValueError(name)\n"
        "class Mine(Protocol, metaclass=M):\n    x: bool\n",
        "mine.py:3: the file fails while it is imported: ValueError",
        150,
    ),
    (
        "from epochal.language import *\nclass H:\n    def __get__(self, *_): raise ValueError('no')\n"
        "class Mine(Protocol):\n    x: bool\n    h = H()\n" + RULES,
        "mine.py:3: the specification's own code fails: ValueError: no\n"
        "  It runs whenever the specification is looked at.",
        150,
    ),
    (
        SPEC + "    def initial(self): raise SystemExit(0)\n" + RULES,
        "mine.py:4: the specification language does not have raise",
        120,
    ),
    (
        SPEC + "    def initial(self): self.__dict__.clear()\n" + RULES,
        "mine.py:4: the specification language does not have the name __dict__",
        120,
    ),
    (
        SPEC + "    def __init__(self, bounds): raise SystemExit(0)\n" + RULES,
        "mine.py:4: Mine cannot be made: SystemExit: 0",
        150,
    ),
    ("def f(:\n", "mine.py:1: syntax error: invalid syntax", 150),
    ("x = 1\x00\n", "source code string cannot contain null bytes", 150),
    (
        "x = 1\nraise ValueError('two\\nlines')\n",
        "mine.py:2: the file fails while it is imported: ValueError: two lines",
        150,
    ),
    ("import sys\nsys.exit(0)\n", "mine.py:2: the file ends the program while it is imported (sys.exit)", 150),
    ("def f():\n    return f()\nf()\n", "mine.py:2: the file recurses without end while it is imported", 150),
    ("class Odd(BaseException): pass\nraise Odd\n", "mine.py:2: the file fails while it is imported: Odd", 150),
    ("import no_such_module\n", "mine.py:1: ModuleNotFoundError: No module named 'no_such_module'", 150),
    ("from .sibling import x\n", "Files beside this one are imported by name: from sibling import Name.", 150),
    ("x = 1\n", "mine.py has no class Mine\n  There are no protocols in it.", 150),
    ("class Mine: pass\n", "Mine in mine.py is not a protocol", 150),
    ("from epochal.language import Protocol as Mine\n", "Mine in mine.py is not a protocol", 150),
    ("from epochal.language import Protocol\nclass Mini(Protocol): pass\n", "Did you mean Mini?", 150),
    ("from epochal.language import Protocol\nclass Mine(Protocol): pass\n", "Mine declares no state variable", 150),
    ("from epochal.language import Protocol\nclass Mine(Protocol):\n    x: int\n", "Mine.x: int is unbounded", 120),
    (
        "from epochal.language import Protocol\nclass Mine(Protocol):\n    x: 'Nowhere'\n",
        "the annotations of Mine cannot be evaluated: name 'Nowhere' is not defined",
        120,
    ),
    (
        "from epochal.language import Protocol\nclass Mine(Protocol):\n    x: bool\n"
        "    def __init__(self, bounds):\n        raise OSError('no')\n",
        "mine.py:5: Mine cannot be made: OSError: no",
        150,
    ),
    (
        "from dataclasses import dataclass\nfrom epochal.language import Protocol, Bounds, bound\n"
        "@dataclass(frozen=True)\nclass B(Bounds):\n    budget: int = bound(1, help='money')\n"
        "class Mine(Protocol):\n    bounds: B\n    x: bool\n",
        "the bound 'budget' of Mine has the name of the option --budget",
        120,
    ),
    (
        "from epochal.language import LanguageError\nraise LanguageError('not like this', advice='Like that.')\n",
        "mine.py:2: not like this\n  Like that.",
        120,
    ),
]


@pytest.mark.parametrize(("text", "message", "code"), BROKEN, ids=[b[1][:50] for b in BROKEN])
def test_broken_files(text: str, message: str, code: int, folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(text, encoding="utf-8")
    result = run("check", "mine.py:Mine", "--engine", "python")
    assert message in result.stderr
    assert "Traceback" not in result.output
    assert result.exit_code == code


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        ("nowhere.py:Mine", "there is no file nowhere.py"),
        ("nowhere:Mine", "there is no file nowhere"),
        (".:Mine", ". is a folder"),
        ("notes.txt:Mine", "notes.txt is not a Python file"),
        (
            "counter.py",
            "counter.py needs the name of a protocol\n  Write counter.py:Name. The file defines Counter, Fine",
        ),
        ("one.py", "one.py needs the name of a protocol\n  Write one.py:Mine."),
        ("counter.py:Conter", "counter.py has no class Conter\n  Did you mean Counter?"),
    ],
)
def test_references_that_name_nothing(reference: str, message: str, counter: Path, folder: Path, run: Run) -> None:
    (folder / "notes.txt").write_text("x", encoding="utf-8")
    (folder / "one.py").write_text(
        "from epochal.spec.classic.kip_320 import Kip320\nclass Mine(Kip320): pass\n", encoding="utf-8"
    )
    result = run("show", reference)
    assert message in result.stderr
    assert result.exit_code == 150


def test_a_user_protocol_is_shown_with_its_own_bounds(counter: Path, run: Run) -> None:
    result = run("show", "counter.py:Counter", "--most", "5")
    assert result.exit_code == 0
    assert "  --most      5        3  1 to 9   the greatest value\n" in result.stdout
    assert '  grow()  [1 choice, counter.py:21]\n      "The counter grows"\n      One more.\n' in result.stdout
    assert "  small  invariant          counter.py:32  The counter stays below two.\n" in result.stdout


def test_a_protocol_without_a_name_is_called_as_it_was_asked_for(folder: Path, run: Run) -> None:
    (folder / "mine.py").write_text(
        'from epochal.spec.classic.async_isr import AsyncIsr\nclass Mine(AsyncIsr):\n    """Mine."""\n',
        encoding="utf-8",
    )
    assert run("show", "mine.py:Mine").stdout.startswith("mine.py:Mine\n  Mine.\n")


def test_siblings_can_be_imported_and_nothing_is_written_or_printed(folder: Path, run: Run) -> None:
    package = folder / "specs"
    package.mkdir()
    (package / "helper_of_mine.py").write_text("LIMIT = 1\nprint('noise')\n", encoding="utf-8")
    (package / "mine.py").write_text(
        "from helper_of_mine import LIMIT\nfrom epochal.spec.classic.kip_320 import Kip320\nclass Mine(Kip320): pass\n",
        encoding="utf-8",
    )
    before = sys.dont_write_bytecode
    result = run("show", "specs/mine.py:Mine")
    assert result.exit_code == 0
    assert "noise" not in result.stdout
    assert "noise" in result.stderr
    assert sorted(p.name for p in package.iterdir()) == ["helper_of_mine.py", "mine.py"]
    assert sys.dont_write_bytecode == before


def test_a_file_that_is_named_like_a_module_does_not_replace_it(folder: Path, run: Run) -> None:
    (folder / "json.py").write_text(
        "from epochal.spec.classic.async_isr import AsyncIsr\nclass Mine(AsyncIsr): pass\n", encoding="utf-8"
    )
    result = run("check", "json.py:Mine", "--replicas", "1", "--engine", "python", "--format", "json")
    assert result.exit_code == 21, result.output
    import json

    assert json.loads(result.stdout)["protocol"] == "json.py:Mine"


def test_a_rule_that_ends_the_program_is_no_success(counter: Path, folder: Path, run: Run) -> None:
    (folder / "quits.py").write_text(
        "import sys\nfrom counter import Fine\nclass Quits(Fine):\n    def grow(self):\n        sys.exit(0)\n",
        encoding="utf-8",
    )
    result = run("check", "quits.py:Quits", "--engine", "python")
    assert result.exit_code == 120
    assert "quits.py:5: sys cannot be used in a rule: the module sys is not part of the language" in result.stderr


def test_what_a_file_does_to_the_interpreter_is_taken_back(counter: Path, folder: Path, run: Run) -> None:
    """Streams closed, modules forgotten, a recursion limit that nothing can live with: the check goes on."""
    (folder / "vandal.py").write_text(
        "import sys\nfrom counter import Fine\nclass Mine(Fine): pass\n"
        "sys.modules.clear()\nsys.stderr = sys.stdout = None\nsys.setrecursionlimit(150)\n",
        encoding="utf-8",
    )
    code = "import sys; from epochal.cli.main import main; main(['check', 'vandal.py:Mine', '--engine', 'python'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 22 and done.stderr == ""
    assert done.stdout.startswith("vandal.py:Mine: nothing is violated within these bounds")


def test_a_closed_stderr_is_opened_again(folder: Path) -> None:
    (folder / "closing.py").write_text("import sys\nsys.stdout.close()\nraise ValueError('no')\n", encoding="utf-8")
    code = "from epochal.cli.main import main; main(['show', 'closing.py:Mine'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stderr == "epochal: closing.py:3: the file fails while it is imported: ValueError: no\n"
    assert done.returncode == 150
