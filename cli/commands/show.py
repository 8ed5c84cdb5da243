"""`epochal show`: one protocol, as its specification declares it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..app.command import ProtocolCommand
from ..app.options import protocol_argument

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "show",
    cls=ProtocolCommand,
    examples=(
        "epochal show kip-320",
        "epochal show kip-320 --replicas 5 --log-size 3",
        "epochal show kraft --kafka 3.5 --acks 1",
        "epochal show quorum --unbounded",
    ),
)
@protocol_argument
@click.option(
    "--unbounded", is_flag=True, help="For each rule, show whether prove --unbounded can translate it, or why not."
)
def command(subject: Subject, unbounded: bool) -> None:
    """Show a protocol: its purpose, bounds, state, actions and properties, and the size of a state.

    PROTOCOL is a registered name, or path/to/file.py:Name for a protocol of your own. The settings of a configurable
    protocol are options of every command, and can also follow its name: 'kraft --kafka 3.5'.
    """
    from epochal.report.page import open_page
    from epochal.report.protocol import render_protocol, render_readable

    if unbounded:
        render_readable(open_page(sys.stdout), subject.protocol)
        return
    render_protocol(open_page(sys.stdout), subject.protocol, subject.reference)
