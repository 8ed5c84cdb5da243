"""`epochal.export_tla`: a protocol within bounds as a TLA+ module and a configuration, which TLC reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from epochal.checker.base.files import write_atomically, writing
from epochal.checker.base.numbers import counted
from epochal.checker.command_lines import bounds_as_options
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.compile.static import diagnose
from epochal.checker.semantics.properties import all_properties
from epochal.checker.symmetry.canonical import Reduction
from epochal.checker.tla.module import TlaModule
from epochal.checker.tla.module import export as exported
from epochal.report.page import Page
from epochal.spec.language import Protocol

from .options import reference_of, required
from .result import WrittenResult, question


class TlaDocument(TypedDict):
    """A module and its configuration, as texts, and the properties that TLC checks."""

    reference: str
    module: str
    text: str
    configuration: str
    invariants: list[str]
    properties: list[str]


@dataclass(frozen=True, repr=False)
class TlaExport(WrittenResult):
    """A protocol in TLA+: `module` has the text, the configuration, and what TLC checks."""

    protocol: Protocol
    reference: str
    module: TlaModule

    @property
    def headline(self) -> str:
        """Which module it is, and how long."""
        return f"{self.reference}: module {self.module.name}, {counted(self.module.text.count(chr(10)), 'line')}"

    def save(self, folder: str | Path) -> tuple[Path, Path]:
        """Write `Name.tla` and `Name.cfg` into a folder, which is made. Raises EngineError where that cannot be."""
        found = Path(folder)
        files = found / f"{self.module.name}.tla", found / f"{self.module.name}.cfg"
        with writing(found):
            found.mkdir(parents=True, exist_ok=True)
            write_atomically(files[0], self.module.text)
            write_atomically(files[1], self.module.configuration)
        return files

    def to_dict(self) -> TlaDocument:
        """The module as plain data."""
        module = self.module
        return {
            "reference": self.reference,
            "module": module.name,
            "text": module.text,
            "configuration": module.configuration,
            "invariants": list(module.invariants),
            "properties": [*module.step_properties, *module.promises],
        }

    def render(self, page: Page, files: Sequence[str] = ()) -> None:
        """Write what there is, and how TLC is called."""
        module = self.module
        page.line(self.headline, "good")
        page.line(f"bounds: {bounds_as_options(self.protocol.bounds.as_dict()) or 'none'}", indent=2)
        page.line(f"invariants: {', '.join(module.invariants)}", indent=2)
        if module.step_properties or module.promises:
            page.line(f"properties: {', '.join((*module.step_properties, *module.promises))}", indent=2)
        page.written(files)
        if files:
            page.commands([f"java -cp tla2tools.jar tlc2.TLC {files[0]}"])


@question
def export_tla(
    protocol: Protocol,
    *,
    symmetry: bool = False,
    reference: str | None = None,
) -> TlaExport:
    """Write a protocol within its bounds in TLA+: `export_tla(p).save("folder")`.

    State, actions, invariants, action properties, liveness properties with their fairness, and what must be reachable
    have the names and the words of the specification. With `symmetry` identifiers are symmetric for TLC, too.

    Raises LanguageError, with the line, for rules outside the language, or that TLA+ cannot say exactly, and for a
    specification that tells identifiers apart if symmetry is asked for.
    """
    protocol = required(protocol, "export_tla")
    model = compile_protocol(protocol)
    diagnose(model)
    if symmetry:
        Reduction(model, [member.name for member in all_properties(protocol)])
    return TlaExport(protocol, reference or reference_of(protocol), exported(protocol, symmetry))
