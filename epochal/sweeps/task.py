"""A task of a sweep: one question as plain data, and the key by which its answer is found again.

The key is a digest of everything that the answer depends on: the question, the sources of Epochal, the versions of what
it stands on, and the sources of the specification if it is somebody's own. Where a task runs, and with how many others,
is not in it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import json
import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

FORMAT: Final = 2
TOOL: Final = Path(__file__).resolve().parents[1]
PARTS: Final = ("checker", "spec", "kafka", "sweeps", "door", "render")
"""The packages that decide what an answer is."""
INSTALLED: Final = ("llvmlite", "z3-solver")
"""What else decides it, besides Python."""


@dataclass(frozen=True)
class Task:
    """One question. `about` is which of several of a protocol: a mutant, a fault, an entry, the first seed of walks.

    `sources` are the files that the specification is made of, each with its digest; none for one of Epochal's own.
    """

    kind: str
    protocol: str
    bounds: Mapping[str, int] = field(default_factory=dict)
    about: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)

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
        contents = sorted(self.sources.values())  # not the paths, so that a folder may move
        content = json.dumps([FORMAT, self.document, contents, own_sources(), versions()], sort_keys=True)
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


@functools.cache
def versions() -> dict[str, str]:
    """The versions of Python and of what an answer is computed with; "" for what is not installed."""
    found = {"python": f"{platform.python_implementation()} {platform.python_version()}"}
    for name in INSTALLED:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = ""
    return found
