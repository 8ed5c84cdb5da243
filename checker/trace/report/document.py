"""A trace as a report has it: lanes and steps, with guards and source, what else was possible, what was true when."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from types import CodeType, FrameType, FunctionType
from typing import Any, Literal

from epochal.spec.language import (
    ActionInstance,
    Disabled,
    EvaluationError,
    Log,
    Member,
    OutOfBounds,
    Protocol,
    SourceLine,
)
from epochal.spec.language.domains import Domain, IdentifierDomain, IntegerDomain, LogDomain, MapDomain, StructDomain
from epochal.spec.language.errors import SpecificationError, printable, shown_path
from epochal.spec.language.marks import Kind, bounded, require
from epochal.spec.language.protocol import evaluated
from epochal.spec.language.source_text import shown_line, source_text
from epochal.spec.language.views import shown, told_lines

from ..diagrams import Arrow, drawn, lanes_of
from ..explain import (
    Change,
    ExplainedStep,
    caller_of_guard,
    claim,
    explain,
    liveness_label,
    property_of,
    protocol_name,
    sentence,
    shown_bounds,
)
from ..run import DEADLOCK, NOT_INDUCTIVE, Codes, Run
from ..text import because
from ..why import closing_lines, fair_lines, from_here_on, reasons, stuck_lines, waiting_from

# -- guards -----------------------------------------------------------------------------------------------------------
# Guards: where one stands, whether it is true, and which values make it so; and the one that refuses an action.

BELOW_A_BOUND = re.compile(r"^[^<>=]* <=? self\.bounds\.\w+$")
"""A condition that counts: `self.used.fencings < self.bounds.fencings`."""

WORDS = {require.__code__: "require", bounded.__code__: "bounded"}


@dataclass(frozen=True)
class Guard:
    """A `require` or a `bounded` that an action met: its condition as it stands in the source, and its truth.

    `facts` are the values that make it true or false, as far as its source tells.
    """

    word: str
    text: str
    where: SourceLine
    holds: bool
    facts: tuple[str, ...] = ()

    @property
    def is_bound(self) -> bool:
        """Whether it is the model's and not the system's: it is `bounded`, or keeps something below a bound."""
        return self.word == "bounded" or BELOW_A_BOUND.search(self.text) is not None


@dataclass(frozen=True)
class Tried:
    """An action tried in a state: the guard that is false, if one is, and whether it can be taken.

    `error` says why it cannot be evaluated, if it cannot.
    """

    instance: ActionInstance
    guards: tuple[Guard, ...]
    enabled: bool
    after: Codes | None
    error: str = ""


def tried(protocol: Protocol, codes: Codes, instance: ActionInstance) -> Tried:
    """Try an action in a state; of the guards that it met, only the one that is false is told."""
    state = protocol.at(codes)
    try:
        evaluated(instance.action.function, state, *instance.arguments)
    except Disabled as disabled:
        return Tried(instance, _refusing(disabled), False, None)
    except EvaluationError as error:
        return Tried(instance, (), False, None, error.message)
    return Tried(instance, (), True, state.codes())


def _refusing(disabled: Disabled) -> tuple[Guard, ...]:
    """The guard that is false, from the exception that it raised."""
    called = caller_of_guard(disabled.__traceback__)
    if called is None:
        return ()
    frame, instruction, _ = called
    return (guard_at("bounded" if isinstance(disabled, OutOfBounds) else "require", False, frame, instruction),)


def guard_at(word: str, holds: bool, caller: FrameType, at: int) -> Guard:
    """The guard that is called by an instruction of a function."""
    code = caller.f_code
    first, last, _, _ = next(itertools.islice(code.co_positions(), at // 2, None))
    first = first or caller.f_lineno
    lines = (shown_line(code, line).strip() for line in range(first, (last or first) + 1))
    text = " ".join(line for line in lines if line)
    where = SourceLine(shown_path(code.co_filename), first, code.co_name)
    condition = _condition(text)
    if condition is None:
        return Guard(word, text, where, holds)
    names = {**caller.f_globals, **caller.f_locals}
    return Guard(word, ast.unparse(condition), where, holds, reasons(condition, names, holds))


@lru_cache(maxsize=1024)
def _condition(text: str) -> ast.expr | None:
    """What a call of a guard is about; None for a call that is only a part of its lines."""
    try:
        parsed = ast.parse(text).body
    except SyntaxError:
        return None
    match parsed:
        case [ast.Expr(ast.Call(args=[condition], keywords=[]))]:
            return condition
    return None


# -- elsewhere --------------------------------------------------------------------------------------------------------
# What else can be done in a state: every action that is possible, and of the others the first guard that is false.


@dataclass(frozen=True)
class Refused:
    """A guard that is false for some actions in a state: its text, and the actions by the values that make it so.

    One that is `bounded` is a bound of the model, which the system does not have.
    """

    text: str
    where: str
    actions: tuple[tuple[str, tuple[str, ...]], ...]
    bounded: bool = False


@dataclass(frozen=True)
class Elsewhere:
    """What else can be done in a state, what cannot and why, and what cannot be evaluated.

    `possible` has labels, each with its sentence. `unchanging` are those among them that lead back to the same state.
    """

    possible: tuple[tuple[str, str], ...]
    refused: tuple[Refused, ...]
    fails: tuple[tuple[str, str], ...] = ()
    unchanging: frozenset[str] = frozenset()


def elsewhere(protocol: Protocol, codes: Codes, following: ActionInstance | None = None) -> Elsewhere:
    """What can be done in a state besides the step that follows in a run, which is left out."""
    refused: dict[tuple[str, str, bool], dict[str, list[str]]] = {}
    possible, fails, unchanging = [], [], set[str]()
    for instance in protocol.instances:
        if instance == following:
            continue
        found = tried(protocol, codes, instance)
        if found.enabled:
            possible.append((instance.label, sentence(instance)))
            unchanging |= {instance.label} if found.after == codes else set()
        elif found.error:
            fails.append((instance.label, found.error))
        elif found.guards:
            guard = found.guards[-1]
            key = guard.text, str(guard.where), guard.is_bound
            refused.setdefault(key, {}).setdefault(", ".join(guard.facts), []).append(instance.label)
    groups = [
        Refused(text, where, tuple((facts, tuple(labels)) for facts, labels in actions.items()), bounded)
        for (text, where, bounded), actions in refused.items()
    ]
    return Elsewhere(tuple(possible), tuple(groups), tuple(fails), frozenset(unchanging))


# -- pictures ---------------------------------------------------------------------------------------------------------
# What a lane looks like in a state: its words, and its logs cell by cell.
#
# An identifier has a log if a variable of the protocol has one for it (`brokers[b1].log`); so has a variable that is a
# log itself (`committed`). Only logs of records with an epoch are drawn. A field beside it that says how far the log is
# committed is marked in it.

MARKS = {"hw": "high watermark", "high_watermark": "high watermark", "log_start": "log start"}
"""What fields beside a log mark in it, by their names."""


@dataclass(frozen=True)
class Cell:
    """A record of a log: its offset, its text, and the epoch that it was appended in."""

    offset: int
    text: str
    epoch: int


@dataclass(frozen=True)
class DrawnLog:
    """A log: its name, its records, and offsets that are marked, by what they are."""

    name: str
    cells: tuple[Cell, ...]
    marks: tuple[tuple[str, int], ...]

    @property
    def records(self) -> str:
        """The records, as views say them."""
        return ", ".join(cell.text for cell in self.cells)

    @property
    def words(self) -> str:
        """The log as a sentence, for who does not see it."""
        records = ", ".join(f"{cell.offset}: {cell.text}" for cell in self.cells) or "empty"
        return "; ".join([f"{self.name} {records}", *(f"{what} {offset}" for what, offset in self.marks)])

    def marked(self, offset: int) -> tuple[str, ...]:
        """What is marked before the record at an offset, or at the end."""
        return tuple(what for what, at in self.marks if at == offset)


@dataclass(frozen=True)
class Card:
    """A lane in a state: its words, phrase by phrase, and its logs."""

    words: tuple[str, ...]
    logs: tuple[DrawnLog, ...]


def cards(protocol: Protocol, codes: Codes, all_fields: bool = False) -> dict[str, Card]:
    """What each lane, and each variable that is told by itself, looks like in a state.

    With `all_fields` every field is told, and no view. Raises LanguageError for a view that fails.
    """
    lines, logs = told_lines(protocol, codes, all_fields), dict[str, list[DrawnLog]]()
    for lane, log in _logs(protocol.at(codes)):
        logs.setdefault(lane, []).append(log)
    found = {}
    for lane in dict.fromkeys((*lines, *logs)):
        drawn = tuple(logs.get(lane, ()))
        words = lines[lane].split("; ") if lane in lines else []
        kept = words if all_fields else [phrase for phrase in words if not _is_drawn(lane, phrase, drawn)]
        found[lane] = Card(tuple(kept), drawn)
    return found


def _is_drawn(lane: str, phrase: str, logs: tuple[DrawnLog, ...]) -> bool:
    """Whether a phrase says what is drawn: `log r0@e0, hw 0`, `empty log`, or the records of a log that is a lane."""
    return any(
        phrase.startswith(f"{one.name} ")
        or phrase == f"empty {one.name}"
        or (one.name == lane and phrase == one.records)
        for one in logs
    )


def _logs(state: Protocol) -> Iterator[tuple[str, DrawnLog]]:
    for name, variable in state.variables.items():
        value, domain = getattr(state, name), variable.domain
        if _has_epochs(domain):
            yield name, _drawn(name, value, ())
        if not (isinstance(domain, MapDomain) and isinstance(domain.key, IdentifierDomain)):
            continue
        for key in value:
            if _has_epochs(domain.value):
                yield str(key), _drawn(name, value[key], ())
            elif isinstance(domain.value, StructDomain):
                entry, fields = value[key], domain.value.field_domains
                marks = tuple((MARKS[field], getattr(entry, field)) for field in fields if field in MARKS)
                for field, of in fields.items():
                    if _has_epochs(of):
                        yield str(key), _drawn(field, getattr(entry, field), marks)


def _has_epochs(domain: Domain) -> bool:
    """Whether something is a log of records that have an epoch."""
    return (
        isinstance(domain, LogDomain)
        and isinstance(domain.entry, StructDomain)
        and isinstance(domain.entry.field_domains.get("epoch"), IntegerDomain)
    )


def _drawn(name: str, log: Log[Any], marks: tuple[tuple[str, int], ...]) -> DrawnLog:
    cells = tuple(Cell(offset, shown(record), record.epoch) for offset, record in enumerate(log))
    return DrawnLog(name.replace("_", " "), cells, marks)


# -- events -----------------------------------------------------------------------------------------------------------
# What a step does to logs and to leadership, in a few words, from what lanes look like before and after it.
#
# The title of a step says which action was taken. What comes of it may be something else: a fetch that truncates, or a
# broker that is fenced, so that another leads. This is read off the cards, so it is the same for every protocol.

LEADS = re.compile(r"leads(?: e(\d+))?")
FOLLOWS = re.compile(r"follows \w+(?: e\d+)?")
KNOWS = re.compile(r"no leader|leader \w+(?: e\d+)?")
ISR = re.compile(r"\bISR (\{[^}]*\})")
DOWN = re.compile(r"(crashed|shut[- ]down|fenced|(is )?down|stopped)\b")
"""What is said first of who is down."""


def events(before: Mapping[str, Card], after: Mapping[str, Card]) -> tuple[str, ...]:
    """What became of logs, high watermarks and leaders between two states."""
    found: list[str] = []
    for lane, card in after.items():
        old = before.get(lane)
        if old is None:
            found += _of_own_log(lane, Card((), ()), card)
        elif old != card:
            found += [*_of_leaders(lane, old, card), *_of_own_log(lane, old, card), *_of_logs(lane, old, card)]
    return tuple(dict.fromkeys(found))


def is_down(card: Card) -> bool:
    """Whether a lane's first words say that it is down."""
    return bool(card.words) and DOWN.match(card.words[0]) is not None


