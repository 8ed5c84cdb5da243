"""`epochal list`: the registered protocols."""

from __future__ import annotations

import sys

import click

from ..app.command import EpochalCommand


@click.command("list", cls=EpochalCommand, examples=("epochal list",))
def command() -> None:
    """List the protocols that can be checked by name."""
    from epochal.render.page import open_page
    from epochal.render.protocol import render_list
    from epochal.spec.registry import REGISTRY, registered

    render_list(open_page(sys.stdout), [registered(name) for name in REGISTRY])
