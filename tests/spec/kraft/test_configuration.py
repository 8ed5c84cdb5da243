"""Settings of a configuration make a protocol, and contradictions are refused with what to do."""

from __future__ import annotations

import itertools
from dataclasses import fields, replace
from typing import Any

import pytest

from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.columns import between, usual_choices
from epochal.spec.kraft.configuration import SETTINGS, ConfigurableKraft, configured, with_settings
from epochal.spec.kraft.generations import CLASSIC, GENERATIONS, OLDER, RELEASES, TOLD, VERSIONS, known_as, numbered
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.answers import AnswersAheadOfMetadata
from epochal.spec.kraft.options.consumer import FollowerReads
from epochal.spec.kraft.options.late_decision import LateDecision
from epochal.spec.kraft.options.late_fetch import LateFetchAnswers
from epochal.spec.kraft.options.reassignment import Reassignment, ReassignmentBounds
from epochal.spec.kraft.options.stale_controller import StaleController
from epochal.spec.kraft.reassigned import KraftReassignment
from epochal.spec.kraft.settings import Acks, FollowersForgotten, ReassignmentEnds, Settings
from epochal.spec.kraft.state import KraftBounds, Replica
from epochal.spec.language import BoundsError, Identifier, SettingValue, action, invariant, require
from epochal.spec.language.configurable import with_configuration
from epochal.spec.registry import REGISTRY
from tests.each import for_each


def test_without_settings_it_is_the_newest_generation() -> None:
    assert configured().settings == GENERATIONS["G9"] == Settings()
    assert issubclass(configured(), Kraft)


def test_a_configuration_becomes_settings() -> None:
    made = configured(kafka="3.9", min_insync_replicas=1, acks="1", unclean_leader_election=True).settings
    assert (made.min_insync_replicas, made.acks, made.unclean_leader_election) == (1, Acks.LEADER, True)
    assert made.strict_hw and not made.elr


@pytest.mark.parametrize(
    ("version", "strict_hw", "elr"),
    [("3.6", False, False), ("3.7", True, False), ("4.0", True, False), ("4.1", True, True)],
)
def test_versions(version: str, strict_hw: bool, elr: bool) -> None:
    made = configured(kafka=version).settings
    assert (made.strict_hw, made.elr) == (strict_hw, elr)


def test_elr_is_an_option_of_4_0_and_can_be_left_out_of_4_1() -> None:
    assert configured(kafka="4.0", elr=True).settings.elr
    assert not configured(kafka="4.1", elr=False).settings.elr


def test_rules_are_never_lost_again() -> None:
    """From one generation to the next, from one version to the next and within a version, rules only come."""
    rules = [f.name for f in fields(Settings) if f.type == "bool"]
    turned = {"shrink_bumps_leader_epoch", "decides_on_one_fetch"}
    turned |= {"known_leader_must_be_active", "only_active_brokers_expire"}  # of the last known leader: not before 4.0
    turned |= {"local_retention_asks_lineage", "truncation_keeps_log_start"}  # of tiered storage: not before 3.6
    turned |= {"copied_offset_within_lineage", "expiry_looks_up_first", "remote_metadata_needs_two"}
    turned |= {"failed_copies_count_for_nothing"}
    turned |= {"log_start_found_without_copying", "log_start_found_again", "log_start_found_within_lineage"}
    turned |= {"epochs_read_before_truncation"}
    first = [version for version in VERSIONS if version.count(".") == 1]
    families = [list(GENERATIONS.values()), [VERSIONS[version] for version in first]]
    families += [[VERSIONS[one] for one in VERSIONS if f"{one}.".startswith(f"{minor}.")] for minor in first]
    for settings in families:
        for older, newer in itertools.pairwise(settings):
            for rule in set(rules) - turned:
                assert getattr(newer, rule) >= getattr(older, rule), rule


@pytest.mark.parametrize(
    ("version", "rule", "there"),
    [
        ("3.4", "diverging_answer_has_no_hw", False),
        ("3.4.1", "diverging_answer_has_no_hw", True),
        ("3.6.2", "decides_on_one_fetch", False),
        ("3.7", "decides_on_one_fetch", True),
        ("3.9", "late_answers_dropped", False),
        ("3.9.1", "late_answers_dropped", True),
        ("4.0", "late_answers_dropped", False),
        ("4.0.1", "late_answers_dropped", True),
        ("2.8", "fetched_partitions_only", False),
        ("2.8.1", "fetched_partitions_only", True),
        ("4.0.2", "only_active_brokers_expire", False),
        ("4.1", "only_active_brokers_expire", True),
        ("4.0.2", "known_leader_must_be_active", False),
        ("4.1", "known_leader_must_be_active", True),
        ("2.8", "stale_controller_refuses", True),
    ],
)
def test_which_release_brought_a_rule(version: str, rule: str, there: bool) -> None:
    assert getattr(configured(kafka=version).settings, rule) is there


