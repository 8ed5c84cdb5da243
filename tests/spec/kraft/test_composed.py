"""Several options of the modern protocol at once, and what the kept answers say of all pairs."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, Self

import pytest

import epochal
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.composed import BRIDGES, OPTIONS, WIDEST, clashes, composed, includes, steps_of
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more, with_settings
from epochal.spec.kraft.options.future_log import FutureLogsOfLogStart
from epochal.spec.kraft.options.lost_fetch import LostFetchAnswers
from epochal.spec.kraft.options.needed import MODULES
from epochal.spec.kraft.options.retention import Retention
from epochal.spec.kraft.options.tiered_storage import NOTHING, FutureLogsOfTiers
from epochal.spec.kraft.settings import Settings
from epochal.spec.kraft.state import KraftState
from epochal.spec.language import LoadError, Protocol, action_property
from epochal.spec.language.configurable import with_configuration
from epochal.spec.language.functions import function_of
from epochal.spec.loading import load_protocol
from epochal.spec.registry import is_registered
from tests.each import for_each
from tests.spec.kraft.pairs import (
    MOST_STATES,
    every_pair,
    impossible,
    is_larger,
    judged,
    kept,
    only_together,
    pairs,
    questions,
    row_key,
    within,
)

Kept = dict[str, Any]

RULED_OUT = {
    "refuse_a_copy": "copies_arrive_in_order",
    "check_late_answer": "late_answer_checked_when_applied",
    "repeat_marker": "late_markers_refused",
    "propose_without_fetch": "joins_by_fetch_only",
    "confirm_from_memory": "stale_controller_refuses",
    "disable_copying": "copy_disablings",
    "fail_to_begin": "epochs_read_before_truncation",
    "expire_first": "log_start_raised_before_deletion",
}
"""Steps that are there without a rule alone, with the rule; or that have a bound, which is 0 unless it is said."""


def searched(protocol: Protocol) -> CheckResult:
    """All states, and no property."""
    return check(protocol, Options(properties=("single_leader_per_epoch",), symmetry=True))


def test_options_are_those_of_the_files() -> None:
    """Each class of steps is an option, but for one that only asks what is possible."""
    steps = {
        one.__name__
        for module in MODULES
        for one in vars(module).values()
        if isinstance(one, type) and issubclass(one, KraftState) and one.__module__ == module.__name__
    }
    assert steps - {one.__name__ for one in OPTIONS.values()} == {"Availability"}


def test_every_pair_is_composed_or_refused_with_a_reason() -> None:
    composable = list(pairs())
    assert sorted([*composable, *impossible()]) == sorted(every_pair())
    for one, other in composable:
        kind = composed((other, one))
        assert kind is composed((one, other))
        assert issubclass(kind, OPTIONS[one]) and issubclass(kind, OPTIONS[other])
        assert kind().variables.keys() >= composed((one,))().variables.keys() | composed((other,))().variables.keys()


def test_reasons() -> None:
    assert clashes("torn-answers", "last-stable-offset") == ("both have `begun`, and mean different things by it",)
    assert clashes("producer-expiry", "transaction-log") == (
        "`TransactionLog` replaces the rule `produce`, which the other option changes",
    )
    assert clashes("log-start", "lowered-segment-size") == ()  # both keep the followers that have failed, in one set
    with pytest.raises(LoadError, match=r"torn-answers cannot be composed: both have `begun`"):
        load_protocol("kraft+torn-answers+loaded-markers")


def test_retention_and_tiered_storage_are_not_composed() -> None:
    """What the one deletes of a log, the other deletes of a disk: no step of the first would be left."""
    for tiered in ("tiered-storage", "expiry-by-size"):
        why = "with remote storage a broker's own retention deletes from its disk alone"
        assert clashes(tiered, "retention") == clashes("retention", tiered) == (why,)


def test_a_producer_has_a_transactional_id_or_none() -> None:
    """One of `producer-expiry` sends, and sends again, outside transactions as well: markers are batches to it."""
    why = "a producer with a transactional id sends within transactions alone"
    assert why in clashes("transactions", "producer-expiry")
    assert why in clashes("deleted-records", "last-stable-offset")


def test_an_option_that_another_includes_adds_nothing() -> None:
    assert includes("retention", "log-start")
    assert composed(("retention", "log-start")) is composed(("retention",))


def test_what_lies_between_options_comes_with_them() -> None:
    assert set(BRIDGES) == {
        "fenced-leader",
        "future-log-start-confirmed",
        "future-logs-of-log-start",
        "future-logs-of-tiers",
        "late-answers-of-log-start",
        "late-answers-of-tiers",
        "late-answers-remembered",
        "lost-answers-of-tiers",
        "lost-fetch-answers",
        "producers-of-log-start",
        "producers-of-tiers",
        "snapshots-of-tiers",
        "stored-high-watermark-of-log-start",
        "torn-answers-of-tiers",
    }
    assert steps_of(("future-logs", "tiered-storage")) == (FutureLogsOfTiers,)
    assert steps_of(("future-logs", "retention")) == (FutureLogsOfLogStart, Retention)
    assert steps_of(("unanswered-fetches", "retention")) == (LostFetchAnswers, Retention)
    assert not issubclass(composed(("future-logs", "consumer")), FutureLogsOfLogStart)


@for_each("bridge", BRIDGES)
def test_what_lies_between_options_is_compiled(bridge: str) -> None:
    """A composition alone runs its rules in Python, which takes more than the language has."""
    kind = composed((bridge,))
    compile_protocol(kind(None, **{name: bound.least for name, bound in kind.bounds_type().declared().items()}))


def test_a_name_that_is_none() -> None:
    with pytest.raises(LoadError, match="no option of kraft is called 'retentoin'") as refused:
        load_protocol("kraft+retentoin")
    assert "retention" in str(refused.value.advice)
    assert not is_registered("kraft+retentoin") and not is_registered("kraft+torn-answers+loaded-markers")
    assert is_registered("kraft+retention+future-logs")


def test_one_option_is_the_protocol_with_its_steps() -> None:
    bounds = {"replication_factor": 2, "records": 1, "max_epoch": 1, "fencings": 1}
    one = with_more(ConfigurableKraft, Retention)
    least = {name: bound.least for name, bound in one.bounds_type().declared().items()} | bounds
    mine, plain = searched(composed(("retention",))(None, **least)), searched(one(None, **least))
    assert (mine.state_digest, mine.step_digest) == (plain.state_digest, plain.step_digest)


def test_releases_and_bounds_of_all_options() -> None:
    kind = load_protocol("kraft+unclean-cancellation+remote-metadata+loaded-markers --kafka 4.4")
    assert {"reassignments", "metadata_losses", "transactions"} <= kind.bounds_type().declared().keys()
    assert issubclass(kind, ConfigurableKraft)
    assert (kind.settings.override_starts_anew, kind.settings.unreplicated_markers_are_kept) == (False, False)
    protocol = epochal.load("kraft+retention+future-logs", kafka="4.4", records=2)
    assert protocol.bounds.as_dict()["records"] == 2


def test_no_option_is_the_core_itself_and_changes_nothing_of_it() -> None:
    before = dict(vars(ConfigurableKraft))
    assert composed(()) is ConfigurableKraft
    assert vars(ConfigurableKraft) == before
    assert ConfigurableKraft().members("reachable")


def test_a_switch_that_is_an_option_is_on() -> None:
    assert composed(("caught-up-replicas",)).settings == Settings(waits_for_caught_up=True)


@pytest.mark.parametrize("option", ["producer-expiry", pytest.param("producer-snapshots", marks=[pytest.mark.long])])
def test_a_follower_behind_the_remote_tier_knows_the_producers(option: str) -> None:
    """It has them of the last remote segment, and takes a retry of what is there alone for a duplicate."""
    kind = load_protocol(f"kraft+{option}+tiered-storage --min-insync-replicas 1")
    least = {name: bound.least for name, bound in kind.bounds_type().declared().items()}
    bounds = {"replication_factor": 2, "records": 2, "max_epoch": 1, "metadata_lag": 1, "fencings": 1, "shrinks": 1}
    asked = ("committed_once", "in_sequence_is_accepted", "remembered_is_in_log", "committed_is_readable")
    found = check(kind(None, **least | bounds), Options(properties=asked, all_violations=True, symmetry=True))
    assert {one.member.name: one.verdict for one in found.properties} == dict.fromkeys(asked, "holds")
    assert found.exhaustive and next(one for one in found.actions if one.name == "delete_local").new_states > 0


def test_whoever_gives_a_follower_another_log_says_so() -> None:
    """Options that keep something of a log change `truncate`. Nobody cuts a log back without it."""
    cut = [
        (owner.__name__, name)
        for kind in OPTIONS.values()
        for owner in kind.__mro__
        for name, value in vars(owner).items()
        if (function := function_of(value)) is not None
        and re.search(r"self\.brokers\[\w+\]\.log\.truncate\(", inspect.getsource(function))
    ]
    assert set(cut) == {("Follower", "truncate")}


class NotedOfFutureLogs(composed(("future-logs", "tiered-storage"))):  # type: ignore[misc]
    """What a log that takes over has noted."""

    name = "noted-of-future-logs"

    @action_property
    def takes_over_with_nothing_noted(self, new: Self) -> bool:
        """highestOffsetInRemoteStorage is a number of one UnifiedLog, and another takes over."""
        return all(
            self.future.replica != r or new.future.replica == r or new.believed[r] == NOTHING for r in self.brokers
        )


def test_a_future_log_has_noted_nothing_of_the_remote_tier() -> None:
    least = {name: bound.least for name, bound in NotedOfFutureLogs.bounds_type().declared().items()}
    kind = with_settings(NotedOfFutureLogs, Settings(min_insync_replicas=1))
    protocol = kind(None, **least | {"replication_factor": 1})
    found = check(protocol, Options(properties=("takes_over_with_nothing_noted", "future_log_takes_over")))
    assert {one.verdict for one in found.properties} == {"holds"} and found.exhaustive


class ReadAgain(composed(("producer-expiry", "expiry-by-size"))):  # type: ignore[misc]
    """What a broker knows of producers when it has started, and what the producer knew when records were deleted."""

    name = "read-again"

    @action_property
    def what_is_deleted_is_not_read_again(self, new: Self) -> bool:
        """A broker that starts reads its log for producers from the log start offset on."""
        return all(
            self.is_running(r)
            or not new.is_running(r)
            or all(
                any(new.brokers[r].log[offset].id == batch for offset in range(new.log_start[r], new.end(r)))
                for batch in new.remembered[r]
            )
            for r in self.brokers
        )

    @action_property
    def what_may_be_sent_again_is_kept(self, new: Self) -> bool:
        """Whoever deletes asks whether the producer has its answers, by whatever step."""
        return self.known == self.next_record or all(new.log_start[r] <= self.log_start[r] for r in self.brokers)


@pytest.mark.parametrize("rule", [False, True])
def test_what_brokers_know_of_producers_begins_where_the_log_does(rule: bool) -> None:
    least = {name: bound.least for name, bound in ReadAgain.bounds_type().declared().items()}
    settings = Settings(min_insync_replicas=1, records_outlive_retries=rule, expiry_looks_up_first=False)
    protocol = with_settings(ReadAgain, settings)(
        None, **least | {"replication_factor": 1, "max_epoch": 2, "metadata_lag": 1, "fencings": 1}
    )
    asked = ("what_is_deleted_is_not_read_again", "what_may_be_sent_again_is_kept")
    found = check(protocol, Options(properties=asked, all_violations=True))
    assert {one.member.name: one.verdict for one in found.properties} == {
        "what_is_deleted_is_not_read_again": "holds",
        "what_may_be_sent_again_is_kept": "holds" if rule else "violated",
    }
    assert found.exhaustive and next(one for one in found.actions if one.name == "expire_by_size").new_states > 0


@pytest.mark.parametrize("rule", [False, True])
def test_h16_deleted_records_return_with_the_future_log(rule: bool) -> None:
    """A follower's future log has not learned that records were deleted, and takes the place of the current log."""
    both = composed(("future-log-start", "deletion-answers"))
    kind = with_settings(both, replace(both.settings, future_log_keeps_log_start=rule))
    least = {name: bound.least for name, bound in kind.bounds_type().declared().items()}
    bounds = {"replication_factor": 2, "max_epoch": 1, "metadata_lag": 2, "fencings": 1}
    asked = ("deleted_records_stay_deleted", "log_start_never_goes_back")
    found = check(kind(None, **least | bounds), Options(properties=asked, all_violations=True, symmetry=True))
    lengths = {one.member.name: one.length for one in found.properties if one.verdict == "violated"}
    assert lengths == ({} if rule else {"deleted_records_stay_deleted": 14, "log_start_never_goes_back": 9})
    assert found.exhaustive


