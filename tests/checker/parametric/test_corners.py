"""The corners of the parametric semantics: what it reads as Python does, and what it refuses, with its line.

Below, a row of a table is a rule that has no first-order semantics for every choice of the bounds, and why.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from epochal.checker.parametric import terms
from epochal.checker.parametric.compared import Comparison, Evaluators
from epochal.checker.parametric.domains import Numbers, Untranslatable
from epochal.checker.parametric.rules import ParametricSemantics
from epochal.language import (
    Bounds,
    Capacity,
    Identifier,
    Identifiers,
    Integers,
    LanguageError,
    Log,
    Map,
    Protocol,
    Set,
    Struct,
    bound,
    constraint,
    lemma,
    require,
)
from tests.checker.parametric import zoo
from tests.checker.parametric.more_zoo import MORE
from tests.checker.parametric.test_reading import require_agreement
from tests.checker.parametric.zoo import Entry, Key, Part, ZooBounds
from tests.zoo.rows import Row, rows


@dataclass(frozen=True)
class CornerBounds(Bounds):
    """Called like the attributes of what stands for them."""

    size: int = bound(2, least=1, most=4, help="the greatest number")
    kind: int = bound(3, least=1, most=4, help="nodes")
    numbers: int = bound(3, least=1, most=4, help="entries of a log")

    def most(self) -> int:
        """Of these bounds."""
        return self.size + 1

    @staticmethod
    def other(number: int = 2) -> int:
        """Of no bounds: what stands for them is no argument of it."""
        return number


@dataclass(frozen=True)
class Settings:
    """Constants that rules read."""

    strict: bool = True
    limits: tuple[int, int] = (1, 2)


class Derived(Settings):
    """No dataclass itself."""


@dataclass
class Changing:
    """Not frozen."""

    strict: bool = True


B = CornerBounds
DEFAULT = CornerBounds()
Node = Annotated[Identifier, Identifiers("n", B.kind)]
Count = Annotated[int, Integers(0, B.size)]


class Ended(Struct):
    """With a field that is called as what a log has."""

    end: Count
    by: Node | None


class Pair(Struct):
    """Two numbers."""

    x: Count
    y: Count


class State(Protocol):
    """What the rules below change."""

    bounds: CornerBounds
    log: Annotated[Log[Count], Capacity(B.numbers)]
    ended: Annotated[Log[Ended], Capacity(B.numbers)]
    some: Set[Node]
    of: Map[Node, Set[Node]]
    held: Map[Node, bool]
    grid: Map[Node, Map[Node, bool]]
    row: Map[Count, bool]
    seen: Set[Count]
    flag: bool
    count: Count
    a: Pair
    b: Pair
    settings = Settings()
    derived = Derived()
    changing = Changing()


# -- read as Python does ------------------------------------------------------------------------------------------

READ = rows(
    globals(),
    "State",
    """
    Downwards:
        # Ranges that are reversed: known ones, one within the other, and where the order is of no matter.
        action known
            for i in reversed(range(2)):
                self.row[i] = i == 0 and self.flag
        action arbitrary(n: Node)
            require(all(self.row[i] for i in reversed(range(self.count))))
            for i in reversed(range(1, self.count)):
                self.row[i] = self.row[i - 1]
            for i in reversed(range(self.bounds.size)):
                self.row[i + 1] = self.row[i + 1] and not self.row[i]
            self.held[n] = self.row[0]
        action change(count: Count, flag: bool)
            self.count = count
            self.row[count] = flag
    OneBeyond(end: Count):
        # A shift whose last round comes to what is no key any more.
        for i in range(end + 1):
            self.row[i] = self.row[i + 1]
    Numbered:
        # Sets of numbers: what lies outside of their domain is never a member.
        action see(least: Count)
            self.seen = self.seen | Set(i for i in self.each(Count) if i >= least)
        action forget(gone: Count | None, kept: Set[Count])
            require(self.settings.strict and self.settings.limits[0] == 1)
            self.flag = gone is not None and gone + 1 in self.seen and gone - 1 not in self.seen
            self.seen &= kept
        action look
            require(len(self.seen) < self.bounds.most())
            for i in self.seen:
                self.row[i] = i + 1 in self.seen
            self.count = min((i for i in self.seen), default=0)
            self.flag = len(self.seen) == 2 and self.seen == Set(i for i in self.each(Count) if i < 2)
    AFieldCalledEnd:
        action add(count: Count)
            require(len(self.ended) < self.bounds.numbers)
            self.ended.append(Ended(end=count, by=None))
        action see(i: Count)
            require(i < len(self.ended))
            self.count = self.ended[i].end
    ParametersCalledLikeVariables:
        # The eleventh variable of a rule is no parameter that is called `m1`.
        action rule(m1: Node)
            found = self.of[m1]
            for _ in range(9):
                found = found if found == self.some else self.of[m1]
            self.flag = self.some == self.of[m1]
        action grow(n: Node, m: Node)
            self.some |= {n}
            self.of[m] |= {n}
    ChosenAtFirst:
        # An initial state that depends on a parameter, and one that is excluded.
        def initial(self, count: Count, n: Node) -> None:
            require(count > 0)
            self.count = count
            self.some = Set({n})
        action rule
            self.flag = self.count > 0
    Queue:
        # Logs that are cut, put together and assigned as a whole; none of them longer than its room.
        action enqueue(count: Count)
            require(len(self.log) < self.bounds.numbers)
            self.log += [count]
        action dequeue
            require(len(self.log) > 0)
            self.count = self.log.first
            self.log = self.log[1:]
        action rotate
            self.log = self.log[1:] + self.log[:1]
        action back
            self.log = self.log[-1:] + self.log[:-1]
        action keep(some: Count, end: Count)
            self.log = self.log[some - 1:]
            self.ended = self.ended[:end][some:]
            self.flag = len(self.log[some:]) > 1 and any(e == end for e in self.log[:some])
        action first(n: Node)
            self.ended = [Ended(end=self.count, by=n), *()] + self.ended[: self.bounds.numbers - 1]
        action insert(at: Count)
            require(len(self.log) < self.bounds.numbers)
            self.log = self.log[:at] + [self.count] + self.log[at:]
        action forget
            self.log, self.ended = [], [Ended(end=0, by=None)]
    Full(count: Count):
        # Of what does not fit evaluation fails.
        self.log = [count] + self.log + [0]
    Swapped:
        # What is taken beside the assignment of whole records is as it was.
        action rule
            self.a, self.b = self.b, self.a
        action change(count: Count)
            self.a.x, self.count = count, self.b.y
    """,
)


@pytest.mark.parametrize("row", READ.values(), ids=READ)
def test_it_is_read_as_python_does(row: Row) -> None:
    require_agreement(row.kind())


# -- refused ------------------------------------------------------------------------------------------------------

REFUSED = rows(
    globals(),
    "State",
    """
    ReversedInTwoLoops(): a second use of reversed
        # An iterator, of which nothing is left for the second.
        down = reversed(range(self.count))
        for i in down:
            self.row[i] = True
        for i in down:
            self.row[i] = False
    ReversedInTwoRounds(): a second use of reversed
        down = reversed(range(2))
        for n in self.held:
            self.held[n] = any(i == 0 for i in down)
    LeavesALoop(): a loop over elements of the state that is left
        for i in range(self.count):
            if self.row[i]:
                break
            self.row[i] = True
    LimitsOfAPiece(): a slice whose limits depend on the state
        self.count = (0, 1, 0)[: self.count][0]
    NumberOfArguments(): starred values whose number depends on the bounds or the state
        self.count = max(0, *self.log)
    FunctionInAComprehension(): a lambda inside an operand or a comprehension
        self.flag = any((lambda: self.row[i])() for i in range(self.count))
    ReversedTwice(): reversed of anything but a range
        self.flag = any(self.row[i] for i in reversed(reversed(range(self.count))))
    LengthOfReversed(): the length of a range that is reversed
        self.count = len(reversed(range(self.count)))
    TruthOfReversed(): the truth of a range that is reversed
        self.flag = bool(reversed(range(self.count))) if self.flag else self.flag
    AppendsDownwards(): a loop that appends, and does not go upwards
        for i in reversed(range(self.count)):
            self.log.append(i)
    AppendsFromASet(): a loop that appends, and does not go upwards
        # In which order Python goes through a set is nobody's business.
        for i in Set(i for i in range(self.count)):
            self.log.append(i)
    AppendsSome(): a loop that appends, and does not go upwards
        for i in self.seen:
            self.log.append(i)
    AppendsTwice(): a loop that appends, and changes log elsewhere
        for i in range(self.count):
            self.log.append(i)
            self.log.append(i)
    AppendsIf(): append to log more or less than one entry
        for i in range(self.count):
            if self.row[i]:
                self.log.append(i)
    ShiftsTheWrongWay(): a loop that reads row elsewhere
        # Each round copies what the one before has written.
        for i in range(self.bounds.size):
            self.row[i + 1] = self.row[i]
    ShiftsTheWrongWayDown(): a loop that reads row elsewhere
        for i in reversed(range(self.bounds.size)):
            self.row[i] = self.row[i + 1]
    ShiftsASet(): a loop that changes row elsewhere
        # Whose rounds have no order.
        for i in Set(i for i in range(self.bounds.size)):
            self.row[i + 1] = self.row[i + 1] and self.flag
    ShiftsTwice(): a loop that changes row elsewhere
        # Two rounds change one place.
        for i in range(self.bounds.size):
            self.row[i] = self.flag
            self.row[i + 1] = not self.flag
    SetsOfOtherNumbers(): a set of values of different kinds
        self.flag = self.seen == Set(i for i in range(self.count))
    KeepsOtherNumbers(): something else than a set of these
        self.seen = Set(i for i in range(self.bounds.numbers))
    BoundsWithoutBounds(): other of the bounds
        self.count = self.bounds.other()
    ReadsDerivedSettings(): strict of a Derived
        self.flag = self.derived.strict
    ReadsWhatChanges(): strict of a Changing
        self.flag = self.changing.strict
    Identity(): is between values of which there may be several
        self.flag = self.a is self.b
    TakenBesideAChange(): a record of the state of which a part was changed
        self.a.x, self.b = 1, self.a
    NamedBesideAChange(): a record of the state of which a part was changed
        pair, self.a.x = self.a, 1
        self.count = pair.x
    GeneratorOfAnotherRound(): a second use of a generator
        held = (self.held[n] for n in self.held)
        for n in self.held:
            self.held[n] = any(held)
    GeneratorOfAnotherElement(): a second use of a generator
        held = (self.held[n] for n in self.held)
        self.flag = all(any(held) for n in self.some)
    RowsAndColumns(m: Node): a loop that changes grid elsewhere
        # The round of one element undoes what the round of another did.
        for n in self.grid:
            self.grid[n][m] = True
            self.grid[m][n] = False
    InnerWritesOuterReads(a: Node): a loop that reads grid elsewhere
        # What an inner loop changes is read elsewhere by another round of the outer one.
        for n in self.held:
            for m in self.of[n]:
                self.grid[n][m] = self.grid[a][m]
    InnerWritesForAll(): a loop that changes held elsewhere
        # An inner loop changes what is no element of the outer one.
        for n in self.held:
            for m in self.of[n]:
                self.held[m] = n in self.some
    RemembersTheRoundBefore(n: Node): a variable that a loop over the state assigns
        # What a local variable is depends on the round before.
        last = n
        for m in self.held:
            self.held[m] = m == last
            last = m
    WhichBounds(): a comparison of the bounds
        self.flag = self.bounds == DEFAULT
    KindOfBounds(): a call of isinstance
        self.flag = isinstance(self.bounds, CornerBounds)
    PerhapsBounds(): size of a AnyBounds
        bounds = self.bounds if self.flag else None
        self.flag = self.flag and bounds.size == 2
    OneOrTrue(): a variable that has values of different kinds
        number = (1,) if self.flag else (True,)
        self.count = number[0]
    OneWordOrAnother(): a variable that has values of different kinds
        side = ("left", 1) if self.flag else ("right", 1)
        self.flag = side[0] == "left"
    DividesByNothing(): ZeroDivisionError
        self.count = 1 // 0 if self.flag else 1
    """,
)


class Parts(Protocol):
    """What the next rules change."""

    bounds: ZooBounds
    count: zoo.Count
    parts: Map[zoo.Node, Part]
    held: Map[Key, zoo.Count]
    some: Set[zoo.Node]
    log: Annotated[Log[Entry], Capacity(ZooBounds.room)]
    leader: zoo.Node | None


REFUSED |= rows(
    globals(),
    "Parts",
    """
    Accumulates(): a variable that a loop over the state assigns
        total = 0
        for n in self.parts:
            total = total + self.parts[n].count
        self.count = total
    ReadsTheNext(m: zoo.Node): a loop that reads parts.count elsewhere than at the element it is at
        for n in self.parts:
            self.parts[n].count = self.parts[m].count
    WritesAnother(m: zoo.Node): a loop that changes parts.count elsewhere
        for n in self.parts:
            if n != m:
                self.parts[m].count = 0
    WritesOneForAll(): a loop that changes leader
        for n in self.parts:
            self.leader = n
    WritesTheNext(): a loop that changes held elsewhere
        for k in self.held:
            if k > 1:
                self.held[k - 1] = self.held[k]
    InnerReadsOuter(): a loop that changes parts.known elsewhere
        for n in self.parts:
            for m in self.parts[n].known:
                self.parts[m].known = self.parts[m].known | {n}
    KeepsALocal(): a variable that a loop over the state assigns
        last = self.leader
        for n in self.parts:
            last = n
        self.leader = last
    RequiresInALoop(): require inside a loop
        for n in self.parts:
            require(self.parts[n].count > 0)
    AppendsInALoop(): a loop that changes log
        for n in self.some:
            self.log.append(Entry(count=0, by=n))
    Sums(): sum
        self.count = sum(1 for e in self.log if e.count > 0)
    ValueOfAnd(): and or or between values that are no truth values
        self.count = self.count and 1
    TruthOfNone(): the truth of a value that may be none
        if self.leader:
            self.count = 0
    MakesAList(): a list comprehension
        found = [n for n in self.parts if n in self.some]
        self.count = len(found)
    MixesKinds(): an identifier compared with a number
        self.count = 1 if self.leader == self.count else 0
    WholeLog(): assignment of a whole map or log
        self.log = {}
    CutFromBehind(): an index of a list that may be negative
        self.log[0] = self.log[1:][-1]
    CutWithStep(): a slice with a step
        self.log = self.log[::-1]
    ComparedSlice(): a slice of a log compared with
        self.count = 1 if self.log[1:] == [] else 0
    AddedInPlace(): a change in place by an augmented assignment
        log = self.log
        log += self.log
    ChangedSlice(): assignment to an entry of something that is no part of the state
        entries = self.log[1:]
        entries[0] = self.log[0]
    Stale(a: zoo.Node, b: zoo.Node): a part of the state that was assigned as a whole
        before = self.parts[a]
        self.parts[a] = self.parts[b]
        self.parts[b].count = before.count
    LateGenerator(): member of the state
        numbers = (self.parts[n].count for n in self.parts)
        self.parts[self.member(zoo.Node, 0)].count = 0
        self.count = max(numbers)
    UsedTwice(): a second use of a generator
        numbers = (self.parts[n].count for n in self.parts)
        self.count = max(numbers) - min(numbers)
    Products(): a product of two values of the state
        self.count = self.count * self.count
    FirstNode(): member of the state
        self.leader = self.member(zoo.Node, 0)
    HalfOfAll(): the length of a map of the state
        require(len(self.parts) > 1)
    """,
)


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_a_rule_is_refused(row: Row) -> None:
    (member,) = row.kind.members("action")
    with pytest.raises(Untranslatable, match="has no first-order semantics for every choice of the bounds") as refused:
        ParametricSemantics(row.kind).action(member)
    assert row.expected in refused.value.message
    assert refused.value.advice
    where = refused.value.where
    assert where is not None
    assert where.file == row.file
    assert where.line > member.function.__code__.co_firstlineno


def state(**variables: Any) -> type[Protocol]:
    """Make a protocol with these variables."""
    return type("Made", (Protocol,), {"__annotations__": {"bounds": B, **variables}, "__module__": __name__})


VARIABLES: dict[str, dict[str, Any]] = {
    "a set of anything but identifiers and numbers": {"one": Set[bool]},
    "a set, map or log that may be none": {"one": Set[Node] | None},
    "two domains of identifiers with the prefix 'n'": {"one": Node, "two": Annotated[Any, Identifiers("n", B.size)]},
    "a product of two bounds": {"one": Annotated[int, Integers(0, B.size * B.numbers)]},
    "a map whose keys are neither numbers nor identifiers": {"one": Map[bool, Count]},
    "two domains of identifiers with the prefix 's'": {
        "one": Annotated[Identifier, Identifiers("s", B.size - (B.kind - B.numbers))],
        "two": Annotated[Identifier, Identifiers("s", (B.size - B.kind) - B.numbers)],
    },
}


@pytest.mark.parametrize("what", VARIABLES)
def test_a_variable_is_refused(what: str) -> None:
    with pytest.raises(Untranslatable, match=what.replace("|", "[|]")):
        ParametricSemantics(state(**VARIABLES[what]))


def test_sizes_whose_texts_differ_may_be_one() -> None:
    less = VARIABLES["two domains of identifiers with the prefix 's'"]["one"]
    ParametricSemantics(state(one=less, two=Annotated[Identifier, Identifiers("s", B.size + B.numbers - B.kind)]))


class Constrained(State):
    """A search may leave states out; a proof for all bounds may not."""

    @constraint
    def few(self) -> bool:
        return self.count < 2


class Requires(State):
    @lemma
    def enabled(self) -> bool:
        require(self.flag)
        return True


def test_constraints_and_lemmas_with_guards_are_refused() -> None:
    with pytest.raises(Untranslatable, match="a constraint"):
        ParametricSemantics(Constrained)
    with pytest.raises(LanguageError, match="enabled uses require"):
        ParametricSemantics(Requires).predicate(Requires.members("lemma")[0])


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: terms.eq(terms.TRUE, terms.constant(1)),
        lambda: terms.substitute(
            terms.forall([terms.Bound(x := terms.variable("x", "id:n"))], terms.eq(x, terms.variable("y", "id:n"))),
            {terms.variable("y", "id:n"): x},
        ),
    ],
    ids=["sorts", "capture"],
)
def test_terms_that_would_mean_something_else_are_an_error(wrong: Callable[[], object]) -> None:
    with pytest.raises(AssertionError):
        wrong()


# -- what is taken for granted ------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(1, 5))
@pytest.mark.parametrize("there", range(1, 5))
def test_there_are_as_many_identifiers_as_their_bound_says(size: int, there: int) -> None:
    """Three and four are not told apart."""
    facts = Evaluators({"id:n": there})(terms.and_(*ParametricSemantics(State).facts))
    known = {"#size": 2, "#kind": size, "#numbers": 3, "first id:n": 0}
    assert facts({}, lambda name, _: known[name]) == (min(size, 2) == min(there, 2))


@pytest.mark.parametrize("kind", [*zoo.ZOO, *MORE], ids=lambda kind: kind.__name__)
def test_typing_is_about_every_number_that_there_is(kind: type[Protocol]) -> None:
    comparison = Comparison(kind(kind.bounds_type()()))
    table = comparison.table(comparison.random_state())
    typed = comparison._evaluators(terms.and_(*comparison.reading.typed(comparison.reading.state()).values()))
    assert typed({}, comparison.look(table))
    for path, entries in table.items():
        if isinstance(comparison.reading.leaves[path].domain, Numbers):
            for at in entries:
                for wrong in (-99, 99):
                    assert not typed({}, comparison.look({**table, path: {**entries, at: wrong}})), (path, at)


def test_bounds_are_at_least_what_they_may_be() -> None:
    bounds = ParametricSemantics(State).bounds
    facts = Evaluators({})(terms.and_(*bounds.facts))
    least = {f"#{name}": field.least for name, field in CornerBounds.declared().items()}
    assert facts({}, lambda name, _: least[name])
    for wrong in least:
        assert not facts({}, lambda name, _, wrong=wrong: least[name] - (name == wrong))  # type: ignore[misc]  # a default


@pytest.mark.parametrize("kind", [*zoo.ZOO, *MORE], ids=lambda kind: kind.__name__)
def test_a_property_depends_on_nothing_that_it_does_not_say_it_reads(kind: type[Protocol]) -> None:
    comparison = Comparison(kind(kind.bounds_type()()))
    for member in [*kind.members("lemma"), *kind.members("invariant")]:
        found = comparison.reading.predicate(member)
        fails = comparison._evaluators(terms.or_(*(failure.condition for failure in found.failures)))
        holds = comparison._evaluators(found.holds)
        for _ in range(30):
            one, other = (comparison.table(comparison.random_state()) for _ in range(2))
            mixed = {
                path: one.get(path, {}) if path in found.reads else other.get(path, {}) for path in {**one, **other}
            }
            before, after = comparison.look(one), comparison.look(mixed)
            assert fails({}, before) == fails({}, after)
            assert fails({}, before) or holds({}, before) == holds({}, after)
