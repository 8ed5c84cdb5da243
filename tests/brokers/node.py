"""One node of a cluster: its folder, its files, and the process that is started on them as often as a scenario wants.

* data/ is log.dirs: replicas and checkpoints;
* metadata/ is metadata.log.dir: `__cluster_metadata-0`;
* logs/ has what it logs, config/ what it was told.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.brokers.addresses import hosts_file
from tests.brokers.configuration import Role, Shape, properties_text, server_properties
from tests.brokers.logging_files import java_option, logging_file
from tests.brokers.process import JavaProcess, NotReady, java_command, last_lines
from tests.brokers.releases import Release

CLUSTER_ID = "ZXBvY2hhbC1icm9rZXJzIQ"
"""Sixteen bytes as Kafka writes ids; the same for all clusters, which never meet."""


class Node:
    """A broker, a controller, or both in one process."""

    def __init__(
        self,
        release: Release,
        role: Role,
        roles: Sequence[Role],
        shape: Shape,
        folder: Path,
        before: Path | None = None,
    ) -> None:
        """`before` is a folder of classes that stands before the jars of the release."""
        self.release, self.role, self.folder = release, role, folder
        jars = release.class_path()
        self.class_path = jars if before is None else os.pathsep.join((str(before), jars))
        self.process: JavaProcess | None = None
        self.starts = 0
        self.log_dirs = [folder / name for name in shape.log_dirs]
        for name in (*shape.log_dirs, "metadata", "logs", "config"):
            (folder / name).mkdir(parents=True)
        self.properties = server_properties(role, list(roles), folder, shape)
        self.configuration.write_text(properties_text(self.properties), encoding="utf-8")
        hosts = hosts_file(role.node, [one.node for one in roles], shape.proxied)
        (folder / "config" / "hosts").write_text(hosts, encoding="utf-8")
        name, text = logging_file(release.log4j2, folder / "logs", shape.log_levels)
        self.logging = folder / "config" / name
        self.logging.write_text(text, encoding="utf-8")

    @property
    def number(self) -> int:
        """Its node id."""
        return self.role.node

    @property
    def configuration(self) -> Path:
        """Its server.properties."""
        return self.folder / "config" / "server.properties"

    @property
    def data(self) -> Path:
        """The folder of its replicas, the first if it has several."""
        return self.log_dirs[0]

    def replica(self, topic: str, partition: int = 0) -> Path:
        """The folder of a replica, in whichever log directory it is; NotReady if it is in none."""
        name = f"{topic}-{partition}"
        for folder in self.log_dirs:
            if (folder / name).exists():
                return folder / name
        raise NotReady(f"node {self.number} has no replica of {name}")

    @property
    def running(self) -> bool:
        """Whether its process has not ended."""
        return self.process is not None and self.process.running

    @property
    def serving(self) -> bool:
        """Whether its process runs, and neither stands still nor is about to end."""
        return self.running and self.process is not None and not (self.process.paused or self.process.stopping)

    def java(self, main: str, *arguments: str, logs: bool = False) -> list[str]:
        """The command of a Java program with this node's view of names."""
        options = [f"-Djdk.net.hosts.file={self.folder / 'config' / 'hosts'}", "-Duser.timezone=UTC"]
        if logs:
            options.append(java_option(self.release.log4j2, self.logging))
        return java_command(self.class_path, main, arguments, options)

    def format(self, features: Mapping[str, int], again: bool = False) -> None:
        """Begin to write the first records and meta.properties, `kafka-storage format`; `formatted` waits for it.

        `again` is for a node of which some folders are formatted: the others get a directory id of their own.
        """
        asked = [word for name, level in features.items() for word in ("--feature", f"{name}={level}")]
        words = [
            "format",
            "--cluster-id",
            CLUSTER_ID,
            "--config",
            str(self.configuration),
            *asked,
            *(["--ignore-formatted"] if again else []),
        ]
        self.process = JavaProcess(
            self.java(self.release.tool("StorageTool"), *words), self.folder / "logs" / "format.log"
        )

    def formatted(self) -> None:
        """Wait until `format` is done; NotReady with what it said if it failed."""
        if self.process is None or self.process.wait(90):
            raise NotReady(
                f"node {self.number} was not formatted:\n{last_lines(self.process.output) if self.process else ''}"
            )

    def start(self) -> None:
        """Start the process; `cluster.Cluster` waits until it is ready."""
        if self.running:
            raise NotReady(f"node {self.number} runs already")
        self.starts += 1
        command = self.java("kafka.Kafka", str(self.configuration), logs=True)
        self.process = JavaProcess(command, self.folder / "logs" / "output.log")

    def logged(self, text: str, file: str = "server.log") -> list[str]:
        """The lines of one of its logs with a text in them, in their order."""
        lines = (self.folder / "logs" / file).read_text(encoding="utf-8", errors="replace").splitlines()
        return [line for line in lines if text in line]

    def alive(self) -> JavaProcess:
        """The process; NotReady with its last words if it has ended."""
        if self.process is None:
            raise NotReady(f"node {self.number} was never started")
        if not self.process.running:
            last = "\n".join(last_lines(path) for path in (self.process.output, self.folder / "logs" / "server.log"))
            raise NotReady(f"node {self.number} ended with {self.process.exit_code}:\n{last}")
        return self.process
