"""What a node is told: server.properties by role, with the settings that make faults show within seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.brokers.addresses import LOOPBACK, name_of

QUICK = {
    # a broker is fenced 3 s after its last heartbeat, not 9 s
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    # a follower is out of the ISR 4 s after it was last caught up, not 30 s
    "replica.lag.time.max.ms": "4000",
    # a quorum elects within seconds on a busy machine, and not by accident
    "controller.quorum.election.timeout.ms": "2000",
    "controller.quorum.fetch.timeout.ms": "4000",
    # the high watermark, the log start offset and the recovery point are written every second, not every 5 to 60 s
    "replica.high.watermark.checkpoint.interval.ms": "1000",
    "log.flush.start.offset.checkpoint.interval.ms": "1000",
    "log.flush.offset.checkpoint.interval.ms": "1000",
}
"""Kafka's own times, shortened; `replica.lag.time.max.ms` must stay above the time of two fetches."""

STILL = {
    # leaders move when a scenario says so
    "auto.leader.rebalance.enable": "false",
    "auto.create.topics.enable": "false",
    # the whole metadata log is kept: no snapshot takes its beginning away
    "metadata.log.max.snapshot.interval.ms": "0",
    "metadata.log.max.record.bytes.between.snapshots": "1073741824",
    "metadata.max.retention.ms": "-1",
    "metadata.max.retention.bytes": "-1",
    # internal topics are small, if anybody asks for one
    "offsets.topic.num.partitions": "1",
    "offsets.topic.replication.factor": "1",
    "transaction.state.log.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "num.network.threads": "2",
    "num.io.threads": "4",
    "background.threads": "2",
}
"""What keeps a small cluster quiet, so that what happens in it is what a scenario did."""


@dataclass(frozen=True)
class Role:
    """One node: its number, what it does, and where it listens; a port is None for a role that it does not have."""

    node: int
    controller_port: int | None = None
    broker_port: int | None = None
    client_port: int | None = None
    secured_port: int | None = None

    @property
    def is_controller(self) -> bool:
        """Whether it votes in the quorum."""
        return self.controller_port is not None

    @property
    def is_broker(self) -> bool:
        """Whether it has replicas."""
        return self.broker_port is not None

    @property
    def process_roles(self) -> str:
        """The value of `process.roles`."""
        return ",".join([*(["broker"] if self.is_broker else []), *(["controller"] if self.is_controller else [])])


@dataclass(frozen=True)
class Shape:
    """What a cluster looks like: how many nodes of which kind, and settings beside the usual ones.

    `combined` lets the first brokers be the controllers as well. `log_dirs` are the folders of replicas.
    `own` are settings of single nodes, by their numbers. `proxied` are the links with a proxy, source first: a broker
    opens the connection to a controller, and a follower that to its leader. With `tiered` brokers have a remote store.
    `secured` is the protocol of one more listener for clients, called SECURED: SSL, SASL_PLAINTEXT or SASL_SSL.
    `fixes` are holes of the catalogue whose smallest fix stands before the jars of the release.
    """

    brokers: int = 3
    controllers: int = 1
    combined: bool = False
    proxied: tuple[tuple[int, int], ...] = ()
    log_dirs: tuple[str, ...] = ("data",)
    settings: Mapping[str, str] = field(default_factory=dict)
    own: Mapping[int, Mapping[str, str]] = field(default_factory=dict)
    features: Mapping[str, int] = field(default_factory=dict)
    log_levels: Mapping[str, str] = field(default_factory=dict)
    tiered: bool = False
    fixes: tuple[str, ...] = ()
    secured: str = ""

    def nodes(self) -> tuple[list[int], list[int]]:
        """The numbers of brokers, from 1, and of controllers: the same, or from 101."""
        brokers = list(range(1, self.brokers + 1))
        first = 1 if self.combined else 101
        return brokers, list(range(first, first + self.controllers))


def server_properties(role: Role, roles: list[Role], folder: Path, shape: Shape) -> dict[str, str]:
    """The configuration of one node, whose folders lie in `folder`.

    Clients have a listener of their own at 127.0.0.1; nodes know each other by name (`addresses`). The voters are
    static (`controller.quorum.voters`), which every release here reads.
    """
    listeners, advertised = [], []
    if role.is_broker:
        listeners += [f"BROKER://{LOOPBACK}:{role.broker_port}", f"CLIENT://{LOOPBACK}:{role.client_port}"]
        advertised += [f"BROKER://{name_of(role.node)}:{role.broker_port}", f"CLIENT://{LOOPBACK}:{role.client_port}"]
    if role.secured_port:
        listeners.append(f"SECURED://{LOOPBACK}:{role.secured_port}")
        advertised.append(f"SECURED://{LOOPBACK}:{role.secured_port}")
    if role.is_controller:
        listeners.append(f"CONTROLLER://{LOOPBACK}:{role.controller_port}")
        advertised.append(f"CONTROLLER://{name_of(role.node)}:{role.controller_port}")
    voters = ",".join(f"{one.node}@{name_of(one.node)}:{one.controller_port}" for one in roles if one.is_controller)
    own = {
        "process.roles": role.process_roles,
        "node.id": str(role.node),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": ",".join(listeners),
        "advertised.listeners": ",".join(advertised),
        "listener.security.protocol.map": "BROKER:PLAINTEXT,CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT"
        + (f",SECURED:{shape.secured}" if shape.secured else ""),
        "log.dirs": ",".join(str(folder / name) for name in shape.log_dirs),
        "metadata.log.dir": str(folder / "metadata"),
    }
    if role.is_broker:
        own["inter.broker.listener.name"] = "BROKER"
    return {**STILL, **QUICK, **shape.settings, **shape.own.get(role.node, {}), **own}


def properties_text(properties: Mapping[str, str]) -> str:
    """A Java properties file; a backslash begins an escape there."""
    return "".join(f"{key}={value}\n".replace("\\", "\\\\") for key, value in properties.items())
