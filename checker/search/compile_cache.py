"""What Epochal's own specifications were compiled to, kept in the cache, so that a second search begins at once.

The key of an entry holds everything that compiling reads: the protocol as it stands in this process (`written`), the
properties that were asked for, the code of the compiler as it is in this process, and its sources. Nothing is kept of a
specification of anybody else's.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Callable, Sequence
from functools import cache

from epochal.spec.language import Member, Protocol

from ..base.cache import Cache, Key
from ..base.machine import without_collection
from ..dominance.budgets import Budgets
from ..identity.engine import Part, Untold, key
from ..identity.specification import module_told, written
from ..ir.model import GraphSize, restored_model, stored_model
from ..native.program.program import program_text, refuse_many_properties
from ..symmetry.canonical import CanonicalForm
from .findings import compiled_for, compiled_properties
from .result import Options

PROGRAMS = Cache("programs", "z", most=1_000)
FORMAT = 6
LOADED = (
    "epochal.checker.compile.",
    "epochal.checker.ir.",
    "epochal.checker.native.program.",
    "epochal.checker.native.llvm.",
    "epochal.checker.symmetry.",
    "epochal.checker.dominance.",
)
"""Whose code the key holds, as it is in this process."""


class CompiledProgram:
    """A protocol compiled for machine code: as the cache has it, else compiled now.

    `recipes` are those of its code for eight states at once. Budgets are kept by the properties of a search.
    `symmetric` are the names of the properties that a search of representatives evaluates. Raises LanguageError if
    there are too many properties.
    """

    def __init__(
        self,
        protocol: Protocol,
        options: Options,
        report: Callable[[str], None],
        symmetric: Sequence[str] | None = None,
    ) -> None:
        properties = compiled_properties(protocol, options)
        refuse_many_properties(properties)
        self.key = program_key(protocol, properties, symmetric)
        found = PROGRAMS.read(self.key)
        self.cached = found is not None
        self._text: str | None = None
        self.recipes: dict[str, str] = {}
        self._budgets: dict[str, dict[str, bool]] = {}
        self._more = False
        if found is None:
            self.model = compiled_for(protocol, options, report)
        else:
            data = json.loads(zlib.decompress(found))
            self.model, self._text, self.recipes = restored_model(data, protocol), data["text"], data["recipes"]
            self._budgets = data["budgets"]

    def budgets(self, members: Sequence[Member], find: Callable[[], Budgets]) -> Budgets:
        """The budgets of a search for these properties: as the cache has them, else as they are found now."""
        asked = " ".join(sorted(member.name for member in members))
        if asked in self._budgets:
            return Budgets(self.model, {int(leaf): down for leaf, down in self._budgets[asked].items()})
        found = find()
        self._budgets[asked] = {str(leaf): down for leaf, down in found.chosen.items()}
        self._more = True
        return found

    def text(self, form: CanonicalForm | None = None) -> str:
        """Return the LLVM text. The graph is kept as it is now, without what is added to it later."""
        if self._text is None:
            self._text = program_text(self.model, form)
        self._size = GraphSize.of(self.model.graph)
        return self._text

    def keep(self, recipes: dict[str, str]) -> None:
        """Write it to the cache, if that is possible and says anything new."""
        if self.key is None or (self.cached and recipes == self.recipes and not self._more):
            return
        with without_collection():
            data = {
                "text": self._text,
                "recipes": recipes,
                "budgets": self._budgets,
                **stored_model(self.model, self._size),
            }
            written = json.dumps(data, separators=(",", ":"), ensure_ascii=True).encode("ascii")
        if PROGRAMS.write(self.key, zlib.compress(written, 1)):
            PROGRAMS.forget_oldest()


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
    return tuple(sorted(name for name in list(sys.modules) if name.startswith(LOADED)))
