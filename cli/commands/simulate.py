"""`epochal simulate`: random runs, where every state is too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from epochal.errors import UsageError

from ..app.command import ProtocolCommand
from ..app.groups import Output, output
from ..app.options import chosen_cross_check, protocol_argument
from ..app.patience import begun_at
from ..app.questions import walk_question

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
    help="How many runs to take. Without it they end after a million states, 50,000 after a violation, or all shown.",
)
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    default=DEPTH,
    metavar="N",
    show_default=True,
    help="How many steps a run has at most, from its initial state; it has one state more.",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0, max=2**64 - 1),
    default=0,
    metavar="N",
    show_default=True,
    help="The same seed gives the same runs.",
)
@click.option(
    "--traces", type=click.IntRange(min=0), default=0, metavar="N", help="Write the first N runs to --out, as taken."
)
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
    """Take random runs of PROTOCOL. Each goes on from where one before it was, to states that none has been in.

    It finds shallow bugs quickly where checking takes too long, and shows which actions happen at all. A violation that
    it finds is real. No step of its run can be left out, but it need not be a shortest; finding none proves nothing.
    """
    from epochal.door.question import as_far_as_it_came
    from epochal.door.simulate import simulate
    from epochal.render.progress import SIMULATION

    repeated, folder = chosen_cross_check(cross_check, engine), output.folder()
    if traces and folder is None:
        raise UsageError("--traces says how many runs to write, and nothing where", "Add --out DIR.")
    with output.reporting(SIMULATION) as report:
        result = as_far_as_it_came(
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
