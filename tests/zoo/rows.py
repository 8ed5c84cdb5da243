"""Protocols that differ from another in a rule or two, as rows of a table: a name, what is expected, and the rules.

    WritesOneForAll(m: Node): a loop that changes leader
        for n in self.parts:
            self.leader = m
    Broken: the offset is outside the log
        @invariant
        def broken(self) -> bool:
            return self.log[0] == 1

A row with parentheses is the body of one method, whose head belongs to the table; one without is the body of a class.
`Other < Broken: ...` is derived from another class than the rest of the table.
"""

from __future__ import annotations

import inspect
import itertools
import linecache
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from epochal.spec import language

WORDS = {name: getattr(language, name) for name in language.__all__}

ROOT = Path(__file__).resolve().parents[2]
ACTION = "    @action\n    def rule({}) -> None:\n"
_HEADER = re.compile(r"^(\w+)(?: < (\w+))?(\((.*)\))?:(?: (.*))?$", re.MULTILINE)
"""The name of a row, the class that it is derived from, its parameters, and what is expected."""
_TABLES = itertools.count(1)


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


def rows(names: dict[str, Any], base: str, table: str, head: str = ACTION) -> dict[str, Row]:
    """Make a class of each row, and put it among the names of a module.

    Rules may use these names, those beside the base, and the words of the language.

    Raises ValueError if the table begins with no row, or a row is called as something else.
    """
    before, *parts = _HEADER.split(inspect.cleandoc(table))
    if before.strip():
        raise ValueError(f"no row begins here: {before}")
    number = next(_TABLES)
    file = f"{names['__file__']}.{number}"
    entries, text = [], ""
    for name, own_base, method, parameters, expected, body in zip(*(parts[i::6] for i in range(6)), strict=True):
        if name in names:
            raise ValueError(f"{name} is something else already")
        own = f"class {name}({own_base or base}):\n"
        if method is not None:
            own += head.replace("{}", f"self, {parameters}" if parameters else "self")
            body = body.replace("\n    ", "\n        ")
        own += body.strip("\n") + "\n"
        entries.append((name, expected or "", text.count("\n") + 1, own))
        text += own
    module = ModuleType(f"{names['__name__']}_{number}")
    known = WORDS | vars(sys.modules[names[base].__module__]) | names
    vars(module).update({name: meaning for name, meaning in known.items() if not name.startswith("__")}, __file__=file)
    sys.modules[module.__name__] = module
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), vars(module))  # annotations are texts, as in this module
    names.update((name, vars(module)[name]) for name, *_ in entries)
    shown = Path(file).relative_to(ROOT).as_posix()
    return {name: Row(names[name], expected, shown, first, own) for name, expected, first, own in entries}
