"""`epochal prove`: show by induction that properties hold after any number of steps."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from epochal.cli.command import OwnOption, ProtocolCommand
from epochal.cli.options import (
    chosen_cross_check,
    cross_check_option,
    format_option,
    progress_option,
    properties_option,
    protocol_argument,
)

if TYPE_CHECKING:
    from epochal.checker.solver.houdini import Reduced
    from epochal.checker.trace.trace import Trace
    from epochal.spec.loading import Subject


@click.command(
    "prove",
    cls=ProtocolCommand,
    examples=(
        "epochal prove kip-320-proof --max-epoch 1",
        "epochal prove kip-320-proof --property strong_isr --replicas 2 --format json",
        "epochal prove kip-279-proof --max-epoch 1 --out found",
        "epochal prove kip-279-proof --replicas 2 --max-epoch 1 "
        "--houdini epochal.spec.classic.commit_history:CommitHistory",
        "epochal prove kip-320-proof --replicas 2 --max-epoch 1 --property strong_isr --minimize",
    ),
)
@protocol_argument
@properties_option
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=255),
    metavar="N",
    envvar="EPOCHAL_WORKERS",
    help="Solve in this many processes; the result is the same for any number. Default: one for each processor.",
)
@click.option(
    "--engine",
    cls=OwnOption,
    type=click.Choice(("local", "spark")),
    default="local",
    help="Where obligations are solved: in processes of this machine, or on the executors of a Spark cluster.",
)
@click.option("--master", metavar="URL", help="The Spark master, such as local[2] or spark://host:7077.")
@click.option("--no-cache", is_flag=True, help="Solve every obligation, also those that were solved before.")
@click.option(
    "--rlimit",
    type=click.IntRange(min=1, max=2**32 - 1),
    metavar="N",
    help="Z3's resource units for each obligation: the same effort on every machine. Default: 100 million.",
)
@click.option(
    "--max-states",
    cls=OwnOption,
    type=click.IntRange(min=0),
    metavar="N",
    help="Search so many states for the first states of counterexamples to induction; 0 for none. Default: 200,000.",
)
@click.option(
    "--houdini",
    "candidates",
    metavar="FILE|MODULE",
    help="Add the candidate lemmas of a Python file or module, then drop lemmas until the rest is inductive, and say "
    "which fell at which action. Candidates are functions marked @lemma that take self and return bool, as if they "
    "stood in the protocol; FILE:Class means the methods of a class.",
)
@click.option("--minimize", is_flag=True, help="Say which lemmas the proof does not need.")
@cross_check_option
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write result.json and a trace (ITF) for each action and lemma that fail to this folder.",
)
@progress_option
def command(
    subject: Subject,
    properties: tuple[str, ...],
    workers: int | None,
    engine: str,
    master: str | None,
    no_cache: bool,
    rlimit: int | None,
    max_states: int | None,
    candidates: str | None,
    minimize: bool,
    cross_check: int | Literal["all", "off"] | None,
    output_format: str,
    out: Path | None,
    progress: str,
) -> int:
    """Prove the invariants of PROTOCOL from its lemmas: at these bounds, for any number of steps.

    Every lemma must hold initially, every action must preserve each of them where all hold, and together they must
    imply the invariant. A step that breaks a lemma is shown as a counterexample to induction: its first state satisfies
    all lemmas, but need not be reachable; a search says whether it is. Exit code 0: proved; 32: a counterexample to
    induction; 31: the solver gave up; 12: a lemma is false in an initial state.
    """
    if candidates is not None and minimize:
        raise click.UsageError("--houdini and --minimize exclude each other: minimize what Houdini has kept.")
    if workers is not None and engine == "spark":
        raise click.UsageError("--workers is for --engine local; on Spark, --master says how many, as in local[2].")
    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    from epochal.cli.solver import require_solver

    repeated = chosen_cross_check(cross_check, "z3")
    require_solver()
    from epochal.checker.confirm import replay_all
    from epochal.checker.solver.matrix import matrix, told
    from epochal.checker.trace.text import story
    from epochal.cli.artifacts import OutputFolder
    from epochal.cli.candidates import with_candidates
    from epochal.cli.proofs import ProofOptions, proof
    from epochal.cli.render.page import open_page
    from epochal.cli.render.progress import PROOF, shown_progress
    from epochal.cli.render.proof_json import proof_document
    from epochal.cli.render.proof_text import render_proof

    protocol = subject.protocol if candidates is None else with_candidates(subject.protocol, candidates)
    folder = OutputFolder(out) if out is not None else None
    options = ProofOptions(
        properties,
        rlimit=rlimit,
        workers=workers,
        cached=not no_cache,
        engine=engine,
        master=master,
        houdini=candidates is not None,
        minimize=minimize,
        max_states=max_states,
        cross_check=repeated,
    )
    with shown_progress(progress, sys.stderr, PROOF) as report:
        found = _named(proof(protocol, options, report), subject.reference)
    cells = matrix(found.proof)
    shown: dict[str, Trace] = {}
    if candidates is None:  # a trace about a lemma that stands in no protocol could not be replayed
        shown = {
            f"{cell.row}-{cell.column}": cell.shown.trace
            for cell in cells
            if cell.shown is not None and cell.shown.trace is not None
        }
    replayed = replay_all(protocol, shown.values(), found.proof.model)
    document = proof_document(found, subject.reference, replayed.readings)
    files: list[str] = []
    if folder is not None:
        files = [str(folder.write_trace(protocol.name, name, trace)) for name, trace in shown.items()]
        files.append(str(folder.write_document("result.json", document)))
    if output_format == "json":
        click.echo(json.dumps(document, indent=1))
        return found.proof.exit_code
    first = told(cells)
    trace = first.shown.trace if first is not None and first.shown is not None else None
    render_proof(open_page(sys.stdout), found, story(trace) if trace is not None else [], replayed.sentence, files)
    return found.proof.exit_code


def _named(found: Reduced, reference: str) -> Reduced:
    """The same, whose traces say how their protocol is called and who found them."""
    answers = tuple(
        answer
        if answer.trace is None
        else replace(
            answer,
            trace=replace(answer.trace, facts={**answer.trace.facts, "protocol": reference, "engine": "z3"}),
        )
        for answer in found.proof.answers
    )
    return found.with_proof(replace(found.proof, answers=answers))
