"""`epochal lockstep`: Kafka's own classes, step by step with the specification."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..app.command import EpochalCommand, EpochalGroup
from ..app.options import Output, options, output

elr_option = click.option(
    "--elr/--no-elr", default=None, help="Eligible leader replicas. Default: as the release ships them."
)


@click.command(
    "controller",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep controller --kafka 4.3.1",
        "epochal lockstep controller --kafka 4.3.1 --brokers 2 --budget 5m --format json",
    ),
)
@options("kafka classpath classes fixes model", of="lockstep_controller")
@click.option(
    "--protocol",
    default="kraft",
    metavar="FILE:NAME",
    help="Compare with this change to kraft instead; the file is loaded and run.",
)
@options("brokers replication_factor", of="lockstep_controller")
@elr_option
@options("min_insync_replicas unclean_leader_election reassignments directories shutdowns", of="lockstep_controller")
@options("setting_changes default_minimum second_partition quorum_controller budget", of="lockstep_controller")
@output("Write result.json, and for each kind of difference the lines that lead to it.")
def controller(output: Output, **asked: Any) -> int:
    """Compare every state of Kafka's controller, and every request in it, with the specification.

    Kafka's own classes run in a JVM beside this process: the managers of the controller, without network, disk or
    threads. In every reachable state every request is made of both: heartbeats, sessions that end, registrations,
    AlterPartition with every ISR, elections, log directories, and with --reassignments reassignments. Kafka is asked in
    every order of the replicas. If no request differs, no sequence of these requests tells the two apart.

    With --shutdowns a broker that shuts down waits, heartbeat by heartbeat; with --setting-changes min.insync.replicas
    and the ELR feature change; --second-partition N has two partitions of a topic change in one request. With
    --quorum-controller each request goes through QuorumController and its event queue.

    The classes are those of a released Kafka (--kafka), whose jars EPOCHAL_KAFKA_JARS has, or of any class path. A JDK
    17 compiles the harness against them once. Exit code 0: the same everywhere; 20: they differ, and the report shows
    each kind by its shortest run; 30: --budget was spent, and nothing differs in what was seen; 153: no JDK, no jars,
    or the harness does not fit the classes.
    """
    from epochal.api.lockstep_controller import TELLING, lockstep_controller

    folder = output.folder()
    result = output.ask(lockstep_controller, telling=TELLING, **asked)
    files: list[str] = []
    if folder is not None:
        for number, one in enumerate(result.judged.found.shortest.values(), 1):
            lines = [*(step.line for step in one.run), *(line for line, _ in one.kafka)]
            files.append(str(folder.write_text(f"difference-{number}.lines", "\n".join(lines) + "\n")))
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)


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
def run(trace: Path, protocols: tuple[str, ...], same: bool, output: Output, **kafka: Any) -> int:
    """Play a run of kraft on Kafka's own classes: controller, ReplicaManagers, logs on disk, fetcher threads.

    After every step, the states of Kafka and of the run are compared. The order of replicas decides whom Kafka elects:
    every order is tried, and the one counts in which Kafka follows furthest. Exit code 12 (lost): Kafka follows to the
    end, and the property of the run is violated in its own state; 0 (kept): Kafka leaves the run, at the step that the
    report shows, or the property holds; 2: the run has a step or a setting that cannot be put to Kafka's classes.

    TRACE may also be a file of lines, *.steps: they are put to Kafka's classes again. Exit code 20: an answer differs
    from the one in the file.
    """
    from epochal.api.lockstep import PLAY_TELLING, lockstep_lines, lockstep_run

    folder = output.folder()
    if trace.suffix == ".steps":
        answered = lockstep_lines(trace, **kafka)
        return output.show(answered, [] if folder is None else answered.write(folder))
    result = output.ask(lockstep_run, trace, telling=PLAY_TELLING, protocols=protocols, same=same, **kafka)
    return output.show(result, [] if folder is None else result.write(folder))


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
@elr_option
@options("min_insync_replicas unclean_leader_election rules seed runs steps guided engine budget", of="lockstep_runs")
@output("Write the shortest run of each kind of difference, as ITF and as lines of the harness (*.steps).")
def runs(output: Output, **asked: Any) -> int:
    """Make random runs of kraft or quorum, put each step to Kafka's own classes, too, and compare both states.

    The model is that of the release that runs; of a build it is that of the newest release. Without --runs and --budget
    there are 20 runs. Exit code 0: the same in all; 20: Kafka and the model differ, and the report shows the shortest
    run of each kind; 30: --budget was spent before as many runs were made as --runs asks for.
    """
    from epochal.api.lockstep import RUNS_TELLING, lockstep_runs

    folder = output.folder()
    result = output.ask(lockstep_runs, telling=RUNS_TELLING, **asked)
    return output.show(result, [] if folder is None else result.write(folder))


@click.command(
    "catalogue",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep catalogue --kafka 4.3.1 --traces counterexamples",
        "epochal lockstep catalogue N1 S15 --classpath 'libs/*'",
    ),
)
@click.argument("keys", metavar="[NAME]...", nargs=-1)
@options("kafka classpath classes fixes traces budget", of="lockstep_catalogue")
@output("Write the lines of every hole that was played (*.steps), and the answer as JSON.")
def catalogue(keys: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Play the shortest run of each known hole on Kafka's own classes: is it shown, or closed, and at which step?

    NAMES are numbers of the catalogue, tickets, KIPs or Kafka versions; without any, all holes of kraft are played.
    What is to be expected is what the release's own model does with the run. Exit code 0: all as its model says; 12: a
    hole is shown that the model has closed; 21: one is not shown that is open in the model; 30: --budget was spent.
    """
    from epochal.api.lockstep import HOLES_TELLING, lockstep_catalogue

    folder = output.folder()
    result = output.ask(lockstep_catalogue, *keys, telling=HOLES_TELLING, **asked)
    return output.show(result, [] if folder is None else result.write(folder))


