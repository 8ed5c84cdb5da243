"""Subjects that a protocol may add: what holds with every rule, what one without a rule breaks, and each mechanism."""

from __future__ import annotations

from dataclasses import replace

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import configured, with_settings, with_steps
from epochal.spec.kraft.generations import G7, G9
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.consumer import Consumer
from epochal.spec.kraft.options.coordinator import CoordinatorWrites
from epochal.spec.kraft.options.deleted_records import DeletedRecords
from epochal.spec.kraft.options.deletion_answers import DeletionAnswers
from epochal.spec.kraft.options.future_log import FutureLogs
from epochal.spec.kraft.options.idempotence import IdempotentProducer
from epochal.spec.kraft.options.last_stable_offset import LastStableOffset
from epochal.spec.kraft.options.log_start import LogStart
from epochal.spec.kraft.options.lost_fetch import LostFetchAnswers
from epochal.spec.kraft.options.overlapping import OverlappingReassignments
from epochal.spec.kraft.options.producer_expiry import ProducerExpiry
from epochal.spec.kraft.options.producer_snapshots import ProducerSnapshots
from epochal.spec.kraft.options.retention import Retention
from epochal.spec.kraft.options.torn_answer import TornAnswers
from epochal.spec.kraft.options.unclean_cancellation import UncleanCancellation
from epochal.spec.kraft.reassigned import KraftReassignment
from epochal.spec.kraft.settings import ALONE, Acks, AnswerRead, ReassignmentEnds, Settings
from epochal.spec.kraft.state import Replica
from epochal.spec.language import BoundsError, SettingValue, action, require
from epochal.spec.language.configurable import with_configuration
from tests.spec.kraft.produce_answers import ProduceAnswers

FAULTS = {"max_epoch": 2, "metadata_lag": 2, "lossy_crashes": 1, "fencings": 1, "shrinks": 1, "elections": 1}


def of(steps: type, settings: Settings | None = None) -> type[Kraft]:
    """The modern protocol with a subject, under settings; without any, under those of the newest."""
    kind: type[Kraft] = type(f"{steps.__name__}Kraft", (steps, Kraft), {"__doc__": "With a subject."})
    return with_settings(kind, settings or Settings())


def usual(kind: type[Kraft], /, **chosen: int) -> Kraft:
    """A protocol with two brokers, at the default bounds but for these."""
    return kind(kind.bounds_type()(**{"replication_factor": 2, **chosen}))


def least(kind: type[Kraft], /, **chosen: int) -> Kraft:
    """A protocol with two brokers, at the least bounds but for these."""
    return usual(
        kind,
        **{name: one.least for name, one in kind.bounds_type().declared().items()} | {"replication_factor": 2} | chosen,
    )


def searched(protocol: Kraft, properties: tuple[str, ...] | None = None, symmetry: bool = True) -> CheckResult:
    """All states; without properties, everything is judged."""
    result = check(protocol, Options(properties=properties, all_violations=True, symmetry=symmetry))
    assert result.exhaustive and result.error is None
    return result


def verdicts(result: CheckResult) -> dict[str, str]:
    """What becomes of each property."""
    return {one.member.name: one.verdict for one in result.properties}


def violated(result: CheckResult) -> dict[str, int | None]:
    """What does not hold, by the states of a shortest run; without a run it is a mechanism that never happens."""
    return {one.member.name: one.length for one in result.properties if one.verdict == "violated"}


# Producers that wait for answers, consumers, coordinators: each answer on its own, reads and writes that stay.

ANSWERS = (
    "refused_is_not_appended",
    "after_append_is_committed",
    "success_is_acknowledgement",
    "told_of_too_few_replicas",
    "told_of_too_few_replicas_after_append",
    "told_of_another_leader",
)
READS = ("consistent_read", "truncation_never_detected", "offset_in_range", "waits_above_high_watermark")


