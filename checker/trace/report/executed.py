"""What runs when an action is taken: its lines, the methods that it calls, and the guards that are met on the way.

The action is replayed once with a trace function that looks into the files of the specification alone. Of the methods
that it calls those are kept that do something, and those that a guard asks directly: the values of others are told with
the guards.
"""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import CodeType, FrameType, FunctionType
from typing import Any

from epochal.spec.language import ActionInstance, Disabled, EvaluationError, Protocol, SourceLine
from epochal.spec.language.errors import shown_path
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.source_text import source_text

from ..verdicts import Codes
from .guards import WORDS, Guard, guard_at


@dataclass(frozen=True)
class SourceText:
    """A line of a method: its number, its text, the guard that begins there, and whether it ran."""

    number: int
    text: str
    guard: Guard | None = None
    ran: bool = True


@dataclass(frozen=True)
class Called:
    """A method that ran: what it is called, where it stands, what its description says, and its lines."""

    name: str
    where: SourceLine
    description: str
    source: tuple[SourceText, ...]


@dataclass(frozen=True)
class Executed:
    """An action that was taken: its own lines, the methods that it called, and the guards that none of these shows."""

    guards: tuple[Guard, ...] = ()
    source: tuple[SourceText, ...] = ()
    called: tuple[Called, ...] = ()
    others: tuple[Guard, ...] = ()


@dataclass
class _Seen:
    """What a trace function saw: guards, lines by their code, and which codes were called and are to be shown."""

    files: frozenset[str]
    met: list[Guard] = field(default_factory=list)
    lines: dict[CodeType, set[int]] = field(default_factory=dict)
    asked: set[CodeType] = field(default_factory=set)

    def look(self, frame: FrameType, event: str, _: Any) -> Any:
        """The trace function of a call."""
        code = frame.f_code
        word = WORDS.get(code)
        if word is not None and frame.f_back is not None:
            self.met.append(guard_at(word, bool(frame.f_locals["condition"]), frame.f_back, frame.f_back.f_lasti))
            return None
        if code.co_filename not in self.files:
            return None
        if code.co_name.startswith("<"):  # a comprehension: its lines are those of the method around
            return self.look
        self.lines.setdefault(code, set())
        caller = frame.f_back
        if caller is not None and _guards_there(caller):
            self.asked.add(code)
        return self.note

    def note(self, frame: FrameType, event: str, _: Any) -> Any:
        """The trace function of the lines of a method."""
        if event == "line":
            self.lines[frame.f_code].add(frame.f_lineno)
        return self.note


def executed(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Executed:
    """Take an action in a state, and tell what ran. One that is refused is told as far as it came."""
    state, seen = protocol.at(codes), _Seen(_files(type(protocol)))
    before = sys.gettrace()
    sys.settrace(seen.look)
    try:
        evaluated(instance.action.function, state, *instance.arguments)
    except (Disabled, EvaluationError):  # a trace that does not replay; what it met is told
        pass
    finally:
        sys.settrace(before)
    guards = {(one.where.file, one.where.line): one for one in seen.met}
    own = getattr(instance.action.function, "__code__", None)
    source = _source(own, seen.lines.get(own, set()), guards) if isinstance(own, CodeType) else ()
    called = tuple(
        Called(code.co_name, _where(code), _description(code), _source(code, lines, guards))
        for code, lines in seen.lines.items()
        if code is not own and (code in seen.asked or _does_something(code))
    )
    shown = {line.guard for lines in (source, *(one.source for one in called)) for line in lines if line.guard}
    others = tuple(dict.fromkeys(one for one in guards.values() if one not in shown))
    return Executed(tuple(seen.met), source, called, others)


@lru_cache(maxsize=64)
def _files(kind: type[Protocol]) -> frozenset[str]:
    """The files of a specification: those in which its methods stand."""
    parts = (part for part in kind.__mro__ if issubclass(part, Protocol) and part is not Protocol)
    functions = (one for part in parts for one in vars(part).values() if isinstance(one, FunctionType))
    return frozenset(one.__code__.co_filename for one in functions)


@lru_cache(maxsize=1024)
def _text(code: CodeType) -> tuple[tuple[str, ...], ast.FunctionDef | None]:
    """The lines of a method, and its syntax tree, whose first line is 1; nothing where its file is gone."""
    text = source_text(code)
    try:
        lines = [] if text is None else text.block(code)
        (tree,) = ast.parse(textwrap.dedent("".join(lines))).body
    except (OSError, TypeError, ValueError, SyntaxError):
        return (), None
    return tuple(lines), tree if isinstance(tree, ast.FunctionDef) else None


@lru_cache(maxsize=1024)
def _guard_lines(code: CodeType) -> frozenset[int]:
    """The lines of a method on which a `require` or a `bounded` stands."""
    _, tree = _text(code)
    words = set(WORDS.values())
    found = [
        one
        for one in (ast.walk(tree) if tree is not None else ())
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name) and one.func.id in words
    ]
    first = code.co_firstlineno - 1
    return frozenset(first + line for one in found for line in range(one.lineno, (one.end_lineno or one.lineno) + 1))


