"""Public rules are graded by what is decided, and each sentence of the page is so."""

from __future__ import annotations

import pytest

import epochal
from docs.generator.graded import RELEASES, RULES, SETTINGS, graded, kept, word
from epochal.kafka.audit.decided import Decider
from epochal.kafka.audit.topic_class import Kind
from epochal.kafka.guarantees.decided import GuaranteeOptions

WITH_ELR = ("4.3", True)
FREE_OF_LOSS = {(2, 2), (3, 2), (3, 3)}


def test_without_elr_no_settings_survive_a_power_loss_and_with_it_a_minimum_of_two_does() -> None:
    for release in RELEASES:
        surviving = {one for one in SETTINGS if kept(*release, *one).power}
        assert surviving == (FREE_OF_LOSS if release == WITH_ELR else set())
        assert all(kept(*release, *one).crash for one in SETTINGS)
    assert {one for one in SETTINGS if kept(*WITH_ELR, *one).all} == {(3, 2)}


def test_a_margin_of_two_buys_writes_with_two_brokers_down() -> None:
    decider = Decider(("4.3",), GuaranteeOptions(searches=False))
    written = {one: decider.writes(Kind(3, one, "all", False, True), 2) for one in (1, 2, 3)}
    assert written == {1: True, 2: False, 3: False}


def test_the_words() -> None:
    words = {rule.text: word(rule, *WITH_ELR) for rule in RULES}
    exact = [text for text, told in words.items() if told == "exact"]
    assert exact == ["2 ≤ min.insync.replicas ≤ replication factor - 1"]
    assert [text for text, told in words.items() if told == "not decided"] == [
        "regulated: min.insync.replicas at least 3, replication factor at least 5"
    ]
    margin = next(rule for rule in RULES if "at least 2 (best)" in rule.text)
    assert graded(margin, *WITH_ELR) == ("3/1", "kept", "broken: 3/1", "kept", "3/2")
    assert words[margin.text] == "lets losses through, refuses what is safe"
    assert not any(word(rule, "3.9", False) == "exact" for rule in RULES)


@pytest.mark.parametrize("wanted", [1, 2])
def test_what_is_decided_is_what_a_search_finds(wanted: int) -> None:
    """With two replicas, searched again by the newest design, which is that of 4.3, without what is kept."""
    result = epochal.guarantees(
        kafka="G9", faults=["clean", "lossy"], replication_factor=2, min_insync_replicas=wanted, cached=False
    )
    (table, *_) = result.tables
    answers = {one.fault.id: all(each.verdict == "holds" for each in one.answers.values()) for one in table.decided}
    writes = {one.fault.id: one.writes for one in table.decided}
    told = kept(*WITH_ELR, 2, wanted)
    assert answers == {"clean": told.crash, "lossy": told.power}
    assert writes["clean"][0] is told.writes


@pytest.mark.parametrize("voters", [3, 4])
def test_an_even_number_of_voters_splits_nothing(voters: int) -> None:
    """Somebody leads, and nobody beside it, in every state within the bounds."""
    protocol = epochal.load("quorum", voters=voters, observers=1, log_size=1, max_epoch=1)
    result = epochal.check(protocol, properties=["one_leader_per_epoch", "record_committed"])
    assert result.verdicts == {"one_leader_per_epoch": "holds", "record_committed": "holds"}
