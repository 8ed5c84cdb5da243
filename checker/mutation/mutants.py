"""The mutants of a protocol: for every guard of every rule that its actions use, the protocol without it."""

from __future__ import annotations

import ast
import copy
import inspect
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from epochal.errors import UsageError
from epochal.spec.language import Protocol, SourceLine, bounded, require
from epochal.spec.language.configurable import Reduced
from epochal.spec.language.domains import Domain, LogDomain, MapDomain, OptionalStruct, StructDomain
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import MARK

from ..compile.compiler import evaluated_under, rules_used
from ..compile.source.admitted import TREE, Sources

# -- family -----------------------------------------------------------------------------------------------------------
# A protocol with some of its functions replaced, wherever its classes and modules refer to them.
#
# A rule may be inherited, reached by `super()`, assigned from another class (`fetch = Kip279.fetch`) or imported as a
# function by several modules. So the classes of the protocol are made again, from the same functions with the changed
# ones in place, and the modules they were written in get a shadow in which the changed names are looked up. Nothing of
# the original is touched, and the copy is known to nobody else.

COMPILER_FLAGS = 0x1FF0000
"""The bits of a function's flags that say which `from __future__` features it was compiled with."""


def changed_protocol(
    original: type[Protocol],
    used: Iterable[FunctionType],
    changed: Mapping[FunctionType, ast.FunctionDef],
    added: Mapping[str, tuple[FunctionType, ast.FunctionDef]],
) -> type[Protocol]:
    """A protocol whose steps follow the changed text, checked by the properties of the original as they were.

    `used` are the functions that its actions are made of, `changed` the new text of some of them, and `added` further
    functions by name: each a changed copy of a function that stays.
    """
    family = _Family(original, frozenset(used), changed)
    top = family.class_of(original, family.judged())
    for name, (function, tree) in added.items():
        made = family.made(function, tree)
        if _owner_of(function):
            setattr(top, name, made)
        else:
            family.everywhere[name] = made
    family.finish()
    return top


class _Family:
    """The classes, functions and modules of one changed protocol."""

    def __init__(
        self, original: type[Protocol], used: frozenset[FunctionType], changed: Mapping[FunctionType, ast.FunctionDef]
    ) -> None:
        self.original, self.used, self.changed = original, used, changed
        self.members = {cls for cls in original.__mro__ if _is_specified(cls)}
        self.classes: dict[type, type] = {}
        self.functions: dict[FunctionType, FunctionType] = {}
        self.owners: dict[type, CellType] = {}
        self.shadows: dict[str, ModuleType] = {}
        self.finished: dict[str, bool] = {}
        self.everywhere: dict[str, FunctionType] = {}

    def judged(self) -> dict[str, Any]:
        """The properties, which go on calling the methods of the original.

        A property that an action calls is a rule as well, and stays a method of the changed protocol.
        """
        found: dict[str, Any] = {}
        for kind in ("invariant", "action_property", "reachable", "constraint", "lemma"):
            for member in self.original.members(kind):
                if member.function not in self.used:
                    found[member.name] = evaluated_under(self.original, member.function)
                    found[member.name].__dict__[MARK] = member.mark
        return found

    def class_of(self, cls: type, instead: Mapping[str, Any] | None = None) -> type:
        """The copy of a class, with its bases before it."""
        if cls not in self.members:
            return cls
        if cls not in self.classes:
            bases = tuple(self.class_of(base) for base in cls.__bases__)
            kept = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
            names = {name: self.value(value, own=True) for name, value in kept.items()} | dict(instead or {})
            made = self.classes[cls] = type(cls)(cls.__name__, bases, names)
            self.owner(cls).cell_contents = made
        return self.classes[cls]

    def owner(self, cls: type) -> CellType:
        """The cell in which the methods of a class find it, for `super()`."""
        return self.owners.setdefault(cls, CellType())

    def value(self, value: Any, own: bool = False) -> Any:
        """What stands in the copy for a value of a class (`own`) or of a module."""
        if isinstance(value, FunctionType):
            return self.function(value) if own or value in self.used else value
        if isinstance(value, staticmethod | classmethod):
            return type(value)(self.value(value.__func__, own))
        if isinstance(value, property):
            getter, setter, deleter = (self.value(part, own) for part in (value.fget, value.fset, value.fdel))
            return property(getter, setter, deleter, value.__doc__)
        if isinstance(value, type) and value in self.members:
            return self.class_of(value)
        if isinstance(value, ModuleType) and value.__name__ in self.shadows:
            return self.shadows[value.__name__]
        return value

    def function(self, function: FunctionType) -> FunctionType:
        """The copy of a function, once."""
        if function not in self.functions:
            self.functions[function] = self.made(function, self.changed.get(function))
        return self.functions[function]

    def made(self, function: FunctionType, tree: ast.FunctionDef | None) -> FunctionType:
        """A copy of a function, with the text of `tree` if there is one."""
        code = function.__code__ if tree is None else compiled(function, tree)
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        closure = tuple(self.cell(name, cells[name]) for name in code.co_freevars)
        made = FunctionType(code, self.names(function), function.__name__, function.__defaults__, closure)
        made.__kwdefaults__ = function.__kwdefaults__
        made.__annotations__ = dict(function.__annotations__)
        made.__doc__, made.__qualname__ = function.__doc__, function.__qualname__
        made.__dict__.update(function.__dict__)
        if tree is not None:
            made.__dict__[TREE] = tree
        return made

    def cell(self, name: str, cell: CellType) -> CellType:
        """What a variable of an enclosing scope is in the copy."""
        held = cell.cell_contents
        if name == "__class__" and held in self.members:
            return self.owner(held)
        return CellType(self.value(held))

    def names(self, function: FunctionType) -> dict[str, Any]:
        """The global names of a function in the copy. They are replaced at the end, when everything is made."""
        module = str(function.__globals__.get("__name__"))
        if module not in self.shadows:
            self.shadows[module] = ModuleType(module)
            vars(self.shadows[module]).update(function.__globals__)
            self.finished[module] = False
        return vars(self.shadows[module])

    def finish(self) -> None:
        """Let every name of the modules mean the copy. Making one function may bring another module in."""
        while open := [name for name, done in self.finished.items() if not done]:
            for module in open:
                self.finished[module] = True
                names = vars(self.shadows[module])
                names.update({name: self.value(value) for name, value in list(names.items())} | self.everywhere)
        for shadow in self.shadows.values():  # a module that came in late may be a value in an earlier one
            vars(shadow).update({n: self.value(v) for n, v in vars(shadow).items() if isinstance(v, ModuleType)})


