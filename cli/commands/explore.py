"""`epochal explore`: step through a protocol in the browser."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from epochal.errors import UsageError, not_installed

from ..app.command import EpochalCommand, ProtocolCommand, chosen_protocol, positional
from ..app.options import options

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

    from ..explorer.walk import Shelf


@dataclass(frozen=True)
class Place:
    """Where the explorer begins: the page, and the protocols of files that it may open."""

    path: str
    shelf: Shelf


class ExploreCommand(ProtocolCommand):
    """A command about a protocol, whose bounds are options then; or about a trace, an address, or nothing yet."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        name = None if ctx.resilient_parsing else positional(args, self.params)
        if name is None or is_address(name) or is_trace(name):
            return EpochalCommand.parse_args(self, ctx, args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        if chosen_protocol(ctx) is not None:
            return super().invoke(ctx)
        ctx.params["subject"] = None
        return EpochalCommand.invoke(self, ctx)


def is_trace(name: str) -> bool:
    """Whether an argument is a file that is no Python file."""
    return name.endswith(".json") or (".py" not in name and Path(name).is_file())


def is_address(name: str) -> bool:
    """Whether an argument is an address of an explorer."""
    return name.startswith(("http://", "https://")) or "?p=" in name


def place_of(subject: Subject | None, said: str | None, protocols: tuple[str, ...], beside: str | None) -> Place:
    """Where to begin. Raises EpochalError for a trace or an address that is none."""
    from epochal.spec.language.configurable import split_reference, without_settings
    from epochal.spec.loading import load_protocol
    from epochal.spec.registry import is_registered

    from ..explorer.walk import Address, Opened, Shelf, address_of, read_address

    others = [one for one in (*protocols, *([beside] if beside else [])) if not is_registered(split_reference(one)[0])]
    named = {split_reference(one)[0]: load_protocol(split_reference(one)[0]) for one in others}
    if subject is not None:
        name, _ = split_reference(subject.reference)
        if not is_registered(name):
            named[name] = without_settings(type(subject.protocol))
        address = Address(subject.reference, Opened(subject.reference, subject.protocol).own_bounds)
    elif said is None:
        return Place("/", Shelf(named))
    elif is_address(said):
        address = read_address(urlsplit(said).query)
    else:
        from epochal.checker.trace.itf_reader import TraceReader

        trace = TraceReader(protocols).read(_existing(Path(said)))
        reference = str(trace.facts["protocol"])
        address = address_of(trace, Opened(reference, trace.protocol))
    shelf = Shelf(named)
    if address.protocol:
        shelf.open(address.protocol, address.bounds)  # what cannot be opened is said here, and not in the browser
    if beside:
        shelf.kind(beside)
        address = address.beside_of(beside)
    return Place(f"/run?{address.query()}" if address.protocol else "/", shelf)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"there is no trace {path}", "Write PROTOCOL, path/to/trace.itf.json or an address.")
    return path


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
