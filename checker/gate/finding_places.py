"""Findings of the gate at lines that the repository has, for programs that show them beside its code.

The action that breaks a property is often inherited, from a file of the installed package. No reviewer sees an
annotation there: it is put on the class of the model, or on the configuration, and names the line in its text.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path

from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.errors import shown_path

from .outcome import GateResult, ModelOutcome
from .verdict import GateFinding


def within(result: GateResult, folder: Path, configuration: str) -> GateResult:
    """The result with every finding at a file below `folder`, the working folder; `configuration` is its file there."""
    return replace(result, models=tuple(_moved(model, folder, configuration) for model in result.models))


def _moved(model: ModelOutcome, folder: Path, configuration: str) -> ModelOutcome:
    home = _home(model.protocol, folder) or SourceLine(configuration, 1)

    def moved(finding: GateFinding) -> GateFinding:
        where = finding.where
        if where is None or (folder / where.file).is_file():
            return finding
        return replace(finding, where=home, message=f"{finding.message} ({where})")

    judgement = model.judgement
    if judgement is not None:
        judgement = replace(judgement, findings=tuple(map(moved, judgement.findings)))
    problem = moved(model.problem) if model.problem is not None else None
    return replace(model, judgement=judgement, problem=problem)


def _home(protocol: Protocol | None, folder: Path) -> SourceLine | None:
    """Where the class of a protocol begins; None if its file is not below the folder, or is gone."""
    if protocol is None:
        return None
    try:
        file, (_, line) = inspect.getfile(type(protocol)), inspect.getsourcelines(type(protocol))
    except (OSError, TypeError):
        return None
    shown = shown_path(file)
    return SourceLine(shown, line) if (folder / shown).is_file() else None
