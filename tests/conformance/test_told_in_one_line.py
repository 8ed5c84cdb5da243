"""What stands first in a report, and what is one line of it."""

from __future__ import annotations

from dataclasses import replace

from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.image import BrokerChange
from epochal.kafka.validation.noticed import SHORT, Noticed, Weight
from epochal.report.conform import told_together
from tests.conformance.test_noticed import BEGINNING, noticed_in, partition, record


def short(name: str, event: BrokerChange | None = None) -> Noticed:
    says = "the ISR 1 is smaller than min.insync.replicas=2: acks=all is refused"
    return Noticed(Place("log", offset=7), 7, name, SHORT, says, Weight.REFUSED, event)


def lost(name: str, value: str) -> Noticed:
    says = f"{value!r} at offset 1 was acknowledged (acks=all); the log of broker 3, which leads, ends at 1"
    return Noticed(Place("history.jsonl", line=1), None, name, "N1", says, Weight.LOST)


def test_a_loss_does_not_drown() -> None:
    """However many partitions are short of replicas, and whatever stands first in the files."""
    event = BrokerChange(Place("log", offset=60), 3, "is fenced", BEGINNING[0])
    unclean = replace(short("t-9"), about="S27", says="unclean election of broker 2", weight=Weight.ELECTED)
    many = [short(f"t-{number}", event) for number in range(53)]
    lines = told_together([*many, unclean, lost("u-0", "a"), lost("u-0", "b"), lost("v-0", "c")])
    assert [str(line.place) + ": " + line.says for line in lines] == [
        "history.jsonl:1: u-0: 'a' at offset 1 was acknowledged (acks=all); the log of broker 3, which leads, ends at "
        "1; and 1 more record of it that clients were told of",
        f"history.jsonl:1: v-0: {lost('v-0', 'c').says}",
        f"{Place('log', offset=7)}: t-9: unclean election of broker 2",
        f"{Place('log', offset=60)}: broker 3 is fenced: 53 partitions below min.insync.replicas: acks=all is refused: "
        "t-0, t-1, t-2 and 50 more",
    ]


def test_two_events_are_two_lines() -> None:
    once, again = (BrokerChange(Place("log", offset=at), 3, "is fenced", BEGINNING[0]) for at in (60, 90))
    lines = told_together([short("t-0", once), short("t-1", once), short("t-0", again), short("t-2")])
    assert [line.says.partition(":")[0] for line in lines] == ["broker 3 is fenced", "t-0", "t-2"]


def test_a_change_knows_what_happened_to_its_broker() -> None:
    """The record of a broker that is fenced stands behind the changes, that of one that shuts down before them."""
    gone = {"partitionId": 0, "topicId": "T", "isr": [1]}
    change, again = (record(at, "PARTITION_CHANGE_RECORD", **gone) for at in (5, 6))
    config = record(4, "CONFIG_RECORD", resourceType=2, resourceName="t", name="min.insync.replicas", value="2")
    both = (*BEGINNING, partition(isr=[1, 2]), config)
    fenced = record(6, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=2, brokerEpoch=1, fenced=1)
    (one,) = noticed_in("leader-change-4.0.2", (*both, change, fenced))
    assert one.event is not None and (str(one.event), one.event.place) == ("broker 2 is fenced", fenced.place)
    leaves = record(5, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=2, brokerEpoch=1, inControlledShutdown=1)
    (one,) = noticed_in("leader-change-4.0.2", (*both, leaves, again))
    assert one.event is not None and (str(one.event), one.event.place) == ("broker 2 shuts down", leaves.place)
    another = record(6, "BROKER_REGISTRATION_CHANGE_RECORD", brokerId=1, brokerEpoch=0, fenced=1)
    for beside in (record(6, "NO_OP_RECORD"), another):  # the leader has asked for it, before something else happened
        (one,) = noticed_in("leader-change-4.0.2", (*both, change, beside))
        assert one.event is None
