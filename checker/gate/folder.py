"""The folder of the gate's reports: `result.json`, `summary.md`, JUnit, SARIF and traces."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from epochal.spec.language import Protocol, SourceLine
from epochal.spec.language.errors import shown_path

from ..base.files import writing
from ..trace.itf import dumps
from ..trace.markdown import markdown
from ..trace.output_folder import OutputFolder, slug
from ..trace.trace import Trace
from .outcome import GateResult, ModelOutcome
from .reports.document import gate_document
from .reports.junit import junit_files
from .reports.sarif import sarif_document
from .reports.summary import summary
from .verdict import GateFinding, changes

# -- finding places ---------------------------------------------------------------------------------------------------
# Findings of the gate at lines that the repository has, for programs that show them beside its code.
#
# The action that breaks a property is often inherited, from a file of the installed package. No reviewer sees an
# annotation there: it is put on the class of the model, or on the configuration, and names the line in its text.


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


TRACES, JUNIT = "traces", "junit"


class GateFolder:
    """Where a run of the gate puts its reports. Making it fails with exit code 153 if nothing can be written there."""

    def __init__(self, path: Path) -> None:
        self.path = OutputFolder(path).path

    def write(self, result: GateResult, prefix: str, fallback: str, timestamp: str) -> list[str]:
        """Write every report; the paths of those that people start from.

        `prefix` is the working folder below the top of the repository, `fallback` the file of findings without a line.
        """
        files = {id(trace): f"{TRACES}/{name}.itf.json" for name, trace in _named_traces(result)}
        for name, trace in _named_traces(result):
            self._write(f"{TRACES}/{name}.itf.json", dumps(trace))
            self._write(f"{TRACES}/{name}.md", markdown(trace, f"{name}.itf.json"))
            self._write(f"{TRACES}/{name}.html", trace.to_html(f"{name}.itf.json"))
        shown = {key: (self.path / file).as_posix() for key, file in files.items()}
        for name, text in junit_files(result, timestamp).items():
            self._write(f"{JUNIT}/{name}", text)
        sarif = sarif_document(within(result, Path.cwd(), fallback), prefix, fallback)
        self._write("sarif.json", json.dumps(sarif, indent=1) + "\n")
        self._write("summary.md", summary(result, shown))
        self._write("result.json", json.dumps(gate_document(result, files), indent=1) + "\n")
        return [str(self.path / name) for name in ("summary.md", "result.json", "sarif.json", JUNIT)]

    def _write(self, name: str, text: str) -> None:
        from ..base.files import write_atomically

        path = self.path / name
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)


def _named_traces(result: GateResult) -> Iterator[tuple[str, Trace]]:
    """Every trace of a result, with a file name of its own."""
    used: set[str] = set()
    seen: set[int] = set()
    for model in result.models:
        for about, trace in _traces(model):
            if id(trace) in seen:
                continue
            seen.add(id(trace))
            name = f"{slug(model.name)}-{slug(about)}"
            while name in used:
                name += "-2"
            used.add(name)
            yield name, trace


def _traces(model: ModelOutcome) -> Iterator[tuple[str, Trace]]:
    for one in changes(model.difference):
        if one.gained.example is not None:
            yield f"{one.action}-new-step", one.gained.example.trace
        if one.lost.example is not None:
            yield f"{one.action}-step-gone", one.lost.example.trace
    for finding in model.findings:
        if finding.trace is not None:
            yield finding.about or finding.kind, finding.trace
