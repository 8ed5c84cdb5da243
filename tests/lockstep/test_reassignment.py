"""Reassignments, min.insync.replicas and log directories: what each release shows, and what a fix keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.lockstep.harness import CLUSTER, running
from epochal.kafka.lockstep.known import model_of_release
from epochal.spec.bugs.catalogue import CATALOGUE
from epochal.spec.kraft.configuration import ConfigurableKraft, with_settings
from epochal.spec.kraft.kraft import Kraft
from epochal.spec.loading import instantiate
from epochal.spec.registry import registered
from tests.lockstep.asked_for import Assigned, Downgraded, Moved, Raised, Reassigned
from tests.lockstep.conftest import Released
from tests.lockstep.shown import W4_OF_4_3, w4_of_4_3

RUNS = Path(__file__).resolve().parents[2] / "counterexamples"
NEWEST = "4.4.0"

FAMILY = ("H1", "H2", "H3", "H4", "H7", "H7b", "H13", "H14", "H14b", "H15", "KAFKA-15665", "S21b", "S23", "W4", "H16")

LEFT_AT: dict[str, dict[str, int]] = {
    "4.0.2": {"H4": 7, "H7": 3, "KAFKA-15665": 9, "S21b": 3, "S23": 7},
    "4.1.2": {"H4": 7, "H7": 3, "KAFKA-15665": 9, "S21b": 3, "S23": 7},
    "4.2.2": {"H4": 7, "H7": 3, "KAFKA-15665": 9, "S21b": 3, "S23": 7},
    "4.3.1": {"H3": 10, "KAFKA-15665": 9, "S21b": 3, "S23": 7, "W4": 17},
    "4.4.0": {"H3": 10, "KAFKA-15665": 9, "S21b": 3, "S23": 7, "W4": 17},
}
"""At which step a release leaves the committed run of a hole; those that are not here are shown."""


@pytest.mark.lockstep
@pytest.mark.parametrize("version", LEFT_AT)
def test_each_hole_is_shown_or_left_at_its_step(released: Released, version: str) -> None:
    released(version)
    result = epochal.lockstep_catalogue(*FAMILY, kafka=version, traces=RUNS)
    assert result.exit_code == ExitCode.HOLDS, str(result)
    left = {one.id: one.played.taken for one in result.holes if one.played is not None and not one.played.followed}
    assert left == LEFT_AT[version]
    shown = {one.id for one in result.holes if one.standing.value == "shown"}
    assert shown == set(FAMILY) - left.keys()


@pytest.mark.lockstep
@pytest.mark.parametrize(("key", "version"), [("H13", "3.9.2"), ("H7b", "3.9.2"), ("H2", "4.0.2"), ("H3", "4.0.2")])
def test_the_run_of_the_release_itself_is_followed(released: Released, key: str, version: str) -> None:
    """Where another rule leaves the committed run before the hole is there."""
    released(version)
    bug = next(one for one in CATALOGUE if one.id == key)
    protocol = instantiate(registered(bug.without_rule), {})
    assert isinstance(protocol, Kraft)
    if version.startswith("3."):
        protocol = with_settings(type(protocol), replace(protocol.settings, elr=False))(None)
    found = epochal.check(model_of_release(protocol, version), properties=[bug.property_id]).counterexample
    assert found is not None
    result = epochal.lockstep_run(found, kafka=version)
    assert (result.exit_code, result.played.holds) == (ExitCode.VIOLATED, False), str(result)


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("key", "left_at", "leaf"),
    [
        ("H1", 5, "b1 high watermark"),
        ("H2", 7, "controller ELR"),
        ("H7", 3, "controller adding"),
        ("H7b", 3, "controller removing"),
        ("H13", 7, "b1 log"),
        ("H14", 3, "controller ELR"),
        ("H14b", 7, "controller ELR"),
        ("H15", 5, "controller last known leader"),
        ("H16", 10, "b2 log start"),
    ],
)
def test_lost_before_the_fix_and_kept_after(released: Released, key: str, left_at: int, leaf: str) -> None:
    released(NEWEST)
    (trace,) = RUNS.glob(f"kraft-{key.lower()}-*.itf.json")
    before = epochal.lockstep_run(trace, kafka=NEWEST)
    assert (before.exit_code, before.played.holds) == (ExitCode.VIOLATED, False)
    after = epochal.lockstep_run(trace, kafka=NEWEST, fixes=[key])
    assert (after.exit_code, after.played.taken) == (ExitCode.HOLDS, left_at)
    assert leaf in [one.leaf for one in after.played.differs]


@pytest.mark.lockstep
@pytest.mark.parametrize(("version", "left_at"), [("4.2.2", 21), ("4.3.1", 19), ("4.4.0", 19)])
def test_w4_is_lost_on_every_release_and_its_fix_keeps(released: Released, version: str, left_at: int) -> None:
    released(version)
    (committed,) = RUNS.glob("kraft-w4-*.itf.json")
    run = committed if version == "4.2.2" else W4_OF_4_3
    own = [] if run == committed else [w4_of_4_3()]
    before = epochal.lockstep_run(run, protocols=own, kafka=version)
    assert (before.exit_code, before.played.holds) == (ExitCode.VIOLATED, False), str(before)
    after = epochal.lockstep_run(run, protocols=own, kafka=version, fixes=["W4"])
    assert (after.exit_code, after.played.taken) == (ExitCode.HOLDS, left_at), str(after)
    assert [one.leaf for one in after.played.differs] == ["controller ELR"]


OLD_RULES = {"directory_change_keeps_elr": "false"}
OF_KAFKA = {"min_isr_change_clears_left_over_elr": "false", "unclean_restart_leaves_left_over_elr": "false"}


@pytest.mark.lockstep
@pytest.mark.parametrize(
    ("kind", "version", "rules"),
    [
        (Reassigned, "4.4.0", {}),
        (Reassigned, "4.2.2", {}),
        (Raised, "4.4.0", {"min_isr_follows_log": "false"}),
        (Assigned, "4.4.0", {}),
        (Assigned, "4.1.2", OLD_RULES),
        (Downgraded, "4.4.0", OF_KAFKA),
        (Moved, "4.4.0", {"abandoned_future_log_has_caught_up": "false"}),
    ],
)
def test_random_runs_with_these_steps_are_the_same(
    released: Released, kind: type[ConfigurableKraft], version: str, rules: dict[str, str]
) -> None:
    released(version)
    bounds = {"reassignments": 4} if kind is Reassigned else {}
    found = epochal.lockstep_runs(kafka=version, protocol=kind, elr=True, rules=rules, bounds=bounds, seed=3, runs=6)
    assert found.exit_code == ExitCode.HOLDS, str(found)
    assert found.runs.compared > 300
    own = {"reassign", "override_reassignment", "raise_min_isr", "assign_directory", "promote_future_log"} | {
        "switch_elr_off"
    }
    assert own & found.runs.steps.keys()


@pytest.mark.lockstep
def test_a_model_without_a_rule_of_these_steps_is_noticed(released: Released) -> None:
    released(NEWEST)
    rules = {"override_starts_anew": "true"}
    found = epochal.lockstep_runs(
        kafka=NEWEST,
        protocol=Reassigned,
        elr=True,
        rules=rules,
        bounds={"reassignments": 4},
        seed=3,
        runs=12,
    )
    assert found.exit_code == ExitCode.DRIFTED, str(found)


NEW_TERM_BEFORE_THE_MOVE_ENDS = (
    "begin|3|1|2|0|2,0,1|2|0|0|0,1,2||-1|0|||0,1,2||",
    "produce:2:0:-1 fetch:0:2 fetch:1:2 fetch:0:2 fetch:1:2",
    "controller:fence:2",
    "replay:0:1 replay:1:1 replay:2:1",
    "controller:unfence:2",
    "fetch:2:0 fetch:1:0 wait:31000 fetch:2:0 fetch:1:0",
    "judge:0",
    "tell:0",
    "replay:0:1",
    *("move:2", "wait:31000 copy:2", "wait:31000 assign:2"),
    "controller:elect:preferred",
    "replay:2:1 replay:1:1 replay:0:2",
)
"""Broker 0 has led a term without a record. Broker 2 is elected again while its replica moves."""


@pytest.mark.lockstep
@pytest.mark.parametrize("promoted", [True, False])
def test_a_leader_whose_log_was_replaced_has_not_its_own_epoch(released: Released, promoted: bool) -> None:
    """The epoch cache of a future log has the epochs of its records alone. A follower with a later one is refused,
    round by round, until the leader appends a record; without the replacement it is answered at once."""
    with running(CLUSTER, released(NEWEST)) as kafka:
        promotion = ("wait:31000 promote:2",) if promoted else ()
        kafka.ask([*NEW_TERM_BEFORE_THE_MOVE_ENDS, *promotion])
        rounds = kafka.ask(["wait:31000 fetch:0:2"] * 5)
        others = kafka.ask(["wait:31000 fetch:1:2"] * 2)
        after = kafka.ask(["produce:2:1:-1", *["wait:31000 fetch:0:2"] * 4])
    seen = [json.loads(answer)["state"]["brokers"][2]["followers"] for answer in (rounds[-1], others[-1], after[-1])]
    assert seen[0]["0"] == (-1 if promoted else 1)
    assert seen[1]["1"] == 1
    assert seen[2]["0"] == 2
