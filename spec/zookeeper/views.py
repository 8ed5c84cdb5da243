"""How people read a state of ZooKeeper's time: the partition's znode, every controller there was, and the brokers."""

from __future__ import annotations

from ..language import shown, view
from .state import Broker, ControllerEpoch, ZooKeeperState


class Views(ZooKeeperState):
    """A line for each who takes part. What is nothing is not said."""

    @view(of="zookeeper")
    def partition_in_words(self) -> str:
        """The partition's znode, and which controller wrote it last."""
        now = self.partition
        leader = f"leader {now.leader} e{self.leader_epoch()}" if now.leader is not None else "no leader"
        writer = f", last written by controller {now.controller_epoch}" if now.controller_epoch > 0 else ""
        return f"{leader}, ISR {now.isr} v{now.version}{writer}"

    @view(of="controller")
    def controller_in_words(self, controller: ControllerEpoch) -> str:
        """What a controller that was ever elected takes the partition and the brokers for."""
        own = self.controllers[controller]
        if not own.elected:
            return ""
        said = ["a former one"] if controller < self.controller_epoch() else []
        leader = f"leader {own.leader} e{own.leader_epoch}" if own.leader is not None else "no leader"
        said.append(f"{leader}, ISR {own.isr} v{own.version}" if own.isr else leader)
        gone = own.live - own.known
        said.append(f"believes {own.live} to be alive{f', though {gone} stopped' if gone else ''}")
        return "; ".join(said)

    @view(of="broker")
    def broker_in_words(self, broker: Broker) -> str:
        """Whether a broker is up, whom it takes for leader, what is on its way to it, and its log."""
        own = self.brokers[broker]
        if not own.up:
            said = ["down"]
        elif own.leader == broker:
            said = [f"leads e{own.leader_epoch}, ISR {own.isr} v{own.version}"]
        else:
            said = [f"follows {own.leader} e{own.leader_epoch}" if own.leader is not None else "knows no leader"]
        if own.requests:
            said.append(f"LeaderAndIsr {' '.join(f'e{epoch}' for epoch in own.requests)} on its way to it")
        log = " ".join(f"e{epoch}" for epoch in own.log)
        said.append(f"log {log}, hw {own.hw}" if len(own.log) > 0 else "empty log")
        return "; ".join(said)

    @view(of="on its way")
    def requests_in_words(self) -> str:
        """The LeaderAndIsr requests that a broker may yet receive; not the latest if it says what the znode says."""
        now, found = self.partition, []
        for epoch in range(len(self.requests)):
            request, newest = self.requests[epoch], epoch == self.leader_epoch()
            same = newest and (request.leader, request.isr, request.version) == (now.leader, now.isr, now.version)
            if not same and any(epoch in self.brokers[b].requests for b in self.brokers):
                found.append(f"e{epoch} {shown(request)}")
        return f"LeaderAndIsr of {', '.join(found)}" if found else ""

    @view(of="committed")
    def committed_in_words(self) -> str:
        """The records that a true leader has committed, by their leader epochs."""
        return " ".join(f"e{epoch}" for epoch in self.committed)
