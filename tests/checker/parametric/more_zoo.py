"""More tiny protocols that the parametric reading must read as Python does: kinds of values, ways through rules."""

from __future__ import annotations

from epochal.language import Identifier, Protocol, Set
from tests.zoo.rows import rows

NOBODY: Set[Identifier] = Set()


PROTOCOLS = rows(
    globals(),
    "Protocol",
    """
    MoreBounds < Bounds: Small, and different from each other.
        nodes: int = bound(3, least=1, most=4, help="nodes")
        others: int = bound(2, least=1, most=4, help="identifiers of another kind")
        most: int = bound(2, least=1, most=4, help="the greatest number")
        room: int = bound(3, least=1, most=4, help="entries of a log")
    B = MoreBounds
    Node = Annotated[Identifier, Identifiers("n", B.nodes)]
    Other = Annotated[Identifier, Identifiers("bool", B.others, first=0)]
    Count = Annotated[int, Integers(-2, B.most)]
    Below = Annotated[int, Integers(-3, -1)]
    Colour < Enum: Two, of which one has two names.
        RED = 1
        GREEN = 2
        ALSO = 1  # noqa: PIE796  # a second name
    Inner < Struct: What may be none, in a record.
        colour: Colour | None
        truth: bool | None
        other: Other
    Middle < Struct: Records, maps and logs in a record.
        inner: Inner
        maybe: Inner | None
        by: Map[Below, Count | None]
        log: Annotated[Log[bool], Capacity(B.room)]
        colours: Annotated[Log[Colour | None], Capacity(B.room)]
    Kinds: Whatever may stand in a state, in what else may stand there; and words of every kind.
        bounds: MoreBounds
        middle: Middle
        middles: Map[Colour, Middle]
        first: Other
        count: Map[Colour, Count]
        entries: Annotated[Log[Inner], Capacity(B.room)]
        some: Set[Other]
        of: Map[Other, Set[Node]]
        flag: bool
        colour: Colour | None
        LIMIT = 2
        TABLE = (1, 2)
        def initial(self, other: Other, colour: Colour) -> None:
            # Chosen, in part excluded, and made in loops.
            for k in self.middles:
                self.middles[k].inner.other = other
                self.count[k] = 1 if k == colour else -1
            self.middle.inner.colour = colour
            self.middle.maybe = self.middle.inner
            require(other != self.first or colour == Colour.RED)
        @property
        def coloured(self) -> bool:
            # A word without parameters.
            return self.flag and self.colour is not None
        @staticmethod
        def larger(a: int, b: int) -> int:
            # A word that knows no state.
            if a > b:
                return a
            return b
        def early(self, other: Other) -> Colour | None:
            # Four ways out.
            if other in self.some:
                if self.flag:
                    return Colour.RED
                return self.colour
            elif self.coloured:
                return None
            return self.middle.inner.colour
        action fill(other: Other, k: Below): It fails beyond the keys.
            self.middle.by[k] = self.larger(k, self.count[Colour.RED])
            self.middle.by[k + 1] = None
            self.colour = self.early(other)
            self.middle.inner = Inner(colour=self.colour, truth=self.flag, other=other)
        action copy(colour: Colour): Into what an enumeration is the key of, by either name.
            self.middles[colour].inner = self.middle.inner
            self.middles[colour].maybe = self.middle.inner if self.flag else None
            self.middles[Colour.ALSO].by[-1] = self.count[colour]
            self.middles[colour].log.append(self.flag)
            self.flag = self.middles[colour].log[0]
        action spread(n: Node): A loop over a set, one over an enumeration, and constants of the class.
            for o in self.some:
                self.of[o] |= {n}
            for c in self.count:
                if self.count[c] < self.LIMIT:
                    self.count[c] += self.TABLE[0]
                else:
                    self.count[c] = -self.TABLE[1]
            self.some = Set(o for o in self.of if n in self.of[o] and len(self.of[o]) > 1)
        action take: What was read from what may be none stays what it was.
            require(self.middle.maybe is not None)
            taken = self.middle.maybe
            self.middle.maybe = None
            self.middle.inner.other = taken.other
            self.middle.inner.truth = taken.truth
            self.middle.colours.append(taken.colour)
            self.entries.append(taken)
            self.first = self.entries.last.other
        action lower(other: Other): Loops over keys below 0 and over the offsets of a log.
            for k in self.middle.by:
                v = self.middle.by[k]
                if v is not None and v > k:
                    self.middle.by[k] = v - 1
                elif v is None:
                    self.middle.by[k] = k if other in self.some else None
            for i in range(len(self.middle.log)):
                self.middle.log[i] = not self.middle.log[i]
            self.middle.colours.truncate(min(1, len(self.middle.colours)))
        action through_names(other: Other): Parts of the state by names of their own.
            middle = self.middles[Colour.GREEN]
            by, log = middle.by, middle.log
            by[-2] = 0
            log.append(True)
            if len(log) > 1:
                log.truncate(0)
            middle.inner.other = other
            inner = middle.inner
            inner.truth = None
            self.flag = inner.other == self.first
        action rotate: Records go round.
            inner = self.middle.inner
            for middle in (self.middles[Colour.RED], self.middles[Colour.GREEN]):
                middle.inner, inner = inner, middle.inner
        action return_early(other: Other, n: Node): Three ways out, of which one has a guard behind it.
            if self.flag:
                if n in self.of[other]:
                    return
                self.first = other
            elif other == self.first:
                self.flag = True
                return
            else:
                bounded(len(self.entries) > 0)
            self.colour = Colour.GREEN if self.colour is None else None
        lemma chained: Each operand once.
            return all(-2 < self.count[c] != self.count[d] <= 2 for c in Colour for d in self.count if c != d)
        lemma there: In a log, and equal to one.
            return any(e == self.middle.inner for e in self.entries) and self.middle.inner in self.entries
        lemma numbers: Extremes within extremes, and of what may be nothing.
            return (
                min(max(self.count[c] for c in Colour), len(self.entries), 2)
                >= min(k for k in self.middle.by if self.middle.by[k] == k)
                or max((k for k in self.middle.by if self.middle.by[k] is not None), default=0) < 0
            )
        lemma equal_truths: Truth values that may be none.
            truth = self.middle.inner.truth
            return truth == self.flag or truth != self.coloured or None not in self.middle.colours
        lemma supersets: Of another quantifier's sets.
            return all(any(self.of[o] >= self.of[p] for p in self.some if p != o) for o in self.of) or not self.some
        lemma among: In a tuple with a none.
            return self.early(self.first) in (Colour.RED, None) and self.early(self.first) is not None

    Paths: Locals, guards and failures on the ways through a rule.
        bounds: MoreBounds
        flag: bool
        other: bool
        count: Count
        held: Map[Below, Count]
        some: Set[Node]
        few: Set[Node]
        who: Node | None
        leader: Node
        grid: Map[Node, Map[Node, bool]]
        numbers: Annotated[Log[Count], Capacity(B.room)]
        action locals_of_a_branch: Each branch sees those of before, and what one assigns is seen behind it.
            x, y = self.count, 0
            if self.flag:
                x = 1
                y = x
            else:
                y = x
            if self.other:
                x = y - 1
                require(x < 1)
            else:
                require(False)
            self.count = max(x, -2)
        action ended_branches: A branch that ends leaves what the other one made.
            x = 0
            if self.flag:
                x = 1
                self.leader = self.leader if self.who is None else self.who
            else:
                x = 2
                self.other = not self.other
                require(False)
            self.count = x
        action guarded_failures(n: Node): A guard prevents failures behind it, and only on its own path.
            if self.flag:
                require(self.who is not None)
                self.grid[self.who][n] = True
            else:
                require(len(self.numbers) > 0)
            self.count = self.numbers[0] if not self.flag else self.count
            self.some -= {n}
        action failures_in_a_loop: One fails where it is present alone.
            for n in self.some:
                if n in self.few:
                    self.grid[n][self.who] = n != self.leader
            for k in range(self.count, 0):
                self.held[k] = k - 1
        action failures_where_somebody_is: It fails unless the set is empty, if there is nobody.
            for n in self.few:
                self.grid[n][self.who] = True
        action in_two_dimensions(n: Node): Rows, columns and both.
            for a in self.grid:
                self.grid[n][a] = not self.grid[n][a]
            for a in self.few:
                for b in self.some:
                    if a != b:
                        self.grid[a][b] = self.grid[a][b] or a == n
        action sets(n: Node): Operators that are not symmetric.
            mine = {n} - self.some
            self.few = (self.few - self.some) | mine if self.few >= self.some else set() | (self.some - self.few)
            self.who = n if self.who in self.few else None
            self.some = NOBODY - self.some if self.flag else self.some
        action chosen(n: Node, flag: bool): One of two that may be none.
            one = self.who if flag else n
            other = None if self.other else one
            self.who = other
            self.flag = other == one or one == self.leader
            self.count = 1 - self.count if 0 <= self.count < 2 <= len(self.numbers) else -1
        lemma filtered: Filters prevent failures, of filters too.
            return all(
                self.numbers[i] <= self.numbers[j]
                for i in range(-1, self.bounds.room)
                if i >= 0
                if i < len(self.numbers)
                for j in range(i)
                if self.numbers[i] != j
            )
        lemma within_a_range: The end of a range is none of it.
            return self.count in range(-1, len(self.numbers)) and any(self.count in (i, i + 1) for i in range(-2, 2))
        lemma chains_stop: What comes later in a chain is not evaluated.
            return 0 < len(self.numbers) <= self.numbers[0] + 2
        lemma among_some: What a filter leaves out is not found.
            return self.count in (e + 1 for e in self.numbers if e > 0) or (
                self.who in Set(n for n in self.some if n != n)
            )
        lemma guarded_by_presence: A failure where no element is.
            return any(self.who in self.few for n in self.some if n in self.few) != any(
                self.held[len(self.numbers) - 3] > 0 for e in self.numbers if len(self.numbers) < 3
            )
        lemma larger: Of two.
            return max(self.count, len(self.numbers)) > min(1, self.count) and -self.count != self.count - 1
        lemma may_be_no_last: A failure on one path.
            if self.flag:
                x = self.numbers.last
                y = x - 1
            else:
                x = self.held[-1]
                y = self.count
            return x > 0 if self.other else self.held[x - 1] == y

    Finer < Paths: Steps that do what those of the class before do, and more.
        def sets(self, n: Node) -> None:
            # Before.
            self.flag = not self.flag
            super().sets(n)
        def chosen(self, n: Node, flag: bool) -> None:
            # After, and the other way round.
            super().chosen(n, not flag)
            self.leader = n

    OrdinaryPython: Ordinary Python: loops that are left, patterns, tables, order, functions.
        bounds: MoreBounds
        flag: bool
        other: bool
        count: Count
        some: Set[Node]
        few: Set[Node]
        who: Node | None
        leader: Node
        marked: Map[Node, bool]
        action passes_over: Some elements are left out.
            for n in self.some:
                if n in self.few:
                    continue
                self.marked[n] = not self.marked[n]
        action first_of_three(n: Node): A loop over what is known is left.
            for x in (1, 0, -1):
                if x == self.count:
                    break
                self.flag = not self.flag
            else:
                self.leader = n
            self.some = self.some | {n}
        action returns(n: Node): What comes after the loop is done only where it was not left.
            for x in (1, 0):
                if self.count == x:
                    self.flag = not self.flag
                    return
            self.few = self.few - {n}
            self.who = n if self.flag else self.who
        action matched(n: Node): Cases with names and guards.
            match self.who:
                case None:
                    self.who = n
                case found if found in self.some:
                    self.leader = found
                case _:
                    self.who = None
            match self.flag:
                case True:
                    self.other = n in self.few
        action looked_up: Tables of the rule.
            require(-1 <= self.count < 2)
            self.count = (1, -1, 0)[self.count]
            self.flag = {-1: self.other, 0: True, 1: self.flag}[self.count]
        action by_functions(n: Node): Functions of the rule, and a name that is bound on the way.
            def stepped(x, by=1):
                if x > 0:
                    return x - by
                return x + by
            least = lambda a, b: a if a < b else b
            self.count = stepped(self.count)
            if (next_ := stepped(self.count, by=-1)) < 2:
                self.count = least(max(next_, -2), 1)
            self.flag = self.leader == n
        lemma in_order: By the first parts that differ.
            return (self.count, len(self.some)) < (1, 2) or [self.count, 0] >= [len(self.few), self.count]
        lemma single: There is one of each truth value.
            return self.flag is True or self.other is not self.flag
    """,
)
MORE: tuple[type[Protocol], ...] = tuple(row.kind for row in PROTOCOLS.values())
