"""`epochal bmc`: ask the solver for a shortest violation within a number of steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from ..app.command import ProtocolCommand
from ..app.groups import Output
from ..app.options import chosen_cross_check, protocol_argument
from ..app.patience import begun_at
from ..app.questions import bounded_question, lengths_told

if TYPE_CHECKING:
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
@bounded_question
@lengths_told
def command(
    subject: Subject,
    properties: tuple[str, ...],
    cross_check: int | Literal["all", "off"] | None,
    output: Output,
    **asked: Any,
) -> int:
    """Look for a shortest violation among all runs of PROTOCOL of at most N steps, with the solver Z3.

    A second opinion beside 'epochal check', with its own reading of the specification: bugs of eight steps take
    seconds, and beyond twelve the search is the tool. It can begin where no search can, too. Invariants and action
    properties are judged; a property that must be reachable is looked for if --property names it. Exit code 0: no
    violation within N steps; 12: violated; 21: a property that must be reachable is not, within N steps; 22: nothing
    was found, but an action can never happen, or a property says nothing; 30: a budget is spent, or it was
    interrupted; 31: the solver gave up.
    """
    from epochal.door.bounded import bounded
    from epochal.door.question import as_far_as_it_came
    from epochal.render.bounded_text import length_progress

    repeated = chosen_cross_check(cross_check, "z3")
    folder = output.folder()
    with output.reporting() as preparing:
        result = as_far_as_it_came(
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
