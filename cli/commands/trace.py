"""`epochal trace show` and `epochal trace export`: a stored trace for people."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import click

from epochal.checker.trace.formats import FORMATS, exported
from epochal.report.shown import shown_text

from ..app.command import EpochalCommand, EpochalGroup
from ..app.options import options, trace_argument

SAMPLE: Final = "counterexamples/kip-279-strong-isr.itf.json"


@click.command("show", cls=EpochalCommand, examples=(f"epochal trace show {SAMPLE}",))
@trace_argument
@options("protocols questions all_fields")
def show(trace: Path, protocols: tuple[str, ...], questions: tuple[str, ...], all_fields: bool) -> None:
    """Show the trace in FILE as a story: every step, with the changes of the state."""
    from epochal.checker.trace.itf_reader import TraceReader
    from epochal.checker.trace.text import story
    from epochal.report.page import open_page

    open_page(sys.stdout).lines(story(TraceReader(protocols, questions).read(trace), all_fields))


@click.command(
    "export",
    cls=EpochalCommand,
    examples=(
        f"epochal trace export {SAMPLE} --to html --out found.html",
        f"epochal trace export {SAMPLE} --to mermaid",
    ),
)
@trace_argument
@options("protocols questions all_fields")
@click.option(
    "--to",
    "target",
    type=click.Choice(tuple(FORMATS)),
    required=True,
    help="A page for the browser (html), a sequence diagram, a story for Markdown or JIRA, or a graph (dot).",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write to this file instead of stdout.",
)
def export(
    trace: Path,
    protocols: tuple[str, ...],
    questions: tuple[str, ...],
    all_fields: bool,
    target: str,
    out: Path | None,
) -> None:
    """Export the trace in FILE as a diagram, a story or a graph."""
    from epochal.checker.base.files import write_atomically, writing
    from epochal.checker.trace.itf_reader import TraceReader

    text = exported(TraceReader(protocols, questions).read(trace), target, file=str(trace), all_fields=all_fields)
    if out is None:
        click.echo(shown_text(text), nl=False)
        return
    with writing(out):
        write_atomically(out, text)


@click.group(
    "trace",
    cls=EpochalGroup,
    commands=[show, export],
    examples=(f"epochal trace show {SAMPLE}", f"epochal trace export {SAMPLE} --to markdown"),
)
def command() -> None:
    """Show a stored trace, or export it as a diagram or a story."""
