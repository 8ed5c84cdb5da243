"""`epochal audit`: what a cluster guarantees to each of its topics, and what to change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..app.command import EpochalCommand
from ..app.options import Output, options, output

CLUSTER = "tests/audit/clusters/kafka-4.3.1/healthy"


@click.command(
    "audit",
    cls=EpochalCommand,
    examples=(
        f"epochal audit {CLUSTER}",
        f"epochal audit {CLUSTER} --what-if topic:orders:min.insync.replicas=2 --brief",
        f"epochal audit {CLUSTER} --diff tests/audit/clusters/kafka-4.3.1/broker-down --format json",
        f"epochal audit {CLUSTER}/topics.txt --kafka 4.1 --policy examples/audit.toml",
    ),
)
@click.argument("paths", metavar="FILES...", nargs=-1, required=True, type=click.Path(path_type=Path))
@options("kafka producers policy what_if diff accepting reason lock searches budget workers", of="audit")
@output("Write the report as a page, JSON and SARIF, and one run for each loss, to this folder.")
def command(paths: tuple[Path, ...], producers: tuple[str, ...], output: Output, **asked: Any) -> int:
    """Report what a cluster guarantees to each of its topics, and what to change.

    FILES are files and folders that describe the cluster; audit never connects to it. Collect them as below, and add
    server.properties of nodes, properties of producers, or Strimzi resources. Each file is recognised by its content.

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
    from epochal.errors import UsageError

    pairs = dict(one.rpartition("=")[::2] for one in producers)
    if "" in pairs or "" in pairs.values():
        raise UsageError("--producer is PATTERN=FILE, such as 'orders*=app.properties'")
    folder = output.folder()
    result = output.ask(audit, *paths, producers=pairs, **asked)
    return output.show(result, result.write(folder.path) if folder is not None else [])
