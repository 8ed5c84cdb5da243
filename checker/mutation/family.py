"""A protocol with some of its functions replaced, wherever its classes and modules refer to them.

A rule may be inherited, reached by `super()`, assigned from another class (`fetch = Kip279.fetch`) or imported as a
function by several modules. So the classes of the protocol are made again, from the same functions with the changed
ones in place, and the modules they were written in get a shadow in which the changed names are looked up. Nothing of
the original is touched, and the copy is known to nobody else.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterable, Mapping
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

from epochal.spec.language import Protocol
from epochal.spec.language.marks import MARK

from ..compile.evaluated_under import evaluated_under
from ..compile.source.sources import TREE

COMPILER_FLAGS = 0x1FF0000
"""The bits of a function's flags that say which `from __future__` features it was compiled with."""


def changed_protocol(
    original: type[Protocol],
    used: Iterable[FunctionType],
    changed: Mapping[FunctionType, ast.FunctionDef],
    added: Mapping[str, tuple[FunctionType, ast.FunctionDef]],
) -> type[Protocol]:
    """A protocol whose steps follow the changed text, judged by the properties of the original as they were.

    `used` are the functions that its actions are made of, `changed` the new text of some of them, and `added` further
    functions by name: each a changed copy of a function that stays.
    """
    family = _Family(original, frozenset(used), changed)
    top = family.class_of(original, family.judged())
    for name, (function, tree) in added.items():
        made = family.made(function, tree)
        if _is_method(function):
            setattr(top, name, made)
        else:
            family.everywhere[name] = made
    family.finish()
    return top


class _Family:
    """The classes, functions and modules of one changed protocol."""

    def __init__(
        self,
        original: type[Protocol],
        used: frozenset[FunctionType],
        changed: Mapping[FunctionType, ast.FunctionDef],
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
    owner = function.__qualname__.split(".")[-2:-1]
    is_method = bool(owner) and owner[0] != "<locals>"
    lines = ["def _enclosing():", *(f"    {name} = None" for name in free), "    pass"]
    if is_method:
        lines[-1] = f"    class {owner[0]}: pass"
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
    path = ["_enclosing", owner[0], tree.name] if is_method else ["_enclosing", tree.name]
    found: CodeType = code
    for name in path:
        found = next(part for part in found.co_consts if isinstance(part, CodeType) and part.co_name == name)
    return found.replace(co_qualname=function.__code__.co_qualname)


def _is_specified(cls: type) -> bool:
    """Whether a class is part of a specification, and not of the language or of Python."""
    base = cls.__module__.partition(".")[0]
    return not cls.__module__.startswith("epochal.spec.language") and base not in sys.stdlib_module_names


def _is_method(function: FunctionType) -> bool:
    owner = function.__qualname__.split(".")[-2:-1]
    return bool(owner) and owner[0] != "<locals>"
