"""Small protocols with a false claim, each aimed at one assumption of the parametric semantics or of the prover.

A row says what it is aimed at and, where the protocol's own bounds show nothing, at which others its claim is false.
Its `claim` is both a lemma and an invariant. A table is a group of assumptions.
"""

from __future__ import annotations

import enum
import inspect
import re
from dataclasses import dataclass
from typing import Annotated, Any

from epochal.language import Bounds, Identifier, Identifiers, Integers, Protocol, Set, Struct, bound
from tests.zoo.rows import Row, rows


@dataclass(frozen=True)
class AttackBounds(Bounds):
    """Small; each may be more."""

    nodes: int = bound(2, least=1, most=4, help="nodes")
    peers: int = bound(1, least=1, most=4, help="peers")
    most: int = bound(2, least=1, most=4, help="the greatest number")
    room: int = bound(2, least=1, most=4, help="entries of a log")


B = AttackBounds
Node = Annotated[Identifier, Identifiers("n", B.nodes)]
Peer = Annotated[Identifier, Identifiers("p", B.peers)]
Count = Annotated[int, Integers(0, B.most)]
Signed = Annotated[int, Integers(-1, B.most)]
Key = Annotated[int, Integers(1, B.most)]
Two = Annotated[int, Integers(0, 2)]


