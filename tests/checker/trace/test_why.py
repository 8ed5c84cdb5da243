"""Why a property is false: the values that make it so, as the source says them."""

from __future__ import annotations

import enum
from typing import Annotated

import pytest

import epochal
from epochal.checker.trace.why import why_false
from epochal.spec.language import (
    Identifier,
    Identifiers,
    Integers,
    Map,
    Protocol,
    Set,
    Struct,
    action,
    action_property,
    invariant,
    require,
)
from epochal.spec.language.marks import Kind

Node = Annotated[Identifier, Identifiers("n", 3)]
Small = Annotated[int, Integers(0, 3)]


class Mood(enum.Enum):
    CALM = 0
    VERY_LOUD = 1


class Post(Struct, text="{owner} at {height}"):
    owner: Node | None
    height: Small


class Base(Protocol):
    name = "base"

    def fits(self, n: Identifier, height: int) -> bool:
        """Whether a height fits a node."""
        return height <= 2


class Zoo(Base):
    """A protocol whose properties are false in ways of their own."""

    name = "why"
    heights: Map[Node, Small]
    chosen: Set[Node]
    mood: Mood
    post: Post

    @action
    def shout(self, n: Node) -> None:
        require(self.mood == Mood.CALM)
        self.mood = Mood.VERY_LOUD
        self.heights[n] = 3
        self.chosen |= {n}
        self.post.owner = n
        self.post.height = 3

    def fits(self, n: Identifier, height: int) -> bool:
        """As always, and it is not the chosen one."""
        return super().fits(n, height) and n not in self.chosen

    @invariant
    def low(self) -> bool:
        """All fit."""
        return all(self.fits(n, self.heights[n]) for n in self.heights if self.heights[n] > 0)

    @invariant
    def pairs(self) -> bool:
        """Two of a kind."""
        highest = 2
        return all(
            self.heights[a] <= highest or self.heights[b] > self.heights[a] + 1
            for a in self.heights
            for b in self.heights
            if a != b
        )

    @invariant
    def quiet(self) -> bool:
        """Nobody is loud, or nobody is chosen."""
        if self.mood == Mood.CALM:
            return True
        return not any(n in self.chosen for n in self.heights)

    @invariant
    def told_apart(self) -> bool:
        """The post says so."""
        return self.post == Post(owner=None, height=0) if len(self.chosen) > 0 else True

    @invariant
    def somebody(self) -> bool:
        """Somebody is at two."""
        return len(self.chosen) == 0 or any(self.heights[n] == 2 for n in self.heights)

    @invariant
    def moods(self) -> bool:
        """Nobody is loud where somebody is calm."""
        return not {Mood.CALM, Mood.VERY_LOUD} <= {self.mood if n in self.chosen else Mood.CALM for n in self.heights}

    @invariant
    def named(self) -> bool:
        """A name for a condition is no value of its own."""
        chosen = len(self.chosen) > 0
        anybody = any(self.heights[n] == 2 for n in self.heights)
        return not chosen or anybody or self.never_so()

    def never_so(self) -> bool:
        """A rule that was taken away."""
        return False

    @invariant
    def by_a_loop(self) -> bool:
        """A loop has no single reason."""
        total = 0
        for n in self.heights:
            total += self.heights[n]
        return total < 3

    @action_property
    def never_higher(self, new: Zoo) -> bool:
        """Nothing grows."""
        return all(new.heights[n] <= self.heights[n] for n in self.heights)


TOLD = {
    "low": "n is n1 (of heights): super().fits(n1, 3) is false",
    "pairs": "a is n1 (of heights), b is n2 (of heights): heights[n1] is 3, heights[n2] is 0, heights[n1] + 1 is 4",
    "quiet": "n is n1 (of heights): chosen is {n1}",
    "told_apart": "post is n1 at 3",
    "somebody": "chosen has 1 member, any((heights[n] == 2 for n in heights)) is false",
    "moods": "{mood if n in chosen else Mood.CALM for n in heights} is {calm, very-loud}",
    "named": "chosen has 1 member, anybody is false, never_so() is always false",
    "by_a_loop": None,
    "never_higher": "n is n1 (of heights): new.heights[n1] is 3, heights[n1] is 0",
}


@pytest.mark.parametrize("name", TOLD)
def test_the_reason_is_told(name: str) -> None:
    zoo = Zoo()
    before = zoo.codes()
    shout = next(i for i in zoo.instances if i.action.name == "shout")
    after = zoo.step(zoo.at(before), shout)
    assert after is not None
    kind: Kind = "action_property" if name == "never_higher" else "invariant"
    member = next(m for m in zoo.members(kind) if m.name == name)
    reason = why_false(zoo, member, before, after) if kind == "action_property" else why_false(zoo, member, after)
    assert (None if reason is None else str(reason)) == TOLD[name]


@pytest.mark.parametrize(
    ("reference", "said"),
    [
        (
            "kraft-s25",
            "  because r is b1 (of brokers), id is 0 (of acknowledged): "
            "any((record.id == 0 for record in brokers[b1].log)) is false",
        ),
        ("kip-101", "  because leader is b1 (of replicas), member is b2, o is 0: end(b2) is 0"),
        (
            "kraft-s16",
            "  because r is b1 (of brokers): registrations[b1].fenced is true, now.isr is {b1, b2}, "
            "now.isr has 2 members",
        ),
    ],
)
def test_a_story_ends_with_it(reference: str, said: str) -> None:
    assert said in str(epochal.check(epochal.load(reference)).counterexample).splitlines()


def test_a_witness_has_no_reason() -> None:
    run = epochal.check(epochal.load("kip-320", replicas=2, log_size=1, records=1, max_epoch=1)).traces
    assert run and all("because" not in str(trace) for trace in run.values())
