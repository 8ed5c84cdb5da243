"""How people read a state of the classic protocol: the controller, and each replica with its own view of who leads."""

from __future__ import annotations

from ..language import shown, view
from .state import ClassicState, Replica


class Views(ClassicState):
    """A line for each who takes part. What is nothing is not said."""

    @view(of="controller")
    def quorum_in_words(self) -> str:
        """Leader, leader epoch and ISR as ZooKeeper or the controller has them.

        They are those of the latest LeaderAndIsr request, which a replica has yet to read whose own epoch is older.
        """
        leader = f"leader {self.quorum.leader}" if self.quorum.leader is not None else "no leader"
        epoch = f" e{self.quorum_epoch()}" if self.quorum_epoch() >= 0 else ""
        return f"{leader}{epoch}, ISR {self.quorum.isr}"

    @view(of="replica")
    def replica_in_words(self, replica: Replica) -> str:
        """Whom a replica takes for leader, and its log."""
        own = self.replicas[replica]
        if own.leader is None:
            role = "knows no leader" + (f" in e{own.epoch}" if own.epoch >= 0 else "")
        elif own.leader == replica:
            role = f"leads e{own.epoch}, ISR {own.isr}"
        else:
            role = f"follows {own.leader} e{own.epoch}"
        log = f"log {' '.join(map(shown, own.log))}, hw {own.hw}" if len(own.log) > 0 else "empty log"
        return f"{role}; {log}"

    @view(of="on its way")
    def requests_in_words(self) -> str:
        """The LeaderAndIsr requests that a replica may yet act on; not the latest if the controller says as much."""
        unread = [e for e in range(len(self.requests)) if any(self.replicas[r].epoch < e for r in self.replicas)]
        if unread and (self.requests.last.leader, self.requests.last.isr) == (self.quorum.leader, self.quorum.isr):
            unread.pop()
        return f"LeaderAndIsr of {', '.join(f'e{e} {shown(self.requests[e])}' for e in unread)}" if unread else ""
