"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from epochal.errors import UsageError

from ..app.command import ProtocolCommand
from ..app.options import Output, chosen_cross_check, options, output, protocol_argument, questions_option

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "simulate",
    cls=ProtocolCommand,
    examples=(
        "epochal simulate kraft --runs 500 --seed 7",
        "epochal simulate truncate-to-hw --runs 200 --depth 30 --engine python",
        "epochal simulate async-isr --runs 50 --depth 20 --traces 10 --out vectors",
    ),
)
@protocol_argument
@options("runs depth seed traces", questions_option, "engine cross_check budget", of="simulate")
@output("Write runs as ITF traces, what was found with a page for the browser, and result.json there.")
def command(
    subject: Subject,
    traces: int,
    engine: str,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Take random runs of PROTOCOL. Each run branches off from a state of an earlier one, to states not yet seen.

    Simulation finds shallow bugs quickly where a full search takes too long, and shows which actions occur at all. A
    violation found is real. No step of its run can be left out, but the run need not be a shortest one. Finding no
    violation proves nothing.
    """
    from epochal.api.simulate import simulate
    from epochal.report.progress import SIMULATION

    repeated, folder = chosen_cross_check(cross_check, engine), output.folder()
    if traces and folder is None:
        raise UsageError("--traces says how many runs to write, and nothing where", "Add --out DIR.")
    result = output.ask_about(
        subject, simulate, telling=SIMULATION, traces=traces, engine=engine, cross_check=repeated, **asked
    )
    return output.show(result, [] if folder is None else result.write(folder))
