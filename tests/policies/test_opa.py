"""The policy of OPA and conftest, in OPA itself: its engine as a library, which the package of PyPI brings."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

from tests.policies.grid import (
    GRID,
    MIN_ISR,
    PROMISES,
    UNCLEAN,
    Promise,
    audited_files,
    expected,
    plan_of,
    strimzi,
    topic_of,
)

if not os.environ.get("EPOCHAL_POLICIES_REQUIRED"):
    pytest.importorskip("opa_bindings", reason="OPA is not here: make test installs it")

from opa_bindings import OpaEngine

pytestmark = pytest.mark.xdist_group("policies")

A_POWER_LOSS = PROMISES["4.3, a power loss, and writes go on"]


class Conftest:
    """What `conftest test` asks: `deny` of the package main, for one document, or for several as one."""

    def __init__(self, text: str) -> None:
        self._engine = OpaEngine()
        self._engine.add_policy("topics.rego", text)

    def denied(self, document: object) -> list[str]:
        found = self._engine.eval_document("main.deny", document)
        assert isinstance(found, list) and all(isinstance(one, str) for one in found)
        return sorted(found)


@pytest.fixture(scope="module")
def conftest() -> Callable[..., Conftest]:
    made: dict[tuple[Promise, str], Conftest] = {}

    def of(promise: Promise = A_POWER_LOSS, undecided: str = "refuse") -> Conftest:
        key = promise, undecided
        if key not in made:
            made[key] = Conftest(promise.policy("opa", undecided).text)
        return made[key]

    return of


@pytest.mark.parametrize("undecided", ["refuse", "admit"])
@pytest.mark.parametrize("promise", PROMISES.values(), ids=PROMISES)
def test_it_admits_what_the_audit_says(promise: Promise, undecided: str, conftest: Callable[..., Conftest]) -> None:
    policy = conftest(promise, undecided)
    admitted = {name: not policy.denied(topic_of(name, one)) for name, one in GRID.items()}
    assert admitted == expected(promise, undecided)
    assert len(set(admitted.values())) == 2


def test_a_list_and_combined_files_say_the_same(conftest: Callable[..., Conftest]) -> None:
    topics = [topic_of(name, one) for name, one in GRID.items()]
    each = sorted(line for topic in topics for line in conftest().denied(topic))
    assert each and conftest().denied({"apiVersion": "v1", "kind": "List", "items": topics}) == each
    assert conftest().denied([{"path": "topics.yaml", "contents": topic} for topic in topics]) == each


@pytest.mark.parametrize(
    "kind", ["kafka_topic", "confluent_kafka_topic", "aiven_kafka_topic", "google_managed_kafka_topic"]
)
def test_a_plan_of_terraform(kind: str, conftest: Callable[..., Conftest]) -> None:
    """Every topic of a plan, as an audit of the same plan says."""
    plan = plan_of(GRID, kind)
    (verdicts,) = audited_files([plan], [A_POWER_LOSS])
    for undecided in ("refuse", "admit"):
        denied = conftest(undecided=undecided).denied(plan)
        refused = {line.split('"')[1] for line in denied}
        wanted = {"refused", "undecided"} if undecided == "refuse" else {"refused"}
        assert refused == {name for name, verdict in verdicts.items() if verdict in wanted}
        assert all(line.startswith("module.kafka.") for line in denied)


def test_what_is_known_only_later_is_not_decided(conftest: Callable[..., Conftest]) -> None:
    """Also where brokers have defaults: these do not count then."""
    values: dict[str, Any] = {"name": "late", "config": {"retention.ms": "1000"}}
    later = {"replication_factor": True, "config": {MIN_ISR: True}}
    for promise in (A_POWER_LOSS, PROMISES["4.3 with defaults, a power loss"]):
        for copies, settings in ((False, True), (True, False), (True, True)):
            plan = plan_of({})
            one: dict[str, Any] = {"address": "kafka_topic.late", "type": "kafka_topic", "values": dict(values)}
            one["values"] |= {} if copies else {"replication_factor": 3}
            one["values"] |= {} if settings else {"config": {MIN_ISR: "2"}}
            plan["planned_values"]["root_module"] = {"resources": [one]}
            unknown = ({"replication_factor": True} if copies else {}) | (
                {"config": later["config"]} if settings else {}
            )
            plan["resource_changes"] = [
                {"address": "kafka_topic.late", "deposed": "a", "change": {"after_unknown": {}}},
                {"address": "kafka_topic.late", "change": {"after_unknown": unknown}},
            ]
            (line,) = conftest(promise).denied(plan)
            assert (
                line.startswith("kafka_topic.late: ")
                and f"{'unset' if copies else 3}/{'unset' if settings else 2}/" in line
            )


@pytest.mark.parametrize(
    "config",
    [
        {MIN_ISR: "two"},
        {MIN_ISR: "2 or 3"},
        {MIN_ISR: 0},
        {MIN_ISR: -2},
        {MIN_ISR: 2.5},
        {MIN_ISR: "2.0"},
        {MIN_ISR: "2\u00a0"},
        {MIN_ISR: "\u0662"},
        {MIN_ISR: True},
        {MIN_ISR: [2]},
        {MIN_ISR: {"2": 2}},
        {MIN_ISR: "99999999999999999999"},
        {MIN_ISR: 2, UNCLEAN: "yes"},
        {MIN_ISR: 2, UNCLEAN: 0},
        {MIN_ISR: 2, UNCLEAN: "\u00a0false"},
        "min.insync.replicas=2",
        7,
    ],
    ids=str,
)
@pytest.mark.parametrize("undecided", ["refuse", "admit"])
def test_what_kafka_does_not_take_is_refused(config: object, undecided: str, conftest: Callable[..., Conftest]) -> None:
    (line,) = conftest(undecided=undecided).denied(strimzi("orders", {"replicas": 3, "config": config}))
    assert line.startswith("orders: ") and line.endswith(" is no value that Kafka takes")


def test_other_documents_are_none_of_its_business(conftest: Callable[..., Conftest]) -> None:
    others: list[object] = [
        {},
        [],
        None,
        "text",
        {"kind": "KafkaTopic"},
        {"apiVersion": "v1", "kind": "ConfigMap", "data": {"spec": "x"}},
        {"kind": "List", "items": ["x", None, {"kind": "KafkaTopic", "apiVersion": "kafka.jikkou.io/v1"}]},
        {"planned_values": {"root_module": {"resources": [{"type": "aws_s3_bucket", "values": {"config": {}}}]}}},
    ]
    assert [conftest().denied(one) for one in others] == [[]] * len(others)
    nameless = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic", "metadata": None, "spec": None}
    (line,) = conftest().denied(nameless)
    assert line.startswith("a topic without a name: ")