def compiled(function: FunctionType, tree: ast.FunctionDef) -> CodeType:
    """The code of a function with another text, in the place of the first: same file, lines and enclosing names."""
    bare = copy.deepcopy(tree)
    bare.decorator_list = []
    free = [name for name in function.__code__.co_freevars if name != "__class__"]
    owner = _owner_of(function)
    lines = ["def _enclosing():", *(f"    {name} = None" for name in free)]
    lines.append(f"    class {owner}: pass" if owner else "    pass")
    module = ast.parse("\n".join(lines))
    enclosing = module.body[0]
    assert isinstance(enclosing, ast.FunctionDef)
    inside = enclosing.body[-1]
    if isinstance(inside, ast.ClassDef):
        inside.body = [bare]
    else:
        enclosing.body[-1] = bare
    code = compile(
        ast.fix_missing_locations(module),
        function.__code__.co_filename,
        "exec",
        flags=function.__code__.co_flags & COMPILER_FLAGS,
        dont_inherit=True,
    )
    found: CodeType = code
    for name in filter(None, ("_enclosing", owner, tree.name)):
        found = next(part for part in found.co_consts if isinstance(part, CodeType) and part.co_name == name)
    return found.replace(co_qualname=function.__code__.co_qualname)


def _is_specified(cls: type) -> bool:
    """Whether a class is part of a specification, and not of the language or of Python."""
    base = cls.__module__.partition(".")[0]
    return not cls.__module__.startswith("epochal.spec.language") and base not in sys.stdlib_module_names


def _owner_of(function: FunctionType) -> str:
    """The name of the class whose method a function is; "" if it is none."""
    return "".join(function.__qualname__.split(".")[-2:-1]).removesuffix("<locals>")


# -- operators --------------------------------------------------------------------------------------------------------
# What a mutant takes away from a rule. Every edit is written down as the nodes of the rule's syntax tree it concerns.
#
# The operators, in the order in which they are tried on a function:
#
# * `drop require #2`: the second `require` of the function is gone.
# * `drop all requires`: every `require` of the function is gone, if there are several. Two guards that imply each
#   other survive one by one, and not together.
# * `drop require #2 conjunct #1`: an operand of an `and` anywhere inside that `require` is gone.
# * `drop conjunct #3`: an operand of an `and` elsewhere: in what a helper returns, in the test of an `if`.
# * `drop truncation #1`: a statement `....truncate(...)`, or one that writes a whole log at once, is gone.
# * `epoch comparison #1 is true`: a comparison of something that is named after an epoch is replaced by true.
#
# Two edits that leave the same text are one mutant, with the name of the first.

