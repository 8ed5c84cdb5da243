"""A former leader and its successor ask the controller at once: on Kafka's own classes, for the specification has one
AlterPartition request on its way at most (`Driven.cannot_ask`)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from epochal.kafka.lockstep.harness import CLUSTER, running
from tests.lockstep.conftest import Released
from tests.lockstep.shown import RELEASES

FORMER, SUCCESSOR, FOLLOWER = 0, 1, 2
ASKED = [0, 1, 2]
BOTH_ASK = (
    "controller:elect:preferred",
    f"replay:{SUCCESSOR}:1",
    f"wait:31000 fetch:{FOLLOWER}:{FORMER}",
    f"replay:{FOLLOWER}:1",
    f"wait:31000 fetch:{FOLLOWER}:{SUCCESSOR}",
)
"""Broker 1 is elected, and 0 has not heard of it. Broker 2, in no ISR, fetches from 0, hears, and fetches from 1."""


def beginning(version: str) -> str:
    """Three brokers; 0 leads, 1 is preferred and in the ISR as well."""
    return f"begin|3|{int(version != '3.9.2')}|2|0|1,0,2|0|0|0|0,1||-1|0|||0,1,2|"


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("order", [(FORMER, SUCCESSOR), (SUCCESSOR, FORMER)], ids=["former first", "successor first"])
def test_the_request_of_a_former_leader_changes_nothing(
    released: Released, version: str, order: tuple[int, int]
) -> None:
    """Whoever is judged first: the former leader is refused, and counts the follower until it hears who leads."""
    with running(CLUSTER, released(version)) as kafka:

        def ask(line: str) -> tuple[str, dict[str, Any]]:
            (answer,) = kafka.ask([line])
            said = json.loads(answer)
            return said["answers"][-1] if said["answers"] else "", said["state"]

        ask(beginning(version))
        *_, (_, both) = map(ask, BOTH_ASK)
        judged = {broker: ask(f"judge:{broker}") for broker in order}
        _, told = ask(f"tell:{SUCCESSOR}")
        _, late = ask(f"wait:31000 fetch:{FOLLOWER}:{FORMER}")
        _, heard = ask(f"replay:{FORMER}:1")
    assert both["proposed"] == [ASKED, ASKED, None]
    assert [broker["leads"] for broker in both["brokers"]] == [True, True, False]
    assert judged[FORMER][0] == "FENCED_LEADER_EPOCH" and judged[SUCCESSOR][0] == "NONE"
    assert told["proposed"] == [None, None, None] and told["brokers"][SUCCESSOR]["isr"] == ASKED
    former = told["brokers"][FORMER]
    assert (former["isr"], former["maximalIsr"], former["highWatermark"]) == ([0, 1], ASKED, 0)
    assert late == told  # who knows the successor is not heard by the former leader
    assert [broker["leads"] for broker in heard["brokers"]] == [False, True, False]
