"""What `epochal guarantees` asks besides settings: which faults, and which protocols beside each other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
from click.shell_completion import CompletionItem

from epochal.api.options import KEYWORDS

from .options import option

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
            from epochal.spec.language.errors import advice

            self.fail(f"there is no fault {value[:40]!r}. {advice(value, FAULTS, 'faults')}", param, ctx)
        return str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        return [CompletionItem(fault) for fault in FAULTS if fault.startswith(incomplete)]


fault_option = option(
    "faults",
    replace(KEYWORDS["faults"], help=str(KEYWORDS["faults"].help).format(", ".join(FAULTS))),
    type=FaultType(),
)


def both_versions(older: str | None, newer: str | None) -> tuple[str, ...]:
    """What --from and --to say together. Raises UsageError for one alone."""
    if (older is None) != (newer is None):
        raise click.UsageError("--from and --to go together: a version each, such as --from 3.9 --to 4.3")
    return (older, newer) if older and newer else ()