def test_every_release_has_the_holes_that_nobody_has_closed() -> None:
    """N1, S15, W4 and H7: `kraft` without a version is the design, and no release."""
    for settings in VERSIONS.values():
        assert settings.followers_forgotten == FollowersForgotten.NEW_LEADER
        assert not settings.known_partition_epoch_ignored and not settings.elr_has_only_replicas
        assert not settings.override_starts_anew
    assert configured(kafka="4.4").settings != Settings()


def test_a_variant_with_reassignments_has_the_rule_of_the_version() -> None:
    class Reassigned(Reassignment, ConfigurableKraft):
        """Replicas come and go, and one reassignment ends before the next begins."""

    for kind in (Reassigned, KraftReassignment):
        made = [kind.configured({"kafka": version}).settings for version in ("3.7", "4.2", "4.3")]
        assert [one.reassignment_ends for one in made] == list(ReassignmentEnds)
        assert not any(one.elr_has_only_replicas for one in made)
        assert [one.override_starts_anew for one in made] == [kind is Reassigned] * 3
    assert configured(kafka="4.3").settings.override_starts_anew, "nobody is reassigned here"


def test_steps_come_with_the_holes_that_need_them() -> None:
    steps = (AnswersAheadOfMetadata, LateFetchAnswers, FollowerReads, StaleController, LateDecision)
    assert [issubclass(configured(kafka="2.8"), step) for step in steps] == [True, True, True, False, False]
    assert [issubclass(configured(kafka="3.5"), step) for step in steps] == [True, True, False, False, True]
    assert [issubclass(configured(kafka="4.1"), step) for step in steps] == [True, False, False, False, False]
    assert [issubclass(configured(kafka="G9"), step) for step in steps] == [False, False, False, False, False]


@pytest.mark.parametrize("version", [*TOLD, *GENERATIONS])
def test_every_version_can_be_compiled(version: str) -> None:
    kind = configured(kafka=version)
    small = KraftBounds(
        replication_factor=2,
        records=1,
        max_epoch=1,
        metadata_lag=1,
        lossy_crashes=1,
        fencings=0,
        shrinks=0,
        elections=0,
    )
    assert kind.name == f"kraft-{version.lower()}"
    assert compile_protocol(kind(small), only=()).instances


@pytest.mark.parametrize("version", ["3.9", "4.0", "4.3"])
def test_the_first_release_of_a_version_has_two_names(version: str) -> None:
    """It calls itself 3.9.0, in its logs for instance."""
    assert configured(kafka=f"{version}.0").settings == configured(kafka=version).settings
    moved = [KraftReassignment.configured({"kafka": one}).settings for one in (version, f"{version}.0")]
    assert moved[0] == moved[1]
    with pytest.raises(BoundsError, match="its KRaft controller cannot reassign"):
        KraftReassignment.configured({"kafka": "2.8.0"})


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"kafka": "5.0"},
            "kafka: no version or generation is called '5.0'\n  The newest version that is",
        ),
        (
            {"kafka": "2.0"},
            "kafka='2.0' is older than KRaft, which came with Kafka 2.8\n  Its protocol is 'kip-279'",
        ),
        ({"acks": "2"}, "acks='2': producers know 0, 1, all (INVALID_REQUIRED_ACKS)"),
        ({"min_insync_replicas": 0}, "min_insync_replicas=0: at least 1 is needed"),
        ({"strict_hw": False}, "strict_hw=False: eligible leader replicas without the strict high watermark lose"),
        (
            {"kafka": "3.9", "elr": True},
            "elr=True with kafka='3.9': eligible leader replicas (KIP-966) came with Kafka 4.0",
        ),
        ({"kafka": "G8", "elr": True}, "elr=True with kafka='G8': eligible leader replicas"),
    ],
)
def test_contradictions_are_refused(said: dict[str, Any], message: str) -> None:
    with pytest.raises(BoundsError) as refused:
        configured(**said)
    assert str(refused.value).startswith(message)


def test_minus_one_is_another_word_for_all() -> None:
    made = configured(acks="-1")
    assert (made.settings.acks, made.configuration) == (Acks.ALL, {"acks": "all"})


