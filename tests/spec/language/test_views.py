"""`@view` and `Bookkeeping`: what people read of a state, and what is said of views that are wrong."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import Annotated, ClassVar

import pytest

from epochal.checker.identity.meaning import text_digest
from epochal.exit_codes import ExitCode
from epochal.spec.language import (
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
    Struct,
    action,
    shown,
    view,
)
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
        "Fetch has no other side: messages go between by and to",
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
