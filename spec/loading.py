"""From the PROTOCOL argument to a protocol: a registered name, or a class in a file of the user.

A user's file is imported by its path under a module name of its own. It may be broken or hostile; whatever it does at
import is told as a LoadError with its line.
"""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType, new_class
from typing import Any, TypeGuard, cast

from .former_names import former_names
from .language import (
    BoundsError,
    EvaluationError,
    LanguageError,
    LoadError,
    Protocol,
    SourceLine,
    SpecificationError,
    action_property,
    invariant,
)
from .language.added import Brought, with_methods
from .language.configurable import SEPARATOR, settings_of, split_reference, with_configuration
from .language.errors import advice, nearest, of_the_same_number, said, shown_path
from .language.marks import ASKED, mark_of
from .language.source_text import FreshSource
from .registry import REGISTRY, is_registered, names_in_catalogue, names_options, registered
from .siblings import siblings_of

USER_MODULE = "epochal_user_"
"""What the names of modules begin with that are made of users' files."""

LONGEST_PATH = 4095
"""How many characters the system takes for a path."""

ROOT = Path(__file__).resolve().parents[1]

_being_imported: ContextVar[frozenset[Path]] = ContextVar("_being_imported", default=frozenset())
"""The users' files whose top level runs just now, in this thread."""


_folders: tuple[Path, ...] | None = None
"""The folders whose files may be imported in this process; None: any."""


def import_only_from(folders: Iterable[Path]) -> None:
    """From now on, this process imports users' files from these folders and those below them alone.

    It is for a process that is told by others what to load. An `import` in these files is not limited.
    """
    global _folders
    _folders = tuple(folder.resolve() for folder in folders)


def _require_permitted(file: Path) -> None:
    """Raise LoadError for a file that this process may not import, whether it exists or not."""
    if _folders is not None and not any(file.resolve().is_relative_to(folder) for folder in _folders):
        named = ", ".join(map(str, _folders))
        told = f"Only files below {named} may." if named else "No folder was named whose files may."
        raise LoadError(f"{file} may not be run here", advice=told)


@dataclass(frozen=True)
class Subject:
    """What a command is about: a protocol within bounds, and how it was called, settings included."""

    reference: str
    protocol: Protocol


def names_protocol(text: str) -> bool:
    """Whether an argument looks like a protocol: a registered name, one with options, or a Python file."""
    name = text.partition(SEPARATOR)[0]
    return is_registered(name) or names_options(name) or ".py" in text


def load_protocol(reference: str, again: bool = True) -> type[Protocol]:
    """The protocol that `reference` names: `kip-320`, `path/to/file.py:Name`, or a name with settings (`reference`).

    Without `again` a file that is loaded already is not run a second time: two protocols of one file share its types.
    """
    name, settings = split_reference(reference)
    found = _named(name if settings else reference, again)
    return with_configuration(found, settings)


def _named(reference: str, again: bool) -> type[Protocol]:
    """The protocol without settings."""
    if len(reference) > LONGEST_PATH:
        raise LoadError(f"{reference[:40]!r}... is no name of a protocol: it has {len(reference):,} characters")
    if not reference.isprintable():
        raise LoadError(f"{reference!a} is no name of a protocol: it has characters that cannot be shown")
    if is_registered(reference) or names_options(reference):
        return registered(reference)
    path, separator, name = reference.rpartition(":")
    if reference.endswith(".py") or (not separator and "/" in reference):
        path, name = reference, ""
    elif not separator:
        near = nearest(reference, of_the_same_number(reference, (*REGISTRY, *names_in_catalogue())))
        hint = f"Did you mean {near}?" if near else f"Registered: {', '.join(REGISTRY)}."
        raise LoadError(
            f"no protocol is named {reference!r}", advice=f"{hint} A protocol of your own is path/to/file.py:Name."
        )
    module = None if again else sys.modules.get(_module_name(Path(path).resolve()))
    return _member(module or imported_file(path, form="path/to/file.py:Name"), Path(path), path, name)


