"""Logs that begin at a log start offset: what holds with every rule, and that each mechanism happens."""

from __future__ import annotations

import pytest

from epochal.checker.search.native import check
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.kraft.configuration import with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.kraft.options.deletion_answers import DeletionAnswers
from epochal.spec.kraft.options.log_start import LogStart
from epochal.spec.kraft.options.lost_fetch import LostFetchAnswers
from epochal.spec.kraft.options.retention import Retention
from epochal.spec.kraft.options.torn_answer import TornAnswers
from epochal.spec.kraft.settings import AnswerRead, Settings
from epochal.spec.kraft.state import KraftBounds

ALONE = Settings(min_insync_replicas=1)
OFTEN = {"records": 2, "max_epoch": 2, "shrinks": 1, "fencings": 1, "elections": 1}
LOSES = {"leader_completeness", "leader_candidate_completeness", "acknowledged_durable", "committed_never_lost"}
"""What the only member of the ISR loses when its disk does, as everywhere."""

AFTER_A_LOSS = {"log_matching", "unclean_exclusion", "expansion_safe"}


def searched(steps: tuple[type[LogStart], ...], settings: Settings, **bounds: int) -> CheckResult:
    """All states of two brokers, with everything judged that these steps and the protocol say."""
    plain: type[Kraft] = type("Deleting", (*steps, Kraft), {"__doc__": "The modern protocol, and deletions."})
    kind = with_settings(plain, settings)
    least = {name: bound.least for name, bound in KraftBounds.declared().items()}
    protocol = kind(KraftBounds(**{**least, "replication_factor": 2, **bounds}))
    result = check(protocol, Options(all_violations=True, symmetry=True))
    assert result.exhaustive and result.error is None
    return result


def violated(result: CheckResult) -> dict[str, int | None]:
    """What does not hold, by the states of a shortest run; without a run it is a mechanism that never happens."""
    return {one.member.name: one.length for one in result.properties if one.verdict == "violated"}


def test_clean_failures_lose_nothing_and_every_step_is_taken() -> None:
    """Only what was deleted is missing, no fetcher fails, and followers delete or begin anew."""
    result = searched((LogStart,), ALONE, **OFTEN)
    assert violated(result) == {}
    assert result.never_taken == ()
    assert result.distinct_states == 40_047


def test_a_lossy_crash_loses_what_it_loses_without_deletions() -> None:
    """The machine of the last member of the ISR dies: nothing is added by logs that begin later."""
    result = searched((LogStart,), ALONE, records=2, max_epoch=2, shrinks=1, lossy_crashes=1)
    found = {name for name, length in violated(result).items() if length is not None}
    assert found == LOSES | AFTER_A_LOSS


@pytest.mark.long
@pytest.mark.parametrize("steps", [Retention, LostFetchAnswers, TornAnswers, DeletionAnswers])
def test_every_step_with_every_rule(steps: type[LogStart]) -> None:
    result = searched((steps,), ALONE, **OFTEN)
    assert {name for name, length in violated(result).items() if length is not None} == set()
    assert result.never_taken == ()


@pytest.mark.long
def test_h8_with_three_brokers_needs_no_change_of_the_isr() -> None:
    """Another follower's fetch commits what is deleted between two reads."""
    settings = Settings(answer_read=AnswerRead.HIGH_WATERMARK)
    result = searched((TornAnswers,), settings, replication_factor=3, records=1)
    assert violated(result)["fetchers_go_on"] == 9
    assert result.distinct_states == 64


@pytest.mark.long
def test_h8b_without_eligible_leader_replicas() -> None:
    """A follower is fenced while its proposal for the ISR is on its way, and accepted when it is back."""
    bounds = {"records": 1, "max_epoch": 3, "fencings": 2, "shrinks": 1}
    before = Settings(elr=False, strict_hw=False, min_insync_replicas=1, deletion_waits_for_candidates=False)
    assert violated(searched((DeletionAnswers,), before, **bounds))["deleted_records_stay_deleted"] == 14
