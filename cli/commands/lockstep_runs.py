"""`epochal lockstep runs`: does Kafka do what the specification says, in random runs?"""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


@click.command(
    "runs",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep runs --kafka 4.3.1 --seed 7 --budget 2m",
        "epochal lockstep runs --kafka 4.3.1 --guided --budget 10m",
        "epochal lockstep runs --kafka 4.3.1 --runs 40 --rule known_partition_epoch_ignored=true",
        "epochal lockstep runs --classpath 'libs/*' --protocol mine.py:WithMyKip --out found",
    ),
)
@options("kafka classpath classes fixes model", of="lockstep_runs")
@click.option(
    "--protocol",
    default="kraft",
    metavar="FILE:NAME",
    help="Compare with this instead: quorum, or a change to either; a file is loaded and run.",
)
@options("brokers", of="lockstep_runs")
@click.option("--elr/--no-elr", default=None, help="Eligible leader replicas. Default: as the release ships them.")
@options("min_insync_replicas unclean_leader_election rules seed runs steps guided engine budget", of="lockstep_runs")
@output("Write the shortest run of each kind of difference, as ITF and as lines of the harness (*.steps).")
def command(output: Output, **asked: Any) -> int:
    """Make random runs of kraft or quorum, put each step to Kafka's own classes, too, and compare both states.

    The model is that of the release that runs; of a build it is that of the newest release. Without --runs and --budget
    there are 20 runs. Exit code 0: the same in all; 20: Kafka and the model differ, and the report shows the shortest
    run of each kind; 30: --budget was spent before as many runs were made as --runs asks for.
    """
    from epochal.api.lockstep_runs import lockstep_runs
    from epochal.report.lockstep import RunsTelling

    folder = output.folder()
    result = output.ask(lockstep_runs, telling=RunsTelling(), **asked)
    return output.show(result, [] if folder is None else result.write(folder))
