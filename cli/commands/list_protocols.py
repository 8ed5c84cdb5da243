"""`epochal list`: the registered protocols."""

from __future__ import annotations

import json
import sys
from typing import Final

import click

from ..app.command import EpochalCommand
from ..app.options import options

FAMILY_NAMES: Final = ("classic", "kraft", "quorum", "zookeeper", "epoch_cache", "balancing")
"""As `spec.registry.FAMILIES`, which the help does not import; a test holds them together."""


@click.command(
    "list",
    cls=EpochalCommand,
    examples=("epochal list", "epochal list --family kraft", "epochal list --format json"),
)
@click.option("--family", type=click.Choice(FAMILY_NAMES), help="Only the protocols of this family.")
@options("output_format")
def command(family: str | None, output_format: str) -> None:
    """List the protocols that can be checked by name, by family, and where to start."""
    from epochal.report.page import open_page
    from epochal.report.protocol import list_document, render_list
    from epochal.spec.registry import REGISTRY, family_of

    names = [name for name in REGISTRY if family is None or family_of(name) == family]
    if output_format == "json":
        click.echo(json.dumps(list_document(names), indent=1))
    else:
        render_list(open_page(sys.stdout), names)
