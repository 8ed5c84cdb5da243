"""`epochal lockstep run`: does this Kafka break what a trace breaks?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


@click.command(
    "run",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep run counterexamples/kraft-n1-leader-candidate-completeness.itf.json --kafka 4.4.0",
        "epochal lockstep run n1.itf.json --kafka 4.3.1 --classes core/build/classes/scala/main",
        "epochal lockstep run n1.itf.json --classpath 'libs/*' --same",
    ),
)
@click.argument("trace", metavar="TRACE", type=click.Path(path_type=Path))
@options("protocols")
@options("kafka classpath classes fixes same", of="lockstep_run")
@output("Write the lines of the harness with their answers (run.steps), and the answer as JSON.")
def command(trace: Path, protocols: tuple[str, ...], same: bool, output: Output, **kafka: Any) -> int:
    """Play a run of kraft on Kafka's own classes: controller, ReplicaManagers, logs on disk, fetcher threads.

    After every step, the states of Kafka and of the run are compared. The order of replicas decides whom Kafka elects:
    every order is tried, and the one counts in which Kafka follows furthest. Exit code 12 (lost): Kafka follows to the
    end, and the property of the run is violated in its own state; 0 (kept): Kafka leaves the run, at the step that the
    report shows, or the property holds; 2: the run has a step or a setting that cannot be put to Kafka's classes.

    TRACE may also be a file of lines, *.steps: they are put to Kafka's classes again. Exit code 20: an answer differs
    from the one in the file.
    """
    from epochal.api.lockstep_lines import lockstep_lines
    from epochal.api.lockstep_run import lockstep_run
    from epochal.report.lockstep import PlayTelling

    folder = output.folder()
    if trace.suffix == ".steps":
        answered = lockstep_lines(trace, **kafka)
        return output.show(answered, [] if folder is None else answered.write(folder))
    result = output.ask(lockstep_run, trace, telling=PlayTelling(), protocols=protocols, same=same, **kafka)
    return output.show(result, [] if folder is None else result.write(folder))
