"""`epochal baseline`: what `epochal gate add`, `approve` and `show` were called before. It is kept, and not listed."""

from __future__ import annotations

import click

from ..app.command import EpochalGroup
from .gate import add, approve, show


@click.group(
    "baseline",
    cls=EpochalGroup,
    examples=("epochal gate add kip-320 --max-epoch 1", "epochal gate approve", "epochal gate show"),
)
def command() -> None:
    """Record, show or extend the behaviour that is approved: the former name of 'epochal gate add, approve, show'."""


command.add_command(add)
command.add_command(approve, "update")
command.add_command(show)
