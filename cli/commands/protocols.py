"""`epochal list`, `show` and `new`: what there is to check, one protocol, and one of your own to start from."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from epochal.errors import UsageError

from ..app.command import EpochalCommand, ProtocolCommand
from ..app.options import options, protocol_argument

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


FAMILY_NAMES: Final = (
    *("classic", "kraft", "quorum", "zookeeper", "epoch_cache", "balancing"),
    *("transactions", "share_groups", "diskless"),
)
"""As `spec.registry.FAMILIES`, which the help does not import; a test holds them together."""


@click.command(
    "list", cls=EpochalCommand, examples=("epochal list", "epochal list --family kraft", "epochal list --format json")
)
@click.option("--family", type=click.Choice(FAMILY_NAMES), help="Only the protocols of this family.")
@options("output_format")
def list_protocols(family: str | None, output_format: str) -> None:
    """List the protocols that can be checked by name, by family, and where to start."""
    from epochal.report.page import open_page
    from epochal.report.protocol import list_document, render_list
    from epochal.spec.registry import REGISTRY, family_of

    names = [name for name in REGISTRY if family is None or family_of(name) == family]
    if output_format == "json":
        click.echo(json.dumps(list_document(names), indent=1))
    else:
        render_list(open_page(sys.stdout), names)


@click.command(
    "show",
    cls=ProtocolCommand,
    examples=(
        "epochal show kip-320",
        "epochal show kip-320 --replicas 5 --log-size 3",
        "epochal show kraft --kafka 3.5 --acks 1",
        "epochal show quorum --unbounded",
        "epochal show kip-101 --format json",
    ),
)
@protocol_argument
@click.option(
    "--unbounded", is_flag=True, help="For each rule, show whether prove --unbounded can translate it, or why not."
)
@options("output_format")
def show(subject: Subject, unbounded: bool, output_format: str) -> None:
    """Show a protocol: its purpose, bounds, state, actions and properties, and the size of a state.

    PROTOCOL is a registered name, or path/to/file.py:Name for a protocol of your own. The settings of a configurable
    protocol are options of every command, and can also follow its name: 'kraft --kafka 3.5'.
    """
    from epochal.report.page import open_page
    from epochal.report.protocol import protocol_document, render_protocol, render_readable

    if output_format == "json" and unbounded:
        raise UsageError("--format json is for the protocol; what can be translated is told as text.")
    if output_format == "json":
        click.echo(json.dumps(protocol_document(subject.protocol, subject.reference), indent=1))
    elif unbounded:
        render_readable(open_page(sys.stdout), subject.protocol)
    else:
        render_protocol(open_page(sys.stdout), subject.protocol, subject.reference)


SOURCES: Final = ("toy", "kip-320", "kraft")
"""As `spec.starting_files.FILES`, which the help does not import; a test holds them together."""

SMALL: Final = {
    "toy": "",
    "kip-320": " --max-epoch 1",
    "kraft": " --replication-factor 2 --records 1 --max-epoch 2 --symmetry",
}
"""The options of a first check that takes seconds."""


@click.command(
    "new",
    cls=EpochalCommand,
    examples=("epochal new mine.py", "epochal new variant.py --from kip-320", "epochal new modern.py --from kraft"),
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--from",
    "source",
    type=click.Choice(SOURCES),
    default=SOURCES[0],
    show_default=True,
    help="toy: a small protocol of its own; kip-320, kraft: a variant of that one.",
)
def new(file: Path, source: str) -> None:
    """Write a specification to start from: a commented file that can be checked at once.

    FILE must not exist yet.
    """
    from epochal.checker.base.files import write_atomically, writing
    from epochal.report.page import open_page
    from epochal.spec.starting_files import starting_file

    if file.suffix != ".py":
        raise UsageError(f"{file} is no name of a Python file.", f"Write {file}.py.")
    if file.exists():
        raise UsageError(f"{file} exists already, and is not written over.", "Give another name.")
    name, text = starting_file(source, str(file))
    with writing(file):
        write_atomically(file, text)
    page = open_page(sys.stdout)
    page.line(f"{file}: the protocol {name}, to be changed into your own")
    reference = shlex.quote(f"{file}:{name}")
    page.commands([f"epochal check {reference}{SMALL[source]}", f"epochal show {reference}"])
