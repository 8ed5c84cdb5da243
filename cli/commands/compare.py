"""`epochal compare`: which steps a change takes away, and which it adds."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from epochal.cli.command import ProtocolCommand
from epochal.cli.options import budget_option, format_option, max_states_option, progress_option, protocol_argument
from epochal.exit_codes import ExitCode

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "compare",
    cls=ProtocolCommand,
    examples=(
        "epochal compare kip-279 kip-320 --max-epoch 1",
        "epochal compare kip-279-proof kip-320-proof --max-epoch 1 --format json",
        "epochal compare kip-320 kip-320-m2 --max-epoch 1 --out found",
    ),
)
@protocol_argument
@click.argument("other", metavar="OTHER")
@click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="OLD=NEW",
    help="Action OLD of PROTOCOL is action NEW of OTHER; may be repeated. Others are matched by name.",
)
@click.option(
    "--rlimit",
    type=click.IntRange(min=1, max=2**32 - 1),
    metavar="N",
    help="Z3's resource units for each question. Default: 100 million.",
)
@budget_option
@max_states_option
@click.option(
    "--fail-on-difference", is_flag=True, help="Exit with code 20 if a reachable step or an initial state differs."
)
@format_option
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Write result.json, and for each difference its example (ITF): a whole run where it can be reached.",
)
@progress_option
def command(
    subject: Subject,
    other: str,
    renames: tuple[str, ...],
    rlimit: int | None,
    budget: float | None,
    max_states: int | None,
    fail_on_difference: bool,
    output_format: str,
    out: Path | None,
    progress: str,
) -> int:
    """Show which steps PROTOCOL takes and OTHER does not, and the other way round, action by action.

    Both need the same states at the same bounds. Words of a configuration stand with each name, quoted:
    'kraft --kafka G8'. Each action is asked three times: in any typed state and in any that
    satisfies the lemmas of both, by Z3; and in every state that the protocol with the step reaches, by search. An
    example shows the step, and the guard that refuses it. Exit code 0: compared; 20: with --fail-on-difference, if they
    differ from their initial states on; 30 and 31: a budget or the solver left it open whether they do.
    """
    from epochal.cli.artifacts import OutputFolder
    from epochal.cli.solver import require_solver

    require_solver()
    from epochal.checker.confirm import replay_all
    from epochal.checker.solver.compare import MAX_STATES, RLIMIT, compare
    from epochal.cli.pair import renamed_actions, second_subject
    from epochal.cli.render.compare_json import compare_document, examples
    from epochal.cli.render.compare_text import render_comparison
    from epochal.cli.render.page import open_page
    from epochal.cli.render.progress import shown_progress

    first, second = subject.protocol, second_subject(subject, other).protocol
    chosen = renamed_actions(renames, first, second)
    folder = OutputFolder(out) if out is not None else None
    with shown_progress(progress, sys.stderr) as report:
        result = compare(
            first,
            second,
            chosen,
            rlimit=RLIMIT if rlimit is None else rlimit,
            max_states=MAX_STATES if max_states is None else max_states,
            budget=budget,
            progress=report,
        )
    references = (subject.reference, other)
    told = examples(result, references)
    readings: tuple[str, ...] = ()
    for one in (first, second):
        readings = replay_all(one, [e.trace for e in told if e.difference.has is one]).readings or readings
    exit_code = ExitCode.HOLDS
    if result.verdict == "unknown":
        exit_code = ExitCode.SOLVER_UNKNOWN if result.solver_gave_up else ExitCode.INCONCLUSIVE
    elif result.verdict == "differs" and fail_on_difference:
        exit_code = ExitCode.DRIFTED
    document = compare_document(result, references, told, readings, exit_code)
    files: list[str] = []
    if folder is not None:
        files = [str(folder.write_trace(e.difference.has.name, e.name, e.trace)) for e in told]
        files.append(str(folder.write_document("result.json", document)))
    if output_format == "json":
        click.echo(json.dumps(document, indent=1))
    else:
        render_comparison(open_page(sys.stdout), result, references, told, readings, files)
    return exit_code
