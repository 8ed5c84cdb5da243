"""`epochal prove`: show by induction that properties hold after any number of steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from ..app.command import ProtocolCommand
from ..app.options import Output, chosen_cross_check, options, output, protocol_argument

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.api.proved import ProofResult, UnboundedResult
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
        "epochal prove kip-320 --unbounded",
    ),
)
@protocol_argument
@options(
    "properties workers engine master cached rlimit budget max_states lemmas candidates minimize unbounded certified "
    "cross_check",
    of="prove",
)
@output("Write result.json, a trace (ITF) for each action and lemma that fail, and with --unbounded certificate.md.")
def command(
    subject: Subject,
    workers: int | None,
    engine: str,
    master: str | None,
    lemmas: str | None,
    candidates: str | None,
    minimize: bool,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Prove that the invariants of PROTOCOL hold after any number of steps, within these bounds, by induction.

    Every lemma must hold initially, every action must preserve every lemma, and the lemmas together must imply the
    invariant. A step that breaks a lemma is a counterexample to induction. Its first state need not be reachable; a
    search looks for it. A protocol whose proof needs history variables, such as kip-320, is proved in the version that
    has them (kip-320-proof), after the steps of both were compared. With --unbounded the proof covers all bounds. Exit
    code 0: proved; 22: proved, but vacuously; 32: a counterexample to induction; 31: the solver gave up; 30: the budget
    is spent, and nothing is proved; 12: a lemma is false in an initial state.
    """
    if candidates is not None and (minimize or lemmas is not None):
        why = "minimize what Houdini has kept" if minimize else "candidates may fall, lemmas may not"
        raise click.UsageError(f"--houdini and --{'minimize' if minimize else 'lemmas'} exclude each other: {why}.")
    if workers is not None and engine == "spark":
        raise click.UsageError("--workers is for --engine local; on Spark, --master says how many, as in local[2].")
    if master is not None and engine != "spark":
        raise click.UsageError("--master is for --engine spark.")
    from epochal.api.prove import prove
    from epochal.report.progress import PROOF

    asking: Callable[..., ProofResult | UnboundedResult] = prove
    folder = output.folder()
    result = output.ask_about(
        subject,
        asking,
        telling=PROOF,
        workers=workers,
        engine=engine,
        master=master,
        lemmas=lemmas,
        candidates=candidates,
        minimize=minimize,
        cross_check=chosen_cross_check(cross_check, "z3"),
        **asked,
    )
    files: list[str] = []
    if folder is not None:
        from epochal.api.proved import UnboundedResult

        files += [str(folder.write_trace(result.proof.protocol.name, *one)) for one in result.traces.items()]
        files.append(str(folder.write_document("result.json", result.to_dict())))
        if isinstance(result, UnboundedResult):
            files.append(str(folder.write_text("certificate.md", result.certificate())))
            files += [str(folder.write_text(*result.hints))] if result.hints is not None else []
    return output.show(result, files)
