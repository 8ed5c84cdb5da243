"""Moments are looked at in depth, and in breadth from a little before where that comes no further."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest

from epochal.kafka.validation.run.model import Juncture, Step
from epochal.kafka.validation.run.search import PATIENCE, Exploration

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
