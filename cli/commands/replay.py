"""`epochal replay`: run a stored trace again, in every semantics."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand
from ..app.options import options, traces_argument


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
def command(
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
