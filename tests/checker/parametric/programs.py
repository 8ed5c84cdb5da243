"""Random programs of what the parametric reading reads: quantifiers, branches and loops within each other."""

from __future__ import annotations

from tests.checker.parametric.expressions import Expressions, one_of

HEAD = """from __future__ import annotations
import enum
from dataclasses import dataclass
from typing import Annotated
from epochal.language import (Bounds, Capacity, Identifier, Identifiers, Integers, Log, Map, Protocol, Set, Struct,
    action, bound, bounded, invariant, lemma, require)


@dataclass(frozen=True)
class FB(Bounds):
    nodes: int = bound(3, least=1, most=4, help="nodes")
    most: int = bound(2, least=1, most=4, help="numbers")
    room: int = bound(3, least=1, most=4, help="entries")


B = FB
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Count = Annotated[int, Integers(-1, B.most)]
Key = Annotated[int, Integers(1, B.most + 1)]


class Colour(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


class Entry(Struct):
    count: Count
    by: Node | None


class Part(Struct):
    count: Count
    colour: Colour
    known: Set[Node]
    last: Entry | None
    inner: Entry


def minus(a, b):
    return a - b


class Fuzz(Protocol):
    bounds: FB
    flag: bool
    count: Count
    lead: Node
    who: Node | None
    num: Count | None
    colour: Colour
    some: Set[Node]
    of: Map[Node, Set[Node]]
    held: Map[Key, Count]
    maybe: Map[Key, Node | None]
    parts: Map[Node, Part]
    part: Part
    grid: Map[Node, Map[Node, bool]]
    log: Annotated[Log[Entry], Capacity(B.room)]
    nums: Annotated[Log[Count], Capacity(B.room)]
    logs: Map[Node, Annotated[Log[Node], Capacity(2)]]

"""


