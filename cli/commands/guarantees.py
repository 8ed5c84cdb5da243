"""`epochal guarantees`: which faults break which guarantee of Kafka, for given settings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from epochal.api.options import KEYWORDS

from ..app.command import ProtocolCommand, begun_at
from ..app.options import Output, complete_protocol, option, options, output

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


BOUNDS = {"replication_factor": 3, "records": 1, "max_epoch": 3, "metadata_lag": 2, "shrinks": 1, "elections": 1}
"""As `spec.kraft.guarantees.BOUNDS`, which the help does not import; a test holds them together."""

FAULTS = (
    *("none", "clean", "two-clean", "fencing", "lossy-spared", "lossy", "lossy-and-clean", "two-lossy", "unclean"),
)
"""The faults by id, likewise."""


class FaultType(click.ParamType[str]):
    """A fault by its id, or a budget of one's own: `crashes=2,lossy_crashes=1`."""

    name = "fault"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in FAULTS and "=" not in value:
            from epochal.spec.language.errors import advice

            self.fail(f"there is no fault {value[:40]!r}. {advice(value, FAULTS, 'faults')}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(fault) for fault in FAULTS if fault.startswith(incomplete)]


fault_option = option(
    "faults", replace(KEYWORDS["faults"], help=str(KEYWORDS["faults"].help).format(", ".join(FAULTS))), type=FaultType()
)


def both_versions(older: str | None, newer: str | None) -> tuple[str, ...]:
    """What --from and --to say together. Raises UsageError for one alone."""
    if (older is None) != (newer is None):
        raise click.UsageError("--from and --to go together: a version each, such as --from 3.9 --to 4.3")
    return (older, newer) if older and newer else ()


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
