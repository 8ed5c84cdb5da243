"""The policy of OPA and conftest, in OPA itself: its engine as a library, which the package of PyPI brings."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Mapping
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
TWO_CRASHES = PROMISES["4.3, one and two crashes"]
WITH_DEFAULTS = PROMISES["4.3 with defaults, a power loss"]


class Conftest:
    """What `conftest test` asks: `deny` of the package main, for one document, or for several as one."""

    def __init__(self, text: str) -> None:
        self._engine = OpaEngine()
        self._engine.add_policy("topics.rego", text)

    def denied(self, document: object, rule: str = "deny") -> list[str]:
        found = self._engine.eval_document(f"main.{rule}", document)
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


def later(known: Mapping[str, Any], unknown: Mapping[str, Any], kind: str = "kafka_topic") -> dict[str, Any]:
    """A plan with one topic, some of whose values are known only after it was applied."""
    address = f"{kind}.late"
    plan = plan_of({})
    one = {"address": address, "type": kind, "values": {"name": "late", **known}}
    plan["planned_values"]["root_module"] = {"resources": [one]}
    plan["resource_changes"] = [
        {"address": address, "deposed": "a", "change": {"actions": ["delete"], "after_unknown": {}}},
        {"address": address, "change": {"actions": ["create"], "after_unknown": unknown}},
    ]
    return plan


TOPIC: dict[str, Any] = {"replication_factor": 3, "config": {MIN_ISR: "2", UNCLEAN: "false"}}
NOT_YET = ("replication_factor", MIN_ISR, UNCLEAN, "config")


@pytest.mark.parametrize("names", [one for n in (1, 2, 3) for one in itertools.combinations(NOT_YET, n)], ids=str)
def test_what_is_known_only_later_is_not_decided(names: tuple[str, ...], conftest: Callable[..., Conftest]) -> None:
    """Each setting, and several; also where brokers have defaults, which do not count then."""
    known = {name: value for name, value in TOPIC.items() if name not in names}
    unknown: dict[str, Any] = {name: True for name in names if name in TOPIC}
    if "config" not in names:
        known["config"] = {name: value for name, value in TOPIC["config"].items() if name not in names}
        unknown["config"] = {name: True for name in names if name not in TOPIC}
    copies = "unset" if "replication_factor" in names else "3"
    wanted = "unset" if MIN_ISR in names or "config" in names else "2"
    unclean = ("false", "true") if UNCLEAN in names or "config" in names else ("false",)
    for promise in (A_POWER_LOSS, TWO_CRASHES, WITH_DEFAULTS):
        verdicts = {one.key: one.verdict for one in promise.policy("opa").classes}
        each = {verdicts.get(f"{copies}/{wanted}/{one}", "undecided") for one in unclean}
        plan = later(known, unknown)
        assert bool(conftest(promise).denied(plan)) == (each != {"admitted"})
        assert bool(conftest(promise, "admit").denied(plan)) == (each == {"refused"})


@pytest.mark.parametrize("kind", ["kafka_topic", "aiven_kafka_topic"])
def test_unclean_election_that_is_known_only_later(kind: str, conftest: Callable[..., Conftest]) -> None:
    """Kafka's false does not count for it, as it does for a topic that does not set it."""
    is_map = kind == "kafka_topic"
    copies, setting = ("replication_factor", UNCLEAN) if is_map else ("replication", UNCLEAN.replace(".", "_"))

    def config(**values: Any) -> Any:
        return values if is_map else [values]

    known = {copies: 3, "config": config(**{MIN_ISR if is_map else MIN_ISR.replace(".", "_"): "2"})}
    for unknown in ({}, {"config": config(**{"retention.ms": True})}, {"config": config(**{setting: False})}):
        assert conftest(TWO_CRASHES).denied(later(known, unknown, kind)) == []
    for unknown in ({"config": config(**{setting: True})}, {"config": True}):
        (line,) = conftest(TWO_CRASHES).denied(later(known, unknown, kind))
        assert line.startswith(f"{kind}.late: {UNCLEAN} is known only later, and ") and " 3/2/true is refused: " in line
        assert conftest(TWO_CRASHES, "admit").denied(later(known, unknown, kind)) == []
        assert conftest(A_POWER_LOSS).denied(later(known, unknown, kind)) == []


@pytest.mark.parametrize(
    "config",
    [
        {MIN_ISR: "two"},
        {MIN_ISR: "2 or 3"},
        {MIN_ISR: ""},
        {MIN_ISR: None},
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
        {MIN_ISR: 2, UNCLEAN: ""},
        {MIN_ISR: 2, UNCLEAN: None},
        {MIN_ISR: 2, UNCLEAN: "\u00a0false"},
        "min.insync.replicas=2",
        7,
    ],
    ids=str,
)
@pytest.mark.parametrize("undecided", ["refuse", "admit"])
def test_what_cannot_be_read_is_refused(config: object, undecided: str, conftest: Callable[..., Conftest]) -> None:
    for promise in (A_POWER_LOSS, WITH_DEFAULTS):
        (line,) = conftest(promise, undecided).denied(strimzi("orders", {"replicas": 3, "config": config}))
        name = UNCLEAN if isinstance(config, dict) and UNCLEAN in config else MIN_ISR
        wanted = "true or false" if name == UNCLEAN else "a number above zero, in digits"
        assert line == f"orders: write {name} as {wanted}"


