"""`epochal liveness`: check liveness properties, and show which fairness they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from ..app.command import ProtocolCommand
from ..app.options import Output, chosen_cross_check, engine_option, options, output, protocol_argument, refuse_workers

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "liveness",
    cls=ProtocolCommand,
    examples=(
        "epochal liveness balancing-kraft --brokers 2 --needs",
        "epochal liveness balancing-kraft --brokers 2 --failures 1 --unfair rejoin",
    ),
)
@protocol_argument
@options("properties", engine_option, "workers optional fair unfair needs cross_check budget max_states max_memory")
@output("Write result.json, and the run (ITF) for each violated liveness property, to this folder.")
def command(
    subject: Subject, engine: str, cross_check: int | Literal["all", "off"] | None, output: Output, **asked: Any
) -> int:
    """Explore every reachable state of PROTOCOL within its bounds, and check liveness properties (leads_to).

    With --needs each liveness property is checked again without each of its fairness assumptions, one at a time, and
    without any. That is cheap: states and steps are computed once. Exit code 0: all liveness properties hold; 13: one
    is violated under its assumptions; 30: liveness could not be checked.
    """
    from epochal.api.check import liveness

    refuse_workers(engine)
    folder = output.folder()
    result = output.ask_about(
        subject, liveness, engine=engine, cross_check=chosen_cross_check(cross_check, engine), **asked
    )
    return output.show(result if folder is None else result.naming(result.write(folder)))
