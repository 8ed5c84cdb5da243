"""Every state of a small protocol as a picture, of a large one as tables, and many queries as a table."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from epochal.report.page import shown_text

from ..app.command import EpochalCommand, ProtocolCommand
from ..app.options import Output, options, printed, protocol_argument

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
def graph_command(subject: Subject, output_format: str, limit: int, all_fields: bool, out: Path | None) -> int:
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
def export_command(run: str, output: Output, **asked: Any) -> int:
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


@click.command(
    "export-tla",
    cls=ProtocolCommand,
    examples=(
        "epochal export-tla kip-320 --replicas 2 --max-epoch 1 --out tla",
        "epochal export-tla quorum --voters 3 --symmetry --out tla",
    ),
)
@protocol_argument
@options("symmetry")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Write Name.tla and Name.cfg into this folder. Without it the module is printed.",
)
def export_tla_command(subject: Subject, symmetry: bool, out: Path | None) -> int:
    """Write PROTOCOL within its bounds in TLA+: a module, and a configuration with which TLC checks it.

    The module has the names and the docstrings of the specification: an operator for each action, each helper that
    changes nothing, and each property. Liveness properties stand with the fairness that they assume. What must be
    reachable is a property that TLC refutes, and is left out of the configuration. With --symmetry TLC, too, explores
    one of all states that differ only by a permutation of identifiers. Exit code 0: the module is written; 120: the
    protocol has a construct that TLA+ cannot say exactly, and the message names its line.
    """
    from epochal.api.export_tla import export_tla
    from epochal.report.page import open_page

    result = export_tla(subject.protocol, symmetry=symmetry, reference=subject.reference)
    if out is None:
        click.echo(shown_text(result.module.text), nl=False)
        return result.exit_code
    result.render(open_page(sys.stdout), [str(file) for file in result.save(out)])
    return result.exit_code


@click.command(
    "sweep",
    cls=EpochalCommand,
    examples=(
        "epochal sweep examples/sweep.toml --out swept",
        "epochal sweep examples/sweep.toml --out swept --to parquet --workers 2",
    ),
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, readable=True, path_type=Path))
@options("out to engine master workers budget", of="sweep")
@printed
def sweep_command(file: Path, output: Output, **asked: Any) -> int:
    """Run the questions of FILE, one task for each combination of its choices, and write a table of answers.

    FILE is TOML or JSON with tables [[task]]: check = 'kip-320', or prove, mutate, simulate, guarantees, catalogue;
    with bounds, settings and options. A list is a choice: bounds = { max-epoch = [1, 2] } makes two tasks. Each task is
    one native search, one proof or one batch of random runs, on one core.

    Each answer is stored at once, under the content of its question. Another run does the missing tasks, also after
    Ctrl-C or --budget. The table results has a row for each task and property, and the same bytes wherever the tasks
    ran; the table measures has the time and memory of each task. Exit code 0: every task is answered, whatever the
    answers; 30: some are not; 151: FILE has a mistake; 153: a process was lost; otherwise the code of a refused task.
    """
    from epochal.sweeps.sweep import TELLING, sweep

    return output.show(output.ask(sweep, file, telling=TELLING, **asked))
