"""The catalogue of known bugs: without its rule each shows the named property violated, and with it none.

Brokers are interchangeable, so that one state is searched of all that differ in their names only.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from docs.generator.shown_bugs import FOLDER, LENGTH
from epochal.checker.search.native import check
from epochal.checker.search.result import Options
from epochal.kafka.catalogue import trace_file
from epochal.spec.bugs.kraft import BUGS as EVERY
from epochal.spec.bugs.kraft import open_holes
from epochal.spec.kraft.configuration import ConfigurableKraft, configured, with_settings
from epochal.spec.kraft.generations import FIRST_WITH_ELR, VERSIONS, numbered
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.rules import KraftBug
from epochal.spec.kraft.settings import FollowersForgotten, Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import Identifier, Set, SettingValue, action, invariant, require
from epochal.spec.registry import registered
from tests.each import for_each


class JoinsWithinOne(ConfigurableKraft):
    """A follower may join the ISR when it is within one record of the high watermark."""

    def may_join(self, leader: Identifier, follower: Identifier) -> bool:
        fetched = self.brokers[leader].followers[follower]
        return (
            follower not in self.view(leader).isr
            and self.may_propose(leader)
            and fetched >= 0
            and fetched + 1 >= self.brokers[leader].hw
            and self.is_active(follower)
        )


class CountsWhatItSends(ConfigurableKraft):
    """The leader takes a follower to have the record that it is just being sent."""

    def accept_fetch(self, leader: Identifier, follower: Identifier) -> None:
        super().accept_fetch(leader, follower)
        if self.end(follower) < self.end(leader):
            self.brokers[leader].followers[follower] = self.end(follower) + 1
            self.advance_high_watermark(leader)


class TrustsTheNextFetch(ConfigurableKraft):
    """The high watermark counts a follower at one record further than where it has fetched."""

    def known_end(self, leader: Identifier, r: Identifier) -> int:
        known = super().known_end(leader, r)
        return min(known + 1, self.end(leader)) if r != leader and known >= 0 else known


class CountsTheCommitted(ConfigurableKraft):
    """Who is proposed for the ISR is not waited for."""

    def maximal_isr(self, leader: Identifier) -> Set[Identifier]:
        return self.view(leader).isr


class ProposesAnyTime(ConfigurableKraft):
    """A leader need not wait for the answer to its last proposal."""

    def may_propose(self, leader: Identifier) -> bool:
        return True


class AnyEpoch(ConfigurableKraft):
    """A leader answers fetches of another epoch, too."""

    def follows(self, follower: Identifier, leader: Identifier) -> bool:
        return self.is_running(follower) and self.view(follower).leader == leader


class ReadsTheTable(ConfigurableKraft):
    """A step of its own reads how far the leader takes its followers to be."""

    @action(by="leader", says="{leader} knows where {follower} is")
    def knows(self, leader: Replica, follower: Replica) -> None:
        require(self.brokers[leader].followers[follower] > 0)


class KeepsItsProposal(ConfigurableKraft):
    """A leader that acts on another change goes on proposing what it proposed."""

    def become_leader(self, leader: Identifier, led_before: bool, epoch_before: int) -> None:
        proposed = self.brokers[leader].proposed
        super().become_leader(leader, led_before, epoch_before)
        self.brokers[leader].proposed = proposed


class AnyMember(ConfigurableKraft):
    """The controller takes everybody into the ISR who is proposed."""

    def is_eligible(self, member: Identifier) -> bool:
        return True


class ActsOnTheIsr(ConfigurableKraft):
    """A follower that is not in the ISR as it knows it begins anew."""

    def become_follower(self, follower: Identifier, led_before: bool, epoch_before: int) -> None:
        super().become_follower(follower, led_before, epoch_before)
        if follower not in self.view(follower).isr:
            self.truncate(follower, 0)


class ElectsByName(ConfigurableKraft):
    """Only one broker may lead: a rule that no step here has anything to do with."""

    def may_lead(self, r: Identifier) -> bool:
        return super().may_lead(r) and self.metadata[0].leader != r


class Judges(ConfigurableKraft):
    """A property of its own reads what a fetch changes: it takes no part in any step."""

    @invariant
    def table_is_small(self) -> bool:
        return all(self.brokers[a].followers[b] < 9 for a in self.brokers for b in self.brokers)


FETCH, REQUEST, ANSWER, REPLAY, KNOWN = (
    "a fetch is one step",
    "one AlterPartition request at a time",
    "an accepted proposal is known by replaying the change",
    "a change that makes no difference counts as replayed",
    "fencing and registration are known at once",
)

VOID: dict[type[ConfigurableKraft], set[str]] = {
    JoinsWithinOne: {FETCH},
    CountsWhatItSends: {FETCH},
    TrustsTheNextFetch: {FETCH},
    CountsTheCommitted: {FETCH, ANSWER},
    ProposesAnyTime: {FETCH, REQUEST},
    AnyEpoch: {FETCH},
    ReadsTheTable: {FETCH},
    KeepsItsProposal: {FETCH, ANSWER},
    AnyMember: {KNOWN},
    ActsOnTheIsr: {REPLAY},
    ElectsByName: set(),
    Judges: set(),
}
"""The reductions that each makes void."""

LOSES = (JoinsWithinOne, CountsWhatItSends, TrustsTheNextFetch)


def is_about_liveness(bug: KraftBug) -> bool:
    """Whether what a bug breaks is a liveness property, which other tests check."""
    return bug.property_id in {member.name for member in registered(bug.without_rule).members("leads_to")}


BUGS = tuple(one for one in EVERY if not is_about_liveness(one))
"""Those that break no promise: what must happen in the end is searched in tests/spec/test_promises.py."""

SHORTEST = {
    "S1": 9,
    "S2": 13,
    "S9": 15,
    "S10": 14,
    "S11": 9,
    "S12": 3,
    "S13": 10,
    "S14": 13,
    "S15": 15,
    "S16": 5,
    "S17": 12,
    "S17b": 16,
    "S18": 6,
    "S19": 6,
    "S20": 12,
    "S21": 7,
    "S21b": 7,
    "S22": 5,
    "S23": 13,
    "S24": 9,
    "S25": 4,
    "S26a": 7,
    "S27": 7,
    "S28": 10,
    "S29": 18,
    "S30": 8,
    "KAFKA-15665": 11,
    "KAFKA-20634": 11,
    "KAFKA-13207": 13,
    "N1": 10,
    "N2": 12,
    "N3": 10,
    "H1": 8,
    "H2": 12,
    "H3": 14,
    "H4": 10,
    "H6": 15,
    "H7": 4,
    "H7b": 8,
    "W4": 30,
    "H13": 11,
    "S31": 6,
    "KIP-98": 6,
    "KIP-360": 8,
    "KIP-854": 7,
    "KAFKA-6003": 11,
    "KAFKA-7190": 6,
    "KAFKA-15591": 10,
    "P1": 9,
    "P2": 16,
    "KIP-98b": 7,
    "KIP-98c": 9,
    "KAFKA-14402": 7,
    "KIP-890": 10,
    "KAFKA-19446": 8,
    "KAFKA-20716": 13,
    "X1": 14,
    "KAFKA-5634": 5,
    "KAFKA-7104": 8,
    "KAFKA-7414": 13,
    "KAFKA-9491": 12,
    "KAFKA-12996": 13,
    "H8": 9,
    "H8b": 10,
    "H8c": 12,
}
"""The states of a shortest counterexample, the first included."""

TOLD = {name: int(length) for length, name in LENGTH.findall((FOLDER / "README.md").read_text(encoding="utf-8"))}
"""The same of the folder of counterexamples, for bugs that are not above: one that is new has its length there."""


def shortest(bug: KraftBug) -> int:
    """Return how many states the shortest counterexample of a bug has."""
    named = trace_file(bug.without_rule, bug.property_id, bug.other_bounds).removesuffix(".itf.json")
    assert bug.id in SHORTEST or named in TOLD, f"no length of {bug.id}: run epochal counterexamples"
    return SHORTEST[bug.id] if bug.id in SHORTEST else TOLD[named]


NEW = ("H2", "H3", "W4", "KAFKA-15665", "KAFKA-12996")
RETRIES = ("KIP-98", "P2", "KIP-854", "KAFKA-6003", "KIP-98b", "KIP-98c", "KAFKA-19446", "KAFKA-20716")
STORED = ("T1", "T5")
"""T1 is searched with and without its rule, at these bounds, by test_tiered_storage; T5 has a step more."""
LARGE = (
    *NEW,
    *RETRIES,
    "H7",
    "H7b",
    "H13",
    "KAFKA-20634",
    "KIP-360",
    "KAFKA-7190",
    "KAFKA-15591",
    "KIP-890",
    "H1",
    "H6",
    "S29",
    "N1",
    "S9",
    "S10",
    "S13",
    "S14",
    "S15",
    "S17",
    "S23",
    "S30",
    "X1",
    *STORED,
    "KAFKA-15241",
    "H15",
    "T6",
)
"""Scenarios with the largest searches; that nothing is violated with their rule is shown by `make test-long`."""

WITH_RULE = [pytest.param(s, id=s.id, marks=[pytest.mark.long] if s.id in LARGE else []) for s in BUGS]


def test_every_scenario_has_its_length() -> None:
    assert all(shortest(scenario) > 1 for scenario in BUGS)
    assert [scenario.id for scenario in BUGS][: len(SHORTEST)] == list(SHORTEST), "a new one is told after all others"


SLOW = (*NEW, *RETRIES, *STORED, "T6", "S29", "S13", "S14", "S15", "S23", "S17", "S11", "S2", "X1")
"""Of these the violation is searched by `make test-long`."""

WITHOUT_RULE = [pytest.param(s, id=s.id, marks=[pytest.mark.long] if s.id in SLOW else []) for s in BUGS]


@pytest.mark.parametrize("scenario", WITHOUT_RULE)
def test_without_the_rule(scenario: KraftBug) -> None:
    """The property is violated, by a run of the known length."""
    result = check(registered(scenario.without_rule)(), Options(properties=(scenario.property_id,), symmetry=True))
    (found,) = result.properties
    assert result.error is None
    assert (found.verdict, found.length) == ("violated", shortest(scenario))


@pytest.mark.parametrize("scenario", WITH_RULE)
def test_with_the_rule(scenario: KraftBug) -> None:
    """Every state within the same bounds was visited, and the property holds."""
    result = check(registered(scenario.with_rule)(), Options(properties=(scenario.property_id,), symmetry=True))
    (found,) = result.properties
    assert result.error is None
    assert result.exhaustive
    assert found.verdict == "holds"


@pytest.mark.long
def test_the_smallest_fix_of_n1() -> None:
    """An epoch that is not the next one is a new term: the leader has missed that of another."""
    (bug,) = [one for one in BUGS if one.id == "N1"]
    settings = Settings(followers_forgotten=FollowersForgotten.MISSED_EPOCH)
    protocol = with_settings(Kraft, settings, "kraft-n1-smallest-fix")(registered(bug.without_rule)().bounds)
    result = check(protocol, Options(properties=bug.properties, symmetry=True))
    assert result.exhaustive and [one.verdict for one in result.properties] == ["holds"]


def test_divergence_of_s28_needs_the_unclean_election() -> None:
    """With clean elections truncation to the high watermark loses records, but the logs agree again."""
    (scenario,) = [one for one in BUGS if one.id == "S28"]
    settings = replace(scenario.faulty, unclean_leader_election=False)
    clean = with_settings(Kraft, settings, "kraft-s28-clean")(registered(scenario.without_rule)().bounds)
    asked = ("leader_candidate_completeness", scenario.property_id)
    result = check(clean, Options(properties=asked, all_violations=True))
    assert result.exhaustive
    assert {p.member.name: p.verdict for p in result.properties} == {
        "leader_candidate_completeness": "violated",
        scenario.property_id: "holds",
    }


@pytest.mark.parametrize(
    ("said", "ids"),
    [
        ({}, ["N2"]),
        ({"kafka": "G8"}, ["S20"]),
        ({"kafka": "G8", "acks": "1", "min_insync_replicas": 1}, ["S20", "S24", "S25"]),
        ({"acks": "1", "min_insync_replicas": 1}, ["S24", "S25", "N2"]),
        ({"kafka": "3.9"}, ["S10", "S15", "S18", "S20", "N1"]),
        ({"kafka": "3.9.1"}, ["S15", "S18", "S20", "N1"]),
        ({"kafka": "4.0", "elr": True}, ["S10", "S15", "S22", "N1", "N2"]),
        ({"kafka": "4.4"}, ["S15", "N1", "N2"]),
        ({"kafka": "4.4", "elr": False}, ["S15", "S20", "N1"]),
    ],
)
def test_which_holes_a_configuration_has_open(said: dict[str, SettingValue], ids: list[str]) -> None:
    assert [bug.id for bug in open_holes(configured(**said).settings)] == ids


@for_each("version", [one for one in VERSIONS if one not in ("2.8", "2.8.1", "2.8.2")])
def test_a_release_has_no_hole_that_the_catalogue_says_it_did_not_have(version: str) -> None:
    """H7 is one: from 3.8 to 4.2 every override completes. In KRaft 2.8 nothing could be reassigned."""
    for elr in {False, numbered(version) >= FIRST_WITH_ELR}:
        assert [bug.id for bug in open_holes(replace(VERSIONS[version], elr=elr)) if not bug.was_in(version)] == []


def test_reassignments_have_the_holes_of_their_version() -> None:
    asked = ("H7", "H7b", "KAFKA-15665")
    holes = {version: {bug.id for bug in open_holes(VERSIONS[version])} & set(asked) for version in VERSIONS}
    assert {version: sorted(found) for version, found in holes.items() if version in ("3.7", "3.8", "4.2", "4.3")} == {
        "3.7": ["H7", "H7b", "KAFKA-15665"],
        "3.8": ["H7b"],
        "4.2": ["H7b"],
        "4.3": ["H7", "H7b"],
    }
