"""A specification as text that tells it from all others, for keys of what is kept: its writing and its meaning."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import functools
import hashlib
import importlib.util
import inspect
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any, Final
from weakref import WeakKeyDictionary

from epochal.spec.language import Protocol
from epochal.spec.language.bounds import Size
from epochal.spec.language.errors import shown_path
from epochal.spec.language.marks import mark_of
from epochal.spec.language.source_text import FileText, present_text, source_text

from ..ir.expression import Expression, Op, reachable_nodes
from ..ir.model import CompiledInstance, CompiledLiveness, CompiledProperty, Failure, Model
from ..semantics.properties import needed, units_of
from .engine import Untold, folder_of

PLAIN = frozenset((type(None), bool, int, float, str))
"""Types of values that say in words all that they are, and never change."""


def code_alone(code: CodeType) -> str:
    """What a code does, wherever it stands."""
    constants = [code_alone(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"{code.co_code.hex()} {names} {counts} [{'; '.join(constants)}]"


def _constant(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant, value))})"
    return str(sorted(map(_constant, value))) if isinstance(value, frozenset) else repr(value)


def functions_of(value: Any) -> list[FunctionType]:
    """The functions of a method, property, or whatever else a class has of functions."""
    if type(value) is FunctionType:
        return [value]
    if type(value) in PLAIN:
        return []
    parts: list[object]
    if isinstance(value, staticmethod | classmethod):
        parts = [value.__func__]
    elif isinstance(value, property):
        parts = [value.fget, value.fset, value.fdel]
    elif isinstance(value, cached_property):
        parts = [value.func]
    else:
        parts = [value]
    return [part for part in parts if isinstance(part, FunctionType)]


def as_text(value: Any) -> str | None:
    """A value as text; None for what only its source tells."""
    if type(value) in PLAIN:
        return repr(value)
    if functions := functions_of(value):
        return functions_told(value, functions)
    if isinstance(value, enum.Enum):
        return f"{type(value).__module__}.{type(value).__qualname__}.{value.name}"
    if isinstance(value, int | float | str | Size | GetSetDescriptorType):
        return repr(value)
    if type(value).__module__ == "dataclasses":  # what stands for a default that a factory makes
        return type(value).__qualname__
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, tuple | set | frozenset | dict):
        parts = [as_text(part) for part in (value.items() if isinstance(value, dict) else value)]
        known = [part for part in parts if part is not None]
        ordered = known if isinstance(value, tuple) else sorted(known)
        return f"{type(value).__name__}({', '.join(ordered)})" if len(known) == len(parts) else None
    return repr(value) if dataclasses.is_dataclass(value) else None


def functions_told(value: object, functions: list[FunctionType]) -> str:
    """What the functions of a value do, and what kind of method or property it is."""
    return " ".join([type(value).__name__, *map(_function_told, functions)])


_functions: WeakKeyDictionary[FunctionType, tuple[CodeType, object, str, str]] = WeakKeyDictionary()
"""Of functions that have been told before: the code, defaults and module that they had, and what they are told as."""


def _function_told(function: FunctionType) -> str:
    """What a function does. It is remembered of one that depends on nothing but its code and plain defaults."""
    code, defaults, module = function.__code__, function.__defaults__, function.__module__
    named = function.__kwdefaults__
    known = None if named else _functions.get(function)
    if known is not None and known[0] is code and known[1] is defaults and known[2] == module:
        return known[3]
    held = [_held(cell) for cell in function.__closure__ or ()]
    given = [as_text(defaults), as_text(named)]
    if None in given:
        given = [_defaults_named(function, some) for some in (defaults or (), (named or {}).values())]
    text = f"{module} {given} {held} {_code_told(code)}"
    if not held and not named and all(type(value) in PLAIN for value in defaults or ()):
        _functions[function] = code, defaults, module, text
    return text


def _defaults_named(function: FunctionType, defaults: Iterable[object]) -> str:
    """Defaults of which some are constants of the module, known by their names there, as a mark for "not said" is."""
    told = []
    for value in defaults:
        names = [name for name, known in function.__globals__.items() if known is value]
        text = as_text(value) or (f"{function.__module__}.{min(names)}" if names else None)
        if text is None:
            raise Untold(f"a default of {function.__qualname__} is not a plain value")
        told.append(text)
    return ", ".join(told)


def _held(cell: CellType) -> str:
    """What a function knows of the function around it. Raises Untold if that is more than other code.

    A function of Python's own that is not written in Python is its name: Python's version is told with the engine.
    """
    try:
        held = cell.cell_contents
    except ValueError as error:
        raise Untold("a function has a name without a value") from error
    if isinstance(held, BuiltinFunctionType) and (held.__module__ or "").partition(".")[0] in sys.stdlib_module_names:
        return f"{held.__module__}.{held.__qualname__}"
    text = as_text(held)
    if text is None:
        raise Untold(f"a function holds {held!r}")
    return text


_codes: dict[int, tuple[CodeType, str]] = {}
"""Of codes that have been told before, by their identity: the code itself, which so stays, and what it is told as."""


def _code_told(code: CodeType) -> str:
    """The digest of what a function does, and where it stands. A code never changes."""
    known = _codes.get(id(code))
    if known is None:
        text = _code_written(code).encode("utf-8", "surrogatepass")
        known = _codes[id(code)] = code, hashlib.blake2b(text, digest_size=20).hexdigest()
    return known[1]


def _code_written(code: CodeType) -> str:
    constants = [_code_told(one) if isinstance(one, CodeType) else _constant(one) for one in code.co_consts]
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_filename}:{code.co_firstlineno} {code.co_code.hex()} {names} [{'; '.join(constants)}]"


# -- in files ---------------------------------------------------------------------------------------------------------
# Whether what runs in this process is what the files of Epochal's specifications say. Answers that come with the
# package are found by the text of rules in files. They are of no use in a process in which other rules run.

MADE_BY_PYTHON: Final = frozenset(("<string>", dataclasses.__file__, enum.__file__))
"""Where the functions stand that data classes and enumerations are given."""


@dataclass(frozen=True)
class _AsFound:
    """Modules that were what their files say: how many names each and each of its classes had, and what it meant by
    those that count; the code and the defaults of each function."""

    sizes: list[tuple[Mapping[str, object], int]]
    values: list[tuple[Mapping[str, object], str, object]]
    functions: list[tuple[FunctionType, CodeType, object]]

    def is_so(self) -> bool:
        """Whether they still are: asked before each answer that is believed, so it is cheap."""
        return (
            all(len(names) == size for names, size in self.sizes)
            and all(names.get(name) is value for names, name, value in self.values)
            and all(one.__code__ is code and one.__defaults__ is given for one, code, given in self.functions)
        )


_as_found: dict[tuple[str, int], _AsFound] = {}


def as_in_files(package: str) -> bool:
    """Whether all loaded modules of a package, whose name ends in a dot, are what their files say.

    A module may have been edited and not reloaded, a function put in another's place, a default or a constant replaced.
    Of constants and defaults the plain ones are looked at.
    """
    names = [name for name in list(sys.modules) if f"{name}.".startswith(package)]
    known = _as_found.get((package, len(names)))
    if known is not None and known.is_so():
        return True
    sizes: list[tuple[Mapping[str, object], int]] = []
    values: list[tuple[Mapping[str, object], str, object]] = []
    functions: list[tuple[FunctionType, CodeType, object]] = []
    for module in (sys.modules[name] for name in names):
        sizes.append((vars(module), len(vars(module))))
        for name, value in _constants(module):
            if not _is_written(module, name, value):
                return False
            values.append((vars(module), name, value))
        if not all(_has_all(node, module) for node in _classes(module)):
            return False
        for owner, place, name, value, parts in _named_functions(module):
            if owner:
                sizes.append((place, len(place)))
            values.append((place, name, value))
            for one in parts:
                if not (_is_pythons(one) or _is_in_file(f"{owner}{name}", one)):
                    return False
                functions.append((one, one.__code__, one.__defaults__))
    _as_found[package, len(names)] = _AsFound(sizes, values, functions)
    return True


def _classes(module: ModuleType) -> list[ast.ClassDef]:
    """The classes that stand in the file of a module."""
    text = present_text(module.__file__ or "")
    return [] if text is None else [node for node in _tree(text).body if isinstance(node, ast.ClassDef)]


def _has_all(node: ast.ClassDef, module: ModuleType) -> bool:
    """Whether a class still has each function that stands in it."""
    found = vars(module).get(node.name)
    names = {one.name for one in node.body if isinstance(one, ast.FunctionDef)}
    return isinstance(found, type) and names <= vars(found).keys()


def _constants(module: ModuleType) -> list[tuple[str, object]]:
    """The constants of a module that are plain values, and those that it imports."""
    return [(name, value) for name, value in list(vars(module).items()) if name.isupper() and type(value) in PLAIN]


def _is_written(module: ModuleType, name: str, value: object) -> bool:
    """Whether a constant has the value that stands in the file, or that of the module that it was imported from."""
    text = present_text(module.__file__ or "")
    for node in () if text is None else _tree(text).body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return _is_literal(getattr(node, "value", None), value)
        if any(name in _names_in(target) for target in targets):  # of several at once: what is computed is believed
            return True
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), module.__package__)
            return getattr(sys.modules.get(base), name, None) is value
    return False


def _names_in(target: ast.expr | None) -> set[str]:
    found = ast.walk(target) if isinstance(target, ast.Tuple | ast.List) else ()
    return {one.id for one in found if isinstance(one, ast.Name)}


def _is_literal(node: ast.expr | None, value: object) -> bool:
    """Whether a value is what an expression says; what is computed is taken for what it was computed to."""
    try:
        said = None if node is None else ast.literal_eval(node)
    except ValueError:
        return True
    return type(said) is type(value) and said == value


def _is_pythons(function: FunctionType) -> bool:
    """Whether Python has made a function, or it is one of the standard library's under its own name."""
    if function.__code__.co_filename in MADE_BY_PYTHON:
        return True
    home = function.__module__ or ""
    standard = home.partition(".")[0] in sys.stdlib_module_names
    return standard and getattr(sys.modules.get(home), function.__name__, None) is function


