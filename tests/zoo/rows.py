"""Protocols as rows of a table: a name, what is expected, and the rules in few words.

    WritesOneForAll(m: Node): a loop that changes leader
        for n in self.parts:
            self.leader = m
    Broken < Counter: the offset is outside the log
        count: Small
        action up(by: Small)
            self.count += by
        invariant broken: It is never evaluated.
            return self.log[0] == 1

A row with parentheses is the body of one method, whose head belongs to the table; one without is the body of a class.
Such a body is Python, in which the head of a rule is a mark with its arguments, a name, its parameters if it has some,
and what it says: `leads_to(fair=("up",)) ends(n: Node): It ends.` The class after `<` is the base of the row, if it is
another than that of the table. So a table declares bounds, enumerations and records as well, and names of annotations
in lines of their own:

    B < Bounds: How much there is.
        nodes: int = bound(2, least=1, most=3, help="nodes")
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
"""

from __future__ import annotations

import enum
import inspect
import linecache
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Self

from epochal.spec import language

WORDS = {name: getattr(language, name) for name in language.__all__}
WORDS |= {"Annotated": Annotated, "ClassVar": ClassVar, "Self": Self, "Enum": enum.Enum, "dataclass": dataclass}

_HEAD = """from dataclasses import dataclass
from typing import Annotated, ClassVar, Self

from epochal.language import *

"""

ROOT = Path(__file__).resolve().parents[2]
ACTION = "    action rule({})\n"
_ROW = re.compile(r"^(\w+)(?: < (\w+(?:, text=\"[^\"]*\")?))?(\((.*)\))?:(?: (.*))?$", re.MULTILINE)
"""The name of a row, the class that it is derived from, its parameters, and what is expected."""
_MARKS = "action|action_property|constraint|ends|invariant|leads_to|lemma|reachable"
_RULE = re.compile(
    rf"^    ({_MARKS})(\(.*?\))? (\w+)(?:\((.*?)\))?(?:: (.*?))?(  # .*)?$",
    re.MULTILINE,
)
"""The mark of a rule, its arguments, the name, its parameters, what it says, and a comment at the end of its line."""
_RESULTS = {"action": "None", "leads_to": "tuple[bool, bool]"}
"""What rules return that return no truth value."""
_NAME = re.compile(r"^(\w+ = .*)?$")
"""A name for an annotation."""


@dataclass(frozen=True)
class Row:
    """A protocol, what is expected of it, and its text, which stands in a file that only `linecache` knows."""

    kind: type[language.Protocol]
    expected: str
    file: str
    first: int
    text: str

    @property
    def marks(self) -> dict[int, str]:
        """The comments at the ends of lines, by the numbers of these."""
        parts = [line.partition("  # ") for line in self.text.splitlines()]
        return {number: mark for number, (code, _, mark) in enumerate(parts, self.first) if code.strip() and mark}


def rows(names: dict[str, Any], base: str | type[Any], table: str, head: str = ACTION) -> dict[str, Row]:
    """Make a class of each row, and put it among the names of a module. Those that are protocols are returned.

    Rules may use these names, those beside the base, and the words of the language.

    Raises ValueError if the table begins with no row, or a row is called as something else.
    """
    beside: dict[str, Any] = {}
    if not isinstance(base, str) or base not in WORDS:
        of_all = names[base] if isinstance(base, str) else base
        base, beside = of_all.__name__, {**vars(sys.modules[of_all.__module__]), of_all.__name__: of_all}
    entries, text = _classes(table, base, head)
    if taken := [name for name, *_ in entries if name in names]:
        raise ValueError(f"{taken[0]} is something else already")
    module, file = (f"{names[one]}.{entries[0][0]}" for one in ("__name__", "__file__"))
    made = sys.modules[module] = ModuleType(module)
    known = WORDS | beside | names
    vars(made).update({name: meaning for name, meaning in known.items() if not name.startswith("__")}, __file__=file)
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), vars(made))  # annotations are texts, as in this module
    names.update({name: meaning for name, meaning in vars(made).items() if name not in known and name[:2] != "__"})
    shown = Path(file).relative_to(ROOT).as_posix()
    found = {name: Row(vars(made)[name], expected, shown, first, own) for name, expected, first, own in entries}
    return {name: row for name, row in found.items() if issubclass(row.kind, language.Protocol)}


def source(table: str) -> str:
    """Write a table as the file of a user, with docstrings where rows say something."""
    return f"{_HEAD}{_classes(table, 'Protocol', ACTION, says=True)[1]}"


def made(names: dict[str, Any], base: str | type[Any], row: str) -> type[Any]:
    """Make the one class of a table."""
    (only,) = rows(names, base, row).values()
    return only.kind


def _classes(table: str, base: str, head: str, says: bool = False) -> tuple[list[tuple[str, str, int, str]], str]:
    """Read a table: the name of each class, what is expected, its first line and its text; and the whole text."""
    before, *parts = _ROW.split(inspect.cleandoc(table))
    if not all(_NAME.match(line) for line in before.splitlines()):
        raise ValueError(f"no row begins here: {before}")
    entries, text = [], before
    for name, own_base, method, parameters, expected, body in zip(*(parts[i::6] for i in range(6)), strict=True):
        own = f"class {name}({own_base or base}):\n"
        if own_base and own_base.endswith("Bounds"):
            own = f"@dataclass(frozen=True)\n{own}"
        if says and expected:
            own += f'    """{expected}"""\n'
        if method is not None:
            own += head.replace("{}", parameters)
            body = body.replace("\n    ", "\n        ")
        own = _RULE.sub(_rule, own + (body.strip("\n") or "    pass") + "\n")
        entries.append((name, expected or "", text.count("\n") + 1, own))
        text += own
    return entries, text


def _rule(found: re.Match[str]) -> str:
    mark, arguments, name, parameters, says, comment = found.groups()
    new = [] if mark != "action_property" else ["new: Self"]
    given = ", ".join(["self", *new, *([parameters] if parameters else [])])
    result = _RESULTS.get(mark, "bool")
    lines = [f"    @{mark}{arguments or ''}", f"    def {name}({given}) -> {result}:{comment or ''}"]
    return "\n".join([*lines, *([f'        """{says}"""'] if says else [])])
