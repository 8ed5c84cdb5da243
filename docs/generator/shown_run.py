"""A hook of MkDocs: runs as pictures that can be stepped through, each with its report as a page of its own.

A page shows one where it says so, with a caption:

    <!-- run: kraft-n1-leader-candidate-completeness: a trace of counterexamples/ -->
    <!-- run: kip.md found/eligible-py-kip9999-acknowledged-durable.itf.json: what commands of a page write -->

Nothing of it is kept: the commands of the other page are run where its files are, whenever the site is made.
"""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.report.document import Report
from epochal.checker.trace.report.html import environment

ROOT: Final = Path(__file__).resolve().parents[2]
TEMPLATE: Final = Path(__file__).parent / "page" / "film.html.j2"
RUN: Final = re.compile(r"<!-- run: (?P<source>[^\s:]+)(?: (?P<file>[^\s:]+))?:\s(?P<caption>.+?) -->", re.DOTALL)
OF_THE_READER: Final = re.compile(r"^<!-- file: (\S+) -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
WRITES: Final = re.compile(r"^\$ epochal (.* --out \S+)$", re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the report of each run that some page shows."""
    paths = [Path(one.abs_src_path) for one in files if one.is_documentation_page() and one.abs_src_path]
    shown = {
        found.group("source", "file") for path in paths for found in RUN.finditer(path.read_text(encoding="utf-8"))
    }
    for source, file in sorted(shown, key=str):
        files.append(File.generated(config, _place(source, file), content=_made(source, file)[0]))
    return files


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Show the runs where a page says so."""

    def shown(found: re.Match[str]) -> str:
        source, file = found.group("source", "file")
        report = get_relative_url(_place(source, file), page.url)
        caption = f'{found["caption"]} <a href="{report}">Guards and source of each step</a>'
        film = f"<figcaption>{caption}</figcaption>{_made(source, file)[1]}"
        return f'<figure class="film" data-search-exclude>{film}</figure>'

    return RUN.sub(shown, html)


def _place(source: str, file: str | None) -> str:
    """Where the report of a run is in the site."""
    return f"assets/runs/{Path(file or source).name.removesuffix('.itf.json')}.html"


@cache
def _made(source: str, file: str | None) -> tuple[str, str]:
    """The report of a run, and its picture."""
    if file is None:
        return _drawn(TraceReader(()), ROOT, f"counterexamples/{source}.itf.json")
    text = (ROOT / "docs" / source).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for name, content in OF_THE_READER.findall(text):
            Path(name).write_text(content, encoding="utf-8")
        for command in WRITES.findall(text):
            subprocess.run([sys.executable, "-m", "epochal", *shlex.split(command)], capture_output=True, check=False)
        protocol = json.loads(Path(file).read_text(encoding="utf-8"))["#meta"]["protocol"]
        return _drawn(TraceReader((protocol,)), Path(folder), file)


def _drawn(reader: TraceReader, folder: Path, file: str) -> tuple[str, str]:
    """The report and the picture of a run without its story, which is told around it."""
    trace = replace(reader.read(folder / file), note="")
    report = Report(trace, branches=False)
    wholes = [report.whole(number) for number in range(trace.length)]
    template = environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    pictures = [{**lanes, **fields} for lanes, fields in wholes]
    return trace.to_html(file), template.render(report=report, pictures=pictures)
