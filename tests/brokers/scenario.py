"""A scenario: what is done to a cluster step by step, each step written down with its time before it is taken."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from tests.brokers import faults
from tests.brokers.client import Partition
from tests.brokers.client_process import ClientProcess
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.history import Journal, Producer, read_all, read_while_there
from tests.brokers.log_dirs import move_replica
from tests.brokers.messages import ALL, Part
from tests.brokers.process import NotReady, wait_until
from tests.brokers.remote_store import REMOTE_METADATA
from tests.brokers.segments import log_end_offset, records_on_disk
from tests.brokers.share_groups import GROUP, ShareMember
from tests.brokers.tools import Tools
from tests.brokers.transactions import ID, ClientKind, TransactionalClient, read_committed, read_uncommitted

TOPIC = "t"
"""The topic that a scenario is about unless it names another; its partition 0 is the one that things happen to."""

LEVELS: Mapping[int, Mapping[str, str]] = {
    0: {},
    1: {
        "kafka.cluster.Partition": "DEBUG",
        "kafka.server.ReplicaFetcherThread": "DEBUG",
        "kafka.server.metadata.BrokerMetadataPublisher": "DEBUG",
        # the same class before and since Kafka 4.4
        "kafka.server.DefaultAlterPartitionManager": "DEBUG",
        "org.apache.kafka.server.partition": "DEBUG",
    },
    2: {"kafka.request.logger": "DEBUG"},
}
"""How much brokers log: 0 as released; 1 a leader's high watermarks and fetches too; 2 every request and response."""


def levels_up_to(tier: int) -> dict[str, str]:
    """The levels by logger of a tier, which has those of the tiers below it."""
    return {logger: level for number, levels in LEVELS.items() if number <= tier for logger, level in levels.items()}


@dataclass(frozen=True)
class Scenario:
    """What is played, on which cluster, and what it tells in a sentence."""

    name: str
    tells: str
    play: Callable[[Stage], None]
    shape: Shape = field(default_factory=Shape)


