"""The mutants of a protocol: for every guard of every rule that its actions use, the protocol without it."""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import FunctionType

from epochal.errors import UsageError
from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.configurable import Reduced
from epochal.spec.language.domains import Domain, LogDomain, MapDomain, OptionalStruct, StructDomain
from epochal.spec.language.errors import shown_path

from ..compile.compiler import rules_used
from ..compile.source.sources import Sources
from .family import changed_protocol
from .operators import Edit, LogNames, edited, edits, is_guard, requires_of, weakenings

_Calls = dict[FunctionType, list[tuple[ast.Call, FunctionType]]]
"""The calls of helpers in each rule."""


@dataclass(frozen=True)
class Mutant:
    """One protocol with one thing taken away. `removed` is the text that is gone, `where` the line it stood on.

    The id names file, rule and operator, and no line, so that it stays when lines move. A mutant of one call of a
    helper names in `shared` the one that takes the same away in all its calls.
    """

    id: str
    removed: str
    where: SourceLine
    protocol: type[Protocol]
    rules: tuple[FunctionType, ...]
    changed: dict[FunctionType, ast.FunctionDef]
    added: dict[str, tuple[FunctionType, ast.FunctionDef]]
    shared: str = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the protocol joins in one step, and this changes the rules of: what its verdict cannot tell."""
        if not issubclass(self.protocol, Reduced):
            return ()
        functions = (*self.changed, *(helper for helper, _ in self.added.values()))
        return self.protocol.remarks_if_changed({function.__name__ for function in functions})

    def build(self) -> type[Protocol]:
        """The protocol. It is made when it is asked for, and kept by nobody."""
        return changed_protocol(self.protocol, self.rules, self.changed, self.added)


@dataclass(frozen=True)
class _Rule:
    """A function that the actions use: its text, and the lines of it that are run at these bounds."""

    function: FunctionType
    tree: ast.FunctionDef
    lines: frozenset[int]

    @property
    def name(self) -> str:
        """`kip_320.py Kip320.fetch`."""
        return f"{Path(self.function.__code__.co_filename).name} {self.function.__qualname__.split('<locals>.')[-1]}"

    def where(self, line: int) -> SourceLine:
        """A line of the rule."""
        return SourceLine(shown_path(self.function.__code__.co_filename), line, self.function.__name__)

    @cached_property
    def run(self) -> frozenset[int]:
        """The places, in `ast.walk`, of the nodes in statements that are run."""
        found: set[int] = set()
        nodes = {id(node): place for place, node in enumerate(ast.walk(self.tree))}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.stmt) and node.lineno in self.lines:
                found |= {nodes[id(part)] for part in _own_nodes(node)}
        return frozenset(found)

    def is_run(self, edit: Edit) -> bool:
        """Whether anything that the edit changes is ever run."""
        return any(place in self.run for place in (*edit.made_true, *edit.removed, *edit.renamed))


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without those of the statements inside it."""
    yield statement
    open: list[ast.AST] = [statement]
    while open:
        for child in ast.iter_child_nodes(open.pop()):
            if not isinstance(child, ast.stmt):
                yield child
                open.append(child)


def mutants_of(protocol: Protocol) -> tuple[Mutant, ...]:
    """Every mutant of a protocol at its bounds, in the order of the files and lines.

    What is never run at these bounds (behind a switch that is off, say) has no mutants. Text that several actions share
    is mutated for all of them at once; besides, a condition that is one of several calls of a shared helper is weakened
    at that call alone.
    """
    rules = _rules(protocol)
    logs = _log_names(protocol)
    functions = tuple(rule.function for rule in rules)
    called: _Calls = {rule.function: list(_calls(rule, protocol)) for rule in rules}
    found = []
    for rule in rules:
        for edit in edits(rule.function, rule.tree, logs, rule.run):
            if rule.is_run(edit):
                found.append(_mutant(protocol, functions, rule, edit, {}))
        found += _mutants_at_calls(protocol, functions, rule, rules, called)
    return tuple(found)


def chosen_mutants(mutants: tuple[Mutant, ...], only: str | None, protocol: Protocol) -> tuple[Mutant, ...]:
    """The mutants whose id contains a pattern; * in it stands for anything. Raises UsageError if there are none."""
    if not mutants:
        raise UsageError(f"{protocol.name} has no guard that could be taken away: no require, no truncation.")
    found = tuple(m for m in mutants if only is None or fnmatchcase(m.id, f"*{_literal(only)}*"))
    if not found:
        raise UsageError(
            f"no mutant of {protocol.name} has {only!r} in its id.",
            f"There are {len(mutants)}; the first is '{mutants[0].id}'.",
        )
    return found


