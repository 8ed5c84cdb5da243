"""`epochal audit`, `epochal policy` and `epochal conform`: what a cluster guarantees, policies that refuse topics, and
whether the files of a cluster are a run of Kafka.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output

DUMP = "dump"
"""Where, in the folder of a report, the answers of brokers are kept."""

CLUSTER = "tests/audit/clusters/kafka-4.3.1/healthy"


@click.command(
    "audit",
    cls=EpochalCommand,
    examples=(
        f"epochal audit {CLUSTER}",
        f"epochal audit {CLUSTER} --what-if topic:orders:min.insync.replicas=2 --brief",
        f"epochal audit {CLUSTER} --diff tests/audit/clusters/kafka-4.3.1/broker-down --format json",
        f"epochal audit {CLUSTER} --may stop:3 --may roll --may power:rack=a",
        f"epochal audit {CLUSTER}/topics.txt --kafka 4.1 --policy examples/audit.toml",
    ),
)
@click.argument("paths", metavar="[FILES]...", nargs=-1, type=click.Path(path_type=Path))
@options(
    "kafka producers policy what_if diff against may bootstrap command_config timeout accepting reason lock searches "
    "budget workers",
    of="audit",
)
@click.option(
    "--prometheus",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE.prom",
    help="Also write the promises as metrics, for node_exporter's textfile collector.",
)
@output("Write the report as a page, JSON and SARIF, and one run for each loss, to this folder.")
def audit_command(
    paths: tuple[Path, ...], producers: tuple[str, ...], prometheus: Path | None, output: Output, **asked: Any
) -> int:
    """Report what a cluster guarantees to each of its topics, and what to change.

    FILES are files and folders that describe the cluster: outputs of Kafka's tools as below, server.properties of
    nodes, properties of producers, Strimzi resources, a Terraform plan, Jikkou or kafka-gitops files. Each file is
    recognised by its content. Nothing is connected to, except by --bootstrap, which asks brokers and changes nothing.

    \b
      kafka-topics --bootstrap-server HOST:9092 --describe > dump/topics.txt
      kafka-features --bootstrap-server HOST:9092 describe > dump/features.txt
      kafka-configs ... --describe --all --entity-type topics > dump/configs.txt
      kafka-configs ... --describe --all --entity-type brokers > dump/brokers.txt
      kafka-configs ... --describe --entity-type brokers --entity-default > dump/all.txt
      kafka-metadata-quorum ... describe --replication > dump/quorum.txt

    A search of the release decides each answer, as it was shipped and as it was designed, and each fix again. An error
    means that the settings lose acknowledged records; a warning means a smaller loss, or one that only the release
    causes. Exit code 0: no errors; 12: errors; 20: the policy is violated; 30: some answers are open.
    """
    from epochal.api.audit import audit
    from epochal.checker.base.files import write_atomically, writing
    from epochal.errors import UsageError

    pairs = dict(one.rpartition("=")[::2] for one in producers)
    if "" in pairs or "" in pairs.values():
        raise UsageError("--producer is PATTERN=FILE, such as 'orders*=app.properties'")
    folder = output.folder()
    kept = folder.path / DUMP if folder is not None else None
    result = output.ask(audit, *paths, producers=pairs, dump=kept, **asked)
    files = result.write(folder.path) if folder is not None else []
    if prometheus is not None:
        with writing(prometheus, "Give --prometheus a file in a folder where you may write, on a disk with room."):
            write_atomically(prometheus, result.to_prometheus())
        files.append(str(prometheus))
    return output.show(result, files)


@click.command(
    "policy",
    cls=EpochalCommand,
    examples=(
        "epochal policy --for kubernetes --kafka 4.3 --elr on --keep lossy --writes-with-down 1",
        "epochal policy --for opa --kafka 3.9 --keep clean --default min.insync.replicas=2 --out topics.rego",
        "epochal policy --for java --kafka 4.3 --elr on --keep lossy --out EpochalTopicPolicy.java",
    ),
)
@options("target kafka elr keep writes_with_down as_shipped undecided defaults", of="policy")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the policy to this file. Without it the policy is printed.",
)
def policy_command(out: Path | None, **asked: Any) -> int:
    """Write a policy that refuses topics whose settings do not keep a promise.

    What is refused follows from the answers of 'epochal guarantees', which come with the package or were searched on
    this machine before: nothing is searched, and no rule is written by hand. The file begins with what was searched,
    which settings are refused for what reason, and what the policy does not know. Exit code 0: there is a policy; 2: a
    word is not known, or no settings keep the promise; 153: the file cannot be written.
    """
    from epochal.api.policy import policy
    from epochal.report.page import open_page

    result = policy(**asked)
    if out is None:
        click.echo(result.text, nl=False)
        return result.exit_code
    result.render(open_page(sys.stdout), [str(result.save(out))])
    return result.exit_code


@click.command(
    "conform",
    cls=EpochalCommand,
    examples=(
        "epochal conform tests/evidence/leader-change-4.3.1.tar.xz",
        "epochal conform tests/evidence/unclean-election-3.9.2.tar.xz --kafka 4.1 --brief",
        "epochal conform tests/evidence/reproduced-s24-4.3.1.tar.xz --out found",
    ),
)
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--kafka", metavar="VERSION", help="The version whose rules apply. Default: the version in the logs.")
@click.option(
    "--protocol",
    default="kraft",
    metavar="FILE:NAME",
    help="Compare with this change to kraft instead; the file is loaded and run.",
)
@options("budget")
@output("Write the run that explains a partition as a trace, and one for each property that fails in it.")
def conform_command(
    paths: tuple[Path, ...], kafka: str | None, protocol: str, budget: float | None, output: Output
) -> int:
    """Check whether the files that Kafka left behind are a run of the specification (trace validation).

    FILES are files, folders and archives (.gz, .xz, .bz2, .tar, .zip) from brokers and controllers: segments and
    snapshots of __cluster_metadata-0, or their kafka-dump-log output; state-change.log; server.log, which names the
    version; log directories; and a history of clients. Each file is recognised by its content. Copies from several
    nodes are welcome.

    Every change of a partition must be a step of the specification from the state before it, under the registrations of
    that moment, and no due change may be missing. The lines of brokers about roles, ISR answers, truncations and log
    starts must agree with these changes and with the rules for leaders and followers. One run of the specification must
    explain everything about a partition, with hidden steps where no line reports them. The report lists acknowledged
    records that the present leader does not have, and possible causes. Exit code 0: accepted; 20: something is refused,
    and the report shows what was expected; 30: nothing could be checked, or --budget was spent before all partitions
    were checked.
    """
    from epochal.api.conform import TELLING, conform

    folder = output.folder()
    result = output.ask(conform, *paths, telling=TELLING, protocol=protocol, kafka=kafka, budget=budget)
    files: list[str] = []
    if folder is not None:
        files = [str(folder.write_trace("kraft-observed", name, one)) for name, one in result.traces.items()]
        files.append(str(folder.write_document("result.json", result.to_dict())))
    return output.show(result, files)
