"""`epochal replay`: run a stored trace again, in every reading."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from epochal.exit_codes import ExitCode

from ..app.command import EpochalCommand
from ..app.options import format_option, trace_protocols_option, trace_questions_option, traces_argument


@click.command(
    "replay",
    cls=EpochalCommand,
    examples=(
        "epochal replay counterexamples/kip-279-strong-isr.itf.json",
        "epochal replay counterexamples/kip-279-strong-isr.itf.json --against kip-320",
    ),
)
@traces_argument
@trace_protocols_option
@click.option(
    "--against",
    metavar="PROTOCOL",
    help="Replay on another protocol with the same variables, such as one with a fix; FILE:NAME is loaded and run.",
)
@trace_questions_option
@format_option
def command(
    traces: tuple[Path, ...],
    protocols: tuple[str, ...],
    against: str | None,
    questions: tuple[str, ...],
    output_format: str,
) -> int:
    """Run the traces in FILES again, step by step, in Python and in native code.

    Says that every step is still possible and the verdict still true (exit code 0), or names the first step that is
    not, with the guard that refuses it (exit code 20: the behaviour differs from what a file records). Traces of a
    specification of your own need --protocol: a file runs because you name it, never because a trace does.

    With --against the question is whether a run of one protocol is possible in another, too: does a fix close it, and
    by which guard?
    """
    from epochal.checker.trace.protocol_of import TraceReader
    from epochal.door.replay import replay
    from epochal.render.page import open_page

    reader, code = TraceReader(protocols, questions, against), ExitCode.HOLDS
    for trace in traces:
        result = replay(trace, reader=reader)
        if output_format == "json":
            click.echo(json.dumps(result.to_dict()))
        else:
            result.render(open_page(sys.stdout))
        code = max(code, result.exit_code)
    return code
