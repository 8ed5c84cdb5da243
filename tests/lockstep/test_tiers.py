"""Tiered storage on Kafka's own classes: what a broker takes for uploaded after a truncation (T1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.class_path import kafka_classes
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.spec.kraft.configuration import ConfigurableKraft, with_more
from epochal.spec.kraft.options.tiered_storage import TieredStorage
from tests.lockstep.conftest import Released
from tests.lockstep.shown import RELEASES, t2, t7, without_copying

TRACE: Final = Path(__file__).resolve().parents[2] / "counterexamples" / "kraft-t1-committed-is-readable.itf.json"
TIERED: Final = with_more(ConfigurableKraft, TieredStorage)
WAIT: Final = "wait:31000"


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_every_release_deletes_what_was_never_uploaded(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue("T1", kafka=version, traces=TRACE.parent)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes} == {"T1": "shown in 14 steps"}


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_with_the_fix_a_truncation_takes_back_what_counts_as_uploaded(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_run(TRACE, kafka=version, fixes=["T1"])
    assert (result.exit_code, result.played.taken) == (ExitCode.HOLDS, 10), str(result)
    assert [tuple(one) for one in result.played.differs] == [("b1 takes for uploaded", "nothing", "up to 0")]


def played(version: str, lines: tuple[str, ...], fixes: tuple[str, ...]) -> list[dict[str, Any]]:
    """What the cluster says after each line."""
    begin = f"begin|2|{int(version != '3.9.2')}|1|1|0,1|0|0|0|0,1||-1|0|||0,1||tiered-storage"
    with running(CLUSTER, kafka_classes(version, None, fixes=fixes)) as kafka:
        answers = kafka.ask([begin, *(f"{WAIT} {line}" for line in lines)])
    assert not [one for one in answers if one.startswith("thrown")], answers
    return [json.loads(one)["state"] for one in answers]


SECOND_TERM: Final = (
    "shrink:0",
    "judge:0",
    "replay:0:1",
    "produce:0:0:-1 roll:0",
    "upload:0",
    "controller:fence:0",
    "controller:unfence:0",
    "replay:0:1",
    "replay:1:1",
    "fetch:0:1 roll:0",
    "stop:1 controller:shut_down:1",
    "replay:0:1",
    "produce:0:1:-1 roll:0",
)
"""Broker 0 uploads record 0, truncates it as a follower of broker 1, leads again, and commits record 1 at offset 0."""

RETENTION: Final = ("delete_local:0:0", "upload:0", "delete_local:0:0")
"""Local retention is over for it; the copy task runs; local retention is over again."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_the_fix_keeps_the_record_until_it_is_uploaded(released: Released, version: str) -> None:
    released(version)
    for fixes, disk, remote in (
        ((), [[], [], []], [[0], [0], [0]]),
        (("T1",), [[[1, 2]], [[1, 2]], []], [[0], [0, 1], [0, 1]]),
    ):
        states = played(version, (*SECOND_TERM, *RETENTION), fixes)[-3:]
        assert [one["brokers"][0]["log"] for one in states] == disk, fixes
        assert [sorted(id for id, _ in one["remote"]) for one in states] == remote, fixes
        assert {tuple(one["acknowledged"]) for one in states} == {(0, 1)}


BEHIND: Final = (
    "produce:0:0:-1 roll:0",
    "produce:0:1:-1 roll:0",
    "shrink:0",
    "judge:0",
    "replay:0:1",
    "upload:0",
    "upload:0",
    "delete_local:0:0",
    "fetch:1:0 roll:1",
    "fetch:1:0 roll:1",
)
"""The follower has fetched nothing when its leader has record 0 in the remote tier alone."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_a_follower_begins_after_what_is_in_the_remote_tier_alone(released: Released, version: str) -> None:
    """TierStateMachine is Kafka's: it asks the leader where its disk begins, and finds the segment before that."""
    released(version)
    *_, began, fetched = (one["brokers"][1] for one in played(version, BEHIND, ()))
    assert (began["localStart"], began["logStart"], began["log"]) == (1, 0, [])
    assert (fetched["localStart"], fetched["log"]) == (1, [[1, 0]])


