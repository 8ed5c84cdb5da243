"""`epochal lockstep controller-coverage`: which branches of the controller's rules has Kafka taken?"""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


@click.command(
    "controller-coverage",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep controller-coverage --kafka 4.4.0",
        "epochal lockstep controller-coverage --kafka 4.0.2 --brokers 2 --format json",
    ),
)
@options("kafka classpath classes fixes model brokers budget", of="lockstep_controller_coverage")
@output("Write result.json.")
def command(output: Output, **asked: Any) -> int:
    """Tell which branches of the specification's rules for the controller Kafka's own controller has taken.

    The closures of `epochal lockstep controller` are made under several settings: as the release ships them, with
    unclean election and log directories that fail, with settings that change, and with reassignments. A branch counts
    as taken if Kafka has taken a step that takes it. Exit code 0: Kafka does the same in all; 20: they differ; 30:
    --budget was spent.
    """
    from epochal.api.lockstep_controller_coverage import lockstep_controller_coverage
    from epochal.report.lockstep_controller import LockstepTelling

    folder = output.folder()
    result = output.ask(lockstep_controller_coverage, telling=LockstepTelling(), **asked)
    files = [] if folder is None else [str(folder.write_document("result.json", result.to_dict()))]
    return output.show(result, files)
