"""One of Epochal's own specifications as it stands in this process: what it is known by without compiling it.

That is everything that compiling reads of it: the code of its classes and of the modules of `epochal.spec` that they
stand in or use, as it is in this process, and how the paths of their files are shown, its settings and bounds. The
sources themselves are in the digest of the engine. The working folder decides nothing of that. Of anybody else's
specification nothing is told: what its module computes when it is imported, of a file or of the clock, is in no source
file. It is compiled, and known by its meaning.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Final

from epochal.spec.language import Protocol
from epochal.spec.language.errors import shown_path

from .engine import Untold, folder_of
from .telling import as_text, functions_of, functions_told

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
