"""What replicas say to have cut off below their high watermark: it was committed, and this copy of it is gone.

UnifiedLog warns of it since Kafka 4.2, and the fetchers of older releases did: no other line is needed to see it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from epochal.evidence.broker_events import UNKNOWN_BROKER, CutBelow
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import partition_named

from .line import cut_to
from .noticed import Noticed, Weight


def cut_off(
    logs: Iterable[BrokerLog], causes: Mapping[str, str], otherwise: str, told: Collection[Noticed] = ()
) -> Iterator[Noticed]:
    """Each such line. `causes` are, by partition, what may explain it, `otherwise` what does where nothing is known.

    `told` are truncations that are noticed already.
    """
    for one in (one for log in logs for one in log.asides):
        event = one.event
        if not isinstance(event, CutBelow):
            continue
        name = partition_named(event.topic, event.number)
        who = "a replica" if one.broker == UNKNOWN_BROKER else f"broker {one.broker}"
        says = f"{who}: {cut_to(event.offset, event.high_watermark)}"
        if not any(other.partition == name and other.says.startswith(says) for other in told):
            says = f"{says}: what was committed between is gone there"
            yield Noticed(one.place, None, name, causes.get(name, otherwise), says, Weight.GONE)
