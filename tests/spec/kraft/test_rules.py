"""What steps say of the rules that govern them: which these are, and which releases have them."""

from __future__ import annotations

import ast
import re
from collections import Counter
from dataclasses import fields
from pathlib import Path

import pytest

from epochal.kafka.explain import rules
from epochal.spec.bugs.catalogue import KNOWN_BUGS
from epochal.spec.bugs.kraft import BUGS
from epochal.spec.kraft import options
from epochal.spec.kraft.broker_lifecycle import BrokerLifecycle
from epochal.spec.kraft.generations import VERSIONS, numbered
from epochal.spec.kraft.options.needed import SHIPPED, STEPS
from epochal.spec.kraft.rules import RULES, governed_by
from epochal.spec.kraft.settings import Settings
from tests.each import for_each

FIXED = (
    ("KAFKA-13207", "fetched_partitions_only", ("2.8",), ("2.8.1", "3.0")),
    ("KAFKA-14402", "transactions_verified", ("3.5.2",), ("3.6",)),
    ("KAFKA-14704", "diverging_answer_has_no_hw", ("3.3.2", "3.4"), ("3.4.1", "3.5")),
    ("KAFKA-15021", "shrink_bumps_leader_epoch", ("3.5.2",), ("3.6",)),
    ("KAFKA-15221", "decides_on_one_fetch", ("3.5", "3.5.2", "3.6.2"), ("3.4.1", "3.7")),
    ("KAFKA-15665", "reassignment_ends", ("3.7.2",), ("3.8", "4.4")),
    ("KAFKA-18106", "registration_fences_the_old_incarnation", ("3.9.2",), ("4.0",)),
    ("KAFKA-18991", "late_answers_dropped", ("2.8", "3.9", "4.0"), ("3.9.1", "3.9.2", "4.0.1", "4.1")),
    ("KAFKA-19130", "only_active_brokers_expire", ("4.0", "4.0.2"), ("3.9.2", "4.1")),
    ("KAFKA-19446", "late_markers_refused", ("4.1.2",), ("4.2",)),
    ("KAFKA-19522", "known_leader_must_be_active", ("4.0", "4.0.2"), ("3.9.2", "4.1")),
)
"""A ticket, the rule that it brought, releases without it and with it: as Kafka's own tracker says."""


@for_each("ticket, rule, without, with_it", FIXED)
def test_a_ticket_is_fixed_where_its_tracker_says_so(
    ticket: str, rule: str, without: tuple[str, ...], with_it: tuple[str, ...]
) -> None:
    assert ticket in rules()[rule]
    for release in without:
        assert getattr(VERSIONS[release], rule) == first_value(rule), release
    for release in with_it:
        assert getattr(VERSIONS[release], rule) != first_value(rule), release


def first_value(rule: str) -> object:
    """The value that is without the rule: it is not the designed one."""
    return next(value for value in SHIPPED[rule].values() if value != getattr(Settings(), rule))


@for_each("rule", SHIPPED)
def test_a_release_is_named_where_the_rule_is_told(rule: str) -> None:
    releases = [one for one in SHIPPED[rule] if one]
    assert list(SHIPPED[rule]) == ["", *sorted(releases, key=numbered)] and set(releases) <= VERSIONS.keys()
    lacking = {False} - {getattr(Settings(), rule)}
    brought = {one for one, value in SHIPPED[rule].items() if one and value not in lacking}
    assert brought <= set(re.findall(r"\d+\.\d+(?:\.\d+)?", rules()[rule]))
    assert brought or "no ticket is known" in rules()[rule].lower() or "Kafka 4.5" in rules()[rule]


@for_each("id", [one.id for one in BUGS if one.rule.keys() & SHIPPED.keys()])
def test_a_release_lacks_the_rule_of_each_bug_that_the_catalogue_says_it_had(id: str) -> None:
    """That it has no other is in test_catalogue."""
    (bug,) = (one for one in BUGS if one.id == id)
    had = [settings for version, settings in VERSIONS.items() if bug.was_in(version)]
    assert had and all(getattr(settings, name) == to for settings in had for name, to in bug.rule.items())


def test_no_rule_is_governed_by_a_name_that_is_no_setting() -> None:
    with pytest.raises(TypeError, match="BrokerLifecycle is governed by no_such_rule, which is no field of Settings"):
        governed_by("no_such_rule")(BrokerLifecycle)
    assert RULES.keys() <= {one.name for one in fields(Settings)}


def test_two_bugs_have_two_ids() -> None:
    """Or the protocols of one would be those of the other."""
    ids = Counter(one.id.lower() for one in KNOWN_BUGS if one.id)
    assert [id for id, count in ids.items() if count > 1] == []


def test_every_optional_step_is_found_without_a_list() -> None:
    folder = Path(*options.__path__)
    governed = {name for path in folder.glob("*.py") for name in _governed(path)}
    assert governed == {steps.__name__ for steps in STEPS.values()}


def _governed(path: Path) -> list[str]:
    """The classes of a file that say which rules govern them."""
    classes = (one for one in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(one, ast.ClassDef))
    return [one.name for one in classes if any("governed_by" in ast.unparse(mark) for mark in one.decorator_list)]
