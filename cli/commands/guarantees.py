"""`epochal guarantees`: which faults break which promise of Kafka, for given settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..app.command import ProtocolCommand
from ..app.groups import Output, output
from ..app.options import budget_option, complete_protocol, workers_option
from ..app.patience import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

BOUNDS = {
    "replication_factor": 3,
    "records": 2,
    "max_epoch": 3,
    "metadata_lag": 1,
    "shrinks": 1,
    "elections": 0,
}
"""As `spec.kraft.guarantees.BOUNDS`, which the help does not import; a test holds them together."""

FAULTS = (
    *("none", "clean", "two-clean", "fencing", "lossy-spared", "lossy", "lossy-and-clean", "two-lossy", "unclean"),
)
"""The faults by id, likewise."""


@click.command(
    "guarantees",
    cls=ProtocolCommand,
    usual="kraft",
    bounds=BOUNDS,
    examples=(
        "epochal guarantees",
        "epochal guarantees --kafka 3.9 --acks 1 --min-insync-replicas 1",
        "epochal guarantees --matrix --acks all --min-insync-replicas 2 --no-unclean-leader-election --records 1",
        "epochal guarantees --fault lossy --fault lossy-and-clean --replication-factor 2 --records 1 --out found",
    ),
)
@click.argument("protocol", metavar="[PROTOCOL]", required=False, shell_complete=complete_protocol)
@click.option(
    "--matrix",
    "varied",
    is_flag=True,
    help="Vary generation, acks, min.insync.replicas and unclean election, those that are not given. Takes minutes.",
)
@click.option(
    "--fault",
    "chosen",
    multiple=True,
    type=click.Choice(FAULTS),
    metavar="ID",
    help=f"Ask about this fault only; may be repeated: {', '.join(FAULTS)}.",
)
@budget_option
@workers_option
@output("Write the shortest run of every NO to this folder, as ITF and as a story.")
def command(
    subject: Subject,
    varied: bool,
    chosen: tuple[str, ...],
    budget: float | None,
    workers: int | None,
    output: Output,
) -> int:
    """Say what Kafka promises under which faults, each answer decided by a search.

    PROTOCOL is kraft, or path/to/file.py:Name for a change to it, which derives from ConfigurableKraft. Settings are
    Kafka's own; without any they are those of the newest version with acks=all and min.insync.replicas=2. --kafka takes
    a generation as its KIPs describe it (G4 to G9), or a version as it was shipped, with the holes found later.
    --budget is for all of it. Exit code 0: every question is decided, whatever the answer; 30: a budget left one open.
    """
    from epochal.door.guarantees import guarantees
    from epochal.door.question import as_far_as_it_came

    folder = output.folder()

    def told(text: str) -> None:
        if output.progress != "none":
            click.echo(f"searching: {text}", err=True)

    with output.reporting() as report:
        result = as_far_as_it_came(
            guarantees,
            subject.protocol,
            faults=chosen,
            varied=varied,
            budget=budget,
            begun=begun_at(),
            workers=workers,
            runs=folder is not None,
            progress=report,
            tell=told,
        )
    return output.show(result, result.write_runs(folder.path) if folder is not None else [])
