"""A hook of MkDocs: one run as a page, which the home page and the findings show in a frame.

It is there in every build, whichever reports `gallery` makes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from epochal.checker.trace.itf_reader import TraceReader

FOLDER = Path(__file__).resolve().parents[2] / "counterexamples"
SHOWN = "kraft-n1-leader-candidate-completeness"
"""N1: a leader that missed a term of another."""

PLACE = "assets/run.html"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page of the run, without its story: that is told around the frame."""
    file = f"{SHOWN}.itf.json"
    trace = replace(TraceReader((), ()).read(FOLDER / file), note="")
    files.append(File.generated(config, PLACE, content=trace.to_html(f"{FOLDER.name}/{file}")))
    return files