def test_answers_with_acks_all() -> None:
    """Every answer happens, and means what it says; AFTER_APPEND is gone since the strict high watermark."""
    newest = searched(usual(of(ProduceAnswers, G9)), ANSWERS)
    assert verdicts(newest) == dict.fromkeys(ANSWERS, "holds") | {
        "told_of_too_few_replicas_after_append": "not applicable"
    }
    assert newest.never_taken == ()
    assert newest.distinct_states == 23_322
    assert verdicts(searched(usual(of(ProduceAnswers, G7)), ANSWERS)) == dict.fromkeys(ANSWERS, "holds")


def test_answers_with_acks_1() -> None:
    """Success is all that a producer can be told."""
    result = searched(usual(of(ProduceAnswers, replace(G7, acks=Acks.LEADER))), ANSWERS)
    assert verdicts(result) == dict.fromkeys(ANSWERS[:3], "holds") | dict.fromkeys(ANSWERS[3:], "not applicable")
    assert set(result.never_taken) <= {"refuse_record"}


def test_reads_stay_true() -> None:
    """A consumer at leaders and followers reads only what stays; its position is never found wrong."""
    result = searched(usual(of(Consumer, G9)), READS)
    assert verdicts(result) == dict.fromkeys(READS, "holds")
    assert result.never_taken == ()
    assert result.distinct_states == 93_900


def test_a_consumer_is_told_of_truncation_after_an_unclean_election() -> None:
    """What was read is gone, and KIP-320 says so."""
    found = verdicts(searched(usual(of(Consumer, replace(G7, unclean_leader_election=True))), READS))
    assert found == dict.fromkeys(READS[:3], "violated") | {"waits_above_high_watermark": "holds"}


@pytest.mark.long
@pytest.mark.parametrize(("rule", "lengths"), [(True, []), (False, [15])])
def test_a_coordinator_that_was_fenced(rule: bool, lengths: list[int]) -> None:
    """KAFKA-20634, and nobody is elected in place of a live leader: one session that ends is enough."""
    asked = ("coordinator_writes_durable", "write_succeeds")
    bounds = {"records": 2, "max_epoch": 1, "lossy_crashes": 0, "shrinks": 0, "elections": 0}
    kind = of(CoordinatorWrites, Settings(coordinator_hears_as_leader_only=rule))
    result = searched(usual(kind, **bounds), asked, symmetry=False)
    assert [*violated(result).values()] == lengths
    assert "hear_high_watermark" not in result.never_taken


# Producers that send again: what idempotence promises, and where Kafka does not keep it.

ONCE = ("committed_once", "committed_in_order", "in_sequence_is_accepted", "remembered_is_in_log")
RETRIES = (*ONCE, "written_and_not_known", "duplicate_at_another_leader")


@pytest.mark.parametrize(
    ("records", "faults", "states"),
    [
        (2, {"max_epoch": 1, "fencings": 1, "elections": 1}, 3758),
        pytest.param(2, FAULTS, 267_521, marks=pytest.mark.long),
        pytest.param(3, FAULTS, 1_156_879, marks=pytest.mark.long),
    ],
)
def test_an_idempotent_producer_writes_once_and_in_order(records: int, faults: dict[str, int], states: int) -> None:
    """Leaders change, brokers lose logs, are fenced and truncate: no retry is written twice, none refused."""
    result = searched(least(of(IdempotentProducer), records=records, **faults), RETRIES)
    assert verdicts(result) == dict.fromkeys(RETRIES, "holds")
    assert result.distinct_states == states
    assert result.never_taken == ("bump_epoch",), "nobody is out of order"


@pytest.mark.long
def test_records_may_be_deleted_once_their_producer_knows() -> None:
    asked = (*ONCE[:3], "replicas_take_what_leaders_have", "producer_outlives_its_records")
    result = searched(least(of(DeletedRecords), records=2, **FAULTS), asked)
    assert verdicts(result) == dict.fromkeys(asked, "holds")
    assert result.distinct_states == 473_899


@pytest.mark.long
def test_what_kafka_15591_leaves_open() -> None:
    """A log that has held records, and a leader that has forgotten the idle producer: the second batch is first."""
    result = searched(least(of(ProducerExpiry), records=4, expirations=2), ONCE)
    assert violated(result) == {"committed_in_order": 13, "in_sequence_is_accepted": 8}
    assert set(verdicts(result).values()) == {"holds", "violated"}