class Colour(enum.Enum):
    """Three."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Entry(Struct):
    """A record of scalars."""

    count: Count
    by: Node | None


class Part(Struct):
    """A record of all kinds."""

    count: Count
    known: Set[Node]
    last: Entry | None


class Attacked(Protocol):
    """What all of them have."""

    bounds: AttackBounds
    x: Count
    y: Count
    flag: bool
    leader: Node
    voters: Set[Node]

    def is_most(self, some: Set[Identifier]) -> bool:
        """Whether these are a majority."""
        return 2 * len(some) > self.bounds.nodes

    def either(self, one: bool, other: bool) -> bool:
        """A helper that a row may replace."""
        return one or other


@dataclass(frozen=True)
class Attack:
    """A protocol, what it is aimed at, and the bounds at which a search finds that its claim is false."""

    row: Row
    aim: str
    bounds: dict[str, int]

    @property
    def kind(self) -> type[Any]:
        """Its class."""
        return self.row.kind


ATTACKS: dict[str, Attack] = {}
_CLAIM = re.compile(r"^    claim (.*)$", re.MULTILINE)
_BOTH = r"    lemma claimed\n        return \1\n    invariant claim\n        return \1"


def attacks(group: str, table: str) -> None:
    """Add the rows of a table: what each is aimed at, and after a semicolon its bounds."""
    for name, row in rows(globals(), "Attacked", _CLAIM.sub(_BOTH, inspect.cleandoc(table))).items():
        aim, _, given = row.expected.partition("; ")
        numbers = dict(part.split("=") for part in given.split())
        ATTACKS[name] = Attack(row, f"{group}: {aim}", {bound: int(value) for bound, value in numbers.items()})


attacks(
    "bounds",
    """
    OfTheLeastBound: true where a bound is the least
        action rise
            self.x = self.bounds.most
        claim self.x <= 1
    OfAnyButTheLeast: true unless a bound is the least; most=1
        action rise
            self.flag = True
        claim self.bounds.most >= 2 or not self.flag
    OfAFewOnly: false of one number that a bound may be, larger than what is tried first; most=4
        action rise
            require(self.bounds.most == 4)
            self.flag = True
        claim not self.flag
    OneBoundForAnother: a bound in the place of another one; room=3
        action rise
            self.x = self.bounds.room
        claim self.x <= self.bounds.most
    OneBeyond: the number after the greatest
        action rise
            self.x = self.bounds.most + 1
        claim self.x <= self.bounds.most
    BelowTheBound: the greatest number itself
        action rise
            self.x = self.bounds.most
        claim self.x < self.bounds.most
    OneBoundIsLess: two bounds in some order; most=1 room=2
        action rise
            self.flag = True
        claim self.bounds.room <= self.bounds.most or not self.flag
    SumOfBounds: one less than the sum of two bounds
        far: Annotated[int, Integers(0, B.most + B.room)]
        action rise
            self.far = self.bounds.most + self.bounds.room
        claim self.far < self.bounds.most + self.bounds.room
    DifferenceOfBounds: a difference that may be negative; nodes=1 most=2
        action rise
            require(self.bounds.nodes - self.bounds.most < 0)
            self.flag = True
        claim not self.flag
    RoomForTwo: room for as many entries as a bound is more than; room=1
        log: Annotated[Log[Count], Capacity(B.room)]
        action grow
            require(len(self.log) < 2)
            self.log.append(0)
        claim len(self.log) <= 2
    TwiceABound: a multiple of a bound; most=3
        action rise
            require(2 * self.bounds.nodes < 2 * self.bounds.most - 1)
            self.flag = True
        claim not self.flag
    """,
)
attacks(
    "identifiers",
    """
    TwoNodes: there may be one alone; nodes=1
        action go
            self.flag = True
        claim any(a != b for a in self.each(Node) for b in self.each(Node)) or not self.flag
    OneNode: there may be two
        action go
            self.flag = True
        claim all(a == b for a in self.each(Node) for b in self.each(Node)) or not self.flag
    ThreeNodes: there may be two, which is not three
        action go(a: Node, b: Node)
            require(a != b and all(n == a or n == b for n in self.each(Node)))
            self.flag = True
        claim not self.flag
    AsManyPeersAsNodes: two sorts of different sizes
        action go
            self.flag = True
        claim self.bounds.peers == self.bounds.nodes or not self.flag
    OnlyPeer: of another sort there may be two; peers=2
        peer: Peer
        action go(p: Peer)
            self.peer = p
        claim all(p == self.peer for p in self.each(Peer))
    FirstIsAll: the first identifier is one of several
        claim all(self.leader == n for n in self.each(Node))
    FirstIsFirst: a parameter is any identifier
        owner: Map[Node, Node]
        action elect(n: Node)
            self.leader = n
        claim all(self.owner[n] == self.leader for n in self.each(Node))
    OwnersOfOwners: a function into identifiers is no involution
        owner: Map[Node, Node]
        action give(a: Node, b: Node)
            self.owner[a] = b
        claim all(self.owner[self.owner[n]] == self.owner[n] for n in self.each(Node))
    OneOwnsOne: a function into identifiers need hit none twice
        owner: Map[Node, Node]
        action give(a: Node, b: Node)
            self.owner[a] = b
        claim not self.flag and any(self.owner[n] == n for n in self.each(Node))
    OnlyInARule: identifiers that no variable has
        action go
            require(all(a == b for a in self.each(Peer) for b in self.each(Peer)))
            self.flag = True
        claim not self.flag
    """,
)
attacks(
    "quantifiers",
    """
    OneForAll: each has one, so one has all
        known: Map[Node, Set[Node]]
        action know(n: Node)
            self.known[n] = Set({n})
            self.flag = True
        claim not self.flag or any(all(b in self.known[b] and a == b for b in self.each(Node)) for a in self.each(Node))
    SomeThatIsSo: who is not there, or is so, is not there and so
        action go
            self.flag = True
        claim not self.flag or all(any(n in self.voters for n in self.each(Node) if n != m) for m in self.each(Node))
    SomeOfNone: there is one in every set
        action go
            self.flag = True
        claim not self.flag or any(n == n for n in self.voters)
    AllButTheLast: all but the last are all
        log: Annotated[Log[Two], Capacity(B.room)]
        action grow
            require(len(self.log) < self.bounds.room)
            self.log.append(len(self.log) if len(self.log) < 2 else 2)
        claim all(self.log[i] == 0 for i in range(len(self.log)))
    OneInTheOther: a variable of an inner quantifier is not that of the outer one
        action add(n: Node)
            self.voters |= {n}
        claim all(all(n == m for n in self.voters) for m in self.voters)
    SameNameInside: an inner variable that is called as the outer one
        action add(n: Node)
            self.voters |= {n}
        claim all(any(n == self.leader for n in self.voters) and n == self.leader for n in self.voters)
    NotAll: not all is not none
        action add(n: Node)
            self.voters |= {n}
        claim all(n in self.voters for n in self.each(Node)) or not any(n in self.voters for n in self.each(Node))
    Between: numbers between two numbers
        action rise
            self.x = self.bounds.most
        claim not any(0 < i < self.x for i in range(self.bounds.most + 1))
    LimitsByAnother: an inner limit that depends on the outer variable
        action rise
            self.x = self.bounds.most
        claim all(any(j < i for j in range(i + 1)) for i in range(self.x))
    BeyondARange: the end of a range is not in it
        action rise
            self.x = self.bounds.most
        claim any(i == self.x for i in range(self.x + 1) if i < self.x) or self.x == 0
    OneOfEach: what is so of all of two sorts; peers=2
        peer: Peer
        action elect(n: Node, p: Peer)
            self.leader = n
            self.peer = p
        claim all(n == self.leader or p == self.peer for n in self.each(Node) for p in self.each(Peer))
    OnlyWhere: a condition that is around a quantifier, not in it
        action add(n: Node)
            self.voters |= {n}
            self.flag = not self.flag
        claim all(n == self.leader for n in self.voters) if self.flag else True
    """,
)
attacks(
    "maps",
    """
    TheNextKey: a key that is none
        row: Map[Key, Two]
        action put(k: Key)
            self.row[k + 1] = 1
        claim all(self.row[k] <= 1 for k in self.row)
    ReadsTheNextKey: a claim that reads a key that is none
        row: Map[Key, Two]
        action put(k: Key)
            self.row[k] = 1
        claim all(self.row[k] == 1 or self.row[k + 1] >= 0 for k in self.row)
    OneIsWritten: another key keeps what it has
        part: Map[Node, Two]
        action put(n: Node)
            self.part[n] = 1
        claim all(self.part[a] == self.part[b] for a in self.part for b in self.part)
    BothAreWritten: two keys may be one
        part: Map[Node, Two]
        action put(a: Node, b: Node)
            self.part[a] = 1
            self.part[b] = 2
        claim all(self.part[a] != 2 for a in self.part) or any(self.part[a] == 1 for a in self.part)
    RowsAndColumns: a map of maps, the other way round
        seen: Map[Node, Map[Node, bool]]
        action see(a: Node, b: Node)
            self.seen[a][b] = True
        claim all(self.seen[b][a] or not self.seen[a][b] for a in self.seen for b in self.seen)
    Diagonal: two keys of a map of maps may be one
        seen: Map[Node, Map[Node, bool]]
        action see(a: Node, b: Node)
            self.seen[a][b] = True
        claim all(not self.seen[a][a] for a in self.seen)
    Exchanged: both sides are read before either is written
        part: Map[Node, Two]
        action first(n: Node)
            self.part[n] = 2
        action turn(a: Node, b: Node)
            self.part[a], self.part[b] = self.part[b], self.part[a]
        claim self.part[self.leader] != 2
    KeysOfTwoMaps: one map is not the other
        row: Map[Key, Two]
        line: Map[Key, Two]
        action put(k: Key)
            self.row[k] = 1
        claim all(self.row[k] == self.line[k] for k in self.row)
    MapInARecordsPlace: a record in a map, one field of it
        parts: Map[Node, Part]
        action put(n: Node)
            self.parts[n].count = self.bounds.most
        claim all(self.parts[n].count == 0 for n in self.parts)
    ReadBeforeWritten: what was read before a write is what it was
        part: Map[Node, Two]
        action put(n: Node)
            before = self.part[n]
            self.part[n] = 2
            self.x = 1 if before == 0 else 0
        claim self.x == 0
    LeaderAsKey: a key that is a variable of the state
        part: Map[Node, Two]
        action put(n: Node)
            self.leader = n
            self.part[self.leader] = 1
        claim all(self.part[n] == 0 or n == self.leader for n in self.part)
    """,
)
attacks(
    "sets",
    """
    Subset: more is in one
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
        claim self.voters <= self.others
    StrictSubset: no set is less than itself
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
            self.others |= {n}
        claim self.voters <= self.others and self.voters != self.others or len(self.voters) == 0
    Differences: a difference is taken from the left
        others: Set[Node]
        action add(n: Node)
            self.voters = self.others - {n}
            self.others = Set({n})
        claim self.voters == Set() and self.others - self.voters == self.others and len(self.others) == 0
    Either: in one of them only
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
        action add_other(n: Node)
            self.others |= {n}
        claim self.voters & self.others == self.voters | self.others
    Disjoint: nothing in both
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
        action add_other(n: Node)
            self.others |= {n}
        claim not any(n in self.others for n in self.voters)
    SetOfAChoice: a parameter that is any set
        action put(some: Set[Node])
            self.voters = some
        claim len(self.voters) <= 1
    EmptyChoice: a parameter may be the empty set
        action put(some: Set[Node])
            self.voters = some
            self.flag = True
        claim not self.flag or any(n == n for n in self.voters)
    SetOfNumbers: a set of numbers within their domain
        some: Set[Count]
        action add(c: Count)
            self.some = self.some | Set(i for i in self.each(Count) if i == c)
        claim all(i <= 1 for i in self.some)
    Comprehended: a set of those for which something is so
        action keep(n: Node)
            self.voters = Set(m for m in self.each(Node) if m != n)
        claim len(self.voters) == 0
    CopyOfASet: a set is a value, and a later change of the variable is none of it
        others: Set[Node]
        action add(n: Node)
            self.others = self.voters
            self.voters |= {n}
        claim self.others == self.voters
    """,
)
attacks(
    "logs",
    """
    AfterTheEnd: what was truncated is not there any more
        log: Annotated[Log[Two], Capacity(B.room)]
        action begin
            require(len(self.log) == 0)
            self.log.append(1)
        action again
            require(len(self.log) > 0)
            self.log.truncate(0)
            self.log.append(2)
        claim all(i == 1 for i in self.log)
    Full: a log has an end
        log: Annotated[Log[Two], Capacity(B.room)]
        action grow
            self.log.append(1)
        claim len(self.log) <= self.bounds.room
    LastOfNone: an empty log has no last entry
        log: Annotated[Log[Two], Capacity(B.room)]
        action look
            require(self.log.last == 0)
            self.flag = True
        claim not self.flag or len(self.log) > 0
    PastTheEnd: an offset at the end has no entry
        log: Annotated[Log[Two], Capacity(B.room)]
        action look
            self.x = 0 if self.log[len(self.log)] == 0 else 1
        claim self.x <= 1
    TruncateBeyond: nothing can be truncated to more than there is
        log: Annotated[Log[Two], Capacity(B.room)]
        action cut
            self.log.truncate(1)
        claim len(self.log) <= 1
    AllTheSame: entries are not all alike
        log: Annotated[Log[Two], Capacity(B.room)]
        action grow(t: Two)
            require(len(self.log) < self.bounds.room)
            self.log.append(t)
        claim all(a == b for a in self.log for b in self.log)
    CopyOfALog: a log that was assigned is a copy
        log: Annotated[Log[Two], Capacity(B.room)]
        other: Annotated[Log[Two], Capacity(B.room)]
        action copy
            self.other = self.log
        action grow
            require(len(self.log) < self.bounds.room)
            self.log.append(1)
        claim len(self.other) == len(self.log)
    WrittenInTheMiddle: an entry is replaced
        log: Annotated[Log[Two], Capacity(B.room)]
        action grow
            require(len(self.log) < self.bounds.room)
            self.log.append(1)
        action put
            require(len(self.log) > 1)
            self.log[0] = 2
        claim all(i == 1 for i in self.log)
    LogOfEach: the log of another node
        logs: Map[Node, Annotated[Log[Two], Capacity(B.room)]]
        action grow(n: Node)
            require(len(self.logs[n]) < self.bounds.room)
            self.logs[n].append(1)
        claim all(len(self.logs[a]) == len(self.logs[b]) for a in self.logs for b in self.logs)
    EntriesOfEach: the entry of one log at the end of another
        logs: Map[Node, Annotated[Log[Two], Capacity(B.room)]]
        action grow(n: Node)
            require(len(self.logs[n]) < self.bounds.room)
            self.logs[n].append(1)
        claim all(self.logs[self.leader][i] == 1 for n in self.logs for i in range(len(self.logs[n])))
    Within: an entry that is in a log need not be its first
        log: Annotated[Log[Two], Capacity(B.room)]
        action grow
            require(len(self.log) < self.bounds.room)
            self.log.append(len(self.log) if len(self.log) < 2 else 2)
        claim 1 not in self.log
    LogOfRecords: a field of an entry
        log: Annotated[Log[Entry], Capacity(B.room)]
        action grow(n: Node)
            require(len(self.log) < self.bounds.room)
            self.log.append(Entry(count=1, by=n))
        claim all(e.by is None or e.by == self.leader for e in self.log)
    Prefix: two logs that begin alike go on alike
        log: Annotated[Log[Two], Capacity(B.room)]
        other: Annotated[Log[Two], Capacity(B.room)]
        action grow(t: Two)
            require(len(self.log) < self.bounds.room)
            self.log.append(t)
        action grow_other(t: Two)
            require(len(self.other) < self.bounds.room)
            self.other.append(t)
        claim all(self.log[i] == self.other[i] for i in range(min(len(self.log), len(self.other))))
    """,
)
attacks(
    "optional values",
    """
    NobodyIsSomebody: none is no value
        chosen: Node | None
        action choose(n: Node)
            self.chosen = n
        claim self.chosen is None
    NoneIsForgotten: what was there before none is not there
        chosen: Node | None
        action choose(n: Node)
            self.chosen = n
        action forget
            require(self.chosen is not None)
            self.chosen = None
            self.flag = True
        claim not self.flag or self.chosen is not None
    BothNone: two that are none are the same
        chosen: Node | None
        other: Node | None
        action choose(n: Node)
            self.chosen = n
        claim self.chosen == self.other
    NumberOrNone: none is not 0
        number: Count | None
        action choose
            self.number = 0
        claim self.number != 0
    FieldOfNone: none has no fields
        entry: Entry | None
        action rise
            require(self.entry.count == 0)
            self.flag = True
        claim not self.flag
    RecordOrNone: a record that may be none, one field of it
        entry: Entry | None
        action put(c: Count)
            self.entry = Entry(count=c, by=None)
        claim self.entry is None or self.entry.count == 0
    NoneInARecord: a field that may be none
        parts: Map[Node, Part]
        action put(n: Node)
            self.parts[n].last = Entry(count=0, by=n)
        claim all(self.parts[n].last is None or self.parts[n].last.by != n for n in self.parts)
    PerhapsAParameter: a parameter that may be none
        chosen: Node | None
        action choose(n: Node | None)
            self.chosen = n
            self.flag = True
        claim not self.flag or self.chosen is not None
    """,
)
attacks(
    "records",
    """
    OneField: the other field stays
        entry: Entry
        action put(n: Node)
            self.entry.by = n
        claim self.entry.count == 0 and self.entry.by is None
    WholeRecord: all fields are written
        entry: Entry
        action put(n: Node)
            self.entry = Entry(count=self.bounds.most, by=n)
        claim self.entry.count == 0
    CopyOfARecord: a record that was assigned is a copy
        entry: Entry
        other: Entry
        action put
            self.other = self.entry
            self.entry.count = 1
        claim self.entry == self.other
    SameRecords: records are the same if all fields are
        entry: Entry
        other: Entry
        action put(n: Node)
            self.entry.by = n
            self.other.count = self.entry.count
        claim self.entry == self.other
    RecordOfAnother: records in a map are apart
        parts: Map[Node, Part]
        action put(n: Node)
            self.parts[n].known |= {n}
        claim all(self.parts[a].known == self.parts[b].known for a in self.parts for b in self.parts)
    Colours: members of an enumeration
        colour: Colour
        action paint(c: Colour)
            self.colour = c
        claim self.colour == Colour.RED or self.colour == Colour.GREEN
    """,
)
attacks(
    "history",
    """
    WrongHistory: what is remembered is what is written
        ever: Ghost[bool]
        action go
            self.flag = True
        claim self.ever == self.flag
    HistoryOfOnce: history that is written over
        last: Ghost[Count]
        action go(c: Count)
            self.x = c
            self.last = c
        action down
            self.x = 0
        claim self.x == self.last
    HistoryGrows: a set in history
        seen: Ghost[Set[Node]]
        action elect(n: Node)
            self.leader = n
            self.seen |= {n}
        claim len(self.seen) <= 1
    ReadsHistory: a step that history decides
        ever: Ghost[bool]
        action go
            require(not self.ever)
            self.flag = True
        claim not self.flag
    """,
)
attacks(
    "rules that replace others",
    """
    ReplacedHelper: a claim by a helper that says something else here
        action go
            self.flag = True
        def either(self, one: bool, other: bool) -> bool:
            return one
        claim self.either(not self.flag, True)
    OfTheOther: a claim by the helper of the base
        action go
            self.flag = True
        def either(self, one: bool, other: bool) -> bool:
            return super().either(other, False)
        claim self.either(True, not self.flag)
    Guarded: a step with a guard
        action go
            require(self.x > 0)
            self.flag = True
        action rise
            self.x = 1
        claim not self.flag
    Unguarded < Guarded: the same without one
        def go(self) -> None:
            self.flag = True
        claim self.x > 0 or not self.flag
    OtherLemma < Guarded: a lemma that is said anew says what it says there
        def claimed(self) -> bool:
            return True
    OtherBeginning < Guarded: another initial state
        def initial(self) -> None:
            self.flag = True
        claim not self.flag or self.x == 1
    """,
)
attacks(
    "vacuity",
    """
    NothingHolds: a lemma that is false
        action go
            self.flag = True
        lemma nothing
            return False
        claim not self.flag
    EachExcludesTheOther: lemmas that contradict each other
        action go
            self.flag = True
        lemma zero
            return self.x == 0
        lemma one
            return self.x == 1
        claim not self.flag
    SoAfterTheFirst: a lemma that is false in the first state alone
        action go
            self.flag = True
        lemma later
            return self.flag
        claim self.flag
    FailsFirst: a step that fails preserves nothing
        log: Annotated[Log[Two], Capacity(B.room)]
        action go
            self.flag = self.log[0] == 0
        claim not self.flag
    FailsInTheClaim: a claim that cannot be evaluated is none
        log: Annotated[Log[Two], Capacity(B.room)]
        action go
            self.flag = True
        claim not self.flag or self.log[0] == self.log[0]
    LeansOnEachOther: two lemmas of which each follows from the other
        action go
            self.flag = True
            self.x = 1
        lemma other
            return self.x == 0 and not self.flag
        claim not self.flag and self.x == 0
    EmptyAtOtherBounds: a guard that excludes all steps at the least bounds; most=2
        action go
            require(self.bounds.most > 1)
            self.flag = True
        claim not self.flag
    """,
)
attacks(
    "order",
    """
    GreatestOfNone: the default of a maximum
        action go
            self.x = max((1 for n in self.voters), default=2 if self.bounds.most > 1 else 1)
        claim self.x == 0 or self.x == 1
    LeastIsFirst: the least of what is so
        some: Set[Count]
        action add(c: Count)
            self.some = self.some | Set(i for i in self.each(Count) if i == c)
        claim min((i for i in self.some), default=0) == 0
    GreatestIsAll: the greatest is one, and others are less
        some: Set[Count]
        action add(c: Count)
            self.some = self.some | Set(i for i in self.each(Count) if i == c)
        claim all(i == max((j for j in self.some), default=0) for i in self.some)
    Dense: between two numbers is another
        action go
            self.x = 1
        claim self.x == 0 or any(0 < i < self.x for i in range(self.bounds.most + 1))
    Negative: a number may be less than 0
        low: Signed
        action go(s: Signed)
            self.low = s
        claim self.low >= 0
    FirstIsLeast: a variable begins with the first value of its domain
        low: Signed
        action go
            self.x = 1
        claim self.low == 0
    Antisymmetric: no more, and no less
        action go(c: Count)
            self.x = c
        action go_too(c: Count)
            self.y = c
        claim self.x <= self.y or self.y <= self.x and self.flag
    MinOfTwo: the least of two is either
        action go(c: Count, d: Count)
            self.x = min(c, d)
            self.y = max(c, d)
        claim self.x == self.y
    """,
)
attacks(
    "sizes",
    """
    TwoHalves: halves may have nobody in common
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
        action add_other(n: Node)
            self.others |= {n}
        def are_halves(self) -> bool:
            return 2 * len(self.voters) >= self.bounds.nodes and 2 * len(self.others) >= self.bounds.nodes
        claim not self.are_halves() or any(n in self.others for n in self.voters)
    AddsOne: who is in a set already adds nothing
        others: Set[Node]
        action add(n: Node)
            self.others = self.voters
            self.voters |= {n}
            self.flag = True
        claim not self.flag or len(self.others) + 1 == len(self.voters)
    SizesOfBoth: two sets have no more than there are
        others: Set[Node]
        action add(n: Node)
            self.voters |= {n}
            self.others |= {n}
        claim len(self.voters) + len(self.others) <= self.bounds.nodes
    SameSize: sets of one size are one set
        others: Set[Node]
        action put(a: Node, b: Node)
            self.voters = Set({a})
            self.others = Set({b})
        claim len(self.voters) != len(self.others) or self.voters == self.others
    NeverAll: a set may have everything
        action add(n: Node)
            self.voters |= {n}
        claim len(self.voters) < self.bounds.nodes
    OneIsTheLeader: a set of one has any one
        action add(n: Node)
            self.voters |= {n}
        claim len(self.voters) != 1 or self.leader in self.voters
    MoreIsBigger: two majorities among different sorts; peers=2
        some: Set[Peer]
        action add(n: Node)
            self.voters |= {n}
        action add_peer(p: Peer)
            self.some |= {p}
        claim len(self.some) <= len(self.voters)
    SizesOfNumbers: a set of numbers has as many as it likes of its domain
        some: Set[Count]
        action add(c: Count)
            self.some = self.some | Set(i for i in self.each(Count) if i == c)
        claim len(self.some) <= self.bounds.most
    MajorityOfOne: one is a majority; nodes=2
        action add(n: Node)
            self.voters |= {n}
        claim len(self.voters) == 0 or 2 * len(self.voters) > self.bounds.nodes
    Minority: who is no majority leaves one
        action add(n: Node)
            self.voters |= {n}
        claim self.is_most(self.voters) or self.is_most(Set(n for n in self.each(Node) if n not in self.voters))
    ThreeInCommon: two majorities have two in common; nodes=3
        others: Set[Node]
        action put(some: Set[Node], more: Set[Node])
            require(2 * len(some) > self.bounds.nodes and 2 * len(more) > self.bounds.nodes)
            self.voters = some
            self.others = more
        claim len(self.voters) == 0 or any(a != b for a in self.voters & self.others for b in self.voters & self.others)
    """,
)
attacks(
    "messages",
    """
    StaleAnswer: an answer is to what was asked, not to what is asked
        asked: Map[Node, Count | None]
        action ask(n: Node)
            self.asked[n] = self.x
        action rise
            require(self.x < self.bounds.most)
            self.x += 1
        claim all(self.asked[n] is None or self.asked[n] == self.x for n in self.asked)
    Twice: a message may be delivered twice
        sent: Set[Node]
        action send(n: Node)
            self.sent |= {n}
        action deliver(n: Node)
            require(n in self.sent and self.x < self.bounds.most)
            self.x += 1
        claim self.x <= len(self.sent)
    OutOfOrder: messages overtake each other
        sent: Annotated[Log[Two], Capacity(B.room)]
        action send
            require(len(self.sent) < self.bounds.room)
            self.sent.append(len(self.sent) if len(self.sent) < 2 else 2)
        action deliver(c: Count)
            require(c < len(self.sent))
            self.x = c
        claim self.x == 0
    OfAnother: a message of one node, delivered to another
        sent: Map[Node, bool]
        action send(n: Node)
            self.sent[n] = True
        action deliver(n: Node, to: Node)
            require(self.sent[n])
            self.voters |= {to}
        claim all(self.sent[n] for n in self.voters)
    Lost: a message that is lost is not there
        sent: Node | None
        action send(n: Node)
            self.sent = n
            self.flag = True
        action lose
            require(self.sent is not None)
            self.sent = None
        claim not self.flag or self.sent is not None
    """,
)
attacks(
    "first states",
    """
    AnyLeader: what initial chooses is any
        def initial(self, n: Node) -> None:
            self.leader = n
            self.voters = Set({n})
        claim all(self.leader == n for n in self.each(Node))
    AnySet: initial chooses a set
        def initial(self, some: Set[Node]) -> None:
            self.voters = some
        claim len(self.voters) == 0
    ChosenWhere: initial excludes a choice
        def initial(self, c: Count, d: Count) -> None:
            require(c <= d)
            self.x, self.y = c, d
        claim self.x == self.y
    FailsAtFirst: initial fails at other bounds; most=1
        def initial(self) -> None:
            self.x = 2
        claim self.x == 2
    InitialLoop: initial goes through all
        part: Map[Node, Two]
        def initial(self) -> None:
            for n in self.part:
                self.part[n] = 1 if n == self.leader else 2
        claim all(self.part[n] == 1 for n in self.part)
    InitialLog: initial appends; room=1
        log: Annotated[Log[Two], Capacity(B.room)]
        def initial(self) -> None:
            self.log.append(1)
            self.log.append(1)
        claim len(self.log) == 2
    """,
)
attacks(
    "loops",
    """
    OnlySome: a loop that changes some
        part: Map[Node, Two]
        action go(m: Node)
            for n in self.part:
                if n != m:
                    self.part[n] = 1
            self.flag = True
        claim not self.flag or all(self.part[n] == 1 for n in self.part)
    AllOfThem: a loop that changes all
        part: Map[Node, Two]
        action go(m: Node)
            for n in self.part:
                self.part[n] = 1
            self.part[m] = 2
        claim all(self.part[n] != 2 for n in self.part)
    InEachOther: two loops, one in the other
        seen: Map[Node, Map[Node, bool]]
        action go
            for a in self.seen:
                for b in self.seen[a]:
                    self.seen[a][b] = a == b
        claim all(not self.seen[a][b] for a in self.seen for b in self.seen)
    OneAfterTheOther: a second loop reads what the first has written
        part: Map[Node, Two]
        other: Map[Node, Two]
        action go
            for n in self.part:
                self.part[n] = 1
            for n in self.other:
                self.other[n] = self.part[n]
        claim all(self.other[n] == 0 for n in self.other)
    Shifted: a window that is shifted, the last first
        row: Map[Key, Two]
        action go
            for k in reversed(range(1, self.bounds.most)):
                self.row[k + 1] = self.row[k]
            self.row[1] = 1
        claim all(self.row[k] == 0 or k == 1 for k in self.row)
    GoesThroughASet: only who is in a set
        part: Map[Node, Two]
        action add(n: Node)
            self.voters |= {n}
        action go
            for n in self.voters:
                self.part[n] = 1
            self.flag = True
        claim not self.flag or all(self.part[n] == 1 for n in self.part)
    AppendsEach: a loop that appends one entry in each round
        log: Annotated[Log[Two], Capacity(B.room)]
        action go
            require(len(self.log) == 0)
            for i in range(self.bounds.room):
                self.log.append(1)
        claim len(self.log) <= 1
    AppendsTooMany: a loop that appends one more than there is room for
        log: Annotated[Log[Two], Capacity(B.room)]
        action go
            require(len(self.log) == 0)
            for i in range(self.bounds.room + 1):
                self.log.append(1)
        claim len(self.log) <= self.bounds.room
    FailsInARound: one round of a loop fails
        part: Map[Node, Two]
        action go
            for n in self.part:
                self.part[n] += 1
        claim all(self.part[n] <= 2 for n in self.part)
    """,
)
