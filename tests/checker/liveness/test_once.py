"""Promises that are made once, of the state a run begins with: judged by every judge as by thinking through all runs.

The oracle takes every set of states that a run may stay in for ever, which are few, and asks whether that is fair.
"""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import Any

import epochal
from epochal.checker.compile.compiler import compile_protocol
from epochal.checker.identity.meaning import property_digests
from epochal.checker.trace.for_ever import waiting_from
from epochal.spec.language import Protocol
from tests.checker.liveness.judged import by_machine, by_python
from tests.checker.liveness.zoo import Lift

STATES = 5
Edge = tuple[int, int]

SOURCE = '''
from typing import Annotated

from epochal.language import Integers, Protocol, action, leads_to, require

Place = Annotated[int, Integers(0, {last})]
Edge = Annotated[int, Integers(0, {edges})]
EDGES = {table}


class Walk(Protocol):
    """Goes along edges."""

    place: Place

    def initial(self, start: Place) -> None:
        """It begins in one of two places."""
        self.place = start if start < 2 else 0

    @action(fair="{strength}", {unit})
    def go(self, edge: Edge) -> None:
        """One step."""
        require(self.place == EDGES[edge][0])
        self.place = EDGES[edge][1]

    @leads_to(fair=("go",), once=True)
    def once(self) -> tuple[bool, bool]:
        """From the start."""
        return self.place in {premise}, self.place in {goal}

    @leads_to(fair=("go",))
    def always(self) -> tuple[bool, bool]:
        """Wherever the premise holds."""
        return self.place in {premise}, self.place in {goal}
'''


def chosen(seed: int) -> dict[str, Any]:
    """A system by chance."""
    chance = random.Random(seed)
    edges = sorted({(chance.randrange(STATES), chance.randrange(STATES)) for _ in range(chance.randrange(3, 10))})
    premise = tuple(sorted(chance.sample(range(STATES), chance.randrange(1, STATES))))
    goal = tuple(sorted(chance.sample(range(STATES), chance.randrange(1, 3))))
    return {
        "table": tuple(edges),
        "last": STATES - 1,
        "edges": len(edges) - 1,
        "strength": chance.choice(("weak", "strong")),
        "unit": chance.choice(("each=()", 'each=("edge",)')),
        "premise": premise,
        "goal": goal,
    }


def reached(edges: set[Edge], begin: set[int]) -> set[int]:
    """Where edges lead, from some states on."""
    found = set(begin)
    while more := {to for at, to in edges if at in found} - found:
        found |= more
    return found


def is_broken(system: dict[str, Any], once: bool) -> bool:
    """Whether some fair run breaks the promise."""
    edges: set[Edge] = {(at, to) for at, to in system["table"] if at != to}
    begin, goal = reached(edges, {0, 1}) if not once else {0, 1}, set(system["goal"])
    begin = begin & set(system["premise"]) - goal
    without = {(at, to) for at, to in edges if at not in goal and to not in goal}
    waiting = reached(without, begin)
    units = [edges] if system["unit"] == "each=()" else [{edge} for edge in edges]
    return any(
        stays(set(some), without, units, system["strength"] == "strong")
        for size in range(1, len(waiting) + 1)
        for some in itertools.combinations(sorted(waiting), size)
    )


def stays(some: set[int], without: set[Edge], units: list[set[Edge]], strong: bool) -> bool:
    """Whether a fair run can be in just these states again and again."""
    inside = {(at, to) for at, to in without if at in some and to in some}
    if any(reached(inside, {one}) != some for one in some):
        return False
    for unit in units:
        possible = [any(at == one for at, _ in unit) for one in some]
        if not unit & inside and (any(possible) if strong else all(possible)):
            return False
    return True


def made(system: dict[str, Any], folder: Path, name: str) -> Protocol:
    """The same as a protocol."""
    file = folder / f"{name}.py"
    file.write_text(SOURCE.format(**system))
    return epochal.load(f"{file}:Walk")


def test_every_judge_agrees_with_thinking_through_all_runs(tmp_path: Path) -> None:
    seen: set[tuple[bool, bool]] = set()
    for seed in range(60):
        system = chosen(seed)
        protocol = made(system, tmp_path, f"walk_{seed}")
        wanted = {"once": is_broken(system, True), "always": is_broken(system, False)}
        seen.add((wanted["once"], wanted["always"]))
        for found in (by_python(compile_protocol(protocol)), by_machine(protocol), by_machine(protocol, workers=2)):
            assert {one.member.name: one.verdict == "violated" for one in found.promises} == wanted, seed
    assert seen == {(False, False), (False, True), (True, True)}


def test_runs_that_break_one_begin_at_the_start_and_replay(tmp_path: Path) -> None:
    told = 0
    for seed in range(20):
        protocol = made(chosen(seed), tmp_path, f"walk_{seed}")
        for found in epochal.check(protocol).search.liveness.broken:
            assert found.trace is not None
            if found.member.name == "once":
                told += 1
                assert waiting_from(found.trace) == 0
    assert told


def test_it_is_part_of_what_a_promise_says(tmp_path: Path) -> None:
    protocol = made(chosen(1), tmp_path, "walk")
    other = tmp_path / "other.py"
    other.write_text((tmp_path / "walk.py").read_text().replace(", once=True", ""))
    found, without = (property_digests(compile_protocol(one)) for one in (protocol, epochal.load(f"{other}:Walk")))
    assert found["once"] != without["once"] and found["always"] == without["always"]
    document = epochal.check(protocol).to_dict()
    assert {one["id"]: one["once"] for one in document["liveness"]} == {"once": True, "always": False}
    assert all(not one["once"] for one in epochal.check(Lift()).to_dict()["liveness"])
