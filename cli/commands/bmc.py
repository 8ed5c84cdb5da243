"""`epochal bmc`: ask the solver for a shortest violation within a number of steps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal

import click

from ..app.command import ProtocolCommand, begun_at
from ..app.options import Output, chosen_cross_check, options, output, protocol_argument, questions_option

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
@options("length", questions_option, "after start all_violations actions rlimit budget cross_check", of="bounded")
@output(
    "Write result.json and the trace of every finding (ITF) to this folder.",
    "Progress on stderr: lines for people (auto, plain), one JSON object a line for each length, or none.",
)
def command(
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
