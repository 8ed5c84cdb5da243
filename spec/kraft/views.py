"""How people read a state of the modern protocol: the controller, each broker, what is on its way, what is history."""

from __future__ import annotations

from ..language import shown, view
from .state import UNKNOWN, KraftState, Replica, Status


class Views(KraftState):
    """A line for each who takes part. What is nothing is not said."""

    @view(of="controller")
    def controller_in_words(self) -> str:
        """The partition as the controller knows it, and which brokers it does not count on."""
        now, recovery = self.metadata[0], self.recovery
        leader = f"leader {now.leader}" if now.leader is not None else "no leader"
        said = [f"{leader} e{now.leader_epoch}, ISR {now.isr}"]
        if recovery.elr:
            said.append(f"ELR {recovery.elr}")
        if recovery.last_known_leader is not None:
            said.append(f"last known leader {recovery.last_known_leader}")
        if recovery.recovering:
            said.append("elected uncleanly, not yet recovered")
        fenced = [str(r) for r in self.registrations if self.registrations[r].fenced]
        if fenced:
            said.append(f"{' and '.join(fenced)} fenced")
        epochs = [f"{r} {e}" for r in self.registrations if (e := self.registrations[r].broker_epoch) > 0]
        if epochs:
            said.append(f"broker epoch of {', '.join(epochs)}")
        return ", ".join(said)

    @view(of="broker")
    def broker_in_words(self, broker: Replica) -> str:
        """Whom a broker takes for leader, how far behind the metadata it is, and its log."""
        own, known = self.brokers[broker], self.view(broker)
        if own.status != Status.RUNNING:
            role = shown(own.status)
        elif known.leader == broker:
            role = f"leads e{known.leader_epoch}"
        else:
            role = f"follows {known.leader} e{known.leader_epoch}" if known.leader is not None else "knows no leader"
        if own.behind > 0:
            role += f", {own.behind} metadata record{'s' if own.behind > 1 else ''} behind"
            role += f", believes the ISR is {known.isr}" if known.leader == broker else ""
        said = [role]
        if own.proposed:
            said.append(f"asks for the ISR {own.proposed}")
        fetched = [f"{r} at {own.followers[r]}" for r in own.followers if own.followers[r] != UNKNOWN]
        if fetched:
            said.append(f"has seen {', '.join(fetched)}")
        if own.epoch_start > 0:
            said.append(f"its epoch starts at {own.epoch_start}")
        said.append(f"log {' '.join(map(shown, own.log))}, hw {own.hw}" if len(own.log) > 0 else "empty log")
        if broker in self.lost_data:
            said.append("has lost data")
        return "; ".join(said)

    @view(of="on its way")
    def request_in_words(self) -> str:
        """The AlterPartition request that the controller has not answered."""
        request = self.request
        if request.leader is None:
            return ""
        said = f"AlterPartition of {request.leader} e{request.leader_epoch}, ISR {request.isr}"
        sender = f", of broker epoch {request.broker_epoch}" if request.broker_epoch > 0 else ""
        joining = f", {request.joining} of broker epoch {request.joining_epoch}" if request.joining_epoch > 0 else ""
        return said + sender + joining

    @view(of="producer")
    def acknowledged_in_words(self) -> str:
        """The records of whose success the producer was told."""
        return f"told of success: {' '.join(f'r{record}' for record in self.acknowledged)}" if self.acknowledged else ""

    @view(of="committed")
    def committed_in_words(self) -> str:
        """The records that were below a leader's high watermark, where consumers may read them."""
        return " ".join(map(shown, self.committed))
