"""What Epochal's own specifications were compiled to, kept in the cache, so that a second search begins at once.

The key of an entry holds everything that compiling reads: the bytes of every source file of the compiler and of the
specifications, the code of the compiler and of the protocol's classes as it is in this process, how the paths of their
files are shown, its settings and bounds, the properties that were asked for, and the version of Python. The working
folder decides nothing of that. Nothing is kept of a specification of anybody else's: what its module computes when it
is imported, of a file or of the clock, is in no source file. Nor is anything kept while the files are younger than this
process, which may have read them before.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import platform
import sys
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from types import CellType, CodeType, FunctionType, GetSetDescriptorType, ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from epochal.spec.language import Member, Protocol
from epochal.spec.language.errors import shown_path

from ..host.cache import Cache
from ..host.file_digest import file_digest
from ..host.measure import without_collection
from ..ir.model import Model
from ..ir.stored_model import GraphSize, restored_model, stored_model

PROGRAMS = Cache("programs", "z", most=60)
FORMAT = 4
TOOL = Path(__file__).resolve().parents[2]
SPECIFICATIONS = TOOL / "spec"
COMPILER = ("checker/compile", "checker/ir", "checker/native", "checker/properties.py", "spec")
"""Whose sources the key holds."""
SYMMETRY = ("checker/symmetry", "checker/solver", "checker/search/symmetry.py")
"""Likewise, with symmetry reduction: what says that a specification does not tell its identifiers apart."""
LOADED = (
    "epochal.checker.compile.",
    "epochal.checker.ir.",
    "epochal.checker.native.program.",
    "epochal.checker.native.llvm.",
    "epochal.checker.symmetry.",
    "epochal.checker.search.symmetry",
)
"""Whose code the key holds, as it is in this process."""
PLAIN = frozenset((type(None), bool, int, float, str))
"""Types of values that say in words all that they are, and never change."""
STARTED = time.time()
MARGIN = 10.0
"""Seconds before this module was imported in which the process may have begun."""


class _NotKept(Exception):
    """Something of a protocol is in no source file."""


@dataclass(frozen=True)
class KeptProgram:
    """A compiled protocol, its LLVM text, and the recipes of its code for eight states at once."""

    model: Model
    text: str
    recipes: dict[str, str]


@dataclass(frozen=True)
class Unkept:
    """A compiled protocol that is not in the cache yet, with its graph as it was when its text had been written."""

    key: str
    model: Model
    text: str
    size: GraphSize

    def keep(self, recipes: dict[str, str]) -> None:
        """Write it to the cache, if that is possible."""
        with without_collection():
            data = {"text": self.text, "recipes": recipes, **stored_model(self.model, self.size)}
            written = json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        if PROGRAMS.write(self.key, zlib.compress(written, 1)):
            PROGRAMS.forget_oldest()


def kept_program(key: str | None, protocol: Protocol) -> KeptProgram | None:
    """What a protocol was compiled to when it had this key; None if that is not known."""
    found = None if key is None else PROGRAMS.read(key)
    if found is None:
        return None
    data = json.loads(zlib.decompress(found))
    return KeptProgram(restored_model(data, protocol), data["text"], data["recipes"])


def program_key(protocol: Protocol, properties: Sequence[Member], symmetric: Sequence[str] | None = None) -> str | None:
    """What tells a protocol with these properties from every other, and from itself after any change; None if nothing
    can, so that it must not be kept. `symmetric` are the names of the properties with which it does not tell its
    identifiers apart, for a search of representatives."""
    told = [
        f"{FORMAT} {symmetric} {platform.python_implementation()} {sys.version} {sys.flags.optimize}",
        repr(protocol.bounds),
        " ".join(member.name for member in properties),
    ]
    try:
        for kind in type(protocol).__mro__[:-1]:
            told += _class_told(kind)
        for name in _compiler():
            told += _module_told(sys.modules[name])
        if symmetric is not None:
            told.append(f"z3-solver {metadata.version('z3-solver')}")
        told.append(_sources((*COMPILER, *(() if symmetric is None else SYMMETRY))))
    except (OSError, RecursionError, _NotKept):
        return None
    return hashlib.blake2b("\n".join(told).encode("utf-8", "surrogatepass"), digest_size=20).hexdigest()


@cache
def _compiler() -> tuple[str, ...]:
    """The modules of the compiler, all of which are there before the first search; others of them come later.

    Z3's part of the question whether a specification tells identifiers apart is loaded when it is asked: the key has
    the sources of that.
    """
    return tuple(sorted(name for name in sys.modules if name.startswith(LOADED)))


def _sources(places: Sequence[str]) -> str:
    """The digest of every source file of the compiler and of the specifications. Raises OSError and _NotKept."""
    content = hashlib.blake2b(digest_size=20)
    for file, name in _source_files(places):
        if file.stat().st_mtime > STARTED - MARGIN:
            raise _NotKept(f"{file} may have been changed since it was imported")
        content.update(name)
        content.update(file_digest(file))
    return content.hexdigest()


@dataclass(frozen=True)
class _Listing:
    """Source files, with their names as the digest holds them, and when each folder was changed last."""

    files: tuple[tuple[Path, bytes], ...]
    folders: tuple[tuple[Path, int], ...]


_listings: dict[tuple[Path, Sequence[str]], _Listing] = {}


def _source_files(places: Sequence[str]) -> tuple[tuple[Path, bytes], ...]:
    """Every source file of these places. A folder is read again when a file has come or gone. Raises _NotKept."""
    known = _listings.get((TOOL, places))
    if known is None or any(folder.stat().st_mtime_ns != changed for folder, changed in known.folders):
        known = _listings[TOOL, places] = _listed(places)
    return known.files


def _listed(places: Sequence[str]) -> _Listing:
    found: list[Path] = []
    folders: list[tuple[Path, int]] = []
    for name in places:
        at = TOOL / name
        below = (at, *(folder for folder in at.rglob("*") if folder.is_dir())) if at.is_dir() else ()
        folders += [(folder, folder.stat().st_mtime_ns) for folder in below]  # before its files are listed
        files = [at] if at.is_file() else sorted(at.rglob("*.py"))
        if not files:
            raise _NotKept(f"{name} has no sources")
        found += files
    named = ((file, f"\n{file.relative_to(TOOL)}\n".encode("utf-8", "surrogateescape")) for file in found)
    return _Listing(tuple(named), tuple(folders))


def _class_told(kind: type) -> Iterator[str]:
    """A class of a protocol and what stands in it. Raises _NotKept unless it is Epochal's own.

    Settings make classes that no module has: in these stand plain values alone.
    """
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if not kind.__module__.startswith("epochal.spec.") or file is None or SPECIFICATIONS not in Path(file).parents:
        raise _NotKept(f"{kind.__qualname__} is not Epochal's")
    written = vars(module).get(kind.__qualname__) is kind
    yield f"{kind.__module__} {kind.__qualname__} {written} {shown_path(file)}"
    for name, value in vars(kind).items():
        text = _told(value)
        if not written and (text is None or _function_of(value) is not None):
            raise _NotKept(f"{name} of {kind.__qualname__} is in no source file")
        yield f"{name} {text}"


def _module_told(module: ModuleType) -> Iterator[str]:
    """The functions of a module of the compiler, and those of its classes."""
    for name, value in vars(module).items():
        if getattr(value, "__module__", None) == module.__name__ and isinstance(value, type):
            yield name
            yield from (f"{key} {_told(part)}" for key, part in vars(value).items() if _function_of(part) is not None)
        elif isinstance(value, FunctionType):
            yield f"{name} {_told(value)}"


def _function_of(value: Any) -> FunctionType | None:
    """The function of a method, property, or whatever else a class has of functions."""
    if isinstance(value, FunctionType):
        return value
    if type(value) in PLAIN:
        return None
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    elif isinstance(value, property):
        value = value.fget
    elif isinstance(value, cached_property):
        value = value.func
    return value if isinstance(value, FunctionType) else None


def _told(value: Any) -> str | None:
    """A value as text; None for what only its source tells."""
    function = _function_of(value)
    if function is not None:
        return _function_told(function)
    if type(value) in PLAIN or isinstance(value, int | float | str | GetSetDescriptorType):
        return repr(value)
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, tuple | set | frozenset | dict):
        parts = [_told(part) for part in (value.items() if isinstance(value, dict) else value)]
        known = [part for part in parts if part is not None]
        ordered = known if isinstance(value, tuple) else sorted(known)
        return f"{type(value).__name__}({', '.join(ordered)})" if len(known) == len(parts) else None
    return repr(value) if dataclasses.is_dataclass(value) else None


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
    given = [_told(defaults), _told(named)]
    if None in given:
        raise _NotKept(f"a default of {function.__qualname__} is not a plain value")
    text = f"{module} {given} {held} {_code_told(code)}"
    if not held and not named and all(type(value) in PLAIN for value in defaults or ()):
        _functions[function] = code, defaults, module, text
    return text


def _held(cell: CellType) -> str:
    """What a function knows of the function around it. Raises _NotKept if that is more than other code."""
    try:
        held = cell.cell_contents
    except ValueError as error:
        raise _NotKept("a function has a name without a value") from error
    text = _told(held)
    if text is None:
        raise _NotKept(f"a function holds {held!r}")
    return text


_codes: dict[int, tuple[CodeType, str]] = {}
"""Of codes that have been told before, by their identity: the code itself, which so stays, and what it is told as."""


def _code_told(code: CodeType) -> str:
    """The digest of what a function does, and where it stands. A code never changes."""
    known = _codes.get(id(code))
    if known is None:
        text = _code_written(code)
        known = _codes[id(code)] = (
            code,
            hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).hexdigest(),
        )
    return known[1]


def _code_written(code: CodeType) -> str:
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            constants.append(_code_told(constant))
        else:
            constants.append(str(sorted(map(repr, constant))) if isinstance(constant, frozenset) else repr(constant))
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return f"{code.co_filename}:{code.co_firstlineno} {code.co_code.hex()} {names} [{'; '.join(constants)}]"
