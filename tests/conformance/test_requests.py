"""Request logs: AlterPartition and fetches of followers agree with the metadata log, and edited ones are refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from epochal.kafka.evidence.broker_log import Cut, Fetched, Proposed, requests_in
from epochal.kafka.evidence.place import Place
from epochal.kafka.validation.brokers import FETCH, PROPOSAL
from tests.conformance.evidence import ARCHIVES, changed, judged_brokers, judged_files, line_of, logs_of
from tests.each import for_each

SHRUNK = "isr-shrink-4.3.1-tier-2"
CONTROLLER = "node-101/logs/kafka-request.log"
LEADER = "node-1/logs/kafka-request.log"
PLACE = Place("kafka-request.log", line=1)


def line(of: dict[str, Any]) -> str:
    return f"[2026-11-23 00:35:34,151] DEBUG Completed request:{json.dumps(of, separators=(',', ':'))} (x)\n"


@for_each("name", [name for name in ARCHIVES if name.endswith("tier-2")])
def test_every_request_agrees(name: str) -> None:
    """The counts are those that a look for the text finds: only requests about partitions of topics are there."""
    text = b"\n".join(content for file, content in logs_of(name).items() if file.endswith("kafka-request.log")).decode()
    proposals = [one for one in text.splitlines() if '"ALTER_PARTITION"' in one and '"errorCode":41' not in one]
    verdict = judged_brokers(name)
    assert verdict.refused == [] and verdict.cut == ()
    assert verdict.judged[PROPOSAL] == len(proposals) > 0
    assert verdict.judged[FETCH] > 5


REFUSED = {
    "accepted of who does not lead": (
        (CONTROLLER, '"ALTER_PARTITION"'),
        ('"brokerId":1,"brokerEpoch":16,"topics"', '"brokerId":2,"brokerEpoch":16,"topics"'),
        "AlterPartition is accepted of leader 2 e0",
        "leader 1 e0 at partition epoch 0",
    ),
    "accepted in another leader epoch": (
        (CONTROLLER, '"ALTER_PARTITION"'),
        ('"partitionIndex":0,"leaderEpoch":0,"newIsr', '"partitionIndex":0,"leaderEpoch":1,"newIsr'),
        "AlterPartition is accepted of leader 1 e1",
        "leader 1 e0 at partition epoch 0",
    ),
    "accepted at an epoch that is over": (
        (CONTROLLER, '"isr":[1,2,3]'),
        ('"leaderRecoveryState":0,"partitionEpoch":1}', '"leaderRecoveryState":0,"partitionEpoch":0}'),
        "the answer to AlterPartition at partition epoch 0 is leader 1 e0, ISR 1,2,3 at partition epoch 2",
        "partition epoch 1, or 0 where nothing changed",
    ),
    "another ISR is answered": (
        (CONTROLLER, '"ALTER_PARTITION"'),
        ('"isr":[1,2]', '"isr":[1,2,3]'),
        "AlterPartition is answered with leader 1 e0, ISR 1,2,3 at partition epoch 1",
        "leader 1 e0, ISR 1,2 at partition epoch 1",
    ),
    "another ISR is asked for": (
        (CONTROLLER, '"ALTER_PARTITION"'),
        (',{"brokerId":2,"brokerEpoch":13}]', "]"),
        "AlterPartition asks for ISR 1 and is answered with ISR 1,2",
        "ISR 1: no reassignment is on",
    ),
    "a fetch of who leads": (
        (LEADER, '"replicaId":3', '"fetchOffset":0'),
        ('"replicaId":3', '"replicaId":1'),
        "a fetch of broker 1 in leader epoch 0 is answered",
        "leader 1 e0",
    ),
    "a fetch of who has no replica": (
        (LEADER, '"replicaId":3', '"fetchOffset":0'),
        ('"replicaId":3', '"replicaId":7'),
        "a fetch of broker 7 in leader epoch 0 is answered",
        "a fetch of a replica: 1,2,3",
    ),
    "a high watermark that goes back": (
        (LEADER, '"replicaId":2', '"highWatermark":2'),
        ('"highWatermark":2', '"highWatermark":0'),
        "a fetch of broker 2 in leader epoch 0 is answered with high watermark 0",
        "at least 1: it was answered that before",
    ),
}


@pytest.mark.parametrize("edit", REFUSED.values(), ids=REFUSED)
def test_an_edited_request_is_refused(edit: tuple[tuple[str, ...], tuple[str, str], str, str], tmp_path: Path) -> None:
    (file, *words), (before, after), found, expected = edit
    number = line_of(SHRUNK, file, *words)

    def edited(text: bytes) -> list[bytes]:
        assert before.encode() in text
        return [text.replace(before.encode(), after.encode())]

    refused = judged_files(SHRUNK, changed(SHRUNK, file, number, edited), tmp_path).refused
    assert [(str(one.place), one.found, one.expected) for one in refused] == [(f"{file}:{number}", found, expected)]


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2] + b"\n",
        lambda text: text.replace(b'"partitionEpoch"', b'"partitionepoch"'),
        lambda text: text.replace(b'"leaderEpoch":0', b'"leaderEpoch":"none"'),
        lambda text: text.replace(b'"topics":[', b'"topics":[[],'),
        lambda text: text.replace(b'"request":{', b'"request":null,"asked":{'),
    ],
)
def test_a_line_that_does_not_end_or_lacks_a_field(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    number = line_of(SHRUNK, CONTROLLER, '"ALTER_PARTITION"')
    files = changed(SHRUNK, CONTROLLER, number, lambda text: [damage(text)])
    assert files[CONTROLLER] != logs_of(SHRUNK)[CONTROLLER]
    verdict = judged_files(SHRUNK, files, tmp_path)
    assert [str(place) for place in verdict.cut] == [f"{CONTROLLER}:{number}"] and verdict.refused == []


def test_older_versions_of_the_requests() -> None:
    """AlterPartition 0 has names and plain brokers, a fetch before 15 says its replica at the top."""
    part = {"partitionIndex": 0, "leaderEpoch": 4, "newIsr": [1, 2], "partitionEpoch": 9}
    answered = {"partitionIndex": 0, "errorCode": 74, "leaderId": -1, "leaderEpoch": -1, "isr": [], "partitionEpoch": 0}
    (proposed,) = requests_in(
        line(
            {
                "requestHeader": {"requestApiKeyName": "ALTER_PARTITION"},
                "request": {"brokerId": 1, "topics": [{"topicName": "t", "partitions": [part]}]},
                "response": {"errorCode": 0, "topics": [{"topicName": "t", "partitions": [answered]}]},
            }
        ),
        PLACE,
    )
    assert proposed == Proposed(PLACE, "t", 0, 74, 1, 4, 9, frozenset({1, 2}), None)
    wants = {"partition": 3, "currentLeaderEpoch": 5, "fetchOffset": 7}
    has = {"partitionIndex": 3, "errorCode": 0, "highWatermark": 6}
    (fetched,) = requests_in(
        line(
            {
                "requestHeader": {"requestApiKeyName": "FETCH"},
                "request": {"replicaId": 2, "topics": [{"topic": "t", "partitions": [wants]}]},
                "response": {"errorCode": 0, "responses": [{"topic": "t", "partitions": [has]}]},
            }
        ),
        PLACE,
    )
    assert fetched == Fetched(PLACE, "t", 3, 0, 2, 5, 7, 6)


@pytest.mark.parametrize(
    "text",
    [
        "Completed request: of something else",
        line({"requestHeader": {"requestApiKeyName": "PRODUCE"}, "request": {}, "response": {}}),
        line({"requestHeader": {"requestApiKeyName": "FETCH"}, "request": {}, "response": {}}),
        line({"requestHeader": {"requestApiKeyName": "FETCH"}, "request": {"replicaId": -1}, "response": {}}),
    ],
)
def test_what_is_nobody_elses_business(text: str) -> None:
    assert list(requests_in(text, PLACE)) == []


def test_a_line_without_its_end_is_cut() -> None:
    with pytest.raises(Cut):
        list(requests_in('Completed request:{"requestHeader":{"requestApiKeyName":"FETCH"},"request":{', PLACE))
