"""What a search on Spark begins with: the compiled protocol and its text, from the cache if they are there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from epochal.spec.language import Protocol

from ...ir.model import Model
from ...ir.stored_model import GraphSize
from ...native.program.program import program_text, refuse_many_properties
from ..kept_programs import Unkept, kept_program, program_key
from ..properties import compiled_for, compiled_properties
from ..result import Options


@dataclass(frozen=True)
class Compiled:
    """A compiled protocol and its LLVM text; `new` if it is to be kept."""

    model: Model
    text: str
    new: Unkept | None

    def keep(self) -> None:
        """Have the next search find it. Native searches add the recipes of what they compile besides."""
        if self.new is not None:
            self.new.keep({})


def compiled_or_kept(protocol: Protocol, options: Options, report: Callable[[str], None]) -> Compiled:
    """The protocol as it was compiled before, or compiled now. Raises LanguageError if it has too many properties."""
    properties = compiled_properties(protocol, options)
    refuse_many_properties(properties)
    key = program_key(protocol, properties)
    kept = kept_program(key, protocol)
    if kept is not None:
        return Compiled(kept.model, kept.text, None)
    model = compiled_for(protocol, options, report)
    text = program_text(model)
    return Compiled(model, text, Unkept(key, model, text, GraphSize.of(model.graph)) if key else None)
