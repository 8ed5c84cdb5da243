"""N1 and S15 in the logs of brokers: what a leader did not hear of, although it led on.

Both are open in every release, and neither has a ticket. What is told here is that their precondition was there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from epochal.evidence.broker_events import AnswerIgnored, RoleTaken
from epochal.evidence.broker_log import BrokerLog
from epochal.evidence.place import partition_named

from .findings import N1, S15
from .held import Known
from .line import listed
from .noticed import Noticed
from .partition_history import Life

Leaders = Mapping[int, int | None]
"""The leader of each leader epoch that is known."""


def missed_terms(logs: Iterable[BrokerLog], leaders_of: Callable[[RoleTaken], Leaders | None]) -> Iterator[Noticed]:
    """A leader that was deposed and elected again before it heard of either (docs/kafka/findings/n1.md).

    It says so itself: it has led until now, in an epoch that is not the one before this. That matters only where
    another broker led between, so that followers may have truncated what this one believes them to have.

    `leaders_of` has the leaders of the partition that a line is about; None if it is of one that is not known.
    """
    for one in (one for log in logs for one in log.events):
        event = one.event
        if not isinstance(event, RoleTaken) or not event.leads or event.previous != one.broker:
            continue
        between = range(event.previous_epoch + 1, event.leader_epoch)
        leaders = leaders_of(event)
        if event.previous_epoch < 0 or not between or leaders is None:
            continue
        others = {leader for epoch in between if (leader := leaders.get(epoch)) not in (None, one.broker)}
        if not others and all(epoch in leaders for epoch in between):
            continue
        who = f"broker {listed(frozenset(others))} led" if others else "it is not known who led"
        says = (
            f"broker {one.broker} leads epoch {event.leader_epoch} and believes to have led since epoch "
            f"{event.previous_epoch}; {who} between: it counts followers where they were before that"
        )
        yield Noticed(one.place, None, partition_named(event.topic, event.number), N1, says)


def forgotten_proposals(logs: Iterable[BrokerLog], known: Known) -> Iterator[Noticed]:
    """A leader that forgot a proposal which the controller has accepted, so that it goes on with the ISR before.

    That is what replaying a partition epoch does which the leader knew from an answer. The answer to the proposal then
    finds the former ISR; where metadata were merely faster than the answer, it finds one with the new member. Only
    `kafka.cluster.Partition` at DEBUG says so. Until the change is replayed the high watermark does not wait for whom
    it adds.
    """
    for one in (one for log in logs for one in log.asides):
        event = one.event
        if not isinstance(event, AnswerIgnored) or event.added is None or event.isr is None:
            continue
        of = (event.topic, event.number)
        if any(_forgotten(one.broker, event, life) for life in known.history.get(of, [])):
            says = (
                f"broker {one.broker} has proposed at partition epoch {event.partition_epoch} to add {event.added} to "
                f"the ISR, and forgot it before the controller's answer came: it goes on with ISR {listed(event.isr)}"
            )
            yield Noticed(one.place, None, partition_named(*of), S15, says)


def _forgotten(leader: int, event: AnswerIgnored, life: Life) -> bool:
    """Whether the controller has accepted the proposal, and the leader knows the partition as it was before alone."""
    before, after = life.at.get(event.partition_epoch), life.at.get(event.partition_epoch + 1)
    if before is None or after is None or event.added is None:
        return False
    ours = all((at.leader, at.leader_epoch) == (leader, event.leader_epoch) for at in (before, after))
    later = [at.isr for epoch, at in life.at.items() if epoch > event.partition_epoch]
    return ours and after.isr == before.isr | {event.added} and event.isr == before.isr and event.isr not in later


def leaders_known(known: Known, event: RoleTaken) -> Leaders | None:
    """The leaders of the partition that a line is about, as the metadata log has them."""
    lives = known.history.get((event.topic, event.number), [])
    return next((life.leaders for life in lives if life.topic_id == event.topic_id), None)
