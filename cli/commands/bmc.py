"""`epochal bmc`: ask the solver for a shortest violation within a number of steps."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from ..app.command import ProtocolCommand
from ..app.groups import Output, packed
from ..app.options import (
    PROGRESS,
    brief_option,
    chosen_cross_check,
    cross_check_option,
    format_option,
    protocol_argument,
    questions_option,
)

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

lengths_told = packed(
    Output,
    "output",
    format_option,
    brief_option,
    click.option(
        "--out",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write result.json and the trace of every finding (ITF) to this folder.",
    ),
    click.option(
        "--progress",
        type=click.Choice(PROGRESS),
        default="auto",
        envvar="EPOCHAL_PROGRESS",
        help="On stderr: a line for each length that takes long, and one now and then meanwhile (auto, plain), or one "
        "JSON object a line for every length, or nothing.",
    ),
)


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
@click.option(
    "--length", type=click.IntRange(min=0), required=True, metavar="N", help="Look at runs of at most N steps."
)
@questions_option
@click.option(
    "--from",
    "way",
    metavar="TRACE[:INDEX]",
    help="Begin where this trace (ITF) is after INDEX steps, or at its end, instead of in the initial states.",
)
@click.option(
    "--start",
    "conditions",
    multiple=True,
    metavar="CONDITION",
    help="Begin in any typed state where this holds: a property of single states by its id, or "
    "path/to/file.py:function, written like an invariant. May be repeated; all must hold. The state need not be "
    "reachable.",
)
@click.option("--all-violations", is_flag=True, help="Go on after the first violation, to the length asked for.")
@click.option("--actions", is_flag=True, help="Ask for each action, too, after how many steps it can first be taken.")
@click.option(
    "--rlimit",
    type=click.IntRange(min=1, max=2**32 - 1),
    metavar="N",
    help="Z3's resource units for each question: the same effort on every machine. Default: 1,000 million.",
)
@cross_check_option
@lengths_told
def command(
    subject: Subject,
    length: int,
    properties: tuple[str, ...],
    way: str | None,
    conditions: tuple[str, ...],
    all_violations: bool,
    actions: bool,
    rlimit: int | None,
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
) -> int:
    """Look for a shortest violation among all runs of PROTOCOL of at most N steps, with the solver Z3.

    A second opinion beside 'epochal check', with its own reading of the specification: bugs of eight steps take
    seconds, and beyond twelve the search is the tool. It can begin where no search can, too. Invariants and action
    properties are judged; a property that must be reachable is looked for if --property names it. Exit code 0: no
    violation within N steps; 12: violated; 21: a property that must be reachable is not, within N steps; 22: it
    has no actions or no properties; 30: interrupted; 31: the solver gave up.
    """
    from epochal.door.bounded import bounded
    from epochal.render.bounded_text import length_progress

    repeated = chosen_cross_check(cross_check, "z3")
    folder = output.folder()
    with output.reporting() as preparing:
        result = bounded(
            subject.protocol,
            length=length,
            properties=properties or None,
            after=way,
            start=conditions,
            all_violations=all_violations,
            actions=actions,
            rlimit=rlimit,
            cross_check=repeated,
            progress=length_progress(output.progress, sys.stderr),
            preparing=preparing,
            reference=subject.reference,
        )
    files: list[str] = []
    if folder is not None:
        files = list(folder.write_traces(subject.protocol.name, result.traces).values())
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)
