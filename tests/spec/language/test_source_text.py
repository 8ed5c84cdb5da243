"""What is compiled, proved and shown is the text of the code that runs, whatever its file says by now."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import epochal
from epochal.checker.mutation.mutants import mutants_of
from epochal.language import Protocol
from epochal.spec.language.source_text import shown_line, source_text

TIME = 1.7e9
RULES = """
from typing import Annotated
from epochal.language import Integers, Protocol, action, invariant, lemma, require
D = Annotated[int, Integers(0, 9)]


class P(Protocol):
    \"\"\"A counter, and what its last step has found.\"\"\"

    a: D
    bad: bool

    @action
    def turn(self) -> None:
        \"\"\"Count.\"\"\"
        require(self.a < 9)
        self.a += 1

    @action
    def strike(self) -> None:
        \"\"\"Look.\"\"\"
        require(self.a == 3)
        self.bad = self.a == KEY

    @invariant
    def good(self) -> bool:
        \"\"\"Nothing was found.\"\"\"
        return not self.bad

    @lemma
    def not_bad(self) -> bool:
        \"\"\"Nothing was found.\"\"\"
        return not self.bad
"""
HELPED = RULES.replace("KEY", "self.key()")
BASE = (
    "from epochal.language import Protocol\n\n\nclass Base(Protocol):\n    def key(self) -> int:\n        return KEY\n"
)
ASK: dict[str, Callable[[Protocol], Any]] = {
    "check": lambda protocol: epochal.check(protocol, cross_check="off"),
    "bounded": lambda protocol: epochal.bounded(protocol, length=5),
    "prove": epochal.prove,
    "unbounded": lambda protocol: epochal.prove(protocol, unbounded=True),
}
RIGHT = {"check": (0, 12), "bounded": (0, 12), "prove": (0, 32), "unbounded": (0, 32)}


def write(file: Path, text: str) -> None:
    """A file whose size and times say nothing of its content."""
    file.write_text(text)
    os.utime(file, (TIME, TIME))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that modules are imported from, and forgotten."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if getattr(sys.modules[name], "__file__", None) and str(tmp_path) in str(sys.modules[name].__file__):
            del sys.modules[name]


def removed(protocol: Protocol) -> set[str]:
    """The guards that can be taken away."""
    return {one.removed for one in mutants_of(protocol)}


def reloaded(*modules: ModuleType) -> Protocol:
    for module in modules:
        importlib.reload(module)
    found: Protocol = modules[-1].P()
    return found


@pytest.mark.parametrize("how", ASK)
@pytest.mark.parametrize("kept_in", ["module", "helper", "base"])
def test_after_a_reload_the_new_text_is_judged(folder: Path, how: str, kept_in: str) -> None:
    """The text of the module, of a function that it imports, or of a base class has changed."""
    name = f"source_text_{kept_in}_{how}"
    texts = {"module": RULES, "helper": f"from {name}_beside import key\n{HELPED.replace('self.key()', 'key()')}"}
    texts["base"] = f"from {name}_beside import Base\n{HELPED.replace('P(Protocol)', 'P(Base)')}"
    beside = BASE if kept_in == "base" else "def key():\n    return KEY\n"
    files = (folder / f"{name}_beside.py", folder / f"{name}.py")
    before, after = RIGHT[how]
    for key in ("0", "3"):
        for file, text in zip(files, (beside, texts[kept_in]), strict=True):
            write(file, text.replace("KEY", key))
        if key == "0":
            module = importlib.import_module(name)
            assert ASK[how](module.P()).exit_code == before
    modules = (module,) if kept_in == "module" else (sys.modules[f"{name}_beside"], module)
    assert ASK[how](reloaded(*modules)).exit_code == after


@pytest.mark.parametrize("how", ASK)
def test_a_file_that_is_loaded_again_is_judged_as_it_is_now(folder: Path, how: str) -> None:
    file = folder / "twice.py"
    before, after = RIGHT[how]
    write(file, RULES.replace("KEY", "0"))
    first = epochal.load(f"{file}:P")
    assert ASK[how](first).exit_code == before
    write(file, RULES.replace("KEY", "3"))
    assert ASK[how](epochal.load(f"{file}:P")).exit_code == after
    assert ASK[how](first).exit_code == before, "a protocol that was loaded before still means what it meant then"


def test_a_lemma_file_that_has_changed_is_read_again(folder: Path) -> None:
    write(folder / "plain.py", RULES.replace("KEY", "0").partition("    @lemma")[0])
    protocol = epochal.load(f"{folder / 'plain.py'}:P")
    codes = []
    for text in ("not self.bad", "self.a >= 0  "):
        write(
            folder / "lemmas.py", f"from epochal.language import lemma\n\n\n@lemma\ndef l(self):\n    return {text}\n"
        )
        codes.append(epochal.prove(protocol, lemmas=str(folder / "lemmas.py")).exit_code)
    assert codes[0] == 0 and codes[1] != 0


def test_a_file_that_was_edited_and_not_loaded_again_is_refused_or_read_as_it_was(folder: Path) -> None:
    """Never judged as what it says now: that is not what runs."""
    write(folder / "edited.py", RULES.replace("KEY", "3"))
    module = importlib.import_module("edited")
    write(folder / "edited.py", RULES.replace("KEY", "0"))
    with pytest.raises(epochal.EpochalError, match="import it again"):
        epochal.check(module.P())
    write(folder / "edited.py", RULES.replace("KEY", "3"))
    assert epochal.check(module.P()).exit_code == 12
    write(folder / "edited.py", RULES.replace("KEY", "0"))
    assert epochal.check(module.P()).exit_code == 12, "the text that was read before is that of the code"


def test_mutants_and_steps_of_a_reloaded_file_are_those_of_its_new_text(folder: Path) -> None:
    file = folder / "mutated.py"
    write(file, RULES.replace("KEY", "0"))
    old = epochal.load(f"{file}:P")
    assert "self.a == 3" in removed(old)
    write(file, RULES.replace("KEY", "0").replace("self.a == 3", "self.a == 4"))
    new = epochal.load(f"{file}:P")
    assert "self.a == 4" in removed(new)
    assert epochal.compare(old, new).headline.endswith("their behaviour differs")


def test_the_lines_that_people_are_shown_are_those_of_the_code(folder: Path) -> None:
    file = folder / "shown.py"
    write(file, RULES.replace("KEY", "0"))
    code = type(epochal.load(f"{file}:P")).turn.__code__  # type: ignore[attr-defined]
    line = code.co_firstlineno + 3
    assert shown_line(code, line).strip() == "require(self.a < 9)"
    write(file, "\n" * 40)
    assert shown_line(code, line).strip() == "require(self.a < 9)"
    found = source_text(code)
    assert found is not None and found.has(code)


def test_a_file_that_is_gone_is_still_known(folder: Path) -> None:
    file = folder / "gone.py"
    write(file, RULES.replace("KEY", "3"))
    protocol = epochal.load(f"{file}:P")
    file.unlink()
    assert epochal.check(protocol).exit_code == 12
