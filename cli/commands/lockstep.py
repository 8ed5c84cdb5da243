"""`epochal lockstep`: Kafka's own classes, step by step with the specification."""

from __future__ import annotations

import click

from ..app.command import EpochalGroup
from . import lockstep_run


@click.group(
    "lockstep",
    cls=EpochalGroup,
    examples=("epochal lockstep run counterexamples/kraft-n1-leader-candidate-completeness.itf.json --kafka 4.4.0",),
)
def command() -> None:
    """Run Kafka's own classes in one JVM, step by step with the specification, and compare the states.

    Needs a JDK 17 and the jars of a Kafka: a release or any build.
    """


command.add_command(lockstep_run.command)