@pytest.mark.long
@pytest.mark.parametrize("option", WIDEST)
def test_steps_of_an_option_happen_at_its_bounds(option: str) -> None:
    kind = composed((option,))
    if option in ("unclean-cancellation",):
        kind = load_protocol(f"{kind.name} --unclean-leader-election")  # type: ignore[assignment]
    found = searched(kind())
    core = {one.name for one in ConfigurableKraft().members("action")}
    assert set(found.dead_actions) - core - RULED_OUT.keys() == set(), found.cut


@pytest.mark.long
@pytest.mark.parametrize(("one", "other"), list(pairs())[::60])
def test_pairs_take_the_steps_of_both(one: str, other: str) -> None:
    kind = composed((one, other))
    core = {member.name for member in ConfigurableKraft().members("action")}
    dead = set(searched(kind()).dead_actions) - core - RULED_OUT.keys() - {"cancel_uncleanly"}
    assert dead == set()


def kept_pairs() -> list[Kept]:
    """The kept answers, those with the fewest states first."""
    return sorted(kept(), key=lambda row: (row["cut"], row["states"]))


def named(row: Kept) -> str:
    """What a kept answer is about."""
    return f"{'+'.join(row['options'])}-{row['settings']['min_insync_replicas']}"


def found_within(kind: type[Any], bounds: dict[str, int], larger: bool) -> tuple[dict[str, int], CheckResult]:
    """The lengths of runs that violate something, and the search."""
    options = Options(properties=tuple(judged(kind)), lemmas=True, all_violations=True, max_states=MOST_STATES[larger])
    found = check(kind(None, **bounds), options)
    return {one.member.name: one.length or 0 for one in found.properties if one.verdict == "violated"}, found


