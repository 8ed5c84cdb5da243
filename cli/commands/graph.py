"""`epochal graph`: the whole state space of a small protocol, as a picture."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from epochal.report.page import shown_text

from ..app.command import ProtocolCommand
from ..app.options import options, protocol_argument

if TYPE_CHECKING:
    from epochal.api.graph import GraphResult
    from epochal.spec.loading import Subject

SMALL: Final = "epochal graph kip-320 --replicas 2 --log-size 1 --records 1 --max-epoch 0"


@click.command(
    "graph",
    cls=ProtocolCommand,
    examples=(
        f"{SMALL} --out states.dot",
        f"{SMALL} --format graphml --out states.graphml",
        "epochal graph truncate-to-hw --replicas 2 --log-size 1 --records 1 --max-epoch 1 --limit 400 --out states.dot",
    ),
)
@protocol_argument
@click.option(
    "--format",
    "output_format",
    type=click.Choice(("dot", "graphml", "json")),
    default="dot",
    show_default=True,
    help="dot for Graphviz, graphml for yEd and Gephi, json for plain data.",
)
@options("limit all_fields", of="graph")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write the graph to this file."
)
def command(subject: Subject, output_format: str, limit: int, all_fields: bool, out: Path | None) -> int:
    """Draw every reachable state of PROTOCOL within its bounds, and every step between them.

    Each box shows how a state differs from the state that first led to it. Initial states have a double border;
    violations are red. 'dot -Tsvg states.dot -o states.svg' makes a picture. Graphs of more than --limit states, some
    two hundred, are refused. Exit code 12: a state violates a property.
    """
    from epochal.api.graph import graph
    from epochal.checker.base.files import write_atomically, writing

    result = graph(subject.protocol, limit=limit, all_fields=all_fields, reference=subject.reference)
    text = _as(result, output_format)
    if out is None:
        click.echo(shown_text(text), nl=False)
        return result.exit_code
    with writing(out):
        write_atomically(out, text)
    from epochal.report.page import open_page

    result.render(open_page(sys.stdout), [str(out)])
    return result.exit_code


def _as(result: GraphResult, output_format: str) -> str:
    if output_format == "dot":
        return result.to_dot()
    return result.to_graphml() if output_format == "graphml" else json.dumps(result.to_dict(), indent=1) + "\n"
