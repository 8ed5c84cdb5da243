"""Random expressions of each kind, over a state that has something of everything."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")

LARGE = 14
"""So many operators an expression has about."""


def one_of(r: random.Random, options: Sequence[Callable[[], T]]) -> T:
    """What one of several functions gives."""
    return r.choice(options)()


class Expressions:
    """Makes expressions. `scope` has the names that there are, by their kinds; `pure` methods write nothing."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.scope: list[dict[str, list[str]]] = [{}]
        self.fresh = self.size = 0
        self.pure = self.helpers = False

    def names(self, kind: str) -> list[str]:
        """The names of a kind that can be used here."""
        kinds = {
            "int": ["int", "key", "logi", "numi"],
            "optnode": ["optnode", "node"],
            "optint": ["optint", "int"],
            "optentry": ["optentry", "entry"],
        }.get(kind, [kind])
        return [n for s in self.scope for k in kinds for n in s.get(k, [])]

    def index(self, kind: str) -> str:
        """What may be a key or an offset, mostly one that there is."""
        names = self.names(kind)
        if names and self.r.random() < 0.9:
            return self.r.choice(names)
        if kind == "key" and self.r.random() < 0.7:
            return self.r.choice(["1", "2", "(self.bounds.most + 1)", "max(1, self.count)"])
        if kind != "key" and self.r.random() < 0.6:
            return "0"
        return self.e("int", 1)

    def new(self, kind: str) -> str:
        """A new name of a kind, or an old one for something new."""
        self.fresh += 1
        # a few short names, so that names are used again and shadow each other
        n = self.r.choice(["a", "b", "x", "m1", "i1"]) + (str(self.fresh) if self.r.random() < 0.7 else "")
        for s in self.scope:
            for names in s.values():
                if n in names:
                    names.remove(n)
        self.scope[-1].setdefault(kind, []).append(n)
        return n

    def e(self, kind: str, d: int) -> str:
        """An expression of a kind, `d` deep."""
        names = self.names(kind)
        if names and self.r.random() < (0.65 if kind in ("node", "entry", "key") else 0.4):
            return self.r.choice(names)
        self.size += 1
        made: str = getattr(self, f"a_{kind}")(0 if self.size > LARGE else d - (self.r.random() < 0.8))
        return made

    def a_bool(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [
            lambda: "self.flag",
            lambda: f"self.grid[{e('node', 0)}][{e('node', 0)}]",
            lambda: f"{e('node', d)} in {e('set', d)}",
            lambda: f"{e('int', d)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {e('int', d)}",
            lambda: f"{e('node', d)} {r.choice(['==', '!='])} {e('node', d)}",
            lambda: f"{e('optnode', d)} {r.choice(['is', 'is not'])} None",
            lambda: f"{e('optint', d)} {r.choice(['==', '!='])} {e('int', d)}",
            lambda: f"{e('colour', d)} {r.choice(['==', '!='])} {e('colour', d)}",
            lambda: r.choice(["True", "False"]) if r.random() < 0.2 else "self.flag",
        ]
        if d <= 0:
            return one_of(r, simple)
        more = [
            lambda: f"({e('bool', d)} {r.choice(['and', 'or'])} {e('bool', d)})",
            lambda: f"(not {e('bool', d)})",
            lambda: f"({e('bool', d)} and {e('bool', d)} or {e('bool', d)})",
            lambda: f"({e('bool', d)} if {e('bool', d)} else {e('bool', d)})",
            lambda: (
                f"({e('int', d)} {r.choice(['<', '<='])} {e('int', d)} {r.choice(['<', '<=', '!='])} {e('int', d)})"
            ),
            lambda: f"{r.choice(['all', 'any'])}({self.comp('bool', d)})",
            lambda: f"{r.choice(['all', 'any'])}({self.comp('bool', d)})",
            lambda: f"{r.choice(['all', 'any'])}({self.comp('bool', d)})",
            lambda: f"({e('set', d)} {r.choice(['<=', '>=', '==', '!='])} {e('set', d)})",
            lambda: f"({e('entry', d)} {r.choice(['==', '!='])} {e('entry', d)})",
            lambda: f"({e('optentry', d)} == {e('optentry', d)})",
            lambda: f"({e('optnode', d)} == {e('optnode', d)})",
            lambda: f"({e('optnode', d)} in {e('set', d)})",
            lambda: f"({e('int', d)} in range({e('int', d)}, {e('int', d)}))",
            lambda: f"({e('node', d)} in ({e('node', d)}, {e('node', d)}))",
            lambda: f"({e('int', d)} in ({self.comp('int', d)}))",
            lambda: f"({e('entry', d)} in self.log)",
            lambda: f"({e('int', d)} not in self.nums)",
            lambda: f"bool({e('set', d)})",
            lambda: f"self.{r.choice(['h1', 'h2'])}({e('node', d)}, {e('int', d)})" if self.helpers else "self.flag",
            lambda: f"({e('entry', d)}.by == {e('optnode', d)})",
            lambda: f"({e('bool', d)} == {e('bool', d)})",
        ]
        return one_of(r, simple + more * 3)

    def a_int(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [
            lambda: "self.count",
            lambda: str(r.choice([-1, 0, 1, 2])),
            lambda: "len(self.log)",
            lambda: "len(self.nums)",
            lambda: f"self.parts[{e('node', 0)}].count",
            lambda: "self.part.count",
            lambda: "self.bounds.most",
        ]
        if d <= 0:
            return one_of(r, simple)
        more = [
            lambda: f"({e('int', d)} {r.choice('+-')} {e('int', d)})",
            lambda: f"({e('int', d)} * {r.choice([-1, 2, 3])})",
            lambda: f"(-{e('int', d)})",
            lambda: f"({e('int', d)} if {e('bool', d)} else {e('int', d)})",
            lambda: f"{r.choice(['min', 'max'])}({e('int', d)}, {e('int', d)})",
            lambda: f"{r.choice(['min', 'max'])}(({self.comp('int', d)}), default={e('int', d)})",
            lambda: f"{r.choice(['min', 'max'])}({self.comp('int', d)})",
            lambda: f"{r.choice(['min', 'max'])}(({self.comp('int', d)}), default={e('int', d)})",
            lambda: f"len({e('set', d)})",
            lambda: f"self.held[{self.index('key')}]",
            lambda: f"self.nums[{self.index('numi')}]",
            lambda: f"len(self.logs[{e('node', d)}])",
            lambda: f"{e('entry', d)}.count",
            lambda: f"self.log[{self.index('logi')}].count",
            lambda: f"self.i1({e('int', d)}, {e('set', d)})" if self.helpers else "self.count",
            lambda: f"minus({e('int', d)}, {e('int', d)})",
            lambda: f"({e('optint', d)} + {e('int', d)})",
            lambda: "self.nums.last",
            lambda: f"({e('optentry', d)}.count)",
        ]
        return one_of(r, simple + more * 2)

    def a_node(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [lambda: "self.lead"]
        if d <= 0:
            return "self.lead"
        more = [
            lambda: f"({e('node', d)} if {e('bool', d)} else {e('node', d)})",
            lambda: f"self.logs[{e('node', d)}].last",
            lambda: f"self.logs[{e('node', d)}][{e('int', d)}]",
        ]
        return one_of(r, simple * 2 + more)

    def a_optnode(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [lambda: "self.who", lambda: e("node", 0), lambda: "self.part.inner.by"]
        if d <= 0:
            return one_of(r, simple)
        more = [
            lambda: f"({e('node', d)} if {e('bool', d)} else None)",
            lambda: f"{e('entry', d)}.by",
            lambda: f"self.maybe[{self.index('key')}]",
            lambda: f"({e('optnode', d)} if {e('bool', d)} else {e('optnode', d)})",
        ]
        return one_of(r, simple + more * 2)

    def a_optint(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        if d <= 0:
            return "self.num"
        return one_of(
            r,
            [
                lambda: "self.num",
                lambda: f"({e('int', d)} if {e('bool', d)} else None)",
                lambda: f"({e('optint', d)} if {e('bool', d)} else {e('optint', d)})",
            ],
        )

    def a_colour(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [
            lambda: "self.colour",
            lambda: "Colour." + r.choice(["RED", "GREEN", "BLUE"]),
            lambda: f"self.parts[{e('node', 0)}].colour",
        ]
        if d <= 0:
            return one_of(r, simple)
        return one_of(r, [*simple, lambda: f"({e('colour', d)} if {e('bool', d)} else {e('colour', d)})"])

    def a_set(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [
            lambda: "self.some",
            lambda: f"self.of[{e('node', 0)}]",
            lambda: f"self.parts[{e('node', 0)}].known",
            lambda: "self.part.known",
        ]
        if d <= 0:
            return one_of(r, simple)
        more = [
            lambda: f"({e('set', d)} {r.choice('|&-')} {e('set', d)})",
            lambda: "{" + e("node", d) + "}",
            lambda: f"Set({{{e('node', d)}, {e('node', d)}}})",
            lambda: f"Set({self.comp('node', d)})",
            lambda: "{" + self.comp("node", d) + "}",
            lambda: f"({e('set', d)} if {e('bool', d)} else {e('set', d)})",
            lambda: "Set(self.parts)",
            lambda: "set()",
            lambda: f"{e('set', d)}.union({e('set', d)})",
            lambda: f"Set(self.logs[{e('node', d)}])",
            lambda: f"self.s1({e('node', d)})" if self.helpers else "self.some",
        ]
        return one_of(r, simple + more * 2)

    def a_entry(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [lambda: "self.part.inner", lambda: f"self.parts[{e('node', 0)}].inner"]
        if d <= 0:
            return one_of(r, simple)
        return one_of(
            r,
            [
                *simple,
                lambda: f"Entry(count={e('int', d)}, by={e('optnode', d)})",
                lambda: f"self.log[{self.index('logi')}]",
                lambda: "self.log.last",
            ],
        )

    def a_optentry(self, d: int) -> str:
        """An expression of this kind."""
        e, r = self.e, self.r
        simple = [lambda: "self.part.last", lambda: f"self.parts[{e('node', 0)}].last"]
        if d <= 0:
            return one_of(r, simple)
        return one_of(
            r,
            [
                *simple,
                lambda: e("entry", d),
                lambda: "None",
                lambda: f"({e('optentry', d)} if {e('bool', d)} else None)",
            ],
        )

    def source(self, d: int) -> tuple[str, str]:
        """What can be gone through, and of which kind its elements are."""
        e, r = self.e, self.r
        return one_of(
            r,
            [
                lambda: ("self.parts", "node"),
                lambda: ("self.of", "node"),
                lambda: (e("set", d), "node"),
                lambda: ("self.held", "key"),
                lambda: (f"range({e('int', d)})", "int"),
                lambda: (f"range({e('int', d)}, {e('int', d)})", "int"),
                lambda: ("range(len(self.log))", "logi"),
                lambda: ("range(len(self.nums))", "numi"),
                lambda: ("self.log", "entry"),
                lambda: ("self.nums", "int"),
                lambda: ("Colour", "colour"),
                lambda: (f"({e('node', d)}, {e('node', d)})", "node"),
                lambda: ("self.each(Node)", "node"),
                lambda: ("self.each(Key)", "key"),
                lambda: (f"self.logs[{e('node', d)}]", "node"),
                lambda: ("self.parts.keys()", "node"),
            ],
        )

    def comp(self, kind: str, d: int) -> str:
        """The inside of a generator."""
        self.scope.append({})
        parts = []
        for _ in range(self.r.choice([1, 1, 1, 2])):
            source, element = self.source(min(d, 2))
            name = self.new(element)
            parts.append(f"for {name} in {source}")
            for _ in range(self.r.choice([0, 0, 1, 1, 2])):
                parts.append(f"if {self.e('bool', max(d, 1))}")
        body = self.e(kind, d)
        self.scope.pop()
        return f"{body} {' '.join(parts)}"