@pytest.mark.long
def test_p1_with_two_brokers() -> None:
    """min.insync.replicas is 2: a follower that was restarted leads, and the retry is written again."""
    bounds = {"records": 3, "max_epoch": 1, "fencings": 2}
    lacking = searched(least(of(ProducerSnapshots, Settings(snapshots_keep_batches=False)), **bounds), ONCE[:3])
    assert violated(lacking) == {"committed_once": 19, "committed_in_order": 19, "in_sequence_is_accepted": 10}
    assert verdicts(searched(least(of(ProducerSnapshots), **bounds), ONCE[:3])) == dict.fromkeys(ONCE[:3], "holds")


def test_idempotence_needs_acks_all() -> None:
    """With acks=1 a producer is not idempotent, whatever enable.idempotence says (ProducerConfig)."""
    result = searched(least(of(IdempotentProducer, Settings(acks=Acks.LEADER)), records=2), ("committed_once",))
    assert violated(result) == {"committed_once": 6}


def test_a_release_has_the_holes_of_its_producers_where_there_are_some() -> None:
    """A class without them takes no part; one that has them gets the rules of the release."""
    assert configured(kafka="4.4").settings.snapshots_keep_batches
    assert not issubclass(configured(kafka="4.4"), IdempotentProducer)

    class Mine(IdempotentProducer, configured()):  # type: ignore[misc]  # a class that is made of settings
        """With a producer that sends again."""

    assert not Mine.configured({"kafka": "4.4"}).settings.empty_log_begins_at_zero


# Transactions of one partition: who ends them, and what consumers see that read what is committed.

TRANSACTIONS = ("no_hanging_transaction", "aborted_is_never_visible", "stable_is_decided", "visible_stays")
WAITS = ("waits_for_the_transaction", "waits_for_the_marker")
ENDS = ("committed_transaction_is_visible", "marker_is_written_again")
VERSION_1 = Settings(epoch_per_transaction=False, late_markers_refused=False)


def test_transactions_end_wherever_the_leader_is() -> None:
    """A marker is written until it is replicated; what a consumer saw stays, and is never what was aborted."""
    asked = (*TRANSACTIONS, *WAITS, *ENDS)
    result = searched(least(of(LastStableOffset), records=2, max_epoch=1, elections=1), asked)
    assert verdicts(result) == dict.fromkeys(asked, "holds")
    lengths = {one.member.name: one.length for one in result.properties}
    assert [lengths[name] for name in (*WAITS, *ENDS)] == [5, 7, 8, 6]
    assert result.distinct_states == 887


@pytest.mark.long
def test_transactions_end_whatever_fails() -> None:
    """Two transactions, and every fault of the default bounds; nobody takes a late batch or a late marker."""
    asked = (*TRANSACTIONS, *WAITS, *ENDS)
    result = searched(least(of(LastStableOffset), records=3, transactions=2, **FAULTS), asked)
    assert verdicts(result) == dict.fromkeys(asked, "holds")
    assert result.distinct_states == 13_001_317


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "broken"),
    [
        (Settings(), {}),
        (Settings(epoch_per_transaction=False), {"aborted_is_never_visible": 10}),
        (Settings(late_markers_refused=False), {"aborted_is_never_visible": 9, "stable_is_decided": 8}),
        (
            replace(VERSION_1, transactions_verified=False),
            {"no_hanging_transaction": 7, "aborted_is_never_visible": 9, "stable_is_decided": 8},
        ),
    ],
)
def test_what_each_rule_of_transactions_is_for(settings: Settings, broken: dict[str, int]) -> None:
    """Of two transactions at one broker; where both epochs are the same, the rules of KIP-890 and KIP-1228 are two."""
    kind = of(LastStableOffset, settings)
    assert violated(searched(least(kind, replication_factor=1, records=3, transactions=2), TRANSACTIONS)) == broken