def test_before_3_7_as_many_replicas_must_be_there_as_a_write_waits_for() -> None:
    """KAFKA-15583: 3.7 waits for no more than there are; before, NOT_ENOUGH_REPLICAS although all brokers are up."""
    kind = configured(kafka="3.6", min_insync_replicas=3)
    kind(KraftBounds(replication_factor=3))
    with pytest.raises(BoundsError) as refused:
        kind(KraftBounds(replication_factor=2))
    assert str(refused.value).startswith(
        "min_insync_replicas=3 with replication_factor=2: before Kafka 3.7 every write with acks=all is refused, "
        "NOT_ENOUGH_REPLICAS, although all brokers are up (KAFKA-15583"
    )
    assert str(refused.value).endswith("Choose 1 to 2.")
    for kafka in ("3.7", "4.4", "G8", "G9"):
        assert configured(kafka=kafka, min_insync_replicas=3)(KraftBounds(replication_factor=2)).min_isr() == 2
    configured(kafka="3.6", min_insync_replicas=3, acks="1")(KraftBounds(replication_factor=2))
    assert configured(kafka="3.6")(KraftBounds(replication_factor=1)).min_isr() == 1, "unsaid, at most what there is"


@for_each("kafka", [*VERSIONS, *GENERATIONS])
def test_unclean_election_is_heeded_since_3_9(kafka: str) -> None:
    """KAFKA-12670: before, KRaft accepts the setting, and elects nobody by it. The name still says what was asked."""
    made = configured(kafka=kafka, unclean_leader_election=True)
    assert made.settings.unclean_leader_election == (kafka in GENERATIONS or numbered(kafka) >= (3, 9))
    assert made.name.endswith("-unclean-leader-election")
    designed = usual_choices({"kafka": kafka, "unclean_leader_election": True})[-1].settings
    assert designed["unclean_leader_election"] == made.settings.unclean_leader_election


def test_older_versions_and_generations_name_registered_protocols() -> None:
    assert {*OLDER.values(), *CLASSIC.values()} <= set(REGISTRY)


class Variant(ConfigurableKraft):
    """A protocol of a user's own: a step, a property, a replaced rule and a changed setting."""

    name = "variant"
    settings = replace(Settings(), epoch_start_rule=False)

    @action(by="controller", says="The controller fences nobody")
    def do_nothing(self, broker: Replica) -> None:
        require(self.is_running(broker))

    @invariant
    def always(self) -> bool:
        """It is always so."""
        return True

    def may_lead(self, r: Identifier) -> bool:
        """Only the first broker may lead."""
        return super().may_lead(r) and r == 0


WORDS: dict[str, SettingValue] = {
    "min_insync_replicas": 1,
    "acks": "1",
    "unclean_leader_election": True,
    "elr": False,
    "strict_hw": True,
    "lossy_crashes_spare_last_member": True,
    "fetch_answers_lost": True,
    "waits_for_caught_up": True,
}


@pytest.mark.parametrize("kafka", [None, *TOLD, *GENERATIONS])
def test_a_variant_keeps_its_rules_under_every_setting(kafka: str | None) -> None:
    """And it keeps its name. What it does not change is as in the version."""
    assert {"kafka", *WORDS} == {setting.name for setting in SETTINGS}
    version: dict[str, SettingValue] = {} if kafka is None else {"kafka": kafka}
    for said in ({}, *({name: value} for name, value in WORDS.items())):
        made = with_configuration(Variant, {**version, **said})
        again = with_configuration(made, {"min_insync_replicas": 1})
        for kind in (made, again):
            assert issubclass(kind, Variant) and not kind.settings.epoch_start_rule
            assert kind.name.startswith("variant")
            assert "do_nothing" in {m.name for m in kind.members("action")}
            assert "always" in {m.name for m in kind.members("invariant")}
        assert issubclass(made, Variant)
        assert issubclass(made, LateFetchAnswers) == issubclass(configured(**version), LateFetchAnswers)
        assert made.settings == replace(configured(**version, **said).settings, epoch_start_rule=False)


def test_the_first_release_of_a_version_is_called_as_kafka_calls_it() -> None:
    """`3.9.0` is `3.9`, in every place that takes a release; there is no other release that ends so."""
    for minor in RELEASES:
        assert configured(kafka=f"{minor}.0").settings == configured(kafka=minor).settings
        assert configured(kafka=f"{minor}.0").name == f"kraft-{minor}"
    assert known_as("3.0") == "3.0" and known_as("4.0.0.0") == "4.0.0.0"
    assert [choice.settings["kafka"] for choice in usual_choices({"kafka": "4.0.0"})] == ["4.0", "G8"]
    assert [choice.title for choice in between(("3.9.0", "G9"), {})] == ["Kafka 3.9", "G9"]
    with pytest.raises(BoundsError, match="cannot reassign"):
        with_configuration(KraftReassignment, {"kafka": "2.8.0"})


