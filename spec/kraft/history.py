"""What was committed and acknowledged: history for the properties, which no rule reads."""

from __future__ import annotations

from ..language import Identifier, Set
from .settings import Acks
from .state import KraftState, RecordId


class History(KraftState):
    """The records that were below a leader's high watermark, and those whose producers were told of success.

    What a deposed leader commits before it knows counts as well: consumers may have read it there.
    """

    def remember_office(self, leader: Identifier) -> None:
        """A broker begins to lead. Until it stops, it answers for what it appends (DelayedProduce)."""
        if self.settings.acks == Acks.ALL:
            self.leads_since[leader] = self.view(leader).leader_epoch

    def remember_commit(self, leader: Identifier, replicas: int, before: int) -> None:
        """A leader's high watermark has risen from `before`, counting so many replicas.

        A producer with acks=all is told of success if these are enough, and else NOT_ENOUGH_REPLICAS_AFTER_APPEND. One
        whose leader has stepped down since is told neither. DelayedProduce knows no epoch: a broker that leads on in a
        later one, for all it knows, answers for what it appended in the earlier one, too.
        """
        log, hw = self.brokers[leader].log, self.brokers[leader].hw
        for offset in range(len(self.committed), hw):
            self.committed.append(log[offset])
        if self.settings.acks == Acks.ALL and replicas >= self.leader_min_isr(leader):
            self.acknowledged |= Set(
                id
                for id in self.each(RecordId)
                if any(log[offset].id == id for offset in range(before, hw) if self.appended_in_office(leader, offset))
            )

    def appended_in_office(self, leader: Identifier, offset: int) -> bool:
        """Whether a leader has appended a record since it took office, and so has a producer to tell."""
        return self.brokers[leader].log[offset].epoch >= self.leads_since[leader]

    def holds_committed(self, r: Identifier) -> bool:
        """Whether r's log begins with everything that was committed."""
        log = self.brokers[r].log
        return len(log) >= len(self.committed) and all(
            log[offset] == self.committed[offset] for offset in range(len(self.committed))
        )

    def agree_below(self, a: Identifier, b: Identifier, end: int) -> bool:
        """Whether both replicas hold the same records at every offset below `end`."""
        return all(
            offset < min(self.end(a), self.end(b)) and self.brokers[a].log[offset] == self.brokers[b].log[offset]
            for offset in range(end)
        )
