"""`epochal guarantees`: which faults break which promise of Kafka, for given settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from ..app.command import ProtocolCommand
from ..app.groups import Output, output
from ..app.options import budget_option, complete_protocol, workers_option
from ..app.patience import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

BOUNDS = {
    "replication_factor": 3,
    "records": 1,
    "max_epoch": 3,
    "metadata_lag": 2,
    "shrinks": 1,
    "elections": 1,
}
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
            from epochal.spec.language.suggestions import advice

            self.fail(f"there is no fault {value[:40]!r}. {advice(value, FAULTS, 'faults')}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(fault) for fault in FAULTS if fault.startswith(incomplete)]


@click.command(
    "guarantees",
    cls=ProtocolCommand,
    usual="kraft",
    bounds=BOUNDS,
    examples=(
        "epochal guarantees",
        "epochal guarantees --kafka 3.9 --acks 1 --min-insync-replicas 1",
        "epochal guarantees --from 3.9 --to 4.3",
        "epochal guarantees --fault none --story",
        "epochal guarantees --fault crashes=2,fencings=1 --replication-factor 2 --out found",
        "epochal guarantees --matrix --acks all --min-insync-replicas 2 --no-unclean-leader-election",
    ),
)
@click.argument("protocol", metavar="[PROTOCOL]", required=False, shell_complete=complete_protocol)
@click.option("--from", "older", metavar="VERSION", help="Compare two versions: this one, and that of --to.")
@click.option("--to", "newer", metavar="VERSION", help="The other version, as with --kafka.")
@click.option(
    "--against",
    metavar="PROTOCOL",
    shell_complete=complete_protocol,
    help="Show only what this protocol promises otherwise: kraft, say, for a change to it.",
)
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
    type=FaultType(),
    metavar="ID",
    help=f"Ask about this fault only; may be repeated: {', '.join(FAULTS)}; or a budget of your own, such as "
    "crashes=2,lossy_crashes=1,fencings=1.",
)
@click.option("--story", "stories", is_flag=True, help="Tell the shortest run of every NO.")
@budget_option
@workers_option
@output("Write the shortest run of every NO to this folder, as ITF and as a story.")
def command(
    subject: Subject,
    older: str | None,
    newer: str | None,
    against: str | None,
    varied: bool,
    chosen: tuple[str, ...],
    stories: bool,
    budget: float | None,
    workers: int | None,
    output: Output,
) -> int:
    """Say what Kafka promises under which faults, each answer decided by a search.

    PROTOCOL is kraft, or path/to/file.py:Name for a change to it, which derives from ConfigurableKraft. Settings are
    Kafka's own; what is not said is acks=all and min.insync.replicas=2.

    Two columns stand beside each other: a version as it was shipped, the newest one without --kafka, with the holes
    found later; and the rules that it was designed with, without them. A generation as its KIPs describe it (--kafka G4
    to G9) stands alone. --budget is for all of it. Exit code 0: every question is decided, whatever the answer; 30: a
    budget left one open.
    """
    from epochal.door.guarantees import guarantees
    from epochal.door.question import as_far_as_it_came
    from epochal.spec.loading import load_protocol

    if (older is None) != (newer is None):
        raise click.UsageError("--from and --to go together: a version each, such as --from 3.9 --to 4.3")
    other = None if against is None else load_protocol(against, again=False)
    folder = output.folder()

    def told(text: str) -> None:
        if output.progress != "none":
            click.echo(f"searching: {text}", err=True)

    with output.reporting() as report:
        result = as_far_as_it_came(
            guarantees,
            subject.protocol,
            faults=chosen,
            versions=(older, newer) if older and newer else (),
            against=None if other is None else other(),
            varied=varied,
            budget=budget,
            begun=begun_at(),
            workers=workers,
            runs=folder is not None,
            stories=stories,
            progress=report,
            tell=told,
        )
    return output.show(result, result.write_runs(folder.path) if folder is not None else [])