def _literal(pattern: str) -> str:
    """A pattern in which only * is special."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def _mutant(
    protocol: Protocol,
    functions: tuple[FunctionType, ...],
    rule: _Rule,
    edit: Edit,
    added: dict[str, tuple[FunctionType, ast.FunctionDef]],
    shared: str = "",
) -> Mutant:
    changed = {rule.function: edited(rule.tree, edit)}
    id = f"{rule.name}: {edit.label}"
    return Mutant(id, edit.text, rule.where(edit.line), type(protocol), functions, changed, added, shared)


def _rules(protocol: Protocol) -> list[_Rule]:
    sources = Sources()
    rules = []
    for function, lines in rules_used(protocol).items():
        if not function.__module__.startswith("epochal.spec.language"):
            rules.append(_Rule(function, sources.tree(function), frozenset(line.line for line in lines)))
    initial = inspect.getattr_static(type(protocol), "initial")
    if (
        isinstance(initial, FunctionType)
        and initial is not Protocol.initial
        and initial not in [rule.function for rule in rules]
    ):
        tree = sources.tree(initial)
        rules.append(_Rule(initial, tree, frozenset(getattr(node, "lineno", 0) for node in ast.walk(tree))))
    return sorted(rules, key=lambda rule: (shown_path(rule.function.__code__.co_filename), rule.tree.lineno))


def _mutants_at_calls(
    protocol: Protocol, functions: tuple[FunctionType, ...], rule: _Rule, rules: list[_Rule], called: _Calls
) -> Iterator[Mutant]:
    """A helper that is called in several places, weakened in one `require` of this rule only."""
    places = {id(node): place for place, node in enumerate(ast.walk(rule.tree))}
    by_function = {other.function: other for other in rules}
    often = Counter(helper for calls in called.values() for _, helper in calls)
    for number, guard in enumerate(requires_of(rule.function, rule.tree), start=1):
        inside = {id(node) for node in ast.walk(guard)}
        seen: Counter[FunctionType] = Counter()
        for call, helper in called[rule.function]:
            # a helper with names of an enclosing scope, such as the class that super() needs, is not copied
            if id(call) not in inside or often[helper] < 2 or helper.__code__.co_freevars or helper not in by_function:
                continue
            seen[helper] += 1
            which = f" call #{seen[helper]}" if seen[helper] > 1 else ""
            name = f"{helper.__name__}_weakened"
            for weaker in weakenings(helper, by_function[helper].tree):
                label = f"require #{number} {helper.__name__}{which}: {weaker.label}"
                edit = Edit(label, call.lineno, weaker.text, renamed={places[id(call)]: name})
                if rule.is_run(edit):
                    tree = edited(by_function[helper].tree, weaker)
                    tree.name = name
                    shared = f"{by_function[helper].name}: {weaker.label}"
                    yield _mutant(protocol, functions, rule, edit, {name: (helper, tree)}, shared)


def _calls(rule: _Rule, protocol: Protocol) -> Iterator[tuple[ast.Call, FunctionType]]:
    """The calls of helpers in a rule: methods by `self.name(...)`, functions by their name."""
    first = next(iter(inspect.signature(rule.function).parameters), None)
    for node in ast.walk(rule.tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name):
                helper = rule.function.__globals__.get(name)
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner == first:
                helper = inspect.getattr_static(type(protocol), name, None)
            case _:
                helper = None
        if isinstance(helper, FunctionType) and not is_guard(helper):
            yield node, helper


def _log_names(protocol: Protocol) -> LogNames:
    """How the variables and fields are called that are logs, or maps of logs."""
    logs: set[str] = set()
    maps: set[str] = set()

    def look(name: str, domain: Domain) -> None:
        if isinstance(domain, LogDomain):
            logs.add(name)
        elif isinstance(domain, MapDomain):
            if isinstance(domain.value, LogDomain):
                maps.add(name)
            look("", domain.value)
        elif isinstance(domain, OptionalStruct):
            look(name, domain.element)
        elif isinstance(domain, StructDomain):
            for field, inner in domain.field_domains.items():
                look(field, inner)

    for name, variable in protocol.variables.items():
        look(name, variable.domain)
    return LogNames(frozenset(logs), frozenset(maps))