NAMES = ("require", "bounded")
"""How guards are written."""


@dataclass(frozen=True)
class Edit:
    """One change of a function.

    Nodes are given by their place in `ast.walk` of the function: `made_true` are replaced by true (and what this leaves
    is simplified), `removed` are statements that are left out, and `renamed` are calls that go to another function.
    """

    label: str
    line: int
    text: str
    made_true: tuple[int, ...] = ()
    removed: tuple[int, ...] = ()
    renamed: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class LogNames:
    """How a protocol calls its logs: variables and fields that are logs, and maps whose values are logs."""

    logs: frozenset[str]
    maps: frozenset[str]


def edited(tree: ast.FunctionDef, edit: Edit) -> ast.FunctionDef:
    """The function after an edit; the given tree is not changed."""
    made = _copied(tree)
    nodes = list(ast.walk(made))
    for index, name in edit.renamed.items():
        called = nodes[index]
        assert isinstance(called, ast.Call)
        if isinstance(called.func, ast.Attribute):
            called.func.attr = name
        else:
            called.func = ast.copy_location(ast.Name(name, ast.Load()), called.func)
    gone = {id(nodes[index]) for index in edit.removed}
    true = {id(nodes[index]) for index in edit.made_true}
    result = _Remover(gone, true).visit(made)
    assert isinstance(result, ast.FunctionDef)
    return ast.fix_missing_locations(result)


def _copied(node: Any) -> Any:
    """A copy of a tree with its places, for which `copy.deepcopy` takes five times as long."""
    if isinstance(node, list):
        return [_copied(one) for one in node]
    if not isinstance(node, ast.AST):
        return node
    made = type(node)()
    made.__dict__.update((name, _copied(value)) for name, value in node.__dict__.items())
    return made


