"""The remote store of a cluster with tiered storage: a folder, and the class by which its brokers reach it.

Kafka has the interface alone (RemoteStorageManager); `FolderStore.java` is compiled with the jars of the release.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.brokers.process import NotReady
from tests.brokers.releases import Release

SOURCE = Path(__file__).resolve().parent / "FolderStore.java"

TIERED: Mapping[str, str] = {
    "remote.log.storage.system.enable": "true",
    "remote.log.storage.manager.class.name": SOURCE.stem,
    "remote.log.metadata.manager.listener.name": "BROKER",
    # one copy of what is written of segments, in one partition
    "rlmm.config.remote.log.metadata.topic.replication.factor": "1",
    "rlmm.config.remote.log.metadata.topic.num.partitions": "1",
    "rlmm.config.remote.log.metadata.topic.min.isr": "1",
    # uploads, deletions, and the first look at retention, every second
    "remote.log.manager.task.interval.ms": "1000",
    "log.retention.check.interval.ms": "1000",
    "log.initial.task.delay.ms": "1000",
}
"""What brokers with tiered storage are told, beside where the store is."""

REMOTE_METADATA = "__remote_log_metadata"
"""The topic with what is written of remote segments."""


class RemoteStore:
    """A folder of segments, for the time of a cluster."""

    def __init__(self, folder: Path) -> None:
        self._store, self._classes = folder / "segments", folder / "classes"
        self._store.mkdir(parents=True)

    def compile(self, release: Release) -> None:
        """Make the class for a release; NotReady if that fails."""
        javac = shutil.which("javac")
        if javac is None:
            raise NotReady("javac (a JDK 17 or newer) is not here, and a remote store cannot be compiled without it")
        command = [javac, "--release", "17", "-d", str(self._classes), "-cp", release.class_path(), str(SOURCE)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            raise NotReady(f"{SOURCE.name} was not compiled with Kafka {release.version}: {done.stderr}")

    @property
    def settings(self) -> dict[str, str]:
        """Where brokers find the class and the folder."""
        return {
            "remote.log.storage.manager.class.path": str(self._classes),
            "rsm.config.folder": str(self._store),
        }

    def uploaded(self, topic: str, partition: int = 0) -> list[str]:
        """The segments of a partition that are there: the base offset of each, and its id."""
        begin = f"{topic}-{partition}-"
        return sorted(path.parent.name.removeprefix(begin) for path in self._store.glob(f"{begin}*/segment.log"))
