"""From the PROTOCOL argument to a protocol: a registered name, or a class in a file of the user.

A user's file is imported by its path under a module name of its own. It may be broken or hostile; whatever it does at
import is told as a LoadError with its line.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from spec.language import BoundsError, LoadError, Protocol, SourceLine, SpecificationError
from spec.language.configurable import split_reference, with_words, words_of
from spec.language.errors import printable, shown_path
from spec.registry import REGISTRY, is_registered, names_in_catalogue, registered

from .suggestions import advice, nearest


@dataclass(frozen=True)
class Subject:
    """What a command is about: a protocol within bounds, and how the command line called it, words included."""

    reference: str
    protocol: Protocol


def names_protocol(text: str) -> bool:
    """Whether an argument looks like a protocol: a registered name, or a Python file."""
    return is_registered(text.partition(" --")[0]) or ".py" in text


def load_protocol(reference: str) -> type[Protocol]:
    """The protocol that `reference` names: `kip-320`, `path/to/file.py:Name`, or `kraft --kafka 3.5` with its words."""
    name, said = split_reference(reference)
    return configured(_named(name), said) if said else _named(reference)


def configured(kind: type[Protocol], said: Mapping[str, object], option: bool = True) -> type[Protocol]:
    """The protocol that words make of `kind`. Raises BoundsError for a word that it does not have.

    `option` is whether the words stand on a command line; else they are keys of a table.
    """
    known = words_of(kind)
    for name in said:
        if name not in known:
            shown = {(word.option if option else name.replace("_", "-")): word for name, word in known.items()}
            wrong = ("--" if option else "") + name.replace("_", "-")
            hint = advice(wrong, shown, "words") if shown else "It takes none."
            raise BoundsError(f"{kind.name or kind.__name__} has no word {wrong}. {hint}")
    return with_words(kind, said)


def _named(reference: str) -> type[Protocol]:
    """The protocol without words."""
    if not reference.isprintable():
        raise LoadError(f"{reference!a} is no name of a protocol: it has characters that cannot be shown")
    if is_registered(reference):
        return registered(reference)
    path, separator, name = reference.rpartition(":")
    if reference.endswith(".py") or (not separator and "/" in reference):
        path, name = reference, ""
    elif not separator:
        near = nearest(reference, (*REGISTRY, *names_in_catalogue()))
        hint = f"Did you mean {near}?" if near else f"Registered: {', '.join(REGISTRY)}."
        raise LoadError(
            f"no protocol is named {reference!r}", advice=f"{hint} A protocol of your own is path/to/file.py:Name."
        )
    return _member(imported_file(path, form="path/to/file.py:Name"), Path(path), path, name)


def load_function(reference: str) -> Callable[..., Any]:
    """The function that `path/to/file.py:name` names. A file that is loaded already is not run again."""
    path, _, name = reference.rpartition(":")
    if not path.endswith(".py"):
        raise LoadError(f"{reference} names no function", advice="Write path/to/file.py:function.")
    file = Path(path)
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
    except MemoryError:
        raise
    except Exception as error:  # the class is the user's: its constructor and annotations may raise anything
        where = _innermost(error, Path(getattr(sys.modules[protocol.__module__], "__file__", None) or ""))
        raise LoadError(f"{protocol.__name__} cannot be made: {_said(error)}", where) from error


def imported_file(reference: str, form: str = "path/to/file.py") -> ModuleType:
    """Import a file by its path; siblings of the file can be imported by it. `form` is how to name one."""
    file = Path(reference)
    if not file.exists():
        raise LoadError(f"there is no file {reference}", advice=f"Write {form}, or see `epochal list`.")
    if file.is_dir():
        raise LoadError(f"{reference} is a folder", advice=f"Write {form}.")
    path = file.resolve()
    name = _module_name(path)
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise LoadError(f"{file} is not a Python file", advice="Its name must end in .py.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    if str(path.parent) not in sys.path:
        sys.path.append(str(path.parent))
    try:
        with _no_side_effects():
            found.loader.exec_module(module)
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:  # whatever a user's file does at import, sys.exit included
        sys.modules.pop(name, None)
        raise import_error(error, str(path)) from error
    return module


def _module_name(path: Path) -> str:
    """The name of the module of a user's file, by its resolved path."""
    return f"epochal_user_{re.sub(r'[^0-9a-zA-Z]', '_', path.stem)}_{hashlib.sha256(bytes(path)).hexdigest()[:8]}"


@contextlib.contextmanager
def _no_side_effects() -> Iterator[None]:
    """Keep stdout for the result, and write no compiled files beside the user's."""
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        sys.dont_write_bytecode = before


def import_error(error: BaseException, file: str) -> SpecificationError:
    """What went wrong while a file was imported, with its line and what to do."""
    path = Path(file)
    where = _innermost(error, path)
    if isinstance(error, SpecificationError):
        return error if error.where else type(error)(error.message, where, error.advice)
    if isinstance(error, SyntaxError):
        where = SourceLine(shown_path(error.filename or str(path)), error.lineno or 1)
        return LoadError(f"syntax error: {error.msg}", where)
    if isinstance(error, SystemExit):
        said = "the file ends the program while it is imported (sys.exit)"
        return LoadError(said, where, "Put that under if __name__ == '__main__'.")
    if isinstance(error, RecursionError):
        return LoadError("the file recurses without end while it is imported", where)
    if isinstance(error, ImportError):
        return LoadError(_said(error), where, _import_advice(error))
    if isinstance(error, OSError) and where is None:
        return LoadError(f"{shown_path(str(path))} cannot be read: {error.strerror or error}")
    return LoadError(f"the file fails while it is imported: {_said(error)}", where)


def _import_advice(error: ImportError) -> str:
    if "relative import" in str(error):
        return "Files beside this one are imported by name: from sibling import Name."
    return "Files beside this one, installed packages, spec.language and spec.classic can be imported."


def _said(error: BaseException) -> str:
    text = printable(" ".join(str(error).split()))
    return f"{type(error).__name__}: {text[:300]}" if text else type(error).__name__


def _innermost(error: BaseException, path: Path) -> SourceLine | None:
    """The innermost line of the user's file, or of a sibling, on the traceback."""
    folder = str(path.parent)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if str(Path(f.filename).parent) == folder]
    return SourceLine(shown_path(frames[-1].filename), frames[-1].lineno or 1, frames[-1].name) if frames else None


def _member(module: ModuleType, file: Path, path: str, name: str) -> type[Protocol]:
    """The protocol class called `name` in an imported file."""
    own = [
        key
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Protocol) and value.__module__ == module.__name__
    ]
    if not name:
        example = f"{path}:{own[0]}" if len(own) == 1 else f"{path}:Name"
        listed = f" The file defines {', '.join(own)}." if len(own) > 1 else ""
        raise LoadError(f"{path} needs the name of a protocol", advice=f"Write {example}.{listed}")
    found = getattr(module, name, None)
    if found is None:
        raise LoadError(f"{file} has no class {name}", advice=advice(name, own, "protocols in it"))
    if not (isinstance(found, type) and issubclass(found, Protocol)) or found is Protocol:
        raise LoadError(
            f"{name} in {file} is not a protocol", advice="A protocol is a class derived from spec.language.Protocol."
        )
    if "name" not in vars(found):
        found.name = f"{path}:{name}"
    return found
