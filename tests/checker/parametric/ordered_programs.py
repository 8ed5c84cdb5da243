"""Random programs of loops whose rounds have an order, or none: shifts, reversed ranges, appends, sets of numbers."""

from __future__ import annotations

import random

HEAD = """from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated
from epochal.language import (Bounds, Capacity, Identifier, Identifiers, Integers, Log, Map, Protocol, Set, Struct,
    action, bound, lemma, require)


@dataclass(frozen=True)
class OB(Bounds):
    nodes: int = bound(2, least=1, most=4, help="nodes")
    most: int = bound(3, least=1, most=4, help="numbers")
    room: int = bound(4, least=1, most=6, help="entries")

    def half(self) -> int:
        return self.most - 1


@dataclass(frozen=True)
class Choices:
    strict: bool = True
    level: int = 1


B = OB
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Key = Annotated[int, Integers(0, B.most)]


class Cell(Struct):
    count: Key
    who: Set[Node]


class Ordered(Protocol):
    bounds: OB
    choices = Choices()
    flag: bool
    count: Key
    row: Map[Key, Key]
    cells: Map[Key, Cell]
    grid: Map[Node, Map[Key, bool]]
    log: Annotated[Log[Key], Capacity(B.room)]
    logs: Map[Node, Annotated[Log[bool], Capacity(B.room)]]
    some: Set[Node]
    seen: Set[Key]

"""


