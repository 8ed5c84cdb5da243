"""H1 in the logs of brokers: a leader that takes its ISR for large enough, where the controller counts more as needed.

KIP-966 lets whoever leaves an ISR below `min.insync.replicas` stay eligible, because such an ISR commits nothing. A
leader that has not heard of a higher value commits all the same (docs/kafka/findings/h1.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from epochal.evidence.broker_events import IsrUpdated
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import partition_named

from .findings import H1
from .held import Known
from .line import listed
from .noticed import Noticed


def unknown_min_isr(
    logs: Iterable[BrokerLog], known: Known, short: Mapping[tuple[str, int, int], int]
) -> Iterator[Noticed]:
    """An answer of the controller with an ISR that it counts as too small, and the leader does not.

    The leader says so itself: where it counts the ISR as too small its line has "(under-min-isr)". `short` is as in
    `Seen`.
    """
    for one in (one for log in logs for one in log.events):
        event = one.event
        if not isinstance(event, IsrUpdated) or event.is_short:
            continue
        for life in known.history.get((event.topic, event.number), []):
            least = short.get((life.topic_id, event.number, event.partition_epoch))
            at = life.at.get(event.partition_epoch)
            if least is None or at is None or at.leader != one.broker or at.isr != event.isr:
                continue
            says = (
                f"broker {one.broker} leads with the ISR {listed(event.isr)} and does not know of "
                f"min.insync.replicas={least}: what it commits, the eligible leader replicas {listed(at.elr)} may lack"
            )
            yield Noticed(one.place, None, partition_named(event.topic, event.number), H1, says)
