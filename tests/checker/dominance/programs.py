"""Random small protocols with counters: some are budgets, and some only look like one."""

from __future__ import annotations

import random
from typing import Any

from epochal.spec.language import Protocol
from tests.zoo.rows import made

PLACES, MOST = 6, 3
COUNTERS = ("spent", "used", "left")

GOOD_GUARDS = (
    "self.{c} < {n}",
    "self.{c} <= {n}",
    "self.{c} == 0",
    "self.spent + self.used < {n}",
    "not self.{c} > {n}",
    "min(self.{c}, {n}) < {n}",
    "self.{c} < {n} or self.place == {u}",
    "self.{c} * 2 < {n} + 1",
    "self.{c} // 2 < 1",
    "self.place + self.{c} < {n} + 1",
)
BAD_GUARDS = (
    "self.{c} > 0",
    "self.{c} >= {n}",
    "self.{c} != 1",
    "self.spent < self.used + {n}",
    "self.{c} % 2 == 0",
    "(self.{c} == 0 if self.on else self.{c} > 0)",
)
ALIKE_GUARDS = ("(self.{c} < {n} if self.on else self.{c} < {n} and self.place < 3)",)
"""Its form mixes both directions, and it is one that the solver knows to become false only."""
GOOD_UPDATES = (
    "self.{c} = min(self.{c} + 1, {most})",
    "self.{c} = {n}",
    "self.{c} = 0",
    "self.{c} = max(self.{c}, {n})",
    "self.{c} = (self.{c} + 1) // 2 + 1",
)
BAD_UPDATES = (
    "self.{c} = self.{c} + 1",
    "self.{c} = {most} - self.{c}",
    "self.place = self.{c}",
    "self.on = self.{c} > 0",
    "self.spent = self.used",
    "self.{c} = (self.{c} + 1) % 3",
    "self.{c} = self.{c} - 1",
)
GOOD_BAD_STATES = (
    "self.place == {u} and self.on",
    "self.place == {u} and self.{c} <= {n}",
    "self.place == {u} and self.on and self.{c} == 0",
)
NEAR = ("self.{c} <= {n}", "self.{c} * self.place < {n} + 1")
BAD_BAD_STATES = ("self.place == {u} and self.{c} >= {n}", "self.{c} > {n}", "self.place == {u} and self.{c} == 2")


def program(seed: int) -> type[Any]:
    """A random protocol. With an even seed there are hardly any traps in it, so that it has budgets."""
    draw = random.Random(seed)
    traps = 0.04 if seed % 2 == 0 else 0.15

    def pick(good: tuple[str, ...], bad: tuple[str, ...]) -> str:
        chosen = draw.choice(bad if draw.random() < traps else good)
        return chosen.format(
            c=draw.choice(COUNTERS), n=draw.randint(0, MOST), u=draw.randrange(PLACES), most=MOST, k=draw.randint(1, 3)
        )

    rows = [f"Random{seed}: Random steps between few places, with counters."]
    rows += [f"    place: Annotated[int, Integers(0, {PLACES - 1})]", "    on: bool"]
    rows += [f"    {name}: Annotated[int, Integers(0, {MOST})]" for name in COUNTERS]
    if draw.random() < 0.3:
        rows += ["    def initial(self, first: Annotated[int, Integers(0, 1)]) -> None:"]
        rows += ["        # One counter begins anywhere.", f"        self.{draw.choice(COUNTERS)} = first"]
    for number in range(draw.randint(7, 13)):
        rows.append(f"    action go{number}: A step.")
        there = draw.choice(("self.place == {}", "self.place <= {}", "self.place != {}")).format(draw.randrange(PLACES))
        rows.append(f"        require({there})")
        for _ in range(draw.randint(0, 2)):
            guard = "bounded" if draw.random() < 0.2 else "require"
            rows.append(f"        {guard}({pick((*GOOD_GUARDS, *ALIKE_GUARDS), BAD_GUARDS)})")
        to = draw.choice((str(draw.randrange(PLACES)), f"(self.place + {draw.randint(1, 3)}) % {PLACES}"))
        body = [f"        self.place = {to}"] if draw.random() < 0.8 else []
        body += [f"        self.on = {draw.choice(('True', 'False', 'not self.on'))}"] if draw.random() < 0.3 else []
        body += [f"        {pick(GOOD_UPDATES, BAD_UPDATES)}" for _ in range(draw.randint(0, 2))]
        rows += body or ["        self.on = not self.on"]
    for number in range(2):
        rows += [f"    invariant safe{number}: Never.", f"        return not ({pick(GOOD_BAD_STATES, BAD_BAD_STATES)})"]
    rows += ["    reachable seen: Somewhere.", f"        return {pick(GOOD_BAD_STATES, BAD_BAD_STATES)}"]
    before, after = draw.randrange(PLACES), draw.randrange(PLACES)
    also = f" or {pick(('self.{c} > {n}',), ('self.{c} < {n}', 'new.{c} == self.{c}'))}" if draw.random() < 0.5 else ""
    rows += ["    action_property stays: No such step."]
    rows += [f"        return self.place != {before} or new.place != {after}{also}"]
    if draw.random() < 0.25:
        rows += [
            "    constraint near: Not too far.",
            f"        return {pick(NEAR, ('self.{c} > 0',))} or self.place < 2",
        ]
    return made({"__name__": __name__, "__file__": __file__}, "Protocol", "\n".join(["", *rows]))


def instance(seed: int) -> Protocol:
    """A random protocol, as it is searched."""
    protocol: Protocol = program(seed)()
    return protocol
