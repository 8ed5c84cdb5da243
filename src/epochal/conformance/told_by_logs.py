"""What logs tell by themselves, without a metadata log: they refuse nothing, and a loss shows all the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from epochal.evidence.broker_events import ElectedUncleanly, FetcherAdded, RoleKept, RoleTaken
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import partition_named

from .cut_off import cut_off
from .findings import BY_CLEAN_EVENTS, N2, S27, by_clean_events, finding
from .line import leader_of, listed
from .missed_terms import missed_terms
from .noticed import Noticed, Weight, by_weight
from .partition_history import Named


def told_by_logs(logs: Iterable[BrokerLog], version: str) -> tuple[Noticed, ...]:
    """Unclean elections, terms that a leader missed, and what replicas have cut off. The version may not be known."""
    logs = tuple(logs)
    leaders = _leaders(logs)
    elections = list(unclean_elections(logs))
    missed = list(missed_terms(logs, lambda event: leaders.get((event.topic, event.number), {})))
    causes = {one.partition: one.about for one in (*missed, *elections)}
    clean = by_clean_events(version) if version else " or ".join(finding(id).name for id in BY_CLEAN_EVENTS)
    otherwise = f"{S27}, a crash that lost the end of a log, or {clean}"
    return by_weight([*cut_off(logs, causes, otherwise), *elections, *missed])


def unclean_elections(logs: Iterable[BrokerLog]) -> Iterator[Noticed]:
    """What a controller says of an election outside the ISR, as its records would tell it."""
    for one in (one for log in logs for one in log.asides):
        event = one.event
        if not isinstance(event, ElectedUncleanly):
            continue
        others = event.could_lead - {event.leader}
        if not others and event.leader in event.last_known:
            about, says = N2, f"broker {event.leader} is elected as the last known leader, whatever its log has"
        else:
            had = listed(others) if others else "others"
            about, says = S27, f"unclean election of broker {event.leader}: what only {had} had is lost"
        name = partition_named(event.topic, event.number)
        yield Noticed(one.place, None, name, about, says, Weight.ELECTED)


def _leaders(logs: Iterable[BrokerLog]) -> Mapping[Named, Mapping[int, int | None]]:
    """The leader of each leader epoch of which a broker tells, whichever it is."""
    found: dict[Named, dict[int, int | None]] = {}
    for event in (one.event for log in logs for one in log.events):
        if isinstance(event, RoleTaken | RoleKept | FetcherAdded):
            found.setdefault((event.topic, event.number), {})[event.leader_epoch] = leader_of(event.leader)
    return found
