"""The zoo: tiny specifications that together use every operator and domain of the language, and its corners.

Each has the kind of value or the corner that it is about. In the corners a careless reading would differ from Python's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epochal.spec.language import Protocol
from tests.zoo.rows import rows


def clamped(value: int, least: int, most: int) -> int:
    """A function of the module, called with values of the state."""
    if value < least:
        return least
    return most if value > most else value


PROTOCOLS = rows(
    globals(),
    "Protocol",
    """
    ZooBounds < Bounds: How large the zoo is.
        nodes: int = bound(2, most=3, help="the number of nodes")
        high: int = bound(3, least=1, most=5, help="the greatest number")
    B = ZooBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Small = Annotated[int, Integers(0, B.high)]
    Signed = Annotated[int, Integers(-3, B.high)]
    Wide = Annotated[int, Integers(-20, 20)]
    Below = Annotated[int, Integers(-2, 1)]
    Third = Annotated[int, Integers(-1, 1)]
    Sign = Annotated[int, Integers(-1, 0)]
    Bit = Annotated[int, Integers(0, 1)]
    Few = Annotated[int, Integers(0, 2)]
    Many = Annotated[int, Integers(-1, 3)]
    Peer = Annotated[Identifier, Identifiers("n", B.nodes + 1)]
    LIMITS = (2, 1)
    Mode < Enum: Three modes.
        IDLE = "idle"
        BUSY = "busy"
        DONE = "done"
    Pair < Struct: A record of three kinds of scalars.
        number: Below
        mode: Mode
        flag: bool
    Cell < Struct, text="{who}:{what}": A record small enough to be the element of a set.
        who: Node | None
        what: Bit
    Slot < Struct: A record with an optional field.
        owner: Node | None
        count: Few
    Arithmetic: Every operation on integers, with negative numbers.
        bounds: ZooBounds
        x: Signed
        y: Signed
        result: Wide
        action move(dx: Annotated[int, Integers(-1, 1)])
            require(dx != 0)
            require(-3 <= self.x + dx <= self.bounds.high)
            self.x += dx
        action swap
            self.x, self.y = self.y, self.x
        action divide(by: Annotated[int, Integers(1, 3)])
            self.result = self.x // by * 3 + self.x % by - (-self.y) // 2
        action multiply
            self.result = self.x * self.y + abs(self.x) - abs(self.y - self.x) // 4
        action extremes
            self.result = max(self.x, self.y, 1) * 2 - min(self.x, self.y) + min(self.x + 1, 2) + max(self.y, -1)
        action count
            total: int = 0
            for i in range(self.x, self.y):
                if i % 2 == 0:
                    total += i
                elif i > 1:
                    total -= 1
            self.result = (
                total
                + len(range(self.x, self.y))
                + sum(range(self.y))
                + int(self.x > self.y)
                + (1 if 0 < self.x != self.y else -1)
            )
        invariant bounded: The result stays small.
            return -20 < self.result < 16 and not (self.result == 11 and self.x == 2)
        invariant division_is_floor: Division rounds down and the remainder is never negative.
            return self.x == 2 * (self.x // 2) + self.x % 2 and 0 <= self.x % 2 <= 1 and -self.x == 0 - self.x
        action_property moves_by_one: A step moves x by at most one, or exchanges it with y.
            return abs(new.x - self.x) <= 1 or (new.x, new.y) == (self.y, self.x)
        reachable negative: The result becomes negative while both numbers are positive.
            return self.result < 0 < self.x and self.y > 0

    Truths: Booleans: stored, computed, converted, compared, optional, as map keys and as set elements.
        bounds: ZooBounds
        a: bool
        b: bool
        maybe: bool | None
        seen: Set[bool]
        counts: Map[bool, Small]
        action flip(which: bool)
            if which:
                self.a = not self.a
            else:
                self.b = self.a != self.b
        action guess
            self.maybe = None if self.a and self.b else (self.maybe if self.a == self.b else bool(self.counts[self.a]))
            self.seen = self.seen | {self.a or self.b}
        action count
            require(self.counts[self.a] < self.bounds.high)
            self.counts[self.a] += 1
            self.counts[False] = min(self.counts[False], int(self.b) + sum(flag for flag in (self.a, self.b)))
        action forget
            require(self.maybe)
            self.maybe = False if self.b else None
            self.counts = {False: self.counts[True], True: self.counts[False]}
        invariant sees_something: What is guessed was seen, or nothing was.
            return not self.seen or (self.a in self.seen) or (self.b in self.seen) or self.maybe is None
        action_property counts_grow: No count ever decreases.
            return all(new.counts[k] >= self.counts[k] for k in self.counts)
        reachable known_false: A guess is known to be false.
            return self.maybe == False and self.maybe is not None

    Optionals: Optional integers with negative values, identifiers, enumeration members and records.
        bounds: ZooBounds
        number: Third | None
        other: Third | None
        node: Node | None
        mode: Mode | None
        record: Pair | None
        kept: Pair
        action choose(number: Third | None, node: Node | None)
            require(self.number != number or self.node != node)
            self.number = number
            self.node = node
            self.mode = Mode.BUSY if number is None else (None if node is None else Mode.DONE)
        action add
            require(self.number is not None and self.other is not None)
            require(-1 <= self.number + self.other <= 1)
            self.other = self.number + self.other - (-self.number) * 0
        action take
            self.other = self.number or 1
            if self.number:
                self.other = min(self.number - 1, -1) if self.number > -1 else None
        action write(flag: bool)
            number = -1 if self.number is None else self.number
            self.record = Pair(number=number, mode=Mode.IDLE if self.mode is None else self.mode, flag=flag)
        action drop
            require(self.record is not None)
            if self.record.flag:
                self.kept = self.record
                self.record = None
            else:
                kept = self.record if self.kept.flag else None
                self.record = kept
        action keep
            require(self.record is None or self.record != self.kept)
            self.record = self.kept
            self.kept.number = min(abs(self.kept.number), 1)
        invariant record_is_new: A record that is there differs from the one that was kept, unless it is idle.
            return self.record is None or self.record != self.kept or self.record.mode == Mode.IDLE
        invariant order: Both numbers, where known, are ordered.
            return self.number is None or self.other is None or self.number <= self.other or self.other < 0
        reachable nobody_is_done: A record of somebody who is done, while nobody is chosen.
            return self.node is None and self.record is not None and self.record.mode == Mode.DONE

    Maps: Maps keyed by identifiers, numbers, enumeration members, nested maps; entries found by the state.
        bounds: ZooBounds
        here: Small
        node: Node
        numbers: Map[Annotated[int, Integers(-1, B.high)], Below]
        modes: Map[Node, Mode]
        grid: Map[Node, Map[Mode, Small]]
        records: Map[Mode, Pair]
        def initial(self, node: Node) -> None:
            self.node = node
            for key in self.numbers:
                self.numbers[key] = -1 if key < 1 else 0
        action go(to: Small)
            require(to != self.here)
            self.here = to
            self.node = next((n for n in self.modes if self.modes[n] == Mode.BUSY), self.node)
        action put
            self.numbers[self.here - 1] = self.numbers[self.here]
            self.modes[self.node] = Mode.DONE if self.numbers[self.here] < 0 else Mode.BUSY
        action raise_cell
            cell = self.grid[self.node]
            require(cell[self.modes[self.node]] < 1)
            cell[self.modes[self.node]] += 1
        action exchange
            require(self.modes[self.node] != Mode.IDLE)
            record = self.records[self.modes[self.node]]
            record.number = self.numbers[self.here]
            record.flag = not record.flag
            self.records[Mode.IDLE], self.records[Mode.DONE] = self.records[Mode.DONE], self.records[Mode.IDLE]
        action copy(a: Node, b: Node)
            require(a != b and self.grid[a] != self.grid[b])
            self.grid[a] = self.grid[b]
        action reset
            require(any(self.grid[n][m] > 0 for n in self.grid for m in self.grid[n]))
            for _, row in self.grid.items():
                for m in row.keys():
                    row[m] = 0
        invariant numbers_small: All numbers together are not negative enough.
            return sum(self.numbers.values()) > -4 and len(self.numbers) == self.bounds.high + 2
        invariant busy_counts: A node that is busy is in nobody's record.
            return (
                all(
                    self.records[m].number >= -1 and (not record.flag or record.mode == Mode.IDLE)
                    for m, record in self.records.items()
                )
                or self.here in self.numbers
            )
        reachable far: The cell of a node that is done is full.
            return any(self.modes[n] == Mode.DONE and self.grid[n][Mode.DONE] == 1 for n in self.grid)

    Enumerations: Enumeration members and identifiers chosen by conditions, merged over branches, returned by helpers.
        LIMITS: ClassVar[tuple[int, ...]] = (1, 2)
        bounds: ZooBounds
        mode: Mode
        owner: Node
        turns: Small
        def following(self, mode: Mode) -> Mode:
            if mode == Mode.IDLE:
                return Mode.BUSY
            if mode == Mode.BUSY:
                if self.turns > 1:
                    return Mode.DONE
                return Mode.BUSY
            return Mode.IDLE
        def both(self) -> tuple[Mode, int]:
            if self.mode == Mode.DONE:
                return Mode.IDLE, 0
            return self.following(self.mode), self.turns + 1
        @property
        def finished(self) -> bool:
            return self.mode is not None and self.mode in (Mode.DONE, Mode.IDLE)
        action turn
            mode, turns = self.both()
            require(turns <= self.bounds.high)
            self.mode, self.turns = mode, turns
        action limited(i: Small)
            require(i < len(self.LIMITS))
            require(self.turns >= self.LIMITS[i])
            while i > 0:
                i -= 1
            self.turns = self.LIMITS[i] - 1
        action pass_on(to: Node)
            require(self.finished and self.owner != to)
            first = self.member(Node, 0)
            self.owner = to if self.turns < 2 else (first if self.owner == to else self.owner)
            self.mode = Mode.DONE if self.owner == first else self.mode
        invariant owners: Somebody owns it.
            return any(self.owner == n for n in self.each(Node)) and (self.mode != Mode.DONE or self.turns != 2)

    Sets: Sets of numbers, identifiers, enumeration members and records, and every operation on them.
        bounds: ZooBounds
        numbers: Set[Below]
        more: Set[Signed]
        nodes: Set[Node]
        modes: Set[Mode]
        cells: Set[Cell]
        last: Signed
        action insert(n: Below)
            require(n not in self.numbers)
            self.numbers = self.numbers | {n}
            self.last = max(self.numbers, default=0) - min(self.numbers) * 0 - 1
        action widen
            require(self.more >= self.numbers or self.numbers.isdisjoint(self.more))
            self.more = {n * 2 for n in self.numbers if n > -2} | self.numbers - {0, 99}
            self.last = min(len(self.more), self.bounds.high)
        action cut
            require(self.numbers != self.more & self.numbers or self.numbers > {1})
            self.numbers = self.numbers & self.more
            self.more -= self.numbers
        action join(node: Node)
            self.nodes = self.nodes - {node} if node in self.nodes else self.nodes | {node}
            for n in self.nodes:
                self.cells |= {Cell(who=n, what=0 if len(self.nodes) == 1 else 1)}
        action mark
            require(Cell(who=None, what=1) not in self.cells)
            for mode in (Mode.IDLE, Mode.DONE):
                if mode not in self.modes:
                    self.modes = self.modes | {mode} if self.nodes else set()
            self.cells = {Cell(who=None, what=c.what) for c in self.cells if c.what > 0 or c.who in self.nodes}
        action drop
            require(self.nodes and len(self.cells) >= 2)
            first = next(iter_node for iter_node in self.nodes)
            self.nodes = Set([first])
            self.cells = Set(c for c in self.cells if c.who is not None and c.who == first)
            self.last = sum(c.what for c in self.cells) - len([n for n in self.numbers if n < 0])
        invariant last_is_small: The last result is small while nodes are left.
            return self.last < 2 or not self.nodes
        invariant subsets: The numbers are a part of what they were widened to, or small.
            return self.numbers <= self.more or self.numbers < {-1, 0, 1, 2} or Set() == self.numbers
        invariant modes_known: Nobody is busy, and the nodes of cells are nodes.
            return self.last > 4 or (
                Mode.BUSY not in self.modes
                and all(c.who is None or c.who in self.nodes or c.what == 0 for c in self.cells)
            )
        action_property one_node: A step changes the membership of at most one node.
            return len(new.nodes - self.nodes | (self.nodes - new.nodes)) <= 1
        reachable all_negative: All numbers are negative, and there are two.
            return {n for n in self.numbers if n < 0} == self.numbers and len(self.numbers) == 2

    Logs: Logs of scalars and of records: append, truncate, last, indexes found in the state, comparison, assignment.
        bounds: ZooBounds
        here: Small
        numbers: Annotated[Log[Sign], Capacity(B.high)]
        entries: Annotated[Log[Cell], Capacity(2)]
        copies: Map[Node, Annotated[Log[Below], Capacity(2)]]
        action append(n: Sign)
            require(len(self.numbers) < self.bounds.high)
            self.numbers.append(n)
            self.here = len(self.numbers) - 1
        action seek
            require(self.numbers and self.here > 0)
            self.here -= 1
        action overwrite
            require(self.here < len(self.numbers))
            require(self.numbers[self.here] < self.numbers.last)
            self.numbers[self.here] = self.numbers[0]
        action truncate
            require(self.here < len(self.numbers) and self.numbers[self.here] == 0)
            self.numbers.truncate(self.here)
        action record
            require(len(self.entries) < 2 and len(self.numbers) > 0)
            self.entries.append(Cell(who=None, what=abs(self.numbers.last)))
            if len(self.entries) == 2 and self.entries[0] == self.entries[1]:
                self.entries.truncate(1)
                self.entries[len(self.entries) - 1] = Cell(who=self.member(Node, 0), what=min(self.here, 1))
        action copy(node: Node)
            require(len(self.numbers) <= 2 and self.copies[node] != self.numbers)
            self.copies[node] = self.numbers
        action filter
            require(len(self.numbers) == self.bounds.high)
            self.numbers = [n for n in self.numbers if n < 0]
            self.here = 0
        invariant sorted: The numbers grow, or two neighbours are equal.
            return all(
                self.numbers[i] <= self.numbers[i + 1] or self.numbers[i] == self.numbers.last
                for i in range(len(self.numbers) - 1)
            ) or any(i < self.here and n == -1 for i, n in enumerate(self.numbers))
        invariant entries_busy: No two records are equal, and none is empty.
            return (
                len({e.what for e in self.entries}) == len(self.entries)
                or self.entries[0].who != self.entries.last.who
            )
        action_property append_only: What is in a log stays, unless it is cut.
            return len(new.numbers) < len(self.numbers) or all(
                old == later for old, later in zip(self.numbers, new.numbers, strict=False)
            )
        reachable same_copies: All copies are the same log of two.
            return all(copy == [-1, 0] or copy == (0, 0) for copy in self.copies.values())

    Loops: Accumulating loops, merged locals, generators that see the writes of the loop they feed.
        bounds: ZooBounds
        levels: Map[Node, Small]
        total: Annotated[int, Integers(-9, 12)]
        turns: Small
        lifted: Ghost[Set[Node]]
        constraint small: Only a few turns are explored.
            return self.turns < self.bounds.high
        def spread(self) -> int:
            return max(self.levels[n] for n in self.levels) - min(level for level in self.levels.values())
        action lift(node: Node): Each node that is still at the bottom goes up, until one is up.
            require(self.turns < self.bounds.high)
            self.turns += 1
            up = 0
            for n in (m for m in self.levels if self.levels[m] == 0 and self.levels[node] < 2):
                self.levels[n] += 1 if n == node else 0
                up += self.levels[n]
                if n == node:
                    self.levels[node] = 2
                    self.lifted |= {n}
            self.total = up
        action level: The levels meet.
            require(self.turns < self.bounds.high and self.spread() > 0)
            self.turns += 1
            low = min((level for level in self.levels.values() if level > 0), default=1)
            position = -1
            for i, n in enumerate(self.levels):
                if self.levels[n] > low:
                    position = i
                    self.levels[n] = low
                elif self.levels[n] < low:
                    self.levels[n] = self.levels[n] + 1
            self.total = position + sum(a * b for a in self.levels.values() for b in (1, -1, 2) if a + b > 1)
        action pairs: Adds up pairs of nodes.
            require(self.turns < self.bounds.high)
            self.turns += 1
            found = [a for a in self.levels if any(a != b and self.levels[a] > self.levels[b] for b in self.levels)]
            best = next((self.levels[n] for n in reversed(found)), None)
            if best is None:
                extra = 1
            else:
                extra = best
                extra -= 1
            self.total = len(found) + extra if found else -extra
        invariant total_small: The total is below the sum of all levels, or one node is at the bottom.
            return self.total <= sum(self.levels.values()) or any(
                not self.levels[n] and n not in self.lifted for n in self.levels
            )
        action_property turns_grow: Each step is a turn.
            return new.turns == self.turns + 1
        reachable at_top(new: Self): A step brings all nodes to the same level above the bottom.
            return new.spread() == 0 and self.spread() > 0 and all(new.levels[n] > 0 for n in new.levels)

    Base: What the next one is derived from.
        name: ClassVar[str] = "base"
        bounds: ZooBounds
        x: Small
        mode: Mode
        @staticmethod
        def twice(n: int) -> int:
            return 2 * n
        action up: Goes up by one.
            self.climb(1)
        action down: Goes down by one.
            require(self.x > 0)
            self.x -= 1
        action switch: Becomes busy.
            require(self.mode == Mode.IDLE)
            self.mode = Mode.BUSY
        def climb(self, by: int) -> None:
            self.x = clamped(self.x + by, 0, self.bounds.high)
        invariant small: Stays below the greatest number.
            return self.x < self.bounds.high

    Derived < Base: Overrides a helper and a step with `super()`, removes a step, and drops a property.
        name: ClassVar[str] = "derived"
        down = None
        def climb(self, by: int) -> None:
            super().climb(self.twice(by) if self.mode == Mode.BUSY else by)
        action switch: Becomes busy at the bottom, and idle at the top.
            if self.x == 0:
                super().switch()
            else:
                require(self.mode == Mode.BUSY and self.x >= self.bounds.high)
                self.mode = Mode.IDLE
                self.x = 0
        invariant small: Is never at the top while idle.
            return super().small() or self.mode == Mode.BUSY

    Elsewhere: Sets whose elements lie in wider or narrower universes, and sets that hold none.
        bounds: ZooBounds
        few: Set[Few]
        many: Set[Many]
        nodes: Set[Node]
        peer: Peer
        node: Node | None
        slots: Set[Slot]
        action choose(n: Many, peer: Peer)
            require(n not in self.few)
            self.peer = peer
            self.many = (self.many ^ {n, 3} if n > 2 else self.many | {n}) - (self.few if peer in self.nodes else {-1})
        action compare(n: Many)
            require(self.few < self.many or self.few == self.many or {n, 9} >= self.many)
            require(self.few.isdisjoint({n}) and not self.many <= {0, 1, 99})
            self.few = (self.many | {7, n}) & Set([0, 1, 2]) - {n}
        action appoint
            require({self.node} != self.nodes or self.node is None)
            self.node = next((n for n in self.nodes), None) if self.peer not in self.nodes else None
            self.nodes = self.nodes | ({self.peer} if self.peer in self.each(Node) else set())
        action fill
            owners = {self.node, None} if self.few else {self.node}
            require(owners - self.nodes == {None} or None not in owners)
            self.slots = {Slot(owner=o, count=min(len(owners), 2)) for o in owners} | {
                s for s in self.slots if s.owner is None
            }
        invariant slots_are_known: A slot that counts more than it can is in no set.
            return Slot(owner=self.node, count=sum(self.many)) not in self.slots or sum({2, len(self.many)}) > 2
        reachable shared: Both sets have the same two elements, and a slot is empty.
            return len(self.few) == 2 and self.few == self.many and any(s.owner is None for s in self.slots)

    Sequences: Logs of different capacity and entries, assigned to each other, from lists and from filtered lists.
        bounds: ZooBounds
        n: Many
        short: Annotated[Log[Few], Capacity(2)]
        long: Annotated[Log[Many], Capacity(3)]
        action choose(n: Many)
            require(self.n != n)
            self.n = n
        action widen
            require(len(self.short) > 0 or self.n < 0)
            self.long = self.short
            self.long.append(self.n)
        action narrow
            kept = [n for n in self.long if 0 <= n < 2]
            require(len(kept) < 3)
            self.short = kept
        action replace
            require(self.n in range(len(self.short), 3))
            self.short = [self.n] if self.n in self.long else [self.n, 2 - self.n]
        action turn
            require(len(self.long) > 1)
            self.long = list(reversed(self.long))
        invariant short_is_part: The short log is the beginning of the long one, or the long one holds what is negative.
            return all(a == b for a, b in zip(self.short, self.long, strict=False)) or -1 in self.long
        reachable equal: Both logs are the same two entries.
            return self.short == self.long and len(self.long) == 2

    Order: What is evaluated when, and what is not evaluated at all: nothing here ever fails.
        bounds: ZooBounds
        table: Map[Few, Few | None]
        here: Few
        action put(key: Few, value: Few | None)
            require(self.table[key] != value and (value is None or value <= key))
            self.table[key] = value
            self.here = key
        action first: Stops at the first entry that is there: `None > 0` is never asked.
            require(self.table[0] is not None)
            self.here = next(k for k in self.table if self.table[k] >= 0)
        action found
            require(
                self.table[0] is not None and 1 in (self.table[k] + 1 for k in self.table if self.table[k] is not None)
            )
            self.here = self.table[0] or (self.table[1] or 2)
        action limited(i: Few): The guard stops before the index that is not there.
            require(i < len(LIMITS))
            require(self.here == LIMITS[i])
            self.here = 0 if self.table[i] is None else LIMITS[1 - i]
        action shift: Each element of the generator sees what the loop wrote before.
            require(self.here == 2)
            for k in (k for k in self.table if self.table[k] is None or self.here > 0):
                self.here -= 1 if self.here > 0 and self.table[k] is not None else 0
                self.table[k] = None
        invariant short_circuits: What comes after a decisive operand is not evaluated.
            return (
                all(self.table[k] is None or self.table[k] < 3 for k in self.table)
                and any(v is None or v + 1 > 0 for v in self.table.values())
                and (self.table[self.here] is None or 0 <= self.table[self.here] <= self.here)
                and not (self.here > 1 and self.table[0] is not None and self.table[0] + self.here == 2)
            )

    Names: Records read into variables: what is changed through them, and what is exchanged.
        bounds: ZooBounds
        a: Pair
        b: Pair
        pairs: Map[Node, Slot]
        action through(node: Node): A name for a record of the state changes the state.
            slot = self.pairs[node]
            require(slot.count < 2)
            slot.count += 1
            slot.owner = node if self.pairs[node].count == 2 else None
        action exchange
            require(self.a != self.b)
            self.a, self.b = self.b, self.a
        action rotate
            first = self.member(Node, 0)
            require(self.pairs[first].owner is not None)
            second = next((n for n in self.pairs if n != first), first)
            self.pairs[second], self.pairs[first] = self.pairs[first], self.pairs[second]
        action set(number: Annotated[int, Integers(0, 1)])
            record = self.a if self.b.flag else self.b
            require(record.number != number)
            record.number = number
            record.flag = self.a.flag == self.b.flag
        invariant different: The two records differ, or one counter is at its end.
            return self.a != self.b or any(p.count == 2 for p in self.pairs.values()) or not self.a.flag
    """,
)
ZOO: tuple[type[Protocol], ...] = tuple(row.kind for row in PROTOCOLS.values())

if TYPE_CHECKING:

    def __getattr__(name: str) -> Any: ...