def test_a_release_has_its_transactions_where_there_are_some() -> None:
    """Verification came with 3.6, version 2 with 4.0, and late markers are refused since 4.2."""

    class Mine(LastStableOffset, configured()):  # type: ignore[misc]  # a class that is made of settings
        """With a transactional producer."""

    def rules(kafka: str) -> tuple[bool, bool, bool]:
        settings = Mine.configured({"kafka": kafka}).settings
        return settings.transactions_verified, settings.epoch_per_transaction, settings.late_markers_refused

    assert [rules(kafka) for kafka in ("3.5", "3.6", "4.0", "4.2")] == [
        (False, False, False),
        (True, False, False),
        (True, True, False),
        (True, True, True),
    ]
    assert configured(kafka="3.5").settings.transactions_verified, "a class without them takes no part"


# A fetch that tells the leader nothing new: the high watermark may rise later.


def test_a_fetch_without_news_only_delays() -> None:
    """After a refused proposal nobody looks at the high watermark until a follower comes on: no state is another one.

    It is that of a follower which had copied the record before the refusal.
    """
    without = Settings(min_insync_replicas=1, every_fetch_raises_high_watermark=False)
    kind = with_steps(Kraft, without)
    with_news, at_each = (
        searched(least(with_settings(kind, replace(without, every_fetch_raises_high_watermark=rule)), **REFUSED))
        for rule in (False, True)
    )
    assert with_news.state_digest == at_each.state_digest and with_news.step_digest != at_each.step_digest
    assert with_news.distinct_states == 1291
    assert violated(with_news) == violated(at_each)
    assert not [one for one in violated(with_news).values() if one is not None]


REFUSED = {"max_epoch": 1, "fencings": 2}
"""The replica that is to join is fenced again."""


# S15 where the high watermark also waits for who was caught up within replica.lag.time.max.ms.

Slow = configured(kafka="4.4", waits_for_caught_up=True)
"""Kafka 4.4, with the clause."""


class Prompt(Slow):  # type: ignore[misc,valid-type]  # a class that is made of settings
    """The same, and nobody is behind for as long as that."""

    @action(by="leader", to="follower", says="{follower} was behind {leader} for replica.lag.time.max.ms")
    def fall_behind(self, leader: Replica, follower: Replica) -> None:
        """Never."""
        require(self.next_record > self.bounds.records)


@pytest.mark.parametrize(
    ("kind", "records", "lengths"),
    [
        pytest.param(Slow, 1, [11, 14], marks=pytest.mark.long),
        pytest.param(Prompt, 1, [None, None], marks=pytest.mark.long),
        pytest.param(Prompt, 2, [12, 15], marks=pytest.mark.long),
    ],
)
def test_who_was_caught_up_is_waited_for(kind: type[Kraft], records: int, lengths: list[int | None]) -> None:
    """With two records the forgotten follower need not be slow: it joins by the high watermark, behind the log end."""
    asked = ("leader_candidate_completeness", "acknowledged_durable")
    result = searched(least(kind, replication_factor=3, records=records, max_epoch=3, shrinks=1, crashes=1), asked)
    assert [one.length for one in result.properties] == lengths


# A replica that moves to another log directory: what a restart in between may lose (H13).


def moving(settings: Settings, rule: bool) -> type[Kraft]:
    """The steps of who moves, with the rule or without."""
    without = replace(settings, abandoned_future_log_has_caught_up=False)
    kind = with_settings(with_steps(Kraft, without), replace(settings, abandoned_future_log_has_caught_up=rule))
    assert issubclass(kind, FutureLogs)
    return kind