@click.command(
    "coverage",
    cls=EpochalCommand,
    examples=(
        "epochal lockstep coverage --kafka 4.4.0",
        "epochal lockstep coverage --kafka 4.0.2 --runs 40 --seed 7 --format json",
    ),
)
@options("kafka classpath classes fixes model brokers", of="lockstep_coverage")
@elr_option
@options("min_insync_replicas unclean_leader_election seed runs steps max_states budget", of="lockstep_coverage")
@output("Write the shortest run of each kind of difference, as ITF and as lines of the harness (*.steps).")
def coverage(output: Output, **asked: Any) -> int:
    """Take every branch of the specification's actions on Kafka's own classes.

    Random runs draw what was taken least. Then the shortest run to each branch that is missing is searched for, and
    played. The report tells of the others: which settings have them, or within which bounds no run takes them. At last
    each guard of an action is left out, and Kafka is asked for a step that it alone forbids: Kafka must refuse, or
    change nothing. Exit code 0: Kafka does the same in all; 20: Kafka and the model differ; 30: --budget was spent.
    """
    from epochal.api.lockstep import RUNS_TELLING, lockstep_coverage

    folder = output.folder()
    result = output.ask(lockstep_coverage, telling=RUNS_TELLING, **asked)
    return output.show(result, [] if folder is None else result.write(folder))


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
def controller_coverage(output: Output, **asked: Any) -> int:
    """Tell which branches of the specification's rules for the controller Kafka's own controller has taken.

    The closures of `epochal lockstep controller` are made under several settings: as the release ships them, with
    unclean election and log directories that fail, with settings that change, and with reassignments. A branch counts
    as taken if Kafka has taken a step that takes it. Exit code 0: Kafka does the same in all; 20: they differ; 30:
    --budget was spent.
    """
    from epochal.api.lockstep_controller import TELLING, lockstep_controller_coverage

    folder = output.folder()
    result = output.ask(lockstep_controller_coverage, telling=TELLING, **asked)
    files = [] if folder is None else [str(folder.write_document("result.json", result.to_dict()))]
    return output.show(result, files)


COMMANDS = (controller, run, runs, catalogue, coverage, controller_coverage)


@click.group(
    "lockstep",
    cls=EpochalGroup,
    commands=COMMANDS,
    examples=[command.examples[0] for command in COMMANDS],
)
def command() -> None:
    """Run Kafka's own classes in one JVM, step by step with the specification, and compare the states.

    Needs a JDK 17 and the jars of a Kafka: a release or any build.
    """
