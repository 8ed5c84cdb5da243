"""`@view` and `Bookkeeping`: what people read of a state, and what is said of views that are wrong."""

from __future__ import annotations

import enum
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar

import pytest

import epochal
from epochal.checker.identity.specification import text_digest
from epochal.checker.mutation.mutants import mutants_of
from epochal.exit_codes import ExitCode
from epochal.language import (
    Bookkeeping,
    Capacity,
    Ghost,
    Identifier,
    Identifiers,
    Integers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Set,
    SourceLine,
    SpecificationError,
    Struct,
    action,
    shown,
    view,
)
from epochal.spec.language.errors import printable, shown_path
from epochal.spec.language.source_text import shown_line, source_text
from epochal.spec.language.views import told_lines, untold, words_of
from tests.spec.language.snippets import Load, line_of

Node = Annotated[Identifier, Identifiers("n", 2)]
Small = Annotated[int, Integers(0, 3)]


class Mode(enum.Enum):
    """Shown in small letters."""

    READ_ONLY = 1


class Entry(Struct, text="r{id}"):
    """A record with a text of its own."""

    id: Small


class Plain(Struct):
    """A record without."""

    flag: bool
    entry: Entry | None


class Told(Protocol):
    """Two views of each node, one of nobody in particular, and variables that no view tells."""

    name: ClassVar[str] = "told"

    work: Map[Node, Small]
    log: Annotated[Log[Entry], Capacity(2)]
    crew: Set[Node]
    count: Bookkeeping[Small]
    memory: Ghost[Bookkeeping[Small]]
    mode: Mode
    plain: Plain

    @action
    def grow(self, node: Node) -> None:
        """Writes everything."""
        self.work[node] += 1
        self.count += 1
        self.memory = self.count
        self.crew |= {node}

    def is_idle(self, node: Identifier) -> bool:
        """Whether a node has nothing to do; views may call methods."""
        return self.work[node] == 0

    @view(of="node")
    def load_in_words(self, node: Node) -> str:
        """How much a node has to do."""
        return "" if self.is_idle(node) else f"load {self.work[node]}"

    @view(of="node")
    def membership_in_words(self, node: Node) -> str:
        """Whether a node is a member."""
        return "a member" if any(one == node for one in self.crew) else ""

    @view(of="everybody")
    def log_in_words(self) -> str:
        """What was written."""
        return f"log {shown(self.log)}" if len(self.log) > 0 else ""


def test_views_tell_a_state_and_what_they_do_not_read_is_told_by_its_fields() -> None:
    told = Told()
    assert words_of(told, told.codes()) == {"n1": "", "n2": "", "everybody": ""}
    assert told_lines(told, told.codes()) == {"mode": "read-only", "plain": "flag false, entry -"}
    told.grow(next(iter(told.each(Node))))
    told.log.append(Entry(id=2))
    assert words_of(told, told.codes()) == {"n1": "load 1; a member", "n2": "", "everybody": "log [r2]"}
    assert list(told_lines(told, told.codes())) == ["n1", "everybody", "mode", "plain"]
    assert list(told_lines(told, told.codes(), all_fields=True)) == [
        *("n1", "n2", "log", "crew", "count", "memory", "mode", "plain")
    ]


def test_a_variable_is_told_by_a_view_that_takes_it_from_self_and_by_no_other() -> None:
    class Namesake(Told):
        """Has variables named like fields that views read of other things."""

        entry: Small
        node: Small

    assert list(untold(Told()).variables) == ["mode", "plain"]
    assert list(untold(Namesake()).variables) == ["mode", "plain", "entry", "node"]


def test_a_derived_class_may_replace_a_view_and_add_another() -> None:
    class Derived(Told):
        """Says less of the log, and something of the mode."""

        def log_in_words(self) -> str:
            return f"{len(self.log)} written"

        @view(of="everybody")
        def mode_in_words(self) -> str:
            return f"mode {shown(self.mode)}"

    derived = Derived()
    assert words_of(derived, derived.codes())["everybody"] == "0 written; mode read-only"
    assert list(untold(derived).variables) == ["plain"]


def test_neither_views_nor_bookkeeping_are_rules() -> None:
    class Silent(Told):
        """The same without views."""

        count: Small
        load_in_words = None  # type: ignore[assignment]
        membership_in_words = None  # type: ignore[assignment]
        log_in_words = None  # type: ignore[assignment]

    assert text_digest(Silent()) == text_digest(Told())
    assert [variable.bookkeeping for variable in Told().variables.values()].count(True) == 2
    assert "count" in untold(Silent()).variables and "memory" not in untold(Silent()).variables


