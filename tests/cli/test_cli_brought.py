"""What an option brings never takes the place of what a protocol calls by the same name: refused, with both places."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from epochal.exit_codes import ExitCode
from tests.cli.conftest import Run


@pytest.mark.parametrize("word", ["constraint", "require", "lemma", "Log"])
def test_no_word_of_the_language_is_brought(word: str, run: Run, tmp_path: Path) -> None:
    (tmp_path / "c.py").write_text(
        f"import epochal.language as e\n\n\n@e.lemma\ndef {word}(self) -> bool:\n    return True\n"
    )
    said = run("prove", "kip-320", "--lemmas", str(tmp_path / "c.py"))
    assert said.exit_code == ExitCode.NOT_LOADED, said.stderr
    assert f"{word} of" in said.stderr and "is a word of the language" in said.stderr


SPECIFICATION = """
    from dataclasses import dataclass
    from typing import Annotated

    from epochal.language import Bounds, Integers, Protocol, action, bound, constraint, ends, invariant, leads_to, lemma
    from epochal.language import reachable, require, view


    @dataclass(frozen=True)
    class B(Bounds):
        n: int = bound(2, least=1, most=4, help="a bound that nothing uses")


    Small = Annotated[int, Integers(0, 3)]
    LIMIT = 3


    class Base(Protocol):
        bounds: B
        x: Small
        y: Small

        @action
        def go(self, v: Small) -> None:
            self.x = v
            self.y = 0

        @lemma
        def safe(self) -> bool:
            return self.x == 0 and self.y == 0

        @lemma
        def zero(self) -> bool:
            return self.y == 0


    class ByInvariant(Base):
        @invariant
        def all_safe(self) -> bool:
            return self.safe()


    class ByAction(Base):
        @action
        def go(self, v: Small) -> None:
            require(self.safe())
            self.x = v

        @invariant
        def low(self) -> bool:
            return self.x < 2


    class ByInitial(Base):
        def initial(self) -> None:
            self.x = 0 if self.safe() else 1

        @invariant
        def low(self) -> bool:
            return self.x < 2


    class ByConstraint(Base):
        @constraint
        def near(self) -> bool:
            return self.safe()

        @invariant
        def low(self) -> bool:
            return self.x < 2


    class ByLemma(Base):
        @lemma
        def also(self) -> bool:
            return self.safe()

        @invariant
        def low(self) -> bool:
            return self.x < 2


    class ByHelper(Base):
        def helps(self) -> bool:
            return self.safe()

        @invariant
        def all_safe(self) -> bool:
            return self.helps()


    class ByNobody(Base):
        @invariant
        def low(self) -> bool:
            return self.x < 2


    class Below(ByInvariant):
        z: Small
"""

BROUGHT = """
    from epochal.language import lemma


    @lemma
    def safe(self) -> bool:
        return self.y == 0


    @lemma
    def x(self) -> bool:
        return self.y == 0


    @lemma
    def LIMIT(self) -> bool:
        return self.y == 0
"""

IN_A_CLASS = """
    from epochal.language import lemma


    class Lemmas:
        @lemma
        def {name}(self) -> bool:
            return self.y == 0
