"""`epochal new`: a specification of one's own to start from."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Final

import click

from epochal.errors import UsageError

from ..app.command import EpochalCommand

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
def command(file: Path, source: str) -> None:
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
