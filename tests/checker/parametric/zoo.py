"""Tiny protocols, each about one thing that the parametric reading must read as Python does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epochal.language import Protocol
from tests.zoo.rows import rows

PROTOCOLS = rows(
    globals(),
    "Protocol",
    """
    ZooBounds < Bounds: Small, and different from each other, so that one is not taken for another.
        nodes: int = bound(3, least=1, most=4, help="nodes")
        most: int = bound(2, least=1, most=4, help="the greatest number")
        room: int = bound(4, least=1, most=4, help="entries of a log")
    B = ZooBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Count = Annotated[int, Integers(-1, B.most)]
    Key = Annotated[int, Integers(1, B.most + 1)]
    Colour < Enum: Three.
        RED = "red"
        GREEN = "green"
        BLUE = "blue"
    Entry < Struct: An entry of a log.
        count: Count
        by: Node | None
    Part < Struct: What a node has.
        count: Count
        colour: Colour
        known: Set[Node]
        last: Entry | None
    Loops: Loops over nodes that change each node's own, under conditions, and in two dimensions.
        bounds: ZooBounds
        parts: Map[Node, Part]
        seen: Map[Node, Map[Node, bool]]
        total: Count
        def initial(self) -> None:
            # Everybody knows itself.
            for n in self.parts:
                self.parts[n].count = 1
                self.parts[n].known = Set({n})
        action raise_those(by: Node, colour: Colour): Of one colour; those that are at the most fail.
            for n in self.parts:
                if self.parts[n].colour == colour and n != by:
                    self.parts[n].count += 1
                    self.parts[n].known |= {by}
                else:
                    self.parts[n].colour = Colour.BLUE
        action forget(by: Node): A loop over a set that changes the set itself.
            for n in self.parts[by].known:
                self.parts[n].known = self.parts[n].known - {by}
        action meet(by: Node): Two loops, one in the other.
            for a in self.seen:
                before = self.parts[a].count
                for b in self.seen[a]:
                    if b in self.parts[by].known:
                        self.seen[a][b] = a != b and before > 0
        action turn(by: Node): Over what is known: the members of an enumeration.
            for colour in Colour:
                if self.parts[by].colour != colour:
                    self.total = -1
            require(self.total < self.bounds.most)
        lemma all_are_known: Nested quantifiers.
            return all(
                any(self.seen[a][b] for b in self.seen) for a in self.parts if self.parts[a].colour != Colour.RED
            )

    Logs: Logs, their ends, minima and maxima, and what is none.
        bounds: ZooBounds
        log: Annotated[Log[Entry], Capacity(B.room)]
        other: Map[Node, Annotated[Log[Count], Capacity(B.room)]]
        last: Entry | None
        who: Node | None
        held: Map[Key, Count | None]
        action write(by: Node, count: Count): It may fail: the log may be full.
            self.log.append(Entry(count=count, by=by if count > 0 else None))
            self.last = self.log.last
        action cut(count: Count): It may fail below 0.
            bounded(count <= len(self.log))
            self.log.truncate(count)
            self.last = None
        action least(by: Node): Minima over entries, with conditions and defaults.
            found = min((e.count for e in self.log if e.by == by), default=self.bounds.most)
            until = max((o + 1 for o in range(len(self.other[by])) if self.other[by][o] == found), default=0)
            if len(self.other[by]) < self.bounds.room:
                self.other[by].append(min(found, until))
            else:
                self.other[by][until - 1] = found
                self.who = by
        action go_on(by: Node, key: Key): Values that may be none, keys that may be outside, and a log that is named.
            mine = self.other[by]
            require(self.last is not None)
            if self.who is None or self.who == by:
                self.held[key] = self.last.count
                mine.append(self.last.count)
            elif self.held[key] is None:
                self.held[key + 1] = mine[0]
            else:
                self.held[key] = None
            self.who = self.last.by
        action take(key: Key): It fails where there is none.
            self.held[key] = self.held[key] - 1
        invariant sorted_or_so: Chained comparisons and two indices.
            return all(
                -1 <= self.log[i].count <= self.log[j].count < 5 for j in range(len(self.log)) for i in range(j)
            ) or any(e == self.last for e in self.log)
        invariant may_fail: It cannot be evaluated for an empty log.
            return self.log.last.by == self.who or max(e.count for e in self.log) > 0

    Sets: Sets of identifiers: made, joined, compared and counted.
        bounds: ZooBounds
        some: Set[Node]
        of: Map[Node, Set[Node]]
        leader: Node | None
        flag: bool
        def initial(self) -> None:
            # All of them.
            self.some = Set(self.of)
        action choose(a: Node, b: Node, flag: bool): Operations, and a result that is one of two sets.
            mine = self.of[a] | {b} if flag else self.of[a] - self.some
            require(mine != self.some and a not in mine & self.some)
            self.of[b] = mine.union(self.of[b])
            self.leader = a if mine <= self.some else None
            self.flag = flag != self.flag
        action gather(a: Node): A set from a condition, and one from what others have.
            self.some = Set(n for n in self.of if n in self.of[a] or self.leader == n)
            self.of[a] = Set({m for n in self.some for m in self.of[n] if m != a})
        action promote: It fails without a leader.
            require(self.leader in self.some or len(self.some) >= 2)
            chosen, others = self.leader, self.some
            self.some = others - self.of[chosen]
        lemma few: Sizes.
            return len(self.some) != 1 and self.some >= Set(n for n in self.some) and not self.of_all()
        def of_all(self) -> bool:
            # A word with a branch in which it returns.
            if self.flag:
                return all(self.some == s for n in self.of for s in (self.of[n], self.some))
            return self.leader is None

    Growing: Loops that append, logs that are copied, and sizes that are compared with how many there are.
        bounds: ZooBounds
        log: Annotated[Log[Part], Capacity(B.room)]
        numbers: Map[Key, Annotated[Log[Count], Capacity(B.room)]]
        few: Annotated[Log[Count], Capacity(2)]
        known: Set[Node]
        action catch_up(key: Key): From where the one ends to where the other does.
            for o in range(len(self.few), len(self.numbers[key])):
                self.few.append(self.numbers[key][o])
        action fill(key: Key, n: Node, count: Count): Records that have sets; there may be no room, or no such entry.
            for o in range(count, 2):
                self.log.append(Part(count=o - 1, colour=Colour.RED, known=self.known | {n}, last=None))
                self.numbers[key].append(o - 1)
            self.known = self.log.last.known if len(self.log) > 1 else Set()
        action copy(key: Key, other: Key): The other is as long as the one, and has what it had.
            require(key != other)
            self.numbers[key] = self.numbers[other]
            self.numbers[other].truncate(0)
        action copy_all(key: Key): Each from one; it is too long some time.
            self.few = self.numbers[key]
            for k in self.numbers:
                if k != key:
                    self.numbers[k] = self.few
        action choose(n: Node): More than half.
            require(2 * len(Set(m for m in self.each(Node) if m not in self.known or m == n)) > self.bounds.nodes)
            self.known |= {n}
        invariant most_are_known: Sizes that depend on an offset.
            return all(2 * len(entry.known & self.known) >= len(self.known) for entry in self.log)

    Chosen: An initial state that is chosen, and a record that is assigned as a whole.
        bounds: ZooBounds
        part: Part
        parts: Map[Key, Part]
        action copy(key: Key, n: Node): Whole records, one after the other.
            before = self.parts[key].count
            self.parts[key] = self.part
            self.part = Part(count=before + 1, colour=self.part.colour, known={n}, last=Entry(count=0, by=n))
            self.parts[key].last = self.part.last
        lemma same: Records are compared field by field.
            return any(self.parts[k].last == self.part.last for k in self.parts if self.parts[k].colour is not None)
    """,
)
ZOO: tuple[type[Protocol], ...] = tuple(row.kind for row in PROTOCOLS.values())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
