"""A hook of MkDocs: the folder counterexamples/ is part of the site, so that its stories can be read as pages.

Beside each story stands its report, with lanes and guards. Making all of them takes a minute and a half;
EPOCHAL_REPORTS names some, and then the site has those alone.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from epochal.checker.trace.itf_reader import TraceReader
from epochal.checker.trace.trace import Trace
from epochal.kafka.catalogue import trace_file
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.known_bug import KnownBug

FOLDER = Path(__file__).resolve().parents[2] / "counterexamples"


TOLD = re.compile(rf"\[as a story\]\((?:\.\./)*{FOLDER.name}/([\w-]+)\.md\)")
STORY = re.compile(r"\[story\]\(([\w-]+)\.md\)")
SUFFIX = ".itf.json"

BUGS: dict[str, KnownBug] = {
    trace_file(bug.without_rule, name, bug.other_bounds).removesuffix(SUFFIX): bug
    for bug in KNOWN_BUGS
    for name in bug.properties
}
"""The bug that a run shows, by the name of its file."""


def _reported() -> set[str]:
    """The names of the traces that have a report on the site."""
    every = {path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}")}
    asked = os.environ.get("EPOCHAL_REPORTS")
    return every if asked is None else every & set(asked.split())


def _page(name: str, top: str, reported: set[str]) -> str:
    """Where the report of a trace is, after where its story is."""
    return f", [as a page]({top}{FOLDER.name}/report/{name}.html)" if name in reported else ""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the stories, their index and the traces that it links to. Only the index has a place in the navigation."""
    for path in sorted(FOLDER.iterdir()):
        index = path.name == "README.md"
        level = InclusionLevel.INCLUDED if index else InclusionLevel.NOT_IN_NAV
        place = f"{FOLDER.name}/{path.name}"
        files.append(File.generated(config, place, abs_src_path=str(path), inclusion=level))
    reader = TraceReader((), ())
    for name in sorted(_reported()):
        trace = _taught(reader.read(FOLDER / f"{name}{SUFFIX}"), BUGS.get(name))
        content = trace.to_html(f"{FOLDER.name}/{name}{SUFFIX}")
        files.append(File.generated(config, f"{FOLDER.name}/report/{name}.html", content=content))
    return files


def _taught(trace: Trace, bug: KnownBug | None) -> Trace:
    """The run, and in its note which bug it shows and what that teaches."""
    if bug is None:
        return trace
    about = trace.note or f"{bug.name}: {bug.title}. {bug.seen_in()}."
    return replace(trace, note=f"{about}\nWhat it teaches: {bug.lesson}")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Lead to the stories where they are in the site; and from every link to a story, and the story, to its report."""
    reported = _reported()
    place = Path(page.file.src_uri)
    if place.parent.name != FOLDER.name:
        top = "../" * len(place.parent.parts)
        here = markdown.replace(f"](../{top}{FOLDER.name}/", f"]({top}{FOLDER.name}/")  # beside docs/, and in the site
        return TOLD.sub(lambda found: f"{found[0]}{_page(found[1], top, reported)}", here)
    if place.stem != "README":
        page.meta["search"] = {"exclude": True}  # the gallery has them all, and would not be found among them
        bug = BUGS.get(place.stem)
        taught = f"*{bug.name}.* {bug.lesson}\n\n" if bug is not None else ""
        page_of_it = "[As a page with lanes, guards and what else was possible]"
        lead = f"{page_of_it}(report/{place.stem}.html)\n\n" if place.stem in reported else ""
        return f"{lead}{taught}{markdown}"

    def both(found: re.Match[str]) -> str:
        name = found[1]
        return f"[page](report/{name}.html), {found[0]}" if name in reported else found[0]

    return STORY.sub(both, markdown)
