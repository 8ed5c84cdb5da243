"""`epochal compare`: which steps a change takes away, and which it adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..app.command import ProtocolCommand
from ..app.options import Output, budget_option, max_states_option, output, protocol_argument
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
    help="Match action OLD of PROTOCOL with action NEW of OTHER. May be repeated. Others are matched by name.",
)
@click.option(
    "--rlimit",
    type=click.IntRange(min=1, max=2**32 - 1),
    metavar="N",
    help="Z3's resource limit for each query. Default: 100 million.",
)
@budget_option
@max_states_option
@click.option(
    "--fail-on-difference", is_flag=True, help="Exit with code 20 if a reachable step or an initial state differs."
)
@click.option(
    "--judge",
    is_flag=True,
    help="Also search both completely, and list the properties that hold in one of them only.",
)
@output("Write result.json, and for each difference its example (ITF): a complete run where it can be reached.")
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
    """Show which steps PROTOCOL takes and OTHER does not, and vice versa, action by action.

    Both protocols need the same state variables at the same bounds. Options set the settings of both; quote the
    settings of one with its name: 'kraft --kafka G8'. Each action is compared three times: by Z3 in all typed states,
    by Z3 in all typed states that satisfy the lemmas of both, and by search in the reachable states of the protocol
    that has the step. An example shows the step and the guard that refuses it. Exit code 0: compared; 20: the protocols
    differ from their initial states on, with --fail-on-difference; 30 and 31: open, because of a budget or the solver.
    """
    from epochal.checker.base.z3_solver import require_solver

    require_solver()
    from epochal.api.compare import compare
    from epochal.api.result import partial_result

    from ..app.pair import renamed_actions, second_subject

    beside = second_subject(subject, other)
    chosen = renamed_actions(renames)
    folder = output.folder()
    with output.reporting() as report:
        result = partial_result(
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
