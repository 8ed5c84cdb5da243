"""Random programs of what the parametric reading reads: quantifiers, branches and loops within each other."""

from __future__ import annotations

from tests.checker.parametric.expressions import Expressions, options

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


ANYWHERE = options(
    """
    self.flag = $bool | self.count = $int | self.lead = $node | self.who = $optnode | self.num = $optint |
    self.colour = $colour | self.some = $set | self.some $(|,&,-)= $set | self.of[$node] = $set |
    self.held[$[key]] = $int | self.held[$[key]] $(+,-)= $int | self.maybe[$[key]] = $optnode |
    self.parts[$node].count = $int | self.parts[$node].count += $int | self.parts[$node].known = $set |
    self.parts[$node].last = $optentry | self.parts[$node].inner = $entry | self.parts[$node].inner.by = $optnode |
    self.parts[$node] = self.part | self.parts[$node] = self.parts[$node] | self.part = self.parts[$node] |
    self.part.inner = $entry | self.part.colour = $colour | $whole_part | self.grid[$node][$node] = $bool |
    self.log.append($entry) | self.log.append(Entry(count=$int, by=$optnode)) | self.log.truncate($int) |
    self.log[$[logi]] = $entry | self.nums.append($int) | self.nums.truncate($int) | self.nums[$[numi]] = $int |
    self.logs[$node].append($node) | self.logs[$node].truncate($int) |
    self.part.inner, self.parts[$node].inner = self.parts[$node].inner, self.part.inner |
    self.part, self.parts[$node] = self.parts[$node], self.part | self.count, self.lead = $int, $node |
    self.part.count, self.part.inner = $int, $entry | self.put($node, $int) ?? self.flag = not self.flag
    """
)
_NODE = """
    self.of[@] = $set | self.of[@] $(|,&,-)= $set | self.parts[@].count = $int | self.parts[@].count += $int |
    self.parts[@].colour = $colour | self.parts[@].known = $set | self.parts[@].last = $optentry |
    self.parts[@].inner = $entry | self.parts[@] = self.part | self.grid[@][$node] = $bool |
    self.grid[$node][@] = $bool | self.logs[@].append($node) | self.logs[@].truncate($int) |
    self.put(@, $int) ?? self.grid[@][@] = $bool
"""
_KEY = "self.held[@] = $int | self.held[@] += $int | self.maybe[@] = $optnode"
_LOG = "self.log[@] = $entry"
_NUMBERS = "self.nums[@] = $int | self.nums[@] -= $int"
OWN = {
    "node": options(_NODE),
    "key": options(_KEY),
    "logi": options(_LOG),
    "numi": options(_NUMBERS),
    "int": options(f"{_KEY} | {_LOG} | {_NUMBERS}"),
}
"""What a rule writes, anywhere and, in a loop, to what belongs to its element, `@`."""


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
        name, kind = element or ("", "")
        if element is None or self.r.random() < 0.92:
            return self.one_of(OWN.get(kind, ANYWHERE), 3).replace("@", name)
        return self.one_of(ANYWHERE, 3)

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