def _is_in_file(name: str, function: FunctionType) -> bool:
    """Whether a function stands under its own name in its file, which is one of Epochal's specifications."""
    code = function.__code__
    text = present_text(code.co_filename) if folder_of("spec") in Path(code.co_filename).resolve().parents else None
    if text is None or not text.has(code) or (code.co_qualname != name and code.co_name != "<lambda>"):
        return False
    given = function.__defaults__ or ()
    said = _defaults(text).get((code.co_name, code.co_firstlineno), ())
    return len(said) == len(given) and all(map(_is_literal, said, given))


@functools.lru_cache(maxsize=512)
def _tree(text: FileText) -> ast.Module:
    return ast.parse(text.text)


@functools.lru_cache(maxsize=512)
def _defaults(text: FileText) -> dict[tuple[str, int], Sequence[ast.expr]]:
    """The defaults of functions that have any, by name and first line."""
    found: dict[tuple[str, int], Sequence[ast.expr]] = {}
    for node in ast.walk(_tree(text)):
        if isinstance(node, ast.FunctionDef | ast.Lambda) and node.args.defaults:
            above = [] if isinstance(node, ast.Lambda) else [one.lineno for one in node.decorator_list]
            found[getattr(node, "name", "<lambda>"), min([node.lineno, *above])] = node.args.defaults
    return found


