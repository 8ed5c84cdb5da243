"""`epochal trace` and `epochal replay`: a stored trace for people, and run again."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Final

import click

from epochal.checker.trace.formats import FORMATS, exported
from epochal.exit_codes import ExitCode
from epochal.report.page import shown_text

from ..app.command import EpochalCommand, EpochalGroup
from ..app.options import options, trace_argument, traces_argument

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
    trace: Path, protocols: tuple[str, ...], questions: tuple[str, ...], all_fields: bool, target: str, out: Path | None
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
def trace() -> None:
    """Show a stored trace, or export it as a diagram or a story."""


@click.command(
    "replay",
    cls=EpochalCommand,
    examples=(
        "epochal replay counterexamples/kip-279-strong-isr.itf.json",
        "epochal replay counterexamples/kip-279-strong-isr.itf.json --against kip-320",
    ),
)
@traces_argument
@options("protocols")
@click.option(
    "--against",
    metavar="PROTOCOL",
    help="Replay on another protocol with the same variables, such as one with a fix. FILE:NAME is loaded and run.",
)
@options("questions output_format")
def replay(
    traces: tuple[Path, ...],
    protocols: tuple[str, ...],
    against: str | None,
    questions: tuple[str, ...],
    output_format: str,
) -> int:
    """Replay the traces in FILES step by step, in Python and in native code.

    Exit code 0: every step is still possible and the verdict still true; 20: a step is refused, and the report names
    the guard. A trace of your own specification needs --protocol: a file runs because you name it, never because a
    trace does. --against replays the run on another protocol: does a fix prevent it, and by which guard?
    """
    from epochal.api.replay import replay
    from epochal.checker.trace.itf_reader import TraceReader
    from epochal.report.page import open_page

    reader, code = TraceReader(protocols, questions, against), ExitCode.HOLDS
    for trace in traces:
        result = replay(trace, reader=reader)
        if output_format == "json":
            click.echo(json.dumps(result.to_dict()))
        else:
            result.render(open_page(sys.stdout))
        code = max(code, result.exit_code)
    return code
