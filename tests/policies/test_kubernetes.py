"""The policy of Kubernetes, with Google's own implementation of CEL, and against Kubernetes' schema."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from cel_expr_python import cel
from cel_expr_python.ext import ext_strings

from tests.policies.grid import GRID, MIN_ISR, PROMISES, UNCLEAN, Promise, expected, strimzi, topic_of

pytestmark = pytest.mark.xdist_group("policies")

NAMES = ("object", "oldObject", "request", "variables")
"""What Kubernetes gives an expression; it checks types when it evaluates, as with DYN."""

ENVIRONMENT = cel.NewEnv(variables=dict.fromkeys(NAMES, cel.Type.DYN), extensions=[ext_strings.ExtStrings()])
A_POWER_LOSS = PROMISES["4.3, a power loss, and writes go on"]


@functools.cache
def compiled(expression: str) -> Any:
    return ENVIRONMENT.compile(expression)


def evaluated(expression: str, given: Mapping[str, Any]) -> Any:
    """The value of an expression. Raises for an error, which `failurePolicy: Fail` makes a refusal."""
    value = compiled(expression).eval(data=given).plain_value()
    assert not isinstance(value, Exception)
    return value


def refused(
    documents: list[dict[str, Any]], new: Mapping[str, Any], old: Mapping[str, Any] | None = None
) -> str | None:
    """Why the policy refuses an object, None if it does not: conditions, variables and validations in their order."""
    policy = documents[0]["spec"]
    operation = "CREATE" if old is None else "UPDATE"
    given: dict[str, Any] = {"object": new, "oldObject": old, "request": {"operation": operation}, "variables": {}}
    if not all(evaluated(one["expression"], given) is True for one in policy["matchConditions"]):
        return None
    for one in policy["variables"]:
        value = evaluated(one["expression"], given)
        given = {**given, "variables": {**given["variables"], one["name"]: value}}
    for one in policy["validations"]:
        holds = evaluated(one["expression"], given)
        assert isinstance(holds, bool)
        if not holds:
            message = one.get("message") or evaluated(one["messageExpression"], given)
            assert isinstance(message, str) and message.strip() and "\n" not in message
            return message
    return None


@functools.cache
def documents_of(promise: Promise, undecided: str = "refuse") -> list[dict[str, Any]]:
    return list(yaml.load_all(promise.policy("kubernetes", undecided).text, yaml.CSafeLoader))


@pytest.mark.parametrize("undecided", ["refuse", "admit"])
@pytest.mark.parametrize("promise", PROMISES.values(), ids=PROMISES)
def test_it_admits_what_the_audit_says(promise: Promise, undecided: str) -> None:
    documents = documents_of(promise, undecided)
    admitted = {name: refused(documents, topic_of(name, one)) is None for name, one in GRID.items()}
    assert admitted == expected(promise, undecided)
    assert len(set(admitted.values())) == 2


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
    ],
    ids=str,
)
@pytest.mark.parametrize("undecided", ["refuse", "admit"])
def test_what_cannot_be_read_is_refused(config: dict[str, Any], undecided: str) -> None:
    for promise in (A_POWER_LOSS, PROMISES["4.3 with defaults, a power loss"]):
        documents = documents_of(promise, undecided)
        message = refused(documents, strimzi("orders", {"replicas": 3, "config": config}))
        assert message is not None and "as numbers above zero, in digits" in message


@pytest.mark.parametrize("spec", [{}, {"config": None}, {"replicas": None}, {"config": {}}], ids=str)
def test_what_says_nothing_is_not_decided(spec: dict[str, Any]) -> None:
    for undecided in ("refuse", "admit"):
        message = refused(documents_of(A_POWER_LOSS, undecided), strimzi("orders", spec))
        assert (message is None) == (undecided == "admit")
        assert message is None or message.endswith("unset/unset/false: no search has decided it")


def test_existing_topics_can_be_labelled_and_deleted_and_not_made_worse() -> None:
    documents = documents_of(A_POWER_LOSS)
    bad = strimzi("orders", {"replicas": 3, "config": {MIN_ISR: 1}})
    good = strimzi("orders", {"replicas": 3, "config": {MIN_ISR: 2}})
    labelled = {**bad, "metadata": {**bad["metadata"], "labels": {"team": "a"}}}
    deleted = {**good, "metadata": {**good["metadata"], "deletionTimestamp": "2026-11-30T12:00:00Z"}}
    assert refused(documents, bad) is not None
    assert refused(documents, labelled, bad) is None
    assert refused(documents, {**deleted, "spec": bad["spec"]}, bad) is None
    assert refused(documents, bad, good) is not None
    assert refused(documents, good, bad) is None


@pytest.mark.parametrize("kind", ["no specification", "null"])
def test_a_topic_without_a_specification_can_be_labelled(kind: str) -> None:
    documents = documents_of(A_POWER_LOSS)
    bare = strimzi("orders", {}) | {"spec": None}
    if kind == "no specification":
        del bare["spec"]
    labelled = {**bare, "metadata": {**bare["metadata"], "labels": {"team": "a"}}}
    bad = strimzi("orders", {"replicas": 3, "config": {MIN_ISR: 1}})
    assert refused(documents, bare) is not None
    assert refused(documents, labelled, bare) is None
    assert refused(documents, bad, bare) is not None
    assert refused(documents, bare, bad) is not None


def test_it_binds_and_matches_topics_of_strimzi() -> None:
    policy, binding = documents_of(A_POWER_LOSS)
    assert binding["spec"] == {"policyName": policy["metadata"]["name"], "validationActions": ["Deny"]}
    assert policy["spec"]["failurePolicy"] == "Fail"
    (rule,) = policy["spec"]["matchConstraints"]["resourceRules"]
    assert rule["apiGroups"] == ["kafka.strimzi.io"] and rule["resources"] == ["kafkatopics"]


@pytest.mark.policies
@pytest.mark.parametrize("version", ["1.30", "1.33", "1.36"])
def test_kubernetes_takes_it(version: str) -> None:
    """Both documents are valid in Kubernetes' own schema, in which no other key is allowed; one more is told."""
    if os.environ.get("EPOCHAL_POLICIES_REQUIRED"):
        import kubernetes_validate
    else:
        kubernetes_validate = pytest.importorskip("kubernetes_validate")
    for document in documents_of(A_POWER_LOSS):
        assert kubernetes_validate.validate(document, version, strict=True).startswith(version)
        document["spec"]["policies"] = []
        with pytest.raises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(document, version, strict=True)
