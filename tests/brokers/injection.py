"""A cluster with clients at work, and a plan of faults that is done to it; what cannot be done is written down."""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.brokers.checkpoints import offsets_in
from tests.brokers.cluster import Cluster
from tests.brokers.configuration import Shape
from tests.brokers.messages import Api, Part, Way
from tests.brokers.plan import Step
from tests.brokers.process import NotReady, wait_until
from tests.brokers.scenario import TOPIC, Stage
from tests.brokers.segments import log_end_offset
from tests.brokers.tools import ToolFailed

BROKERS, CONTROLLER = 3, 101

SHAPE = Shape(
    brokers=BROKERS,
    proxied=tuple(
        (source, target)
        for source in range(1, BROKERS + 1)
        for target in (*range(1, BROKERS + 1), CONTROLLER)
        if source != target
    ),
)
"""Three brokers and a controller, with a proxy on every way between them."""


OF_OPERATOR = {"elect", "configure", "reassign"}
LATE = 8.0
"""Seconds after which a request of an operator is dropped: one of Kafka's tools may wait for a broker that is gone."""


class Injection(Stage):
    """Does the steps of a plan."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        super().__init__(cluster, folder)
        self._asked: queue.Queue[tuple[float, Step] | None] = queue.Queue()
        self._operator = threading.Thread(target=self._operate, name="operator", daemon=True)

    def play(self, plan: list[Step]) -> None:
        """Do each step at its time; an operator's requests may take long, and hold up nothing else."""
        self._operator.start()
        begun = time.monotonic()
        for step in plan:
            time.sleep(max(0.0, begun + step.at - time.monotonic()))
            self._do(step)
        self._asked.put(None)
        self._operator.join(60)

    def heal(self, seconds: float = 90) -> bool:
        """End every fault, start what has ended, and wait until all replicas are in sync; whether they are."""
        self.steps.write("heal")
        for source, target in self.cluster.shape.proxied:
            for link in self.cluster.proxies.between(source, target):
                link.delay(0)
                link.release()
        for number, node in self.cluster.nodes.items():
            if node.process is not None and node.process.paused:
                self.resume(number)
        for number in (*self.cluster.controllers, *self.cluster.brokers):
            self.start_again(number)
        seen = None

        def in_sync() -> bool:
            nonlocal seen
            seen = self.cluster.admin.partition(TOPIC)
            return seen is not None and seen.leader >= 0 and seen.isr == frozenset(seen.replicas)

        with self._tried("heal"):
            self.cluster.wait_ready(*self.cluster.nodes, seconds=seconds)
            wait_until("all replicas are in sync", in_sync, seconds, 0.5)
        if seen is not None:
            self.steps.write("seen", leader=seen.leader, isr=sorted(seen.isr), replicas=seen.replicas)
        return seen is not None and seen.isr == frozenset(seen.replicas)

    # -- steps of a plan that no scenario has -------------------------------------------------------------------------

    def crash(self, node: int, tail: int) -> None:
        """kill -9, and the last records that were not flushed are gone."""
        self.kill(node)
        replica = self.cluster.nodes[node].replica(TOPIC)
        flushed = offsets_in(replica.parent / "recovery-point-offset-checkpoint").get((TOPIC, 0), 0)
        self.lose_tail(node, kept=max(flushed, log_end_offset(replica) - tail))

    def start_again(self, node: int) -> None:
        """Start a node whose process has ended, or was to end and has not."""
        of = self.cluster.nodes[node]
        if of.process is not None and of.process.running and of.process.stopping:
            self.kill(node)
        if not of.running:
            self.steps.write("start", node=node)
            of.start()

    def delay(self, source: int, target: int, seconds: float) -> None:
        """Let what passes between two nodes arrive later, until `release`."""
        self.steps.write("delay link", source=source, target=target, seconds=seconds)
        for link in self.cluster.proxies.between(source, target):
            link.delay(seconds)

    def _do(self, step: Step) -> None:
        facts: dict[str, Any] = dict(step.facts)
        if step.what in OF_OPERATOR:
            self._asked.put((time.monotonic(), step))
            return
        with self._tried(step.what):
            if step.what == "hold" and "api" in facts:
                facts["part"] = Part(Way(facts.pop("way")), Api[facts.pop("api")])
            if step.what == "release":
                for link in self.cluster.proxies.between(facts["source"], facts["target"]):
                    link.delay(0)
            getattr(self, step.what)(**facts)

    def _operate(self) -> None:
        """What an operator does, one after the other."""
        while asked := self._asked.get():
            due, step = asked
            with self._tried(step.what):
                if time.monotonic() > due + LATE:
                    raise NotReady(f"the operator was busy for more than {LATE:g} s")
                facts = dict(step.facts)
                getattr(self, step.what)(*facts.pop("replicas", ()), **facts)

    @contextlib.contextmanager
    def _tried(self, what: str) -> Iterator[None]:
        """Faults meet one another: what cannot be done is written down."""
        from confluent_kafka import KafkaException

        try:
            yield
        except (NotReady, ToolFailed, KafkaException, TimeoutError) as error:
            self.steps.write("not done", step=what, why=" ".join(str(error).split())[:300])
