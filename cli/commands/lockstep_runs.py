"""`epochal lockstep runs`: does Kafka do what the specification says, in random runs?"""

from __future__ import annotations

from pathlib import Path

import click

from ..app.command import EpochalCommand
from ..app.lockstep_options import pairs, which_kafka
from ..app.options import Output, options, output


@click.command(
    "runs",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep runs --kafka 4.3.1 --seed 7 --budget 2m",
        "epochal lockstep runs --kafka 4.3.1 --runs 40 --rule known_partition_epoch_ignored=true",
        "epochal lockstep runs --classpath 'libs/*' --model mine.py:WithMyKip --out found",
    ),
)
@which_kafka
@click.option(
    "--model",
    default="kraft",
    metavar="FILE:NAME",
    help="Compare with this change to kraft; the file is loaded and run.",
)
@click.option(
    "--setting",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set this on both sides: elr=true, min_insync_replicas=1, unclean_leader_election=true. May be repeated.",
)
@click.option(
    "--rule",
    "rules",
    multiple=True,
    metavar="NAME=VALUE",
    help="Replace this rule of the model, such as known_partition_epoch_ignored=true. May be repeated.",
)
@click.option("--brokers", type=click.IntRange(2, 4), default=3, show_default=True, metavar="N", help="Brokers.")
@options("seed runs")
@click.option("--steps", type=click.IntRange(1), default=80, show_default=True, metavar="N", help="Steps of a run.")
@options("budget")
@output("Write the shortest run of each kind of difference, as ITF and as lines of the harness (*.steps).")
def command(
    kafka: str | None,
    classpath: str | None,
    classes: tuple[Path, ...],
    model: str,
    settings: tuple[str, ...],
    rules: tuple[str, ...],
    brokers: int,
    seed: int,
    runs: int | None,
    steps: int,
    budget: float | None,
    output: Output,
) -> int:
    """Make random runs of kraft, put each step to Kafka's own classes as well, and compare both states after it.

    The model is that of the release that runs; of a build it is that of the newest release. Without --runs and --budget
    there are 20 runs. Exit code 0: the same in all; 20: Kafka and the model differ, and the report shows the shortest
    run of each kind; 30: --budget was spent before as many runs were made as --runs asks for.
    """
    from epochal.api.lockstep_runs import lockstep_runs
    from epochal.report.lockstep import RunsTelling

    folder = output.folder()
    result = output.ask(
        lockstep_runs,
        telling=RunsTelling(),
        kafka=kafka,
        classpath=classpath,
        classes=classes,
        model=model,
        settings=pairs("setting", settings),
        rules=pairs("rule", rules),
        bounds={"replication_factor": brokers},
        seed=seed,
        runs=runs,
        steps=steps,
        budget=budget,
    )
    return output.show(result, [] if folder is None else result.write(folder))