class Gen(Expressions):
    """Makes one program."""

    def block(
        self, indent: int, d: int, many: int, element: tuple[str, str] | None = None, value: str = ""
    ) -> list[str]:
        """Statements in a block of their own."""
        self.scope.append({})
        lines: list[str] = []
        for _ in range(many):
            lines += self.statement(indent, d, element, value)
        self.scope.pop()
        return lines or [" " * indent + "pass"]

    def whole_part(self) -> str:
        """A record that is assigned as a whole."""
        e, d = self.e, 3
        inner = f"Entry(count={e('int', d)}, by={e('optnode', d)})"
        first = f"count={e('int', d)}, colour={e('colour', d)}"
        return f"self.part = Part({first}, known={e('set', d)}, last={e('optentry', d)}, inner={inner})"

    def write(self, element: tuple[str, str] | None) -> str:
        """A statement that writes; in a loop mostly what is the element's own."""
        e, r = self.e, self.r
        d = 3
        anywhere = [
            lambda: f"self.flag = {e('bool', d)}",
            lambda: f"self.count = {e('int', d)}",
            lambda: f"self.lead = {e('node', d)}",
            lambda: f"self.who = {e('optnode', d)}",
            lambda: f"self.num = {e('optint', d)}",
            lambda: f"self.colour = {e('colour', d)}",
            lambda: f"self.some = {e('set', d)}",
            lambda: f"self.some {r.choice('|&-')}= {e('set', d)}",
            lambda: f"self.of[{e('node', d)}] = {e('set', d)}",
            lambda: f"self.held[{self.index('key')}] = {e('int', d)}",
            lambda: f"self.held[{self.index('key')}] {r.choice('+-')}= {e('int', d)}",
            lambda: f"self.maybe[{self.index('key')}] = {e('optnode', d)}",
            lambda: f"self.parts[{e('node', d)}].count = {e('int', d)}",
            lambda: f"self.parts[{e('node', d)}].count += {e('int', d)}",
            lambda: f"self.parts[{e('node', d)}].known = {e('set', d)}",
            lambda: f"self.parts[{e('node', d)}].last = {e('optentry', d)}",
            lambda: f"self.parts[{e('node', d)}].inner = {e('entry', d)}",
            lambda: f"self.parts[{e('node', d)}].inner.by = {e('optnode', d)}",
            lambda: f"self.parts[{e('node', d)}] = self.part",
            lambda: f"self.parts[{e('node', d)}] = self.parts[{e('node', d)}]",
            lambda: f"self.part = self.parts[{e('node', d)}]",
            lambda: f"self.part.inner = {e('entry', d)}",
            lambda: f"self.part.colour = {e('colour', d)}",
            self.whole_part,
            lambda: f"self.grid[{e('node', d)}][{e('node', d)}] = {e('bool', d)}",
            lambda: f"self.log.append({e('entry', d)})",
            lambda: f"self.log.append(Entry(count={e('int', d)}, by={e('optnode', d)}))",
            lambda: f"self.log.truncate({e('int', d)})",
            lambda: f"self.log[{self.index('logi')}] = {e('entry', d)}",
            lambda: f"self.nums.append({e('int', d)})",
            lambda: f"self.nums.truncate({e('int', d)})",
            lambda: f"self.nums[{self.index('numi')}] = {e('int', d)}",
            lambda: f"self.logs[{e('node', d)}].append({e('node', d)})",
            lambda: f"self.logs[{e('node', d)}].truncate({e('int', d)})",
            lambda: (
                f"self.part.inner, self.parts[{e('node', d)}].inner = self.parts[{e('node', d)}].inner, self.part.inner"
            ),
            lambda: f"self.part, self.parts[{e('node', d)}] = self.parts[{e('node', d)}], self.part",
            lambda: f"self.count, self.lead = {e('int', d)}, {e('node', d)}",
            lambda: f"self.part.count, self.part.inner = {e('int', d)}, {e('entry', d)}",
            lambda: f"self.put({e('node', d)}, {e('int', d)})" if self.helpers else "self.flag = not self.flag",
        ]
        if element is None:
            return one_of(r, anywhere)
        name, kind = element
        if kind == "node":
            own = [
                lambda: f"self.of[{name}] = {e('set', d)}",
                lambda: f"self.of[{name}] {r.choice('|&-')}= {e('set', d)}",
                lambda: f"self.parts[{name}].count = {e('int', d)}",
                lambda: f"self.parts[{name}].count += {e('int', d)}",
                lambda: f"self.parts[{name}].colour = {e('colour', d)}",
                lambda: f"self.parts[{name}].known = {e('set', d)}",
                lambda: f"self.parts[{name}].last = {e('optentry', d)}",
                lambda: f"self.parts[{name}].inner = {e('entry', d)}",
                lambda: f"self.parts[{name}] = self.part",
                lambda: f"self.grid[{name}][{e('node', d)}] = {e('bool', d)}",
                lambda: f"self.grid[{e('node', d)}][{name}] = {e('bool', d)}",
                lambda: f"self.logs[{name}].append({e('node', d)})",
                lambda: f"self.logs[{name}].truncate({e('int', d)})",
                lambda: (
                    f"self.put({name}, {e('int', d)})"
                    if self.helpers
                    else f"self.grid[{name}][{name}] = {e('bool', d)}"
                ),
            ]
        elif kind in ("int", "key", "logi", "numi"):
            held = [
                lambda: f"self.held[{name}] = {e('int', d)}",
                lambda: f"self.held[{name}] += {e('int', d)}",
                lambda: f"self.maybe[{name}] = {e('optnode', d)}",
            ]
            logi = [lambda: f"self.log[{name}] = {e('entry', d)}"]
            numi = [lambda: f"self.nums[{name}] = {e('int', d)}", lambda: f"self.nums[{name}] -= {e('int', d)}"]
            own = {"key": held, "logi": logi, "numi": numi, "int": held + logi + numi}[kind]
        else:
            own = anywhere
        return one_of(r, own) if r.random() < 0.92 else one_of(r, anywhere)

    def statement(self, indent: int, d: int, element: tuple[str, str] | None, value: str) -> list[str]:
        """One statement, as lines."""
        r, e, pad = self.r, self.e, " " * indent
        self.size = 0
        p = r.random()
        if p < 0.4 or d <= 0:
            if self.pure:
                kind = r.choice(["bool", "int", "node", "set", "optnode"])
                text = e(kind, 2)
                return [pad + f"{self.new(kind)} = {text}"]
            return [pad + self.write(element)]
        if p < 0.55:
            kind = r.choice(["bool", "int", "node", "set", "optnode", "optint", "entry", "colour", "optentry"])
            text = e(kind, 4)
            return [pad + f"{self.new(kind)} = {text}"]
        if p < 0.62 and self.names("int"):
            return [pad + f"{r.choice(self.names('int'))} {r.choice('+-')}= {e('int', 1)}"]
        if p < 0.66:
            name = r.choice(["g1", "g2"])
            return [
                pad + f"{name} = ({self.comp('bool', 1)})",
                *self.statement(indent, d - 1, element, value),
                pad + (f"self.flag = any({name})" if not self.pure and element is None else f"z = any({name})"),
            ]
        if p < 0.72 and element is None and not self.pure:
            return [pad + f"{r.choice(['require', 'require', 'bounded'])}({e('bool', 2)})"]
        if p < 0.88:
            test = e("bool", 4)
            lines = [pad + f"if {test}:"]
            lines += self.block(indent + 4, d - 1, r.choice([1, 1, 2]), element, value)
            if value and r.random() < 0.5:
                lines += [pad + "    return" + (" " + e(value, 2) if value != "none" else "")]
            if r.random() < 0.5:
                if r.random() < 0.3:
                    lines += [pad + f"elif {e('bool', 2)}:", *self.block(indent + 4, d - 1, 1, element, value)]
                lines += [pad + "else:", *self.block(indent + 4, d - 1, r.choice([1, 1, 2]), element, value)]
                if value and r.random() < 0.3:
                    lines += [pad + "    return" + (" " + e(value, 2) if value != "none" else "")]
            return lines
        source, kind = self.source(1)
        self.scope.append({})
        name = self.new(kind)
        concrete = source.startswith("(") or source == "Colour"
        inner = element if concrete and element else (name, kind)
        lines = [
            pad + f"for {name} in {source}:",
            *self.block(indent + 4, d - 1, r.choice([1, 1, 2, 3]), inner if not self.pure else (name, kind), ""),
        ]
        self.scope.pop()
        return lines

    def method(self, head: str, scope: dict[str, list[str]], value: str, many: int, pure: bool) -> list[str]:
        """A whole method."""
        self.scope, self.fresh, self.pure = [scope], 0, pure
        lines = ["    " + head, '        """Made."""']
        self.scope.append({})
        for _ in range(many):
            lines += self.statement(8, 2, None, value)
        self.size = 0
        if value and value != "none":
            lines.append("        return " + self.e(value, 4))
        self.scope.pop()
        return [*lines, ""]


