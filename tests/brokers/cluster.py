"""A cluster of Apache Kafka on this machine, in a temporary folder, for the time of a `with` block."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import tempfile
import time
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.brokers.addresses import LOOPBACK, free_ports
from tests.brokers.client import Admin
from tests.brokers.configuration import Role, Shape
from tests.brokers.fixed import fixed_classes
from tests.brokers.node import Node
from tests.brokers.process import NotReady, wait_until
from tests.brokers.proxy import Proxies
from tests.brokers.releases import Release
from tests.brokers.remote_store import RemoteStore

START = 90.0
"""Seconds within which a cluster is ready, on a machine that has other work."""


class Cluster:
    """Some nodes of one release. Leaving the `with` block ends every process and removes the folder."""

    def __init__(self, release: Release, shape: Shape | None = None) -> None:
        self.release, self.shape = release, shape or Shape()
        self.nodes: dict[int, Node] = {}
        self.proxies = Proxies()
        self._remote: RemoteStore | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="epochal-brokers-")

    @property
    def folder(self) -> Path:
        """The folder of everything that the nodes write."""
        return Path(self._folder.name)

    @property
    def brokers(self) -> dict[int, Node]:
        """The nodes with replicas."""
        return {number: node for number, node in self.nodes.items() if node.role.is_broker}

    @property
    def controllers(self) -> dict[int, Node]:
        """The nodes that vote."""
        return {number: node for number, node in self.nodes.items() if node.role.is_controller}

    @property
    def bootstrap(self) -> str:
        """Where clients find the brokers."""
        return ",".join(f"{LOOPBACK}:{node.role.client_port}" for node in self.brokers.values())

    @property
    def remote(self) -> RemoteStore:
        """The remote store of tiered storage; NotReady if the cluster has none."""
        if self._remote is None:
            raise NotReady("the cluster has no tiered storage: its shape does not ask for it")
        return self._remote

    @cached_property
    def admin(self) -> Admin:
        """What asks and changes the cluster."""
        return Admin(self.bootstrap)

    def admin_at(self, number: int) -> Admin:
        """What asks one broker: the others may know less, or more, of what the controller has decided."""
        return Admin(f"{LOOPBACK}:{self.nodes[number].role.client_port}", of_one=True)

    @property
    def deaf(self) -> frozenset[int]:
        """The brokers that may not hear what the controller decides, as something on their way to it is held or cut."""
        return frozenset(number for number in self.brokers if not self.proxies.whole(number, self.controllers))

    @property
    def admin_that_hears(self) -> Admin:
        """What asks a broker that hears what the controller decides; NotReady if none does."""
        if not self.deaf:
            return self.admin
        for number, node in self.brokers.items():
            if number not in self.deaf and node.serving:
                return self.admin_at(number)
        raise NotReady(f"no broker that runs hears the controller: something is held on the way of {sorted(self.deaf)}")

    def __enter__(self) -> Self:
        try:
            self.lay_out()
            for node in self.nodes.values():
                node.format(self.shape.features)
            for node in self.nodes.values():
                node.formatted()
            for node in self.nodes.values():
                node.start()
            self.wait_ready(*self.nodes)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def lay_out(self) -> None:
        """Give every node its ports, its folder and its files."""
        brokers, controllers = self.shape.nodes()
        ports = iter(free_ports(4 * len({*brokers, *controllers})))
        roles = []
        for number in sorted({*brokers, *controllers}):
            voting = next(ports) if number in controllers else None
            serving, listening = (next(ports), next(ports)) if number in brokers else (None, None)
            secured = next(ports) if self.shape.secured and number in brokers else None
            roles.append(Role(number, voting, serving, listening, secured))
        shape = self.shape
        if shape.tiered:
            self._remote = RemoteStore(self.folder / "remote")
            self._remote.compile(self.release)
            shape = dataclasses.replace(shape, settings={**shape.settings, **self._remote.settings})
        before = fixed_classes(self.release, shape.fixes, self.folder / "fixes") if shape.fixes else None
        for role in roles:
            folder = self.folder / f"node-{role.node}"
            self.nodes[role.node] = Node(self.release, role, roles, shape, folder, before)
        reached = {one.node: [p for p in (one.controller_port, one.broker_port) if p] for one in roles}
        self.proxies.open(self.shape.proxied, reached)

    def wait_ready(self, *numbers: int, seconds: float = START) -> None:
        """Wait until the brokers among these nodes are registered, unfenced and answer clients themselves."""
        end = time.monotonic() + seconds
        wanted = {number for number in numbers if number in self.brokers}
        for number in wanted:
            admin = self.admin_at(number)

            def answers(admin: Admin = admin) -> bool:
                for one in numbers:
                    self.nodes[one].alive()
                return wanted <= admin.brokers_known()

            wait_until(f"broker {number} answers and knows {sorted(wanted)}", answers, end - time.monotonic(), 0.25)

    def start(self, number: int) -> None:
        """Start a node that has ended, and wait until it is ready."""
        self.nodes[number].start()
        self.wait_ready(number)

    def stop(self, number: int, seconds: float = 60) -> None:
        """End a node as an operator does: a broker hands its leaders over first (controlled shutdown)."""
        self.nodes[number].alive().stop(seconds)

    def quorum_leader(self) -> int:
        """The active controller, by the quorum-state files of controllers that run; NotReady if they know none."""
        latest, leader = -1, -1
        for node in self.controllers.values():
            if node.running:
                text = (node.folder / "metadata" / "__cluster_metadata-0" / "quorum-state").read_text(encoding="utf-8")
                state = json.loads(text)
                if state["leaderId"] >= 0 and state["leaderEpoch"] > latest:
                    latest, leader = state["leaderEpoch"], state["leaderId"]
        if leader < 0:
            raise NotReady("the quorum has no leader at the moment")
        return leader

    def wait_quorum_leader(self, other_than: int, seconds: float = 30) -> int:
        """Wait until the quorum has another leader; which."""

        def another() -> bool:
            try:
                return self.quorum_leader() != other_than
            except NotReady:
                return False

        wait_until(f"a controller other than {other_than} is active", another, seconds)
        return self.quorum_leader()

    def close(self) -> None:
        """End every process and remove the folder; more than once is fine. What fails holds up nothing else."""
        with contextlib.ExitStack() as last_first:
            last_first.callback(self._folder.cleanup)
            last_first.callback(self.proxies.close)
            for node in self.nodes.values():
                if node.process is not None:
                    last_first.callback(node.process.kill)