def load_function(reference: str) -> Callable[..., Any]:
    """The function that `path/to/file.py:name` names. A file that is loaded already is not run again."""
    path, _, name = reference.rpartition(":")
    if not path.endswith(".py"):
        raise LoadError(f"{reference} names no function", advice="Write path/to/file.py:function.")
    file = Path(path)
    _require_permitted(file)
    if not file.is_file():
        raise LoadError(f"there is no file {path}", advice="Write path/to/file.py:function.")
    module = sys.modules.get(_module_name(file.resolve())) or imported_file(path, form="path/to/file.py:function")
    found = getattr(module, name, None)
    if not isinstance(found, FunctionType):
        own = [key for key, value in vars(module).items() if isinstance(value, FunctionType)]
        raise LoadError(f"{file} has no function {name}", advice=advice(name, own, "functions in it"))
    return found


def instantiate(protocol: type[Protocol], bounds: dict[str, int]) -> Protocol:
    """The protocol with the bounds that were asked for, and defaults for the rest."""
    try:
        made = protocol(protocol.bounds_type()(**bounds))
        if not made.variables:
            raise LoadError(f"{protocol.__name__} declares no state variable", advice="Annotate one: count: bool")
        return made
    except SpecificationError:
        raise
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # the class is the user's: its constructor and annotations may raise anything
        where = _innermost(error, Path(getattr(sys.modules[protocol.__module__], "__file__", None) or ""))
        raise LoadError(f"{protocol.__name__} cannot be made: {said(error)}", where) from error


def _exists(file: Path) -> bool:
    """Whether there is such a file; there is none whose name is too long for the file system."""
    try:
        return file.exists()
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return False


def imported_file(reference: str, form: str = "path/to/file.py") -> ModuleType:
    """Import a file by its path; siblings of the file can be imported by it. `form` is how to name one."""
    file = Path(reference)
    _require_permitted(file)
    if not _exists(file):
        raise LoadError(f"there is no file {reference}", advice=f"Write {form}, or see `epochal list`.")
    if file.is_dir():
        raise LoadError(f"{reference} is a folder", advice=f"Write {form}.")
    path = file.resolve()
    if path in _being_imported.get():
        raise LoadError(
            f"{file} loads itself, at its top level, which would never end",
            advice="Put what asks about its classes under `if __name__ == '__main__':`.",
        )
    name = _module_name(path)
    found = importlib.util.spec_from_file_location(name, path, loader=FreshSource(name, str(path)))
    if path.suffix != ".py" or found is None or found.loader is None:
        raise LoadError(f"{file} is not a Python file", advice="Its name must end in .py.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    before = _being_imported.set(_being_imported.get() | {path})
    try:
        with siblings_of(path.parent), _no_side_effects(), former_names():
            found.loader.exec_module(module)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # whatever a user's file does at import, sys.exit included
        sys.modules.pop(name, None)
        raise import_error(error, str(path)) from error
    finally:
        _being_imported.reset(before)
    return module


def _module_name(path: Path) -> str:
    """The name of the module of a user's file, by its resolved path."""
    return f"{USER_MODULE}{re.sub(r'[^0-9a-zA-Z]', '_', path.stem)}_{hashlib.sha256(bytes(path)).hexdigest()[:8]}"


@contextlib.contextmanager
def _no_side_effects() -> Iterator[None]:
    """Redirect stdout, and write no .pyc files, while user code is imported.

    Restores both streams and all modules afterwards, and a lowered recursion limit.
    """
    bytecode, depth, modules = sys.dont_write_bytecode, sys.getrecursionlimit(), dict(sys.modules)
    streams = sys.stdout, sys.stderr
    sys.dont_write_bytecode = True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.dont_write_bytecode = bytecode
        sys.setrecursionlimit(max(depth, sys.getrecursionlimit()))
        sys.stdout, sys.stderr = streams
        if streams[1].closed:
            sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        for name in modules.keys() - sys.modules.keys():
            sys.modules[name] = modules[name]


def import_error(error: BaseException, file: str) -> SpecificationError:
    """What went wrong while a file was imported, with its line and what to do."""
    path = Path(file)
    where = _innermost(error, path)
    if isinstance(error, SpecificationError) and type(error) in (
        BoundsError,
        LanguageError,
        LoadError,
        EvaluationError,
    ):
        error.where = error.where or where
        return error
    if isinstance(error, SyntaxError):
        where = SourceLine(shown_path(error.filename or str(path)), error.lineno or 1)
        return LoadError(f"syntax error: {error.msg}", where)
    if isinstance(error, SystemExit):
        ends = "the file ends the program while it is imported (sys.exit)"
        return LoadError(ends, where, "Put that under if __name__ == '__main__'.")
    if isinstance(error, RecursionError) and where is None:
        advice = "Split its longest expression or its innermost block into several."
        return LoadError(f"{shown_path(str(path))} has something that is nested too deeply to be read", advice=advice)
    if isinstance(error, RecursionError):
        return LoadError("the file recurses without end while it is imported", where)
    if isinstance(error, ImportError):
        return LoadError(said(error), where, _import_advice(error))
    if isinstance(error, OSError) and where is None:
        return LoadError(f"{shown_path(str(path))} cannot be read: {error.strerror or said(error)}")
    return LoadError(f"the file fails while it is imported: {said(error)}", where)


def _import_advice(error: ImportError) -> str:
    if "relative import" in said(error):
        return "Files beside this one are imported by name: from sibling import Name."
    return "Files beside this one, installed packages, epochal.spec.language and epochal.spec.classic can be imported."


def _innermost(error: BaseException, path: Path) -> SourceLine | None:
    """The innermost line of the user's file, or of a sibling, on the traceback."""
    folder = str(path.parent)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if str(Path(f.filename).parent) == folder]
    return SourceLine(shown_path(frames[-1].filename), frames[-1].lineno or 1, frames[-1].name) if frames else None