@pytest.mark.parametrize(
    ("release", "protocol"),
    [
        ("2.7.2", "zookeeper-stale-confirmation"),
        ("2.6.0", "kip-320"),
        ("0.11.0.3", "kip-101"),
        ("0.8.2.2", "truncate-to-hw"),
    ],
)
def test_a_point_release_before_kraft_leads_to_its_protocol(release: str, protocol: str) -> None:
    with pytest.raises(BoundsError, match="is older than KRaft") as refused:
        configured(kafka=release)
    assert protocol in str(refused.value)


# Reassignment (KIP-455): replicas come, go and come back, and committed records stay.


class ReassignmentKraft(Reassignment, Kraft):
    """The modern protocol, with replicas that are taken away and given back."""


SAFE = (
    "committed_never_lost",
    "leader_candidate_completeness",
    "expansion_safe",
    "isr_has_replicas",
    "elr_has_replicas",
    "isr_and_elr",
)


def searched(
    settings: Settings, properties: tuple[str, ...], everything: bool = False, /, **bounds: int
) -> CheckResult:
    """Three brokers, one record; bounds that are not given are as small as can be."""
    least = {name: bound.least for name, bound in ReassignmentBounds.declared().items()}
    small = ReassignmentBounds(**{**least, "replication_factor": 3, "records": 1, "metadata_lag": 1, **bounds})
    protocol = with_settings(ReassignmentKraft, settings)(small)
    return check(protocol, Options(properties=properties, symmetry=True, all_violations=everything))


def test_replicas_are_exchanged() -> None:
    """One is taken out, given back in place of another, or not after all; the leader may be the one that goes."""
    mechanisms = ("reassignment_waits", "reassignment_moves_leader")
    result = searched(Settings(), (*SAFE, *mechanisms), max_epoch=3, reassignments=3)
    assert {p.member.name: p.verdict for p in result.properties} == dict.fromkeys((*SAFE, *mechanisms), "holds")
    assert {"reassign", "cancel_reassignment", "handle_alter_partition"}.isdisjoint(result.never_taken)


EXCHANGED = {"max_epoch": 2, "lossy_crashes": 1, "shrinks": 1}


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "reassignments", "length"),
    [
        (ReassignmentEnds.ALL_ADDED, 1, 11),
        (ReassignmentEnds.ALL_TARGETS, 2, None),
        (ReassignmentEnds.ALL_ADDED_IF_AS_MANY, 2, None),
    ],
)
def test_when_a_reassignment_may_end(rule: ReassignmentEnds, reassignments: int, length: int | None) -> None:
    """KAFKA-15665: to wait for new replicas only leaves too few copies: one lossy crash loses what had two.

    KAFKA-19975, which waits for fewer again where as many come as go, loses nothing at these bounds.
    """
    settings = Settings(reassignment_ends=rule)
    result = searched(settings, ("committed_never_lost",), **EXCHANGED, reassignments=reassignments)
    (found,) = result.properties
    assert (found.verdict, found.length) == (("violated", length) if length else ("holds", None))
    assert result.exhaustive or length


@pytest.mark.long
def test_without_elr_the_rules_of_3_8_and_4_3_lose_the_same() -> None:
    """The last member of the ISR without its log (S20): runs of the same lengths with both rules."""
    asked = (*SAFE, "acknowledged_durable")
    lengths = []
    for rule in (ReassignmentEnds.ALL_TARGETS, ReassignmentEnds.ALL_ADDED_IF_AS_MANY):
        result = searched(Settings(elr=False, reassignment_ends=rule), asked, True, **EXCHANGED, reassignments=2)
        assert result.exhaustive
        lengths.append({p.member.name: p.length for p in result.properties if p.verdict == "violated"})
    told = {
        "leader_candidate_completeness": 13,
        "acknowledged_durable": 17,
        "committed_never_lost": 21,
        "expansion_safe": 22,
    }
    assert lengths == [told, told]


def test_a_ghost_among_the_eligible() -> None:
    """W4: who leaves the partition stays eligible, and with the rule of KAFKA-19975 four steps earlier."""
    lengths = []
    for rule in (ReassignmentEnds.ALL_TARGETS, ReassignmentEnds.ALL_ADDED_IF_AS_MANY):
        settings = Settings(elr_has_only_replicas=False, reassignment_ends=rule)
        result = searched(settings, ("elr_has_replicas",), max_epoch=3, reassignments=3, shrinks=1)
        lengths.append(result.properties[0].length)
    assert lengths == [20, 16]
