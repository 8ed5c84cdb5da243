"""A task of a sweep: one question as plain data, and the key by which its answer is found again.

The key is a digest of everything that the answer depends on: the question, the sources of Epochal, and those of the
specification if it is somebody's own. Where a task runs, and with how many others, is not in it.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from epochal.spec.language import Protocol
from epochal.spec.language.reference import split_reference
from epochal.spec.registry import is_registered

FORMAT: Final = 1
TOOL: Final = Path(__file__).resolve().parents[1]
PARTS: Final = ("checker", "spec", "kafka", "sweeps")
"""The packages that decide what an answer is."""


@dataclass(frozen=True)
class Task:
    """One question. `about` is which of several of a protocol: a mutant, a fault, an entry, the first seed of walks.

    `sources` is the digest of the files that the specification is made of; "" for one of Epochal's own.
    """

    kind: str
    protocol: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    about: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """The question as JSON values."""
        return {
            "kind": self.kind,
            "protocol": self.protocol,
            "bounds": dict(self.bounds),
            "about": self.about,
            "options": dict(self.options),
        }

    @functools.cached_property
    def key(self) -> str:
        """What its answer is found by."""
        content = json.dumps([FORMAT, self.document, self.sources, own_sources()], sort_keys=True)
        return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()

    def __str__(self) -> str:
        """A few words about it, for the progress."""
        values = "/".join(map(str, self.bounds.values()))
        return " ".join(part for part in (self.kind, self.protocol, values, self.about) if part)


@functools.cache
def own_sources() -> str:
    """The digest of what Epochal is made of."""
    digest = hashlib.blake2b(digest_size=16)
    for part in PARTS:
        for file in sorted((TOOL / part).resolve().rglob("*.py")):
            digest.update(f"\n{file.relative_to((TOOL / part).resolve()).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


def sources_of(reference: str, kind: type[Protocol], opened: list[str]) -> str:
    """The digest of the files that a class of somebody's own is made of, and of those that were read as it was loaded.

    Files are told by their content, so that a folder may move; "" for a registered protocol.
    """
    if is_registered(split_reference(reference)[0]):
        return ""
    files = {Path(file) for module in _modules(kind) if (file := module.__file__)}
    files |= {Path(path) for path in opened if not path.endswith((".pyc", ".so")) and Path(path).is_file()}
    contents = sorted(hashlib.blake2b(file.read_bytes(), digest_size=16).hexdigest() for file in files)
    return hashlib.blake2b(" ".join(contents).encode(), digest_size=16).hexdigest()


def _modules(kind: type[Protocol]) -> Iterator[ModuleType]:
    """The modules that a class is written in, and those whose names they use, but for Epochal's and installed ones."""
    waiting = [sys.modules[one.__module__] for one in kind.__mro__ if one.__module__ in sys.modules]
    seen: set[str] = set()
    while waiting:
        module = waiting.pop()
        if module.__name__ in seen or not _own(module):
            continue
        seen.add(module.__name__)
        yield module
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            if isinstance(name, str) and name in sys.modules:
                waiting.append(sys.modules[name])


def _own(module: ModuleType) -> bool:
    """Whether a module is somebody's own: not of Epochal, of Python or installed."""
    top = module.__name__.partition(".")[0]
    file = getattr(module, "__file__", None)
    if file is None or top in {"epochal", *sys.stdlib_module_names}:
        return False
    return "site-packages" not in Path(file).parts
