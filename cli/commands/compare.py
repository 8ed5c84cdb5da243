"""`epochal compare`: which steps a change takes away, and which it adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..app.command import ProtocolCommand
from ..app.groups import Output, output
from ..app.options import budget_option, max_states_option, protocol_argument
from ..app.patience import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject


@click.command(
    "compare",
    cls=ProtocolCommand,
    examples=(
        "epochal compare kip-279 kip-320 --max-epoch 1",
        "epochal compare kip-279-proof kip-320-proof --max-epoch 1 --format json",
        "epochal compare kip-320 kip-320-m2 --max-epoch 1 --out found",
        "epochal compare zookeeper-alter-isr zookeeper-version-first --brokers 2 --stops 0 --judge",
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
@click.option(
    "--judge",
    is_flag=True,
    help="Search both whole, too, and say which properties and promises (leads_to) hold in one of them alone.",
)
@output("Write result.json, and for each difference its example (ITF): a whole run where it can be reached.")
def command(
    subject: Subject,
    other: str,
    renames: tuple[str, ...],
    rlimit: int | None,
    budget: float | None,
    max_states: int | None,
    fail_on_difference: bool,
    judge: bool,
    output: Output,
) -> int:
    """Show which steps PROTOCOL takes and OTHER does not, and the other way round, action by action.

    Both need the same states at the same bounds. Settings that are given as options are those of both; those of one
    alone stand with its name, quoted: 'kraft --kafka G8'. Each action is asked three times: in any typed state and in
    any that satisfies the lemmas of both, by Z3; and in every state that the protocol with the step reaches, by search.
    An example shows the step, and the guard that refuses it. Exit code 0: compared; 20: with --fail-on-difference, if
    they differ from their initial states on; 30 and 31: a budget or the solver left it open whether they do.
    """
    from epochal.checker.host.z3_solver import require_solver

    require_solver()
    from epochal.door.compare import compare
    from epochal.door.question import as_far_as_it_came

    from ..app.pair import renamed_actions, second_subject

    beside = second_subject(subject, other)
    chosen = renamed_actions(renames)
    folder = output.folder()
    with output.reporting() as report:
        result = as_far_as_it_came(
            compare,
            subject.protocol,
            beside.protocol,
            renamed=chosen,
            rlimit=rlimit,
            max_states=max_states,
            budget=budget,
            begun=begun_at(),
            strict=fail_on_difference,
            judge=judge,
            progress=report,
            references=(subject.reference, beside.reference),
        )
    return output.show(result, [] if folder is None else result.write(folder))
