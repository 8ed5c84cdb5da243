"""`epochal lockstep controller`: every state of Kafka's controller, and every request in it."""

from __future__ import annotations

from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output


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
@click.option("--elr/--no-elr", default=None, help="Eligible leader replicas. Default: as the release ships them.")
@options("min_insync_replicas unclean_leader_election reassignments directories shutdowns", of="lockstep_controller")
@options("setting_changes default_minimum second_partition quorum_controller budget", of="lockstep_controller")
@output("Write result.json, and for each kind of difference the lines that lead to it.")
def command(output: Output, **asked: Any) -> int:
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
    from epochal.api.lockstep_controller import lockstep_controller
    from epochal.report.lockstep_controller import LockstepTelling

    folder = output.folder()
    result = output.ask(lockstep_controller, telling=LockstepTelling(), **asked)
    files: list[str] = []
    if folder is not None:
        for number, one in enumerate(result.judged.found.shortest.values(), 1):
            lines = [*(step.line for step in one.run), *(line for line, _ in one.kafka)]
            files.append(str(folder.write_text(f"difference-{number}.lines", "\n".join(lines) + "\n")))
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)