def is_found_again(row: Kept) -> None:
    """The same is violated, in runs as long; and where every state was seen, there are as many.

    Where the search was cut, steps that only the options have are taken.
    """
    kind = with_configuration(composed(row["options"]), row["settings"])
    lengths, found = found_within(kind, row["bounds"], is_larger(row))
    assert (lengths, found.exhaustive) == (row["violated"], not row["cut"])
    assert row["cut"] or (found.distinct_states, found.depth) == (row["states"], row["depth"])
    core = {one.name for one in ConfigurableKraft().members("action")}
    own = {one.name for one in found.actions} - core
    assert not row["cut"] or not own or own - set(found.dead_actions)


@pytest.mark.parametrize("row", kept_pairs()[:3], ids=named)
def test_small_kept_answers_are_found_again(row: Kept) -> None:
    is_found_again(row)


@pytest.mark.long
@pytest.mark.parametrize("row", kept_pairs()[3:], ids=named)
def test_kept_answers_are_found_again(row: Kept) -> None:
    is_found_again(row)


def test_every_kept_answer_is_one_to_a_question() -> None:
    """An option that is asked for by another name, or no longer, leaves an answer that nobody could find again."""
    asked = {one.key() for one in questions()}
    assert [named(row) for row in kept() if row_key(row) not in asked] == []