def test_a_replica_moves() -> None:
    """The future log is filled, may fall behind, and takes over; it never has what the current one has not."""
    future = ("future_log_is_a_prefix", "future_log_takes_over", "future_log_behind")
    names = (*future, "log_matching", "acknowledged_durable")
    result = searched(least(moving(Settings(), True), max_epoch=2, fencings=1, lossy_crashes=1), names)
    assert verdicts(result) == dict.fromkeys(names, "holds")
    steps = {"alter_log_directory", "copy_to_future_log", "assign_future_log", "promote_future_log"}
    assert steps.isdisjoint(result.never_taken)


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "bounds", "length"),
    [
        (Settings(elr=False), {"replication_factor": 2, "fencings": 2}, 12),
        (Settings(elr=False, min_insync_replicas=1), {"replication_factor": 1, "fencings": 1}, 8),
        (Settings(elr=False, min_insync_replicas=1), {"replication_factor": 1, "crashes": 1}, 9),
    ],
)
def test_a_restart_in_between_loses_what_the_future_log_has_not(
    settings: Settings, bounds: dict[str, int], length: int
) -> None:
    """Without ELR it takes the last member of the ISR; with one replica a restart alone."""
    for rule, found in ((False, length), (True, None)):
        result = searched(least(moving(settings, rule), max_epoch=2, **bounds), ("acknowledged_durable",))
        assert result.properties[0].length == found


# Logs that begin at a log start offset.

ONE = Settings(min_insync_replicas=1)
OFTEN = {"records": 2, "max_epoch": 2, "shrinks": 1, "fencings": 1, "elections": 1}
LOSES = {"leader_completeness", "leader_candidate_completeness", "acknowledged_durable", "committed_never_lost"}
"""What the only member of the ISR loses when its disk does, as everywhere."""

AFTER_A_LOSS = {"log_matching", "unclean_exclusion", "expansion_safe"}


def lost(result: CheckResult) -> set[str]:
    """What a run breaks."""
    return {name for name, length in violated(result).items() if length is not None}


def test_clean_failures_lose_nothing_and_every_step_is_taken() -> None:
    """Only what was deleted is missing, no fetcher fails, and followers delete or begin anew."""
    result = searched(least(of(LogStart, ONE), **OFTEN))
    assert violated(result) == {}
    assert result.never_taken == ()
    assert result.distinct_states == 40_047


def test_a_lossy_crash_loses_what_it_loses_without_deletions() -> None:
    """The machine of the last member of the ISR dies: nothing is added by logs that begin later."""
    assert (
        lost(searched(least(of(LogStart, ONE), records=2, max_epoch=2, shrinks=1, lossy_crashes=1)))
        == LOSES | AFTER_A_LOSS
    )


@pytest.mark.long
@pytest.mark.parametrize("steps", [Retention, LostFetchAnswers, TornAnswers, DeletionAnswers])
def test_every_step_with_every_rule(steps: type[LogStart]) -> None:
    result = searched(least(of(steps, ONE), **OFTEN))
    assert lost(result) == set()
    assert result.never_taken == ()


@pytest.mark.parametrize(
    ("bounds", "length", "states"),
    [({"replication_factor": 3}, 9, 64), ({"shrinks": 1}, None, 232)],
    ids=["three", "two"],
)
def test_h8_needs_a_third_replica(bounds: dict[str, int], length: int | None, states: int) -> None:
    """Another follower's fetch commits what is deleted between two reads. Nobody leaves the ISR meanwhile."""
    kind = of(TornAnswers, Settings(answer_read=AnswerRead.HIGH_WATERMARK, min_insync_replicas=1))
    result = searched(least(kind, **bounds))
    assert violated(result).get("fetchers_go_on") == length
    assert result.distinct_states == states


@pytest.mark.long
def test_h8b_without_eligible_leader_replicas() -> None:
    """A follower is fenced while its proposal for the ISR is on its way, and accepted when it is back."""
    before = Settings(elr=False, strict_hw=False, min_insync_replicas=1, deletion_waits_for_candidates=False)
    result = searched(least(of(DeletionAnswers, before), records=1, max_epoch=3, fencings=2, shrinks=1))
    assert violated(result)["deleted_records_stay_deleted"] == 14


# Reassignments that override each other (KIP-455), and `kraft-reassignment`, which judges the rule of a version.

OVERRIDES = ("reassignment_can_complete", "replicas_as_asked_for")
TWO = {"lossy_crashes": 0, "reassignments": 3, "max_epoch": 2, "metadata_lag": 2}


