"""`epochal compare`: which steps a change takes away, and which it adds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ..app.command import ProtocolCommand
from ..app.options import Output, options, output, protocol_argument
from ..app.quantities import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "compare",
    cls=ProtocolCommand,
    examples=(
        "epochal compare kip-279 kip-320 --max-epoch 1",
        "epochal compare kip-279-proof kip-320-proof --max-epoch 1 --format json",
        "epochal compare kip-320 kip-320-m2 --max-epoch 1 --out found",
        "epochal compare zookeeper-alter-isr zookeeper-version-first --brokers 2 --stops 0 --check-properties",
    ),
)
@protocol_argument
@click.argument("other", metavar="OTHER")
@options("renamed rlimit budget max_states strict check_properties")
@output("Write result.json, and for each difference its example (ITF): a complete run where it can be reached.")
def command(subject: Subject, other: str, renamed: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Show which steps PROTOCOL takes and OTHER does not, and vice versa, action by action.

    Both protocols need the same state variables at the same bounds. Options set the settings of both; quote the
    settings of one with its name: 'kraft --kafka G8'. Each action is compared three times: by Z3 in all typed states,
    by Z3 in all typed states that satisfy the lemmas of both, and by search in the reachable states of the protocol
    that has the step. An example shows the step and the guard that refuses it. Exit code 0: compared; 20: the protocols
    differ from their initial states on, with --fail-on-difference; 30 and 31: open, because of a budget or the solver.
    """
    from epochal.checker.base.installed import require_solver

    require_solver()
    from epochal.api.compare import compare

    from ..app.pair import renamed_actions, second_subject

    beside = second_subject(subject, other)
    chosen = renamed_actions(renamed)
    folder = output.folder()
    result = output.ask(
        compare,
        subject.protocol,
        beside.protocol,
        renamed=chosen,
        references=(subject.reference, beside.reference),
        begun=begun_at(),
        **asked,
    )
    return output.show(result, [] if folder is None else result.write(folder))
