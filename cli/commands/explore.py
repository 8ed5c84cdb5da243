"""`epochal explore`: step through a protocol in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from epochal.errors import not_installed

from ..app.explored import ExploreCommand, Place, place_of
from ..app.options import trace_protocols_option

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
@trace_protocols_option
@click.option("--beside", metavar="PROTOCOL", help="Another protocol that takes the same steps, until it refuses.")
@click.option("--port", type=click.IntRange(1, 65535), metavar="N", help="The port; the usual one is 8737.")
@click.option("--read-only", is_flag=True, help="Search nothing, and evaluate no expressions: steps alone.")
@click.option("--no-browser", is_flag=True, help="Say where it is, and open no browser.")
def command(
    subject: Subject | None,
    protocols: tuple[str, ...],
    beside: str | None,
    port: int | None,
    read_only: bool,
    no_browser: bool,
    protocol: str | None = None,
) -> None:
    """Step through a protocol in the browser: take steps, branch, ask, and search from where you are.

    PROTOCOL is a registered name or path/to/file.py:Name, within bounds as for 'epochal check'; TRACE a run that was
    found (ITF), of which the last state is looked at; ADDRESS one of an explorer, which somebody has sent. Without any,
    the page begins with all protocols.

    The explorer listens on this machine alone, and answers who has its token: the address that it prints. An address of
    a page is a whole run. Files run because they are named here (PROTOCOL, --protocol), never because an address or a
    trace names them. It needs 'epochal[explore]'; Ctrl-C ends it, with exit code 0.
    """
    place: Place = place_of(subject, protocol, protocols, beside)
    try:
        from epochal.explorer.serving import serve
    except ModuleNotFoundError as missing:
        raise not_installed("the explorer", str(missing.name), "explore") from missing
    serve(place.shelf, place.path, port, read_only, not no_browser, tell=click.echo)
