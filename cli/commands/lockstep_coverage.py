"""`epochal lockstep coverage`: which branches of the specification has Kafka taken?"""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


@click.command(
    "coverage",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep coverage --kafka 4.4.0",
        "epochal lockstep coverage --kafka 4.0.2 --runs 40 --seed 7 --format json",
    ),
)
@options("kafka classpath classes fixes model brokers", of="lockstep_coverage")
@click.option("--elr/--no-elr", default=None, help="Eligible leader replicas. Default: as the release ships them.")
@options("min_insync_replicas unclean_leader_election seed runs steps max_states budget", of="lockstep_coverage")
@output("Write the shortest run of each kind of difference, as ITF and as lines of the harness (*.steps).")
def command(output: Output, **asked: Any) -> int:
    """Take every branch of the specification's actions on Kafka's own classes.

    Random runs draw what was taken least. Then the shortest run to each branch that is missing is searched for, and
    played. The report tells of the others: which settings have them, or within which bounds no run takes them. At last
    each guard of an action is left out, and Kafka is asked for a step that it alone forbids: Kafka must refuse, or
    change nothing. Exit code 0: Kafka does the same in all; 20: Kafka and the model differ; 30: --budget was spent.
    """
    from epochal.api.lockstep_coverage import lockstep_coverage
    from epochal.report.lockstep import RunsTelling

    folder = output.folder()
    result = output.ask(lockstep_coverage, telling=RunsTelling(), **asked)
    return output.show(result, [] if folder is None else result.write(folder))
