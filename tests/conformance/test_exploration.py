"""Moments are looked at in depth, and in breadth from a little before where that comes no further."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epochal
from epochal.exit_codes import ExitCode
from epochal.kafka.evidence import files as sifting
from epochal.kafka.evidence.disks import LogDirectory
from epochal.kafka.evidence.files import sifted
from epochal.kafka.validation.collected import collected
from epochal.kafka.validation.detectors import known_of, lost_disks, lost_folders
from epochal.kafka.validation.run.model import Juncture, Step
from epochal.kafka.validation.run.search import PATIENCE, Exploration
from tests.conformance.evidence import FOLDER, INJECTED, MadeUp, disk, line_of, logs_of, of_archive

TURN, WALL, GOAL, NOISE = 3, 20, 30, 400
"""The likely turn after three lines is wrong, which shows after twenty; there are many moments between two lines."""

Here = tuple[str, int, int]


def moment(here: Here) -> Juncture:
    codes: Any = here  # any state that can be compared will do
    return Juncture(codes, 0, (), (), 0, here[1])


class Corridors:
    """Two corridors of moments that begin in common. `ends_well` says whether the unlikely one leads to the end."""

    def __init__(self, ends_well: bool = True) -> None:
        self.ends_well = ends_well

    def successors(self, at: Juncture) -> Iterator[tuple[tuple[Step, ...], Juncture]]:
        corridor, line, noise = cast(Any, at.codes)
        if line < (GOAL if corridor == "right" and self.ends_well else WALL):
            for turn in ("wrong", "right") if line == TURN else (corridor,):
                yield (Step(f"{turn} {line + 1}", ()),), moment((turn, line + 1, 0))
        for more in (noise + 1, noise + 2):
            if more < NOISE:
                yield (Step("dither", (more,)),), moment((corridor, line, more))

    def is_hopeless(self, at: Juncture) -> bool:
        return False

    def is_whole(self, at: Juncture) -> bool:
        return at.explained == GOAL


def test_a_wrong_turn_that_shows_late_is_taken_back() -> None:
    """In depth alone, all that is behind the wrong turn comes first: nearly seven thousand moments."""
    found = Exploration(Corridors(), 50_000, lambda _: None).from_moment(moment(("", 0, 0)))
    assert found.whole and found.furthest.moment.explained == GOAL
    steps = [step.action for step in found.furthest.way.told() if step.action != "dither"]
    assert steps == [f"{'right' if line > TURN else ''} {line}" for line in range(1, GOAL + 1)]
    assert found.moments < (WALL - TURN) * NOISE / 2


def test_nothing_is_left_out() -> None:
    """Where there is nothing to be found, every moment was looked at in depth, whatever was in breadth."""
    exploration = Exploration(Corridors(ends_well=False), 50_000, lambda _: None)
    found = exploration.from_moment(moment(("", 0, 0)))
    assert found.exhausted and not found.whole and found.furthest.moment.explained == WALL
    assert len(exploration.seen) == (TURN + 1 + 2 * (WALL - TURN)) * NOISE
    assert exploration.looked > PATIENCE


@pytest.mark.parametrize("most", [50, PATIENCE + 60])
def test_it_ends_when_so_many_were_looked_at(most: int) -> None:
    found = Exploration(Corridors(ends_well=False), most, lambda _: None).from_moment(moment(("", 0, 0)))
    assert not found.exhausted and not found.whole and found.moments <= most + 1


# Lines found in blocks are those that a look at each line finds.

WORDS = (b"ab", b"ba ", b"] Leader ")
LONGEST = 40


def one_by_one(content: bytes) -> list[tuple[int, bytes]]:
    lines = content.splitlines(keepends=True)
    return [
        (number, line[:LONGEST])
        for number, line in enumerate(lines, start=1)
        if any(word in line for word in WORDS) and len(line) <= LONGEST
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([b"a", b"b ", b"ab", b"\n", b"] Leader ", b"x" * 7]), max_size=60), st.integers(1, 50))
def test_the_same_lines_for_any_size_of_block(parts: list[bytes], block: int) -> None:
    content = b"".join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sifting, "BLOCK", block)
        found = list(sifted(io.BufferedReader(io.BytesIO(content)), WORDS, LONGEST))
    assert [one for one in found if len(content.splitlines(keepends=True)[one[0] - 1]) <= LONGEST] == one_by_one(
        content
    )
    assert all(len(line) <= LONGEST for _, line in found)


def test_a_line_without_an_end_is_not_held_as_a_whole() -> None:
    """And those behind it are found, with their numbers."""
    content = b"ab\n" + b"x" * (5 * sifting.BLOCK) + b"ab\nba ab\nab"
    found = list(sifted(io.BufferedReader(io.BytesIO(content)), WORDS, LONGEST))
    assert found == [(1, b"ab\n"), (2, b"x" * LONGEST), (3, b"ba ab\n"), (4, b"ab")]


# Brokers under random faults: what they left is accepted, and the rules of another version do not fit it.


@pytest.mark.usefixtures("without_runs")
@pytest.mark.parametrize("name", INJECTED)
def test_random_faults_are_accepted(name: str) -> None:
    """Dozens of changes of each run, of causes that come in no order that anybody thought of."""
    result = epochal.conform(FOLDER / f"{name}.tar.xz")
    assert result.exit_code == ExitCode.HOLDS, result
    assert result.controller is not None and result.brokers is not None
    assert result.controller.judged >= 30 and result.brokers.accepted > 100
    assert {"fence", "unfence", "handle_alter_partition"} <= result.controller.explained.keys()


@pytest.mark.usefixtures("without_runs")
def test_a_reassignment_ends_by_the_rule_of_its_version() -> None:
    """KAFKA-19975: since 4.3 it is enough that those that were added are in the ISR; 4.2 would go on waiting."""
    archive = FOLDER / "injected-4-4.3.1.tar.xz"
    assert epochal.conform(archive, kafka="4.4").exit_code == ExitCode.HOLDS
    result = epochal.conform(archive, kafka="4.2.1")
    assert result.controller is not None
    refused = [(set(one.before.adding), set(one.found.adding)) for one in result.controller.refused]
    assert refused == [({2}, set()), ({1}, set())]


# Log directories that fail, come back, are missing or new, and replicas that have lost their log, are told.


def told(made: MadeUp) -> list[str]:
    where = LogDirectory("node-1/data", 1, disk(1, 1), False)
    return [f"{one.partition} {one.says}" for one in lost_disks(made.log(), [where])]


def test_a_directory_fails_and_comes_back() -> None:
    made = MadeUp()
    made.loses(1, 2)
    made.registers(1)
    assert told(made) == [
        "broker 1 lost the log directory directory-1-1 (node-1/data): its replicas of t-0 are not there",
        "broker 1 has the log directory directory-1-1 (node-1/data) again",
    ]


def test_a_directory_is_replaced_by_a_new_one() -> None:
    made = MadeUp()
    made.registers(2, 2, 3)
    assert told(made) == [
        "broker 2 registers without the log directory directory-2-1 that it had: its replicas of t-0 are not there",
        "broker 2 registers with a new log directory directory-2-3, which has no records yet",
    ]


def test_the_same_directories_are_no_news() -> None:
    made = MadeUp()
    made.registers(1)
    made.registration_changes(1, cordonedLogDirs=[disk(1, 1)])
    assert told(made) == []


def test_a_replica_whose_folder_is_lost_is_told(tmp_path: Path) -> None:
    """Broker 1, which led with a high watermark of 2, was killed and starts: its log has three records, or none."""
    name, file = "leader-change-4.3.1", "node-1/logs/state-change.log"
    line = line_of(name, file, "Follower t-0", "from offset 3")

    log = of_archive(name).metadata
    assert log is not None
    known = known_of(of_archive(name), log, "4.3.1")
    led = logs_of(name)[file].replace(
        b"offset 0 with partition epoch 0, high watermark 0", b"offset 2 with partition epoch 0, high watermark 2"
    )
    for content, expected in ((led, []), (led.replace(b"from offset 3", b"from offset 0"), [line])):
        (tmp_path / "state-change.log").write_bytes(content)
        told = list(lost_folders(collected([tmp_path]).logs, known))
        assert [one.place.line for one in told] == expected
    assert told[0].partition == "t-0"
    assert told[0].says.startswith("broker 1 starts with an empty log, and had a high watermark of 2 before")
