"""`epochal bmc` and `epochal prove`: what Z3 says of all runs of a number of steps, and of any number."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from ..app.command import ProtocolCommand, begun_at
from ..app.options import Output, chosen_cross_check, options, output, protocol_argument, questions_option

if TYPE_CHECKING:
    from collections.abc import Callable

    from epochal.api.proved import ProofResult, UnboundedResult
    from epochal.spec.loading import Subject


@click.command(
    "bmc",
    cls=ProtocolCommand,
    examples=(
        "epochal bmc truncate-to-hw --replicas 2 --length 9 --property strong_isr",
        "epochal bmc kip-320 --length 4 --actions --format json",
        "epochal bmc kip-279 --length 3 --from counterexamples/kip-279-strong-isr.itf.json:6 --out found",
        "epochal bmc kip-320 --length 1 --start leader_in_isr --start record_committed --property leader_in_isr",
    ),
)
@protocol_argument
@options("length", questions_option, "after start all_violations actions rlimit budget cross_check", of="bounded")
@output(
    "Write result.json and the trace of every finding (ITF) to this folder.",
    "Progress on stderr: lines for people (auto, plain), one JSON object a line for each length, or none.",
)
def bmc_command(
    subject: Subject,
    properties: tuple[str, ...],
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Search for a shortest violation among all runs of PROTOCOL of at most N steps, with the solver Z3.

    bmc is a second opinion to 'epochal check', with a translation of its own. Bugs of eight steps take seconds; beyond
    twelve steps use the search. bmc can also start from states that no search starts from. It checks invariants and
    action properties, and reachability properties that --property names. Exit code 0: no violation within N steps; 12:
    violated; 21: a state that must be reachable is not reached within N steps; 22: no violation, but an action is never
    enabled or a property is vacuous; 30: a budget is spent or the run was interrupted; 31: the solver gave up.
    """
    from epochal.api.bounded import bounded, length_progress
    from epochal.api.result import partial_result

    repeated = chosen_cross_check(cross_check, "z3")
    folder = output.folder()
    with output.reporting() as preparing:
        result = partial_result(
            bounded,
            subject.protocol,
            properties=properties or None,
            cross_check=repeated,
            progress=length_progress(output.progress, sys.stderr),
            preparing=preparing,
            reference=subject.reference,
            begun=begun_at(),
            **asked,
        )
    files: list[str] = []
    if folder is not None:
        files = list(folder.write_traces(subject.protocol.name, result.traces).values())
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)


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
def prove_command(
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
