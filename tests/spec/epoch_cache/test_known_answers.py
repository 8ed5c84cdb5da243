"""The epoch cache: with each rule it answers what the log says, and without it a shortest run shows what it is for."""

from __future__ import annotations

from typing import ClassVar

import pytest

from epochal.checker.search import native as breadth_first
from epochal.checker.search import reference_engine
from epochal.checker.search.result import CheckResult, Options
from epochal.spec.epoch_cache.epoch_cache import LeaderEpochCache
from epochal.spec.epoch_cache.state import EpochCacheBounds
from epochal.spec.epoch_cache.switches import EpochCacheWritesLater
from epochal.spec.language import Protocol
from epochal.spec.registry import registered

EVERYTHING = Options(all_violations=True)

COUNTS = (((3, 2, 1), 374, 8), ((4, 3, 1), 1_391, 9), ((5, 3, 2), 3_806, 11))
"""Log size, greatest epoch, failures; distinct states; depth. These figures are this specification's own."""

OTHER_THAN_THE_LOG = {
    "every_record_has_its_epoch": 7,
    "end_offsets_are_those_of_the_log": 7,
    "epochs_are_those_of_the_log": 8,
}

SWITCHES: dict[str, dict[str, int]] = {
    "leader-epoch-cache-truncates-records-only": {"nothing_is_asked_in_vain": 4},
    "leader-epoch-cache-skips-epoch-0": {"every_record_has_its_epoch": 4, "epochs_are_those_of_the_log": 5},
    "leader-epoch-cache-writes-later": OTHER_THAN_THE_LOG,
    "leader-epoch-cache-writes-snapshots": {**OTHER_THAN_THE_LOG, "file_misses_no_epoch": 5},
}
"""What each switch breaks at its default bounds, with the number of states of the shortest run."""


def judged(protocol: Protocol) -> CheckResult:
    """A complete search, in which every step is taken and every mechanism happens."""
    result = breadth_first.check(protocol, EVERYTHING)
    assert result.exhaustive and result.never_taken == ()
    return result


@pytest.mark.parametrize(("bounds", "states", "depth"), COUNTS, ids=lambda v: str(v))
def test_with_every_rule_it_answers_what_the_log_says(bounds: tuple[int, ...], states: int, depth: int) -> None:
    result = judged(LeaderEpochCache(EpochCacheBounds(*bounds)))
    assert {one.verdict for one in result.properties} == {"holds"}
    assert (result.distinct_states, result.depth) == (states, depth)


@pytest.mark.parametrize("name", SWITCHES)
def test_without_a_rule(name: str) -> None:
    """What is listed is violated, by a run of that length, and everything else holds."""
    result = judged(registered(name)())
    assert {one.member.name: one.length for one in result.properties if one.verdict == "violated"} == SWITCHES[name]


@pytest.mark.long
@pytest.mark.parametrize("name", ["leader-epoch-cache", *SWITCHES])
def test_both_readings_agree(name: str) -> None:
    native, reference = (engine.check(registered(name)(), EVERYTHING) for engine in (breadth_first, reference_engine))
    assert native.distinct_states == reference.distinct_states
    assert (native.state_digest, native.step_digest) == (reference.state_digest, reference.step_digest)


class WritesWhatIsDue(EpochCacheWritesLater):
    """A fix of H5: while a file is due, it is written with the next record."""

    name: ClassVar[str] = "leader-epoch-cache-writes-what-is-due"

    def assign(self, epoch: int, offset: int) -> None:
        """As always, and what is due is written although the epoch is known."""
        super().assign(epoch, offset)
        if self.write_due:
            self.write_due = False
            self.write()


def test_the_smallest_fix_of_h5() -> None:
    """The file may be late, as long as nothing is appended meanwhile."""
    result = judged(WritesWhatIsDue())
    assert {one.verdict for one in result.properties} == {"holds"}


class RecoversEveryRecord(EpochCacheWritesLater):
    """Another fix of H5: recovery builds the cache anew from the records."""

    name: ClassVar[str] = "leader-epoch-cache-recovers-every-record"

    def recover(self) -> None:
        """Every record says its epoch, whatever the file has said."""
        for offset in range(self.start, self.end()):
            self.assign(self.log[offset], offset)


def test_recovery_from_records_alone_is_a_fix_too() -> None:
    result = judged(RecoversEveryRecord())
    assert {one.verdict for one in result.properties if one.member.mark.kind != "reachable"} == {"holds"}