@pytest.mark.parametrize("nothing", [None, ""])
def test_terraform_does_not_set_what_has_no_value(nothing: str | None, conftest: Callable[..., Conftest]) -> None:
    """Providers leave such settings to the brokers."""
    values = {"replication_factor": 3, "config": {MIN_ISR: nothing, UNCLEAN: nothing}}
    assert conftest(WITH_DEFAULTS).denied(later(values, {})) == []
    (line,) = conftest().denied(later(values, {}))
    assert " 3/unset/false: " in line


BAD = strimzi("bad", {"replicas": 3, "config": {MIN_ISR: 1}})
GOOD = strimzi("good", {"replicas": 3, "config": {MIN_ISR: 2}})


def a_list(*items: object) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}


@pytest.mark.parametrize(
    "document",
    [
        BAD | {"items": []},
        BAD | {"items": [GOOD]},
        a_list(a_list(GOOD, BAD)),
        [GOOD, BAD],
        [[BAD]],
        [{"path": "topics.yaml", "contents": [GOOD, BAD]}],
        [{"path": "topics.yaml", "contents": a_list(BAD | {"items": None})}],
    ],
    ids=["with items", "with a topic in it", "lists", "an array", "arrays", "combined array", "combined list"],
)
def test_no_wrapping_hides_a_topic(document: object, conftest: Callable[..., Conftest]) -> None:
    (line,) = conftest().denied(document)
    assert line.startswith("bad: ") and " 3/1/false: " in line


def test_lists_that_are_too_deep_are_refused(conftest: Callable[..., Conftest]) -> None:
    document = GOOD
    for depth in range(1, 9):
        document = a_list(document)
        denied = conftest().denied(document)
        assert denied == ([] if depth <= 5 else ["this policy cannot read it: lists in lists, too deep"])


@pytest.mark.parametrize("undecided", ["refuse", "admit"])
def test_terraform_without_planned_values_is_refused(undecided: str, conftest: Callable[..., Conftest]) -> None:
    plan = later({"replication_factor": 3, "config": {MIN_ISR: "1"}}, {})
    state = {"format_version": "1.0", "terraform_version": "1.9.0", "values": plan["planned_values"]}
    file = {"version": 4, "terraform_version": "1.9.0", "resources": []}
    changes = {"resource_changes": plan["resource_changes"]}
    for one in (state, file, changes, plan | {"planned_values": None}, [{"path": "x", "contents": state}]):
        (line,) = conftest(undecided=undecided).denied(one)
        assert line.startswith("this policy cannot read it: ")


@pytest.mark.parametrize("kind", ["ovh_cloud_project_database_kafka_topic", "redpanda_topic", "aws_msk_topic"])
def test_topics_of_a_type_that_is_not_known_are_told(kind: str, conftest: Callable[..., Conftest]) -> None:
    plan = later({"replication_factor": 3}, {}, kind)
    told = [f"{kind}.late: this policy cannot read topics of type {kind}"]
    assert conftest().denied(plan) == told
    assert conftest(undecided="admit").denied(plan) == []
    assert conftest(undecided="admit").denied(plan, "warn") == told


def test_what_a_plan_leaves_as_it_is_goes_on(conftest: Callable[..., Conftest]) -> None:
    for kind in ("kafka_topic", "redpanda_topic"):
        plan = later({"replication_factor": 3, "config": {MIN_ISR: "1"}}, {}, kind)
        deposed, change = plan["resource_changes"]
        for actions in (["create"], ["update"], ["delete", "create"], ["create", "delete"], []):
            change["change"]["actions"] = actions
            assert len(conftest().denied(plan)) == 1
        change["change"]["actions"] = ["no-op"]
        assert conftest().denied(plan) == []
        plan["resource_changes"] = [deposed | {"change": change["change"]}]
        assert len(conftest().denied(plan)) == 1
        plan["resource_changes"] = []
        del plan["planned_values"]["root_module"]["resources"][0]["address"]
        assert len(conftest().denied(plan)) == 1


def test_a_default_says_how_many_replicas_a_service_gives(conftest: Callable[..., Conftest]) -> None:
    plan = later({"config": {MIN_ISR: "2"}}, {}, "confluent_kafka_topic")
    (line,) = conftest().denied(plan)
    assert " unset/2/false: no search has decided it" in line
    assert conftest(WITH_DEFAULTS).denied(plan) == []


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
