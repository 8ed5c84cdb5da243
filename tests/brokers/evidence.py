"""What brokers leave behind: collected from a cluster whose processes have ended, and packed into a small archive.

    about.json           which scenario, release, roles, settings
    steps.jsonl          what the scenario did, with times
    history.jsonl        what its clients sent, were told and read
    scenario.py          the script that was played
    node-N/config        server.properties and the file of the loggers
    node-N/logs          server.log, state-change.log, controller.log, kafka-request.log; empty ones are left out
    node-N/metadata      meta.properties, and __cluster_metadata-0 with its segments, quorum-state and epochs
    node-N/data          meta.properties, checkpoints, and every replica: segments, leader-epoch-checkpoint
    dumps                kafka-dump-log of the metadata log of the first controller, and of the replicas of each broker

The same folder always gives the same archive: names in order, no owners, no times of files.
"""

from __future__ import annotations

import io
import json
import lzma
import shutil
import tarfile
from pathlib import Path
from typing import Any

from tests.brokers.cluster import Cluster
from tests.brokers.tools import Tools

LEFT_OUT = {".lock", ".index", ".timeindex", ".txnindex", ".snapshot"}
"""Files without news: locks; indexes, which follow from segments and are 10 MiB of zeros; producer snapshots."""

METADATA = "__cluster_metadata-0"


def collect(cluster: Cluster, folder: Path, about: dict[str, Any]) -> None:
    """Copy what the nodes left into a folder, and add Kafka's own dumps of it."""
    for number, node in cluster.nodes.items():
        if node.running:
            raise RuntimeError(f"node {number} runs: its files may change while they are copied")
        for path in sorted(node.folder.rglob("*")):
            if path.is_file() and path.stat().st_size and not LEFT_OUT & {path.name, path.suffix}:
                target = folder / f"node-{number}" / path.relative_to(node.folder)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)
    write_json(folder / "about.json", about)
    tools = Tools(cluster.release, cluster.bootstrap)
    dumps = folder / "dumps"
    dumps.mkdir()
    number, node = next(iter(cluster.controllers.items()))
    segments = sorted((node.folder / "metadata" / METADATA).glob("*.log"))
    (dumps / f"node-{number}-metadata.txt").write_text(tools.dump_metadata(segments), encoding="utf-8")
    for number, node in cluster.brokers.items():
        if segments := sorted(path for folder in node.log_dirs for path in folder.glob("*/*.log")):
            (dumps / f"node-{number}-data.txt").write_text(tools.dump_log(segments), encoding="utf-8")


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a JSON file to read."""
    path.write_text(json.dumps(document, indent=2, sort_keys=True) + "\n", encoding="utf-8")


def pack(folder: Path, archive: Path) -> None:
    """Make a .tar.xz of a folder: of the same files always the same bytes."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                member = tarfile.TarInfo(path.relative_to(folder).as_posix())
                member.size = path.stat().st_size
                with path.open("rb") as file:
                    tar.addfile(member, file)
    archive.write_bytes(lzma.compress(content.getvalue(), preset=9 | lzma.PRESET_EXTREME))


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack an archive into a folder, which it cannot leave; the folder."""
    with tarfile.open(archive, mode="r:xz") as tar:
        tar.extractall(folder, filter="data")
    return folder
