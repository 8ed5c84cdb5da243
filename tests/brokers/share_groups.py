"""Members of share groups (KIP-932) in processes of their own, with the Java client of the release."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.brokers.client_process import PATIENCE, ClientProcess
from tests.brokers.history import Journal
from tests.brokers.process import java_command

if TYPE_CHECKING:
    from tests.brokers.cluster import Cluster

GROUP = "g"
"""The group of every member here."""


class ShareMember(ClientProcess):
    """A member of the group, of a topic. It asks for records only while it polls."""

    def __init__(self, cluster: Cluster, name: str, topic: str, journal: Journal) -> None:
        source = Path(__file__).with_name("ShareMember.java")
        words = java_command(cluster.release.class_path(), str(source), [cluster.bootstrap, GROUP, topic])
        super().__init__(words, name, cluster.folder, journal)

    def poll(self, seconds: int) -> list[str]:
        """The values of what it is given within so many seconds; it acknowledges each."""
        return self.ask(f"poll {seconds}", seconds + PATIENCE).needed().says.split()