def _of_leaders(lane: str, old: Card, new: Card) -> Iterator[str]:
    """Who leads, whom somebody follows, and what somebody else takes for the leader and the ISR."""
    was, now = (card.words[0] if card.words else "" for card in (old, new))
    for form in (LEADS, FOLLOWS):
        found, other = form.match(now), form.match(was)
        if found is None or (other is not None and other[0] == found[0]):
            continue
        if form is LEADS:
            yield f"{lane} leads in epoch {found[1]}" if found[1] else f"{lane} leads"
        else:
            yield f"{lane} {found[0]}"
    if KNOWS.match(now):
        parts = [(form.search(was), form.search(now)) for form in (KNOWS, ISR)]
        said = [new[0] for old, new in parts if new is not None and (old is None or old[0] != new[0])]
        yield from [f"{lane}: {', '.join(said)}"] if said else []


def _of_own_log(lane: str, old: Card, new: Card) -> Iterator[str]:
    """A log that is a lane by itself, such as what is committed."""
    for log in new.logs:
        if log.name != lane.replace("_", " "):
            continue
        _, more = _changed(_named(old, log.name), log)
        if more:
            yield f"{', '.join(more)} {'is' if len(more) == 1 else 'are'} {log.name}"


def _of_logs(lane: str, old: Card, new: Card) -> Iterator[str]:
    """What somebody appends to its log or takes from its end, and where its high watermark moves."""
    for log in new.logs:
        if log.name == lane.replace("_", " "):
            continue
        before = _named(old, log.name)
        gone, more = _changed(before, log)
        which = "" if log.name == "log" else f" in its {log.name}"
        if gone:
            yield f"{lane} {'loses' if is_down(old) or is_down(new) else 'truncates'} {', '.join(gone)}{which}"
        if more:
            yield f"{lane} appends {', '.join(more)}{which}"
        marked = dict(before.marks) if before is not None else {}
        for what, offset in log.marks:
            if what in marked and marked[what] != offset:
                yield f"{what} of {lane} moves {'back ' if offset < marked[what] else ''}to {offset}"


