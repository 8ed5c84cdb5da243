"""The folder of `--out`: found writable before the search starts, filled after it, never with half a file."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.files import writing
from .run import DEADLOCK

if TYPE_CHECKING:
    from .trace import Trace


def slug(text: str) -> str:
    """A text as part of a file name: `strong_isr` as `strong-isr`, `mine.py:Variant` as `mine-py-variant`."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "trace"


def trace_name(protocol: str, property_id: str) -> str:
    """The file name of a trace: `kip-101-strong-isr.itf.json`."""
    return f"{slug(protocol)}-{slug(property_id or 'error')}.itf.json"


def report_beside(path: Path) -> Path:
    """Where the report of a trace is, `kip-101-strong-isr.html`; of any other file its own path."""
    name = path.name
    return path.with_name(name.removesuffix(".itf.json") + ".html") if name.endswith(".itf.json") else path


def about(trace: Trace) -> str:
    """What a trace is about, for the name of its file: the id of a property, or a deadlock."""
    return DEADLOCK if trace.verdict == DEADLOCK else trace.property_id


class OutputFolder:
    """A folder for results. Making it fails with exit code 153 if nothing can be written there.

    Beside each trace lies its report, a page for the browser.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path) as probe:
                probe.write(b"epochal")

    def write_document(self, name: str, document: Mapping[str, object]) -> Path:
        """Write a JSON document; its path."""
        return self.write_text(name, json.dumps(document, indent=1) + "\n")

    def write_text(self, name: str, text: str) -> Path:
        """Write a file, perhaps in a folder below; its path."""
        from ..base.files import write_atomically

        path = self.path / name
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(path, text)
        return path

    def write_traces(self, protocol: str, traces: Iterable[Trace]) -> dict[str, str]:
        """Write traces as ITF; their paths by property id ("" for a rule that could not be evaluated)."""
        return {trace.property_id: str(self.write_trace(protocol, about(trace), trace)) for trace in traces}

    def write_trace(self, protocol: str, name: str, trace: Trace, report: bool = True) -> Path:
        """Write a trace as ITF, named after what it is about, and its report beside; the path of the trace."""
        from .itf import dumps

        path = self.write_text(trace_name(protocol, name), dumps(trace))
        if report:
            self.write_text(report_beside(path).name, trace.to_html(path.name))
        return path


def opened(folder: OutputFolder | str | Path) -> OutputFolder:
    """A folder for results, which may be named by its path. Raises EngineError if nothing can be written there."""
    return folder if isinstance(folder, OutputFolder) else OutputFolder(Path(folder))
