"""`epochal export`: the states of a search that was kept, as tables for SQL."""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, printed


@click.command(
    "export",
    cls=EpochalCommand,
    examples=("epochal check kip-320 --max-epoch 1 --checkpoint run", "epochal export run --to parquet --out tables"),
)
@click.argument("run", metavar="RUN")
@options("to out", of="export")
@click.option(
    "--protocol",
    metavar="REFERENCE",
    help="The protocol that the search was of, with its settings: 'kraft --kafka 3.9', or FILE:NAME, which is loaded "
    "and run. A registered protocol without settings needs none.",
)
@options("questions")
@printed
def command(run: str, output: Output, **asked: Any) -> int:
    """Write every state of a search as a table, and its levels, findings and runs as further tables.

    RUN is the folder of 'epochal check --checkpoint', or the --storage of a search on Spark: a path, or a URI that
    pyarrow.fs knows. An incomplete search is exported up to where it stopped; the report and the table runs say so.

    The table states has one decoded column for each field of the state, and: level, the length of a shortest path to
    the state; action and step, the last step of that path; state and parent, the hashes of the state and its
    predecessor. Rows are sorted by level and state. The same search gives the same bytes with every engine. Exit code
    0: the tables are written; 2: RUN is no search, or a search of other rules; 153: the target cannot be written.
    """
    from epochal.api.export import TELLING, export

    return output.show(output.ask(export, run, telling=TELLING, **asked))