def _named(card: Card, name: str) -> DrawnLog | None:
    return next((log for log in card.logs if log.name == name), None)


def _changed(before: DrawnLog | None, after: DrawnLog) -> tuple[list[str], list[str]]:
    """The records that are gone from the end of a log, and those that are new there."""
    old, new = before.cells if before is not None else (), after.cells
    same = next(
        (at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), min(len(old), len(new))
    )
    return [cell.text for cell in old[same:]], [cell.text for cell in new[same:]]


# -- executed ---------------------------------------------------------------------------------------------------------
# What runs when an action is taken: its lines, the methods that it calls, and the guards that are met on the way.
#
# The action is replayed once with a trace function that looks into the files of the specification alone. Of the methods
# that it calls those are kept that do something, and those that a guard asks directly: the values of others are told
# with the guards.


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
    """An action that was taken: the guards that it met, its own lines, the methods that it called, and the guards that
    none of these shows."""

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


LONGEST = 60
"""Runs of more steps are told without what else was possible."""

MOST_JUDGED = 300
"""Of runs of more steps no table says what was true when."""

Truth = Literal["true", "false", "reached", "", "fails"]
"""Whether a property is true in a state; "" where it says nothing."""


@dataclass(frozen=True)
class Moment:
    """A state of a run, with the step that leads to it; the first has none.

    `cards` are the lanes that look different than before (of the first all), `fields` what no lane tells. `events` say
    what the step did to logs and leaders, and `ran` what ran when it was taken.
    """

    number: int
    step: ExplainedStep | None
    arrows: tuple[Arrow, ...]
    cards: dict[str, Card]
    fields: dict[str, Card]
    changes: tuple[Change, ...]
    elsewhere: Elsewhere | None
    description: str = ""
    events: tuple[str, ...] = ()
    ran: Executed = Executed()


