"""What a specification of somebody's own is made of: its files, and the content of each, here and where a task runs.

These are its module, its bases, and whatever files of somebody's own they import, in a file or by what they use; and
the files that the bodies of these modules open, such as a table of limits. Epochal, Python and what is installed is
none of it. A module that others have imported before is not run again, so what it opens is remembered.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from importlib.machinery import PathFinder
from pathlib import Path
from types import FrameType, ModuleType
from typing import Final
from weakref import WeakKeyDictionary

from epochal.spec.language import Protocol
from epochal.spec.language.reference import split_reference
from epochal.spec.loading import load_protocol
from epochal.spec.registry import is_registered

TOOL: Final = Path(__file__).resolve().parents[1]
ELSEWHERE: Final = ("site-packages", "dist-packages")
NO_FILES: Final = ("/proc/", "/sys/", "/dev/")
BODY: Final = "<module>"
"""What Python calls the code of a module."""


class _Opened:
    """The files that the bodies of modules open, by the name of the module. The hook stays as long as the process."""

    def __init__(self) -> None:
        self.by_module: dict[str, set[str]] = {}
        self._heard: dict[str, set[str]] | None = None
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if event != "open" or self._heard is None or not isinstance(arguments[0], str):
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame.f_code.co_name != BODY:
            frame = frame.f_back
        if frame is not None:
            name = str(frame.f_globals.get("__name__"))
            self._heard.setdefault(name, set()).add(str(Path(arguments[0]).absolute()))

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Remember what modules open that are run while this lasts."""
        self._heard = {}
        try:
            yield
        finally:
            for name, paths in self._heard.items():
                self.by_module.setdefault(name, set()).update(paths)
            self._heard = None


_opened: _Opened | None = None
_when_seen: WeakKeyDictionary[ModuleType, str] = WeakKeyDictionary()
"""The content of the file of each module, when it was first asked for."""


def loaded(reference: str) -> tuple[type[Protocol], dict[str, str]]:
    """A protocol, and the files that it is made of, by their paths, with the digest of each; none if it is registered.

    Raises what `load_protocol` does.
    """
    global _opened
    if is_registered(split_reference(reference)[0]):
        return load_protocol(reference), {}
    _opened = _opened or _Opened()
    with _opened.listening():
        kind = load_protocol(reference)
    files: set[str] = set()
    for name, file in _modules(kind):
        files.add(file)
        files |= {_source(path) for path in _opened.by_module.get(name, ()) if _own_file(path)}
    return kind, {_as_given(path, reference): digest for path in sorted(files) if (digest := _digest(path))}


def changed(sources: Mapping[str, str]) -> str:
    """The first of some files that is another than its digest says, on disk or as it was imported here; "" if none is.

    A file that is gone is another.
    """
    here = {os.path.realpath(path): digest for path, digest in sources.items()}
    for module in list(sys.modules.values()) if here else ():
        file = getattr(module, "__file__", None)
        path = _source(file) if file else ""
        if path in here and _when_seen.setdefault(module, _digest(path)) != here[path]:
            return path
    return next((path for path, digest in here.items() if _digest(path) != digest), "")


def _as_given(path: str, reference: str) -> str:
    """A path as whoever loads a protocol elsewhere finds it: from the folder that the reference names, if it is there.

    An executor may have another working folder, or other links.
    """
    folder = Path(split_reference(reference)[0].rpartition(":")[0]).parent
    real = folder.resolve()
    return str(folder / Path(path).relative_to(real)) if Path(path).is_relative_to(real) else path


def _digest(path: str) -> str:
    """The digest of the content of a file; "" if it cannot be read."""
    try:
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def _source(path: str) -> str:
    """The file that somebody has written, where a path is of what Python has compiled from it."""
    if path.endswith(".pyc"):
        with contextlib.suppress(ValueError):  # it lies in no cache: there is nothing else
            source = importlib.util.source_from_cache(path)
            path = source if Path(source).is_file() else path
    return os.path.realpath(path)


def _modules(kind: type[Protocol]) -> Iterator[tuple[str, str]]:
    """The modules that a class is written in, and those that they import or use, as far as they are somebody's own.

    Each with its name and file.
    """
    waiting = [one.__module__ for one in kind.__mro__]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        module = sys.modules.get(name)
        file, package = _place(name) if module is None else (getattr(module, "__file__", None), module.__package__)
        if file is None or not _own(name, file):
            continue
        yield name, _source(file)
        waiting += _imported(_source(file), package or "")
        for value in list(vars(module).values()) if module is not None else ():
            used = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(used, str):
                waiting.append(used)


def _place(name: str) -> tuple[str | None, str]:
    """The file of a module that is not imported yet, and its package: an import in a function, or in a newer text."""
    found = None if not name or "." in name else PathFinder.find_spec(name)
    if found is None or not found.has_location:
        return None, ""
    return found.origin, name if found.submodule_search_locations else ""


def _imported(file: str, package: str) -> Iterator[str]:
    """The names of modules that a file may import, wherever in its text; some may be of no module."""
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):  # compiled alone: what it uses is known, what it imports is not
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield from _with_packages(one.name)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            above = parts[: len(parts) + 1 - node.level] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from _with_packages(base)
            yield from (f"{base}.{one.name}" for one in node.names)


def _with_packages(name: str) -> Iterator[str]:
    """`a`, `a.b` and `a.b.c` of `a.b.c`: all of them are run."""
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))


def _own(name: str, file: str) -> bool:
    """Whether a module is somebody's own: not of Epochal, of Python or installed."""
    top = name.partition(".")[0]
    return top not in {"epochal", *sys.stdlib_module_names} and not set(ELSEWHERE) & set(Path(file).parts)


def _own_file(path: str) -> bool:
    """Whether a file that was opened is somebody's own."""
    if path.startswith(NO_FILES) or set(ELSEWHERE) & set(Path(path).parts) or not Path(path).is_file():
        return False
    others = {TOOL, *(TOOL / part for part in ("checker", "spec", "cli")), Path(sysconfig.get_path("stdlib"))}
    return not any(Path(path).resolve().is_relative_to(one.resolve()) for one in others if one.is_dir())