class Stage:
    """A cluster on which a scenario is played; every step is a line of `steps.jsonl`, every record one of history.

    Partition 0 of `topic` is the one that is watched and whose leader changes. What transactional clients are asked
    and told is in `transactions.jsonl`.
    """

    def __init__(self, cluster: Cluster, folder: Path, topic: str = TOPIC) -> None:
        self.cluster, self.topic = cluster, topic
        self.steps = Journal(folder / "steps.jsonl")
        self.history = Journal(folder / "history.jsonl")
        self.transactions = Journal(folder / "transactions.jsonl")
        self.tools = Tools(cluster.release, cluster.bootstrap)
        self._producers: dict[str, Producer] = {}
        self._clients: list[ClientProcess] = []
        self._sent = 0

    # -- records ------------------------------------------------------------------------------------------------------

    def send(self, count: int = 1, acks: str = "all", seconds: float = 10) -> list[int | None]:
        """Send records one after the other, each with a value of its own; their offsets, or None."""
        if acks not in self._producers:
            self._producers[acks] = Producer(self.cluster.bootstrap, self.history, acks, name=f"producer-acks-{acks}")
        self.steps.write("send", count=count, acks=acks)
        found = []
        for _ in range(count):
            self._sent += 1
            found.append(self._producers[acks].send(self.topic, f"r{self._sent}", seconds=seconds))
        return found

    def sent(self, count: int = 1, acks: str = "all") -> None:
        """Send records; NotReady unless all are acknowledged."""
        if None in (answers := self.send(count, acks)):
            raise NotReady(f"not all records were acknowledged: {answers}")

    def send_in_background(self, seconds: float) -> Future[int | None]:
        """Send a record with acks=all and do not wait for what becomes of it; its offset, or None, comes later."""
        self.steps.write("send in background", acks="all")
        self._sent += 1
        name = f"producer-in-background-{self._sent}"
        producer = Producer(self.cluster.bootstrap, self.history, name=name, patience=seconds)
        self._producers[name] = producer
        answer: Future[int | None] = Future()
        value = f"r{self._sent}"
        thread = threading.Thread(
            target=lambda: answer.set_result(producer.send(self.topic, value, seconds=seconds)), name=name, daemon=True
        )
        thread.start()
        return answer

    def read(self) -> dict[int, str]:
        """Read all that the leader has, up to its high watermark."""
        self.steps.write("read")
        return read_all(self.cluster.bootstrap, self.history, self.topic)

    def read_while_there(self) -> tuple[dict[int, str], str]:
        """The same as far as the leader answers; and the error that ended it, if one did."""
        self.steps.write("read")
        found, error = read_while_there(self.cluster.bootstrap, self.history, self.topic)
        self.steps.write("read so far", records=len(found), error=error)
        return found, error

    # -- tiered storage -----------------------------------------------------------------------------------------------

    def keep_remote_metadata_on(self, node: int) -> None:
        """Move what is written of remote segments to one broker, when there is a topic of it."""

        def led() -> bool:
            found = self.cluster.admin.partition(REMOTE_METADATA)
            return found is not None and found.leader >= 0

        wait_until(f"{REMOTE_METADATA} has a leader", led, 60)
        self.steps.write("keep remote metadata", node=node)
        self.tools.reassign(REMOTE_METADATA, {0: [node]})

    def uploaded(self) -> list[str]:
        """The segments in the remote store: the base offset of each, and its id."""
        found = self.cluster.remote.uploaded(self.topic)
        self.steps.write("uploaded", segments=found)
        return found

    def on_disk(self, node: int) -> tuple[int, ...]:
        """The offsets of the records that the replica of a broker has in its segments."""
        found = records_on_disk(self.cluster.nodes[node].replica(self.topic))
        self.steps.write("on disk", node=node, offsets=found)
        return found

    def wait_gone_from_disk(self, node: int, seconds: float = 60) -> None:
        """Wait until no segment of a broker's replica has a record."""
        replica = self.cluster.nodes[node].replica(self.topic)
        wait_until(f"no segment of {node} has a record", lambda: not records_on_disk(replica), seconds)
        self.on_disk(node)

    # -- transactions -------------------------------------------------------------------------------------------------

    def client(self, name: str, kind: ClientKind, timeout: int) -> TransactionalClient:
        """Start a transactional client in a process of its own; its transactions are aborted after `timeout` ms."""
        self.steps.write("start client", name=name, kind=kind.value, timeout=timeout)
        client = TransactionalClient(self.cluster, kind, name, timeout, (self.history, self.transactions))
        self._clients.append(client)
        return client

    def kill_client(self, client: TransactionalClient) -> None:
        """End a client at once: what it has not been told yet it never hears."""
        self.steps.write("kill client", name=client.name)
        client.kill()

    def member(self, name: str) -> ShareMember:
        """Start a member of the share group of this topic in a process of its own."""
        self.steps.write("start member", name=name)
        member = ShareMember(self.cluster, name, self.topic, self.steps)
        self._clients.append(member)
        return member

    def describe_share_offsets(self) -> str:
        """What `kafka-share-groups --describe --offsets` says of the group."""
        text = self.tools.describe_share_offsets(GROUP).strip()
        self.steps.write("described", text=text)
        return text

    def read_committed(self, topic: str, partition: int) -> list[str]:
        """What a consumer with isolation.level=read_committed reads of a partition now, up to its last stable offset.

        In history stands all that is there, whatever became of its transaction.
        """
        self.steps.write("read", topic=topic, partition=partition)
        read_uncommitted(self.cluster.bootstrap, self.history, topic, partition)
        return read_committed(self.cluster.bootstrap, self.transactions, topic, partition)

    # -- the cluster --------------------------------------------------------------------------------------------------

    def create(self, *replicas: int, **settings: str) -> None:
        """Create the topic with one partition of these replicas."""
        self.steps.write("create topic", replicas=replicas, settings=settings)
        self.cluster.admin.create_topic(self.topic, [replicas], **settings)

    def create_beside(self, topic: str, *partitions: Sequence[int], **settings: str) -> None:
        """Create another topic, with the replicas of each of its partitions, preferred leader first."""
        wanted = [list(replicas) for replicas in partitions]
        self.steps.write("create topic", topic=topic, replicas=wanted, settings=settings)
        self.cluster.admin.create_topic(topic, wanted, **settings)

    def wait(
        self,
        leader: int | None = None,
        isr: Sequence[int] | None = None,
        replicas: Sequence[int] | None = None,
        seconds: float = 40,
    ) -> Partition:
        """Wait until the partition is seen so by a broker that hears the controller; what was seen is a step too."""
        self.steps.write("wait", leader=leader, isr=isr, replicas=replicas)
        seen = self.cluster.admin_that_hears.wait_for(
            self.topic, leader=leader, isr=isr, replicas=replicas, seconds=seconds
        )
        self.steps.write("seen", leader=seen.leader, isr=sorted(seen.isr), replicas=seen.replicas)
        return seen

    def wait_leader(self, seconds: float = 40) -> int:
        """Wait until the partition has a leader, whichever broker that runs; which."""
        self.steps.write("wait for a leader")
        leader = -1

        def there() -> bool:
            nonlocal leader
            seen = self.cluster.admin_that_hears.partition(self.topic)
            leader = seen.leader if seen else -1
            return leader >= 0 and self.cluster.nodes[leader].running

        wait_until(f"{self.topic}-0 has a leader", there, seconds, 0.2)
        return self.wait(leader=leader).leader

    def lose_tail(self, node: int, kept: int | None = None) -> int:
        """Cut the replica of a broker that was killed back to an offset, or to its recovery point; batches lost."""
        lost = faults.lose_tail(self.cluster, node, self.topic, kept=kept)
        self.steps.write("lose tail", node=node, kept=kept, batches=lost)
        return lost

    def cut(self, source: int, target: int) -> None:
        """Cut the way from a node to another, until `release`."""
        self.steps.write("cut link", source=source, target=target)
        for link in self.cluster.proxies.between(source, target):
            link.cut()

    def hold(self, source: int, target: int, part: Part = ALL, after: int = 0) -> None:
        """Hold back what passes on the way from a node to another, until `release`; or a part of it (`proxy`)."""
        self.steps.write(
            "hold link", source=source, target=target, **part.told(), **({"after": after} if after else {})
        )
        for link in self.cluster.proxies.between(source, target):
            link.hold(part, after)

    def release(self, source: int, target: int, part: Part | None = None) -> None:
        """Let it pass again."""
        self.steps.write("release link", source=source, target=target, **(part.told() if part else {}))
        for link in self.cluster.proxies.between(source, target):
            link.release(part)

    def wait_held(self, source: int, target: int, part: Part, seconds: float = 20) -> None:
        """Wait until something of a part has come to the proxy on the way and waits there."""
        links = self.cluster.proxies.between(source, target)
        wait_until(
            f"{part.told()} wait on the way from {source} to {target}",
            lambda: any(link.holds(part) for link in links),
            seconds,
            0.02,
        )
        self.steps.write("held", source=source, target=target, **part.told())

    def kill(self, node: int) -> None:
        """kill -9."""
        self.steps.write("kill", node=node)
        faults.kill(self.cluster, node)

    def kill_active_controller(self) -> int:
        """kill -9 of the quorum's leader, and wait until it has another; which was killed."""
        leader = self.cluster.quorum_leader()
        self.kill(leader)
        self.steps.write("seen", active_controller=self.cluster.wait_quorum_leader(other_than=leader))
        return leader

    def stop(self, node: int) -> None:
        """Controlled shutdown."""
        self.steps.write("stop", node=node)
        self.cluster.stop(node)

    def begin_stop(self, node: int) -> None:
        """Begin a controlled shutdown, and do not wait for its end."""
        self.steps.write("begin to stop", node=node)
        self.cluster.nodes[node].alive().begin_stop()

    def wait_stopped(self, node: int, seconds: float = 60) -> None:
        """Wait until a node has ended."""
        wait_until(f"node {node} has ended", lambda: not self.cluster.nodes[node].running, seconds)
        self.steps.write("stopped", node=node)

    def wait_log_end(
        self, node: int, offset: int, seconds: float = 20, topic: str | None = None, partition: int = 0
    ) -> None:
        """Wait until the replica of a broker ends at an offset: that of the topic, or of another partition."""
        of = topic or self.topic
        replica = self.cluster.nodes[node].replica(of, partition)
        whose = "the log" if topic is None else f"{of}-{partition}"
        wait_until(f"{whose} of {node} ends at {offset}", lambda: log_end_offset(replica) == offset, seconds)
        self._log_end(node, offset, topic, partition)

    def log_end(self, node: int, topic: str | None = None, partition: int = 0) -> int:
        """Where the replica of a broker ends now."""
        offset = log_end_offset(self.cluster.nodes[node].replica(topic or self.topic, partition))
        self._log_end(node, offset, topic, partition)
        return offset

    def _log_end(self, node: int, offset: int, topic: str | None, partition: int) -> None:
        where = {} if topic is None else {"topic": topic, "partition": partition}
        self.steps.write("log end", node=node, offset=offset, **where)

    def wait_led(self, node: int, epoch: int, seconds: float = 20) -> str:
        """Wait until a broker says in state-change.log that it leads in a leader epoch; the line."""
        line = self.wait_logged(node, rf"Leader {self.topic}-0 .*starts at leader epoch {epoch} ", seconds=seconds)
        self.steps.write("led", node=node, epoch=epoch, line=line)
        return line

    def wait_logged(
        self, node: int, pattern: str, count: int = 1, file: str = "state-change.log", seconds: float = 20
    ) -> str:
        """Wait until a log of a broker has so many lines that a pattern fits; the last of them."""

        def there() -> bool:
            return len(self.logged(node, pattern, file)) >= count

        wait_until(f"broker {node} says {pattern!r} in {file}", there, seconds)
        return self.logged(node, pattern, file)[count - 1]

    def logged(self, node: int, pattern: str, file: str = "state-change.log") -> list[str]:
        """The lines of a log of a broker that a pattern fits."""
        fits = re.compile(pattern)
        return [line for line in self.cluster.nodes[node].logged("", file) if fits.search(line)]

    def start(self, node: int) -> None:
        """Start again."""
        self.steps.write("start", node=node)
        self.cluster.start(node)
        self.steps.write("started", node=node)

    def begin_start(self, node: int) -> None:
        """Start again, and do not wait until it serves."""
        self.steps.write("begin to start", node=node)
        self.cluster.nodes[node].start()

    def pause(self, node: int) -> None:
        """SIGSTOP."""
        self.steps.write("pause", node=node)
        faults.pause(self.cluster, node)

    def resume(self, node: int) -> None:
        """SIGCONT."""
        self.steps.write("resume", node=node)
        faults.resume(self.cluster, node)

    def elect(self, kind: str) -> None:
        """A preferred or an unclean election, through a broker that reaches the controller; NotReady unless held."""
        self.steps.write("elect", kind=kind)
        if error := self.cluster.admin.elect(kind, self.topic, not_through=self.cluster.deaf):
            raise NotReady(f"the {kind} election was refused: {error}")

    def reassign(self, *replicas: int) -> None:
        """Begin a reassignment to these replicas."""
        self.steps.write("reassign", replicas=replicas)
        self.tools.reassign(self.topic, {0: replicas})

    def cancel_reassignment(self, *replicas: int) -> None:
        """Cancel the reassignment to these replicas."""
        self.steps.write("cancel reassignment", replicas=replicas)
        self.tools.cancel_reassignment(self.topic, {0: replicas})

    def move(self, node: int) -> None:
        """Move a broker's replica to another of its log directories, and wait until it is there."""
        of = self.cluster.nodes[node]
        there = next(folder for folder in of.log_dirs if folder != of.replica(self.topic).parent)
        self.steps.write("move to another log directory", node=node, to=there.name)
        assert of.role.client_port is not None  # it is a broker
        move_replica(of.role.client_port, there, self.topic)
        wait_until(f"the replica of {node} is in {there.name}", lambda: of.replica(self.topic).parent == there, 20)

    def configure(self, **settings: str) -> None:
        """Change settings of the topic."""
        self.steps.write("configure topic", settings=settings)
        self.cluster.admin.configure_topic(self.topic, **settings)

    def downgrade(self, feature: str) -> None:
        """Set the level of a feature to 0."""
        self.steps.write("downgrade feature", feature=feature)
        self.tools.downgrade_feature(feature)

    def describe(self, until: str = "", times: int = 10) -> str:
        """What `kafka-topics --describe` says: since 4.0 also the ELR, which no other client here can ask for.

        It asks any broker: `until` is what the answer of one that is up to date has in it.
        """
        text = self.tools.describe_topic(self.topic)
        while until not in text and (times := times - 1):
            text = self.tools.describe_topic(self.topic)
        self.steps.write("described", text=text)
        return text

    def describe_transaction(self) -> str:
        """What `kafka-transactions describe` says of the transactional id of all clients here."""
        text = self.tools.describe_transaction(ID).strip()
        self.steps.write("described", text=text)
        return text

    def end(self) -> None:
        """End all processes at once, controllers first, so that the end of a scenario is no event in it.

        Before that brokers have the time to write their checkpoints (`configuration.QUICK`).
        """
        time.sleep(2.5)
        self.steps.write("end: kill all")
        for node in (*self.cluster.controllers, *self.cluster.brokers):
            if self.cluster.nodes[node].running:
                faults.kill(self.cluster, node)
        for producer in self._producers.values():
            producer.close()
        self.close_clients()

    def close_clients(self) -> None:
        """End the processes of clients; more than once is fine."""
        for client in self._clients:
            client.kill()