def users_line(error: BaseException) -> SourceLine | None:
    """The line of a user's file in which an exception was raised, perhaps by a library that it called; None if not."""
    loaded = [module for name, module in list(sys.modules.items()) if name.startswith(USER_MODULE)]
    folders = {str(Path(file).parent) for module in loaded if (file := getattr(module, "__file__", None))}
    watching = sys.modules[type(error).__module__] if type(error).__module__.startswith("epochal.") else None
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if frame.filename == getattr(watching, "__file__", None):
            continue  # who watches a budget raises its error wherever the user's code is
        if str(path.parent) in folders:
            return SourceLine(shown_path(frame.filename), frame.lineno or 1, frame.name)
        if any(path.is_relative_to(ROOT / package) for package in ("spec", "checker", "cli")):
            return None
    return None


def _is_protocol(value: object) -> TypeGuard[type[Protocol]]:
    """Whether a value is a class derived from Protocol. Unlike isinstance, this runs no code of the value's."""
    return issubclass(type(value), type) and issubclass(cast(type, value), Protocol)


def _member(module: ModuleType, file: Path, path: str, name: str) -> type[Protocol]:
    """The protocol class called `name` in an imported file."""
    own = [key for key, value in vars(module).items() if _is_protocol(value) and value.__module__ == module.__name__]
    if not name:
        example = f"{path}:{own[0]}" if len(own) == 1 else f"{path}:Name"
        listed = f" The file defines {', '.join(own)}." if len(own) > 1 else ""
        raise LoadError(f"{path} needs the name of a protocol", advice=f"Write {example}.{listed}")
    found = getattr(module, name, None)
    if found is None:
        raise LoadError(f"{file} has no class {name}", advice=advice(name, own, "protocols in it"))
    if not _is_protocol(found) or found is Protocol:
        raise LoadError(
            f"{name} in {file} is not a protocol",
            advice="A protocol is a class derived from epochal.spec.language.Protocol.",
        )
    if "name" in vars(found):
        return found
    called = f"{path}:{name}"
    if found.__module__ != module.__name__:
        return _called(found, called)
    found.name = called
    return found


