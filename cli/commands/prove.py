"""`epochal prove`: show by induction that properties hold after any number of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from ..app.command import OwnOption, ProtocolCommand
from ..app.groups import Output, output
from ..app.options import chosen_cross_check, cross_check_option, properties_option, protocol_argument

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "prove",
    cls=ProtocolCommand,
    examples=(
        "epochal prove kip-320 --max-epoch 1",
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
@output("Write result.json and a trace (ITF) for each action and lemma that fail to this folder.")
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
    output: Output,
) -> int:
    """Prove that the invariants of PROTOCOL hold after any number of steps, at these bounds: by induction.

    Every lemma must hold initially, every action must preserve each of them where all hold, and together they must
    imply the invariant. A step that breaks a lemma is shown as a counterexample to induction: its first state satisfies
    all lemmas, but need not be reachable; a search says whether it is. A protocol whose proof needs history, such as
    kip-320, is proved in the one that has it (kip-320-proof), after their steps were compared. Exit code 0: proved; 32:
    a counterexample to induction; 31: the solver gave up; 12: a lemma is false in an initial state.
    """
    if candidates is not None and minimize:
        raise click.UsageError("--houdini and --minimize exclude each other: minimize what Houdini has kept.")
    if workers is not None and engine == "spark":
        raise click.UsageError("--workers is for --engine local; on Spark, --master says how many, as in local[2].")
    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    from epochal.door.prove import prove
    from epochal.render.progress import PROOF

    repeated = chosen_cross_check(cross_check, "z3")
    folder = output.folder()
    with output.reporting(PROOF) as report:
        result = prove(
            subject.protocol,
            properties=properties or None,
            candidates=candidates,
            minimize=minimize,
            engine=engine,
            master=master,
            workers=workers,
            cached=not no_cache,
            rlimit=rlimit,
            max_states=max_states,
            cross_check=repeated,
            progress=report,
            reference=subject.reference,
        )
    files: list[str] = []
    if folder is not None:
        name = result.proof.protocol.name
        files = [str(folder.write_trace(name, about, trace)) for about, trace in result.traces.items()]
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)