def _guards_there(frame: FrameType) -> bool:
    """Whether a call is part of the condition of a guard."""
    return not frame.f_code.co_name.startswith("<") and frame.f_lineno in _guard_lines(frame.f_code)


@lru_cache(maxsize=1024)
def _does_something(code: CodeType) -> bool:
    """Whether a method returns no value, so that it is there for what it does."""
    _, tree = _text(code)
    if tree is None:
        return False
    return not any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(tree))


def _where(code: CodeType) -> SourceLine:
    return SourceLine(shown_path(code.co_filename), code.co_firstlineno, code.co_name)


def _description(code: CodeType) -> str:
    _, tree = _text(code)
    return (ast.get_docstring(tree) or "") if tree is not None else ""


def _source(code: CodeType, hit: set[int], guards: dict[tuple[str, int], Guard]) -> tuple[SourceText, ...]:
    """The lines of a method, with the guards that it met there, and whether each ran; its marks and description are
    told beside."""
    lines, tree = _text(code)
    if tree is None:
        return ()
    first, file = code.co_firstlineno - 1, shown_path(code.co_filename)
    skipped = _description_lines(tree)
    kept = [(at, line) for at, line in enumerate(lines, 1) if at >= tree.lineno and at not in skipped]
    ran = _ran(tree, {line - first for line in hit}, len(lines))
    indent = min((len(line) - len(line.lstrip()) for _, line in kept if line.strip()), default=0)
    return tuple(
        SourceText(first + at, line[indent:].rstrip(), guards.get((file, first + at)), ran[at - 1]) for at, line in kept
    )


def _description_lines(tree: ast.FunctionDef) -> range:
    """The lines of a method's description, which is told beside."""
    match tree.body[0]:
        case ast.Expr(value=ast.Constant(value=str())) as said:
            return range(said.lineno, (said.end_lineno or said.lineno) + 1)
    return range(0)


def _ran(tree: ast.FunctionDef, hit: set[int], length: int) -> list[bool]:
    """Whether each line of a method ran: those of a statement together; `else`, and comments, as what follows them."""
    known = dict[int, bool]()
    for head in _heads(tree.body):
        known |= dict.fromkeys(head, not hit.isdisjoint(head))
    ran = [True] * (length + 1)
    for at in reversed(range(tree.body[0].lineno, length + 1)):
        ran[at - 1] = known.get(at, ran[at])
    return ran[:length]


def _heads(statements: Sequence[ast.stmt]) -> Iterator[range]:
    """The lines of each statement without those of the statements in it."""
    for one in statements:
        inner = [part for part in ast.iter_child_nodes(one) if isinstance(part, ast.stmt)]
        last = (one.end_lineno or one.lineno) if not inner else max(one.lineno, inner[0].lineno - 1)
        yield range(one.lineno, last + 1)
        yield from _heads(inner)
