"""The log of a transaction coordinator on Kafka's own classes: who takes office acts on what it has loaded (X1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.options.transaction_log import TransactionLog
from tests.lockstep.conftest import Released
from tests.lockstep.shown import RELEASES

TRACE = Path(__file__).resolve().parents[2] / "counterexamples" / "kraft-x1-atomic.itf.json"
COORDINATED = with_more(ConfigurableKraft, TransactionLog)
NEWEST = "4.4.0"
WAIT = "wait:31000"


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_every_release_tears_a_transaction(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue("X1", kafka=version, traces=TRACE.parent)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes} == {"X1": "shown in 13 steps"}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES[1:])
def test_with_the_fix_nothing_is_carried_out_that_is_not_replicated(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_run(TRACE, kafka=version, fixes=["X1"])
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert [tuple(one) for one in result.played.differs] == [("b2 carries out", "nothing", "COMMIT")]


LINES = (
    "begin|3|1|2|0|1,0,2|0|0|0|0,1,2||-1|0|||0,1,2||transaction-log",
    f"{WAIT} decide:0:0:COMMIT",
    f"{WAIT} fetch:1:0",
    f"{WAIT} controller:elect:preferred",
    f"{WAIT} replay:1:1",
    f"{WAIT} replay:0:1",
    f"{WAIT} replay:2:1",
    *(f"{WAIT} fetch:{follower}:1" for _ in range(3) for follower in (0, 2)),
)
"""Broker 0 decides, broker 1 copies it and takes office, and then both others follow it."""


@pytest.mark.lockstep
@pytest.mark.parametrize(("fixes", "at_first"), [((), "COMMIT"), (("X1",), None)])
def test_the_fix_delays_markers_until_followers_have_the_decision(
    released: Released, fixes: tuple[str, ...], at_first: str | None
) -> None:
    """As released they are handed over above the high watermark; with the fix when it has reached the log end."""
    released(NEWEST)
    with running(CLUSTER, kafka_classes(NEWEST, None, fixes=fixes)) as kafka:
        states = [json.loads(answer)["state"]["brokers"][1] for answer in kafka.ask(LINES)]
    assert next((one["highWatermark"], one["carriesOut"]) for one in states if one["leads"]) == (0, at_first)
    assert (states[-1]["highWatermark"], states[-1]["carriesOut"]) == (1, "COMMIT")
    assert all(one["carriesOut"] == "COMMIT" for one in states if one["leads"] and one["highWatermark"] == 1)


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("fixes", "rules"), [((), {}), (("X1",), {"markers_wait_for_replicated_decision": "true"})], ids=["released", "fix"]
)
def test_random_runs_are_the_same(released: Released, fixes: tuple[str, ...], rules: dict[str, str]) -> None:
    """Each with the model of its rule: what is carried out is compared after every step."""
    released(NEWEST)
    result = epochal.lockstep_runs(
        kafka=NEWEST, protocol=COORDINATED, fixes=fixes, rules=rules, runs=15, steps=40, engine="python"
    )
    assert result.exit_code == ExitCode.HOLDS, str(result)