def program(seed: int) -> str:
    """The text of a program."""
    g = Gen(seed)
    r, out = g.r, [HEAD.rstrip("\n"), ""]
    g.helpers = False
    out += g.method(
        "def h1(self, n: Node, k: int) -> bool:", {"node": ["n"], "int": ["k"]}, "bool", r.choice([0, 1, 2]), True
    )
    out += g.method(
        "def h2(self, n: Node, k: int) -> bool:", {"node": ["n"], "int": ["k"]}, "bool", r.choice([0, 1, 2]), True
    )
    out += g.method(
        "def i1(self, k: int, s: Set[Node]) -> int:", {"int": ["k"], "set": ["s"]}, "int", r.choice([0, 1]), True
    )
    out += g.method("def s1(self, n: Node) -> Set[Node]:", {"node": ["n"]}, "set", r.choice([0, 1]), True)
    g.pure = False
    out += ["    def put(self, n: Node, k: int) -> None:", '        """Made."""']
    g.scope = [{"node": ["n"], "int": ["k"]}]
    out += ["        " + g.write(("n", "node")), ""]
    g.helpers = True
    for i in range(6):
        scope = {"node": ["n", "x1"], "int": ["c"], "bool": ["f"], "colour": ["q"]}
        used = [
            (p, t)
            for p, t in (("n", "Node"), ("x1", "Node"), ("c", "Count"), ("f", "bool"), ("q", "Colour"))
            if r.random() < 0.5
        ]
        kinds = {"Node": "node", "Count": "int", "bool": "bool", "Colour": "colour"}
        scope = {}
        for p, t in used:
            scope.setdefault(kinds[t], []).append(p)
        head = ", ".join(["self", *(f"{p}: {t}" for p, t in used)])
        out += [
            "    @action",
            *g.method(f"def act{i}({head}) -> None:", scope, r.choice(["", "none"]), r.choice([1, 2, 3]), False),
        ]
    for i in range(5):
        out += ["    @lemma", *g.method(f"def lemma{i}(self) -> bool:", {}, "bool", r.choice([0, 0, 1, 2]), True)]
    return "\n".join(out) + "\n"