def _named_functions(
    module: ModuleType,
) -> Iterator[tuple[str, Mapping[str, object], str, object, list[FunctionType]]]:
    """What a module knows of functions: its own, imported ones, and methods of its classes.

    The name of the class with a dot, where each is known, by which name, what it is there, and the functions of that.
    """
    for name, value in list(vars(module).items()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            place = vars(value)
            for key in list(place):
                if found := functions_of(place[key]):
                    yield f"{value.__qualname__}.", place, key, place[key], found
        elif found := functions_of(value):
            yield "", vars(module), name, value, found
        if isinstance(value, type):
            yield "", vars(module), name, value, []


# -- reached ----------------------------------------------------------------------------------------------------------
# All that a specification's rules may mean once a condition is taken away, or settings are others.

LANGUAGE: Final = "epochal.spec.language."


def reached(protocol: Protocol) -> list[str] | None:
    """All code that the rules of any protocol may reach by its names, and the plain values that it names, as text.

    That is more than a specification was compiled to: what stands behind a condition that is false, and is brought back
    by a mutant or by other settings. No path is in it. None if a value is named of which nobody can tell what it is.
    """
    kind = type(protocol)
    waiting: list[object] = [
        function
        for owner in kind.__mro__[:-1]
        if not f"{owner.__module__}.".startswith(LANGUAGE)
        for value in vars(owner).values()
        for function in functions_of(value)
    ]
    seen: dict[int, object] = {}
    told: list[str] = []
    try:
        while waiting:
            one = waiting.pop()
            if id(one) in seen:
                continue
            seen[id(one)] = one
            if _is_engine(one):
                continue
            if isinstance(one, FunctionType):
                named = dict(_names(one, kind))
                told.append(f"{one.__qualname__} {code_alone(one.__code__)} {_plain(one.__defaults__)}")
                told += [f"{one.__qualname__} {name} {_plain(value)}" for name, value in sorted(named.items())]
                waiting += named.values()
            elif isinstance(one, type):
                waiting += [function for value in vars(one).values() for function in functions_of(value)]
            else:
                waiting += functions_of(one)
        return sorted(told)
    except Untold:
        return None


def _is_engine(one: object) -> bool:
    """Whether a function or class is of the language or of Python, whose versions are told with the engine."""
    home = getattr(one, "__module__", None) or ""
    return f"{home}.".startswith(LANGUAGE) or home.partition(".")[0] in sys.stdlib_module_names


def _names(function: FunctionType, kind: type) -> Iterator[tuple[str, object]]:
    """What the names of a function mean: globals, what stands in modules and around it, attributes of `kind`."""
    for cell, name in zip(function.__closure__ or (), function.__code__.co_freevars, strict=True):
        with contextlib.suppress(ValueError):
            yield name, cell.cell_contents
    codes = [function.__code__]
    names: list[str] = []
    while codes:
        code = codes.pop()
        codes += [one for one in code.co_consts if isinstance(one, CodeType)]
        names += code.co_names
    modules = [value for name in names if isinstance(value := function.__globals__.get(name), ModuleType)]
    for name in names:
        for number, place in enumerate((function.__globals__, *map(vars, modules))):
            if name in place:
                yield f"{name} {number}", place[name]
        for number, owner in enumerate(kind.__mro__):
            if name in vars(owner):
                yield f"{name} of {number}", vars(owner)[name]


def _plain(value: object) -> str:
    """A value as text without a path; of functions, classes and modules the name, since they are told apart."""
    if functions_of(value) or isinstance(value, type | ModuleType | BuiltinFunctionType):
        return str(getattr(value, "__qualname__", getattr(value, "__name__", type(value).__name__)))
    found = as_text(value)
    if found is None and type(value).__module__.partition(".")[0] in ("typing", "epochal", "types", "builtins"):
        found = repr(value)
    if found is None or " at 0x" in found:
        raise Untold(f"nobody can tell what {value!r} is")
    return found


# -- written ----------------------------------------------------------------------------------------------------------
# One of Epochal's own specifications as it stands in this process: what it is known by without compiling it.
#
# That is everything that compiling reads of it: the code of its classes and of the modules of `epochal.spec` that they
# stand in or use, as it is in this process, and how the paths of their files are shown, its settings and bounds. The
# sources themselves are in the digest of the engine. The working folder decides nothing of that. Of anybody else's
# specification nothing is told: what its module computes when it is imported, of a file or of the clock, is in no
# source file. It is compiled, and known by its meaning.

OWN: Final = "epochal.spec."


def written(protocol: Protocol) -> list[str] | None:
    """A protocol within its bounds as text; None if it is not Epochal's own, or not all of it can be told."""
    try:
        told = [repr(protocol.bounds)]
        for kind in type(protocol).__mro__[:-1]:
            told += _class_told(kind)
        for module in _modules(type(protocol)):
            told += module_told(module)
        return told
    except (Untold, RecursionError, OSError):
        return None


def _modules(kind: type[Protocol]) -> list[ModuleType]:
    """The modules of `epochal.spec` that the classes of a protocol stand in, or use, by their names."""
    waiting = [one.__module__ for one in kind.__mro__[:-1]]
    found: dict[str, ModuleType] = {}
    while waiting:
        name = waiting.pop()
        module = sys.modules.get(name)
        if name in found or module is None or not f"{name}.".startswith(OWN):
            continue
        found[name] = module
        for value in vars(module).values():
            used = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(used, str):
                waiting.append(used)
    return [module for _, module in sorted(found.items())]


def _class_told(kind: type) -> Iterator[str]:
    """A class of a protocol and what stands in it. Raises Untold unless it is Epochal's own.

    Settings make classes that no module has: in these stand plain values alone.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if not kind.__module__.startswith(OWN) or file is None or folder_of("spec") not in Path(file).resolve().parents:
        raise Untold(f"{kind.__qualname__} is not Epochal's")
    written = vars(module).get(kind.__qualname__) is kind
    yield f"{kind.__module__} {kind.__qualname__} {written} {shown_path(file)}"
    for name, value in vars(kind).items():
        text = as_text(value)
        if not written and (text is None or functions_of(value)):
            raise Untold(f"{name} of {kind.__qualname__} is in no source file")
        yield f"{name} {text}"


def module_told(module: ModuleType) -> Iterator[str]:
    """The functions of a module, those of its classes, and its constants as far as they can be told."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and isinstance(value, type):
            yield name
            for key, part in vars(value).items():
                if functions := functions_of(part):
                    yield f"{key} {functions_told(part, functions)}"
        elif isinstance(value, FunctionType):
            yield f"{name} {as_text(value)}"
        elif name.isupper() and (text := as_text(value)) is not None:
            yield f"{name} {text}"


# -- meaning ----------------------------------------------------------------------------------------------------------
# Two digests of a specification within bounds: of what its rules mean, and of how they are written.
#
# The *specification digest* is taken from the compiled expression graph: leaves of the state, initial states, action
# instances, properties and the constraint. Comments, formatting, docstrings, the names of local variables and of
# bounds, and the order in which nodes or actions happen to be made do not count. The names of actions, properties and
# state variables do: people approve them, and they key the rest of the lock file.
#
# The *text digest* is taken from the syntax trees of the functions that the rules consist of, without comments,
# formatting and docstrings. Where it differs and the specification digest does not, a rule was rewritten and means the
# same.

FORMAT: Final = 1
"""Changes when the definition of the digests does, so that digests of different definitions are never equal."""

COMMUTATIVE = frozenset(
    (Op.ADD, Op.MUL, Op.MIN, Op.MAX, Op.EQ, Op.AND, Op.OR, Op.UNION, Op.INTERSECTION),
)
SIZE = 16


def specification_digest(model: Model, promises: bool = False) -> str:
    """The digest of what the rules mean, as 32 hexadecimal digits.

    With `promises` so is what must happen in the end, and what of it a bound keeps from happening.
    """
    digests = _node_digests(_roots(model) + (_promise_roots(model) if promises else []))
    *steps, constraint = _step_lines(model, digests)
    lines = [f"format {FORMAT}", *_state_lines(model.protocol), *steps]
    lines += sorted(_property_line(model, property, digests) for property in model.properties)
    lines.append(constraint)
    if promises:
        lines += [line for _, ones in _promised(model) for line in _promise_lines(model, ones, digests)]
        lines += _stopped_lines(model, digests)
    return _hashed("\n".join(lines))


def _state_lines(protocol: Protocol) -> Iterator[str]:
    """The variables, what of them is history, and the initial states."""
    yield from (f"leaf {leaf.path} {leaf.domain.size}" for leaf in protocol.leaves)
    yield from (f"history {name}" for name, variable in protocol.variables.items() if variable.ghost)
    yield from sorted(f"initial {' '.join(map(str, codes))}" for codes in protocol.initial_states())


def _step_lines(model: Model, digests: dict[int, str]) -> Iterator[str]:
    """The actions, each step, and the state constraint."""
    yield from sorted(f"action {action.name}" for action in model.protocol.members("action"))
    yield from sorted(_instance_line(compiled, digests) for compiled in model.instances)
    yield f"constraint {digests[model.constraint.id]} {_conditions(model.constraint_failures, digests)}"


def _stopped_lines(model: Model, digests: dict[int, str]) -> list[str]:
    """Which step is stopped by a bound alone, and where."""
    return sorted(
        f"stopped {one.instance.action.name} {one.instance.positions} {digests[one.stopped.id]}"
        for one in model.instances
        if one.stopped is not None
    )


def part_digests(model: Model) -> dict[str, str]:
    """The digests of what is no property: the `rules`, which decide the steps, and what of them is a bound (`bounds`).

    A guard that becomes a bound, or the other way round, allows the same steps; liveness properties take it otherwise.
    """
    digests = _node_digests(_roots(model) + _promise_roots(model))
    rules = [*_state_lines(model.protocol), *_step_lines(model, digests)]
    return {"rules": _hashed("\n".join(rules)), "bounds": _hashed("\n".join(_stopped_lines(model, digests)))}


def property_digests(model: Model) -> dict[str, str]:
    """The digest of what each property says, by its name: the same for the same condition, however it is written.

    A liveness property says, too, which steps it takes to be fair, how fair, and to whom.
    """
    digests = _node_digests(_roots(model) + _promise_roots(model))
    found = {p.member.name: _hashed(_property_line(model, p, digests)) for p in model.properties}
    return found | {name: _hashed("\n".join(_promise_lines(model, ones, digests))) for name, ones in _promised(model)}


def whole_digest(model: Model) -> str:
    """The digest of all of a specification that any answer about it may depend on, as 32 hexadecimal digits.

    Besides what the rules mean that is how they are written, which guards can be taken away from them, in which order
    they stand, which random walks follow, and what values are called. `model` has its lemmas, too.
    """
    protocol = model.protocol
    lines = [specification_digest(model, promises=True), text_digest(protocol)]
    lines += [f"{leaf.path} {leaf.domain}" for leaf in protocol.leaves]
    lines += [instance.label for instance in protocol.instances]
    return _hashed("\n".join(lines))


def text_digest(protocol: Protocol) -> str:
    """The digest of how the rules are written, as 32 hexadecimal digits."""
    return _hashed("\n".join(sorted(_shown(function) for function in used_functions(protocol))))


def _hashed(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=SIZE).hexdigest()


def _roots(model: Model) -> list[Expression]:
    roots = [model.constraint, *(f.condition for f in model.constraint_failures)]
    for compiled in model.instances:
        roots += [compiled.enabled, *compiled.updates.values(), *(f.condition for f in compiled.failures)]
    for property in model.properties:
        roots += [property.holds, *(f.condition for f in property.failures)]
        roots += [f.condition for failures in property.step_failures.values() for f in failures]
    return roots


def _promise_roots(model: Model) -> list[Expression]:
    roots = [root for one in model.promised for root in (one.premise, one.goal, *(f.condition for f in one.failures))]
    return roots + [one.stopped for one in model.instances if one.stopped is not None]


def _node_digests(roots: list[Expression]) -> dict[int, str]:
    """A digest for every node, the same whatever the order in which nodes were made."""
    found: dict[int, str] = {}
    for node in reachable_nodes(roots):
        below = [found[arg.id] for arg in node.args]
        if node.op in COMMUTATIVE:
            below.sort()
        found[node.id] = _hashed(f"{node.op.value} {node.sort} {node.value} {' '.join(below)}")
    return found


def _conditions(failures: Iterable[Failure], digests: dict[int, str]) -> str:
    return " ".join(sorted({digests[f.condition.id] for f in failures}))


def _instance_line(compiled: CompiledInstance, digests: dict[int, str]) -> str:
    updates = " ".join(f"{leaf}={digests[value.id]}" for leaf, value in sorted(compiled.updates.items()))
    return (
        f"step {compiled.instance.action.name} {compiled.instance.positions} {digests[compiled.enabled.id]} "
        f"[{updates}] [{_conditions(compiled.failures, digests)}]"
    )


def _property_line(model: Model, property: CompiledProperty, digests: dict[int, str]) -> str:
    failures = [*property.failures, *(f for each in property.step_failures.values() for f in each)]
    member = property.member
    kind = member.mark.kind if model.protocol.applies(member) else f"not {member.mark.kind}"
    return f"{kind} {member.name} {digests[property.holds.id]} [{_conditions(failures, digests)}]"


def _promised(model: Model) -> list[tuple[str, list[CompiledLiveness]]]:
    """The cases of each liveness property, by its name, in order."""
    cases: dict[str, list[CompiledLiveness]] = {}
    for one in model.promised:
        cases.setdefault(one.member.name, []).append(one)
    return sorted(cases.items())


def _promise_lines(model: Model, cases: list[CompiledLiveness], digests: dict[int, str]) -> Iterator[str]:
    """What a liveness property says in each case, and each unit of fairness that it takes."""
    member = cases[0].member
    yield f"leads_to {member.name} {member.mark.optional}{' once' if member.mark.once else ''}"
    for one in cases:
        yield f"{digests[one.premise.id]} {digests[one.goal.id]} [{_conditions(one.failures, digests)}]"
    for unit in sorted(units_of(model.protocol, needed(member)), key=lambda unit: unit.label):
        places = sorted(str(model.protocol.instances[number].positions) for number in unit.instances)
        yield f"{unit.label} {unit.strong} {places}"


# -- text -------------------------------------------------------------------------------------------------------------


def used_functions(protocol: Protocol) -> list[FunctionType]:
    """The functions that the rules of a protocol consist of: its marked methods, and what they name, and so on.

    What a method names is looked up as an attribute of the protocol's class and as a global of its module. Functions
    of the language itself are not among them.
    """
    language = inspect.getmodule(Protocol)
    assert language is not None
    own = language.__name__.rsplit(".", 1)[0]
    kind = type(protocol)
    queue: list[Any] = [kind.initial]
    for name in dir(kind):
        if _marked(kind, name):
            queue.append(getattr(kind, name))
    found: dict[int, FunctionType] = {}
    while queue:
        function = inspect.unwrap(queue.pop())
        if not isinstance(function, FunctionType) or id(function) in found:
            continue
        if function.__module__.startswith(own):
            continue
        found[id(function)] = function
        queue.extend(_named(function, kind))
    return list(found.values())


def _marked(kind: type, name: str) -> bool:
    """Whether some class of the protocol marks a method of this name as a rule: an override keeps the mark."""
    marks = (mark_of(vars(owner).get(name)) for owner in kind.__mro__)
    return any(mark is not None and mark.kind != "view" for mark in marks)


def _named(function: FunctionType, kind: type) -> Iterator[Any]:
    """What the code of a function names that is a function: globals, and attributes of any class of the protocol."""
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes.extend(c for c in code.co_consts if inspect.iscode(c))
        for name in code.co_names:
            if callable(function.__globals__.get(name)):
                yield function.__globals__[name]
            for owner in kind.__mro__:
                value = vars(owner).get(name)
                yield value.fget if isinstance(value, property) else value


def _shown(function: FunctionType) -> str:
    """The name of a function, and its syntax tree without its docstring; also of one whose source is gone."""
    text = source_text(function.__code__)
    try:
        tree = ast.parse(textwrap.dedent("".join(text.block(function.__code__)))) if text is not None else None
    except SyntaxError:
        tree = None
    if tree is None:
        return f"{function.__qualname__} {function.__code__.co_code.hex()}"
    node = tree.body[0]
    if isinstance(node, ast.FunctionDef):
        node.decorator_list = []
        if node.body and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant):
            del node.body[0]
    return f"{function.__name__} {ast.dump(node)}"
