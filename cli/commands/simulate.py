"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from epochal.errors import UsageError

from ..app.command import ProtocolCommand
from ..app.options import Output, chosen_cross_check, output, protocol_argument, walk_question
from ..app.quantities import begun_at

if TYPE_CHECKING:
    from epochal.spec.loading import Subject

DEPTH = 60


@click.command(
    "simulate",
    cls=ProtocolCommand,
    examples=(
        "epochal simulate kraft --runs 500 --seed 7",
        "epochal simulate truncate-to-hw --runs 200 --depth 30 --engine python",
        "epochal simulate async-isr --runs 50 --depth 20 --traces 10 --out vectors",
    ),
)
@protocol_argument
@click.option(
    "--runs",
    type=click.IntRange(min=1),
    metavar="N",
    help="The number of runs. Default: until a million states, 50,000 after a violation, or all states seen.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=DEPTH,
    metavar="N",
    show_default=True,
    help="The largest number of steps of a run.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**64 - 1),
    default=0,
    metavar="N",
    show_default=True,
    help="The seed. The same seed gives the same runs.",
)
@click.option("--traces", type=click.IntRange(min=0), default=0, metavar="N", help="Write the first N runs to --out.")
@walk_question
@output("Write runs as ITF traces, what was found with a page for the browser, and result.json there.")
def command(
    subject: Subject,
    runs: int | None,
    depth: int,
    seed: int,
    traces: int,
    properties: tuple[str, ...],
    engine: str,
    cross_check: int | Literal["all", "off"] | None,
    budget: float | None,
    output: Output,
) -> int:
    """Take random runs of PROTOCOL. Each run branches off from a state of an earlier one, to states not yet seen.

    Simulation finds shallow bugs quickly where a full search takes too long, and shows which actions occur at all. A
    violation found is real. No step of its run can be left out, but the run need not be a shortest one. Finding no
    violation proves nothing.
    """
    from epochal.api.result import partial_result
    from epochal.api.simulate import simulate
    from epochal.report.progress import SIMULATION

    repeated, folder = chosen_cross_check(cross_check, engine), output.folder()
    if traces and folder is None:
        raise UsageError("--traces says how many runs to write, and nothing where", "Add --out DIR.")
    with output.reporting(SIMULATION) as report:
        result = partial_result(
            simulate,
            subject.protocol,
            runs=runs,
            depth=depth,
            seed=seed,
            properties=properties or None,
            engine=engine,
            cross_check=repeated,
            traces=traces,
            progress=report,
            reference=subject.reference,
            budget=budget,
            begun=begun_at(),
        )
    return output.show(result, [] if folder is None else result.write(folder))