def test_values_are_shown_as_stories_show_them() -> None:
    told = Told()
    told.crew = Set(told.each(Node))
    told.plain.entry = Entry(id=1)
    values = (told.crew, told.work, told.plain, told.plain.entry, told.log, None, True, Mode.READ_ONLY, 3)
    assert [shown(value) for value in values] == [
        *("{n1, n2}", "[n1: 0, n2: 0]", "(flag false, entry r1)", "r1", "[]"),
        *("-", "true", "read-only", "3"),
    ]


SPEC = "class Spec(Protocol):\n    n: Small\n    log: Annotated[Log[Small], Capacity(2)]\n\n"

WRONG = {
    "fails": (
        '    @view(of="all")\n    def words(self) -> str:\n        return f"{self.log.last}"  # here\n',
        "the view words fails: the last entry of an empty log",
    ),
    "another exception": (
        '    @view(of="all")\n    def words(self) -> str:\n        return {}[1]  # here\n',
        "the view words fails: KeyError: 1",
    ),
    "require": (
        '    @view(of="all")\n    def words(self) -> str:\n        require(False)  # here\n        return ""\n',
        "the view words fails: require is for actions",
    ),
    "no text": (
        '    @view(of="all")\n    def words(self) -> str:  # here\n        return self.n\n',
        "the view words returns what is no text: int",
    ),
    "none": (
        '    @view(of="all")\n    def words(self) -> str:  # here\n        return None\n',
        "the view words returns what is no text: NoneType",
    ),
    "two lines": (
        '    @view(of="all")\n    def words(self) -> str:  # here\n        return "a\\nb"\n',
        "the view words returns more than one line: 'a\\nb'",
    ),
    "writes": (
        '    @view(of="all")\n    def words(self) -> str:  # here\n        self.n = 1\n        return ""\n',
        "the view words changes the state",
    ),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_view_that_is_wrong_is_said_with_its_line(case: str, load: Load) -> None:
    source, message = WRONG[case]
    module = load(SPEC + source)
    spec = module.Spec()
    with pytest.raises(LanguageError) as refused:
        told_lines(spec, spec.codes())
    error = refused.value
    assert (error.message, error.exit_code) == (message, ExitCode.STATIC_CHECKS)
    assert error.advice
    assert error.where is not None and error.where.line == line_of(module.path)


REFUSED = {
    "two parameters": (
        '    @view(of="node")\n    def words(self, node: Node, other: Node) -> str:  # here\n        return ""\n',
        "the view words is of 'node', and takes (node, other)",
    ),
    "another parameter": (
        '    @view(of="node")\n    def words(self, n: Node) -> str:  # here\n        return ""\n',
        "the view words is of 'node', and takes (n)",
    ),
    "nobody": (
        '    @view(of="")  # here\n    def words(self) -> str:\n        return ""\n',
        "@view takes the name of whose words it says",
    ),
    "no text": (
        '    @view(of=5)  # here\n    def words(self) -> str:\n        return ""\n',
        "@view takes the name of whose words it says",
    ),
    "a message to nobody": (
        '    @action(by="node", sends="Fetch")  # here\n    def act(self, node: Node) -> None:\n        self.n = 1\n',
        "the message Fetch goes from nobody or to nobody: 'by' and 'to' say between whom",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_when_the_class_is_made(case: str, load: Load, tmp_path: Path) -> None:
    source, message = REFUSED[case]
    with pytest.raises(LanguageError) as refused:
        load(SPEC + source)
    assert refused.value.message == message
    assert refused.value.advice
    assert refused.value.where is not None
    assert refused.value.where.line == line_of(tmp_path / "specification_0.py")


def test_a_field_of_a_record_is_no_bookkeeping(load: Load) -> None:
    module = load("class Pair(Struct):\n    x: Bookkeeping[Small]\n\n\nclass Spec(Protocol):\n    pair: Pair\n")
    with pytest.raises(LanguageError, match=r"Pair\.x is a field of a record, and bookkeeping are whole"):
        module.Spec()


# Every text of a specification that reports show is one line of printable text; docstrings are made so.

ESCAPE, LINES = r"\x1b]0;owned\x07", r"x\n::error::y"

PLACES = {
    "says": ('class Spec(Protocol):\n    @action(says="{}")\n    def a(self) -> None: ...\n', "'says' of an action"),
    "by": ('class Spec(Protocol):\n    @action(by="{}")\n    def a(self) -> None: ...\n', "'by' of an action"),
    "sends": (
        'class Spec(Protocol):\n    @action(by="a", to="b", sends="{}")\n    def a(self) -> None: ...\n',
        "'sends' of an action",
    ),
    "receives": (
        'class Spec(Protocol):\n    @action(by="a", to="b", receives="{}")\n    def a(self) -> None: ...\n',
        "'receives' of an action",
    ),
    "of": ('class Spec(Protocol):\n    @view(of="{}")\n    def a(self) -> str: ...\n', "'of' of a view"),
    "to": ('class Spec(Protocol):\n    @action(to="{}")\n    def a(self) -> None: ...\n', "'to' of an action"),
    "name": ('class Spec(Protocol):\n    name = "{}"\n', "the name of a protocol"),
    "class": ('Spec = type("{}", (Protocol,), {{}})\n', "the name of a protocol"),
    "help": ('class Few(Bounds):\n    n: int = bound(1, help="{}")\n', "'help' of a bound"),
    "why": ('class Few(Bounds):\n    n: int = bound(1, help="h", why="{}")\n', "'why' of a bound"),
    "prefix": (
        'class Spec(Protocol):\n    n: Annotated[Identifier, Identifiers("{}", 2)]\n\n\nSpec()\n',
        "the prefix of Identifiers",
    ),
    "member": (
        'E = enum.Enum("E", ["{}", "b"])\n\n\nclass Spec(Protocol):\n    e: E\n\n\nSpec()\n',
        "the name of a member of E",
    ),
    "text": (
        'class Pair(Struct, text="{}"):\n    x: Small\n\n\nclass Spec(Protocol):\n    p: Pair\n\n\nSpec()\n',
        "'text' of Pair",
    ),
    "word": ('Setting("w", "text", "{}", "d")\n', "a text of the setting 'w'"),
    "choice": ('Setting("w", "text", "h", "d", ("{}",))\n', "a text of the setting 'w'"),
}


@pytest.mark.parametrize("text", [ESCAPE, LINES, r"a\u202eb", r"a\tb", r"a\x85b"])
@pytest.mark.parametrize("place", PLACES)
def test_a_text_that_is_not_one_printable_line_is_refused(place: str, text: str, load: Load) -> None:
    source, what = PLACES[place]
    load(source.format("plain"))
    with pytest.raises(LanguageError) as refused:
        load(source.format(text))
    said = "must be one line without control characters, because reports show it, not '"
    assert f"{what} {said}" in refused.value.message
    assert refused.value.message.isprintable()


NO_TEXT = {
    "says": "takes texts: by, to, sends, receives and says",
    "by": "takes texts: by, to, sends, receives and says",
    "help": "and shown as text",
}


@pytest.mark.parametrize("place", NO_TEXT)
def test_what_is_no_text_is_refused(place: str, load: Load) -> None:
    source, _ = PLACES[place]
    with pytest.raises(LanguageError, match=NO_TEXT[place]):
        load(source.replace('"{}"', "5"))


def test_a_docstring_is_shown_on_one_line_of_printable_text(load: Load) -> None:
    text = (
        "class Spec(Protocol):\n    n: Small\n\n    @invariant\n    def small(self) -> bool:\n"
        '        """Red \\x1b[31m text\\n\\n        ::error::and \\u202e more. And more."""\n        return True\n'
    )
    (member,) = load(text).Spec.members("invariant")
    assert member.description == "Red ?[31m text ::error::and ? more. And more."
    assert member.sentence == "Red ?[31m text ::error::and ? more."


def test_an_error_shows_nothing_that_a_terminal_obeys(load: Load) -> None:
    error = SpecificationError("a\x1b[2J\nb\x00", SourceLine("f.py", 1), "do\nthis")
    assert str(error) == "f.py:1: a?[2J\nb?\n  do\nthis"
    module = load(
        "class Spec(Protocol):\n    n: Small\n\n    @action\n    def a(self) -> None:\n"
        "        raise ValueError('\\x1b[2J')\n\n\nSPEC = Spec()\n"
    )
    with pytest.raises(SpecificationError) as failed:
        list(module.SPEC.successors(module.SPEC.codes()))
    assert failed.value.message == "ValueError: ?[2J"


def test_a_path_is_shown_on_one_line() -> None:
    assert shown_path("/models/a\n::error::b.py") == "/models/a ::error::b.py"


def test_printable() -> None:
    assert printable("plain é 中") == "plain é 中"
    assert printable("a\r\nb\tc\x00\udc80\u2028d") == "a  b c?? d"
    assert printable("a\n\x1bb", lines=True) == "a\n?b"


# What is compiled, proved and shown is the text of the code that runs, whatever its file says by now.

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