@pytest.mark.lockstep
@pytest.mark.parametrize("version", ["3.9.2", "4.3.1", "4.4.0"])
def test_random_runs_are_the_same(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_runs(
        kafka=version,
        protocol=TIERED,
        elr=False,
        unclean_leader_election=True,
        min_insync_replicas=1,
        rules={"joins_at_log_start": "false"},
        seed=12,
        runs=12,
    )
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert result.runs.compared > 600
    assert {"upload", "look_up", "delete_local", "delete_remote"} <= result.runs.steps.keys()


# -- T5 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_expiry_that_counts_twice_is_shown_where_the_release_has_it(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue("KAFKA-15241", "KAFKA-20732", "T5", kafka=version, traces=TRACE.parent)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    assert {one.id: one.says for one in result.holes} == {
        "KAFKA-15241": "closed: at step 9 of 14",
        "KAFKA-20732": "closed: at step 8 of 8" if version == "4.4.0" else "shown in 8 steps",
        "T5": "shown in 17 steps",
    }


CUT: Final = (
    "produce:0:0:-1 roll:0",
    "fetch:1:0 roll:1",
    "fetch:1:0 roll:1",
    "produce:0:1:-1 roll:0",
    "shrink:0",
    "judge:0",
    "replay:0:1",
    "upload:0",
    "upload:0",
    "delete_local:0:0",
    "delete_local:0:1",
    "controller:fence:0",
    "controller:unfence:0",
    "replay:0:1",
    "replay:1:1",
    "fetch:0:1 roll:0",
)
"""Broker 1 is elected without record 1; broker 0, whose disk begins behind it, has its log cut to offset 1."""

LEADS_AGAIN: Final = (
    "fetch:0:1 roll:0",
    "judge:1",
    "replay:1:1",
    "elect:0",
    "replay:0:1",
    "replay:1:1",
    "look_up:0",
    "fetch:1:0 roll:1",
    "fetch:1:0 roll:1",
    "delete_remote:0",
)
"""It comes back into the ISR and is elected cleanly; its copy task begins, and its expiry runs."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("fixed", [False, True])
def test_a_clean_election_deletes_what_the_unclean_one_had_kept(released: Released, version: str, fixed: bool) -> None:
    """Record 0 was acknowledged, is inside its retention, and was on the disk of broker 1 and in the remote tier."""
    released(version)
    if fixed and version < "4.2":
        pytest.skip("the fix is made for 4.2 and newer")
    *_, cut = played(version, CUT, ("T5",) * fixed)
    assert cut["brokers"][0]["logStart"] == (0 if fixed else 1)
    assert cut["brokers"][1]["log"] == [[0, 0]] and [0, 0] in cut["remote"]
    *_, last = played(version, (*CUT, *LEADS_AGAIN), ("T5",) * fixed)
    assert last["controller"].startswith("0|2|") and last["acknowledged"] == [0, 1]
    assert last["brokers"][1]["log"] == ([[0, 0]] if fixed else [])
    assert ([0, 0] in last["remote"]) == fixed


# -- KAFKA-20977 ----------------------------------------------------------------------------------------------------

ALONE: Final = ("shrink:0", "judge:0", "replay:0:1")
EXPIRES: Final = ("upload:0", "expire_by_size:0")
"""The leader notes what it uploads, and then its expiry keeps the size of one segment."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_what_is_noted_counts_twice_where_a_segment_has_one_record(released: Released, version: str) -> None:
    """KAFKA-20977: onlyLocalLogSegmentsSize compares base offsets, `>=` up to 4.3, with the highest that is uploaded.

    That is no matter of what is noted (KAFKA-20732): of a segment with two records nothing is deleted anywhere.
    """
    released(version)
    *_, one = played(version, (*ALONE, "produce:0:0:-1 roll:0", *EXPIRES), ())
    *_, two = played(version, (*ALONE, "produce:0:0:-1", "produce:0:1:-1 roll:0", *EXPIRES), ())
    assert [id for id, _ in one["remote"]] == ([0] if version >= "4.4" else [])
    assert [id for id, _ in two["remote"]] == [0, 1]


# -- T6 ---------------------------------------------------------------------------------------------------------------

