"""`epochal prove`: show by induction that properties hold after any number of steps."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.command import ProtocolCommand
from cli.options import format_option, properties_option, protocol_argument

if TYPE_CHECKING:
    from cli.load import Subject


@click.command(
    "prove",
    cls=ProtocolCommand,
    examples=(
        "epochal prove kip-320-proof --max-epoch 1",
        "epochal prove kip-320-proof --property strong_isr --replicas 2 --format json",
        "epochal prove kip-279-proof --max-epoch 1 --out found",
    ),
)
@protocol_argument
@properties_option
@click.option(
    "--rlimit",
    type=click.IntRange(min=1, max=2**32 - 1),
    metavar="N",
    help="Z3's resource units for each obligation: the same effort on every machine. Default: 100 million.",
)
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write result.json and a trace (ITF) for each action and lemma that fail to this folder.",
)
def command(
    subject: Subject, properties: tuple[str, ...], rlimit: int | None, output_format: str, out: Path | None
) -> int:
    """Prove the invariants of PROTOCOL from its lemmas: at these bounds, for any number of steps.

    Every lemma must hold initially, every action must preserve each of them where all hold, and together they must
    imply the invariant. A step that breaks a lemma is shown as a counterexample to induction: its first state satisfies
    all lemmas, but need not be reachable. Exit code 0: proved; 32: a counterexample to induction; 31: the solver gave
    up; 12: a lemma is false in an initial state.
    """
    from checker.solver.matrix import matrix, told
    from checker.trace.text import story
    from cli.artifacts import OutputFolder
    from cli.engines import prover
    from cli.render.page import open_page
    from cli.render.proof_json import proof_document
    from cli.render.proof_text import render_proof
    from cli.traces import replay_all

    protocol = subject.protocol
    prove = prover(protocol, properties)
    folder = OutputFolder(out) if out is not None else None
    found = prove(rlimit)
    facts: dict[str, str | int | bool] = {"protocol": subject.reference, "engine": "z3"}
    answers = tuple(
        replace(a, trace=replace(a.trace, facts=facts)) if a.trace is not None else a for a in found.answers
    )
    result = replace(found, answers=answers)
    cells = matrix(result)
    shown = {
        f"{cell.row}-{cell.column}": cell.shown.trace
        for cell in cells
        if cell.shown is not None and cell.shown.trace is not None
    }
    replayed = replay_all(protocol, shown.values(), result.model)
    document = proof_document(result, subject.reference, replayed.readings)
    files: list[str] = []
    if folder is not None:
        files = [str(folder.write_trace(protocol.name, name, trace)) for name, trace in shown.items()]
        files.append(str(folder.write_document("result.json", document)))
    if output_format == "json":
        click.echo(json.dumps(document, indent=1))
        return result.exit_code
    first = told(cells)
    trace = first.shown.trace if first is not None and first.shown is not None else None
    render_proof(open_page(sys.stdout), result, story(trace) if trace is not None else [], replayed.sentence, files)
    return result.exit_code
