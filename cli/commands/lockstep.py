"""`epochal lockstep`: Kafka's own classes, step by step with the specification."""

from __future__ import annotations

import click

from ..app.command import EpochalGroup
from . import (
    lockstep_catalogue,
    lockstep_controller,
    lockstep_controller_coverage,
    lockstep_coverage,
    lockstep_run,
    lockstep_runs,
)


@click.group(
    "lockstep",
    cls=EpochalGroup,
    examples=(
        "epochal lockstep controller --kafka 4.3.1",
        "epochal lockstep run counterexamples/kraft-n1-leader-candidate-completeness.itf.json --kafka 4.4.0",
        "epochal lockstep runs --kafka 4.3.1 --seed 7 --budget 2m",
        "epochal lockstep catalogue --kafka 4.3.1 --traces counterexamples",
        "epochal lockstep coverage --kafka 4.4.0",
        "epochal lockstep controller-coverage --kafka 4.4.0",
    ),
)
def command() -> None:
    """Run Kafka's own classes in one JVM, step by step with the specification, and compare the states.

    Needs a JDK 17 and the jars of a Kafka: a release or any build.
    """


command.add_command(lockstep_controller.command)
command.add_command(lockstep_run.command)
command.add_command(lockstep_runs.command)
command.add_command(lockstep_catalogue.command)
command.add_command(lockstep_coverage.command)
command.add_command(lockstep_controller_coverage.command)