OTHER_LINEAGE: Final = (
    *ALONE,
    "produce:0:0:-1 roll:0",
    "produce:0:1:-1 roll:0",
    "fetch:1:0 roll:1",
    "delete:0:2",
    "produce:0:2:-1 roll:0",
    "upload:0",
    "stop:0 controller:shut_down:0",
    "replay:1:1",
    "produce:1:3:-1 roll:1",
)
"""Broker 0 deletes records 0 and 1, and uploads record 2. Broker 1, elected with record 0 alone, commits record 3."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("fixed", [False, True])
def test_a_log_begins_where_another_lineage_is_uploaded(released: Released, version: str, fixed: bool) -> None:
    """Record 3 is acknowledged, and gone when the copy task of its leader has run. With the fix it is uploaded."""
    released(version)
    if fixed and version < "4.2":
        pytest.skip("the fix is made for 4.2 and newer")
    *_, before, after = played(version, (*OTHER_LINEAGE, "look_up:1"), ("T6",) * fixed)
    assert (before["brokers"][1]["logStart"], before["brokers"][1]["log"]) == (0, [[0, 0], [3, 1]])
    assert (after["brokers"][1]["logStart"], after["brokers"][1]["log"]) == (
        (0, [[0, 0], [3, 1]]) if fixed else (2, [])
    )
    assert before["acknowledged"] == after["acknowledged"] == [0, 1, 2, 3]
    if fixed:
        *_, last = played(version, (*OTHER_LINEAGE, "upload:1"), ("T6",))
        assert sorted(last["remote"]) == [[2, 0], [3, 1]]


# -- T2 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_where_nothing_is_copied_nobody_looks_where_the_log_begins(released: Released, version: str) -> None:
    """Where copying goes on, the copy task of the new leader raises the start of its log (KAFKA-15351)."""
    released(version)
    assert t2(version)
    outcome, state = without_copying(version, ())
    leader = state["brokers"][1]
    assert (outcome, leader["logStart"], leader["localStart"]) == ("NONE", 1, 1)


# -- T7 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
def test_a_leader_does_not_look_again_where_its_log_begins(released: Released, version: str) -> None:
    """Neither its copy task nor its expiry corrects it."""
    released(version)
    assert t7(version)


# -- T3 ---------------------------------------------------------------------------------------------------------------

BEGUN_HALFWAY: Final = (
    *ALONE,
    "produce:0:0:-1 roll:0",
    "upload:0",
    "delete_local:0:0",
    "store:0 fetch:1:0",
    "store:1 stop:1 controller:shut_down:1",
    "controller:restart:1:clean start:1",
    "controller:unfence:1",
    "fetch:1:0",
)
"""Broker 1 is to begin after record 0, which is uploaded; the store does not answer, and broker 1 restarts."""

LEADS: Final = (
    "fetch:1:0",
    "judge:0",
    "replay:0:1",
    "stop:0 controller:shut_down:0",
    "replay:1:1",
    "produce:1:1:-1 roll:1",
    "look_up:1",
    "delete_remote:1",
)
"""It is in the ISR, leads when broker 0 has shut down, commits record 1, and runs its tasks of a leader."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", RELEASES)
@pytest.mark.parametrize("fixed", [False, True])
def test_a_follower_that_cannot_read_epochs_leads_and_deletes_what_is_uploaded(
    released: Released, version: str, fixed: bool
) -> None:
    """All elections are clean, record 0 is inside its retention. With the fix epochs are read before the log is cut."""
    released(version)
    if fixed and version < "4.2":
        pytest.skip("the fix is made for 4.2 and newer")
    *_, began = played(version, BEGUN_HALFWAY, ("T3",) * fixed)
    assert (began["brokers"][1]["logStart"], began["brokers"][1]["localStart"]) == (0, 1)
    assert began["remote"] == [[0, 0]]
    *_, last = played(version, (*BEGUN_HALFWAY, *LEADS), ("T3",) * fixed)
    assert last["acknowledged"] == [0, 1] and last["remote"] == ([[0, 0]] if fixed else [])
    assert (last["brokers"][1]["logStart"], last["brokers"][1]["log"]) == (int(not fixed), [[1, 1]])