EXPLAINED = {"cut-before-disk+expiry-by-size", "follower-reads+operator-election"}
EXPLAINED |= {"lowered-min-isr+operator-election", "raised-min-isr+operator-election"}
EXPLAINED |= {"cut-before-disk+failed-copies", "failed-copies+raised-min-isr"}
EXPLAINED |= {"producer-snapshots+retention", "deletion-answers+producer-snapshots"}
"""What is violated together only, and is the loss that one option has by itself, as another property sees it; or that a
third option has."""


def test_every_violation_of_several_options_alone_is_explained() -> None:
    """What none of the options violates by itself is told in docs/kafka/pairs.md, or a class lies between them."""
    assert {"+".join(row["options"]) for row in kept() if row["only together"]} == EXPLAINED
    told = (Path(__file__).resolve().parents[3] / "docs/kafka/pairs.md").read_text(encoding="utf-8")
    assert [one for one in EXPLAINED if f"`{one}`" not in told] == []


def test_a_shorter_run_has_a_cause_of_its_own() -> None:
    assert only_together({"log_matching": 9}, {"a": {"log_matching": 10}, "b": {}}) == {"log_matching": 9}
    assert only_together({"log_matching": 9}, {"a": {"log_matching": 9}, "b": {"log_matching": 12}}) == {}


@pytest.mark.long
@pytest.mark.parametrize("row", [row for row in kept_pairs() if row["violated"]], ids=named)
def test_what_is_violated_together_only_is_found_again(row: Kept) -> None:
    """What each option violates by itself is not kept, and searched again."""
    alone = {}
    for option in row["options"]:
        kind = with_configuration(composed((option,)), row["settings"])
        alone[option] = found_within(kind, within(option, row["bounds"]), is_larger(row))[0]
    assert only_together(row["violated"], alone) == row["only together"]