class _Remover(ast.NodeTransformer):
    """Leaves out statements, makes expressions true, and simplifies the `and`s and `require`s around them."""

    def __init__(self, gone: set[int], true: set[int]) -> None:
        self.gone, self.true = gone, true

    def visit(self, node: ast.AST) -> ast.AST | None:
        if id(node) in self.gone:
            return None
        if id(node) in self.true:
            return ast.copy_location(ast.Constant(True), node)
        result: ast.AST | None = super().visit(node)
        body = getattr(result, "body", None)
        if isinstance(result, ast.stmt) and body == []:
            result.body = [ast.copy_location(ast.Pass(), result)]  # type: ignore[attr-defined]  # it has one
        return result

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.And):
            node.values = [value for value in node.values if not _is_true(value)]
            if len(node.values) < 2:
                return node.values[0] if node.values else ast.copy_location(ast.Constant(True), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        self.generic_visit(node)
        call = node.value
        bare = isinstance(call, ast.Call) and _name(call.func) in NAMES and len(call.args) == 1
        return None if bare and isinstance(call, ast.Call) and _is_true(call.args[0]) else node


class _Reader:
    """Finds the edits of one function."""

    def __init__(
        self, function: FunctionType, tree: ast.FunctionDef, logs: LogNames, run: frozenset[int] | None = None
    ) -> None:
        self.function, self.tree, self.logs = function, tree, logs
        self.nodes = list(ast.walk(tree))
        self.place = {id(node): index for index, node in enumerate(self.nodes)}
        self.requires = requires_of(function, tree)
        self.together = [guard for guard in self.requires if run is None or self.place[id(guard.args[0])] in run]

    def weakenings(self) -> Iterator[Edit]:
        """The edits that take away a guard or a part of one."""
        for number, guard in enumerate(self.requires, start=1):
            yield self.true(f"drop require #{number}", guard.args[0])
        if len(self.together) > 1:
            parts = tuple(self.place[id(guard.args[0])] for guard in self.together)
            text = "; ".join(ast.unparse(guard.args[0]) for guard in self.together)
            yield Edit("drop all requires", self.together[0].lineno, text, made_true=parts)
        inside: set[int] = set()
        for number, guard in enumerate(self.requires, start=1):
            inside |= {id(node) for node in ast.walk(guard)}
            for part, conjunct in enumerate(conjuncts(guard), start=1):
                yield self.true(f"drop require #{number} conjunct #{part}", conjunct)
        others = [conjunct for conjunct in conjuncts(self.tree) if id(conjunct) not in inside]
        for number, conjunct in enumerate(others, start=1):
            yield self.true(f"drop conjunct #{number}", conjunct)
        compared = [node for node in in_order(self.tree) if isinstance(node, ast.Compare) and _of_epochs(node)]
        for number, comparison in enumerate(compared, start=1):
            yield self.true(f"epoch comparison #{number} is true", comparison)

    def truncations(self) -> Iterator[Edit]:
        """The edits that leave out a truncation."""
        found = [node for node in in_order(self.tree) if isinstance(node, ast.stmt) and self.truncates(node)]
        for number, statement in enumerate(found, start=1):
            place = self.place[id(statement)]
            text = ast.unparse(statement)
            yield Edit(f"drop truncation #{number}", statement.lineno, text, removed=(place,))

    def true(self, label: str, node: ast.expr) -> Edit:
        """The edit that makes an expression true."""
        return Edit(label, node.lineno, ast.unparse(node), made_true=(self.place[id(node)],))

    def truncates(self, statement: ast.stmt) -> bool:
        """Whether a statement shortens a log, or may: it writes a whole one."""
        if isinstance(statement, ast.Expr):
            call = statement.value
            return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "truncate"
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        return any(self.is_log(target) for target in targets)

    def is_log(self, target: ast.expr) -> bool:
        """Whether what is assigned is a whole log."""
        if isinstance(target, ast.Subscript):
            return isinstance(target.value, ast.Attribute) and target.value.attr in self.logs.maps
        return isinstance(target, ast.Attribute) and target.attr in self.logs.logs


def edits(
    function: FunctionType, tree: ast.FunctionDef, logs: LogNames, run: frozenset[int] | None = None
) -> list[Edit]:
    """Every edit of a function, in the order of the operators, each text once.

    `run` are the places of the nodes that are ever run, if that is known: all requires are all of those.
    """
    reader = _Reader(function, tree, logs, run)
    return distinct(tree, [*reader.weakenings(), *reader.truncations()])


def weakenings(function: FunctionType, tree: ast.FunctionDef) -> list[Edit]:
    """The edits of a function that take away a condition."""
    nothing = LogNames(frozenset(), frozenset())
    return distinct(tree, list(_Reader(function, tree, nothing).weakenings()))


def distinct(tree: ast.FunctionDef, found: list[Edit]) -> list[Edit]:
    """The edits that leave a text that no other one before them leaves."""
    seen = {ast.dump(edited(tree, Edit("", 0, "")))}
    kept = []
    for edit in found:
        text = ast.dump(edited(tree, edit))
        if text not in seen:
            seen.add(text)
            kept.append(edit)
    return kept


def is_guard(value: object) -> bool:
    """Whether a function is one by which guards are written."""
    return value is require or value is bounded


def requires_of(function: FunctionType, tree: ast.FunctionDef) -> list[ast.Call]:
    """The calls of `require` and `bounded` in a function, by whatever name its module knows them, in textual order."""
    found = []
    for node in in_order(tree):
        if isinstance(node, ast.Call) and len(node.args) == 1:
            by_name = isinstance(node.func, ast.Name) and is_guard(function.__globals__.get(node.func.id))
            if by_name or (isinstance(node.func, ast.Attribute) and node.func.attr in NAMES):
                found.append(node)
    return found


def in_order(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes below a node, in the order of the text (as far as statements and operands go)."""
    for child in ast.iter_child_nodes(node):
        yield child
        yield from in_order(child)


def conjuncts(node: ast.AST) -> Iterator[ast.expr]:
    """The operands of every `and` below a node."""
    for child in in_order(node):
        if isinstance(child, ast.BoolOp) and isinstance(child.op, ast.And):
            yield from child.values


def _is_true(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is True


def _name(node: ast.expr) -> str:
    """The last name in what a value is called by: `leader_epoch` of `self.view(r).leader_epoch`."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Call(func=inner) | ast.Subscript(value=inner):
            return _name(inner)
    return ""


def _of_epochs(node: ast.Compare) -> bool:
    """Whether an epoch is compared: one side is named after one, or is a sum of something that is."""
    sides = (node.left, *node.comparators)
    parts = (part for one in sides for part in ((one.left, one.right) if isinstance(one, ast.BinOp) else (one,)))
    return any("epoch" in _name(part).lower() for part in parts)


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
    found = tuple(
        m for m in mutants if only is None or fnmatchcase(m.id, f"*{only.replace('[', '[[]').replace('?', '[?]')}*")
    )
    if not found:
        raise UsageError(
            f"no mutant of {protocol.name} has {only!r} in its id.",
            f"There are {len(mutants)}; the first is '{mutants[0].id}'.",
        )
    return found


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
