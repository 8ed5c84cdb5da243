"""What Epochal's own specifications were compiled to, kept in the cache, so that a second search begins at once.

The key of an entry holds everything that compiling reads: the protocol as it stands in this process (`written`), the
properties that were asked for, the code of the compiler as it is in this process, and its sources. Nothing is kept of a
specification of anybody else's.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from epochal.spec.language import Member, Protocol

from ..base.cache import Cache, Key
from ..base.machine import without_collection
from ..identity.engine import Part, Untold, key
from ..identity.specification import module_told, written
from ..ir.model import GraphSize, Model, restored_model, stored_model

PROGRAMS = Cache("programs", "z", most=60)
FORMAT = 5
LOADED = (
    "epochal.checker.compile.",
    "epochal.checker.ir.",
    "epochal.checker.native.program.",
    "epochal.checker.native.llvm.",
    "epochal.checker.symmetry.",
    "epochal.checker.search.symmetry",
)
"""Whose code the key holds, as it is in this process."""


@dataclass(frozen=True)
class CachedProgram:
    """A compiled protocol, its LLVM text, and the recipes of its code for eight states at once."""

    model: Model
    text: str
    recipes: dict[str, str]


@dataclass(frozen=True)
class Unkept:
    """A compiled protocol that is not in the cache yet, with its graph as it was when its text had been written."""

    key: Key
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


def cached_program(key: Key | None, protocol: Protocol) -> CachedProgram | None:
    """What a protocol was compiled to when it had this key; None if that is not known."""
    found = PROGRAMS.read(key)
    if found is None:
        return None
    data = json.loads(zlib.decompress(found))
    return CachedProgram(restored_model(data, protocol), data["text"], data["recipes"])


def program_key(protocol: Protocol, properties: Sequence[Member], symmetric: Sequence[str] | None = None) -> Key | None:
    """What tells a protocol with these properties from every other, and from itself after any change; None if nothing
    can, so that it must not be kept. `symmetric` are the names of the properties with which it does not tell its
    identifiers apart, for a search of representatives."""
    told = written(protocol)
    if told is None:
        return None
    try:
        for name in _compiler():
            told += module_told(sys.modules[name])
    except Untold:
        return None
    asked = [member.name for member in properties]
    part: Part = "programs" if symmetric is None else "symmetric programs"
    return key(part, FORMAT, "\n".join(told), asked, None if symmetric is None else list(symmetric))


@cache
def _compiler() -> tuple[str, ...]:
    """The modules of the compiler, all of which are there before the first search; others of them come later.

    Z3's part of the question whether a specification tells identifiers apart is loaded when it is asked: the key has
    the sources of that.
    """
    return tuple(sorted(name for name in sys.modules if name.startswith(LOADED)))