class Gen:
    """Makes one program. `numbers`, `nodes` are the names in scope."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.fresh = 0
        self.numbers: list[str] = []
        self.nodes: list[str] = []

    def near(self) -> str:
        """A number, mostly at a fixed distance from one in scope."""
        r = self.r
        if self.numbers and r.random() < 0.8:
            return r.choice(self.numbers[-2:]) + r.choice(["", "", " + 1", " - 1", " + 2"])
        return r.choice(["0", "1", "self.count", "self.bounds.half()", "self.choices.level", "self.row[0]"])

    def node(self) -> str:
        """A node, if there is one in scope; else there is none."""
        return self.r.choice(self.nodes[-2:])

    def number(self) -> str:
        """A number of the state."""
        made = [
            self.near(),
            f"self.row[{self.near()}]",
            f"self.cells[{self.near()}].count",
            "len(self.log)",
            "len(self.seen)",
            "min((i for i in self.seen), default=0)",
            f"max((i for i in reversed(range({self.near()})) if self.row[i] > 0), default=1)",
        ]
        return self.r.choice(made)

    def condition(self) -> str:
        """A condition."""
        r = self.r
        made = [
            "self.flag",
            "self.choices.strict",
            f"{self.number()} {r.choice(['<', '==', '>='])} {self.number()}",
            f"{self.near()} in self.seen",
            f"any(self.row[i] == {self.near()} for i in self.seen)",
            f"all(i <= {self.number()} for i in self.seen)",
            f"self.seen {r.choice(['<=', '=='])} {self.numbers_set()}",
            f"self.seen.isdisjoint({self.numbers_set()})",
        ]
        if self.nodes:
            made += [f"self.grid[{self.node()}][{self.near()}]", f"{self.node()} in self.cells[{self.near()}].who"]
            made += [f"{self.node()} in self.some"]
        return r.choice(made)

    def numbers_set(self) -> str:
        """A set of numbers."""
        r = self.r
        source, test = r.choice(["self.each(Key)", "self.seen"]), r.choice(["k > 1", "k != self.count"])
        chosen = f"Set(k for k in {source} if {test})"
        return r.choice([chosen, f"(self.seen {r.choice('|&-')} {chosen})"])

    def source(self) -> str:
        """What a loop goes through, numbers all of it."""
        r = self.r
        end = r.choice(["self.bounds.most", "self.count", "self.bounds.half()", "3", "len(self.log)", self.near()])
        low = r.choice(["0", "0", "1", "len(self.log)", "self.count"])
        bounds = r.choice([end, f"{low}, {end}"])
        return r.choice(
            [f"range({bounds})"] * 4
            + [f"reversed(range({bounds}))"] * 4
            + ["self.seen", "self.each(Key)", "self.row", f"Set(k for k in range({end}))", self.numbers_set()]
        )

    def shift(self) -> str:
        """One element takes from another, or what is the element's own goes to the end of a log."""
        r, one = self.r, self.numbers[-1]
        near = [one, one + " + 1", one + " - 1"]
        to, of = (r.choice(near) for _ in range(2))
        made = [f"self.row[{to}] = self.row[{of}]", f"self.cells[{to}] = self.cells[{of}]", f"self.log.append({one})"]
        made += [f"self.cells[{to}].count = self.row[{of}]", f"self.row[{to}] = {one}"]
        if self.nodes:
            node = self.node()
            made += [f"self.grid[{node}][{to}] = self.grid[{node}][{of}]"]
            made += [f"self.logs[{node}].append(self.row[{of}] > {one})"]
        return r.choice(made)

    def write(self) -> str:
        """A statement that changes the state."""
        if self.r.random() < 0.6:
            return self.shift()
        at = self.near()
        made = [f"self.row[{at}] = {self.number()}"] * 2
        made += [f"self.cells[{at}] = self.cells[{self.near()}]"] * 2
        made += [f"self.cells[{at}].count = {self.number()}", f"self.log.append({self.number()})"]
        made += [f"self.log[{at}] = {self.number()}", f"self.seen = {self.numbers_set()}"]
        if self.nodes:
            made += [f"self.grid[{self.node()}][{at}] = {self.condition()}"] * 2
            made += [f"self.logs[{self.node()}].append({self.condition()})"] * 2
            made += [f"self.cells[{at}].who |= {{{self.node()}}}", f"self.cells[{at}].who = self.some"]
        return self.r.choice(made)

    def statement(self, indent: int, depth: int) -> list[str]:
        """One statement, as lines."""
        r, pad = self.r, " " * indent
        p = r.random()
        if depth <= 0 or p < 0.45:
            return [pad + self.write()]
        if p < 0.55:
            return [pad + f"if {self.condition()}:", *self.block(indent + 4, depth - 1)]
        self.fresh += 1
        if p < 0.65:
            self.nodes.append(f"n{self.fresh}")
            source = r.choice(["self.grid", "self.some"])
            lines = [pad + f"for n{self.fresh} in {source}:", *self.block(indent + 4, depth - 1)]
            self.nodes.pop()
            return lines
        name, source = f"i{self.fresh}", self.source()
        self.numbers.append(name)
        lines = [pad + f"for {name} in {source}:", *self.block(indent + 4, depth - 1)]
        self.numbers.pop()
        return lines

    def block(self, indent: int, depth: int) -> list[str]:
        """Statements."""
        return [line for _ in range(self.r.choice([1, 1, 2])) for line in self.statement(indent, depth)]


def program(seed: int) -> str:
    """The text of a program."""
    g, out = Gen(seed), [HEAD.rstrip("\n"), ""]
    for number in range(8):
        g.numbers, g.nodes, parameters = ["c"], ["n"], "self, c: Key, n: Node, m: Node | None, s: Set[Key]"
        out += ["    @action", f"    def act{number}({parameters}) -> None:", '        """Made."""']
        out += [f"        require({g.r.choice(['m is None or m in self.some', 'c not in s', 'self.flag or c in s'])})"]
        out += g.statement(8, 0) if g.r.random() < 0.2 else []
        g.fresh += 1
        out += [f"        for i{g.fresh} in {g.source()}:"]
        g.numbers = ["c", f"i{g.fresh}"]
        out += [*g.block(12, 2), ""]
    for number in range(3):
        g.numbers, g.nodes = [], []
        out += ["    @lemma", f"    def lemma{number}(self) -> bool:", '        """Made."""']
        out += [f"        return {g.condition()}", ""]
    return "\n".join(out) + "\n"