@dataclass(frozen=True)
class PropertyRow:
    """A property, and what it says of each state: of a property of steps, of the step that leads there."""

    member: Member
    truths: tuple[Truth, ...]

    @property
    def is_shown(self) -> bool:
        """Whether it is not the same everywhere."""
        return len(set(self.truths) - {""}) > 1 or bool({"false", "reached"} & set(self.truths))


class Report:
    """Everything that a report of a trace shows; what else was possible only with `branches`.

    Raises LanguageError for a view that fails.
    """

    def __init__(self, trace: Run, all_fields: bool = False, branches: bool = True) -> None:
        self.trace, self.protocol, self.all_fields, self.branches = trace, trace.protocol, all_fields, branches
        self.name, self.claim, self.bounds = protocol_name(trace), claim(trace), shown_bounds(trace.protocol)
        self.member = property_of(trace)
        self.subject = liveness_label(trace) or trace.property_id
        self.because = because(trace)
        self._steps = explain(trace)
        self.lanes = lanes_of(trace.protocol, self._steps)

    @property
    def wrong(self) -> bool:
        """Whether the run ends where something is wrong."""
        return self.trace.verdict in ("violated", "error", DEADLOCK, NOT_INDUCTIVE)

    @property
    def note(self) -> str:
        """What is known besides, as one paragraph."""
        return " ".join(printable(self.trace.note, lines=True).split())

    @cached_property
    def fairness(self) -> list[str]:
        """Why it is fair that a goal never comes, or what refuses each step where nothing more happens."""
        return [line.strip() for line in (*fair_lines(self.trace), *stuck_lines(self.trace))]

    @cached_property
    def _waits(self) -> int | None:
        return waiting_from(self.trace)

    def said_at(self, number: int) -> list[str]:
        """What is said of a state besides its step: from where on a liveness property waits, and where a round
        begins."""
        lines = from_here_on(self.trace, self._waits, number)
        if number == self.trace.loop and self.trace.closing is None:
            lines += closing_lines(self.trace, 0)
        said = [line.removeprefix("-- ") for line in lines]
        return [line[:1].upper() + line[1:] for line in said]

    @property
    def closing(self) -> list[str]:
        """How a run that goes on for ever comes back."""
        return [] if self.trace.closing is None else [line.strip() for line in closing_lines(self.trace, 0)]

    @cached_property
    def moments(self) -> list[Moment]:
        """The states, from the first on."""
        states = self.trace.states
        pictures = [cards(self.protocol, codes, self.all_fields) for codes in states]
        found = []
        for number, codes in enumerate(states):
            picture, before = pictures[number], pictures[number - 1] if number else {}
            changed = {lane: card for lane, card in picture.items() if before.get(lane) != card}
            gone = {lane: Card(("nothing",), ()) for lane in before if lane not in picture}
            found.append(self._moment(number, codes, {**changed, **gone}, events(before, picture)))
        return found

    @property
    def last(self) -> tuple[dict[str, Card], dict[str, Card]]:
        """The whole last state: the lanes, and what no lane tells."""
        return self.whole(len(self.trace.states) - 1)

    def whole(self, number: int) -> tuple[dict[str, Card], dict[str, Card]]:
        """All of a state: the lanes, and what no lane tells."""
        picture = cards(self.protocol, self.trace.states[number], self.all_fields)
        lanes = {lane: card for lane, card in picture.items() if lane in self.lanes}
        return lanes, {name: card for name, card in picture.items() if name not in lanes}

    def _moment(self, number: int, codes: Codes, changed: dict[str, Card], said: tuple[str, ...]) -> Moment:
        lanes = {lane: card for lane, card in changed.items() if lane in self.lanes}
        fields = {name: card for name, card in changed.items() if name not in self.lanes}
        elsewhere = self._elsewhere(number, codes)
        if not number:
            return Moment(0, None, (), lanes, fields, (), elsewhere)
        step, instance = self._steps[number - 1], self.trace.steps[number - 1].instance
        arrows, _ = drawn(step, self.lanes)
        return Moment(
            number,
            step,
            tuple(arrows),
            lanes,
            fields,
            step.changes,
            elsewhere,
            inspect.getdoc(instance.action.function) or "",
            said,
            executed(self.protocol, self.trace.states[number - 1], instance),
        )

    @property
    def is_cut(self) -> bool:
        """Whether the run is so long that what else was possible is left out."""
        return len(self._steps) > LONGEST

    @property
    def left_out(self) -> str:
        """What a long run is told without."""
        if len(self._steps) > MOST_JUDGED:
            return f"The run has more than {MOST_JUDGED} steps: what was possible and what was true when is left out."
        return f"The run has more than {LONGEST} steps: what else was possible is left out." if self.is_cut else ""

    def _elsewhere(self, number: int, codes: Codes) -> Elsewhere | None:
        if self.is_cut or not self.branches:
            return None
        following = self.trace.steps[number].instance if number < len(self._steps) else self.trace.closing
        return elsewhere(self.protocol, codes, following)

    @cached_property
    def properties(self) -> list[PropertyRow]:
        """What was true when: properties and lemmas, and of liveness properties the one that the run is about."""
        if len(self._steps) > MOST_JUDGED:
            return []
        kinds: tuple[Kind, ...] = ("invariant", "action_property", "reachable", "lemma")
        members = [member for kind in kinds for member in self.protocol.members(kind)]
        rows = [PropertyRow(member, tuple(self._truths(member))) for member in members]
        if self.member is not None and self.member.mark.kind == "leads_to":
            rows.insert(0, PropertyRow(self.member, tuple(self._promised(self.member))))
        about = self.member.name if self.member is not None else ""
        return sorted(rows, key=lambda row: (row.member.name != about, not row.is_shown))

    def _truths(self, member: Member) -> list[Truth]:
        states = [self.protocol.at(codes) for codes in self.trace.states]
        if member.mark.kind == "action_property" or member.function.__code__.co_argcount > 1:
            pairs = itertools.pairwise(states)
            found: list[Truth] = ["", *(_truth(member, before, after) for before, after in pairs)]
        else:
            found = [_truth(member, state) for state in states]
        if member.mark.kind == "reachable":
            names: dict[Truth, Truth] = {"true": "reached", "false": ""}
            found = [names.get(truth, truth) for truth in found]
        return found

    def _promised(self, member: Member) -> list[Truth]:
        """Whether the goal holds, or is still to come after the premise."""
        found, waits = list[Truth](), False
        for codes in self.trace.states:
            try:
                premise, goal = evaluated(member.function, self.protocol.at(codes), *self.trace.arguments)
            except SpecificationError:
                found.append("fails")
                continue
            waits = not goal and (waits or bool(premise))
            found.append("true" if goal else "false" if waits else "")
        return found

    def draws(self, sign: Literal["arrow", "answer", "record", "mark"]) -> bool:
        """Whether a sign is drawn somewhere, so that it is worth a word."""
        return sign in self._drawn

    @cached_property
    def _drawn(self) -> frozenset[str]:
        arrows = [arrow for moment in self.moments for arrow in moment.arrows]
        logs = [
            log
            for moment in self.moments
            for card in (*moment.cards.values(), *moment.fields.values())
            for log in card.logs
        ]
        found = {
            "arrow": bool(arrows),
            "answer": any(arrow.answers for arrow in arrows),
            "record": any(log.cells for log in logs),
            "mark": any(log.cells and log.marks for log in logs),
        }
        return frozenset(sign for sign, is_drawn in found.items() if is_drawn)

    @cached_property
    def accused(self) -> frozenset[str]:
        """The lanes that what makes the property false is about."""
        said = self.subject if self.trace.loop is not None else self.because
        return frozenset(re.findall(r"\w+", said)) & {*self.lanes}


def _truth(member: Member, *states: Protocol) -> Truth:
    try:
        return "true" if evaluated(member.function, *states) else "false"
    except SpecificationError:
        return "fails"
