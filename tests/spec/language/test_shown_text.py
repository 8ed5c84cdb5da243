"""Every text of a specification that reports show is one line of printable text; docstrings are made so."""

from __future__ import annotations

import pytest

from epochal.spec.language import LanguageError, SourceLine, SpecificationError
from epochal.spec.language.errors import printable, shown_path
from tests.spec.language.snippets import Load

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
