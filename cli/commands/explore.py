"""`epochal explore`: step through a protocol in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from epochal.errors import not_installed

from ..app.explored import ExploreCommand, Place, place_of
from ..app.options import options

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "explore",
    cls=ExploreCommand,
    examples=(
        "epochal explore",
        "epochal explore kip-320 --replicas 3",
        "epochal explore counterexamples/kip-279-strong-isr.itf.json --beside kip-320",
        "epochal explore mine.py:MyVariant --no-browser --port 8737",
    ),
)
@click.argument("protocol", metavar="[PROTOCOL|TRACE|ADDRESS]", required=False)
@options("protocols")
@click.option("--beside", metavar="PROTOCOL", help="Another protocol that takes the same steps, until it refuses one.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="The port. Default: 8737.")
@click.option("--read-only", is_flag=True, help="Allow steps only: no searches and no expressions.")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
def command(
    subject: Subject | None,
    protocols: tuple[str, ...],
    beside: str | None,
    port: int | None,
    read_only: bool,
    no_browser: bool,
    protocol: str | None = None,
) -> None:
    """Step through a protocol in the browser: take steps, branch, evaluate expressions, and start searches.

    PROTOCOL is a registered name or path/to/file.py:Name, with bounds as for 'epochal check'. TRACE is a stored run
    (ITF), opened at its last state. ADDRESS is a link from another explorer. Without an argument the page lists all
    protocols.

    The explorer listens on this machine only, and answers only requests with its token, which the printed address
    contains. An address of a page encodes a whole run. Files run because you name them here (PROTOCOL, --protocol),
    never because an address or a trace names them. The command needs 'epochal[explore]'. Ctrl-C stops it, with exit
    code 0.
    """
    place: Place = place_of(subject, protocol, protocols, beside)
    try:
        from ..explorer.server import serve
    except ModuleNotFoundError as missing:
        raise not_installed("the explorer", str(missing.name), "explore") from missing
    serve(place.shelf, place.path, port, read_only, not no_browser, tell=click.echo)
