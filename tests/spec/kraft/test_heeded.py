"""Which release heeds which setting: one table, with a source in each cell."""

from __future__ import annotations

import pytest

from epochal.report.check import scope_lines
from epochal.spec.kraft.configuration import SETTINGS, configured
from epochal.spec.kraft.generations import OLDER, RELEASES
from epochal.spec.kraft.guarantees import in_words
from epochal.spec.kraft.heeded import AT_MOST_COPIES, MIN_ISR, TABLE, UNCLEAN, heeds, since

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
