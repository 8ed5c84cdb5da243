"""`epochal lockstep catalogue`: each known hole on this Kafka."""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


@click.command(
    "catalogue",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep catalogue --kafka 4.3.1 --traces counterexamples",
        "epochal lockstep catalogue N1 S15 --classpath 'libs/*'",
    ),
)
@click.argument("keys", metavar="[NAME]...", nargs=-1)
@options("kafka classpath classes fixes traces budget", of="lockstep_catalogue")
@output("Write the lines of every hole that was played (*.steps), and the answer as JSON.")
def command(keys: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Play the shortest run of each known hole on Kafka's own classes: is it shown, or closed, and at which step?

    NAMES are numbers of the catalogue, tickets, KIPs or Kafka versions; without any, all holes of kraft are played.
    What is to be expected is what the release's own model does with the run. Exit code 0: all as its model says; 12: a
    hole is shown that the model has closed; 21: one is not shown that is open in the model; 30: --budget was spent.
    """
    from epochal.api.lockstep_catalogue import lockstep_catalogue
    from epochal.report.lockstep import HolesTelling

    folder = output.folder()
    result = output.ask(lockstep_catalogue, *keys, telling=HolesTelling(), **asked)
    return output.show(result, [] if folder is None else result.write(folder))
