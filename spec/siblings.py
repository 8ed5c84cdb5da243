"""The files beside a user's file: modules that it may import by name, whatever else in this process has their names.

Two checkouts of one specification, `old/spec.py` and `new/spec.py`, may be loaded by one process, and each imports its
own `rules`. Python has one module of a name. So while a file is imported, its folder comes before all other places of
people's code, and a module of the same name from another place stands aside. Afterwards that one is back. So it is with
imports at the top of files: what a function imports when it is called is looked for as Python does.

What Python brings and what is installed comes first: a file called `random.py` takes nothing from Python's.
"""

from __future__ import annotations

import contextlib
import hashlib
import site
import sys
import sysconfig
import threading
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType

OURS = __name__.partition(".")[0]
NAMES_OF_INSTALLED = frozenset({"site-packages", "dist-packages"})
NEVER_ASIDE = frozenset({OURS, "__main__"}) | sys.stdlib_module_names

_siblings: dict[Path, dict[str, ModuleType]] = {}
"""By folder, the modules that stand aside while no file of it is imported. Files of one folder share them."""


_one_at_a_time = threading.RLock()
"""Python has one table of modules for all threads."""


@contextlib.contextmanager
def siblings_of(folder: Path) -> Iterator[None]:
    """While a file of this folder is imported: what it imports by name is what stands beside it."""
    with _one_at_a_time, _table_for(folder):
        yield


@contextlib.contextmanager
def _table_for(folder: Path) -> Iterator[None]:
    path = list(sys.path)
    aside = _others_called_so(folder)
    for name in aside:
        del sys.modules[name]
    sys.modules.update(_siblings.pop(folder, {}))
    installed = [entry for entry in path if _is_installed(entry)]
    sys.path[:] = [*installed, str(folder), *(entry for entry in path if entry not in installed)]
    try:
        yield
    finally:
        added = [entry for entry in sys.path if entry not in (*path, str(folder))]
        sys.path[:] = [*path, *added] if str(folder) in path else [*path, str(folder), *added]
        tops = {name.partition(".")[0] for name in aside}
        if own := {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] in tops}:
            _siblings[folder] = own
        for name, module in own.items():
            del sys.modules[name]
            _rename(module, name, f"{name}_{hashlib.sha256(bytes(folder)).hexdigest()[:8]}")
        sys.modules.update(aside)


def _rename(module: ModuleType, name: str, other: str) -> None:
    """Give a module that stands aside a name of its own: the annotations of a class are evaluated in the module that it
    names, and not before somebody asks for its variables.
    """
    sys.modules[other] = module
    module.__name__ = other
    todo = list(vars(module).values())
    while todo:
        one = todo.pop()
        if isinstance(one, type) and one.__module__ == name:
            one.__module__ = other
            todo += vars(one).values()


def _others_called_so(folder: Path) -> dict[str, ModuleType]:
    """The modules from elsewhere whose names files and folders of this one have; submodules included."""
    try:
        there = {entry.name.partition(".")[0] for entry in folder.iterdir()}
    except OSError:  # then nothing beside the file can be imported by name
        return {}
    named = there.intersection(name.partition(".")[0] for name in list(sys.modules)) - NEVER_ASIDE
    tops = {name for name in named if _is_elsewhere(name, folder) and _has(folder, name)}
    return {name: module for name, module in list(sys.modules.items()) if name.partition(".")[0] in tops}


def _is_elsewhere(name: str, folder: Path) -> bool:
    """Whether a loaded module comes from another place of people's code; of one without a file nobody knows."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    places = getattr(spec, "submodule_search_locations", None)
    found = next(iter(places), None) if places is not None else getattr(spec, "origin", None)
    if not isinstance(found, str) or not Path(found).is_absolute():
        return False
    return Path(found).resolve().parent != folder and not _is_installed(str(Path(found).parent))


def _has(folder: Path, name: str) -> bool:
    """Whether a folder has a module of this name."""
    return PathFinder.find_spec(name, [str(folder)]) is not None


def _is_installed(entry: str) -> bool:
    """Whether a place of modules is Python's own, or has what is installed."""
    place = Path(entry).resolve()
    named = not NAMES_OF_INSTALLED.isdisjoint(place.parts)
    return bool(entry) and (named or any(place == root or root in place.parents for root in _roots()))


@cache
def _roots() -> tuple[Path, ...]:
    """The folders of Python's own modules, and those into which packages are installed."""
    named = (sysconfig.get_path(kind) for kind in ("stdlib", "platstdlib", "purelib", "platlib"))
    found = [*named, *site.getsitepackages(), *([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])]
    return tuple(Path(one).resolve() for one in found)
