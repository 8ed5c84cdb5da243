"""Random expressions of each kind, over a state that has something of everything.

A kind of expression is one of several templates. In them `$set` is another expression of this kind, `$set0` a
flat one, `$<bool>` the inside of a generator, `$[key]` a key or an offset, and `$(+,-)` one of these texts. What
stands before `??` is made if there are helper methods, and what stands behind it if there are none.
"""

from __future__ import annotations

import random
import re

LARGE = 14
"""So many operators an expression has about."""

HOLE = re.compile(r"\$(?:(?P<kind>[a-z_]+)(?P<flat>0?)|\[(?P<index>\w+)\]|<(?P<comp>\w+)>|\((?P<one>.*?)\))")
KINDS = {
    "bool": (
        """self.flag | self.grid[$node0][$node0] | $node in $set | $int $(<,<=,>,>=,==,!=) $int |
        $node $(==,!=) $node | $optnode $(is,is not) None | $optint $(==,!=) $int | $colour $(==,!=) $colour |
        $truth""",
        """($bool $(and,or) $bool) | (not $bool) | ($bool and $bool or $bool) | ($bool if $bool else $bool) |
        ($int $(<,<=) $int $(<,<=,!=) $int) | $(all,any)($<bool>) | $(all,any)($<bool>) | $(all,any)($<bool>) |
        ($set $(<=,>=,==,!=) $set) | ($entry $(==,!=) $entry) | ($optentry == $optentry) |
        ($optnode == $optnode) | ($optnode in $set) | ($int in range($int, $int)) | ($node in ($node, $node)) |
        ($int in ($<int>)) | ($entry in self.log) | ($int not in self.nums) | bool($set) |
        self.$(h1,h2)($node, $int) ?? self.flag | ($entry.by == $optnode) | ($bool == $bool)""",
        (1, 3),
    ),
    "int": (
        """self.count | $(-1,0,1,2) | len(self.log) | len(self.nums) | self.parts[$node0].count | self.part.count |
        self.bounds.most""",
        """($int $(+,-) $int) | ($int * $(-1,2,3)) | (-$int) | ($int if $bool else $int) | $(min,max)($int, $int) |
        $(min,max)(($<int>), default=$int) | $(min,max)($<int>) | $(min,max)(($<int>), default=$int) |
        len($set) | self.held[$[key]] | self.nums[$[numi]] | len(self.logs[$node]) | $entry.count |
        self.log[$[logi]].count | self.i1($int, $set) ?? self.count | minus($int, $int) | ($optint + $int) |
        self.nums.last | ($optentry.count)""",
        (1, 2),
    ),
    "node": (
        "self.lead",
        "($node if $bool else $node) | self.logs[$node].last | self.logs[$node][$int]",
        (2, 1),
    ),
    "optnode": (
        "self.who | $node0 | self.part.inner.by",
        "($node if $bool else None) | $entry.by | self.maybe[$[key]] | ($optnode if $bool else $optnode)",
        (1, 2),
    ),
    "optint": (
        "self.num",
        "($int if $bool else None) | ($optint if $bool else $optint)",
        (1, 1),
    ),
    "colour": (
        "self.colour | Colour.$(RED,GREEN,BLUE) | self.parts[$node0].colour",
        "($colour if $bool else $colour)",
        (1, 1),
    ),
    "set": (
        "self.some | self.of[$node0] | self.parts[$node0].known | self.part.known",
        """($set $(|,&,-) $set) | {$node} | Set({$node, $node}) | Set($<node>) | {$<node>} |
        ($set if $bool else $set) | Set(self.parts) | set() | $set.union($set) | Set(self.logs[$node]) |
        self.s1($node) ?? self.some""",
        (1, 2),
    ),
    "entry": (
        "self.part.inner | self.parts[$node0].inner",
        "Entry(count=$int, by=$optnode) | self.log[$[logi]] | self.log.last",
        (1, 1),
    ),
    "optentry": (
        "self.part.last | self.parts[$node0].last",
        "$entry | None | ($optentry if $bool else None)",
        (1, 1),
    ),
}
"""Flat and deep templates of each kind, and how often each of them is in the hat."""

SOURCES = """
    self.parts -> node | self.of -> node | $set -> node | self.held -> key | range($int) -> int |
    range($int, $int) -> int | range(len(self.log)) -> logi | range(len(self.nums)) -> numi |
    self.log -> entry | self.nums -> int | Colour -> colour | ($node, $node) -> node |
    self.each(Node) -> node | self.each(Key) -> key | self.logs[$node] -> node | self.parts.keys() -> node
"""


def options(text: str) -> list[str]:
    """Return the templates of a text."""
    return re.split(r"\s+\|\s+", text.strip())


ALL = {kind: (options(flat), options(deep), often) for kind, (flat, deep, often) in KINDS.items()}


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
        flat, deep, (often, more) = ALL[kind]
        if self.size > LARGE or (d := d - (self.r.random() < 0.8)) <= 0:
            return self.filled(flat[0], 0) if len(flat) == 1 else self.one_of(flat, 0)
        return self.one_of(flat * often + deep * more, d)

    def one_of(self, templates: list[str], d: int) -> str:
        """Fill one of several templates."""
        return self.filled(self.r.choice(templates), d)

    def filled(self, template: str, d: int) -> str:
        """Fill the holes of a template, from left to right."""
        made, _, without = template.partition(" ?? ")
        return HOLE.sub(lambda hole: self._fill(hole, d), made if self.helpers or not without else without)

    def _fill(self, hole: re.Match[str], d: int) -> str:
        kind, flat, index, comp, one = (hole[name] for name in ("kind", "flat", "index", "comp", "one"))
        if index:
            return self.index(index)
        if comp:
            return self.comp(comp, d)
        if one:
            return str(self.r.choice(one.split(",")))
        return str(getattr(self, kind)()) if kind not in ALL else self.e(kind, 0 if flat else d)

    def truth(self) -> str:
        """A constant, now and then."""
        return self.r.choice(["True", "False"]) if self.r.random() < 0.2 else "self.flag"

    def source(self, d: int) -> tuple[str, str]:
        """What can be gone through, and of which kind its elements are."""
        text, _, kind = self.r.choice(options(SOURCES)).partition(" -> ")
        return self.filled(text, d), kind

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
