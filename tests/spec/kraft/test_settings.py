"""No setting of the modern protocol is void: each changes what the steps mean, or is refused."""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pytest

from epochal.api.check import scope_lines
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.specification import specification_digest
from epochal.spec.kraft.configuration import SETTINGS, configured, with_more, with_settings
from epochal.spec.kraft.generations import OLDER, RELEASES
from epochal.spec.kraft.guarantees import in_words
from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, TABLE, UNCLEAN, heeds, since
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.late_fetch import LateFetchAnswers
from epochal.spec.kraft.options.needed import STEPS, missing_steps
from epochal.spec.kraft.settings import Settings
from epochal.spec.language import BoundsError, LanguageError
from tests.each import for_each

NEEDED: dict[str, dict[str, Any]] = {
    "unclean_by_longest_log": {"unclean_leader_election": True},
}
"""Settings that are refused without another, and the other."""

STEP_ALONE = frozenset({"fetch_answers_lost"})
"""Settings that say no more than that there is a step: no rule reads them."""

MORE_BOUNDS = {"metadata_lag": 1, "crashes": 0, "fencings": 1, "shrinks": 1, "elections": 0, "reassignments": 1}
TRANSACTIONS = {"records": 2, "transactions": 2}
"""A record and a marker, and another transaction that what is late may reach."""


def others() -> Iterator[tuple[str, Any]]:
    """Every setting with each value that is not that of the newest Kafka; of a number, one."""
    for one in fields(Settings):
        newest = getattr(Settings(), one.name)
        if isinstance(newest, bool):
            yield one.name, not newest
        elif isinstance(newest, enum.Enum):
            yield from ((one.name, value) for value in type(newest) if value is not newest)
        else:
            yield one.name, 1


@functools.cache
def digest(base: type[Kraft], settings: Settings, brokers: int) -> str:
    """What the steps mean, without the properties."""
    kind = with_settings(base, settings)
    bounds = {"replication_factor": brokers, "max_epoch": 1}
    declared = kind.bounds_type().declared()
    bounds |= {name: value for name, value in MORE_BOUNDS.items() if name in declared}
    bounds |= TRANSACTIONS if "transactions" in declared else {}
    return specification_digest(compile_protocol(kind(kind.bounds_type()(**bounds)), only=()))


@functools.cache
def with_all(steps: tuple[type, ...]) -> type[Kraft]:
    """One class for all settings that need these steps, so that what they have in common is compiled once."""
    return with_more(Kraft, *steps)


@pytest.mark.parametrize(("name", "value"), [*others()], ids=lambda shown: str(shown).lower())
def test_every_setting_changes_what_the_steps_mean(name: str, value: Any) -> None:
    """The steps that need the setting are there on both sides, so that the rule alone differs; one broker may do."""
    newest = replace(Settings(), **NEEDED.get(name, {}))
    changed = replace(newest, **{name: value})
    base = with_all(tuple(missing_steps(Kraft, changed).values()) if name not in STEP_ALONE else ())
    assert any(digest(base, changed, brokers) != digest(base, newest, brokers) for brokers in (1, 2))


@pytest.mark.parametrize("name", NEEDED)
def test_a_setting_without_the_one_that_it_refines_is_refused(name: str) -> None:
    alone: dict[str, Any] = {name: True}
    with pytest.raises(BoundsError, match=f"{name}=True needs"):
        Settings(**alone)


@for_each("name", STEPS)
def test_a_class_without_the_steps_that_read_a_setting_is_refused(name: str) -> None:
    without: dict[str, Any] = {name: not getattr(Settings(), name)}
    changed = replace(Settings(), **without)
    kind = type("Mine", (Kraft,), {"settings": changed})
    with pytest.raises(LanguageError, match=f"{name} is not as in the newest Kafka") as refused:
        kind()
    assert STEPS[name].__name__ in str(refused.value.advice)
    assert with_settings(Kraft, changed)(), "with its steps the class can be made"


def test_the_steps_may_stand_in_the_class_itself() -> None:
    class Mine(LateFetchAnswers, Kraft):
        settings = Settings(late_answers_dropped=False)

    assert Mine()
    assert with_settings(Mine, Mine.settings).__mro__[1] is Mine, "nothing is added twice"


# Which release heeds which setting: one table, with a source in each cell.

NO_SETTING_OF_KAFKA = {"strict_hw", "lossy_crashes_spare_last_member", "fetch_answers_lost", "waits_for_caught_up"}
"""A rule, and what may go wrong."""


def test_each_cell_has_a_release_that_is_known_and_a_source() -> None:
    for row in TABLE:
        for cell in (row.kraft, row.zookeeper):
            assert cell.source
            assert not cell.release or cell.release in {*RELEASES, *OLDER, "0.8.2"}, row
    assert len({(row.setting, row.does) for row in TABLE}) == len(TABLE)


def test_every_setting_of_a_configuration_is_in_the_table() -> None:
    called = {one.setting for one in TABLE}
    own = {one.name for one in SETTINGS} - NO_SETTING_OF_KAFKA - {"kafka"}
    assert own == {"min_insync_replicas", "acks", "unclean_leader_election", "elr"}
    assert {MIN_ISR, "acks", UNCLEAN, "eligible.leader.replicas.version"} <= called


@pytest.mark.parametrize(
    ("release", "kraft", "zookeeper"),
    [("2.8", False, True), ("3.8.1", False, True), ("3.9", True, True), ("G5", True, True)],
)
def test_unclean_election_by_who_runs_the_cluster(release: str, kraft: bool, zookeeper: bool) -> None:
    assert heeds(release, UNCLEAN) == kraft
    assert heeds(release, UNCLEAN, mode="zookeeper") == zookeeper


def test_what_is_not_heeded_is_told() -> None:
    told = dict(in_words(configured(kafka="3.8", unclean_leader_election=True), 3))
    assert told[UNCLEAN] == "true is not heeded before Kafka 3.9 (KAFKA-12670): it elects nobody"
    protocol = configured(kafka="3.8", unclean_leader_election=True)()
    assert "unclean.leader.election.enable=true is not heeded before Kafka 3.9 (KAFKA-12670): it elects nobody" in (
        scope_lines(protocol)
    )
    assert len(scope_lines(configured(kafka="3.9", unclean_leader_election=True)())) == 2
    assert dict(in_words(configured(kafka="3.9", unclean_leader_election=True), 3))[UNCLEAN] == "true"
    assert since(MIN_ISR, AT_MOST_COPIES).release == "3.7"