"""


@pytest.fixture(autouse=True)
def specification(folder: Path) -> None:
    (folder / "register.py").write_text(textwrap.dedent(SPECIFICATION), encoding="utf-8")
    for name in ("safe", "go", "y", "bounds", "each", "all_safe", "helps"):
        text = textwrap.dedent(IN_A_CLASS.format(name=name))
        (folder / f"named_{name}.py").write_text(text, encoding="utf-8")
    (folder / "alone.py").write_text(textwrap.dedent(BROUGHT).partition("\n\n@lemma\ndef x")[0], encoding="utf-8")


def line(beginning: str) -> int:
    """The first line of the protocols that begins so."""
    lines = textwrap.dedent(SPECIFICATION).splitlines()
    return 1 + next(number for number, text in enumerate(lines) if text.lstrip().startswith(beginning))


PROTOCOLS = ("ByInvariant", "ByAction", "ByInitial", "ByConstraint", "ByLemma", "ByHelper", "ByNobody", "Below")
WAYS = (("--lemmas",), ("--lemmas", "--unbounded"), ("--houdini",))


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize("reference", ["alone.py", "named_safe.py:Lemmas"])
@pytest.mark.parametrize("name", PROTOCOLS)
def test_no_lemma_is_replaced(name: str, reference: str, way: tuple[str, ...], run: Run) -> None:
    option, *others = way
    result = run("prove", f"register.py:{name}", option, reference, *others, "--workers", "1")
    assert result.exit_code == 150
    said = rf"epochal: {reference.partition(':')[0]}:\d+: safe of {reference} has the name of something that "
    assert re.search(said + rf"register.py:{name} has already: register.py:{line('def safe')}\n", result.stderr), (
        result.stderr
    )
    assert "Give the function another name" in result.stderr


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("go", "def go"),
        ("y", "y:"),
        ("bounds", "bounds:"),
        ("each", ""),
        ("all_safe", "def all_safe"),
        ("helps", "def helps"),
    ],
)
def test_no_other_name_is_replaced(name: str, place: str, way: tuple[str, ...], run: Run) -> None:
    option, *others = way
    kind = "ByHelper" if name == "helps" else "Below"
    result = run("prove", f"register.py:{kind}", option, f"named_{name}.py:Lemmas", *others, "--workers", "1")
    assert result.exit_code == 150, result.output
    assert f"{name} of named_{name}.py:Lemmas has the name of something that register.py:{kind} has" in result.stderr
    assert not place or f"already: register.py:{line(place)}\n" in result.stderr


@pytest.mark.parametrize("command", [("check",), ("bmc", "--length", "2"), ("simulate", "--runs", "2")])
@pytest.mark.parametrize("name", ["safe", "go", "y", "bounds", "each", "all_safe"])
def test_no_question_replaces_anything(name: str, command: tuple[str, ...], run: Run, folder: Path) -> None:
    """Below has annotations of its own, and y is annotated in a class before it."""
    (folder / "asked.py").write_text(f"def {name}(self):\n    return True\n", encoding="utf-8")
    result = run(command[0], "register.py:Below", *command[1:], "--property", f"asked.py:{name}")
    assert result.exit_code == 150, result.output
    assert f"asked.py:1: {name} of asked.py:{name} has the name of something" in result.stderr


def test_two_questions_of_one_name_are_two(run: Run, folder: Path) -> None:
    (folder / "one.py").write_text("def low(self):\n    return self.x < 1\n", encoding="utf-8")
    (folder / "other.py").write_text("def low(self):\n    return self.x < 4 and self.y < 4\n", encoding="utf-8")
    result = run("check", "register.py:Below", "--property", "one.py:low", "--property", "other.py:low")
    assert result.exit_code == 150
    assert "other.py:1: low of other.py:low has the name of something that register.py:Below has already: one.py:1" in (
        result.stderr
    )


def test_a_lemma_that_is_there_already_stays(run: Run) -> None:
    """The same lines of the same file, imported once more: nothing is replaced, and nothing is wrong."""
    result = run("prove", "register.py:ByInvariant", "--houdini", "register.py:ByInvariant", "--workers", "1")
    assert result.exit_code == 32
    assert "  1  safe  broken by Go(1)\n" in result.stdout


def test_where_a_search_begins_replaces_nothing(run: Run, folder: Path) -> None:
    """A method may be called as conditions on the first state once were."""
    text = (folder / "register.py").read_text(encoding="utf-8")
    named = text.replace("helps", "start_0").replace("self.x == 0 and self.y == 0", "self.y == 0")
    (folder / "named.py").write_text(named, encoding="utf-8")
    (folder / "begin.py").write_text("def here(self):\n    return self.x == 1 and self.y == 0\n", encoding="utf-8")
    result = run("bmc", "named.py:ByHelper", "--length", "1", "--start", "begin.py:here")
    assert result.exit_code == 0, result.output