@functools.cache
def _called(found: type[Protocol], name: str) -> type[Protocol]:
    """What a file only imports, under another name: it keeps its own for whoever else means it."""
    names = {"name": name, "__module__": found.__module__, "__doc__": found.__doc__}
    return cast(type[Protocol], new_class(found.__name__, (found,), exec_body=lambda body: body.update(names)))


# -- questions --------------------------------------------------------------------------------------------------------
# Questions of one's own: functions of a file, asked of a protocol as if they stood in its class.

PROPERTIES = ("invariant", "action_property", "reachable")


def is_question(text: str) -> bool:
    """Whether a text names a function of a file, and not a property of the protocol."""
    return ".py:" in text


def with_questions(kind: type[Protocol], references: Iterable[str]) -> type[Protocol]:
    """The same protocol with more properties: functions that references such as `mine.py:never_alone` name.

    A function of self is an invariant, one of self and new a property of steps; marked ones are what their mark says.
    The files are imported, and so run. Raises LoadError for a function that does not exist or has a name that stands
    for something already, LanguageError for one that is no property.
    """
    brought: list[Brought] = []
    for reference in references:
        function = cast(FunctionType, load_function(reference))
        name = function.__name__
        if not name.isidentifier():
            raise LanguageError(
                f"{reference} is a lambda, which has no name that a report could say",
                advice=f"Write def {reference.rpartition(':')[2]}(self) -> bool.",
            )
        brought.append(Brought(name, _marked(function, reference), reference))
    return with_methods(kind, brought)


def _marked(function: FunctionType, reference: str) -> FunctionType:
    mark = mark_of(function)
    if mark is None:
        taken = len(inspect.signature(function).parameters)
        if taken not in (1, 2):
            raise LanguageError(
                f"{reference} takes {taken} parameters, and no property does",
                advice=f"Write def {function.__name__}(self) -> bool, or (self, new) for a property of steps.",
            )
        function = (invariant if taken == 1 else action_property)(function)
    elif mark.kind not in PROPERTIES:
        raise LanguageError(f"{reference} is marked @{mark.kind}, which is no property", advice="Mark it @invariant.")
    function.__dict__[ASKED] = reference
    return function


# -- door -------------------------------------------------------------------------------------------------------------
# Protocols by name: what `epochal.load` and `epochal.protocols` give.


def protocols() -> tuple[str, ...]:
    """The names under which `load` finds protocols, in the order of the documentation."""
    return tuple(REGISTRY)


def load(reference: str, **given: object) -> Protocol:
    """A protocol within bounds: `load("kip-320", replicas=3)`, `load("kraft", kafka="4.1")`, `load("mine.py:Mine")`.

    `reference` is a registered name or a class in a file, which is imported and so runs. `given` are bounds and, of a
    protocol that has them, settings; what is not named has its default. Raises LoadError for what cannot be found,
    BoundsError for what it does not have or allow, LanguageError for what is outside the language, TypeError
    for a reference that is no text.
    """
    if not isinstance(reference, str):
        raise TypeError(f"load takes a name such as 'kip-320' or 'mine.py:Mine', not {reference!r}")
    kind, bounds = kind_and_bounds(reference, given)
    return kind(**bounds)


def kind_and_bounds(reference: str, given: Mapping[str, object]) -> tuple[type[Protocol], dict[str, Any]]:
    """The protocol that `load` instantiates, with its settings, and those of the given values that are bounds."""
    kind = load_protocol(reference)
    settings = {name: value for name, value in given.items() if name in settings_of(kind)}
    kind = with_configuration(kind, settings)
    known = [field.name for field in dataclasses.fields(kind.bounds_type())]
    bounds: dict[str, Any] = {name: value for name, value in given.items() if name not in settings}
    for name in bounds:
        if name not in known:
            told = advice(name, [*known, *settings_of(kind)], "bounds and settings")
            raise BoundsError(f"{name} is no bound and no setting of {reference}", advice=told)
    return kind, bounds
