"""`epochal replay`: run a stored trace again, in every reading."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epochal.cli.command import EpochalCommand
from epochal.cli.options import trace_protocols_option, traces_argument
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.cli.trace_protocol import TraceReader


@click.command(
    "replay",
    cls=EpochalCommand,
    examples=("epochal replay counterexamples/kip-279-strong-isr.itf.json",),
)
@traces_argument
@trace_protocols_option
def command(traces: tuple[Path, ...], protocols: tuple[str, ...]) -> int:
    """Run the traces in FILES again, step by step, in Python and in native code.

    Says that every step is still possible and the verdict still true (exit code 0), or names the first step that is
    not, with the guard that refuses it (exit code 20: the behaviour differs from what a file records). Traces of a
    specification of your own need --protocol: a file runs because you name it, never because a trace does.
    """
    from epochal.cli.trace_protocol import TraceReader

    reader = TraceReader(protocols)
    return max(_replay(trace, reader) for trace in traces)


def _replay(trace: Path, reader: TraceReader) -> int:
    """Replay one trace and say how it went."""
    from epochal.checker.confirm import every_reading
    from epochal.checker.trace.explain import claim, protocol_name, shown_bounds
    from epochal.checker.trace.replay import replay
    from epochal.cli.render.page import open_page

    found = reader.read(trace)
    readings, missing = every_reading(found.protocol)
    outcome = replay(found, readings)
    page = open_page(sys.stdout)
    verdict = "replays exactly" if outcome.ok else "no longer replays"
    page.line(f"{trace}: {verdict}", "good" if outcome.ok else "bad")
    page.line(f"{protocol_name(found)}, {shown_bounds(found.protocol)}: {claim(found)}", indent=2)
    page.lines(outcome.lines(), indent=2)
    if missing:
        page.line(f"not replayed in {missing}", "warn", indent=2)
    return ExitCode.HOLDS if outcome.ok else ExitCode.DRIFTED
