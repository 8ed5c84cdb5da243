"""`epochal guarantees`: which faults break which guarantee of Kafka, for given settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..app.command import ProtocolCommand
from ..app.faults import BOUNDS, both_versions, fault_option
from ..app.options import Output, complete_protocol, options, output
from ..app.quantities import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "guarantees",
    cls=ProtocolCommand,
    usual="kraft",
    bounds=BOUNDS,
    examples=(
        "epochal guarantees",
        "epochal guarantees --kafka 3.9 --acks 1 --min-insync-replicas 1",
        "epochal guarantees --from 3.9 --to 4.3",
        "epochal guarantees --fault fencing --causes",
        "epochal guarantees --fault clean --fault two-clean --recovery",
        "epochal guarantees --kafka G9 --fault lossy-and-clean --replication-factor 2 --story",
        "epochal guarantees --kafka G9 --fault crashes=2,fencings=1 --replication-factor 2 --out found",
        "epochal guarantees --matrix --acks all --min-insync-replicas 2 --no-unclean-leader-election",
    ),
)
@click.argument("protocol", metavar="[PROTOCOL]", required=False, shell_complete=complete_protocol)
@click.option("--from", "older", metavar="VERSION", help="The older version of a comparison; needs --to.")
@click.option("--to", "newer", metavar="VERSION", help="The newer version, as with --kafka.")
@click.option(
    "--against",
    metavar="PROTOCOL",
    shell_complete=complete_protocol,
    help="Show only the differences from the guarantees of this protocol: kraft, say, for a change to it.",
)
@options("varied", fault_option, "stories causes recovery budget workers", of="guarantees")
@output("Write the shortest run of every NO to this folder, as ITF and as a story.")
def command(subject: Subject, older: str | None, newer: str | None, output: Output, **asked: Any) -> int:
    """Report what Kafka guarantees under which faults. A search decides each answer.

    PROTOCOL is kraft, or path/to/file.py:Name for a change to it that derives from ConfigurableKraft. Settings are
    Kafka's own; the defaults are acks=all and min.insync.replicas=2.

    The report has two columns: a version as it was shipped (the newest without --kafka), with the bugs found later, and
    the design of that version without them. A generation as its KIPs describe it (--kafka G4 to G9) has one column.
    --budget covers all searches. Exit code 0: every question is decided, whatever the answer; 30: a budget left one
    open.
    """
    from epochal.api.guarantees import guarantees

    folder = output.folder()

    def told(text: str) -> None:
        if output.progress != "none":
            click.echo(f"searching: {text}", err=True)

    result = output.ask(
        guarantees,
        subject.protocol,
        versions=both_versions(older, newer),
        runs=folder is not None,
        tell=told,
        begun=begun_at(),
        **asked,
    )
    return output.show(result, result.write_runs(folder.path) if folder is not None else [])
