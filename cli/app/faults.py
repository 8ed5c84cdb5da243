"""What `epochal guarantees` asks besides settings: which faults, and which protocols beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click
from click.shell_completion import CompletionItem

from .options import complete_protocol, packed

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


@dataclass(frozen=True)
class Faults:
    """Which faults are asked about, and what is wanted beside each NO."""

    chosen: tuple[str, ...]
    stories: bool
    causes: bool
    recovery: bool


faults = packed(
    Faults,
    "faults",
    click.option(
        "--fault",
        "chosen",
        multiple=True,
        type=FaultType(),
        metavar="ID",
        help=f"Check only this fault. May be repeated: {', '.join(FAULTS)}; or a budget of your own, such as "
        "crashes=2,lossy_crashes=1,fencings=1.",
    ),
    click.option("--story", "stories", is_flag=True, help="Show the shortest run of every NO."),
    click.option(
        "--causes",
        is_flag=True,
        help="Find the causes of every NO: close the known bugs behind it one after the other, and decide it again.",
    ),
    click.option(
        "--recovery",
        is_flag=True,
        help="Show what recovers without an operator after each fault: a leader, writes with acks=all, the full ISR. "
        "For usual settings the answers come with the package; others take a search, 5 to 100 seconds for each fault.",
    ),
)
"""Which faults are asked about, and whether the runs and what is beneath are told."""


@dataclass(frozen=True)
class Beside:
    """What stands beside each other: two versions, a protocol to compare with, or many settings."""

    older: str | None
    newer: str | None
    against: str | None
    varied: bool

    @property
    def versions(self) -> tuple[str, ...]:
        """The two versions, if there are any. Raises UsageError for one alone."""
        if (self.older is None) != (self.newer is None):
            raise click.UsageError("--from and --to go together: a version each, such as --from 3.9 --to 4.3")
        return (self.older, self.newer) if self.older and self.newer else ()


beside = packed(
    Beside,
    "beside",
    click.option("--from", "older", metavar="VERSION", help="The older version of a comparison; needs --to."),
    click.option("--to", "newer", metavar="VERSION", help="The newer version, as with --kafka."),
    click.option(
        "--against",
        metavar="PROTOCOL",
        shell_complete=complete_protocol,
        help="Show only the differences from the guarantees of this protocol: kraft, say, for a change to it.",
    ),
    click.option(
        "--matrix",
        "varied",
        is_flag=True,
        help="Vary generation, acks, min.insync.replicas and unclean election, unless they are given. Takes minutes.",
    ),
)
"""--from and --to, --against, --matrix."""