@pytest.mark.long
@pytest.mark.parametrize(
    ("settings", "lengths"),
    [
        (replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED, override_starts_anew=False), [6, 8]),
        (replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_TARGETS, override_starts_anew=False), [None, 8]),
        (
            replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY, override_starts_anew=False),
            [6, 8],
        ),
        (replace(ALONE, reassignment_ends=ReassignmentEnds.ALL_ADDED_IF_AS_MANY), [None, None]),
    ],
)
def test_what_an_override_leaves_behind(settings: Settings, lengths: list[int | None]) -> None:
    """H7: with the rules of 3.7 and of 4.3 a reassignment may never complete, with that of 3.8 it always can.

    With every rule the last request may not be what the partition ends up with, unless an override starts anew.
    """
    kind = with_settings(with_steps(Kraft, replace(settings, override_starts_anew=False)), settings)
    assert [one.length for one in searched(least(kind, **TWO), OVERRIDES).properties] == lengths


@pytest.mark.parametrize("unclean", [True, False])
def test_a_reassignment_is_cancelled_uncleanly_where_that_is_configured(unclean: bool) -> None:
    """All of the ISR goes, and whoever stays leads, whatever its log."""
    settings = Settings(min_insync_replicas=1, unclean_leader_election=unclean)
    kept = ("isr_has_replicas", "elr_has_replicas", "replicas_as_asked_for")
    protocol = least(of(UncleanCancellation, settings), max_epoch=4, metadata_lag=2, fencings=1, reassignments=3)
    result = searched(protocol, ("leader_completeness", *kept))
    assert ("cancel_uncleanly" in (*result.dead_actions, *result.never_taken)) is not unclean
    assert violated(result).keys() == ({"leader_completeness"} if unclean else set())


def of_version(kafka: str | None) -> type[Kraft]:
    """`kraft-reassignment` of a version, with one replica that is enough."""
    said: dict[str, SettingValue] = {"min_insync_replicas": 1, **({} if kafka is None else {"kafka": kafka})}
    kind = with_configuration(KraftReassignment, said)
    assert issubclass(kind, OverlappingReassignments) and issubclass(kind, Kraft)
    return kind


def test_known_counts_of_reassignments() -> None:
    """And every step is taken, none of them breaks what it must not."""
    names = ("reassignment_waits", "reassignment_moves_leader", "reassignment_overridden")
    asked = (*OVERRIDES, "isr_has_replicas", "elr_has_replicas", *names)
    result = searched(usual(of_version(None), **TWO), asked, symmetry=False)
    assert set(verdicts(result).values()) == {"holds"}
    assert (result.distinct_states, result.depth) == (3082, 17)
    taken = {"reassign", "override_reassignment", "cancel_reassignment", "handle_alter_partition"}
    assert taken.isdisjoint(result.never_taken)


@pytest.mark.long
@pytest.mark.parametrize(("kafka", "lengths"), [("4.2", [None, 8]), ("4.3", [6, 8])])
def test_a_version_is_judged_by_its_rule(kafka: str, lengths: list[int | None]) -> None:
    result = searched(usual(of_version(kafka), **TWO), OVERRIDES, symmetry=False)
    assert [one.length for one in result.properties] == lengths


@pytest.mark.long
@pytest.mark.parametrize(("kafka", "length"), [(None, None), ("3.7", None), ("4.2", 18), ("4.3", 15)])
def test_a_ghost_among_the_eligible_of_a_version(kafka: str | None, length: int | None) -> None:
    """W4 at the default bounds: three brokers, one of which loses the end of its log."""
    kind = with_configuration(KraftReassignment, {} if kafka is None else {"kafka": kafka})
    result = check(kind(), Options(properties=("elr_has_replicas",), symmetry=True))
    assert result.properties[0].length == length


def test_kraft_2_8_could_not_reassign() -> None:
    with pytest.raises(BoundsError, match="cannot reassign partitions"):
        with_configuration(KraftReassignment, {"kafka": "2.8"})
    with_configuration(KraftReassignment, {"kafka": "3.0"})
